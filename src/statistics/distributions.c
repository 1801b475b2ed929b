/* Distributions through the regularised incomplete beta function: Student's t, the binomial. */
#include "statistics/fit_impl.h"
#include "statistics/histogram.h"
#include <float.h>
#include <math.h>

/* The continued fraction of I_x(a, b) by the modified Lentz method; converges fast for
   x < (a + 1) / (a + b + 2). */
static double beta_fraction(double a, double b, double x) {
  const double tiny = 1e-300;
  double c = 1, d = 1 - (a + b) * x / (a + 1), value;
  d = 1 / (fabs(d) < tiny ? tiny : d);
  value = d;
  for (int m = 1; m <= 100000; m++) {
    double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    double change;
    d = 1 + even * d, c = 1 + even / c;
    d = 1 / (fabs(d) < tiny ? tiny : d), c = fabs(c) < tiny ? tiny : c;
    value *= c * d;
    d = 1 + odd * d, c = 1 + odd / c;
    d = 1 / (fabs(d) < tiny ? tiny : d), c = fabs(c) < tiny ? tiny : c;
    change = c * d;
    value *= change;
    if (fabs(change - 1) < 1e-15)
      break;
  }
  return value;
}

/* I_x(a, b), where x and y = 1 - x are known without cancellation. */
static double incomplete_beta(double a, double b, double x, double y) {
  double front;
  if (x <= 0 || y <= 0)
    return x > 0;
  front = exp(a * log(x) + b * log(y) + lgamma(a + b) - lgamma(a) - lgamma(b));
  if (x < (a + 1) / (a + b + 2))
    return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, y) / b;
}

/* P(|T| > t), dof degrees of freedom: I_{dof/(dof+t^2)}(dof/2, 1/2). */
static double two_sided_tail(double t, double dof) {
  return incomplete_beta(dof / 2, 0.5, dof / (dof + t * t), t * t / (dof + t * t));
}

double cas_student_quantile(double confidence, double dof) {
  double low = 0, high = 1, tail = 1 - confidence;
  if (!(confidence >= 0 && confidence < 1 && dof > 0))
    return NAN;
  if (dof > 1e8)
    dof = 1e8; /* normal to ten digits */
  while (two_sided_tail(high, dof) > tail) {
    high *= 2;
    if (!isfinite(high))
      return NAN;
  }
  while (high - low > 1e-15 * high) {
    double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high)
      break;
    if (two_sided_tail(middle, dof) > tail)
      low = middle;
    else
      high = middle;
  }
  return low + (high - low) / 2;
}

double cas_law_f_tail(double f, double degrees_1, double degrees_2) {
  if (!(f >= 0 && degrees_1 > 0 && degrees_2 > 0))
    return NAN;
  if (degrees_2 > 1e8)
    degrees_2 = 1e8;
  double total = degrees_2 + degrees_1 * f;
  if (!isfinite(total))
    return 0;
  return incomplete_beta(degrees_2 / 2, degrees_1 / 2, degrees_2 / total, degrees_1 * f / total);
}

double cas_fit_rounding(double steps, double size) { return DBL_EPSILON * sqrt(steps) * size; }

double cas_fit_p_value(double value, double standard_error, double paths, double rounding) {
  double dof = fmin(paths - 1, 1e8);
  if (!isfinite(value) || value == 0 || fabs(value) <= rounding)
    return NAN;
  if (standard_error == 0)
    return 0;
  return dof > 0 ? two_sided_tail(fabs(value) / standard_error, dof) : NAN;
}

bool cas_fit_exceeds(const double *value, int n, double most) {
  for (int i = 0; i < n; i++)
    if (value[i] > most)
      return true;
  return false;
}

double cas_fit_holm_threshold(double *p_value, int n) {
  const double two_deviations = 0.954499736103642, level = 1 - two_deviations;
  int tests = 0;
  double threshold = -1;
  for (int i = 0; i < n; i++)
    if (!isnan(p_value[i]))
      p_value[tests++] = p_value[i];
  cas_histogram_sort(p_value, (size_t)tests);
  for (int i = 0; i < tests && p_value[i] <= level / (tests - i); i++)
    threshold = p_value[i];
  return threshold;
}

/* P(B < r), B binomial of n trials: I_{1-p}(n - r + 1, r). */
static double fewer_than(int64_t r, int64_t n, double p) {
  return r == 0 ? 0 : incomplete_beta((double)(n - r + 1), (double)r, 1 - p, p);
}

/* The greatest rank r with P(B < r) <= tail; P: that the quantile is below the r-th value. */
static int64_t lower_rank(int64_t n, double p, double tail) {
  int64_t low = 0, high = n + 1;
  while (high - low > 1) {
    int64_t middle = low + (high - low) / 2;
    if (fewer_than(middle, n, p) <= tail)
      low = middle;
    else
      high = middle;
  }
  return low;
}

void cas_quantile_ranks(int64_t n, double p, double confidence, int64_t *low, int64_t *high) {
  double tail = (1 - confidence) / 2;
  *low = lower_rank(n, p, tail);
  *high = n + 1 - lower_rank(n, 1 - p, tail);
}

/* The p with P(B < r) = tail; it falls as p grows. */
static double probability_of(int64_t r, int64_t n, double tail) {
  double low = 0, high = 1, middle = 0.5;
  while (low < middle && middle < high) {
    if (fewer_than(r, n, middle) > tail)
      low = middle;
    else
      high = middle;
    middle = low + (high - low) / 2;
  }
  return middle;
}

void cas_probability_interval(int64_t hits, int64_t n, double confidence, double *low,
                              double *high) {
  const double tail = (1 - confidence) / 2;
  *low = hits > 0 ? probability_of(hits, n, 1 - tail) : 0;
  *high = hits < n ? probability_of(hits + 1, n, tail) : 1;
}

void cas_flips_interval(int64_t up, int64_t down, int64_t n, double confidence, double *low,
                        double *high) {
  const double p = (double)up / (double)n, q = (double)down / (double)n;
  double p_low, p_high, q_low, q_high;
  cas_probability_interval(up, n, confidence, &p_low, &p_high);
  cas_probability_interval(down, n, confidence, &q_low, &q_high);
  /* A path flips one way alone, so that the counts have this correlation. */
  const double correlation = up > 0 && down > 0 ? -sqrt(p * q / ((1 - p) * (1 - q))) : 0;
  const double a = p - p_low, b = q_high - q, c = p_high - p, d = q - q_low;
  *low = fmax(-1, p - q - sqrt(a * a - 2 * correlation * a * b + b * b));
  *high = fmin(1, p - q + sqrt(c * c - 2 * correlation * c * d + d * d));
}
