/* Studies: what is computed from an ensemble, and the run that all of them share. */
#ifndef CAS_STUDY_H
#define CAS_STUDY_H

#include "files/checkpoint.h"
#include "paths/observables.h"
#include "statistics/forest.h"

#include <casimir/casimir.h>

typedef struct cas_run_state cas_run_state;

typedef struct {
  double integrate_most, integrate_mean, reduce_most; /* seconds */
} cas_timing;

/* What a rank that has waited with others for what is wanted of them still knows. */
typedef struct {
  unsigned signals; /* heard and not fulfilled */
  double saved;     /* when the last checkpoint was complete; 0: none was begun */
  double saving;    /* seconds that it took */
} cas_pending_signals;

typedef struct cas_study {
  const char *name, *summary;
  const cas_option *options; /* keys below `study:` besides kind */
  size_t options_size;
  bool compensated;         /* default of integrator.compensated */
  double truncation;        /* default of integrator.truncation; 0: that of the table */
  int64_t blocks_per_chunk; /* 0: as many as make a chunk worth merging */
  bool
      recorded; /* each path for itself: no statistics, which one that failed could be left out of */
  /** Checks the options and fills r->plan, r->paths; and r->chunks, if the study lists its chunks
      itself (begin_chunk below). required */
  cas_status (*prepare)(cas_run_state *r, cas_error *err);
  /** Computes, writes the file, fills *out on rank 0. Collective. required */
  cas_status (*run)(cas_run_state *r, cas_results *out, cas_error *err);
  /** Bytes of the file, where they are many; INFINITY or more than 2^60 are refused. optional */
  double (*file_bytes)(const cas_run_state *r);
  /** Those of them that are written when all is done, without room in the file until then; run()
      gives back what is kept for them (output.h). optional */
  double (*late_bytes)(const cas_run_state *r);
  /** What prepare() allocated. optional */
  void (*release)(cas_run_state *r);
  /** Lines of its own for a dry run. optional */
  void (*describe)(FILE *f, const cas_run_state *r);
  /** Where a path is found, if it is not lane path % W of block path / W of r->plan. Refuses one
      that the study has not. optional */
  cas_status (*locate)(const cas_run_state *r, int64_t path, cas_sweep_plan *plan, int64_t *block,
                       int *lane, cas_error *err);
  /** Steps of all paths on all levels, if paths do not all run r->plan. optional */
  double (*path_steps)(const cas_run_state *r);
  /** Bytes of all blocks that a rank holds in the course of a run, if not one of r->plan. optional */
  size_t (*block_bytes)(const cas_run_state *r);
  /** What every observation of r->plan evaluates. optional: nothing that takes time */
  const cas_observables *(*observables)(const cas_run_state *r);
  /** Bytes that rank 0 allocates besides those of blocks and of the system. optional: few */
  double (*bytes)(const cas_run_state *r);
  /** Seconds to open the streams of all paths, measured on some, if paths do not all have those of
      r->plan. optional */
  double (*open_seconds)(const cas_run_state *r);
} cas_study;

/* One run: the same on every rank but for `rank`. */
struct cas_run_state {
  const cas_config *config;
  const cas_run_request *request;
  MPI_Comm comm;
  int rank, ranks;
  const cas_study *study;
  void *options; /* the study's */
  cas_problem problem;
  cas_sweep_plan plan;
  int64_t paths;
  int64_t blocks_per_chunk; /* 0: the study lists its chunks, for its configuration alone */
  int64_t chunks;           /* of all rounds so far */
  void *prepared;           /* the study's own, from prepare() */
  char *file;               /* of the results */
  char *effective;          /* the effective configuration */
  uint64_t noise_hash;      /* of the replayed normals of all paths; 0: there are none */
  char started[32];
  double clock;
  char *checkpoint;        /* name of the file */
  char *previous;          /* and of the one before */
  bool from_previous;      /* this run goes on from that, and has written no other; rank 0 */
  double checkpoint_every; /* seconds; 0: only when asked to */
  cas_sections earlier;    /* what an earlier run of the same study got; the same on every rank */
  int earlier_forests;     /* forests within `earlier`, in ascending order */
  const cas_forest **earlier_forest;
  cas_sections restart; /* what a longer run can go on from; rank 0 */
  cas_sections rescue;  /* or, where none can, this one if its results cannot be written; rank 0 */
  bool reserved;        /* room for the results; rank 0 */
  double saved_share;   /* of the run, in the last checkpoint; rank 0 */
  cas_timing timing;    /* of all ranks, on rank 0; the sum of all rounds */
  double round_begun;   /* when the chunks of this round were dealt out */
  cas_pending_signals pending; /* of watch.h, from round to round */
};

extern const cas_study *const cas_studies[]; /* NULL-terminated */

/* ---- dealing out chunks (chunks.c) ---- */

/* What a chunk consists of: blocks first .. next-1 of the plan of a sweep. */
typedef struct {
  cas_sweep *sweep;
  int64_t first, next;
  int64_t paths;      /* of the plan, from block 0 on: lanes behind them do not count */
  int64_t first_path; /* the number of the first of them */
} cas_blocks;

/** Adds one block to the summary of its chunk; the first `active` lanes count. */
typedef cas_status cas_block_function(void *context, cas_sweep *s, int64_t block, int active,
                                      cas_summary *chunk, cas_error *err);

/** Chunks that paths fill: all, or all but the last. */
int64_t cas_full_chunks(const cas_run_state *r);
/** The contiguous range [first, next) of all chunks that a rank owns. */
void cas_chunk_range(const cas_run_state *r, int rank, int64_t *first, int64_t *next);
/** What happens to the blocks of a rank. */
typedef struct {
  cas_block_function *block; /* required */
  /** When it is known which chunks [first, next) are this rank's. Not collective. optional */
  cas_status (*begin)(void *context, int64_t first, int64_t next, cas_error *err);
  /** The blocks of a chunk, if they are not r->blocks_per_chunk of r->plan; the sweep stays the
      study's. Not collective. optional */
  cas_status (*begin_chunk)(void *context, int64_t chunk, cas_blocks *out, cas_error *err);
  void *context;
  /* for checkpoints (store.h); optional, all of it */
  /** What a block in progress needs besides its sweep. */
  void *memory;
  size_t memory_size;
  /** Before a checkpoint, on each rank: what is held back goes to where it belongs. */
  cas_status (*settle)(void *context, cas_error *err);
  /** Appends what the study keeps beside its summaries to rank 0's sections. Collective. */
  cas_status (*store)(void *context, cas_sections *s, cas_error *err);
  bool extendable; /* a run of more paths can go on from this one when it is done */
  bool rounds;     /* more chunks may be dealt out when these are done: all so far are a round */
} cas_block_work;

/** Runs this rank's chunks and joins all ranks' summaries; *total (of that shape, freed by the
   caller) is the whole study on rank 0 and NULL elsewhere. In rounds, again with a larger r->chunks
   where that is the sum of all rounds. Collective. */
cas_status cas_run_chunks(cas_run_state *r, cas_summary_shape shape, const cas_block_work *work,
                          cas_summary **total, cas_error *err) CAS_MUST_CHECK;

/** Tells the caller of cas_run how much of its share rank 0 has done. */
void cas_show_progress(const cas_run_state *r, double share);

/* ---- results that all studies have (outcome.c) ---- */

/** The BLAS and the kind of processor that it has chosen its products for. */
typedef struct {
  char text[256];
} cas_blas_name;

cas_blas_name cas_blas(void);
/** Whether states come from those products: whether their bits are of one kind of processor alone. */
bool cas_uses_blas(const cas_run_state *r);
/** Provenance, steps, health and restart of *out from the run and its summary. */
cas_status cas_outcome_fill(cas_run_state *r, cas_summary *total, cas_results *out,
                            cas_error *err) CAS_MUST_CHECK;
/** CAS_CHECK_FAILED with a message if paths failed or Casimirs drifted too far. */
cas_status cas_outcome_verdict(const cas_run_state *r, const cas_results *out, cas_error *err);

/* ---- describing without computing (preview.c) ---- */

/** Refuses an output that cannot be written (run.c). Collective. */
cas_status cas_check_output(const cas_run_state *r, cas_error *err) CAS_MUST_CHECK;
/** Refuses one that has no room, of a run that is not finished. *bytes that it needs, 0 if they are
    few; *room that its file system has. Collective. */
cas_status cas_output_check_space(const cas_run_state *r, double *bytes, double *room,
                                  cas_error *err) CAS_MUST_CHECK;
cas_status cas_dry_run(cas_run_state *r, cas_error *err) CAS_MUST_CHECK;
cas_status cas_single_path(cas_run_state *r, cas_error *err) CAS_MUST_CHECK;

#endif
