/* From the summary of all levels to the moments of levels, and what they cost. */
#include "engine/outcome.h"
#include "files/results/table.h"
#include "studies/multilevel/mlmc.h"

#include <math.h>
#include <string.h>

static void fill_plain(const cas_multilevel_run *c, cas_summary *total, int i, cas_mlmc *m) {
  cas_level_moments r;
  cas_mlmc_functional *f = &m->functional[i];
  cas_level_moments_estimate(c->shape, total, c->hierarchy->levels - 1, i, &r);
  m->plain_paths = (int64_t)r.paths;
  if (r.paths < 1)
    return;
  m->plain_path_work = r.iterations;
  f->plain_mean = r.mean;
  f->plain_variance = r.variance;
  f->plain_standard_error = sqrt(r.variance / r.paths);
}

/* The variance of a level. Of an event whose paths all agree it is no smaller than if one of them
   did not: else a probability that the pilot does not see would have no error. */
static double variance_of(const cas_observable *phi, const cas_mlmc_aim *aim, double variance,
                          double paths) {
  return aim->exact ? 0 : phi->formula.is_event ? fmax(variance, 1 / paths) : variance;
}

static void fill_functional(const cas_multilevel_run *c, const cas_mlmc_aim *aim,
                            cas_summary *total, int i, cas_mlmc *m) {
  const cas_observable *phi = &c->hierarchy->functionals.observable[i];
  cas_mlmc_functional *f = &m->functional[i];
  snprintf(f->name, sizeof f->name, "%s", phi->name);
  snprintf(f->unit, sizeof f->unit, "%s", phi->unit);
  f->expected_order = cas_span_order_of(c->run, cas_observable_order(phi, &c->run->problem));
  for (int l = 0; l < m->levels; l++) {
    cas_level_moments r;
    cas_level_moments_estimate(c->shape, total, l, i, &r);
    /* Levels sum the coarser path minus the finer one: Y_l has the other sign, but on the coarsest
       level. */
    double sign = l > 0 ? -1 : 1;
    f->mean[l] = sign * r.mean;
    f->variance[l] = variance_of(phi, aim, r.variance, r.paths);
    f->kurtosis[l] = r.kurtosis;
    f->pair_mean[l] = sign * r.pair_mean;
    f->pair_variance[l] = aim->exact ? 0 : r.pair_variance;
    f->level_mean[l] = r.fine_mean;
    f->level_variance[l] = aim->exact ? 0 : r.fine_variance;
    f->coarse_mean[l] = l > 0 ? r.coarse_mean : NAN;
    f->coarse_variance[l] = l == 0 ? NAN : aim->exact ? 0 : r.coarse_variance;
    m->paths[l] = (int64_t)r.paths;
    m->work[l] = r.iterations;
    m->fine_work[l] = r.fine_iterations;
  }
  fill_plain(c, total, i, m);
}

cas_status cas_mlmc_measure(const cas_multilevel_run *c, const cas_mlmc_aim *aim,
                            cas_summary *total, cas_mlmc **out, cas_error *err) {
  const cas_hierarchy *l = c->hierarchy;
  /* The number of rounds of each level; plain paths are no level here. */
  int levels = cas_hierarchy_used_levels(l),
      rounds = l->rounds - (l->level[l->levels - 1].paths > 0);
  cas_mlmc *m;
  CAS_CALL(cas_mlmc_create(levels, l->functionals.n, rounds, out, err));
  m = *out;
  m->epsilon = aim->epsilon;
  m->theta = aim->theta;
  snprintf(m->coupling, sizeof m->coupling, "%s", cas_hierarchy_coupling(c->run));
  for (int k = 0; k < levels; k++)
    m->steps[k] = cas_hierarchy_level_steps(&l->level[k]);
  for (int i = 0; i < rounds; i++)
    memcpy(m->round + i * levels, l->round[i].paths, (size_t)levels * sizeof *m->round);
  for (int i = 0; i < l->functionals.n; i++)
    fill_functional(c, aim, total, i, m);
  cas_mlmc_assess(m, aim);
  return CAS_OK;
}

/* ---- cost ---- */

void cas_mlmc_foresee(const cas_mlmc_aim *aim, const cas_mlmc *m, const double *seconds,
                      cas_mlmc_forecast *f) {
  int levels;
  int64_t paths[CAS_PLAN_LEVELS_MAX];
  double path = 0, all = 0, growth = isfinite(m->cost_growth) ? m->cost_growth : 1,
         more = exp2(growth * log2(aim->step[0] / aim->step[1]));
  f->work = cas_mlmc_predict(m, aim, &levels, paths);
  for (int l = 0; l < levels; l++) {
    path = l < m->levels ? seconds[l] / (double)m->paths[l] : path * more;
    all += (double)paths[l] * path;
  }
  f->levels = levels;
  f->seconds = all;
}

static double sum_of_levels(const cas_mlmc *m, const double *seconds) {
  double sum = 0;
  for (int l = 0; l < m->levels; l++)
    sum += seconds[l];
  return sum;
}

/* The budget has three digits, so that a configuration can state it exactly. It is no less than
   earlier rounds could take, which are those of a budget in work then. */
void cas_mlmc_turn_into_work(const cas_mlmc *m, const double *seconds, double all, bool now,
                             cas_mlmc_forecast *f) {
  const double enough = 1. / 16, spent = fmax(sum_of_levels(m, seconds), 1e-9);
  if (f->speed > 0)
    return;
  if (spent < enough * all && !now) {
    f->budget = 4 * m->total_work;
    return;
  }
  f->speed = m->total_work / spent;
  const double work = fmax(f->speed * all, f->budget),
               unit = pow(10, fmax(floor(log10(work)) - 2, 0));
  f->budget = unit * ceil(work / unit);
}

cas_status cas_mlmc_results(const cas_multilevel_run *c, cas_summary *total, const double *seconds,
                            const cas_mlmc_forecast *forecast, cas_mlmc *m, cas_results *out,
                            cas_error *err) {
  CAS_CALL(cas_results_add(out, &cas_table_mlmc, m, err));
  c->run->plan.levels = m->levels;
  if (forecast->levels > 0) {
    m->predicted_work = forecast->work;
    m->predicted_levels = (int)forecast->levels;
    m->predicted_seconds = forecast->seconds;
  }
  if (forecast->speed > 0)
    m->speed = forecast->speed;
  m->seconds = sum_of_levels(m, seconds);
  if (m->plain_paths > 0)
    m->plain_seconds = seconds[c->hierarchy->levels - 1];
  return cas_outcome_fill(c->state, c->shape, total, out, err);
}
