/* Errors, orders and their intervals from the grouped moments of a study. */
#include "fit_impl.h"
#include <math.h>
#include <stdlib.h>

/* Relative standard errors below this are rounding, not sampling: the levels then weigh the same.
 */
#define ROUNDING 1e-12

typedef struct {
  double count, mean, m2;
} cas_pooled;

/* Chan's update over the groups in order, group `without` left out (-1: none). */
static cas_pooled pool(const cas_samples *s, int level, int without) {
  cas_pooled a = {0, 0, 0};

  for (int g = 0; g < s->groups; g++) {
    double n = s->count[g], delta, total;
    size_t at = (size_t)g * (size_t)s->levels + (size_t)level;

    if (g == without || !(n > 0))
      continue;
    total = a.count + n;
    delta = s->mean[at] - a.mean;
    a.mean += delta * n / total;
    a.m2 += s->m2[at] + delta * delta * a.count * n / total;
    a.count = total;
  }
  if (a.count == 0)
    a.mean = NAN;
  return a;
}

static double error_of(cas_error_kind kind, double mean) {
  return kind == CAS_STRONG ? sqrt(mean) : mean;
}

/* The delta method for the square root: SE(sqrt m) = SE(m) / (2 sqrt m). */
static double standard_error_of(const cas_samples *s, const cas_pooled *a) {
  if (s->exact)
    return 0;
  double se = a->count > 1 ? sqrt(a->m2 / (a->count - 1) / a->count) : NAN;

  if (s->kind == CAS_WEAK || se == 0)
    return se;
  return se / (2 * sqrt(a->mean));
}

static double estimate_errors(const cas_samples *s, cas_curve *c) {
  double paths = 0;

  for (int j = 0; j < c->levels; j++) {
    cas_pooled a = pool(s, j, -1);

    paths = a.count;
    c->error[j] = error_of(s->kind, a.mean);
    c->standard_error[j] = standard_error_of(s, &a);
    c->resolved[j] = cas_is_resolved(c->error[j], c->standard_error[j], paths, s->rounding);
  }
  return paths;
}

static void estimate_local_orders(const cas_samples *s, cas_curve *c) {
  const cas_law raw = {s->kind, 0}, corrected = {cas_curve_law(c), s->reference_step};

  for (int j = 0; j + 1 < c->levels; j++) {
    bool both = c->resolved[j] && c->resolved[j + 1];
    double ratio = both ? c->error[j] / c->error[j + 1] : NAN;

    c->local_order[j] = cas_law_local_order(&raw, s->step[j], s->step[j + 1], ratio);
    c->local_order_corrected[j] =
        cas_law_local_order(&corrected, s->step[j], s->step[j + 1], ratio);
  }
}

/* ---- the fit and its jackknife ---- */

typedef struct {
  cas_points points;
  int *level;  /* of each point */
  double sign; /* of every resolved error */
  double paths;
  double *without; /* [groups] the order with that group left out */
} cas_work;

static void work_free(cas_work *w) {
  free(w->points.step);
  free(w->points.error);
  free(w->points.sigma);
  free(w->level);
  free(w->without);
}

static cas_status work_init(cas_work *w, const cas_samples *s, cas_error *err) {
  size_t n = (size_t)s->levels;

  *w = (cas_work){.points = {.step = malloc(n * sizeof(double)),
                             .error = malloc(n * sizeof(double)),
                             .sigma = malloc(n * sizeof(double))},
                  .level = malloc(n * sizeof(int)),
                  .without = malloc((size_t)s->groups * sizeof(double))};
  if (w->points.step && w->points.error && w->points.sigma && w->level && w->without)
    return CAS_OK;
  work_free(w);
  return cas_fail(err, CAS_NO_MEMORY, "no memory to fit an order to %d levels", s->levels);
}

/* The resolved levels as points; false if their errors differ in sign. */
static bool take_resolved(const cas_samples *s, const cas_curve *c, cas_work *w) {
  cas_points *p = &w->points;

  for (int j = 0; j < c->levels; j++) {
    double e = fabs(c->error[j]);

    if (!c->resolved[j])
      continue;
    if (p->n == 0)
      w->sign = copysign(1, c->error[j]);
    if (w->sign * c->error[j] < 0)
      return false;
    p->step[p->n] = s->step[j];
    p->error[p->n] = e;
    p->sigma[p->n] = fmax(c->standard_error[j], ROUNDING * e);
    w->level[p->n++] = j;
  }
  return true;
}

static int nonempty_groups(const cas_samples *s) {
  int n = 0;

  for (int g = 0; g < s->groups; g++)
    n += s->count[g] > 0;
  return n;
}

/* The order without group g: errors anew, standard errors and set of levels as in the whole
   sample. */
static bool order_without(const cas_samples *s, const cas_law *law, cas_work *w, int g,
                          double *order) {
  double constant;

  for (int i = 0; i < w->points.n; i++)
    w->points.error[i] = w->sign * error_of(s->kind, pool(s, w->level[i], g).mean);
  return cas_law_fit(law, &w->points, order, &constant);
}

/* Delete-m_j jackknife for groups of unequal size, Busing, Meijer and van der Leeden (1999). With
   k_g = paths / paths in g:  centre = G order - sum (1 - 1/k_g) order_g,
   variance = 1/G sum (k_g order - (k_g - 1) order_g - centre)^2 / (k_g - 1). */
static double jackknife_variance(const cas_samples *s, const cas_work *w, double order) {
  int groups = nonempty_groups(s);
  double centre = groups * order, variance = 0;

  for (int g = 0; g < s->groups; g++)
    if (s->count[g] > 0)
      centre -= (1 - s->count[g] / w->paths) * w->without[g];
  for (int g = 0; g < s->groups; g++) {
    double k = w->paths / s->count[g], d = k * order - (k - 1) * w->without[g] - centre;

    if (s->count[g] > 0)
      variance += d * d / (k - 1) / groups;
  }
  return variance;
}

static cas_fit_outcome fit_interval(const cas_samples *s, const cas_law *law, cas_work *w,
                                    cas_fit *fit) {
  int groups = nonempty_groups(s);
  double half_width;

  if (s->exact) {
    fit->low = fit->high = fit->order;
    return CAS_FIT_DONE;
  }
  if (groups < 2)
    return CAS_FIT_NO_INTERVAL;
  for (int g = 0; g < s->groups; g++) {
    w->without[g] = fit->order;
    if (s->count[g] > 0 && !order_without(s, law, w, g, &w->without[g]))
      return CAS_FIT_FRAGILE;
  }
  half_width = cas_student_quantile(0.95, groups - 1) * sqrt(jackknife_variance(s, w, fit->order));
  fit->low = fit->order - half_width;
  fit->high = fit->order + half_width;
  return CAS_FIT_DONE;
}

static cas_fit_outcome fit_law(const cas_samples *s, double reference, const cas_curve *c,
                               cas_work *w, cas_fit *fit) {
  const cas_law law = {reference > 0 ? cas_curve_law(c) : s->kind, reference};

  w->points.n = 0;
  if (!take_resolved(s, c, w))
    return CAS_FIT_SIGNS;
  if (w->points.n < 2)
    return CAS_FIT_UNRESOLVED;
  if (!cas_law_fit(&law, &w->points, &fit->order, &fit->constant))
    return CAS_FIT_NO_SOLUTION;
  fit->constant *= w->sign;
  return fit_interval(s, &law, w, fit);
}

static cas_status check_samples(const cas_samples *s, const cas_curve *c, cas_error *err) {
  if (s->levels != c->levels || s->kind != c->kind || s->levels < 1 || s->groups < 1)
    return cas_fail(err, CAS_INTERNAL, "samples of %d levels in %d groups for a curve of %d levels",
                    s->levels, s->groups, c->levels);
  for (int j = 0; j < s->levels; j++)
    if (!(s->reference_step >= 0 && s->step[j] > s->reference_step && isfinite(s->step[j])))
      return cas_fail(err, CAS_BAD_INPUT,
                      "step %g of level %d is not coarser than the reference step %g", s->step[j],
                      j, s->reference_step);
  return CAS_OK;
}

cas_status cas_curve_fit(const cas_samples *s, cas_curve *c, cas_error *err) {
  const cas_fit none = {NAN, NAN, NAN, NAN};
  cas_fit_outcome outcome;
  cas_work w;
  cas_status st = check_samples(s, c, err);

  if (st)
    return st;
  st = work_init(&w, s, err);
  if (st)
    return st;
  w.paths = estimate_errors(s, c);
  estimate_local_orders(s, c);
  c->raw = c->corrected = none;
  fit_law(s, 0, c, &w, &c->raw);
  outcome = fit_law(s, s->reference_step, c, &w, &c->corrected);
  cas_verdict(s, w.paths, outcome, c);
  work_free(&w);
  return CAS_OK;
}
