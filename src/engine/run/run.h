/* The stages of cas_run, of which cas_merge shares some. */
#ifndef CAS_RUN_H
#define CAS_RUN_H

#include "engine/study/study.h"

/** Reads a configuration, which r borrows as it does the request. The caller releases *r even on
    failure. Collective. */
cas_status cas_run_start(cas_run_state *r, const cas_config *c, const cas_run_request *q,
                         MPI_Comm comm, cas_error *err) CAS_MUST_CHECK;
/** Does what is left of the study and writes the results file. Collective. */
cas_status cas_run_compute(cas_run_state *r, cas_results *out, cas_error *err) CAS_MUST_CHECK;
void cas_run_release(cas_run_state *r);

/** Initialises MPI, until the process ends, if nobody has. */
cas_status cas_run_initialize(cas_error *err) CAS_MUST_CHECK;

enum { CAS_RUN_MERGED_KINDS = 400 };
/** The names of the studies whose runs can be merged, "strong, weak and .."; returns text. */
const char *cas_run_merged_kinds(char text[CAS_RUN_MERGED_KINDS]);

/** How many paths of a run are behind its partial results, and how many it is of. */
typedef struct {
  int64_t done, all;
} cas_partial;

/** Fills *out from the sums of paths that a checkpoint holds, in memory alone; CAS_CHECK_FAILED,
    with results, as a finished run has it. Refuses studies whose sums on the way are no results, by
    name. Initialises MPI if nobody has. The caller frees *out. */
cas_status cas_partial_read(const char *checkpoint, cas_partial *of, cas_results *out,
                            cas_error *err) CAS_MUST_CHECK;

#endif
