/* Blocks in progress that are written into checkpoints one after another, and stay in their
   files. */
#ifndef CAS_STORE_BLOCKS_H
#define CAS_STORE_BLOCKS_H

#include "engine/chunks.h"
#include "files/checkpoint.h"

/** What a rank is at. */
typedef struct {
  const cas_pass *pass; /* NULL: nothing that a checkpoint has to hold */
  int64_t block;
} cas_block_in_progress;

/** The beginning of a block's section in a checkpoint or in results; the state of its pass follows,
    then the memory of its study. */
typedef struct {
  int64_t block, active; /* number, and its paths */
  double share;          /* of the block that is done */
  uint64_t pass, memory; /* bytes */
} cas_block_head;

cas_block_head cas_block_head_of(const cas_run_state *r, const cas_block_in_progress *p,
                                 const cas_block_work *work);
/** Reads the head of a section of `size` bytes; false: the section is no block. */
bool cas_block_head_read(const void *head, uint64_t size, cas_block_head *out);
/** Whether the pass can resume this block from the section of the head. */
bool cas_block_resumes(const cas_run_state *r, const cas_block_head *head, int64_t block,
                       const cas_pass *pass);
/** Whether the tree has the sums of the block. */
bool cas_block_is_done(const cas_sum_tree *done, int64_t block);

/** What a checkpoint has the sums of. */
typedef struct {
  const cas_sum_tree *tree;
  bool partial; /* the last chunk, which paths do not fill */
} cas_saved_sums;

/** Writes the blocks in progress of all ranks, and blocks of the earlier checkpoint that no rank
    has begun again, into the checkpoint of rank 0. Blocks are written one after another, so that no
    rank holds blocks of others. *share: the work in the blocks that this rank has written, in
    blocks; rank 0 writes the waiting blocks. Collective. */
cas_status cas_store_stream_blocks(const cas_run_state *r, const cas_block_in_progress *p,
                                   const cas_saved_sums *sums, const cas_block_work *work,
                                   cas_checkpoint_writer *w, double *share,
                                   cas_error *err) CAS_MUST_CHECK;
/** Makes the next run of the pass resume this block where an earlier run stopped, if its checkpoint
    has it in the file. */
cas_status cas_store_resume_streamed(cas_run_state *r, int64_t block, cas_pass *pass,
                                     const cas_block_work *work, cas_error *err) CAS_MUST_CHECK;
/** The work in the blocks that stay in the file of a checkpoint, in blocks. */
double cas_store_streamed_share(const cas_sections *s);

/** Opens the file that r->earlier was read from, on every rank, where sections stay in it.
    Collective. */
cas_status cas_store_open_earlier(cas_run_state *r, cas_error *err) CAS_MUST_CHECK;

#endif
