/* What fits are said to mean, Student quantiles, and step sizes for people. */
#include "fit_fixture.h"

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

/* P(B < r), term by term */
static double fewer_than(int64_t r, int64_t n, double p) {
  double sum = 0;
  for (int64_t k = 0; k < r; k++) {
    double n1 = (double)n + 1, k1 = (double)k + 1,
           term = lgamma(n1) - lgamma(k1) - lgamma(n1 - (double)k);
    term += (k ? (double)k * log(p) : 0) + (k < n ? (double)(n - k) * log(1 - p) : 0);
    sum += exp(term);
  }
  return sum;
}

/* The narrowest pair of ranks that leaves no more than 2.5% on either side. */
START_TEST(ranks_around_quantiles) {
  static const double probability[] = {0, 1e-3, 0.05, 0.25, 0.5, 0.7, 0.95, 1};
  const double tail = 0.025, slack = 1e-9;
  int64_t low, high;

  for (size_t i = 0; i < sizeof probability / sizeof *probability; i++)
    for (int64_t n = 0; n <= 200; n++) {
      double p = probability[i];
      cas_quantile_ranks(n, p, 0.95, &low, &high);
      ck_assert(low >= 0 && low < high && high <= n + 1);
      ck_assert(fewer_than(low, n, p) <= tail + slack);
      ck_assert(low == n || fewer_than(low + 1, n, p) > tail - slack);
      ck_assert(1 - fewer_than(high, n, p) <= tail + slack || high == n + 1);
      ck_assert(high == 1 || 1 - fewer_than(high - 1, n, p) > tail - slack);
    }
  cas_quantile_ranks(100, 0.5, 0.95, &low, &high); /* of every table */
  ck_assert(low == 40 && high == 61);
  cas_quantile_ranks(10000000, 0.05, 0.95, &low, &high); /* normal: 1.959964 (n p (1-p))^(1/2) */
  ck_assert(llabs(low - (500000 - 1351)) < 3 && llabs(high - (500000 + 1351)) < 3);
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
  TCase *t = tcase_create("verdict");

  tcase_add_loop_test(t, verdicts_read_well, 0, SENTENCES);
  tcase_add_test(t, wide_intervals_name_the_paths_they_need);
  tcase_add_test(t, unresolved_studies_name_the_paths_they_need);
  tcase_add_test(t, student_quantiles);
  tcase_add_test(t, ranks_around_quantiles);
  tcase_add_test(t, steps_read_well);
  return run_tests("verdict", t);
}
