/* Blocks in checkpoints and results: those in progress, which the next run resumes, and the ends of
   blocks that are done, from which a run of more steps goes on.

   A block is a section: its head, the state of its pass, the memory of its study. Blocks in
   progress are sections "block"; or, of a study that streams what it keeps (block_work.h),
   "@block", which stay in the file of the checkpoint. Ends are sections "end". */
#ifndef CAS_RESUME_BLOCKS_H
#define CAS_RESUME_BLOCKS_H

#include "engine/study/block_work.h"
#include "files/checkpoint.h"

/** Fails, because what r->checkpoint holds does not fit together. */
cas_status cas_blocks_unusable(const cas_run_state *r, cas_error *err) CAS_MUST_CHECK;
/** Appends a block that the pass is at, or, with `ended`, has run, where a chunk is one block;
    *share: how much of it is done. */
cas_status cas_blocks_put(const cas_run_state *r, bool ended, int64_t block, const cas_pass *pass,
                          const cas_block_work *work, cas_sections *s, double *share,
                          cas_error *err) CAS_MUST_CHECK;

/* ---- blocks in progress ---- */

/** Copies bytes of a section of r->earlier from `at` on: of `bytes`, or, if that is NULL, of
    the file where they stay; false where this cannot be read. */
bool cas_blocks_read(const cas_run_state *r, const char *bytes, uint64_t at, void *to, size_t size);

/** Writes blocks of the earlier checkpoint that are neither begun again, as begun[ranks] (-1: none)
    are, nor in the sums `done`. Adds the work in them to *share, in blocks. Rank 0. */
cas_status cas_blocks_put_waiting(const cas_run_state *r, const int64_t *begun,
                                  const cas_sum_tree *done, cas_checkpoint_writer *w, double *share,
                                  cas_error *err) CAS_MUST_CHECK;
/** Makes the next run of the pass resume this block, if an earlier run had begun it. */
cas_status cas_blocks_resume(cas_run_state *r, int64_t block, cas_pass *pass,
                             const cas_block_work *work, cas_error *err) CAS_MUST_CHECK;
/** The work in blocks in progress, in blocks. */
double cas_blocks_share(const cas_sections *s);
/** Opens the file of r->earlier on every rank, where sections stay in it. Collective. */
cas_status cas_blocks_open_earlier(cas_run_state *r, cas_error *err) CAS_MUST_CHECK;

/* ---- ends of blocks ---- */

double cas_blocks_ends_bytes(const cas_study_run *r, size_t memory_size);
int64_t cas_blocks_ends(const cas_sections *s);
/** Whether s has the ends of all blocks of the run: paths that it took up from a run without
    study.ends have none. */
bool cas_blocks_have_all_ends(const cas_study_run *r, const cas_sections *s);
/** Appends the ends of blocks that `from` has: as they are, or, where `share` is not 0, as blocks
    in progress of which this share is done. Refuses what is no block. */
cas_status cas_blocks_copy_ends(const cas_run_state *r, const cas_sections *from, double share,
                                cas_sections *to, cas_error *err) CAS_MUST_CHECK;
/** Appends the ends of all blocks in the order of their numbers. */
cas_status cas_blocks_sort_ends(const cas_sections *ends, cas_sections *to,
                                cas_error *err) CAS_MUST_CHECK;
/** The state of the pass at the next end of a block from *at on (0: the first), in the order of
    blocks; *at moves behind it. NULL: there is none, or it is of another problem or plan. */
const void *cas_blocks_next_end(const cas_run_state *r, const cas_sections *s, size_t *at);

#endif
