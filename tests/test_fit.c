/* Order fits: laws recovered, and intervals that cover. */
#include "fit_fixture.h"

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
  assert_verdict(c,
                 _i < 2 ? "not resolved: 0 of 6 levels" : "not resolved: all errors are rounding");
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

/* and of few paths as many more as Student's t has */
START_TEST(resolved_means_two_standard_errors) {
  double mean[LEVELS] = {0}, spread[LEVELS], n = 2 * GROUPS,
         two = cas_student_quantile(0.954499736103642, n - 1);
  sample_set t;
  cas_curve c;

  for (int j = 0; j < LEVELS; j++)
    spread[j] = sqrt(n - 1);            /* standard error 1 */
  ck_assert(two > 2.015 && two < 2.03); /* 2.0161 + ... by 127 degrees of freedom */
  mean[0] = two + 0.001, mean[1] = -mean[0], mean[2] = two - 0.001, mean[3] = -mean[2];
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
int main(void) {
  TCase *t = tcase_create("fit");

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
  return run_tests("fit", t);
}
