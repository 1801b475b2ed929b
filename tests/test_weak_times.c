/* Weak errors at several times: those of `weak`, and intervals of suprema over seeds. */
/* ranks: 1 */
#include "files/results/table.h"
#include "studies/laws/weak_times.h"
#include "study_fixture.h"

enum { LEVELS = 3, TIMES = 4 };

static const char study[] = "system: {name: rigid_body, inertia: [2, 1, 0.6666666666666666], "
                            "noise: {kind: quadratic, sigma: 0.3}, initial: [0.36, 0.48, 0.8]}\n"
                            "random: {generator: threefry, seed: %d}\nintegrator: {name: heun}\n"
                            "study: {kind: %s, coarsest_step: 2^-3, horizon: %s, levels: 3, "
                            "reference: 4, paths: %lld, functionals: [x1, energy]%s}\n";

static const cas_weak_times *run_times(int seed, const char *horizon, long long paths) {
  return cas_results_find(
      results_of(study, seed, "weak_times", horizon, paths, ", times: [0.25, 0.5, 1, 1.5]"),
      "weak_times/energy");
}

/* A run to each of the times has the same errors there, to rounding of its sums, which are of other
   groups; one with a later horizon the same bits. */
TEST(errors_are_those_of_runs_to_the_times) {
  static const char *const horizon[TIMES] = {"0.25", "0.5", "1", "1.5"};
  const cas_weak_times *w = run_times(3, "1.5", 700), *v = run_times(3, "2", 700);
  ck_assert(w && v && w->times == TIMES && w->levels == LEVELS && w->counted == 700);
  ck_assert(memcmp(w->error.value, v->error.value, LEVELS * TIMES * sizeof(double)) == 0);
  for (int k = 0; k < TIMES; k++) {
    const cas_curve *c =
        cas_results_find(results_of(study, 3, "weak", horizon[k], 700LL, ""), "weak/energy");
    for (int l = 0; l < LEVELS; l++) {
      const int i = l * TIMES + k;
      ck_assert(fabs(w->error.value[i] - c->error.value[l]) <= 1e-13);
      ck_assert(fabs(w->error.standard_error[i] / c->error.standard_error[l] - 1) < 0.5);
      ck_assert(fabs(w->mean.value[k] - c->mean.value[LEVELS]) <= 1e-13);
      ck_assert(w->supremum.value[l] >= fabs(w->error.value[i]) - 1e-15 &&
                w->supremum.low[l] <= w->supremum.value[l]);
    }
  }
}

/* Of 200 seeds few intervals of 95% of suprema and orders miss those of many paths. */
TEST_OF_MANY_PATHS(intervals_cover) {
  const int seeds = repetitions(200);
  int covered[LEVELS] = {0}, orders = 0;
  const cas_weak_times *t = run_times(1, "1.5", 200000);
  for (int seed = 2; seed < 2 + seeds; seed++) {
    const cas_weak_times *w = run_times(seed, "1.5", 256);
    for (int l = 0; l < LEVELS; l++)
      covered[l] +=
          w->supremum.low[l] <= t->supremum.value[l] && t->supremum.value[l] <= w->supremum.high[l];
    orders += w->local_order.low[0] <= t->local_order.value[0] &&
              t->local_order.value[0] <= w->local_order.high[0];
  }
  for (int l = 0; l < LEVELS; l++) {
    printf("weak_times: %d and orders %d of %d\n", covered[l], orders, seeds);
    ck_assert(covered[l] >= 0.90 * seeds && orders >= 0.90 * seeds);
  }
}

TEST(times_off_the_coarsest_grid_are_refused) {
  static const char *const wrong[][2] = {{", times: [0.1]", "no whole number of steps of 2^-3"},
                                         {", times: [0]", "must ascend"},
                                         {", times: [1, 0.5]", "must ascend"},
                                         {", times: [3]", "must be at most 2"},
                                         {", times: []", "must have a time"}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    is_refused(0, wrong[i][1], study, 1, "weak_times", "2", 10LL, wrong[i][0]);
}

RUN_TESTS_WITH_MPI
