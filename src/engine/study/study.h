/* A study says what is computed from paths; the run state is what every rank knows of one run of
   it. What all studies share builds on these two: failures.h, engine/resume/store.h,
   engine/chunks.h, engine/outcome.h, engine/output.h. */
#ifndef CAS_STUDY_H
#define CAS_STUDY_H

#include "files/checkpoint.h"
#include "paths/observables.h"
#include "paths/pass.h"
#include "paths/problem/sizes.h"
#include "statistics/sum_tree.h"

#include <casimir/casimir.h>

/** A run, as other files of the engine know it. */
typedef struct cas_run_state cas_run_state;
typedef struct cas_study cas_study;
typedef struct cas_study_run cas_study_run;

/** A run as its study sees it: the same on all ranks but for `rank`; constant after prepare(). */
struct cas_study_run {
  const cas_config *config;
  const cas_study *study;
  void *options;  /* owned: the study's, as configured */
  void *prepared; /* owned: the study's, filled by prepare() */
  cas_problem problem;
  cas_pass_plan plan;
  int64_t paths;
  int64_t first_path; /* where a range of paths is run by itself, else 0 */
  int64_t chunks;     /* up to the last path, of all rounds so far */
  int round;          /* of a study that adds chunks, from 1 on; 0: one of all paths at once */
  int path_groups;    /* groups of paths whose means are summed apart; 0: none */
  bool in_memory;     /* the results are for the caller alone: there is no file */
  MPI_Comm comm;
  int rank, ranks;
  const struct cas_sums *sums; /* over all paths (engine/sums.h), for conclude() alone */
};

/** What a run will take, which dry runs tell, and where its paths are. A NULL, or no
    cas_study_costs at all: what follows from r->plan and r->paths is the whole. */
typedef struct {
  /** Bytes of the file, where they are many; INFINITY or more than 2^60 are refused. */
  double (*file_bytes)(const cas_study_run *r);
  /** Those bytes of the file that are written at the end. Until then a second file holds space for
      them, which run() gives back (output.h). */
  double (*late_bytes)(const cas_study_run *r);
  /** Bytes that rank 0 allocates besides those of blocks and of the system. */
  double (*bytes)(const cas_study_run *r);
  /** Bytes of all blocks that a rank holds in the course of a run, if not one of r->plan. */
  size_t (*block_bytes)(const cas_study_run *r);
  /** Steps of all paths on all levels by cas_sizes_cost, if not every path runs r->plan. */
  double (*path_steps)(const cas_study_run *r);
  /** Whether every observation of r->plan evaluates the cas_observables of r->prepared. */
  bool observed;
  /** Processor seconds to add one number of these to what the study collects, about. */
  double (*adding_seconds)(const cas_study_run *r);
  /** Seconds to open the streams of all paths, measured on some, unless r->plan has them. */
  double (*open_seconds)(const cas_study_run *r);
  /** Whether these are the paths of a pilot, which decides how many follow. */
  bool (*grows)(const cas_study_run *r);
  /** Prints lines of its own for a dry run. */
  void (*describe)(FILE *f, const cas_study_run *r);
  /** Finds a path that is not lane path % W of block path / W of r->plan, or refuses its number. */
  cas_status (*locate)(const cas_study_run *r, int64_t path, cas_pass_plan *plan, int64_t *block,
                       int *lane, cas_error *err);
} cas_study_costs;

/** Adds tables that take time to results that are written; *added false: there are none. Rank 0. */
typedef cas_status cas_study_extension(const cas_study_run *r, cas_results *out, bool *added,
                                       cas_error *err);

/** How the paths of a study are run, unless its configuration says otherwise. */
typedef struct {
  bool compensated;         /* default of integrator.compensated */
  double truncation;        /* default of integrator.truncation; 0: that of the option table */
  int64_t blocks_per_chunk; /* 0: as many as make a chunk worth merging */
  /* The study records every path by itself: it has no statistics to leave a failed path out of. */
  bool recorded;
  int sums_version; /* counts what was added to the sums of a path: older sums cannot go on */
} cas_study_defaults;

/** The options of a study, and what it makes of them. */
typedef struct {
  const cas_option *table; /* keys below `study:` besides kind and on_failure */
  size_t size;             /* of the struct that the options fill */
  /* of what prepare() fills, r->prepared, zeroed before: it begins with the cas_observables of the
     study, which are freed with the run; 0: nothing */
  size_t prepared;
} cas_study_options;

/** What a study of one summary makes of every path and of the averages (engine/sums.h). `value` is
    the memory of a block, [doubles], which a checkpoint keeps. */
typedef struct {
  /** The doubles that a block needs for what it observes, and the averaged numbers of a path.
      required */
  void (*sizes)(const cas_study_run *r, size_t *doubles, int *quantities);
  /** Path p counts in jackknife group p mod CAS_SUMMARY_GROUPS; false: all paths are in one. */
  bool groups;
  /** Looks at the states of a block at observation 0 (the initial states), 1, 2, .. It may return
      early where s->abandoned is set. optional */
  void (*observe)(const cas_study_run *r, cas_pass *s, int64_t observation, double *value);
  /** Looks at the states of a block after the last step. optional */
  void (*finish)(const cas_study_run *r, cas_pass *s, double *value);
  /** Computes the quantities of the path of a lane. A quantity that is not finite makes the path a
      failed one. required */
  void (*collect)(const cas_study_run *r, const double *value, int lane, double *quantity);
  /** Adds tables to the results, whose provenance and health are there, by the sums of r. On
      rank 0. required */
  cas_status (*conclude)(const cas_study_run *r, cas_results *out, cas_error *err);
  cas_study_extension *extend; /* of complete results; optional */
} cas_study_sums;

struct cas_study {
  const char *name, *summary;
  cas_study_options options;
  cas_study_defaults defaults;
  /** Checks the options and fills r->plan and r->paths; and r->chunks, if the study lists its
      chunks itself (begin_chunk of chunks.h). required */
  cas_status (*prepare)(cas_study_run *r, cas_error *err);
  cas_study_sums sums; /* of a study of one summary, which has no run() */
  /** Computes, writes the file, fills *out on rank 0. Collective. optional: sums are computed */
  cas_status (*run)(cas_run_state *r, cas_results *out, cas_error *err);
  /** CAS_CHECK_FAILED with a message where *out is not what was asked for. Rank 0. optional */
  cas_status (*check)(const cas_results *out, cas_error *err);
  /** Frees what r->prepared points to besides its observables. optional */
  void (*release)(cas_study_run *r);
  /** Merges the sections of its own that a run of other paths has left in `file` into those of all.
      optional: it has none */
  cas_status (*merge)(const cas_study_run *r, cas_sections *all, const cas_sections *part,
                      const char *file, cas_error *err);
  const cas_study_costs *costs; /* optional */
};

extern const cas_study *const cas_studies[]; /* NULL-terminated */
#define CAS_STUDY(name) extern const cas_study cas_study_##name;
#include "studies/studies.def"
#undef CAS_STUDY

/** Steps of a path on all levels of a plan, weighted with what one costs at the size of its level
    (sizes.h); cost NULL: counted. */
double cas_study_plan_steps(const cas_pass_plan *plan, const cas_problem *p,
                            double (*cost)(const cas_problem *p, int size));
/** The costs that the study of a run tells; zeroed if it tells none. */
const cas_study_costs *cas_study_costs_of(const cas_study_run *r);

/* Paths of one seed, where sums of several are merged. Results files hold it. */
typedef struct {
  int64_t seed, first_path, paths;
} cas_seed_range;

/* Signals that this rank has heard and the run has not yet acted on, and the last checkpoint. */
typedef struct {
  unsigned signals; /* CAS_SIGNAL_SAVE | CAS_SIGNAL_LEAVE */
  double last_save; /* time when the last checkpoint was complete, or the work began; 0: neither */
  double save_seconds; /* time that the last checkpoint took */
} cas_pending_signals;

/* What an earlier run of the same study has done. */
typedef struct {
  cas_sections sections; /* its checkpoint, or what its results file keeps for this */
  int file;              /* where sections of it stay, of this rank; 0: none do */
  void *pass;            /* owned: the state of the block that was resumed last */
  cas_sum_tree tree;     /* of the chunks that the sections have the sums of */
  /* Seeds of the merged runs whose sums they hold, without a gap in paths; 0: none are merged */
  int merged;
  cas_seed_range *seeds; /* owned: [merged] if these are several, else NULL */
  bool from_results;     /* they were read from the results file of a finished run */
  int64_t steps;         /* of that run, if they are fewer than this run's; 0: as many */
  bool from_previous;    /* from `previous`, and rank 0 has written no other */
} cas_earlier_run;

/* The state of a run, for the engine: what its study sees, its files, what an earlier run has done,
   and how far it is. The same on every rank where nothing else is said. */
struct cas_run_state {
  cas_study_run run;
  const cas_run_request *request;
  char started[32];         /* date and time, for the results */
  double clock;             /* MPI_Wtime() at the start */
  int threads;              /* of a rank, for one large path */
  int64_t blocks_per_chunk; /* 0: the study lists its chunks, for its configuration alone */
  int64_t first_chunk;      /* of first_path */
  char *effective;          /* owned: the effective configuration as text */
  cas_config *written;      /* owned: that text, parsed */
  uint64_t noise_hash;      /* of the replayed normals of all paths; 0: none are replayed */

  /* files, whose names are owned */
  char *file, *checkpoint,
      *previous;           /* the results, the checkpoint, and the checkpoint before it */
  double checkpoint_every; /* seconds; 0: only when a signal asks for one */
  bool reserved;           /* a second file holds space for the results; rank 0 */

  cas_earlier_run earlier;

  /* how far this run is */
  cas_run_seconds seconds;     /* sum of all rounds; rank 0 */
  double round_begun;          /* MPI_Wtime() when the work on the chunks of this round began */
  cas_pending_signals pending; /* of this rank */
  double saved_share;          /* part of the run that the last checkpoint holds; rank 0 */
  cas_sections restart;        /* what a longer run can go on from; rank 0 */
  cas_sections rescue; /* what this run goes on from if its results cannot be written; rank 0 */
};

/** The number of the last path plus 1. */
int64_t cas_study_path_end(const cas_study_run *r);
/** Chunks that paths fill, up to the last path: all, or all but the last. */
int64_t cas_study_full_chunks(const cas_run_state *r);
/** The chunk that stands in sums for a last one that paths do not fill: it is behind all others and
    merges with none of them, so that a run of more paths does without it. */
#define CAS_STUDY_UNFILLED (INT64_C(1) << 43)
int64_t cas_study_chunk_in_sums(const cas_run_state *r, int64_t chunk);
/** The number of chunks that no earlier run has done. */
int64_t cas_study_remaining_chunks(const cas_run_state *r);
/** The number of the i-th of these chunks, from 0 on. */
int64_t cas_study_remaining_chunk(const cas_run_state *r, int64_t i);

/** Refuses, at `key`, more steps than can be counted, none, and a horizon that is no number. */
cas_status cas_study_steps_check(const cas_study_run *r, const char *key,
                                 cas_error *err) CAS_MUST_CHECK;

/** Gives the caller of cas_run a line about checkpoints. Nothing happens on other ranks than 0. */
void cas_study_notice(const cas_run_state *r, const char *format, ...) CAS_PRINTF(2, 3);
/** Tells the caller of cas_run which share of the remaining chunks is done. */
void cas_study_show_progress(const cas_run_state *r, double share);

#endif
