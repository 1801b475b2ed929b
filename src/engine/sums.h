/* Studies of one summary: some numbers of every path are averaged, and everything follows from the
   averages. Memory, blocks in progress, failed paths, checkpoints and files are the same for
   all. */
#ifndef CAS_SUMS_H
#define CAS_SUMS_H

#include "paths/pass.h"
#include "study/study.h"

/** The sums over all paths, as conclude() has them. */
typedef struct {
  cas_summary *summary;
  cas_summary_shape shape;
} cas_sums;

/** Moments of the paths of a group that were counted: their number, mean[quantities],
    m2[quantities] (statistics/summary.h). */
const double *cas_sums_group(const cas_sums *s, int group);
/** The number of paths that were counted, of a study with one group. */
int64_t cas_sums_paths(const cas_sums *s);
/** The mean of a quantity over these paths; NaN if there are none. */
double cas_sums_mean(const cas_sums *s, int quantity);
/** The standard error of that mean; NaN with fewer than two paths. */
double cas_sums_standard_error(const cas_sums *s, int quantity);

/** What such a study computes. `value` is the memory of a block, [doubles], which a checkpoint
    keeps. */
typedef struct cas_sum_study {
  /** Says how many doubles a block needs for what it observes, and how many numbers of a path are
      averaged. required */
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
  /** Adds tables to the results, whose provenance and health are there. On rank 0. required */
  cas_status (*conclude)(const cas_study_run *r, const cas_sums *sums, cas_results *out,
                         cas_error *err);
  cas_study_extension *extend; /* of complete results; optional */
} cas_sum_study;

/** Integrates all paths, fills the results of r->study->sums and writes their file. Collective. */
cas_status cas_sums_run(cas_run_state *r, cas_results *out, cas_error *err) CAS_MUST_CHECK;

#endif
