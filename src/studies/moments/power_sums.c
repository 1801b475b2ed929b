#include "studies/moments/power_sums.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- powers of a departure ---- */

/* The k-th power is fraction[k - 1] 2^exponent[k - 1], the fractions in [1/2, 1). */
typedef struct {
  double fraction[CAS_POWER_SUMS_POWERS];
  int exponent[CAS_POWER_SUMS_POWERS];
} powers;

static uint64_t bits_of(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static double number_of(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* 2^n for n in [-1022, 1023] */
static double power_of_two(int n) { return number_of((uint64_t)(n + 1023) << 52); }

/* frexp() of a normal number, by replacing its exponent by the exponent of 1/2. */
static double split(double x, int *exponent) {
  const uint64_t mask = UINT64_C(0x7ff) << 52, bits = bits_of(x);
  *exponent = (int)((bits & mask) >> 52) - 1022;
  return number_of((bits & ~mask) | bits_of(0.5));
}

static void powers_of(double d, powers *p) {
  int e, more = 0;
  if (fabs(d) < DBL_MIN) { /* a subnormal number */
    d *= 0x1p100;
    more = -100;
  }
  const double f = split(d, &e), f2 = f * f;
  const double product[CAS_POWER_SUMS_POWERS] = {f, f2, f2 * f, f2 * f2};
  for (int k = 0; k < CAS_POWER_SUMS_POWERS; k++) {
    int less;
    p->fraction[k] = split(product[k], &less);
    p->exponent[k] = (k + 1) * (e + more) + less;
  }
}

/* ---- digits ---- */

/* The place of the higher digit, whose unit is 2^(CAS_POWER_SUMS_BIN_BITS place), where the largest
   power is below 2^exponent: the rounding of that power to the next place above is 0. */
static int place_of(int exponent) {
  enum { ABOVE = 200 }; /* more than the lowest place of a fourth power lies below 0 */
  return (exponent + ABOVE * CAS_POWER_SUMS_BIN_BITS) / CAS_POWER_SUMS_BIN_BITS - ABOVE;
}

/* Rounds a number below 2^51 to nearest, by a sum whose last binary place has the value 1. */
static double whole(double x, int64_t *digit) {
  const double origin = 0x1.8p52, sum = x + origin;
  *digit += (int64_t)(bits_of(sum) - bits_of(origin));
  return sum - origin;
}

static void add_digits(int64_t sum[CAS_POWER_SUMS_DIGITS], double fraction, int exponent,
                       int place) {
  int n = exponent - CAS_POWER_SUMS_BIN_BITS * place;
  if (n < -2 * CAS_POWER_SUMS_BIN_BITS) /* below half of the lower digit's unit */
    return;
  double x = fraction * power_of_two(n), high = whole(x, &sum[0]);
  (void)whole((x - high) * 0x1p40, &sum[1]);
}

/* The difference of any two numbers is one. */
static double departure(double x, double shift) {
  double d = x - shift;
  return isfinite(d) ? d : d > 0 ? DBL_MAX : -DBL_MAX;
}

static double largest(const cas_power_sums *s, double shift) {
  return s->minimum > s->maximum
             ? 0
             : fmax(fabs(departure(s->minimum, shift)), fabs(departure(s->maximum, shift)));
}

/* What lies too low for two digits of the larger power is dropped, whenever it came. */
static void move_digits(cas_power_sums *s, double before, double after) {
  powers from, to;
  powers_of(before, &from);
  powers_of(after, &to);
  for (int k = 0; k < CAS_POWER_SUMS_POWERS; k++) {
    int up = place_of(to.exponent[k]) - place_of(from.exponent[k]);
    if (up > 0) {
      s->sum[k][1] = up == 1 ? s->sum[k][0] : 0;
      s->sum[k][0] = 0;
    }
  }
}

/* ---- sums ---- */

void cas_power_sums_clear(cas_power_sums *s) {
  *s = (cas_power_sums){.minimum = INFINITY, .maximum = -INFINITY};
}

void cas_power_sums_widen(cas_power_sums *s, double shift, double minimum, double maximum) {
  double before = largest(s, shift), after;
  s->minimum = minimum < s->minimum ? minimum : s->minimum;
  s->maximum = maximum > s->maximum ? maximum : s->maximum;
  after = largest(s, shift);
  if (before > 0 && after > before)
    move_digits(s, before, after);
}

void cas_power_sums_add(cas_power_sums *s, double shift, double x) {
  powers p, most;
  double d = departure(x, shift);
  if (x < s->minimum || x > s->maximum)
    cas_power_sums_widen(s, shift, x, x);
  if (d == 0)
    return;
  powers_of(d, &p);
  powers_of(largest(s, shift), &most);
  for (int k = 0; k < CAS_POWER_SUMS_POWERS; k++)
    add_digits(s->sum[k], p.fraction[k], p.exponent[k], place_of(most.exponent[k]));
}

void cas_power_sums_merge(cas_power_sums *s, double shift, const cas_power_sums *other) {
  cas_power_sums more = *other;
  cas_power_sums_widen(s, shift, more.minimum, more.maximum);
  cas_power_sums_widen(&more, shift, s->minimum, s->maximum);
  for (int k = 0; k < CAS_POWER_SUMS_POWERS; k++)
    for (int i = 0; i < CAS_POWER_SUMS_DIGITS; i++)
      s->sum[k][i] += more.sum[k][i];
}

/* ---- moments ---- */

/* The sum of powers k of departures in units of 2^scale. */
static long double scaled(const int64_t sum[CAS_POWER_SUMS_DIGITS], int k, int place, int scale) {
  long double digits = (long double)sum[0] + (long double)sum[1] * 0x1p-40L;
  return ldexpl(digits, CAS_POWER_SUMS_BIN_BITS * place - k * scale);
}

/* The variances that leave one path out differ from each other by what one path contributes: their
   sum of squares needs no more than the sums of second and fourth powers. */
static double error_of_variance(long double n, long double m2, long double m4) {
  long double squares = m4 - m2 * m2 / n;
  if (n < 3)
    return NAN;
  return squares > 0 ? (double)(sqrtl(n / (n - 1) * squares) / (n - 2)) : 0;
}

cas_moment_values cas_power_sums_moments(const cas_power_sums *s, double shift, int64_t n) {
  const long double count = (long double)n;
  double most = largest(s, shift);
  cas_moment_values m = {NAN, NAN, NAN, NAN, NAN, NAN};
  powers p;
  if (n < 1 || s->minimum > s->maximum)
    return m;
  m.minimum = s->minimum;
  m.maximum = s->maximum;
  m.mean = shift;
  m.variance = n > 1 ? 0 : NAN;
  m.standard_error = m.variance;
  m.variance_standard_error = n > 2 ? 0 : NAN;
  if (most == 0)
    return m;
  powers_of(most, &p);
  const int scale = p.exponent[0];
  long double z[CAS_POWER_SUMS_POWERS];
  for (int k = 0; k < CAS_POWER_SUMS_POWERS; k++)
    z[k] = scaled(s->sum[k], k + 1, place_of(p.exponent[k]), scale);
  long double mean = z[0] / count, m2 = fmaxl(z[1] - mean * z[0], 0),
              m4 = z[3] - 4 * mean * z[2] + 6 * mean * mean * z[1] -
                   3 * count * mean * mean * mean * mean;
  m.mean = fmin(fmax((double)((long double)shift + ldexpl(mean, scale)), m.minimum), m.maximum);
  if (n > 1) {
    m.variance = (double)ldexpl(m2 / (count - 1), 2 * scale);
    m.standard_error = (double)ldexpl(sqrtl(m2 / (count - 1) / count), scale);
  }
  m.variance_standard_error = ldexp(error_of_variance(count, m2, m4), 2 * scale);
  return m;
}
