/* Decisions of multilevel Monte Carlo against Giles's formulas, on known laws, and findings. */
#include "fit_fixture.h"
#include "studies/multilevel/multilevel_run.h"

enum { L = 4, MOST = 6 };

static const double step[MOST] = {0.25, 0.125, 0.0625, 0.03125, 0.015625, 0.0078125};

static cas_mlmc_aim aim_of(double epsilon) {
  return (cas_mlmc_aim){.epsilon = epsilon,
                        .theta = 0.25,
                        .lanes = 64,
                        .max_levels = MOST,
                        .pilot = 100,
                        .max_paths = INT64_C(1) << 50,
                        .step = step};
}

static void delete_levels(void *m) { cas_table_delete(&cas_table_mlmc, m); }

static cas_multilevel *new_levels(int levels) {
  const cas_multilevel like = {.levels = levels, .functionals = 1, .rounds = 1};
  cas_multilevel *m = cas_table_new(&cas_table_mlmc, NULL, NULL, &like, NULL);
  ck_assert_ptr_nonnull(m);
  strcpy(m->coupling, "antithetic");
  m->functional[0].expected_order = 1;
  return m;
}

/* means -2^-l, variances 1 and 0.01 4^-l, work 2^l; these paths. They belong to the suite. */
static cas_multilevel *make_rounds(const cas_mlmc_aim *aim, const int64_t *paths, int levels) {
  cas_multilevel *m = new_levels(levels);
  suite_keep(m, delete_levels);
  m->epsilon = aim->epsilon;
  m->theta = aim->theta;
  cas_curve *f = &m->functional[0];
  strcpy(f->name, "phi");
  for (int l = 0; l < levels; l++) {
    m->paths[l] = paths[l];
    m->steps[l] = 0;
    m->work[l] = m->fine_work[l] = exp2(l);
    f->difference.value[l] = f->coupled.pair.mean[l] = l ? -exp2(-l) : 3;
    f->coupled.fine.mean[l] = l ? f->coupled.fine.mean[l - 1] + f->difference.value[l] : 3;
    f->mean.value[l] = l ? f->coupled.fine.mean[l - 1] : NAN;
    f->coupled.variance[l] = f->coupled.pair.variance[l] = l ? 0.01 * exp2(-2 * l) : 1;
    f->coupled.fine.variance[l] = 1;
    f->coupled.coarse_variance[l] = l ? 1 : NAN;
    f->coupled.kurtosis[l] = 3;
  }
  cas_mlmc_assess(m, aim);
  return m;
}

/* n paths each */
static cas_multilevel *make_levels(const cas_mlmc_aim *aim, int64_t n) {
  return make_rounds(aim, (const int64_t[L]){n, n, n, n}, L);
}

static void expect_near(double a, double b, double relative) {
  ck_assert_msg(isfinite(a) && fabs(a - b) <= relative * fabs(b), "%.10g instead of %.10g", a, b);
}

TEST(estimates_and_fits) {
  const cas_mlmc_aim aim = aim_of(0.5);
  cas_multilevel *m = make_levels(&aim, 1000);
  const cas_curve *f = &m->functional[0];
  expect_near(f->estimate.value, 3 - 0.875, 1e-14);
  expect_near(f->estimate.standard_error, sqrt((1 + 0.01 * (0.25 + 0.0625 + 0.015625)) / 1000),
              1e-14);
  expect_near(f->laws.law[CAS_LAW_POWER].order, 1, 1e-6);
  expect_near(f->laws.law[CAS_LAW_TWO_TERM].order, 1, 1e-6);
  expect_near(f->coupled.variance_decay.order, 2, 1e-9);
  expect_near(m->cost_growth, 1, 1e-9);
  /* differences beyond the last, -1/16 - 1/32 - .. */
  expect_near(f->estimate.bias, 0.125, 1e-9);
  expect_near(f->estimate.total_error, hypot(f->estimate.bias, f->estimate.standard_error), 1e-14);
  expect_near(m->total_work, 15000, 1e-14);
  ck_assert(f->estimate.consistency[3] == 0);
  /* the last one may be small by chance: what the ones before it let expect counts */
  m->functional[0].difference.value[3] = 1e-6;
  cas_mlmc_assess(m, &aim);
  const double q = fmin(fmax(cas_laws_headline(&f->laws).order, 0.5), 1);
  expect_near(f->estimate.bias, 0.25 * exp2(-q) / (exp2(q) - 1), 0.8);
  ck_assert(f->estimate.bias > 0.05);
}

/* N_l = (V_l / C_l)^1/2 sum (V_k C_k)^1/2 / ((1 - theta) epsilon^2), rounded up by 1/64 at most: it
   keeps the variance, and nothing that costs less does */
TEST(paths_are_optimal) {
  const cas_mlmc_aim aim = aim_of(0.03);
  int64_t paths[MOST];
  cas_multilevel *m = make_levels(&aim, 2);
  double target = 0.75 * 0.0009, sum = 1, variance = 0;
  for (int l = 1; l < L; l++)
    sum += sqrt(0.01 * exp2(-l));
  ck_assert_int_eq(cas_mlmc_decide(m, &aim, paths), CAS_FINDINGS_END);
  for (int l = 0; l < L; l++) {
    double v = m->functional[0].coupled.variance[l],
           n = ceil(sqrt(v / m->work[l]) * sum / (0.99 * target));
    ck_assert_msg((double)paths[l] >= n && (double)paths[l] <= fmax(1.0157 * n, 2),
                  "level %d: %lld instead of %g", l, (long long)paths[l], n);
    variance += v / (double)paths[l];
  }
  ck_assert(variance <= target && variance > 0.9 * target && paths[L] == 0);
}

TEST(levels_follow_the_bias) {
  cas_mlmc_aim aim = aim_of(0.26);
  int64_t paths[MOST];
  cas_multilevel *m = make_levels(&aim, 1000);
  ck_assert_int_eq(cas_mlmc_decide(m, &aim, paths), CAS_TARGET_REACHED); /* 0.125 of 0.13 */
  aim.epsilon = 0.24;
  ck_assert_int_eq(cas_mlmc_decide(m, &aim, paths), CAS_FINDINGS_END);
  ck_assert(paths[0] == 1000 && paths[L] == 100 && paths[L + 1] == 0);
  aim.max_levels = L;
  ck_assert_int_eq(cas_mlmc_decide(m, &aim, paths), CAS_LEVEL_LIMIT);
  aim.max_levels = MOST;
  m->functional[0].coupled.variance[2] = NAN;
  ck_assert_int_eq(cas_mlmc_decide(m, &aim, paths), CAS_LEVEL_FAILED);
}

/* A variance of few paths that is far below its neighbours' law is not believed. */
TEST(small_variances_are_not_believed) {
  const cas_mlmc_aim aim = aim_of(0.01);
  int64_t with[MOST], without[MOST];
  cas_multilevel *m = make_levels(&aim, 2);
  ck_assert_int_eq(cas_mlmc_decide(m, &aim, with), CAS_FINDINGS_END);
  m->functional[0].coupled.variance[3] *= 1e-6;
  ck_assert_int_eq(cas_mlmc_decide(m, &aim, without), CAS_FINDINGS_END);
  ck_assert(without[3] > with[3] / 2 && without[3] < with[3]);
}

/* The whole is foreseen as it then goes, if the laws hold: 0.125 / 4 is less than half of 0.07. */
TEST(pilot_foresees_the_whole) {
  cas_mlmc_aim aim = aim_of(0.07);
  cas_finding limit;
  int64_t paths[MOST];
  int levels;
  cas_multilevel *m = make_levels(&aim, 100);
  double work = cas_mlmc_predict(m, &aim, &levels, paths, &limit), sum = 0;
  ck_assert_int_eq(limit, CAS_FINDINGS_END);
  ck_assert_int_eq(levels, 6);
  for (int l = 0; l < levels; l++) {
    ck_assert(paths[l] % 64 == 0 && paths[l] >= 100);
    sum += (double)paths[l] * exp2(l);
  }
  expect_near(work, sum, 1e-12);
  ck_assert(paths[0] > 1.0 / (0.75 * 0.07 * 0.07));
  aim.max_paths = paths[0]; /* as many as it needs, and fewer; then too few levels */
  (void)cas_mlmc_predict(m, &aim, &levels, paths, &limit);
  ck_assert_int_eq(limit, CAS_FINDINGS_END);
  aim.max_paths = paths[0] / 2;
  (void)cas_mlmc_predict(m, &aim, &levels, paths, &limit);
  ck_assert_int_eq(limit, CAS_PATH_LIMIT);
  aim = aim_of(0.07);
  aim.max_levels = 5;
  (void)cas_mlmc_predict(m, &aim, &levels, paths, &limit);
  ck_assert_int_eq(limit, CAS_LEVEL_LIMIT);
}

/* ---- within a budget ---- */

/* The epsilon of a list of paths. */
static double epsilon_of(const cas_mlmc_aim *aim, const int64_t *paths, int levels) {
  double variance = 1 / (double)paths[0];
  for (int l = 1; l < levels; l++)
    variance += 0.01 * exp2(-2 * l) / (double)paths[l];
  return fmax(sqrt(variance / (1 - aim->theta)), exp2(1 - levels) / sqrt(aim->theta));
}

/* The least epsilon that levels of `least` paths at least have within the budget, of any real
   numbers of paths: in proportion to (V/C)^1/2 where that is more. */
static double least_epsilon(const cas_mlmc_aim *aim, double least, int levels) {
  double low = 0, high = aim->budget, variance = 0, work = least * (exp2(levels) - 1);
  if (work > aim->budget)
    return INFINITY;
  for (int k = 0; k < 100; k++) { /* halves what the number of paths of level 0 may be */
    const double middle = (low + high) / 2;
    work = variance = 0;
    for (int l = 0; l < levels; l++) {
      const double n = fmax(least, middle * (l ? 0.1 * exp2(-1.5 * l) : 1));
      work += n * exp2(l);
      variance += (l ? 0.01 * exp2(-2 * l) : 1) / n;
    }
    *(work <= aim->budget ? &low : &high) = middle;
  }
  return fmax(sqrt(variance / (1 - aim->theta)), exp2(1 - levels) / sqrt(aim->theta));
}

/* 1/32 of the budget may be left, which is 1.6% of epsilon, and paths have 7 digits. */
TEST(a_budget_buys_the_least_epsilon) {
  static const double budgets[] = {300, 1000, 3000, 1e4, 1e5, 1e6};
  for (size_t i = 0; i < sizeof budgets / sizeof *budgets; i++) {
    cas_mlmc_aim aim = aim_of(0);
    aim.budget = budgets[i];
    aim.pilot = 16;
    aim.lanes = 1;
    double least = INFINITY, work = 0;
    for (int levels = 3; levels <= MOST; levels++)
      least = fmin(least, least_epsilon(&aim, 16, levels));
    int64_t paths[MOST] = {16, 16, 16};
    int levels = 3, rounds = 0;
    cas_finding d = CAS_FINDINGS_END;
    while (d == CAS_FINDINGS_END) {
      cas_multilevel *m = make_rounds(&aim, paths, levels);
      int64_t next[MOST] = {0};
      double before = m->total_work;
      d = cas_mlmc_decide(m, &aim, next);
      work = before;
      if (d != CAS_FINDINGS_END)
        break;
      for (int l = work = 0; l < MOST; l++) {
        ck_assert(l < levels ? next[l] >= paths[l] : l == levels || next[l] == 0);
        work += (double)next[l] * exp2(l);
      }
      ck_assert_msg(work > before && work <= fmin(4 * before, aim.budget), "%g after %g of %g",
                    work, before, aim.budget);
      levels += levels < MOST && next[levels] > 0;
      memcpy(paths, next, sizeof paths);
      ck_assert_int_lt(rounds++, 30);
    }
    double epsilon = epsilon_of(&aim, paths, levels);
    ck_assert_msg(epsilon <= 1.03 * least, "budget %g: %g instead of %g, %d levels", aim.budget,
                  epsilon, least, levels);
    ck_assert(work <= aim.budget);
  }
}

/* No path is bought of a block that the budget does not pay as a whole. */
TEST(blocks_are_paid_whole) {
  const int64_t pilot[] = {64, 64, 64};
  for (double budget = 449; budget < 3000; budget += 37) {
    cas_mlmc_aim aim = aim_of(0);
    int64_t paths[MOST] = {0};
    double work = 0;
    aim.budget = budget;
    cas_multilevel *m = make_rounds(&aim, pilot, 3);
    cas_mlmc_decide(m, &aim, paths);
    for (int l = 0; l < MOST; l++)
      work += (double)((paths[l] + 63) / 64 * 64) * exp2(l);
    ck_assert_msg(work <= budget, "%g of %g", work, budget);
  }
}

/* What ends a budget: levels of 512, 16, 16, 16 paths, or of 1000 each. */
static const struct {
  double budget;
  int even, max_paths, max_levels;
  cas_finding last;
} ends[] = {{1030, 0, 1000, MOST, CAS_FINDINGS_END},
            {750, 0, 1000, MOST, CAS_TARGET_REACHED},
            {735, 0, 1000, MOST, CAS_BUDGET_LIMIT},
            {1e5, 1, 1000, L, CAS_PATH_LIMIT},
            {15100, 1, 2000, L, CAS_LEVEL_LIMIT}};

TEST_OVER(budgets_end, sizeof ends / sizeof *ends) {
  static const int64_t paths[][L] = {{512, 16, 16, 16}, {1000, 1000, 1000, 1000}};
  const cas_finding last = ends[_i].last;
  cas_mlmc_aim aim = aim_of(0);
  int64_t next[MOST];
  aim.budget = ends[_i].budget;
  aim.max_paths = ends[_i].max_paths;
  aim.max_levels = ends[_i].max_levels;
  aim.lanes = aim.pilot = 16;
  cas_multilevel *m = make_rounds(&aim, paths[ends[_i].even], L);
  ck_assert_int_eq(cas_mlmc_decide(m, &aim, next), last);
  if (last == CAS_FINDINGS_END)
    return;
  cas_mlmc_conclude(m, &aim, last);
  const cas_curve *f = &m->functional[0];
  ck_assert_int_eq(m->reached, last == CAS_TARGET_REACHED);
  ck_assert_int_eq(code_of(f->findings), m->reached ? last : CAS_TARGET_MISSED);
  ck_assert(cas_findings_have(f->findings, last));
  ck_assert(m->budget == aim.budget && m->epsilon >= f->estimate.total_error);
  expect_near(m->epsilon, epsilon_of(&aim, paths[ends[_i].even], L), 1e-6);
}

/* ---- few paths ---- */

/* Draws paths of level l until it has n of them; mean and variance of all. */
static void draw(cas_multilevel *m, int l, int64_t n, uint64_t *state) {
  const double mean[] = {3, -1e-4}, deviation[] = {1, 1e-4};
  cas_curve *f = &m->functional[0];
  double m2 = f->coupled.variance[l] * ((double)m->paths[l] - 1);
  for (int64_t i = m->paths[l] + 1; i <= n; i++) {
    double d = mean[l] + deviation[l] * normal(state) - f->difference.value[l];
    f->difference.value[l] += d / (double)i;
    m2 += d * d * (double)(i - 1) / (double)i;
  }
  m->paths[l] = n;
  f->coupled.variance[l] = m2 / ((double)n - 1);
}

/* The error of one estimate of 3, pilot and all. */
static double error_of(const cas_mlmc_aim *aim, uint64_t *state) {
  int64_t paths[MOST] = {aim->pilot, aim->pilot};
  cas_multilevel *m = new_levels(2);
  for (const cas_field *f = cas_table_mlmc.parts.kind->columns; f->name; f++)
    memset(cas_field_array(f, &m->functional[0]), 0, 2 * sizeof(double));
  m->steps[0] = m->steps[1] = 0;
  m->work[0] = 1;
  m->work[1] = 2;
  do {
    for (int l = 0; l < 2; l++)
      draw(m, l, paths[l], state);
    cas_mlmc_assess(m, aim);
  } while (cas_mlmc_decide(m, aim, paths) == CAS_FINDINGS_END);
  const double error = m->functional[0].estimate.value - 3;
  delete_levels(m);
  return error;
}

/* Of 36 paths needed 16 are a pilot that keeps the promise; of two the error is above 1.2. */
TEST(sixteen_paths_are_a_pilot) {
  enum { REPETITIONS = 4000 };
  uint64_t state = 1;
  double sum = 0;
  cas_mlmc_aim aim = aim_of(sqrt(1 / (0.75 * 36)));
  aim.pilot = 16;
  aim.max_levels = 2;
  for (int k = 0; k < REPETITIONS; k++)
    sum += pow(error_of(&aim, &state) / aim.epsilon, 2);
  const double r = sqrt(sum / REPETITIONS);
  ck_assert_msg(r > 0.8 && r < 1, "%g epsilon", r);
}

/* Of 16 paths t of 15 degrees, 3.586, takes the place of the 3 of a normal. */
TEST(few_paths_are_no_defect) {
  const cas_mlmc_aim aim = aim_of(0.26);
  static const int64_t paths[] = {16, 1000, INT64_C(1) << 40};
  static const double quantile[] = {3.586, 3.01, 3};
  for (int i = 0; i < 3; i++) {
    cas_multilevel *m = make_levels(&aim, paths[i]);
    cas_curve *f = &m->functional[0];
    f->mean.value[2] += 3.3 * 2 / sqrt((double)paths[i]);
    f->coupled.pair.mean[3] += 3.3 * 2 * f->difference.standard_error[3];
    cas_mlmc_assess(m, &aim);
    for (int l = 2; l < 4; l++)
      expect_near(f->estimate.consistency[l], 3.3 / quantile[i], 1e-3);
  }
}

/* ---- findings ---- */

typedef void damage(cas_multilevel *m);
static void nothing(cas_multilevel *m) { (void)m; }
static void outliers(cas_multilevel *m) { m->functional[0].coupled.kurtosis[2] = 150; }
static void outliers_at_0(cas_multilevel *m) { m->functional[0].coupled.kurtosis[0] = 150; }
static void shifted_level(cas_multilevel *m) { m->functional[0].mean.value[2] += 1; }
static void shifted_swap(cas_multilevel *m) { m->functional[0].coupled.pair.mean[2] += 0.1; }
static void slow_decay(cas_multilevel *m) {
  for (int l = 1; l < L; l++)
    m->functional[0].coupled.variance[l] = 0.01 * exp2(-0.5 * l);
}
static void noisy_end(cas_multilevel *m) { m->functional[0].coupled.variance[3] = 100; }

static const struct {
  damage *damage;
  cas_finding last;
  cas_finding code, further;
} cases[] = {
    {nothing, CAS_TARGET_REACHED, CAS_TARGET_REACHED, CAS_TOO_FEW_LEVELS},
    {nothing, CAS_LEVEL_LIMIT, CAS_TARGET_MISSED, CAS_LEVEL_LIMIT},
    {nothing, CAS_PATH_LIMIT, CAS_TARGET_MISSED, CAS_PATH_LIMIT},
    {nothing, CAS_ROUND_LIMIT, CAS_TARGET_MISSED, CAS_ROUND_LIMIT},
    {nothing, CAS_LEVEL_FAILED, CAS_TARGET_MISSED, CAS_LEVEL_FAILED},
    {outliers, CAS_TARGET_REACHED, CAS_OUTLIERS, CAS_TARGET_REACHED},
    {outliers_at_0, CAS_TARGET_REACHED, CAS_OUTLIERS, CAS_TARGET_REACHED},
    {shifted_level, CAS_TARGET_REACHED, CAS_SUM_BROKEN, CAS_TARGET_REACHED},
    {shifted_swap, CAS_TARGET_REACHED, CAS_SUM_BROKEN, CAS_TARGET_REACHED},
    {slow_decay, CAS_TARGET_REACHED, CAS_TARGET_REACHED, CAS_COST_OUTGROWS_VARIANCE},
    {slow_decay, CAS_TARGET_REACHED, CAS_TARGET_REACHED, CAS_NOT_ANTITHETIC},
    {noisy_end, CAS_TARGET_REACHED, CAS_TARGET_REACHED, CAS_BIAS_FROM_NOISE},
};

TEST_OVER(finds_what_is_wrong, sizeof cases / sizeof *cases) {
  const cas_mlmc_aim aim = aim_of(0.26);
  cas_multilevel *m = make_levels(&aim, 1000);
  cases[_i].damage(m);
  cas_mlmc_assess(m, &aim);
  cas_mlmc_conclude(m, &aim, cases[_i].last);
  cas_findings set = m->functional[0].findings;
  ck_assert_int_eq(code_of(set), cases[_i].code);
  ck_assert_msg(cas_findings_have(set, cases[_i].further), "%s", findings_text(set));
  /* nothing else is found than what such damage has beside it */
  ck_assert(cases[_i].damage != nothing ||
            set == (cas_finding_set(cases[_i].code) | cas_finding_set(cases[_i].further) |
                    cas_finding_set(CAS_TOO_FEW_LEVELS)));
  ck_assert_int_eq(m->reached, cases[_i].last == CAS_TARGET_REACHED);
}

RUN_TESTS
