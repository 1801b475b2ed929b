#ifndef CAS_MULTILEVEL_H
#define CAS_MULTILEVEL_H

#include "studies/climb.h"

/** Mean, standard error, variance and kurtosis of Y of a rung from its group of a summary. */
typedef struct {
  double paths, iterations, fine_iterations; /* a path, and a path of the finer step alone */
  double mean, variance, kurtosis;
  double coarse_mean, coarse_variance, fine_mean, fine_variance;
  double pair_mean, pair_variance; /* of phi(X_2h) - phi(X_h) with one fine path */
} cas_rung_moments;

void cas_rung_estimate(cas_summary_shape shape, cas_summary *total, int rung, int functional,
                       cas_rung_moments *m);
/** Fills *out, weak errors included, from the summary of all rungs. Rank 0. */
cas_status cas_multilevel_results(const cas_climb *c, cas_summary *total, cas_results *out,
                                  cas_error *err) CAS_MUST_CHECK;
/** Paths that a summary holds, those that failed included. Refuses another number than were
    integrated. */
cas_status cas_climb_check(const cas_climb *c, cas_summary *total, cas_error *err) CAS_MUST_CHECK;

#endif
