/* From the summary of all paths to error curves. */
#include "studies/convergence.h"

#include "statistics/fit_impl.h"
#include "studies/failures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The samples of `levels` neighbouring quantities beginning at `first`, by jackknife group. memory:
 * groups x (1 + 2 L) */
static void gather(cas_summary *total, cas_summary_shape shape, int first, cas_samples *s,
                   double *memory) {
  double *count = memory, *mean = count + CAS_GROUPS, *m2 = mean + CAS_GROUPS * s->levels;
  size_t bytes = (size_t)s->levels * sizeof(double);
  for (int g = 0; g < CAS_GROUPS; g++) {
    const double *moments = cas_summary_group(shape, total, g);
    count[g] = moments[0];
    memcpy(mean + g * s->levels, moments + 1 + first, bytes);
    memcpy(m2 + g * s->levels, moments + 1 + shape.quantities + first, bytes);
  }
  s->groups = CAS_GROUPS;
  s->count = count;
  s->mean = mean;
  s->m2 = m2;
}

static double expected_order(const cas_run_state *r, cas_error_kind kind) {
  const cas_integrator *i = r->problem.integrator;
  if (r->problem.noise.noises == 0)
    return i->order;
  if (kind == CAS_WEAK)
    return i->weak_order;
  return r->problem.system->commuting(r->problem.parameters) ? i->strong_order_commuting
                                                             : i->strong_order;
}

/* how large states are */
static double norm(const cas_problem *p) {
  double sum = 0;
  for (int k = 0; k < p->components; k++)
    sum += p->x0[k] * p->x0[k];
  return sqrt(sum);
}

static cas_status fit(const cas_run_state *r, const cas_convergence *v, cas_summary *total,
                      cas_summary_shape shape, cas_error_kind kind, const char *name, int first,
                      const char *unit, double size, cas_curve *curve, cas_error *err) {
  cas_samples s = {.kind = kind,
                   .rounding = cas_rounding((double)r->plan.steps, size),
                   .levels = v->levels,
                   .step = r->plan.h,
                   .reference_step = r->plan.h[v->levels],
                   .exact = r->problem.noise.noises == 0};
  double *memory = calloc((size_t)CAS_GROUPS * (1 + 2 * (size_t)v->levels), sizeof(double));
  if (!memory)
    return cas_fail(err, CAS_NO_MEMORY, "out of memory");
  cas_status st = cas_curve_init(curve, kind, name, v->levels, err);
  if (!st) {
    curve->expected_order = expected_order(r, kind);
    snprintf(curve->unit, sizeof curve->unit, "%s", unit);
    gather(total, shape, first, &s, memory);
    st = cas_curve_fit(&s, curve, err);
  }
  free(memory);
  return st;
}

/* Count, means and sums of squared deviations of all quantities, from all groups merged in order. */
static cas_status merge(cas_summary *total, cas_summary_shape shape, double **all, cas_error *err) {
  *all = calloc(1 + 2 * (size_t)shape.quantities, sizeof **all);
  if (!*all)
    return cas_fail(err, CAS_NO_MEMORY, "out of memory");
  for (int g = 0; g < CAS_GROUPS; g++)
    cas_moments_merge(shape.quantities, *all, cas_summary_group(shape, total, g));
  return CAS_OK;
}

/* (E x^2)^1/2 of quantity i */
static double size_of(const double *all, int m, int i) {
  return all[0] > 0 ? hypot(all[1 + i], sqrt(all[1 + m + i] / all[0])) : NAN;
}

/* E phi and its standard error on every level */
static void means(const double *all, int m, int first, bool exact, cas_curve *curve) {
  for (int j = 0; j <= curve->levels; j++) {
    curve->mean[j] = all[0] > 0 ? all[1 + first + j] : NAN;
    curve->mean_standard_error[j] = exact ? 0
                                    : all[0] > 1
                                        ? sqrt(all[1 + m + first + j] / (all[0] - 1) / all[0])
                                        : NAN;
  }
}

static cas_status fill(cas_run_state *r, const cas_convergence *v, cas_summary *total,
                       cas_summary_shape shape, const double *all, cas_results *out,
                       cas_error *err) {
  int L = v->levels, next = 0;
  cas_status st = CAS_OK;
  if (v->strong) {
    double size = norm(&r->problem);
    st = fit(r, v, total, shape, CAS_STRONG, "error", 0, r->problem.system->unit, size,
             &out->curve[out->curves++], err);
    if (!st)
      st = fit(r, v, total, shape, CAS_STRONG, "error_sup", L, r->problem.system->unit, size,
               &out->curve[out->curves++], err);
    next = 2 * L;
  }
  for (int f = 0; !st && f < v->functionals; f++, next += 2 * L + 1) {
    cas_curve *curve = &out->curve[out->curves++];
    st = fit(r, v, total, shape, CAS_WEAK, v->functional[f]->name, next + L + 1,
             v->functional[f]->unit, size_of(all, shape.quantities, next + L), curve, err);
    if (!st)
      means(all, shape.quantities, next, r->problem.noise.noises == 0, curve);
  }
  return st;
}

cas_status cas_convergence_results(cas_run_state *r, const cas_convergence *v, cas_summary *total,
                                   cas_results *out, cas_error *err) {
  int L = v->levels;
  double *all = NULL;
  cas_summary_shape shape = {(v->strong ? 2 * L : 0) + v->functionals * (2 * L + 1), r->plan.levels,
                             CAS_GROUPS, 0};
  cas_status st = cas_outcome_fill(r, total, out, err);
  double counted = (double)out->health.left_out_paths;
  for (int g = 0; g < CAS_GROUPS; g++)
    counted += cas_summary_group(shape, total, g)[0];
  if (!st && counted != (double)r->paths)
    st = cas_fail(err, CAS_INTERNAL, "the statistics hold %.0f of %lld paths: a defect of casimir",
                  counted, (long long)r->paths);
  if (st)
    return st;
  out->curve = calloc((size_t)(2 + v->functionals), sizeof *out->curve);
  if (!out->curve)
    return cas_fail(err, CAS_NO_MEMORY, "out of memory");
  st = merge(total, shape, &all, err);
  if (!st)
    st = fill(r, v, total, shape, all, out, err);
  free(all);
  cas_failures_bound(r, out);
  return st;
}
