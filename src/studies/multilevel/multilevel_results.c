/* From the summary of all levels to differences, orders and weak errors. */
#include "engine/failures.h"
#include "engine/outcome.h"
#include "studies/multilevel/multilevel.h"

#include <math.h>
#include <stdlib.h>

/* Fourth central moment over the squared second, from means of powers. Where the mean is so much
   larger than the deviation that no digits are left, NaN. */
static double kurtosis(const double *power, double variance) {
  const double lost = 1e3;
  double m = power[CAS_LEVEL_Y], m2 = power[CAS_LEVEL_Y2], m3 = power[CAS_LEVEL_Y3],
         m4 = power[CAS_LEVEL_Y4];
  if (!(variance > 0) || m * m > lost * lost * variance)
    return NAN;
  return (m4 - 4 * m * m3 + 6 * m * m * m2 - 3 * m * m * m * m) / (variance * variance);
}

void cas_level_estimate(cas_summary_shape shape, cas_summary *total, int level, int functional,
                        cas_level_moments *m) {
  const double *group = cas_summary_group(shape, total, level);
  const double *mean = group + 1, *m2 = mean + shape.quantities, n = group[0];
  int at = CAS_LEVEL_SHARED + CAS_LEVEL_QUANTITIES * functional;
  double divisor = n > 1 ? n - 1 : NAN;
  *m = (cas_level_moments){.paths = n,
                           .iterations = mean[CAS_LEVEL_ITERATIONS],
                           .fine_iterations = mean[CAS_LEVEL_FINE_ITERATIONS]};
  m->mean = n > 0 ? mean[at + CAS_LEVEL_Y] : NAN;
  m->variance = m2[at + CAS_LEVEL_Y] / divisor;
  m->kurtosis = kurtosis(mean + at, n > 0 ? m2[at + CAS_LEVEL_Y] / n : NAN);
  m->coarse_mean = n > 0 ? mean[at + CAS_LEVEL_COARSE] : NAN;
  m->coarse_variance = m2[at + CAS_LEVEL_COARSE] / divisor;
  m->fine_mean = n > 0 ? mean[at + CAS_LEVEL_FINE] : NAN;
  m->fine_variance = m2[at + CAS_LEVEL_FINE] / divisor;
  m->pair_mean = n > 0 ? mean[at + CAS_LEVEL_PAIR] : NAN;
  m->pair_variance = m2[at + CAS_LEVEL_PAIR] / divisor;
}

static double error_of(double variance, double paths, bool exact) {
  return exact ? 0 : sqrt(variance / paths);
}

static void fill_level(const cas_level_moments *m, bool exact, int l, cas_differences *d) {
  d->difference[l] = m->mean;
  d->variance[l] = exact ? 0 : m->variance;
  d->kurtosis[l] = m->kurtosis;
  d->single_variance[l] = exact ? 0 : m->fine_variance;
  d->pair_variance[l] = exact ? 0 : m->pair_variance;
  d->standard_error[l] = error_of(m->variance, m->paths, exact);
  d->coarse_mean[l] = m->coarse_mean;
  d->coarse_standard_error[l] = error_of(m->coarse_variance, m->paths, exact);
  d->fine_mean[l] = m->fine_mean;
  d->fine_standard_error[l] = error_of(m->fine_variance, m->paths, exact);
}

static void fill(const cas_multilevel_run *c, cas_summary *total, cas_multilevel *m) {
  const cas_run_state *r = c->run;
  const cas_hierarchy *l = c->hierarchy;
  bool exact = r->problem.noise.noises == 0;
  for (int f = 0; f < m->functionals; f++) {
    cas_differences *d = &m->functional[f];
    snprintf(d->name, sizeof d->name, "%s", l->functional[f]->name);
    snprintf(d->unit, sizeof d->unit, "%s", l->functional[f]->unit);
    d->expected_order = exact ? r->problem.integrator->order : r->problem.integrator->weak_order;
    for (int k = 0; k < m->levels; k++) {
      cas_level_moments moments;
      cas_level_estimate(c->shape, total, k, f, &moments);
      fill_level(&moments, exact, k, d);
      m->paths[k] = (int64_t)moments.paths;
      m->iterations[k] = moments.iterations;
    }
  }
  for (int k = 0; k < m->levels; k++)
    m->steps[k] = cas_hierarchy_level_steps(&l->level[k]);
  cas_multilevel_fit(m, r->plan.h, r->problem.system->commuting(r->problem.parameters), exact);
}

static cas_status add_curves(const cas_multilevel *m, cas_results *out, cas_error *err) {
  cas_status st = CAS_OK;
  out->curve = calloc((size_t)m->functionals, sizeof *out->curve);
  if (!out->curve)
    return cas_fail(err, CAS_NO_MEMORY, "out of memory");
  for (int f = 0; !st && f < m->functionals; f++) {
    cas_curve *c = &out->curve[out->curves++];
    st = cas_curve_init(c, CAS_WEAK, m->functional[f].name, m->levels, err);
    if (!st)
      cas_multilevel_curve(m, f, out->step, c);
  }
  if (!st)
    cas_multilevel_curves_conclude(m, out->curve);
  return st;
}

cas_status cas_multilevel_check_paths(const cas_multilevel_run *c, cas_summary *total,
                                      cas_error *err) {
  double n = (double)cas_summary_paths(total)->left_out_paths;
  for (int k = 0; k < c->hierarchy->levels; k++)
    n += cas_summary_group(c->shape, total, k)[0];
  if (n == (double)c->run->paths)
    return CAS_OK;
  return cas_fail(err, CAS_INTERNAL, "the statistics hold %.0f of %lld paths: a defect of casimir",
                  n, (long long)c->run->paths);
}

cas_status cas_multilevel_results(const cas_multilevel_run *c, const cas_multilevel_aim *aim,
                                  cas_summary *total, cas_results *out, cas_error *err) {
  const cas_hierarchy *l = c->hierarchy;
  cas_status st = cas_outcome_fill(c->run, total, out, err);
  if (!st)
    st = cas_multilevel_check_paths(c, total, err);
  if (!st)
    st = cas_multilevel_create(l->levels, l->functionals, &out->multilevel, err);
  if (st)
    return st;
  snprintf(out->multilevel->coupling, sizeof out->multilevel->coupling, "%s", cas_coupling(c->run));
  fill(c, total, out->multilevel);
  cas_multilevel_conclude(c, aim, total, out->multilevel);
  st = add_curves(out->multilevel, out, err);
  cas_failures_bound(c->run, out);
  return st;
}
