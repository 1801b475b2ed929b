/* What a study has computed so far, and how a later run goes on from it: a checkpoint beside the
   results file while the study runs, and sums in the results file when it is done. */
#ifndef CAS_STORE_H
#define CAS_STORE_H

#include "engine/resume/blocks.h"
#include "files/checkpoint.h"

cas_status cas_store_tree(cas_sections *s, const cas_sum_tree *t, cas_error *err) CAS_MUST_CHECK;
/** The number of chunks below `next` whose sums are there. */
int64_t cas_store_chunks(const cas_sections *s, int64_t next);
/** Which part of the run is there, blocks in progress included. */
double cas_store_share(const cas_run_state *r, const cas_sections *s);
/** Puts the sums in r->earlier, of the given shape, into r->earlier.tree. */
cas_status cas_store_load_tree(cas_run_state *r, cas_summary_shape shape,
                               cas_error *err) CAS_MUST_CHECK;
/** Appends the sections `own` of all ranks on rank 0. Collective. */
cas_status cas_store_gather(const cas_run_state *r, const cas_sections *own, cas_sections *all,
                            cas_error *err) CAS_MUST_CHECK;
/** Appends the sums of a finished run to `all`, where sums of other paths, or of seeds with other
    indices, can stand beside them. */
cas_status cas_store_add_part(const cas_sections *sums, int seed, cas_sections *all,
                              cas_error *err) CAS_MUST_CHECK;
/** The seeds whose sums were merged, in the order of their numbers; 0: the sums are of one. *seeds
    points into the sections. */
int cas_store_seeds(const cas_sections *s, const cas_seed_range **seeds);
/** Appends the sums of number `seed` of these alone. */
cas_status cas_store_take_seed(const cas_sections *sums, int seed, cas_sections *out,
                               cas_error *err) CAS_MUST_CHECK;
/** Writes the checkpoint on rank 0: the tree of all chunks that are done, the sections `own` of all
    ranks and the blocks that their passes are at (NULL: none), and what work->stream writes.
    Collective. */
cas_status cas_store_save(cas_run_state *r, const cas_sum_tree *done, const cas_sections *own,
                          int64_t block, const cas_pass *pass, const cas_block_work *work,
                          cas_error *err) CAS_MUST_CHECK;
/** Keeps what a later run can go on from: in r->restart if a run of more paths can, else in
    r->rescue, for the case that the results cannot be written. own: what all ranks have besides the
    tree, on rank 0. Collective. */
cas_status cas_store_finished(cas_run_state *r, const cas_sum_tree *f, const cas_sections *own,
                              const cas_block_work *work, cas_error *err) CAS_MUST_CHECK;
/** Saves what it can after a failure on rank 0, and adds to the message what is saved where. */
void cas_store_rescue(cas_run_state *r, const cas_results *out, cas_error *err);
/** Returns CAS_INTERRUPTED with a message: what was saved where, and how to go on. */
cas_status cas_store_interrupted(const cas_run_state *r, cas_error *err);
/** Keeps an unfinished trajectory file for a later run if a checkpoint belongs to it, and removes
    it otherwise. Collective; file may be NULL. */
void cas_store_suspend_file(const cas_run_state *r, cas_trajectory_file *file);

/* ---- what an earlier run has left (earlier.c) ---- */

/** Looks for an earlier run of this configuration and puts what it has computed into r->earlier, on
    every rank. *finished: this very run has written the results file. Collective. */
cas_status cas_store_resume(cas_run_state *r, bool *finished, cas_error *err) CAS_MUST_CHECK;
/** Refuses to start from the beginning where there is the checkpoint of an unfinished run. */
cas_status cas_store_check_new(const cas_run_state *r, cas_error *err) CAS_MUST_CHECK;

/* ---- runs that begin at a record of an earlier run (continued.c) ---- */

/** Where system.initial is a record of a results file of this generator and seed, the noise of this
    run repeats the noise before the record: says so, or with random.stream: continue sets
    problem.normals.begin to the step of the record and problem.initial.ends to the states in which
    the paths of that run ended, if the record is its last one and its file has them; says so if
    not. Refuses to go on with other streams or steps. Collective. */
cas_status cas_continued_find(cas_run_state *r, cas_error *err) CAS_MUST_CHECK;

#endif
