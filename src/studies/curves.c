/* Error curves from the summary of all paths. */
#include "base/owned.h"
#include "studies/convergence.h"
#include "studies/curve.h"

#include "engine/study/failures.h"
#include "engine/sums.h"
#include "statistics/fit_impl.h"

#include <math.h>
#include <stdlib.h>

/* The moments of n quantities from `first` on, by jackknife group. */
static cas_moments moments_of(const cas_study_run *r, int first, int n) {
  const double *group = cas_sums_group(r, 0);
  return (cas_moments){.n = n,
                       .stride = (int)(cas_sums_group(r, 1) - group),
                       .mean = group + 1 + first,
                       .m2 = group + 1 + r->sums->shape.quantities + first};
}

/* Noise that depends on positions and moves momenta alone has no term of order 1/2: every scheme
   has order 1. */
static double strong_order(const cas_problem *p) {
  const cas_integrator *i = p->scheme.integrator;
  if (p->noise.noises == 0)
    return p->scheme.integrator->order;
  if (p->body->features & CAS_COTANGENT)
    return 1;
  return cas_problem_commuting(p) ? i->strong_order_commuting : i->strong_order;
}

double cas_convergence_initial_norm(const cas_problem *p) {
  double sum = 0;
  for (int k = 0; k < p->geometry.components; k++)
    sum += p->initial.x0[k] * p->initial.x0[k];
  return sqrt(sum);
}

/* The quantities of a curve, from `first` on: errors, then differences. */
typedef struct {
  cas_error_kind kind;
  const char *name, *unit;
  int first;
  double rounding, expected_order;
  bool exact; /* errors are measured against an exact mean */
} origin;

static cas_status fit(const cas_study_run *r, const origin *o, cas_curve *curve, cas_error *err) {
  int L = curve->levels;
  double count[CAS_SUMMARY_GROUPS];
  for (int g = 0; g < CAS_SUMMARY_GROUPS; g++)
    count[g] = cas_sums_group(r, g)[0];
  const cas_samples s = {
      .kind = o->kind,
      .rounding = o->rounding,
      .levels = L,
      .groups = CAS_SUMMARY_GROUPS,
      .step = cas_span_resolution(r),
      .reference_step = r->problem.reference.integrator || o->exact ? 0 : cas_span_resolution(r)[L],
      .exact = cas_problem_is_exact(&r->problem),
      .noiseless_order = cas_span_order_of(r, r->problem.scheme.integrator->order),
      .count = count,
      .errors = moments_of(r, o->first, L),
      .differences = moments_of(r, o->first + L, L - 1)};
  curve->expected_order = o->expected_order;
  snprintf(curve->unit, sizeof curve->unit, "%s", o->unit);
  return cas_curve_fit(&s, curve, err);
}

/* The root mean square (E x^2)^1/2 of quantity i. */
static double size_of(const double *all, int m, int i) {
  return all[0] > 0 ? hypot(all[1 + i], sqrt(all[1 + m + i] / all[0])) : NAN;
}

/* E phi and its standard error on every level. */
static void means(const double *all, int m, int first, bool exact, cas_curve *curve) {
  for (int j = 0; j <= curve->levels; j++) {
    curve->mean[j] = all[0] > 0 ? all[1 + first + j] : NAN;
    curve->mean_standard_error[j] = exact ? 0
                                    : all[0] > 1
                                        ? sqrt(all[1 + m + first + j] / (all[0] - 1) / all[0])
                                        : NAN;
  }
}

/* Where the quantities of all curves are, strong ones first. */
static void find_origins(const cas_study_run *r, const double *all, origin *o) {
  const cas_convergence *v = r->prepared;
  const cas_part *part = r->problem.part;
  int L = v->levels, pairs = cas_convergence_pairs(v), next = 0;
  double steps = (double)r->plan.steps;
  for (int k = 0; k < cas_convergence_strong(v); k++, next += pairs) {
    const cas_strong_measure *m = &cas_strong_measures[k];
    *o++ = (origin){CAS_STRONG,
                    m->name,
                    m->of_part ? part->unit : r->problem.system->unit,
                    next,
                    cas_fit_rounding(steps, m->of_part ? part->norm
                                                       : cas_convergence_initial_norm(&r->problem)),
                    cas_span_order_of(r, strong_order(&r->problem)),
                    false};
  }
  for (int f = 0; f < v->functionals.n; f++, next += L + 1 + pairs)
    *o++ = (origin){
        CAS_WEAK,
        v->functionals.observable[f].name,
        v->functionals.observable[f].unit,
        next + L + 1,
        cas_fit_rounding(steps, size_of(all, r->sums->shape.quantities, next + L)),
        cas_span_order_of(r, cas_observable_law_order(&v->functionals.observable[f], &r->problem)),
        v->exact};
}

void cas_curve_compare(cas_curve *curve, double exact) {
  curve->exact_mean = exact;
  for (int j = 0; j <= curve->levels; j++)
    curve->bias[j] = curve->mean[j] - exact;
}

/* What is said of functional i where its mean is known, or in the study invariant. */
static void put_average(const cas_convergence *v, int i, cas_curve *c) {
  c->averaged = !v->averages ? 0 : v->exact ? 2 : 1;
  c->average_from = v->from;
  if (v->averages)
    c->exact_mean = v->exact ? v->exact[i] : 0;
  else if (v->truth)
    cas_curve_compare(c, v->truth[i]);
}

static cas_status fill_strong_and_weak(const cas_study_run *r, const double *all, int n,
                                       cas_curve *curve, cas_error *err) {
  const cas_convergence *v = r->prepared;
  const int L = v->levels, strong = cas_convergence_strong(v);
  CAS_OWNED origin *o = calloc((size_t)n + 1, sizeof *o);
  CAS_NEED(o);
  find_origins(r, all, o);
  for (int i = 0; i < n; i++) {
    CAS_CALL(cas_curve_init(&curve[i], o[i].kind, o[i].name, L, err));
    if (o[i].kind == CAS_WEAK) {
      means(all, r->sums->shape.quantities, o[i].first - L - 1, cas_problem_is_exact(&r->problem),
            &curve[i]);
      for (int l = 0; l <= L && !v->averages; l++) /* those over time count no paths */
        cas_span_probability_interval(r, &v->functionals.observable[i - strong], curve[i].mean[l],
                                      all[0], &curve[i].mean_low[l], &curve[i].mean_high[l]);
      put_average(v, i - strong, &curve[i]);
    }
    CAS_CALL(fit(r, &o[i], &curve[i], err));
  }
  cas_curves_conclude(curve, n, all[0]);
  return CAS_OK;
}

cas_status cas_convergence_results(const cas_study_run *r, cas_results *out, cas_error *err) {
  const cas_convergence *v = r->prepared;
  const int n = cas_convergence_strong(v) + v->functionals.n,
            quantities = r->sums->shape.quantities;
  /* count, means and sums of squared deviations of all quantities, of all groups in order */
  CAS_OWNED double *all = calloc(1 + 2 * (size_t)quantities, sizeof *all);
  cas_curve *curve = all ? calloc((size_t)n + 1, sizeof *curve) : NULL;
  CAS_NEED(curve);
  for (int g = 0; g < CAS_SUMMARY_GROUPS; g++)
    cas_moments_merge(quantities, all, cas_sums_group(r, g));
  cas_status st = fill_strong_and_weak(r, all, n, curve, err),
             added =
                 cas_results_add_curves(r, cas_failures_share(r, &out->health), n, curve, out, err);
  return st ? st : added;
}

/* ---- of all studies that have curves ---- */

/* Squared distances lie between 0 and the diameter's, squared increments of a difference between 0
   and four times that. */
static double strong_bound(const cas_study_run *r, const cas_curve *c, double share) {
  const cas_strong_measure *m = cas_strong_measure_of(c);
  double diameter2 = m->of_part ? r->problem.part->diameter2 : cas_failures_orbit_diameter2(r),
         most = m->summed ? 4 * diameter2 * (double)(r->plan.steps / r->plan.grid) : diameter2;
  double bound = 0, square = share * most;
  for (int j = 0; j < c->levels; j++) {
    if (!isfinite(square) || !isfinite(c->error[j]))
      return NAN;
    bound = fmax(bound, sqrt(c->error[j] * c->error[j] + square) - c->error[j]);
  }
  return bound;
}

static void bound(const cas_study_run *r, const cas_health *h, double share, cas_curve *c) {
  c->bias_bound = c->kind == CAS_STRONG
                      ? strong_bound(r, c, share)
                      : cas_failures_difference_bound(r, share, c->name, c->error, c->levels);
  c->findings |= cas_failures_find(h, r->paths);
}

cas_status cas_results_add_curves(const cas_study_run *run, double share, int n, cas_curve *curve,
                                  cas_results *out, cas_error *err) {
  cas_status st = CAS_OK;
  for (int i = 0; i < n; i++) {
    if (out->health.failed_paths > 0 && curve[i].error)
      bound(run, &out->health, share, &curve[i]);
    cas_status added = cas_results_add_curve(out, &curve[i], err);
    cas_curve_free(&curve[i]); /* what memory did not suffice to add */
    st = st ? st : added;
  }
  free(curve);
  return st;
}
