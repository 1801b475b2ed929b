/* Differences between neighbouring runs on the same paths: their intervals cover the exact
   difference, and are far narrower than those of differences of means. */
/* ranks: 1 */
#include "base/text.h"
#include "files/results/rows.h"
#include "study_fixture.h"

/* E x1 at time 1, and its average over the steps. */
static double exact_mean(double a) { return cos(a) * exp(-0.045); }

static double exact_average(double a) {
  double sum = 0;
  for (int k = 1; k <= 8; k++)
    sum += cos(a * k / 8) * exp(-0.045 * k / 8);
  return sum / 8;
}

/* x1 = cos(a t + 0.3 W(t)), exactly in every step */
#define TURNING                                                                                 \
  "system: {name: lie_poisson, parameters: {a: %g, s: 0.3}, hamiltonian: a*x3, noise: [s*x3], " \
  "initial: [1, 0, 0]}\nintegrator: {name: munthe_kaas}\nrandom: {generator: threefry, seed: "  \
  "%d}\nstudy: {step: 2^-3, steps: 8, paths: 128, %s}\n"

/* Values, and means of groups of 8 of the 128 paths. */
static const struct {
  const char *study;
  int64_t values;
  double (*exact)(double a);
} studies[] = {
    {"kind: trajectory, every: 2, state: false, observables: [x1]", 128, exact_mean},
    {"kind: ensemble, every: 4, path_groups: 16, observables: [x1]", 16, exact_mean},
    {"kind: time_average, batches: 4, path_groups: 16, observables: [x1]", 16, exact_average}};

typedef struct {
  int calls;
  cas_sensitivity last;
} found;

static void take(void *context, const cas_sensitivity *s) {
  found *f = context;
  f->calls++;
  f->last = *s;
}

static const char *const files[] = {"a.h5", "b.h5", "c.h5"};

static found measure(int n) {
  found f = {0};
  MUST(cas_sensitivity_visit(files, n, true, take, &f, &err));
  return f;
}

/* Keeps a run, of which paths may fail. */
static void keep_run(const char *name, const char *study, double a, int seed) {
  cas_results r;
  cas_error err;
  const cas_status st = run_text(MPI_COMM_WORLD, &r, &err, TURNING, a, seed, study);
  ck_assert_msg(!st || st == CAS_CHECK_FAILED, "%s", err.text);
  keep_as(name);
}

static found measure_two(const char *study, double from, double to, int seed) {
  keep_run("a.h5", study, from, seed);
  keep_run("b.h5", study, to, seed);
  const found f = measure(2);
  ck_assert_int_eq(f.calls, 1);
  ck_assert(f.last.from == from && f.last.to == to && f.last.time == 1);
  return f;
}

TEST_OF_MANY_PATHS_OVER(intervals_cover_the_exact_difference, sizeof studies / sizeof *studies) {
  const double from = 1.2, to = 1.25, truth = studies[_i].exact(to) - studies[_i].exact(from);
  int covered = 0;
  const int seeds = repetitions(60);
  for (int seed = 1; seed <= seeds; seed++) {
    const found f = measure_two(studies[_i].study, from, to, seed);
    ck_assert(f.last.paths == 128 && f.last.values == studies[_i].values);
    covered += f.last.low <= truth && truth <= f.last.high;
    /* the deviation of x1 is 0.27, that of its difference 0.004 */
    ck_assert(f.last.standard_error > 0.00005 && f.last.standard_error < 0.001);
  }
  printf("%.30s: %d of %d cover\n", studies[_i].study, covered, seeds);
  ck_assert_msg(covered >= least_count(seeds, 0.95, 1e-3), "%s: %d of %d", studies[_i].study,
                covered, seeds);
}

/* Intervals of flips cover 95% of all outcomes, which are added up, for all probabilities. */
static double log_binomial(int k, int n, double p) {
  return lgamma(n + 1.) - lgamma(k + 1.) - lgamma(n - k + 1.) + k * log(p) + (n - k) * log1p(-p);
}

static double flips_coverage(int n, double up, double down) {
  double covered = 0;
  for (int u = 0; u <= n; u++) {
    const double share = exp(log_binomial(u, n, up));
    for (int d = 0; share > 1e-9 && d <= n - u; d++) {
      const double also = exp(log_binomial(d, n - u, down / (1 - up)));
      double low, high;
      if (share * also < 1e-10)
        continue;
      cas_flips_interval(u, d, n, 0.95, &low, &high);
      ck_assert(low < high);
      covered += low <= up - down && up - down <= high ? share * also : 0;
    }
  }
  return covered;
}

TEST(flips_are_covered) {
  static const double expected[] = {1e-9, 0.3, 1, 2, 4, 9, 20, 48}; /* of 100 paths */
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 8; j++) {
      const double c = flips_coverage(100, expected[i] / 100, expected[j] / 100);
      ck_assert_msg(c >= 0.95 - 1e-7, "%g up, %g down: %g", expected[i], expected[j], c);
    }
}

static double below(double x) { return erfc(-x / sqrt(2)) / 2; }

/* P(x1 > level) at time 1: the angle is normal with mean a and deviation 0.3 */
static double exact_probability(double a, double level) {
  const double angle = acos(level);
  return below((angle - a) / 0.3) - below((-angle - a) / 0.3);
}

enum { EVENTS = 4 };

/* Adds to its count whether an event's difference is covered. */
typedef struct {
  double truth[EVENTS];
  int calls, covered[EVENTS], without[EVENTS];
} coverage;

static void take_event(void *context, const cas_sensitivity *s) {
  coverage *c = context;
  const int e = s->observable[1] - '0';
  c->calls++;
  ck_assert(e >= 0 && e < EVENTS && s->paths == 128);
  ck_assert_msg(!(s->standard_error <= 0), "%s: 0 +- 0", s->observable);
  ck_assert(s->low < s->high || (isnan(s->low) && isnan(s->high)));
  c->covered[e] += s->low <= c->truth[e] && c->truth[e] <= s->high;
  c->without[e] += isnan(s->low) && s->differing == 0;
}

/* Probabilities from one half to 10^-4, whose paths flip often, now and then, or never: their
   differences are covered where the paths are recorded and where groups of them are; where no path
   has the event in either run there is no interval. */
TEST_OVER(differences_of_probabilities_are_covered, 3) {
  static const double deviations[EVENTS] = {0, 2, 2.7, 3.7}; /* of the level from the mean angle */
  static const char *const kinds[] = {"kind: trajectory, every: 8, state: false, ",
                                      "kind: ensemble, times: [1], path_groups: 16, ",
                                      "kind: ensemble, times: [1], path_groups: 128, "};
  const double from = 1.2, to = 1.21;
  const int seeds = repetitions(60);
  coverage c = {.calls = 0};
  char study[500];
  snprintf(study, sizeof study, "%sobservables: [", kinds[_i]);
  for (int e = 0; e < EVENTS; e++) {
    const double level = cos(from - 0.3 * deviations[e]);
    c.truth[e] = exact_probability(to, level) - exact_probability(from, level);
    ck_assert(c.truth[e] < 0);
    cas_append(study, sizeof study, "%s{e%d: \"x1 > %.15g\"}", e ? ", " : "", e, level);
  }
  cas_append(study, sizeof study, "]");
  for (int seed = 1; seed <= seeds; seed++) {
    keep_run("a.h5", study, from, seed);
    keep_run("b.h5", study, to, seed);
    MUST(cas_sensitivity_visit(files, 2, true, take_event, &c, &err));
  }
  ck_assert_int_eq(c.calls, EVENTS * seeds);
  ck_assert(c.without[0] == 0 && c.without[3] > seeds / 2);
  for (int e = 0; e < EVENTS; e++)
    ck_assert_msg(c.covered[e] + c.without[e] >= least_count(seeds, 0.95, 1e-3),
                  "%s, event %d: %d and %d of %d", kinds[_i], e, c.covered[e], c.without[e], seeds);
}

/* Of values that are no events and hardly differ nothing is claimed, and it is said. */
TEST(few_values_that_differ_have_no_interval) {
  const char *study = "kind: trajectory, every: 8, state: false, observables: [{over: \"2*max(x1 - "
                      "0.7, 0)\"}]";
  const found seen = measure_two(study, 1.2, 1.21, 5);
  bool any;
  cas_error err = {0};
  ck_assert(seen.last.differing > 0 && seen.last.differing < 20 && isnan(seen.last.low) &&
            isnan(seen.last.high));
  ck_assert(isnan(seen.last.standard_error));
  PRINTED(text, ck_assert(!cas_sensitivity_print(f, CAS_ROWS_TEXT, files, 2, true, &any, &err)));
  ck_assert(any);
  ck_assert_msg(strstr(text, " values differ\n") || strstr(text, "no value differs\n"), "%s", text);
}

/* Groups of one path are the paths themselves, and the difference is that of the printed means. */
TEST(groups_are_of_the_same_paths) {
  const found paths = measure_two(studies[0].study, 1.2, 1.25, 7),
              groups = measure_two("kind: ensemble, every: 8, path_groups: 128, observables: [x1]",
                                   1.2, 1.25, 7),
              few = measure_two("kind: ensemble, every: 8, path_groups: 7, observables: [x1]", 1.2,
                                1.25, 7);
  ck_assert_double_eq_tol(paths.last.difference, groups.last.difference, 1e-14);
  ck_assert_double_eq_tol(paths.last.standard_error, groups.last.standard_error, 1e-14);
  ck_assert_double_eq_tol(paths.last.difference, few.last.difference, 1e-14);
  ck_assert(few.last.values == 7 && few.last.high - few.last.low > 4.8 * few.last.standard_error);
}

/* Paths that fail in one run only take their group with them. */
TEST(groups_that_lost_paths_are_left_out) {
  const found f = measure_two("kind: ensemble, on_failure: drop, times: [1], path_groups: 16, "
                              "observables: [{root: sqrt(x1)}]",
                              1.2, 1.25, 3);
  const double *mean[2], *of[2];
  double sum = 0, paths = 0;
  int groups = 0;
  for (int k = 0; k < 2; k++) {
    const series s = series_of(files[k], "/ensemble/root/group_paths");
    ck_assert(s.records * s.numbers == 16);
    of[k] = s.value;
    mean[k] = series_of(files[k], "/ensemble/root/group_mean").value;
  }
  for (int g = 0; g < 16; g++)
    if (of[0][g] == of[1][g] && of[0][g] > 0) {
      paths += of[0][g];
      groups++;
      sum += of[0][g] * (mean[1][g] - mean[0][g]);
    }
  ck_assert(groups >= 2 && groups < 16 && f.last.values == groups);
  ck_assert(f.last.paths == (int64_t)paths);
  ck_assert_double_eq_tol(f.last.difference, sum / paths, 1e-15);
}

/* Of three values the ends are no neighbours; other seeds are no same paths. */
TEST(neighbours_have_the_same_paths) {
  const char *study = studies[0].study;
  const double a[] = {1, 1.2, 1.1};
  for (int i = 0; i < 3; i++)
    keep_run(files[i], study, a[i], 1);
  ck_assert_int_eq(measure(3).calls, 2);
  keep_run("b.h5", study, a[1], 2);
  ck_assert_int_eq(measure(2).calls, 0);
  keep_run("a.h5", study, a[0], 2);
  ck_assert_int_eq(measure(3).calls, 1);
}

RUN_TESTS_WITH_MPI
