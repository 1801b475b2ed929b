/* Averages over time: intervals over samples of a process whose correlations are known, and of a
   body on which linear noise acts alone, whose law is uniform on the sphere in the end. */
/* ranks: 1 */
#include "files/results/table.h"
#include "studies/laws/time_average.h"
#include "study_fixture.h"

/* ---- intervals ---- */

enum { BATCHES = 16, HALF = 30, MOST_PATHS = 40 };

/* Adds a value to a mean and a sum of squared deviations of n - 1 values. */
static void add(double n, double value, double *mean, double *m2) {
  double d = value - *mean;
  *mean += d / n;
  *m2 += d * (value - *mean);
}

/* The estimate from windows of x' = rho x + (1 - rho^2)^(1/2) normal, one time unit a step. */
static cas_time_mean sample(double rho, int paths, unsigned short state[3]) {
  double half[2 * BATCHES] = {0}, half_m2[2 * BATCHES] = {0}, batch[BATCHES] = {0},
                  batch_m2[BATCHES] = {0};
  cas_batch_moments m = {.paths = paths,
                         .batches = BATCHES,
                         .batch_time = 2 * HALF,
                         .half = half,
                         .half_m2 = half_m2,
                         .batch = batch,
                         .batch_m2 = batch_m2,
                         .centre = 0.5};
  for (int p = 1; p <= paths; p++) {
    double x = normal(state), all = 0, square = 0, pair = 0;
    for (int k = 0; k < 2 * BATCHES; k++) {
      double sum = 0;
      for (int i = 0; i < HALF; i++) {
        x = rho * x + sqrt(1 - rho * rho) * normal(state);
        sum += x / HALF;
        square += (x - 0.5) * (x - 0.5) / (2 * BATCHES * HALF);
      }
      add(p, sum, &half[k], &half_m2[k]);
      pair += sum / 2;
      if (k % 2) {
        add(p, pair, &batch[k / 2], &batch_m2[k / 2]);
        all += pair / BATCHES;
        pair = 0;
      }
    }
    add(p, all, &m.mean, &m.mean_m2);
    m.square += (square - m.square) / p;
  }
  return cas_batch_moments_estimate(&m);
}

/* Of n estimates with a correlation `rho`, those whose intervals have the mean and the
   autocorrelation time, whose variance is near 1, and whose batches are said to be short. */
typedef struct {
  int mean, time, variance, flagged;
} counts;

static counts count(double rho, int paths, int n, unsigned short state[3]) {
  const double time = (1 + rho) / (1 - rho);
  counts c = {0};
  for (int k = 0; k < n; k++) {
    const cas_time_mean e = sample(rho, paths, state);
    c.mean += e.low <= 0 && 0 <= e.high;
    c.time += e.autocorrelation_low <= time && time <= e.autocorrelation_high;
    c.variance += fabs(e.variance - 1) < 5 * sqrt(2 / e.effective_samples);
    c.flagged += e.short_batches;
  }
  printf("time_average, %d paths, rho %g: means %d, times %d, flagged %d of %d\n", paths, rho,
         c.mean, c.time, c.flagged, n);
  return c;
}

static const int path_numbers[] = {1, 4, MOST_PATHS};

/* 95% intervals, of windows of 320 autocorrelation times. */
TEST_OVER(intervals_cover, 3) {
  const int paths = path_numbers[_i], n = repetitions(paths > 4 ? 300 : 1000);
  const counts c = count(0.5, paths, n, (unsigned short[]){1, 2, (unsigned short)_i});
  ck_assert(c.mean > 0.92 * n && c.mean < 0.98 * n);
  ck_assert(c.time > 0.91 * n && c.time < 0.98 * n);
  ck_assert(c.flagged < 0.1 * n && c.variance > 0.99 * n);
}

/* Batches of half to two autocorrelation times, also of one path, nearly all say they are short. */
TEST_OVER(short_batches_are_seen, 9) {
  static const double times[] = {0.5, 1, 2};
  const double time = 2 * HALF / times[_i % 3], rho = (time - 1) / (time + 1);
  const int paths = path_numbers[_i / 3], n = repetitions(paths > 4 ? 100 : 400);
  unsigned short state[] = {3, (unsigned short)(_i % 3), (unsigned short)(_i / 3)};
  ck_assert(count(rho, paths, n, state).flagged >= 0.97 * n);
}

/* ---- the study ---- */

static const char body[] = "system: {name: rigid_body, inertia: [.inf, .inf, .inf], noise: {kind: "
                           "linear, sigma: 1}, initial: [0.6, 0, 0.8]}\n"
                           "random: {generator: threefry}\nintegrator: {name: splitting}\n"
                           "study: {kind: time_average, step: 2^-4, horizon: %d, from: 5, every: "
                           "2, paths: %d, observables: [x1, x2, x3, sin2pi]}\n";

/* Each component has mean 0, mean square 1/3 and the autocorrelation exp(-t): its integral over
   both signs is 2, and a little more as sums at distances of 1/8 have it. A window of one path and
   one of 40 paths say the same. */
TEST_OVER(linear_noise_forgets_where_it_began, 2) {
  static const int horizon[] = {325, 45}, paths[] = {1, 40};
  double squares = 0;
  const cas_results *r = results_of(body, horizon[_i], paths[_i]);
  for (int k = 0; k < 3; k++) {
    const char *name[] = {"time_average/x1", "time_average/x2", "time_average/x3"};
    const cas_time_average *a = cas_results_find(r, name[k]);
    ck_assert_ptr_nonnull(a);
    ck_assert(a->counted == paths[_i] && a->from == 5 && a->end[a->batches - 1] == horizon[_i]);
    ck_assert(fabs(a->average.mean) < 4.5 * a->average.standard_error);
    ck_assert(fabs(a->average.variance * 3 - 1) < 5 * sqrt(2 / a->average.effective_samples));
    for (int b = 0; b < a->batches; b++)
      squares += pow(a->batch_mean[b] / a->batch_standard_error[b], 2) / (3 * a->batches);
    double relative = a->average.autocorrelation_time / 2;
    ck_assert_msg(relative > 0.4 && relative < (paths[_i] == 1 ? 3 : 1.2), "%g", relative);
  }
  /* 48 squares of Student's t of 39 degrees of freedom; a single path has no spread */
  ck_assert_msg(paths[_i] == 1 ? isnan(squares) : squares > 0.4 && squares < 2, "%g", squares);
}

TEST(windows_without_observations_are_refused) {
  is_refused(0, "study.batches", body, 6, 1);
  is_refused(0, "study.from", body, 4, 1);
}

/* An event that no path has at any time has an interval by its paths, and no standard error of 0.
   */
TEST(an_event_that_is_not_seen_has_an_interval) {
  const cas_results *r =
      results_of("system: {name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: quadratic, sigma: "
                 "0.3}, initial: [0.36, 0.48, 0.8]}\nrandom: {generator: threefry}\n"
                 "study: {kind: time_average, step: 2^-4, steps: 64, batches: 4, paths: 100, "
                 "observables: [{never: \"x1 > 2\"}, {always: \"x1 < 2\"}]}\n");
  for (int always = 0; always < 2; always++) {
    const cas_time_average *a =
        cas_results_find(r, always ? "time_average/always" : "time_average/never");
    const double missed = 1 - pow(0.025, 1. / 100), low = always ? 1 - missed : 0;
    ck_assert(a && a->average.mean == always && isnan(a->average.standard_error));
    ck_assert_double_eq_tol(a->average.low, low, 1e-12);
    ck_assert_double_eq_tol(a->average.high, always ? 1 : missed, 1e-12);
  }
}

RUN_TESTS_WITH_MPI
