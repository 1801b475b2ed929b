/* The run of a multilevel study: round after round of paths, until the study wants no more. */
#ifndef CAS_MULTILEVEL_RUN_H
#define CAS_MULTILEVEL_RUN_H

#include "files/results/table.h"
#include "studies/multilevel/hierarchy.h"

typedef struct cas_multilevel_run cas_multilevel_run;

/** What follows a round; every rank has to know of it. */
typedef struct {
  bool more;                          /* another round follows, */
  int64_t paths[CAS_PLAN_LEVELS_MAX]; /* up to these of each level, in whole blocks */
} cas_multilevel_decision;

/** What distinguishes one multilevel study from another. Its own data are r->prepared. */
typedef struct {
  const char *key; /* the key of the number of paths of later rounds, for messages */
  /** Decides on the next round from run->total: sums and counts, never a clock. Rank 0. required */
  cas_status (*decide)(cas_multilevel_run *run, cas_multilevel_decision *d, cas_error *err);
  /** Fills *out from run->total. Rank 0. required */
  cas_status (*conclude)(cas_multilevel_run *run, cas_results *out, cas_error *err);
  cas_study_extension *extend; /* of complete results; optional */
  /** A part of r->prepared that checkpoints keep as a section; no name: nothing. */
  struct {
    const char *name;
    size_t offset, size;
  } kept;
} cas_multilevel_study;

struct cas_multilevel_run {
  cas_run_state *state;
  cas_study_run *run; /* of the state */
  const cas_multilevel_study *study;
  cas_hierarchy *hierarchy;
  cas_summary_shape shape;
  cas_summary *total;                        /* of all rounds so far, on rank 0 */
  double total_seconds[CAS_PLAN_LEVELS_MAX]; /* of the processors of all ranks, by level; rank 0 */

  /* the work of this rank */
  cas_pass pass[CAS_PLAN_LEVELS_MAX];  /* of each level, made when it is first needed */
  int level;                           /* of the current chunk, */
  int64_t last;                        /* its last block, */
  double begun;                        /* and the time of the processor when it began */
  double *value;                       /* [functionals][levels of the plan][W] */
  double *quantity;                    /* [quantities] of one path */
  double seconds[CAS_PLAN_LEVELS_MAX]; /* of its processor, by level */
  double earlier[CAS_PLAN_LEVELS_MAX]; /* those of all ranks in earlier runs; rank 0 */
};

/** Moments of a functional on a level; NaN where there are too few paths. */
typedef struct {
  double paths;                       /* that count */
  double iterations, fine_iterations; /* of a path, and of its path of the finer step alone */
  double mean, variance, kurtosis;    /* of Y */
  double coarse_mean, coarse_variance, fine_mean, fine_variance;
  double pair_mean, pair_variance; /* of phi(X_rh) - phi(X_h) with one fine path */
} cas_level_moments;

cas_level_moments cas_multilevel_moments(const cas_multilevel_run *c, int level, int functional);

/** The `run` of a cas_study. Rounds that a checkpoint knows are not decided again. Collective. */
cas_status cas_multilevel_compute(cas_run_state *r, const cas_multilevel_study *study,
                                  cas_results *out, cas_error *err) CAS_MUST_CHECK;

#endif
