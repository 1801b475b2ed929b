/* From the summary of all levels to differences, orders and weak errors. */
#include "engine/outcome.h"
#include "engine/study/failures.h"
#include "studies/convergence.h"
#include "studies/curve.h"
#include "studies/multilevel/weak_multilevel.h"

#include <math.h>
#include <stdlib.h>

static double error_of(double variance, double paths, bool exact) {
  return exact ? 0 : sqrt(variance / paths);
}

static void fill_levels(const cas_multilevel_run *c, cas_summary *total, cas_multilevel *m) {
  const cas_study_run *r = c->run;
  const cas_hierarchy *l = c->hierarchy;
  bool exact = cas_problem_is_exact(&r->problem);
  for (int f = 0; f < m->functionals; f++) {
    cas_differences *d = &m->functional[f];
    snprintf(d->name, sizeof d->name, "%s", l->functionals.observable[f].name);
    snprintf(d->unit, sizeof d->unit, "%s", l->functionals.observable[f].unit);
    d->expected_order =
        cas_span_order_of(r, cas_observable_law_order(&l->functionals.observable[f], &r->problem));
    for (int k = 0; k < m->levels; k++) {
      cas_level_moments moments;
      cas_level_moments_estimate(c->shape, total, k, f, &moments);
      d->difference[k] = moments.mean;
      d->variance[k] = exact ? 0 : moments.variance;
      d->kurtosis[k] = moments.kurtosis;
      d->single_variance[k] = exact ? 0 : moments.fine_variance;
      d->pair_variance[k] = exact ? 0 : moments.pair_variance;
      d->standard_error[k] = error_of(moments.variance, moments.paths, exact);
      d->coarse_mean[k] = moments.coarse_mean;
      d->coarse_standard_error[k] = error_of(moments.coarse_variance, moments.paths, exact);
      d->fine_mean[k] = moments.fine_mean;
      d->fine_standard_error[k] = error_of(moments.fine_variance, moments.paths, exact);
      cas_span_probability_interval(r, &l->functionals.observable[f], moments.coarse_mean,
                                    moments.paths, &d->coarse_low[k], &d->coarse_high[k]);
      m->paths[k] = (int64_t)moments.paths;
      m->iterations[k] = moments.iterations;
    }
  }
  for (int k = 0; k < m->levels; k++)
    m->steps[k] = cas_hierarchy_level_steps(&l->level[k]);
  cas_multilevel_fit(m, cas_span_resolution(r),
                     r->plan.h[0] == r->plan.h[1] || cas_problem_commuting(&r->problem), exact);
}

/* Says what failed paths can have changed; returns their share of a sum over levels. */
static double bound(const cas_study_run *r, const cas_health *h, cas_multilevel *m) {
  double of_sum, share = cas_failures_level_share(r, h, m->levels, m->paths, &of_sum);
  for (int f = 0; f < m->functionals; f++) {
    cas_differences *d = &m->functional[f];
    d->bias_bound = cas_failures_difference_bound(r, share, d->name, d->difference, m->levels);
    d->findings |= cas_failures_find(h, r->paths);
  }
  if (m->relative_error > 0) {
    m->findings |= cas_failures_find(h, r->paths);
    cas_failures_unreach(h, &m->reached, &m->findings);
  }
  return of_sum;
}

static cas_status add_curves(const cas_study_run *r, const cas_multilevel *m, double share,
                             cas_results *out, cas_error *err) {
  cas_status st = CAS_OK;
  int n = 0;
  cas_curve *curve = calloc((size_t)m->functionals + 1, sizeof *curve);
  CAS_NEED(curve);
  for (; !st && n < m->functionals; n++) {
    st = cas_curve_init(&curve[n], CAS_WEAK, m->functional[n].name, m->levels, err);
    if (!st)
      cas_multilevel_curve(m, n, out->step, &curve[n]);
    const double *truth = ((const cas_hierarchy *)r->prepared)->truth;
    if (!st && truth)
      cas_curve_compare(&curve[n], truth[n]);
  }
  if (!st)
    cas_multilevel_curves_conclude(m, curve);
  cas_status added = cas_results_add_curves(r, share, n, curve, out, err);
  return st ? st : added;
}

cas_status cas_multilevel_results(const cas_multilevel_run *c, const cas_multilevel_aim *aim,
                                  cas_summary *total, cas_results *out, cas_error *err) {
  const cas_hierarchy *l = c->hierarchy;
  cas_multilevel *m = NULL;
  CAS_CALL(cas_outcome_fill(c->state, c->shape, total, out, err));
  cas_status st = cas_multilevel_create(l->levels, l->functionals.n, &m, err);
  if (!st) {
    snprintf(m->coupling, sizeof m->coupling, "%s", cas_hierarchy_coupling(c->run));
    fill_levels(c, total, m);
    cas_multilevel_conclude(c, aim, total, m);
    double share = out->health.failed_paths > 0 ? bound(c->run, &out->health, m) : 0;
    st = add_curves(c->run, m, share, out, err);
  }
  if (!st)
    return cas_results_add(out, &cas_table_multilevel, m, err);
  cas_multilevel_free(m);
  return st;
}
