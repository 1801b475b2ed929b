/* What a study has got so far, and how it comes back: the checkpoint beside the results file while
   it runs, and its rest in the results file when it is done. */
#ifndef CAS_STORE_H
#define CAS_STORE_H

#include "engine/chunks.h"
#include "files/checkpoint.h"

cas_status cas_store_forest(cas_sections *s, const cas_forest *f, cas_error *err) CAS_MUST_CHECK;
/** A block in progress, where a chunk is one block. */
cas_status cas_store_block(const cas_run_state *r, int64_t block, const cas_sweep *sweep,
                           const cas_block_work *work, cas_sections *s,
                           cas_error *err) CAS_MUST_CHECK;
/** Blocks in [from, to) that an earlier run has begun and nobody has taken up yet. */
cas_status cas_store_later_blocks(const cas_run_state *r, int64_t from, int64_t to, cas_sections *s,
                                  cas_error *err) CAS_MUST_CHECK;
/** Has the sweep go on with this block from where an earlier run left it, if it had begun. */
void cas_store_resume_block(const cas_run_state *r, int64_t block, cas_sweep *sweep,
                            const cas_block_work *work);
/** The last chunk when it is done and paths do not fill it: it goes with this number of paths only. */
cas_status cas_store_partial(const cas_run_state *r, cas_summary_shape shape,
                             const cas_summary *partial, cas_sections *s,
                             cas_error *err) CAS_MUST_CHECK;
/** Whether an earlier run has done it; then it is copied. */
bool cas_store_get_partial(const cas_run_state *r, cas_summary_shape shape, cas_summary *partial);
/** Writes the checkpoint from the sections of all ranks. Collective. */
cas_status cas_store_save(cas_run_state *r, const cas_sections *own, const cas_block_work *work,
                          cas_error *err) CAS_MUST_CHECK;
/** Keeps in r->restart what a longer run could go on from, or where none can in r->rescue what this one
    could if its results cannot be written. `partial` on rank 0: the last chunk if paths do not fill it,
    NULL if they do. Collective. */
cas_status cas_store_finished(cas_run_state *r, const cas_forest *f, const cas_summary *partial,
                              const cas_block_work *work, cas_error *err) CAS_MUST_CHECK;
/** After a failure on rank 0: saves what it has and adds to the message what is saved where, if
    anything is. */
void cas_store_rescue(cas_run_state *r, const cas_results *out, cas_error *err);
/** CAS_INTERRUPTED, with what was saved where and what to do now. */
cas_status cas_store_interrupted(const cas_run_state *r, cas_error *err);
/** Leaves an unfinished trajectory file to be gone on with, if a checkpoint knows of it, and removes
    it else. Collective; file may be NULL. */
void cas_store_suspend_file(const cas_run_state *r, cas_trajectory_file *file);

/** Looks for an earlier run of this configuration and leaves what it got in r->earlier, on every
    rank. *finished: the results file is the one of this very run. Collective. */
cas_status cas_store_resume(cas_run_state *r, bool *finished, cas_error *err) CAS_MUST_CHECK;
/** Fills r->earlier_forest from r->earlier: forests of that shape in ascending order. */
cas_status cas_store_load_forests(cas_run_state *r, cas_summary_shape shape,
                                  cas_error *err) CAS_MUST_CHECK;
/** Refuses to begin anew where the checkpoint of an unfinished run lies. */
cas_status cas_store_check_new(const cas_run_state *r, cas_error *err) CAS_MUST_CHECK;

#endif
