/* The work on chunks of paths. Ranks integrate chunks as they come for them, each in ascending
   order; their summaries are summed along one tree, whatever the ranks. */
#ifndef CAS_CHUNKS_H
#define CAS_CHUNKS_H

#include "engine/study/block_work.h"

/** Integrates all chunks and merges the summaries of all ranks. *total is the summary of the whole
    study on rank 0, to be freed by the caller, and NULL elsewhere. A study of several rounds calls
    this again with a larger r->chunks, the number of chunks of all rounds. Collective. */
cas_status cas_chunks_run(cas_run_state *r, cas_summary_shape shape, const cas_block_work *work,
                          cas_summary **total, cas_error *err) CAS_MUST_CHECK;

#endif
