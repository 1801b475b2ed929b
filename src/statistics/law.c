/* Power laws with a finite reference, and their least-squares fit.
   With x = log(h / h_ref) and u = s p x (s = 2 strong, 1 weak) the corrected law is
     log error = log C + p log h_ref + log(expm1 u) / s.
   Level-independent terms go into the intercept, which leaves  g = (log(expm1(u)/u) + log x) / s:
   smooth through p = 0, and g(x_1) - g(x_2) grows with p wherever x_1 > x_2. */
#include "fit_impl.h"
#include <math.h>

#define ORDER_BOUND 16

static double power_of(const cas_law *law) { return law->kind == CAS_STRONG ? 2 : 1; }

/* log(expm1(u) / u) */
static double log_expm1_ratio(double u) {
  if (u > 0)
    return u + log(-expm1(-u) / u);
  return u < 0 ? log(expm1(u) / u) : 0;
}

/* its derivative, 1 / (1 - exp(-u)) - 1/u */
static double log_expm1_ratio_slope(double u) {
  if (fabs(u) < 0.03)
    return 0.5 + u / 12 - u * u * u / 720;
  return -1 / expm1(-u) - 1 / u;
}

static double shape(const cas_law *law, double p, double h) {
  double s = power_of(law), x;

  if (law->reference <= 0)
    return p * log(h);
  x = log(h / law->reference);
  return (log_expm1_ratio(s * p * x) + log(x)) / s;
}

static double shape_slope(const cas_law *law, double p, double h) {
  double x;

  if (law->reference <= 0)
    return log(h);
  x = log(h / law->reference);
  return x * log_expm1_ratio_slope(power_of(law) * p * x);
}

static double constant_of(const cas_law *law, double p, double intercept) {
  double s = power_of(law);

  if (law->reference <= 0)
    return exp(intercept);
  return exp(intercept - p * log(law->reference) - log(fabs(s * p)) / s);
}

/* Two measures of misfit. In logarithms: residual log(e/m), weight (e/sigma)^2. Linear: (e - m)/m,
   weight (m/sigma)^2, which is the misfit (e - m)/sigma of the error itself: a logarithm of a mean
   near its noise is biased, and weights that follow its fluctuations more so. */
typedef struct {
  const cas_law *law;
  const cas_points *points;
  bool linear;
} cas_problem;

static void point(const cas_problem *q, int i, double p, double a, double *residual,
                  double *weight) {
  double e = q->points->error[i], g = a + shape(q->law, p, q->points->step[i]), m = exp(g);

  *residual = q->linear ? e / m - 1 : log(e) - g;
  *weight = q->linear ? m / q->points->sigma[i] : e / q->points->sigma[i];
  *weight *= *weight;
}

static double misfit(const cas_problem *q, double p, double a) {
  double sum = 0, r, w;

  for (int i = 0; i < q->points->n; i++)
    point(q, i, p, a, &r, &w), sum += w * r * r;
  return sum;
}

/* The Gauss-Newton step: the weighted regression of the residuals on the slopes of the law. */
static bool newton_step(const cas_problem *q, double p, double a, double *dp, double *da) {
  double sw = 0, sr = 0, sd = 0, srd = 0, sdd = 0, r, w;

  for (int i = 0; i < q->points->n; i++) {
    point(q, i, p, a, &r, &w);
    sw += w, sr += w * r, sd += w * shape_slope(q->law, p, q->points->step[i]);
  }
  for (int i = 0; i < q->points->n; i++) {
    double d = shape_slope(q->law, p, q->points->step[i]) - sd / sw;

    point(q, i, p, a, &r, &w);
    srd += w * d * (r - sr / sw), sdd += w * d * d;
  }
  *dp = srd / sdd;
  *da = (sr - *dp * sd) / sw;
  return sdd > 0 && isfinite(*dp) && isfinite(*da);
}

/* The intercept that makes the mean residual in logarithms vanish; for linear problems a start
 * only. */
static double best_intercept(const cas_problem *q, double p) {
  double sw = 0, sr = 0;

  for (int i = 0; i < q->points->n; i++) {
    double e = q->points->error[i], w = e / q->points->sigma[i];

    if (e > 0)
      sw += w * w, sr += w * w * (log(e) - shape(q->law, p, q->points->step[i]));
  }
  return sr / sw;
}

/* Gauss-Newton with halved steps until the misfit falls. */
static bool minimise(const cas_problem *q, double *p, double *a) {
  double here = misfit(q, *p, *a);

  for (int iteration = 0; iteration < 100; iteration++) {
    double dp, da, there, scale;

    if (!newton_step(q, *p, *a, &dp, &da))
      return false;
    scale = fabs(dp) > 1 ? 1 / fabs(dp) : 1;
    dp *= scale, da *= scale;
    there = misfit(q, *p + dp, *a + da);
    for (int k = 0; k < 40 && !(there <= here) && fabs(dp) > 1e-12; k++) {
      dp /= 2, da /= 2;
      there = misfit(q, *p + dp, *a + da);
    }
    *p += dp, *a += da, here = there;
    if (!isfinite(here) || fabs(*p) > ORDER_BOUND)
      return false;
    if (fabs(dp) <= 1e-12)
      return true;
  }
  return false;
}

bool cas_law_fit(const cas_law *law, const cas_points *points, double *order, double *constant) {
  cas_problem q = {.law = law, .points = points, .linear = false};
  bool started = isfinite(*order), solved;
  double p = started ? *order : 1, a = best_intercept(&q, p);

  solved = points->n >= 2 && isfinite(a);
  if (solved && (law->kind == CAS_STRONG || !started))
    solved = minimise(&q, &p, &a);
  q.linear = true;
  if (solved && law->kind == CAS_WEAK)
    solved = minimise(&q, &p, &a);
  *order = solved ? p : NAN;
  *constant = solved ? constant_of(law, p, a) : NAN;
  return solved;
}

double cas_law_local_order(const cas_law *law, double step_1, double step_2, double ratio) {
  double low = -ORDER_BOUND, high = ORDER_BOUND, target = log(ratio);

  if (!isfinite(target) || !(step_1 > step_2))
    return NAN;
  if (law->reference <= 0)
    return target / log(step_1 / step_2);
  for (int i = 0; i < 100; i++) {
    double p = (low + high) / 2;

    if (shape(law, p, step_1) - shape(law, p, step_2) < target)
      low = p;
    else
      high = p;
  }
  if (low == -ORDER_BOUND || high == ORDER_BOUND)
    return NAN;
  return (low + high) / 2;
}

cas_error_kind cas_curve_law(const cas_curve *c) {
  double most = 0;

  for (int j = 0; j < c->levels; j++)
    most = fmax(most, isnan(c->standard_error[j]) ? INFINITY : c->standard_error[j]);
  return most > 0 ? c->kind : CAS_WEAK;
}

double cas_fit_value(const cas_fit *fit, cas_error_kind law, double reference_step, double step) {
  const cas_law l = {.kind = law, .reference = reference_step};
  double s = power_of(&l), p = fit->order;

  if (reference_step <= 0)
    return fit->constant * pow(step, p);
  return fit->constant * pow(fabs(pow(step, s * p) - pow(reference_step, s * p)), 1 / s);
}
