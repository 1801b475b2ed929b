/* Generalised least squares for laws with one nonlinear parameter, the exponent. With the Cholesky
   factor L of the covariance, whitened values L^-1 y are fitted by whitened columns L^-1 b(e),
   linear in the coefficients; the exponent is found by profiling chi2(e) over a range, and so is
   its interval, because with two terms chi2 is no parabola in e.

   A covariance estimated with nu degrees of freedom makes chi2 a Hotelling T^2. With r = n -
   parameters, T^2 (nu - r + 1) / (nu r) has Fisher's F distribution with r and nu - r + 1 degrees,
   and the difference of T^2 between a given exponent and the best one, over (1 + T^2/nu)
   nu/(nu - r), that with 1 and nu - r degrees: least squares with an estimated covariance is an
   analysis of covariance (C. R. Rao, Biometrika 54, 1967). */
#include "statistics/law.h"
#include "blas/lapack.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GRID = 240 };
#define EXPONENT_LOW 0.0
#define EXPONENT_HIGH 8.0
#define REJECTED 0.01 /* p-value at which a law is rejected */
/* The standard deviation, relative to a value, that is added to that of each value: no law and no
   covariance is known more exactly. */
#define RELATIVE_ERROR 1e-9

/* The least-squares problem of the points first, .., first + n - 1. */
typedef struct {
  const cas_points *p;
  int first, n;
  double *factor; /* [n][n] lower Cholesky factor; NULL: unit weights of relative errors */
  double *y;      /* [n] whitened values */
  double *column; /* [2][n] whitened */
  /* whether the first term must be at least as large as the second at the finest step */
  bool leading;
} problem;

/* The least-squares solution at one exponent. */
typedef struct {
  double chi2, coefficient[2], share;
  double variance; /* of the first coefficient */
} solution;

/* ---- whitening ---- */

/* The basis function ((h/g)^e - (f/g)^e) / e of value i, with its step h, its finer step f and the
   coarsest step g; (h/g)^e if there are no finer steps. It is smooth through e = 0. */
static double basis(const cas_points *p, int i, double e) {
  double h = p->step[i] / p->step[0];
  if (!p->finer)
    return pow(h, e);
  double x = log(p->step[i] / p->finer[i]), u = -e * x;
  return pow(h, e) * x * (fabs(u) < 1e-8 ? 1 + u / 2 : expm1(u) / u);
}

/* The factor between a coefficient of that basis function and one of h^e - f^e. */
static double basis_scale(const cas_points *p, double e) {
  return pow(p->step[0], -e) * (p->finer ? 1 / e : 1);
}

static void whiten(const problem *q, double *x) {
  if (q->factor)
    cas_solve_lower(q->n, q->factor, x);
  else
    for (int i = 0; i < q->n; i++)
      x[i] /= fmax(fabs(q->p->value[q->first + i]), DBL_MIN);
}

static bool factorise(problem *q) {
  const cas_points *p = q->p;
  if (p->exact) {
    free(q->factor);
    q->factor = NULL;
    return true;
  }
  for (int i = 0; i < q->n; i++)
    for (int j = 0; j < q->n; j++)
      q->factor[i * q->n + j] = p->covariance[(q->first + i) * p->n + q->first + j];
  for (int i = 0; i < q->n; i++) {
    double least = fmax(p->rounding, RELATIVE_ERROR * fabs(p->value[q->first + i]));
    q->factor[i * q->n + i] += least * least;
  }
  return cas_cholesky(q->n, q->factor);
}

static bool begin(problem *q, const cas_points *p, int first) {
  size_t n = (size_t)(p->n - first) + 1; /* not 0, for malloc */
  *q = (problem){.p = p, .first = first, .n = p->n - first};
  q->factor = malloc(n * n * sizeof(double));
  q->y = malloc(n * sizeof(double));
  q->column = malloc(2 * n * sizeof(double));
  return q->factor && q->y && q->column;
}

static void end(problem *q) {
  free(q->factor);
  free(q->y);
  free(q->column);
}

/* ---- one exponent ---- */

static double dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += a[i] * b[i];
  return sum;
}

static double misfit(const problem *q, int terms, double c1, double c2) {
  double sum = 0;
  for (int i = 0; i < q->n; i++) {
    double r = q->y[i] - c1 * q->column[i] - (terms > 1 ? c2 * q->column[q->n + i] : 0);
    sum += r * r;
  }
  return sum;
}

static solution one_term(const problem *q) {
  double bb = dot(q->n, q->column, q->column), c = dot(q->n, q->column, q->y) / bb;
  return (solution){misfit(q, 1, c, 0), {c, 0}, 1, 1 / bb};
}

/* Least squares where the second coefficient is a given multiple of the first. */
static solution tied(const problem *q, double ratio) {
  double by = 0, bb = 0;
  for (int i = 0; i < q->n; i++) {
    double b = q->column[i] + ratio * q->column[q->n + i];
    by += b * q->y[i], bb += b * b;
  }
  double c = by / bb;
  return (solution){misfit(q, 2, c, ratio * c), {c, ratio * c}, 0.5, 1 / bb};
}

/* Least squares in both coefficients. `last` is the ratio of the second basis function to the first
   at the finest step. If the first term must lead and the second one exceeds it there, the two are
   made equal in size, with the sign that fits better. */
static solution two_terms(const problem *q, double last) {
  const double *a = q->column, *b = q->column + q->n;
  double aa = dot(q->n, a, a), ab = dot(q->n, a, b), slope = ab / aa, bb = 0, by = 0;
  for (int i = 0; i < q->n; i++) {
    double orthogonal = b[i] - slope * a[i];
    bb += orthogonal * orthogonal, by += orthogonal * q->y[i];
  }
  double c2 = by / bb, c1 = (dot(q->n, a, q->y) - c2 * ab) / aa, next = fabs(c2 * last);
  if (next <= fabs(c1) || !q->leading)
    return (solution){
        misfit(q, 2, c1, c2), {c1, c2}, fabs(c1) / (fabs(c1) + next), 1 / aa + slope * slope / bb};
  solution plus = tied(q, 1 / last), minus = tied(q, -1 / last);
  return plus.chi2 < minus.chi2 ? plus : minus;
}

static solution solve(const problem *q, int terms, double e) {
  const cas_points *p = q->p;
  int end = q->first + q->n - 1;
  for (int k = 0; k < terms; k++) {
    double *column = q->column + k * q->n;
    for (int i = 0; i < q->n; i++)
      column[i] = basis(p, q->first + i, e + k);
    whiten(q, column);
  }
  return terms == 1 ? one_term(q) : two_terms(q, basis(p, end, e + 1) / basis(p, end, e));
}

/* ---- the exponent ---- */

static double grid(int i) {
  return EXPONENT_LOW + (EXPONENT_HIGH - EXPONENT_LOW) * (i + 0.5) / GRID;
}

static double chi2_at(const problem *q, int terms, double e) { return solve(q, terms, e).chi2; }

/* The least chi2 between two exponents, by golden sections. */
static double minimise(const problem *q, int terms, double low, double high) {
  const double golden = 0.6180339887498949;
  double a = high - golden * (high - low), b = low + golden * (high - low);
  double fa = chi2_at(q, terms, a), fb = chi2_at(q, terms, b);
  for (int k = 0; k < 80 && high - low > 1e-13; k++)
    if (fa < fb) {
      high = b, b = a, fb = fa;
      a = high - golden * (high - low), fa = chi2_at(q, terms, a);
    } else {
      low = a, a = b, fa = fb;
      b = low + golden * (high - low), fb = chi2_at(q, terms, b);
    }
  return (low + high) / 2;
}

static double best_exponent(const problem *q, int terms, double *profile) {
  int best = 0;
  for (int i = 0; i < GRID; i++) {
    profile[i] = chi2_at(q, terms, grid(i));
    if (profile[i] < profile[best])
      best = i;
  }
  return minimise(q, terms, best > 0 ? grid(best - 1) : EXPONENT_LOW,
                  best < GRID - 1 ? grid(best + 1) : EXPONENT_HIGH);
}

/* The exponent at which chi2 reaches `most`, between one inside the interval and one outside. */
static double crossing(const problem *q, int terms, double inside, double outside, double most) {
  for (int k = 0; k < 60; k++) {
    double middle = (inside + outside) / 2;
    if (chi2_at(q, terms, middle) <= most)
      inside = middle;
    else
      outside = middle;
  }
  return inside;
}

/* The smallest and the largest exponent with chi2 <= most; infinite where that is the end of the
   range of exponents. */
static void interval(const problem *q, int terms, double best, const double *profile, double most,
                     double *low, double *high) {
  int first = 0, last = GRID - 1;
  while (first < GRID && grid(first) < best && profile[first] > most)
    first++;
  while (last >= 0 && grid(last) > best && profile[last] > most)
    last--;
  *low = *high = best;
  if (first == 0)
    *low = -INFINITY;
  else
    *low = crossing(q, terms, fmin(best, grid(first)), grid(first - 1), most);
  if (last == GRID - 1)
    *high = INFINITY;
  else
    *high = crossing(q, terms, fmax(best, grid(last)), grid(last + 1), most);
}

/* ---- one law ---- */

/* The factor by which an estimated covariance, instead of a known one, increases variances and
   admissible differences of chi2. */
static double inflation(const cas_points *p, double residual, double chi2) {
  return p->independent ? 1
                        : (1 + chi2 / p->degrees) * p->degrees / fmax(p->degrees - residual, 0.5);
}

static double interval_degrees(const cas_points *p, double residual) {
  return p->independent ? p->degrees : p->degrees - residual;
}

/* Whether the covariance can be inverted: that of n values takes n + 1 samples at least. */
static bool has_weights(const problem *q) {
  const cas_points *p = q->p;
  return p->exact || p->degrees >= (p->independent ? 1 : q->n);
}

static double p_value(const cas_points *p, double residual, double chi2) {
  if (residual < 1)
    return NAN;
  if (p->independent)
    return cas_f_tail(chi2 / residual, residual, p->degrees);
  double d = p->degrees - residual + 1;
  return cas_f_tail(chi2 * d / (p->degrees * residual), residual, d);
}

/* ---- errors of coefficients ---- */

/* The whitened derivative of the law with respect to coefficient k, or to the exponent (k =
   terms). */
static void derivative(const problem *q, int terms, double e, const double *c, int k,
                       double *column) {
  const double difference = 1e-5;
  for (int i = 0; i < q->n; i++) {
    double sum = 0;
    for (int m = 0; m < terms; m++)
      for (int side = -1; k == terms && side < 2; side += 2) {
        double x = e + m + side * difference;
        sum += side * c[m] * basis(q->p, q->first + i, x) / basis_scale(q->p, x) / (2 * difference);
      }
    column[i] = k < terms ? basis(q->p, q->first + i, e + k) / basis_scale(q->p, e + k) : sum;
  }
  whiten(q, column);
}

/* Variances of the coefficients, from the inverse of the Gauss-Newton matrix, which includes the
   exponent unless that is fixed. Columns are scaled to length 1 before; `norm` has their
   lengths. */
static void coefficient_variances(const problem *q, int terms, double e, const double *c,
                                  bool fixed, double *variance) {
  int n = q->n, m = terms + !fixed;
  double gram[9], norm[3];
  double *column = malloc((size_t)(n * m) * sizeof *column);
  for (int k = 0; column && k < m; k++) {
    derivative(q, terms, e, c, k, column + k * n);
    norm[k] = sqrt(dot(n, column + k * n, column + k * n));
  }
  for (int k = 0; column && k < m; k++)
    for (int l = 0; l < m; l++)
      gram[k * m + l] = dot(n, column + k * n, column + l * n) / (norm[k] * norm[l]);
  bool inverted = column && cas_cholesky(m, gram) && cas_cholesky_inverse(m, gram);
  for (int k = 0; k < terms; k++)
    variance[k] = inverted ? gram[k * m + k] / (norm[k] * norm[k]) : NAN;
  free(column);
}

static void fill(const problem *q, int terms, double e, double residual, bool fixed, cas_law *law) {
  const cas_points *p = q->p;
  solution s = solve(q, terms, e);
  double more = p->exact ? 0 : inflation(p, residual, s.chi2), variance[2] = {0};
  law->order = e / p->scale;
  law->points = q->n;
  law->leading_share = s.share;
  for (int k = 0; k < terms; k++)
    law->coefficient[k] = s.coefficient[k] * basis_scale(p, e + k);
  if (!p->exact)
    coefficient_variances(q, terms, e, law->coefficient, fixed, variance);
  for (int k = 0; k < terms; k++)
    law->coefficient_error[k] = sqrt(variance[k] * more);
  if (p->exact)
    return;
  law->degrees_of_freedom = residual;
  law->chi2 = s.chi2;
  law->p_value = p_value(p, residual, s.chi2);
}

static void fit_fixed(problem *q, int terms, double theory, cas_law *law) {
  double residual = q->n - terms;
  if (!isfinite(theory) || residual < 0 || !has_weights(q))
    return;
  q->leading = false;
  fill(q, terms, theory * q->p->scale, residual, true, law);
  law->low = law->high = law->order;
}

/* The chi2 whose p-value is p_wanted. */
static double chi2_of(const cas_points *p, double residual, double p_wanted) {
  double low = 0, high = 1;
  while (p_value(p, residual, high) > p_wanted && high < 1e12)
    high *= 2;
  for (int k = 0; k < 60; k++) {
    double middle = (low + high) / 2;
    if (p_value(p, residual, middle) > p_wanted)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* The largest chi2 of an exponent inside the interval: the likelihood ratio admits the exponent, or
   the law with this exponent is not rejected at 10%. Where data hardly distinguish the two terms
   chi2 has several minima, and the likelihood ratio alone covers 89% instead of 95%. */
static double largest_chi2(const cas_points *p, int terms, double residual, double least) {
  const double unlikely = 0.1;
  double t = cas_student_quantile(0.95, interval_degrees(p, residual));
  double most = least + t * t * inflation(p, residual, least);
  return terms == 1 ? most : fmax(most, chi2_of(p, residual + 1, unlikely));
}

static void fit_range(const problem *q, int terms, double residual, cas_law *law) {
  const cas_points *p = q->p;
  double profile[GRID], low, high, e = best_exponent(q, terms, profile);
  fill(q, terms, e, residual, false, law);
  law->low = law->high = law->order;
  if (p->exact)
    return;
  interval(q, terms, e, profile, largest_chi2(p, terms, residual, law->chi2), &low, &high);
  law->low = low / p->scale;
  law->high = high / p->scale;
}

/* Extends the interval to the order of theory if the data admit that order with a first coefficient
   that differs from 0 by three standard errors, although its term does not lead yet. */
static void include_theory(problem *q, double residual, double theory, cas_law *law) {
  const double resolved = 3;
  if (!isfinite(theory))
    return;
  q->leading = false;
  solution s = solve(q, 2, theory * q->p->scale);
  double variance = s.variance * inflation(q->p, residual, s.chi2);
  if (s.chi2 <= largest_chi2(q->p, 2, residual, law->chi2) &&
      s.coefficient[0] * s.coefficient[0] > resolved * resolved * variance) {
    law->low = fmin(law->low, theory);
    law->high = fmax(law->high, theory);
  }
}

/* Whether a law whose first term does not lead at the finest step is acceptable: it is not
   rejected, and its first coefficient differs from 0 by three standard errors, and is positive for
   mean squares. */
static bool is_resolved(const problem *q, const cas_law *law) {
  const double resolved = 3;
  double c = law->coefficient[0];
  return law->p_value > REJECTED && fabs(c) > resolved * law->coefficient_error[0] &&
         (q->p->scale == 1 || c > 0);
}

/* The two-term law of exponent e - 1 with a first coefficient of 0 is the one-term law of exponent
   e. To exclude it, the first term must lead at the finest step, as it does in the asymptotic
   range; if the data contradict this condition (p < 0.05), the fit is repeated without it. */
static void fit_two_terms(problem *q, double residual, double theory, cas_law *law) {
  const double unlikely = 0.05;
  q->leading = true;
  fit_range(q, 2, residual, law);
  if (law->p_value < unlikely) {
    cas_law any = *law;
    q->leading = false;
    fit_range(q, 2, residual, &any);
    if (is_resolved(q, &any))
      *law = any;
  }
  if (!q->p->exact)
    include_theory(q, residual, theory, law);
}

static void fit_free(problem *q, int terms, double theory, cas_law *law) {
  double residual = q->n - terms - 1;
  if (residual < 0 || !has_weights(q))
    return;
  if (terms == 2)
    fit_two_terms(q, residual, theory, law);
  else
    fit_range(q, terms, residual, law);
}

/* ---- all laws ---- */

static const cas_law no_law = {.order = NAN,
                               .low = NAN,
                               .high = NAN,
                               .coefficient = {NAN, NAN},
                               .coefficient_error = {NAN, NAN},
                               .chi2 = NAN,
                               .degrees_of_freedom = NAN,
                               .p_value = NAN,
                               .leading_share = NAN};

void cas_laws_clear(cas_laws *l) {
  for (int i = 0; i < CAS_LAWS; i++)
    l->law[i] = no_law;
  l->headline = CAS_LAWS;
  l->points = l->left_out = 0;
}

static bool is_fittable(const problem *q) {
  for (int i = 0; i < q->n; i++)
    if (!isfinite(q->p->value[q->first + i]))
      return false;
  for (int i = 0; i < q->n; i++)
    if (q->p->value[q->first + i] != 0)
      return true;
  return false;
}

static bool fit_from(const cas_points *p, int first, double theory, cas_laws *out) {
  problem q;
  bool there = begin(&q, p, first);
  if (there && q.n > 0 && is_fittable(&q) && factorise(&q)) {
    memcpy(q.y, p->value + first, (size_t)q.n * sizeof *q.y);
    whiten(&q, q.y);
    fit_free(&q, 1, theory, &out->law[CAS_LAW_POWER]);
    fit_free(&q, 2, theory, &out->law[CAS_LAW_TWO_TERM]);
    fit_fixed(&q, 1, theory, &out->law[CAS_LAW_POWER_THEORY]);
    fit_fixed(&q, 2, theory, &out->law[CAS_LAW_TWO_TERM_THEORY]);
  }
  end(&q);
  return there;
}

static bool fitted(const cas_law *l) { return isfinite(l->order); }

static bool rejected(const cas_law *l) { return l->p_value <= REJECTED; }

/* The headline is the two-term law: theory has the next term, and a power law alone is rejected
   only when the bias of its order exceeds its interval many times. Two values determine an order
   only if nothing is random; it is then that of the power law. */
static cas_law_name choose(const cas_laws *l, const cas_points *p, int n) {
  cas_law_name name = n > 2 ? CAS_LAW_TWO_TERM : CAS_LAW_POWER;
  if (n < 3 && !p->exact)
    return CAS_LAWS;
  return fitted(&l->law[name]) && !rejected(&l->law[name]) ? name : CAS_LAWS;
}

bool cas_laws_fit(const cas_points *p, double theory, cas_laws *out) {
  const int testable = 4; /* points that leave one degree of freedom to the two-term law */
  cas_laws_clear(out);
  out->points = p->n;
  if (!fit_from(p, 0, theory, out))
    return false;
  out->headline = choose(out, p, p->n);
  bool holds = !rejected(&out->law[CAS_LAW_TWO_TERM]);
  for (int first = 1; !holds && p->n - first >= testable; first++) {
    cas_laws fewer;
    cas_laws_clear(&fewer);
    if (!fit_from(p, first, theory, &fewer))
      return false;
    fewer.headline = choose(&fewer, p, p->n - first);
    holds = fewer.headline < CAS_LAWS;
    fewer.points = p->n;
    fewer.left_out = first;
    if (holds)
      *out = fewer;
  }
  return true;
}

/* ---- local orders ---- */

/* The order by which the values a and b of steps i and i + 1 decrease; `variance` is that of
   log(a / b). */
static double order_between(const cas_points *p, int i, double a, double b, double variance,
                            double *standard_error) {
  const double most = 0.5; /* that of two values with relative standard errors of 1/2 */
  double ratio = log(p->step[i] / p->step[i + 1]) * p->scale;
  *standard_error = NAN;
  if (!(a / b > 0) || !isfinite(a / b) || !(variance <= most))
    return NAN;
  *standard_error = sqrt(fmax(variance, 0)) / ratio;
  return log(a / b) / ratio;
}

static double covariance_of(const cas_points *p, int i, int j) {
  return p->exact ? 0 : p->covariance[i * p->n + j];
}

double cas_local_order(const cas_points *p, int i, double *standard_error) {
  double a = p->value[i], b = p->value[i + 1];
  double v = covariance_of(p, i, i) / (a * a) + covariance_of(p, i + 1, i + 1) / (b * b) -
             2 * covariance_of(p, i, i + 1) / (a * b);
  return order_between(p, i, a, b, v, standard_error);
}

double cas_local_order_next(const cas_points *p, double theory, int i, double *standard_error) {
  double power[2], value[2], gradient[3], v = 0;
  for (int k = 0; k < 2; k++) {
    power[k] = pow(p->step[i + k] / p->step[i + k + 1], theory * p->scale + 1);
    value[k] = power[k] * p->value[i + k + 1] - p->value[i + k];
  }
  /* the gradient of log(value[0] / value[1]) */
  gradient[0] = -1 / value[0];
  gradient[1] = power[0] / value[0] + 1 / value[1];
  gradient[2] = -power[1] / value[1];
  for (int j = 0; j < 3; j++)
    for (int k = 0; k < 3; k++)
      v += gradient[j] * gradient[k] * covariance_of(p, i + j, i + k);
  return order_between(p, i, value[0], value[1], v, standard_error);
}

double cas_law_value(const cas_law *law, double scale, double step, double finer) {
  double e = law->order * scale, sum = 0;
  for (int k = 0; k < 2; k++)
    if (k == 0 || !isnan(law->coefficient[k])) /* a power law has one term */
      sum += law->coefficient[k] * (pow(step, e + k) - (finer > 0 ? pow(finer, e + k) : 0));
  return sum;
}

const char *const cas_law_names[] = {[CAS_LAW_POWER] = "power",
                                     [CAS_LAW_POWER_THEORY] = "power_theory",
                                     [CAS_LAW_TWO_TERM] = "two_term",
                                     [CAS_LAW_TWO_TERM_THEORY] = "two_term_theory",
                                     [CAS_LAWS] = "none"};

cas_law cas_laws_headline(const cas_laws *l) {
  cas_law law = l->headline < CAS_LAWS ? l->law[l->headline] : no_law;
  if (isinf(law.low) || isinf(law.high))
    law.order = NAN;
  return law;
}
