#include "studies/moments/power_sums.h"

#include <float.h>
#include <math.h>
#include <string.h>

static uint64_t bits_of(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

/* 2^n for n in [-1022, 1023] */
static double power_of_two(int n) {
  const uint64_t bits = (uint64_t)(n + 1023) << 52;
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* The n with 2^(n - 1) <= |x| < 2^n of a normal number. */
static int exponent_of(double x) { return (int)(bits_of(x) >> 52 & 0x7ff) - 1022; }

static void powers_of(double x, double power[CAS_POWER_SUMS_POWERS]) {
  const double square = x * x;
  power[0] = x;
  power[1] = square;
  power[2] = square * x;
  power[3] = square * square;
}

/* The unit of higher digits of k-th powers is 2^(CAS_POWER_SUMS_BIN_BITS place[k - 1]), so that the
   next place above would round the largest to 0; 2^(k scale) is unit[k - 1] of them. */
typedef struct {
  int scale, place[CAS_POWER_SUMS_POWERS];
  double less, unit[CAS_POWER_SUMS_POWERS]; /* less: 2^-scale */
} digits;

/* The digits of sums with this largest departure, which is not 0. */
static digits digits_of(double largest) {
  enum { BITS = CAS_POWER_SUMS_BIN_BITS, ABOVE = 200 /* more than places lie below 0 */ };
  const int exponent = exponent_of(largest);
  digits d = {.scale = exponent < -1000 ? -1000 : exponent > 1000 ? 1000 : exponent};
  d.less = power_of_two(-d.scale);
  double power[CAS_POWER_SUMS_POWERS];
  powers_of(largest * d.less, power);
  for (int k = 0; k < CAS_POWER_SUMS_POWERS; k++) {
    const int top = (k + 1) * d.scale + exponent_of(power[k]);
    d.place[k] = (top + ABOVE * BITS) / BITS - ABOVE;
    d.unit[k] = power_of_two((k + 1) * d.scale - BITS * d.place[k]);
  }
  return d;
}

/* Rounds a number below 2^51 to nearest, by a sum whose last binary place has the value 1. */
static double whole(double x, int64_t *digit) {
  const double origin = 0x1.8p52, sum = x + origin;
  *digit += (int64_t)(bits_of(sum) - bits_of(origin));
  return sum - origin;
}

/* The difference of two finite numbers, kept finite. */
static double departure(double x, double shift) {
  double d = x - shift;
  return isfinite(d) ? d : d > 0 ? DBL_MAX : -DBL_MAX;
}

static double largest(const cas_power_sums *s) {
  return s->minimum > s->maximum
             ? 0
             : fmax(fabs(departure(s->minimum, s->shift)), fabs(departure(s->maximum, s->shift)));
}

/* What lies too low for two digits of the larger power is dropped, whenever it came. */
static void move_digits(cas_power_sums *s, double before, double after) {
  const digits from = digits_of(before), to = digits_of(after);
  for (int k = 0; k < CAS_POWER_SUMS_POWERS; k++) {
    int up = to.place[k] - from.place[k];
    if (up > 0) {
      s->sum[k][1] = up == 1 ? s->sum[k][0] : 0;
      s->sum[k][0] = 0;
    }
  }
}

void cas_power_sums_clear(cas_power_sums *s, double shift) {
  *s = (cas_power_sums){.shift = shift, .minimum = INFINITY, .maximum = -INFINITY};
}

/* Extends the extremes, and makes the digits those of sums with these extremes. */
static void widen(cas_power_sums *s, double minimum, double maximum) {
  double before = largest(s), after;
  s->minimum = minimum < s->minimum ? minimum : s->minimum;
  s->maximum = maximum > s->maximum ? maximum : s->maximum;
  after = largest(s);
  if (before > 0 && after > before)
    move_digits(s, before, after);
}

void cas_power_sums_add(cas_power_sums *s, double x) {
  if (x < s->minimum || x > s->maximum)
    widen(s, x, x);
  if (departure(x, s->shift) == 0)
    return;
  const digits d = digits_of(largest(s));
  double power[CAS_POWER_SUMS_POWERS];
  powers_of(departure(x, s->shift) * d.less, power);
  for (int k = 0; k < CAS_POWER_SUMS_POWERS; k++) {
    const double all = power[k] * d.unit[k], high = whole(all, &s->sum[k][0]);
    (void)whole((all - high) * 0x1p40, &s->sum[k][1]);
  }
}

void cas_power_sums_merge(cas_power_sums *s, const cas_power_sums *other) {
  cas_power_sums more = *other;
  widen(s, more.minimum, more.maximum);
  widen(&more, s->minimum, s->maximum);
  for (int k = 0; k < CAS_POWER_SUMS_POWERS; k++)
    for (int i = 0; i < CAS_POWER_SUMS_DIGITS; i++)
      s->sum[k][i] += more.sum[k][i];
}

static void merge_all(void *from, void *into, int *n, MPI_Datatype *type CAS_UNUSED) {
  for (int i = 0; i < *n; i++)
    cas_power_sums_merge((cas_power_sums *)into + i, (const cas_power_sums *)from + i);
}

cas_status cas_power_sums_reduce(const cas_power_sums *sum, int64_t n, int to, MPI_Comm comm,
                                 cas_power_sums *out, cas_error *err) {
  MPI_Datatype type;
  MPI_Op op;
  MPI_Type_contiguous(sizeof *sum, MPI_BYTE, &type);
  MPI_Type_commit(&type);
  MPI_Op_create(merge_all, 1, &op);
  const int code = MPI_Reduce(sum, out, (int)n, type, op, to, comm);
  MPI_Op_free(&op);
  MPI_Type_free(&type);
  CAS_FAIL_IF(code, CAS_INTERNAL, "MPI_Reduce of the sums failed");
  return CAS_OK;
}

cas_central_moments cas_power_sums_moments(const cas_power_sums *s, int64_t n) {
  const long double count = (long double)n;
  const double most = largest(s);
  cas_central_moments m = {.mean = s->shift, .minimum = s->minimum, .maximum = s->maximum};
  m.n = s->minimum > s->maximum ? 0 : (double)n;
  if (most == 0)
    return m;
  const digits d = digits_of(most);
  long double z[CAS_POWER_SUMS_POWERS]; /* sums of powers in units of 2^scale */
  for (int k = 0; k < CAS_POWER_SUMS_POWERS; k++)
    z[k] = ldexpl((long double)s->sum[k][0] + (long double)s->sum[k][1] * 0x1p-40L,
                  CAS_POWER_SUMS_BIN_BITS * d.place[k] - (k + 1) * d.scale);
  const long double mean = z[0] / count;
  m.scale = d.scale;
  m.m2 = fmaxl(z[1] - mean * z[0], 0);
  m.m4 = z[3] - 4 * mean * z[2] + 6 * mean * mean * z[1] - 3 * count * mean * mean * mean * mean;
  m.mean =
      fmin(fmax((double)((long double)s->shift + ldexpl(mean, d.scale)), m.minimum), m.maximum);
  return m;
}
