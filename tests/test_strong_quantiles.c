/* Quantiles of strong errors: their counts against errors, intervals over seeds; test_refinement.c
   has their order. */
/* ranks: 1 */
/* lane: slow */
#include "studies/strong_quantiles.h"
#include "study_fixture.h"

static const char study[] = "system: {name: rigid_body, inertia: [2, 1, 0.6666666666666666], "
                            "noise: {kind: quadratic, sigma: 0.5}}\n"
                            "random: {generator: threefry, seed: %d}\n"
                            "study: {kind: %s, coarsest_step: 2^-4, coarsest_steps: 4, levels: 3, "
                            "reference: 5, paths: %lld%s}\n";

static const cas_strong_quantiles *run(int seed, long long paths, const char *quantiles) {
  return cas_results_find(results_of(study, seed, "strong_quantiles", paths, quantiles),
                          "strong_quantiles");
}

static const cas_curve *run_strong(int seed, long long paths) {
  return cas_results_curve(results_of(study, seed, "strong", paths, ""), 0);
}

/* One path's error is known from `strong`: every quantile is within its bin, a factor 2^(1/32). */
TEST(one_path_is_its_own_distribution) {
  const cas_strong_quantiles *q = run(7, 1, ", quantiles: [0.1, 0.5, 0.9]");
  const cas_curve *c = run_strong(7, 1);
  ck_assert_int_eq(q->counted, 1);
  for (int l = 0; l < 3; l++)
    for (int k = 3 * l; k < 3 * l + 3; k++)
      ck_assert(fabs(log2(q->quantile.value[k] / c->error.value[l])) <= 1.0001 / 32 &&
                q->quantile.low[k] <= c->error.value[l] &&
                q->quantile.high[k] >= c->error.value[l]);
}

/* Means of squares over bins are those of `strong`, to the width of a bin. */
TEST(quantiles_add_up_to_the_mean_square) {
  char list[2000] = ", quantiles: [0.0025";
  for (int k = 1; k < 200; k++)
    cas_append(list, sizeof list, ", %g", (k + 0.5) / 200);
  const cas_strong_quantiles *q = run(3, 2000, strcat(list, "]"));
  const cas_curve *c = run_strong(3, 2000);
  for (int l = 0; l < 3; l++) {
    double sum = 0;
    for (int k = 0; k < 200; k++)
      sum += pow(q->quantile.value[200 * l + k], 2) / 200;
    ck_assert_msg(fabs(sqrt(sum) / c->error.value[l] - 1) < 0.03, "%g, not %g", sqrt(sum),
                  c->error.value[l]);
  }
}

/* Of 200 seeds 10 +- 3 miss the quantile of many paths; intervals of bins are wider. */
TEST_OF_MANY_PATHS(intervals_cover) {
  enum { PROBABILITIES = 3, LEVELS = 3 };
  const char *list = ", quantiles: [0.1, 0.5, 0.9]";
  const int seeds = repetitions(200);
  int covered[PROBABILITIES] = {0}, orders[PROBABILITIES] = {0};
  const cas_strong_quantiles *t = run(1, 100000, list);
  for (int seed = 2; seed < 2 + seeds; seed++) {
    const cas_strong_quantiles *q = run(seed, 200, list);
    for (int k = 0; k < PROBABILITIES; k++) {
      int i = (LEVELS - 1) * PROBABILITIES + k, before = i - PROBABILITIES;
      covered[k] +=
          q->quantile.low[i] <= t->quantile.value[i] && t->quantile.value[i] <= q->quantile.high[i];
      orders[k] += q->local_order.low[before] <= t->local_order.value[before] &&
                   t->local_order.value[before] <= q->local_order.high[before];
    }
  }
  for (int k = 0; k < PROBABILITIES; k++) {
    printf("strong_quantiles: %d and orders %d of %d\n", covered[k], orders[k], seeds);
    ck_assert(covered[k] >= 0.90 * seeds && orders[k] >= 0.90 * seeds);
  }
}

RUN_TESTS_WITH_MPI
