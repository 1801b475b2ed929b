/* Error curves from the summary of all paths. */
#include "base/owned.h"
#include "studies/convergence.h"
#include "studies/curve.h"

#include "engine/study/failures.h"
#include "engine/sums.h"
#include "statistics/fit_impl.h"

#include <math.h>

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

/* Fits the quantities from `first` on: errors against exact means or the reference, differences. */
static cas_status fit(const cas_study_run *r, int first, bool exact, cas_curve *curve,
                      cas_error *err) {
  int L = curve->levels;
  double count[CAS_SUMMARY_GROUPS];
  for (int g = 0; g < CAS_SUMMARY_GROUPS; g++)
    count[g] = cas_sums_group(r, g)[0];
  const cas_samples s = {
      .kind = curve->kind,
      .rounding = curve->rounding,
      .levels = L,
      .groups = CAS_SUMMARY_GROUPS,
      .step = cas_span_resolution(r),
      .reference_step = r->problem.reference.integrator || exact ? 0 : cas_span_resolution(r)[L],
      .exact = cas_problem_is_exact(&r->problem),
      .noiseless_order = cas_span_order_of(r, r->problem.scheme.integrator->order),
      .count = count,
      .errors = moments_of(r, first, L),
      .differences = moments_of(r, first + L, L - 1)};
  return cas_curve_fit(&s, curve, err);
}

static void means(const double *all, int m, int first, bool exact, cas_curve *curve) {
  for (int j = 0; j <= curve->levels; j++) {
    curve->mean.value[j] = all[0] > 0 ? all[1 + first + j] : NAN;
    curve->mean.standard_error[j] = exact ? 0
                                    : all[0] > 1
                                        ? sqrt(all[1 + m + first + j] / (all[0] - 1) / all[0])
                                        : NAN;
  }
}

void cas_curve_compare(cas_curve *curve, double exact) {
  curve->exact_mean = exact;
  for (int j = 0; j <= curve->levels; j++)
    curve->bias[j] = curve->mean.value[j] - exact;
}

/* The curve of strong measure k, whose quantities begin at `first`. */
static cas_status add_strong(const cas_study_run *r, int k, int first, cas_curve **curve,
                             cas_results *out, cas_error *err) {
  const cas_strong_measure *m = &cas_strong_measures[k];
  const cas_part *part = m->of_part ? r->problem.part : NULL;
  const double norm = part ? part->norm : cas_convergence_initial_norm(&r->problem);
  const cas_curve like = {.kind = CAS_STRONG,
                          .levels = ((const cas_convergence *)r->prepared)->levels,
                          .rounding = cas_fit_rounding((double)r->plan.steps, norm)};
  *curve = cas_table_create(out, &cas_table_strong, m->name,
                            part ? part->unit : r->problem.system->state.unit, &like, err);
  CAS_NEED(*curve);
  (*curve)->expected_order = cas_span_order_of(r, strong_order(&r->problem));
  return fit(r, first, false, *curve, err);
}

/* The curve of functional i: its means begin at `first`, and then errors against the reference. */
static cas_status add_weak(const cas_study_run *r, const double *all, int i, int first,
                           cas_curve **curve, cas_results *out, cas_error *err) {
  const cas_convergence *v = r->prepared;
  const cas_observable *phi = &v->functionals.observable[i];
  const int L = v->levels, quantities = r->sums->shape.quantities;
  const double *reference = all + 1 + first + L, /* its root mean square (E x^2)^1/2: */
      size = all[0] > 0 ? hypot(reference[0], sqrt(reference[quantities] / all[0])) : NAN;
  const cas_curve like = {
      .kind = CAS_WEAK, .levels = L, .rounding = cas_fit_rounding((double)r->plan.steps, size)};
  cas_curve *c = *curve = cas_table_create(out, &cas_table_weak, phi->name, phi->unit, &like, err);
  CAS_NEED(c);
  c->expected_order = cas_span_order_of(r, cas_observable_law_order(phi, &r->problem));
  means(all, quantities, first, cas_problem_is_exact(&r->problem), c);
  for (int l = 0; l <= L && !v->averages; l++) /* those over time count no paths */
    cas_span_probability_interval(r, phi, c->mean.value[l], all[0], &c->mean.low[l],
                                  &c->mean.high[l]);
  c->averaged = !v->averages ? 0 : v->exact ? 2 : 1;
  c->average_from = v->from;
  c->exact_mean = v->averages && v->exact ? v->exact[i] : 0;
  if (!v->averages && v->truth)
    cas_curve_compare(c, v->truth[i]);
  return fit(r, first + L + 1, v->exact, c, err);
}

cas_status cas_convergence_results(const cas_study_run *r, cas_results *out, cas_error *err) {
  const cas_convergence *v = r->prepared;
  const int strong = cas_convergence_strong(v), n = strong + v->functionals.n,
            quantities = r->sums->shape.quantities, pairs = cas_convergence_pairs(v);
  /* count, means and sums of squared deviations of all quantities, of all groups in order */
  CAS_OWNED double *all = calloc(1 + 2 * (size_t)quantities, sizeof *all);
  CAS_OWNED cas_curve **curve = calloc((size_t)n + 1, sizeof *curve);
  CAS_NEED(all && curve);
  for (int g = 0; g < CAS_SUMMARY_GROUPS; g++)
    cas_moments_merge(quantities, all, cas_sums_group(r, g));
  for (int k = 0; k < strong; k++)
    CAS_CALL(add_strong(r, k, k * pairs, &curve[k], out, err));
  for (int i = 0; i < n - strong; i++)
    CAS_CALL(add_weak(r, all, i, strong * pairs + i * (v->levels + 1 + pairs), &curve[strong + i],
                      out, err));
  cas_curves_conclude(curve, n, all[0]);
  cas_curves_bound(r, &out->health, cas_failures_share(r, &out->health), n, curve);
  return CAS_OK;
}

/* Squared distances lie between 0 and the diameter's, squared increments of a difference between 0
   and four times that. */
static double strong_bound(const cas_study_run *r, const cas_curve *c, double share) {
  const cas_strong_measure *m = cas_strong_measure_of(c);
  double diameter2 = m->of_part ? r->problem.part->diameter2 : cas_failures_orbit_diameter2(r),
         most = m->summed ? 4 * diameter2 * (double)(r->plan.steps / r->plan.grid) : diameter2;
  double bound = 0, square = share * most;
  for (int j = 0; j < c->levels; j++) {
    if (!isfinite(square) || !isfinite(c->error.value[j]))
      return NAN;
    bound = fmax(bound, sqrt(c->error.value[j] * c->error.value[j] + square) - c->error.value[j]);
  }
  return bound;
}

void cas_curves_bound(const cas_study_run *run, const cas_health *h, double share, int n,
                      cas_curve *const *curve) {
  for (int i = 0; i < n; i++) {
    cas_curve *c = curve[i];
    c->bias_bound = c->kind == CAS_WEAK ? cas_failures_difference_bound(run, share, c->name,
                                                                        c->error.value, c->levels)
                    : share == 0        ? 0
                                        : strong_bound(run, c, share);
    c->findings |= cas_failures_find(h, run->paths);
  }
}
