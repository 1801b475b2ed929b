/* What a study does with blocks of paths, which ranks integrate and checkpoints hold. */
#ifndef CAS_BLOCK_WORK_H
#define CAS_BLOCK_WORK_H

#include "engine/study/study.h"

/* What a chunk consists of: blocks first .. next-1 of the plan of a pass. */
typedef struct {
  cas_pass *pass;
  int64_t first, next;
  int64_t paths;      /* of the plan, from block 0 on: lanes behind them do not count */
  int64_t first_path; /* the number of the first of these paths */
} cas_blocks;

/** Adds one block to the summary of its chunk; the first `active` lanes count. */
typedef cas_status cas_block_function(void *context, cas_pass *s, int64_t block, int active,
                                      cas_summary *chunk, cas_error *err);

/** What a study does with the blocks of a rank. */
typedef struct {
  cas_block_function *block; /* required */
  /** Called when it is known what an earlier run has done. Not collective. optional */
  cas_status (*begin)(void *context, cas_error *err);
  /** Called when this rank gets no more chunks. Not collective. optional */
  void (*end)(void *context);
  /** The blocks of a chunk, if they are not r->blocks_per_chunk of r->plan; the pass stays the
      study's. Not collective. optional */
  cas_status (*begin_chunk)(void *context, int64_t chunk, cas_blocks *out, cas_error *err);
  void *context;
  /* for checkpoints (engine/resume/store.h), all of it optional */
  void *memory; /* what a block in progress needs besides its pass */
  size_t memory_size;
  /** Called on each rank before a checkpoint: writes what it holds back to where it belongs. */
  cas_status (*settle)(void *context, cas_error *err);
  /** Appends what the study keeps beside its summaries to rank 0's sections. Collective. */
  cas_status (*store)(void *context, cas_sections *s, cas_error *err);
  /** Writes the sums of a study that are too large for `store` into the checkpoint of rank 0, as
      sections that stay in the file (checkpoint.h); w is NULL on other ranks. If it is set, blocks
      in progress stay in the file too, and the results of a finished run contain nothing that a
      longer run could continue. Collective. */
  cas_status (*stream)(void *context, cas_checkpoint_writer *w, cas_error *err);
  /** The number of chunks of the pilot. A run whose range of paths begins later integrates these
      first chunks too, without counting them. */
  int64_t pilot;
  /** The number of rows of `memory`, one for each lane; 0 if `memory` is not divided into rows. A
      run of more steps has the same number of rows, and its rows begin with the numbers of the
      shorter run. */
  int64_t rows;
  /** Whether a run of more steps can continue a finished one. Its chunks must be single blocks. */
  bool keeps_ends;
  bool extendable; /* a finished run can be continued by one of more paths */
  bool rounds;     /* the study may add chunks when these, the first round, are done */
} cas_block_work;

#endif
