/* Do the 95% intervals cover? 200 seeds of small studies; the binomial standard deviation of a
 * coverage of 95% is 1.5%. */
/* ranks: 1 */
#include "study_fixture.h"

#include <math.h>

enum { SEEDS = 200, EDGE_SEEDS = 300 };

/* where the true order of these levels is known from many paths */
static const char order_study[] = "system: {name: rigid_body, inertia: [2, 1, 0.6666666666666666], "
                                  "noise: {kind: quadratic, sigma: 0.1}}\n"
                                  "random: {generator: threefry, seed: %d}\n"
                                  "study: {kind: strong, coarsest_step: 2^-8, coarsest_steps: 4, "
                                  "levels: 4, reference: 7, paths: %d}\n";

/* where the true mean is known exactly */
static const char mean_study[] = "system: {name: rigid_body, inertia: [.inf, .inf, .inf], noise: "
                                 "{kind: linear, sigma: 0.8}, initial: [0.6, 0, 0.8]}\n"
                                 "random: {generator: threefry, seed: %d}\n"
                                 "study: {kind: weak, coarsest_step: 1/64, coarsest_steps: 32, "
                                 "levels: 1, reference: 1, paths: %d, functionals: [x1]}\n";

/* where x1 has come to be uniform on [-1, 1] */
static const char spread_study[] = "system: {name: rigid_body, inertia: [.inf, .inf, .inf], noise: "
                                   "{kind: linear, sigma: 1}, initial: [0.6, 0, 0.8]}\n"
                                   "random: {generator: threefry, seed: %d}\n"
                                   "study: {kind: ensemble, step: 2^-5, steps: 256, times: [8], "
                                   "paths: %d, observables: [x1], quantiles: [0.05, 0.5, 0.8]}\n";

/* where x1 = cos(theta), theta normal of variance 1/4: its density is infinite at 1, and the bins are
   wide there beside the sampling error of a quantile */
static const char edge_study[] = "system: {name: rigid_body, inertia: [.inf, .inf, .inf], noise: "
                                 "{kind: linear, chi: [[0, 0, 0.5]]}, initial: [1, 0, 0]}\n"
                                 "random: {generator: threefry, seed: %d}\n"
                                 "study: {kind: ensemble, step: 2^-4, steps: 16, every: 16, paths: "
                                 "%d, observables: [x1], quantiles: [0.05, 0.5, 0.95]}\n";

static void run_one(cas_results *r, const char *study, int seed, int paths) {
  cas_error err;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  cas_status st = run_text(MPI_COMM_WORLD, r, &err, study, seed, paths);
#pragma GCC diagnostic pop
  ck_assert_msg(!st, "%s", err.text);
}

static void check_coverage(const char *what, int covered) {
  printf("%s: %d of %d intervals cover\n", what, covered, SEEDS);
  ck_assert_msg(covered >= 0.90 * SEEDS && covered <= 0.99 * SEEDS, "%s: %d of %d intervals cover",
                what, covered, SEEDS);
}

START_TEST(orders) {
  cas_results r;
  int raw = 0, corrected = 0, few = 0;
  run_one(&r, order_study, 1000, 200000);
  double true_raw = r.curve[0].raw.order, true_corrected = r.curve[0].corrected.order;
  ck_assert(r.curve[0].corrected.high - r.curve[0].corrected.low < 0.01);
  cas_results_free(&r);
  for (int seed = 1; seed <= SEEDS; seed++) {
    run_one(&r, order_study, seed, 500);
    raw += r.curve[0].raw.low <= true_raw && true_raw <= r.curve[0].raw.high;
    corrected +=
        r.curve[0].corrected.low <= true_corrected && true_corrected <= r.curve[0].corrected.high;
    cas_results_free(&r);
    run_one(&r, order_study, seed, 100);
    few +=
        r.curve[0].corrected.low <= true_corrected && true_corrected <= r.curve[0].corrected.high;
    cas_results_free(&r);
  }
  printf("corrected strong order, 100 paths: %d of %d intervals cover\n", few, SEEDS);
  check_coverage("raw strong order, 500 paths", raw);
  check_coverage("corrected strong order, 500 paths", corrected);
}
END_TEST

START_TEST(means) {
  const double exact = exp(-0.64 * 0.5) * 0.6;
  int covered = 0;
  for (int seed = 1; seed <= SEEDS; seed++) {
    cas_results r;
    run_one(&r, mean_study, seed, 500);
    const cas_curve *c = &r.curve[0];
    covered +=
        fabs(c->mean[1] - exact) <= cas_student_quantile(0.95, 499) * c->mean_standard_error[1];
    cas_results_free(&r);
  }
  check_coverage("mean of x1, 500 paths", covered);
}
END_TEST

START_TEST(variances_and_quantiles) {
  int variances = 0, quantiles[3] = {0};
  for (int seed = 1; seed <= SEEDS; seed++) {
    cas_results r;
    run_one(&r, spread_study, seed, 500);
    const cas_ensemble_observable *o = &r.ensemble->observable[0];
    variances += fabs(*o->variance - 1 / 3.0) <=
                 cas_student_quantile(0.95, 499) * *o->variance_standard_error;
    for (int k = 0; k < 3; k++) {
      double exact = 2 * r.ensemble->probability[k] - 1;
      quantiles[k] += o->quantile_low[k] <= exact && exact <= o->quantile_high[k];
    }
    cas_results_free(&r);
  }
  check_coverage("variance of x1, 500 paths", variances);
  for (int k = 0; k < 3; k++)
    check_coverage("a quantile of x1, 500 paths", quantiles[k]);
}
END_TEST

/* Intervals from bins are as wide as the bins make them and cover no less than 95%: a
   right program falls short of the least count with probability 1e-6. */
START_TEST(quantiles_where_the_density_is_infinite) {
  /* theta / sigma at the quantiles of cos(theta), normal quantiles at 0.975, 0.75 and 0.525 */
  static const double theta[3] = {1.959963984540054, 0.674489750196082, 0.062706777943214};
  int covered[3] = {0};
  int64_t least, most;
  cas_quantile_ranks(EDGE_SEEDS, 0.95, 1 - 2e-6, &least, &most);
  for (int seed = 1; seed <= EDGE_SEEDS; seed++) {
    cas_results r;
    run_one(&r, edge_study, seed, 2000);
    const cas_ensemble_observable *o = &r.ensemble->observable[0];
    ck_assert(!r.ensemble->exact && r.ensemble->records == 2);
    for (int k = 0; k < 3; k++) {
      double exact = cos(0.5 * theta[k]);
      covered[k] += o->quantile_low[3 + k] <= exact && exact <= o->quantile_high[3 + k];
      /* all paths are equal at the start */
      ck_assert(o->quantile_low[k] == 1 && o->quantile[k] == 1 && o->quantile_high[k] == 1);
    }
    cas_results_free(&r);
  }
  for (int k = 0; k < 3; k++) {
    printf("quantile of a cosine, 2000 paths: %d of %d intervals cover, at least %d must\n",
           covered[k], EDGE_SEEDS, (int)least);
    ck_assert_msg(covered[k] >= least, "quantile %d: %d of %d intervals cover", k, covered[k],
                  EDGE_SEEDS);
  }
}
END_TEST

int main(void) {
  Suite *s = suite_create("coverage");
  TCase *t = tcase_create("coverage");
  tcase_set_timeout(t, 0);
  tcase_add_test(t, orders);
  tcase_add_test(t, means);
  tcase_add_test(t, variances_and_quantiles);
  tcase_add_test(t, quantiles_where_the_density_is_infinite);
  suite_add_tcase(s, t);
  return run_suite_with_mpi(s);
}
