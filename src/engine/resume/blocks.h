/* Blocks in checkpoints and results: those in progress, which the next run resumes, and the ends of
   blocks that are done, from which a run of more steps goes on.

   A block is a section: its head, the state of its pass, the memory of its study. Blocks in
   progress are written one after another, as sections "block"; or, of a study that streams what it
   keeps (block_work.h), as "@block", which stay in the file of the checkpoint. Ends are sections
   "end". */
#ifndef CAS_RESUME_BLOCKS_H
#define CAS_RESUME_BLOCKS_H

#include "engine/study/block_work.h"
#include "files/checkpoint.h"

/** What a rank is at. */
typedef struct {
  const cas_pass *pass; /* NULL: nothing that a checkpoint has to hold */
  int64_t block;
} cas_block_in_progress;

/** What a checkpoint has the sums of. */
typedef struct {
  const cas_sum_tree *tree;
  bool partial; /* the last chunk, which paths do not fill */
} cas_saved_sums;

/* ---- blocks in progress ---- */

/** Writes the blocks in progress of all ranks, and blocks of the earlier checkpoint that no rank
    has begun again, into the checkpoint of rank 0. Blocks are written one after another, so that no
    rank holds blocks of others. *share: the work in the blocks that this rank has written, in
    blocks; rank 0 writes the waiting blocks. Collective. */
cas_status cas_blocks_write(const cas_run_state *r, const cas_block_in_progress *p,
                            const cas_saved_sums *sums, const cas_block_work *work,
                            cas_checkpoint_writer *w, double *share, cas_error *err) CAS_MUST_CHECK;
/** Makes the next run of the pass resume this block where an earlier run stopped, if that had begun
    it. */
cas_status cas_blocks_resume(cas_run_state *r, int64_t block, cas_pass *pass,
                             const cas_block_work *work, cas_error *err) CAS_MUST_CHECK;
/** The work in blocks in progress, in blocks. */
double cas_blocks_share(const cas_sections *s);
/** Opens the file that r->earlier was read from, on every rank, where sections stay in it.
    Collective. */
cas_status cas_blocks_open_earlier(cas_run_state *r, cas_error *err) CAS_MUST_CHECK;

/* ---- ends of blocks ---- */

/** Bytes of the ends of all blocks. */
double cas_blocks_ends_bytes(const cas_study_run *r, size_t memory_size);
/** Appends the end of a block that the pass has run, where a chunk is one block. */
cas_status cas_blocks_put_end(const cas_run_state *r, int64_t block, const cas_pass *pass,
                              const cas_block_work *work, cas_sections *s,
                              cas_error *err) CAS_MUST_CHECK;
/** The number of ends of blocks. */
int64_t cas_blocks_ends(const cas_sections *s);
/** Whether there are those of all blocks of the run: paths that it took up from a run without
    study.ends have none. */
bool cas_blocks_have_all_ends(const cas_study_run *r, const cas_sections *s);
/** Appends the ends of blocks that `from` has: as they are, or, where `share` is not 0, as blocks
    in progress of which this share is done. false in *sound: one of them is no block. */
cas_status cas_blocks_copy_ends(const cas_sections *from, double share, cas_sections *to,
                                bool *sound, cas_error *err) CAS_MUST_CHECK;
/** Appends the ends of all blocks in the order of their numbers. */
cas_status cas_blocks_sort_ends(const cas_sections *ends, cas_sections *to,
                                cas_error *err) CAS_MUST_CHECK;
/** The state of the pass at the next end of a block from *at on (0: the first), in the order of
    blocks; *at moves behind it. NULL: there is none, or it is of another problem or plan. */
const void *cas_blocks_next_end(const cas_run_state *r, const cas_sections *s, size_t *at);

#endif
