/* Errors, differences, orders and laws of curves, from moments by jackknife group. */
#include "base/text.h"
#include "statistics/fit_impl.h"
#include "statistics/summary.h"

#include <math.h>

/* Means, and values with their standard errors: of strong errors the square roots of the means, by
   the delta method: SE(sqrt m) = SE(m) / (2 sqrt m). */
static void estimate(const cas_samples *s, const cas_moments *m, double *mean,
                     const cas_estimates *out) {
  for (int j = 0; j < m->n; j++) {
    double all[3] = {0}; /* the count, the mean, and the sum of squares about it */
    for (int g = 0; g < s->groups; g++) {
      size_t at = (size_t)g * (size_t)m->stride + (size_t)j;
      cas_moments_merge(1, all, (const double[]){s->count[g], m->mean[at], m->m2[at]});
    }
    mean[j] = all[0] > 0 ? all[1] : NAN;
    double se = s->exact ? 0 : all[0] > 1 ? sqrt(all[2] / (all[0] - 1) / all[0]) : NAN;
    out->value[j] = s->kind == CAS_STRONG ? sqrt(mean[j]) : mean[j];
    out->standard_error[j] = s->kind == CAS_WEAK || se == 0 ? se : se / (2 * sqrt(mean[j]));
  }
}

static int nonempty_groups(const cas_samples *s) {
  int n = 0;
  for (int g = 0; g < s->groups; g++)
    n += s->count[g] > 0;
  return n;
}

/* Covariance of the means from group means: sum n_g (m_g - m)(m_g - m)^T / (n (G - 1)). */
static void covariance(const cas_samples *s, const cas_moments *m, const double *mean,
                       double *out) {
  double paths = 0;
  for (int g = 0; g < s->groups; g++)
    paths += s->count[g];
  const double scale = paths * (nonempty_groups(s) - 1);
  for (int i = 0; i < m->n; i++)
    for (int j = 0; j <= i; j++) {
      double sum = 0;
      for (int g = 0; g < s->groups; g++) {
        const double *x = m->mean + (size_t)g * (size_t)m->stride;
        if (s->count[g] > 0)
          sum += s->count[g] * (x[i] - mean[i]) * (x[j] - mean[j]);
      }
      out[i * m->n + j] = out[j * m->n + i] = sum / scale;
    }
}

typedef struct {
  /* [0] of errors, [1] of differences */
  double mean[2][CAS_FIT_MOST_LEVELS], covariance[2][CAS_FIT_MOST_LEVELS * CAS_FIT_MOST_LEVELS];
  double finer[CAS_FIT_MOST_LEVELS]; /* all the reference step */
  /* Of exponents of mean squares. Those of strong errors of order p have terms h^(2p) and
     h^(2p+1). The error without noise, of order q, adds h^(2q), which with small noise is as large
     at coarse steps; it is a term of its own where 2q exceeds the other two exponents. */
  double offset[CAS_LAW_TERMS];
} workspace;

static cas_law_points points_of(const cas_samples *s, workspace *w, bool differences) {
  const cas_moments *m = differences ? &s->differences : &s->errors;
  const double *mean = w->mean[differences];
  double *between = w->covariance[differences];
  covariance(s, m, mean, between);
  bool strong = s->kind == CAS_STRONG;
  return (cas_law_points){.n = m->n,
                          .step = s->step,
                          .finer =
                              strong || differences || s->reference_step == 0 ? NULL : w->finer,
                          .value = mean,
                          .covariance = between,
                          .scale = strong ? 2 : 1,
                          .degrees = nonempty_groups(s) - 1,
                          .exact = s->exact,
                          .rounding = strong ? s->rounding * s->rounding : s->rounding,
                          .offset = strong && w->offset[2] > 1 ? w->offset : NULL,
                          .third = !strong,
                          .leading = strong};
}

/* The points of a curve without noise: a strong error is then the size of a bias and follows the
   same law as a weak one. Errors from the first one within rounding on are left out. */
static cas_law_points exact_points(const cas_samples *s, const cas_curve *c, workspace *w) {
  cas_law_points p = {.step = s->step,
                      .finer = s->reference_step == 0 ? NULL : w->finer,
                      .value = c->error.value,
                      .scale = 1,
                      .exact = true,
                      .leading = true};
  while (p.n < c->levels && fabs(c->error.value[p.n]) > s->rounding)
    p.n++;
  return p;
}

/* log of (exp(q a) - 1) / (exp(q b) - 1), a > b > 0, and its derivative with respect to q. */
static double log_ratio(double q, double a, double b, double *derivative) {
  if (fabs(q) * a < 1e-9) {
    *derivative = (a - b) / 2;
    return log(a / b);
  }
  *derivative = -a / expm1(-q * a) + b / expm1(-q * b);
  return q > 0 ? q * (a - b) + log(expm1(-q * a) / expm1(-q * b))
               : log(expm1(q * a) / expm1(q * b));
}

double cas_fit_order_against(double ratio, double coarse, double fine, double reference,
                             double *slope) {
  const double target = log(ratio), a = log(coarse / reference), b = log(fine / reference);
  double low = -64, high = 64, derivative = NAN;
  if (slope)
    *slope = reference > 0 ? NAN : 1 / log(coarse / fine);
  if (!(reference > 0) || isnan(target) || isinf(ratio))
    return target / log(coarse / fine);
  if (ratio <= 1)
    return -INFINITY;
  for (int k = 0; k < 80; k++) {
    double middle = (low + high) / 2;
    if (log_ratio(middle, a, b, &derivative) < target)
      low = middle;
    else
      high = middle;
  }
  if (slope)
    *slope = 1 / derivative;
  return (low + high) / 2;
}

static void local_orders(const cas_law_points *p, const cas_estimates *order) {
  for (int j = 0; j + 1 < p->n; j++)
    order->value[j] = cas_law_local_order(p, j, &order->standard_error[j]);
}

void cas_fit_correct_order(double coarse, double fine, double reference, const cas_estimates *of,
                           int j) {
  const double plain = log(coarse / fine);
  double slope, *order = &of->value[j], *standard_error = &of->standard_error[j];
  if (isnan(*order) || !(reference > 0))
    return;
  *order = cas_fit_order_against(exp(*order * plain), coarse, fine, reference, &slope);
  *standard_error = isfinite(*order) ? *standard_error * plain * slope : NAN;
  *order = isfinite(*order) ? *order : NAN;
}

/* A power law through the errors as they are. */
static bool fit_raw(const cas_law_points *errors, const cas_curve *c, cas_fit *raw) {
  cas_law_points p = *errors;
  cas_laws laws;
  p.finer = NULL;
  if (!cas_laws_fit(&p, NAN, &laws))
    return false;
  const cas_law *law = &laws.law[CAS_LAW_POWER];
  *raw = (cas_fit){law->order, law->low, law->high, law->coefficient[0]};
  if (c->kind == CAS_STRONG && p.scale == 2)
    raw->constant = sqrt(raw->constant);
  return true;
}

cas_extrapolation cas_fit_extrapolate(const cas_laws *l, double finest, double mean,
                                      double standard_error) {
  const double rejected = 0.01;
  cas_law_name name = cas_law_extrapolating(l);
  const cas_law *law = &l->law[name];
  int last = name / 2; /* its last term */
  double sampling = standard_error, value = cas_law_value(law, 1, finest, 0), size = 0;
  if (law->p_value <= rejected || l->theory_p_value <= rejected)
    return (cas_extrapolation){NAN, NAN, NAN};
  /* added linearly, because these errors are correlated */
  for (int k = 0; k <= last; k++) {
    size = pow(finest, law->order + (k > 0 ? law->offset[k - 1] : 0));
    sampling += law->coefficient_error[k] * size;
  }
  if (isfinite(l->fewer.order))
    sampling += fabs(value - cas_law_value(&l->fewer, 1, finest, 0));
  return (cas_extrapolation){.value = mean - value,
                             .standard_error = sampling,
                             .law_error = fabs(law->coefficient[last]) * size};
}

static bool fit_all(const cas_samples *s, workspace *w, cas_curve *c) {
  cas_law_points errors = points_of(s, w, false), differences = points_of(s, w, true);
  cas_law_points fitted = s->exact                ? exact_points(s, c, w)
                          : s->kind == CAS_STRONG ? differences
                                                  : errors;
  local_orders(&errors, &c->local_order);
  for (int j = 0; j + 1 < c->levels && (s->kind == CAS_WEAK || s->exact); j++)
    cas_fit_correct_order(s->step[j], s->step[j + 1], s->reference_step, &c->local_order, j);
  local_orders(&differences, &c->difference_order);
  for (int j = 0; j + 2 < differences.n; j++)
    c->next_order.value[j] = cas_law_local_order_next(&differences, c->expected_order, j,
                                                      &c->next_order.standard_error[j]);
  if (!cas_laws_fit(&fitted, c->expected_order, &c->laws) ||
      !fit_raw(s->exact ? &fitted : &errors, c, &c->raw))
    return false;
  c->extrapolated = (cas_extrapolation){NAN, NAN, NAN};
  if (s->kind == CAS_WEAK && s->reference_step > 0) /* whose error the law has */
    c->extrapolated = cas_fit_extrapolate(&c->laws, s->reference_step, c->mean.value[s->levels],
                                          c->mean.standard_error[s->levels]);
  return true;
}

static cas_status check_samples(const cas_samples *s, const cas_curve *c, cas_error *err) {
  CAS_FAIL_IF(s->levels != c->levels || s->kind != c->kind || s->levels < 1 ||
                  s->levels > CAS_FIT_MOST_LEVELS || s->groups < 1 || s->errors.n != s->levels ||
                  s->differences.n != s->levels - 1,
              CAS_INTERNAL, "samples of %d levels in %d groups for a curve of %d levels", s->levels,
              s->groups, c->levels);
  for (int j = 0; j < s->levels; j++)
    CAS_FAIL_IF(!(s->reference_step >= 0 && s->step[j] > s->reference_step && isfinite(s->step[j])),
                CAS_BAD_INPUT, "step %g of level %d is not coarser than the reference step %g",
                s->step[j], j, s->reference_step);
  return CAS_OK;
}

cas_status cas_curve_fit(const cas_samples *s, cas_curve *c, cas_error *err) {
  CAS_CALL(check_samples(s, c, err));
  workspace w = {.offset = {0, 1, 2 * s->noiseless_order - 2 * c->expected_order}};
  for (int j = 0; j < s->levels; j++)
    w.finer[j] = s->reference_step;
  c->rounding = s->rounding;
  estimate(s, &s->errors, w.mean[0], &c->error);
  estimate(s, &s->differences, w.mean[1], &c->difference);
  CAS_NEED(fit_all(s, &w, c));
  return CAS_OK;
}

void cas_step_format(double step, char *text, size_t size) {
  CAS_LOCALE_OF_C;
  int exponent = 0;
  if (isfinite(step) && frexp(step, &exponent) == 0.5)
    snprintf(text, size, "2^%d", exponent - 1);
  else
    snprintf(text, size, "%.6g", step);
}
