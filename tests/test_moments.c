/* Moments without histograms: the bits of their sums, against plain sums, and with histograms. */
/* ranks: 1 2 3 */
#include "results_fixture.h"
#include "studies/moments/power_sums.h"
#include "study_fixture.h"

#include <float.h>
#include <tgmath.h>

/* Of magnitudes between 2^-range and 2^range. */
static double wild(int range) {
  return ldexp(drand48() - 0.5, (int)(2 * range * drand48()) - range);
}

static cas_power_sums sum_of(const double *x, int n, double shift) {
  cas_power_sums s;
  cas_power_sums_clear(&s, shift);
  for (int i = 0; i < n; i++)
    cas_power_sums_add(&s, x[i]);
  return s;
}

#define REAL long double
#define PUT_NUMBER put_number
#include "studies/ensemble_number.h"

static const cas_ensemble_observable *moments_of(const double *x, int n, double shift) {
  const cas_power_sums s = sum_of(x, n, shift);
  const cas_central_moments m = cas_power_sums_moments(&s, n);
  cas_ensemble *e;
  MUST(cas_ensemble_create(new_results(), 1, 0, 0, 1, &e, &err));
  MUST(cas_ensemble_observe(e, 0, "x", "x", "1", 0, NULL, &err));
  put_number(e->observable, 0, &m);
  return e->observable;
}

/* ---- sums ---- */

/* Any order, any division, any tree. */
TEST(order_does_not_matter) {
  enum { N = 307 }; /* a prime: its multiples are an order */
  const int range[] = {0, 3, 40, 200, 500, 1000};
  double x[N], y[N];
  for (size_t k = 0; k < sizeof range / sizeof *range; k++) {
    for (int i = 0; i < N; i++)
      x[i] = i % 50 == 7 ? 0 : wild(range[k]);
    const double shift = k % 2 ? x[3] : 0;
    const cas_power_sums whole = sum_of(x, N, shift);
    for (int trial = 1; trial <= 50; trial++) {
      for (int i = 0; i < N; i++)
        y[i] = x[i * trial * 5 % N];
      int a = (int)(drand48() * N), b = a + (int)(drand48() * (N - a));
      cas_power_sums first = sum_of(y, a, shift), middle = sum_of(y + a, b - a, shift),
                     last = sum_of(y + b, N - b, shift);
      cas_power_sums_merge(&last, &first);
      cas_power_sums_merge(&middle, &last);
      ck_assert_mem_eq(&middle, &whole, sizeof whole);
    }
  }
}

/* Each power is off by at most 2^-40 of the largest, for every value. */
TEST(moments_are_those_of_plain_sums) {
  enum { N = 1000 };
  for (int trial = 0; trial < 40; trial++) {
    double x[N], scale = ldexp(1, 13 * trial - 260), centre = trial % 3 ? scale * drand48() : 0;
    for (int i = 0; i < N; i++)
      x[i] = centre + scale * (drand48() + drand48() * drand48() - 0.7);
    const cas_ensemble_observable *m = moments_of(x, N, x[0]);
    long double mean = 0, m2 = 0;
    double most = 0, least = INFINITY, greatest = -INFINITY;
    for (int i = 0; i < N; i++) {
      mean += (long double)x[i] / N;
      most = fmax(most, fabs(x[i] - x[0]));
      least = fmin(least, x[i]);
      greatest = fmax(greatest, x[i]);
    }
    for (int i = 0; i < N; i++)
      m2 += (x[i] - mean) * (x[i] - mean);
    const double variance = (double)(m2 / (N - 1)), tolerance = 0x1p-40 * most,
                 error = left_one_out(x, N, mean, m2);
    ck_assert(*m->minimum == least && *m->maximum == greatest);
    ck_assert(fabs(*m->mean.value - (double)mean) <= tolerance + DBL_EPSILON * fabs((double)mean));
    ck_assert(fabs(*m->variance.value - variance) <= 4 * tolerance * most);
    ck_assert(fabs(*m->mean.standard_error - sqrt(variance / N)) <= 1e-9 * sqrt(variance / N));
    ck_assert(fabs(*m->variance.standard_error - error) <= 1e-8 * error);
  }
}

TEST(few_values_and_extreme_ones) {
  const double x[] = {DBL_MAX, -DBL_MAX, DBL_MAX, 0, DBL_TRUE_MIN, -DBL_MIN};
  const cas_ensemble_observable *m = moments_of(x, 0, 1);
  ck_assert(isnan(*m->mean.value) && isnan(*m->variance.value));
  ck_assert(isnan(*m->minimum) && isnan(*m->maximum));
  m = moments_of(x + 3, 1, 0.25);
  ck_assert(*m->mean.value == 0 && *m->minimum == 0 && *m->maximum == 0);
  ck_assert(isnan(*m->variance.value) && isnan(*m->mean.standard_error));
  ck_assert(isnan(*m->variance.standard_error));
  m = moments_of(x, 6, 0);
  ck_assert(*m->minimum == -DBL_MAX && *m->maximum == DBL_MAX);
  ck_assert(fabs(*m->mean.value / DBL_MAX - 1.0 / 6) < 1e-9);
  m = moments_of(x + 3, 3, 0);
  ck_assert(fabs(*m->mean.value / DBL_MIN + 1.0 / 3) < 1e-9 && *m->minimum == -DBL_MIN);
  /* equal values have no variance, whatever they are */
  m = moments_of((double[]){0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1}, 7, 0.1);
  ck_assert(*m->mean.value == 0.1 && *m->variance.value == 0);
  ck_assert(*m->mean.standard_error == 0 && *m->variance.standard_error == 0);
}

/* As many values as there may be, all as large as the first digit allows. */
TEST(digits_do_not_overflow) {
  cas_power_sums s;
  cas_power_sums_clear(&s, 0);
  cas_power_sums_add(&s, nextafter(0x1p39, 0));
  for (int k = 0; k < CAS_POWER_SUMS_POWERS; k++)
    for (int i = 0; i < CAS_POWER_SUMS_DIGITS; i++)
      ck_assert(llabs(s.sum[k][i]) <= INT64_MAX / CAS_POWER_SUMS_MOST);
}

/* ---- studies ---- */

/* Departures whose powers are summed are at most as large as the range of the values. */
static void compare(const cas_ensemble_observable *a, const cas_ensemble_observable *b, size_t n) {
  ck_assert_str_eq(a->name, b->name);
  for (size_t i = 0; i < n; i++) {
    const double range = b->maximum[i] - b->minimum[i], tiny = 1e-14 * fabs(b->mean.value[i]);
    ck_assert(a->minimum[i] == b->minimum[i] && a->maximum[i] == b->maximum[i]);
    assert_near(a->mean.value[i], b->mean.value[i], 2e-12 * range + tiny, a->name);
    assert_near(a->variance.value[i], b->variance.value[i], 1e-11 * range * range + tiny * range,
                a->name);
    assert_near(a->mean.standard_error[i], b->mean.standard_error[i], 1e-10 * range + tiny,
                a->name);
    assert_near(a->variance.standard_error[i], b->variance.standard_error[i],
                1e-8 * range * range + tiny * range, a->name);
  }
}

/* Of all systems, some with axes; test_compute.c has such a study in memory. */
TEST_OVER(moments_are_those_with_histograms, looks_for_accesses() ? 1 : 6) {
  static const char *const systems[] = {"euler_zeitlin", "rigid_body",     "heavy_top",
                                        "manakov",       "point_vortices", "lie_poisson"};
  const cas_ensemble *e[2];
  for (int k = 0; k < 2; k++)
    e[k] = ensemble_of(
        "system: %s\nrandom: {generator: threefry}\nstudy: {kind: ensemble, step: 2^-6, steps: 8, "
        "every: 2, paths: 90, observables: [hamiltonian, casimir_departure%s]%s}\n",
        study_case_of(systems[_i])->system,
        strcmp(systems[_i], "euler_zeitlin") ? "" : ", energy_spectrum, vorticity",
        k ? "" : ", bins: 0");
  ck_assert(e[0]->bins == 0 && e[0]->quantiles == 0 && e[0]->counted == 90 && e[1]->counted == 90);
  for (int i = 0; i < e[1]->observables; i++)
    compare(&e[0]->observable[i], &e[1]->observable[i],
            (size_t)e[1]->records * (size_t)e[1]->observable[i].numbers);
}

RUN_TESTS_WITH_MPI
