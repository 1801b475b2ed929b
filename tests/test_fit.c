/* Order fits: laws recovered, intervals that cover, verdicts. */
#include <casimir/statistics.h>
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS = 6, GROUPS = 64 };

#define assert_close(x, y, tolerance)                                                            \
  do {                                                                                           \
    double x_ = (x), y_ = (y);                                                                   \
    ck_assert_msg(isfinite(x_) && fabs(x_ - y_) <= (tolerance), "%s = %.17g, not %.17g", #x, x_, \
                  y_);                                                                           \
  } while (0)
#define assert_verdict(c, words) \
  ck_assert_msg(strstr((c).verdict, words), "'%s' does not say '%s'", (c).verdict, words)

/* ---- samples ---- */

typedef struct {
  cas_samples s;
  double step[LEVELS], count[GROUPS], mean[GROUPS * LEVELS], m2[GROUPS * LEVELS];
} sample_set;

/* 2^-7 .. 2^-12 against 2^-16, no path yet */
static void begin(sample_set *t, cas_error_kind kind) {
  memset(t, 0, sizeof *t);
  for (int j = 0; j < LEVELS; j++)
    t->step[j] = ldexp(1, -7 - j);
  t->s = (cas_samples){.kind = kind,
                       .levels = LEVELS,
                       .groups = GROUPS,
                       .step = t->step,
                       .reference_step = ldexp(1, -16),
                       .count = t->count,
                       .mean = t->mean,
                       .m2 = t->m2};
}

static void add_path(sample_set *t, int path, const double *quantity) {
  int g = path % GROUPS;

  t->count[g]++;
  for (int j = 0; j < LEVELS; j++) {
    double *mean = &t->mean[g * LEVELS + j], d = quantity[j] - *mean;

    *mean += d / t->count[g];
    t->m2[g * LEVELS + j] += d * (quantity[j] - *mean);
  }
}

/* `paths` paths whose quantity is exactly `mean` on average, spread by +- `spread` in pairs within
 * a group. */
static void add_pairs(sample_set *t, int paths, const double *mean, const double *spread) {
  double low[LEVELS], high[LEVELS];

  for (int j = 0; j < LEVELS; j++)
    low[j] = mean[j] - spread[j], high[j] = mean[j] + spread[j];
  for (int p = 0; p < paths; p++)
    add_path(t, p, p / GROUPS % 2 ? low : high);
}

/* error_j = law, relative spread 1/2 */
static void add_law(sample_set *t, double p, bool corrected, double constant) {
  double mean[LEVELS], spread[LEVELS], s = t->s.kind == CAS_STRONG ? 2 : 1, r = t->s.reference_step;

  for (int j = 0; j < LEVELS; j++) {
    mean[j] = pow(t->step[j], s * p) - (corrected ? pow(r, s * p) : 0);
    mean[j] *= t->s.kind == CAS_STRONG ? constant * constant : constant;
    spread[j] = mean[j] / 2;
  }
  add_pairs(t, 2 * GROUPS, mean, spread);
}

static cas_curve fitted(const sample_set *t, double expected) {
  cas_error err = {0};
  cas_curve c;

  ck_assert_msg(!cas_curve_init(&c, t->s.kind, "sin2pi", LEVELS, &err), "%s", err.text);
  c.expected_order = expected;
  ck_assert_msg(!cas_curve_fit(&t->s, &c, &err), "%s", err.text);
  ck_assert_uint_lt(strlen(c.verdict), sizeof c.verdict - 1);
  return c;
}

static void assert_not_fitted(const cas_curve *c) {
  ck_assert(isnan(c->raw.order) && isnan(c->raw.low) && isnan(c->raw.high));
  ck_assert(isnan(c->corrected.order) && isnan(c->corrected.low) && isnan(c->corrected.high));
}

/* ---- laws ---- */

static const double orders[] = {0.5, 1, 1.5, 2, 0.013, -0.4};
#define ORDERS ((int)(sizeof orders / sizeof *orders))

START_TEST(power_laws_are_recovered) {
  cas_error_kind kind = _i % 2 ? CAS_WEAK : CAS_STRONG;
  double p = orders[_i / 2], constant = kind == CAS_WEAK ? -0.37 : 0.37;
  sample_set t;
  cas_curve c;

  begin(&t, kind);
  add_law(&t, p, false, constant);
  c = fitted(&t, p);
  assert_close(c.raw.order, p, 1e-10);
  assert_close(c.raw.constant / constant, 1, 1e-9);
  assert_close(c.raw.high - c.raw.low, 0, 1e-9);
  for (int j = 0; j + 1 < LEVELS; j++)
    assert_close(c.local_order[j], p, 1e-10);
  cas_curve_free(&c);
}
END_TEST

START_TEST(corrected_laws_are_recovered) {
  cas_error_kind kind = _i % 2 ? CAS_WEAK : CAS_STRONG;
  double p = orders[_i / 2], constant = kind == CAS_WEAK && p > 0 ? -2.5 : 2.5;
  sample_set t;
  cas_curve c;

  begin(&t, kind);
  t.s.reference_step = ldexp(1, -13); /* next to the finest level */
  if (p < 0 && kind == CAS_STRONG)
    return;
  add_law(&t, p, true, constant);
  c = fitted(&t, p);
  assert_close(c.corrected.order, p, 1e-10);
  assert_close(fabs(c.corrected.constant) / fabs(constant), 1, 1e-8);
  if (p > 0)
    ck_assert_msg(c.raw.order > p, "raw %g, corrected %g", c.raw.order, p);
  for (int j = 0; j + 1 < LEVELS; j++)
    assert_close(c.local_order_corrected[j], p, 1e-10);
  for (int j = 0; p > 0 && j < LEVELS; j++)
    assert_close(cas_fit_value(&c.corrected, kind, t.s.reference_step, t.step[j]) / c.error[j], 1,
                 1e-9);
  cas_curve_free(&c);
}
END_TEST

/* The figures of mathematics: error and standard error from pooled paths, by hand. */
START_TEST(errors_and_standard_errors) {
  double mean[LEVELS], spread[LEVELS], n = 2 * GROUPS;
  sample_set t;
  cas_curve c;

  for (int j = 0; j < LEVELS; j++)
    mean[j] = 4, spread[j] = 1;
  begin(&t, CAS_STRONG);
  add_pairs(&t, 2 * GROUPS, mean, spread);
  c = fitted(&t, 0.5);
  assert_close(c.error[0], 2, 1e-14);
  assert_close(c.standard_error[0], sqrt(n / (n - 1) / n) / 4, 1e-14);
  cas_curve_free(&c);
  begin(&t, CAS_WEAK);
  mean[0] = -4;
  add_pairs(&t, 2 * GROUPS, mean, spread);
  c = fitted(&t, 1);
  assert_close(c.error[0], -4, 1e-14);
  assert_close(c.standard_error[0], sqrt(n / (n - 1) / n), 1e-14);
  cas_curve_free(&c);
}
END_TEST

START_TEST(two_levels_are_met_exactly) {
  double mean[LEVELS] = {0.03, 0.012}, spread[LEVELS] = {0.03, 0.03, 1, 1, 1, 1};
  sample_set t;
  cas_curve c;

  begin(&t, CAS_WEAK);
  add_pairs(&t, 2 * GROUPS, mean, spread);
  c = fitted(&t, 1);
  assert_close(c.raw.order, log2(2.5), 1e-10);
  assert_close(c.raw.order, c.local_order[0], 1e-10);
  assert_close(c.corrected.order, c.local_order_corrected[0], 1e-10);
  cas_curve_free(&c);
}
END_TEST

START_TEST(levels_without_sampling_error_weigh_the_same) {
  double mean[LEVELS], none[LEVELS] = {0}, slope = 0, norm = 0;
  sample_set t;
  cas_curve c;

  for (int j = 0; j < LEVELS; j++) {
    mean[j] = exp2(-4 * (j + 7) + 0.1 * (j == 0));
    slope += -4 * (j + 7) * (j - 2.5) + 0.1 * (j == 0) * (j - 2.5);
    norm += (j - 2.5) * (j - 2.5);
  }
  begin(&t, CAS_STRONG);
  add_pairs(&t, 3 * GROUPS, mean, none);
  c = fitted(&t, 2);
  assert_close(c.raw.order, -slope / norm / 2, 1e-10);
  assert_close(c.corrected.high - c.corrected.low, 0, 1e-9);
  assert_verdict(c, "order 2.01, all paths alike: consistent with 2");
  cas_curve_free(&c);
}
END_TEST

/* ---- what must not become a number ---- */

START_TEST(unresolved_levels_stay_out) {
  double mean[LEVELS], spread[LEVELS];
  sample_set t;
  cas_curve c;

  begin(&t, CAS_WEAK);
  for (int j = 0; j < LEVELS; j++) {
    mean[j] = j < 4 ? -t.step[j] : 1;
    spread[j] = j < 4 ? t.step[j] / 4 : 1000;
  }
  add_pairs(&t, 2 * GROUPS, mean, spread);
  c = fitted(&t, 1);
  for (int j = 0; j < LEVELS; j++)
    ck_assert_int_eq(c.resolved[j], j < 4);
  assert_close(c.raw.order, 1, 1e-10);
  ck_assert(isnan(c.local_order[3]) && isnan(c.local_order[4]));
  ck_assert(isnan(c.local_order_corrected[3]));
  cas_curve_free(&c);
}
END_TEST

START_TEST(sign_changes_are_not_fitted) {
  double mean[LEVELS] = {8, 4, 2, -1, -2, 0}, spread[LEVELS] = {1, 1, 1, 1, 1, 9};
  sample_set t;
  cas_curve c;

  begin(&t, CAS_WEAK);
  add_pairs(&t, 2 * GROUPS, mean, spread);
  c = fitted(&t, 1);
  assert_not_fitted(&c);
  ck_assert(isnan(c.local_order[2]));
  assert_verdict(c, "changes sign between h = 2^-9 and 2^-10");
  cas_curve_free(&c);
}
END_TEST

START_TEST(nan_never_becomes_an_order) {
  sample_set t;
  cas_curve c;

  begin(&t, _i % 2 ? CAS_WEAK : CAS_STRONG);
  add_law(&t, 1, true, 1);
  for (int k = 0; k < GROUPS * LEVELS; k++) {
    if (_i < 4)
      t.mean[k] = _i < 2 ? NAN : INFINITY;
    else
      t.m2[k] = NAN;
  }
  c = fitted(&t, 1);
  assert_not_fitted(&c);
  for (int j = 0; j < LEVELS; j++)
    ck_assert_int_eq(c.resolved[j], 0);
  assert_verdict(c, "not resolved: 0 of 6 levels are above the noise floor");
  cas_curve_free(&c);
}
END_TEST

START_TEST(one_bad_level_spoils_no_other) {
  sample_set t;
  cas_curve c;

  begin(&t, CAS_STRONG);
  add_law(&t, 1, true, 1);
  t.mean[5 * LEVELS + 2] = NAN;
  c = fitted(&t, 1);
  ck_assert_int_eq(c.resolved[2], 0);
  assert_close(c.corrected.order, 1, 1e-10);
  cas_curve_free(&c);
}
END_TEST

START_TEST(nothing_from_nothing) {
  double zero[LEVELS] = {0};
  sample_set t;
  cas_curve c;

  begin(&t, _i % 2 ? CAS_WEAK : CAS_STRONG);
  if (_i >= 2)
    add_pairs(&t, 2 * GROUPS, zero, zero);
  c = fitted(&t, 1);
  assert_not_fitted(&c);
  assert_verdict(c, "not resolved: 0 of 6 levels");
  cas_curve_free(&c);
}
END_TEST

START_TEST(a_single_group_gives_no_interval) {
  double a[LEVELS], b[LEVELS];
  sample_set t;
  cas_curve c;

  begin(&t, CAS_STRONG);
  for (int j = 0; j < LEVELS; j++)
    a[j] = t.step[j], b[j] = t.step[j] * 1.1;
  add_path(&t, 0, a);
  add_path(&t, GROUPS, b);
  c = fitted(&t, 0.5);
  assert_close(c.raw.order, 0.5, 1e-10);
  ck_assert(isnan(c.corrected.low) && isnan(c.corrected.high));
  assert_verdict(c, "too few paths");
  cas_curve_free(&c);
}
END_TEST

START_TEST(growing_errors_have_no_corrected_order) {
  sample_set t;
  cas_curve c;

  begin(&t, CAS_STRONG);
  add_law(&t, -0.5, false, 1);
  c = fitted(&t, 0.5);
  assert_close(c.raw.order, -0.5, 1e-10);
  ck_assert(isnan(c.corrected.order) && isnan(c.corrected.low));
  assert_verdict(c, "not resolved");
  cas_curve_free(&c);
}
END_TEST

START_TEST(a_reference_as_coarse_as_a_level_is_refused) {
  cas_error err = {0};
  sample_set t;
  cas_curve c;

  begin(&t, CAS_STRONG);
  add_law(&t, 0.5, false, 1);
  t.s.reference_step = t.step[LEVELS - 1];
  ck_assert(!cas_curve_init(&c, CAS_STRONG, "error", LEVELS, &err));
  ck_assert_int_eq(cas_curve_fit(&t.s, &c, &err), CAS_BAD_INPUT);
  ck_assert_msg(strstr(err.text, "reference"), "%s", err.text);
  cas_curve_free(&c);
}
END_TEST

/* ---- random samples ---- */

static double uniform(uint64_t *state) { /* splitmix64, in (0, 1) */
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);

  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return ((double)((z ^ (z >> 31)) >> 11) + 0.5) * 0x1p-53;
}

static double normal(uint64_t *state) {
  double r = sqrt(-2 * log(uniform(state)));

  return r * cos(2 * acos(-1) * uniform(state));
}

typedef struct {
  const char *name;
  cas_error_kind kind;
  int paths;
  double tail;  /* of the log-normal factor exp(tail N) shared by all levels of a path */
  double ratio; /* weak: error / standard error on the coarsest level, at tail 0 */
} experiment;

/* One path whose difference to the reference is a Brownian motion in h, times a heavy-tailed
   factor: its values on neighbouring levels are correlated by 0.7, the squared errors of all levels
   more so. */
static void add_random_path(sample_set *t, const experiment *x, int path, uint64_t *state) {
  double b[3] = {0}, quantity[LEVELS], scale = exp(x->tail * normal(state));
  double r = t->s.reference_step, noise = sqrt(x->paths * t->step[0]) / x->ratio;

  for (int j = LEVELS - 1; j >= 0; j--) {
    double finer = j + 1 < LEVELS ? t->step[j + 1] : r, square = 0;

    for (int k = 0; k < 3; k++) {
      b[k] += sqrt(t->step[j] - finer) * scale * normal(state);
      square += b[k] * b[k];
    }
    quantity[j] = x->kind == CAS_STRONG ? square : t->step[j] - r + noise * b[0];
  }
  add_path(t, path, quantity);
}

static const experiment experiments[] = {
    {"strong", CAS_STRONG, 500, 0, 1},
    {"strong, heavy tail", CAS_STRONG, 500, 0.5, 1},
    {"strong, heavier tail", CAS_STRONG, 500, 1, 1},
    {"strong, few paths", CAS_STRONG, 100, 0.5, 1},
    {"weak", CAS_WEAK, 500, 0.5, 100},
    {"weak, noisy", CAS_WEAK, 500, 0.5, 30},
};
#define EXPERIMENTS ((int)(sizeof experiments / sizeof *experiments))

START_TEST(intervals_cover) {
  const experiment *x = &experiments[_i];
  const int replicas = 1000;
  double truth = x->kind == CAS_STRONG ? 0.5 : 1, width = 0, bias = 0;
  uint64_t state = 1;
  int covered = 0;

  for (int n = 0; n < replicas; n++) {
    sample_set t;
    cas_curve c;

    begin(&t, x->kind);
    for (int p = 0; p < x->paths; p++)
      add_random_path(&t, x, p, &state);
    c = fitted(&t, truth);
    covered += c.corrected.low <= truth && truth <= c.corrected.high;
    width += (c.corrected.high - c.corrected.low) / 2 / replicas;
    bias += (c.corrected.order - truth) / replicas;
    cas_curve_free(&c);
  }
  printf("%-20s %4d paths: %.1f%% of %d intervals cover, half-width %.3f, bias %+.4f\n", x->name,
         x->paths, 100.0 * covered / replicas, replicas, width, bias);
  ck_assert_int_ge(covered, replicas * 90 / 100);
  ck_assert_int_le(covered, replicas * 99 / 100);
  ck_assert_msg(fabs(bias) < width / 3, "bias %g, half-width %g", bias, width);
}
END_TEST

/* Groups of unequal size and unequal means, against the sums over all paths. */
START_TEST(groups_pool_to_all_paths) {
  const experiment x = {"", CAS_WEAK, 1003, 0.3, 3};
  double sum = 0, squares = 0, n = x.paths, mean;
  uint64_t state = 5, again = 5;
  sample_set t, one;
  cas_curve c;

  begin(&t, CAS_WEAK);
  for (int p = 0; p < x.paths; p++)
    add_random_path(&t, &x, p, &state);
  for (int p = 0; p < x.paths; p++) {
    begin(&one, CAS_WEAK);
    add_random_path(&one, &x, 0, &again);
    sum += one.mean[1];
    squares += one.mean[1] * one.mean[1];
  }
  mean = sum / n;
  c = fitted(&t, 1);
  assert_close(c.error[1] / mean, 1, 1e-12);
  assert_close(c.standard_error[1] / sqrt((squares / n - mean * mean) / (n - 1)), 1, 1e-10);
  cas_curve_free(&c);
}
END_TEST

START_TEST(resolved_means_two_standard_errors) {
  double mean[LEVELS] = {0}, spread[LEVELS], n = 2 * GROUPS;
  sample_set t;
  cas_curve c;

  for (int j = 0; j < LEVELS; j++)
    spread[j] = sqrt(n - 1); /* standard error 1 */
  mean[0] = 2.01, mean[1] = -2.01, mean[2] = 1.99, mean[3] = -1.99;
  begin(&t, CAS_WEAK);
  add_pairs(&t, 2 * GROUPS, mean, spread);
  c = fitted(&t, 1);
  for (int j = 0; j < LEVELS; j++) {
    assert_close(c.standard_error[j], 1, 1e-12);
    ck_assert_int_eq(c.resolved[j], j < 2);
  }
  cas_curve_free(&c);
}
END_TEST

/* ---- verdicts ---- */

/* A strong curve of order p whose groups differ by +-`swing` in order. */
static cas_curve swinging(int paths, double p, double swing, double expected) {
  sample_set t;

  begin(&t, CAS_STRONG);
  for (int path = 0; path < paths; path++) {
    double order = p + (path % 2 ? swing : -swing), quantity[LEVELS];

    for (int j = 0; j < LEVELS; j++) {
      double h = t.step[j] / t.step[2], r = t.s.reference_step / t.step[2];

      quantity[j] = (pow(h, 2 * order) - pow(r, 2 * order)) * (path / GROUPS % 2 ? 1 : 1.2);
    }
    add_path(&t, path, quantity);
  }
  return fitted(&t, expected);
}

static const struct {
  double p, swing, expected;
  const char *verdict;
} sentences[] = {
    {0.5, 0.05, 0.5, "order 0.50 [0.49, 0.51]: consistent with 1/2"},
    {1, 0.05, 1, "order 1.00 [0.99, 1.01]: consistent with 1"},
    {1, 0.05, NAN, "order 1.00 [0.99, 1.01]"},
    {0.8, 0.05, 0.5,
     "order 0.80 [0.79, 0.81]: not consistent with 1/2 (raw 0.80); look at the local orders"},
    {1.03, 0.05, 1,
     "order 1.03 [1.02, 1.04]: not consistent with 1 (raw 1.03), though within 0.05 of it; look "
     "at the local orders"},
};
#define SENTENCES ((int)(sizeof sentences / sizeof *sentences))

START_TEST(verdicts_read_well) {
  cas_curve c = swinging(8 * GROUPS, sentences[_i].p, sentences[_i].swing, sentences[_i].expected);

  ck_assert_str_eq(c.verdict, sentences[_i].verdict);
  cas_curve_free(&c);
}
END_TEST

/* As many more paths as the square of the missing precision. */
START_TEST(wide_intervals_name_the_paths_they_need) {
  cas_curve c = swinging(GROUPS / 2, 0.5, 0.4, 0.5);
  double half_width = (c.corrected.high - c.corrected.low) / 2, said = 0;
  const char *about = strstr(c.verdict, "not resolved: about ");

  ck_assert_msg(about && half_width > 0.1, "%s", c.verdict);
  ck_assert_int_eq(sscanf(about, "not resolved: about %lf paths would be needed for +-0.1", &said),
                   1);
  assert_close(said / (GROUPS / 2 * half_width * half_width / 0.01), 1.05, 0.06);
  cas_curve_free(&c);
}
END_TEST

/* One resolved level: error 10 SE at h, so with order 1 the third level has 2.5 SE and needs
 * (4/2.5)^2 times more. */
START_TEST(unresolved_studies_name_the_paths_they_need) {
  double mean[LEVELS] = {0}, spread[LEVELS], n = 100 * GROUPS;
  sample_set t;
  cas_curve c;

  begin(&t, CAS_WEAK);
  t.s.reference_step = 0;
  for (int j = 0; j < LEVELS; j++)
    spread[j] = sqrt(n);
  mean[0] = 10;
  add_pairs(&t, (int)n, mean, spread);
  c = fitted(&t, 1);
  ck_assert_str_eq(c.verdict, "not resolved: 1 of 6 levels is above the noise floor; about 17000 "
                              "paths would be needed to resolve the coarsest ones");
  cas_curve_free(&c);
  begin(&t, CAS_WEAK);
  mean[0] = 1;
  add_pairs(&t, (int)n, mean, spread);
  c = fitted(&t, 1);
  assert_verdict(c, "0 of 6 levels are above the noise floor; more than ");
  cas_curve_free(&c);
}
END_TEST

/* ---- Student, and steps for people ---- */

START_TEST(student_quantiles) {
  /* dof, two-sided 95%, two-sided 99%; from tables of the t distribution, and exactly for 1 and 2
   */
  static const double table[][3] = {
      {1, 12.7062047361747, 63.6567411628715},  {2, 4.30265272974946, 9.92484320091807},
      {3, 3.18244630528371, 5.84090930973336},  {4, 2.77644510519779, 4.60409487135000},
      {5, 2.57058183563632, 4.03214298355523},  {7, 2.36462425159278, 3.49948329735049},
      {10, 2.22813885198627, 3.16927267261695}, {20, 2.08596344726586, 2.84533970978611},
      {30, 2.04227245630124, 2.74999565356722}, {60, 2.00029782201426, 2.66028302884877},
      {63, 1.99834054252074, 2.65614536888210}, {100, 1.98397151852355, 2.62589052143802},
      {200, 1.97189622363391, 2.60063443619062}};

  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    assert_close(cas_student_quantile(0.95, table[i][0]), table[i][1], 1e-6);
    assert_close(cas_student_quantile(0.99, table[i][0]), table[i][2], 1e-6);
  }
  for (int dof = 1; dof < 200; dof++)
    ck_assert(cas_student_quantile(0.95, dof) > cas_student_quantile(0.95, dof + 1));
  assert_close(cas_student_quantile(0.5, 1), 1, 1e-12);
  assert_close(cas_student_quantile(0.95, 1e12), 1.95996398454005, 1e-7);
  assert_close(cas_student_quantile(0, 5), 0, 1e-12);
  ck_assert(isnan(cas_student_quantile(0.95, 0)) && isnan(cas_student_quantile(1, 5)));
  ck_assert(isnan(cas_student_quantile(NAN, 5)) && isnan(cas_student_quantile(0.95, NAN)));
}
END_TEST

START_TEST(steps_read_well) {
  static const struct {
    double step;
    const char *text;
  } cases[] = {{0x1p-7, "2^-7"}, {1, "2^0"}, {0.01, "0.01"}, {1.0 / 3, "0.333333"}};

  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[32];

    cas_step_format(cases[i].step, text, sizeof text);
    ck_assert_str_eq(text, cases[i].text);
  }
}
END_TEST

int main(void) {
  Suite *suite = suite_create("fit");
  TCase *t = tcase_create("fit");
  SRunner *runner = srunner_create(suite);
  int failed;

  tcase_set_timeout(t, 120);
  tcase_add_loop_test(t, power_laws_are_recovered, 0, 2 * ORDERS);
  tcase_add_loop_test(t, corrected_laws_are_recovered, 0, 2 * ORDERS);
  tcase_add_test(t, errors_and_standard_errors);
  tcase_add_test(t, groups_pool_to_all_paths);
  tcase_add_test(t, resolved_means_two_standard_errors);
  tcase_add_test(t, two_levels_are_met_exactly);
  tcase_add_test(t, levels_without_sampling_error_weigh_the_same);
  tcase_add_test(t, unresolved_levels_stay_out);
  tcase_add_test(t, sign_changes_are_not_fitted);
  tcase_add_loop_test(t, nan_never_becomes_an_order, 0, 6);
  tcase_add_test(t, one_bad_level_spoils_no_other);
  tcase_add_loop_test(t, nothing_from_nothing, 0, 4);
  tcase_add_test(t, a_single_group_gives_no_interval);
  tcase_add_test(t, growing_errors_have_no_corrected_order);
  tcase_add_test(t, a_reference_as_coarse_as_a_level_is_refused);
  tcase_add_loop_test(t, intervals_cover, 0, EXPERIMENTS);
  tcase_add_loop_test(t, verdicts_read_well, 0, SENTENCES);
  tcase_add_test(t, wide_intervals_name_the_paths_they_need);
  tcase_add_test(t, unresolved_studies_name_the_paths_they_need);
  tcase_add_test(t, student_quantiles);
  tcase_add_test(t, steps_read_well);
  suite_add_tcase(suite, t);
  srunner_run_all(runner, CK_ENV);
  failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
