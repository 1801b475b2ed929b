#ifndef CAS_MULTILEVEL_H
#define CAS_MULTILEVEL_H

#include "studies/ladder.h"

/** Mean, standard error, variance and kurtosis of Y of a rung from its group of a summary. */
typedef struct {
  double paths, iterations; /* a path */
  double mean, variance, kurtosis;
  double coarse_mean, coarse_variance, fine_mean, fine_variance;
  double pair_variance; /* of phi(X_2h) - phi(X_h) with one fine path */
} cas_rung_moments;

void cas_rung_estimate(cas_summary_shape shape, cas_summary *total, int rung, int functional,
                       cas_rung_moments *m);
/** Fills *out, weak errors included, from the summary of all rungs. Rank 0. */
cas_status cas_multilevel_results(cas_run_state *r, const cas_ladder *l, bool antithetic,
                                  cas_summary *total, cas_results *out,
                                  cas_error *err) CAS_MUST_CHECK;

#endif
