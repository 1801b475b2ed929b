/* Ensembles that go wrong: values that are no numbers, impossible requests. */
/* ranks: 1 2 3 */
/* needs: sprng */
#include "study_fixture.h"

/* States are numbers throughout, the energy overflows: nothing is left, and that is said. */
TEST(observables_that_are_no_numbers_fail_their_paths) {
  const cas_results *r =
      run_to(CAS_CHECK_FAILED, "",
             "system: {name: rigid_body, inertia: [0.5, 0.5, 0.5], noise: {kind: linear, sigma: "
             "0.1}, initial: [1e154, 0, 0]}\nstudy: {kind: ensemble, step: 1e-300, steps: 8, "
             "times: [4e-300, 8e-300], paths: 100, observables: [x1, hamiltonian]}\n");
  const cas_ensemble_observable *o = &cas_results_ensemble(r)->observable[0];
  ck_assert(r->health.failed_paths == 100 && r->health.nan[0] == 100);
  ck_assert(r->health.not_converged[0] == 0 && cas_results_ensemble(r)->counted == 0);
  ck_assert(isnan(o->mean.value[0]) && isnan(o->variance.value[1]) && isnan(o->minimum[0]));
  ck_assert(isnan(o->quantile.value[0]) && o->histogram.below[0] + o->histogram.above[0] == 0);
}

/* One path has a mean and no variance. */
TEST(one_path_has_no_error) {
  const cas_results *r = results_of(
      "system: {name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: quadratic, sigma: 0.1}}\n"
      "study: {kind: ensemble, step: 2^-6, steps: 8, times: [0.125], paths: 1, observables: [x1], "
      "quantiles: [0, 0.3, 1]}\n");
  const cas_ensemble_observable *o = &cas_results_ensemble(r)->observable[0];
  ck_assert(isfinite(o->mean.value[0]) && isnan(o->variance.value[0]) &&
            isnan(o->mean.standard_error[0]));
  for (int k = 0; k < 3; k++)
    ck_assert(o->quantile.value[k] == o->mean.value[0]);
  ck_assert(o->minimum[0] == o->mean.value[0] && o->maximum[0] == o->mean.value[0]);
}

/* ---- refusals ---- */

static const char *const refused[][2] = {
    {"steps: 50, times: [0, 0.333]",
     "study.times: found 0.333, which is no whole number of steps of 0.01; the nearest that are: "
     "0.33 (33 steps) and 0.34 (34 steps)"},
    {"steps: 50, times: [0, 0.6]", "study.times: found 0.6, must be at most 0.5 = 50 steps"},
    {"steps: 50, times: [0.2, 0.1]", "study.times: found 0.1 after 0.2, must ascend"},
    {"steps: 50, times: [0.1, 0.1]", "must ascend"},
    {"steps: 50, times: [-0.1]", "study.times[0]: found -0.1, must be"},
    {"steps: 50, times: []", "study.times: found an empty list, must have a time"},
    {"steps: 50", "found neither times nor every, must have one"},
    {"steps: 50, times: [0.1], every: 10", "found both times and every, must have one"},
    {"steps: 50, every: 20", "study.every: found 20, must divide steps: 50"},
    {"steps: 50, every: 10, members: 11",
     "study.members: found 11, must be at most the number of paths, 10"},
    {"steps: 50, every: 10, quantiles: [0.1, 1.5]", "study.quantiles[1]: found 1.5"},
    {"steps: 50, every: 10, quantiles: [0.5, 0.1]",
     "study.quantiles: found 0.1 after 0.5, must ascend"},
    {"steps: 50, every: 10, bins: -1", "study.bins: found -1"},
    {"steps: 50, every: 10, path_groups: 4, observables: [angular_momentum]",
     "path_groups: found 4, must be 0 where no observable is a single"},
    {"steps: 50, every: 10, observables: []", "study.observables: is empty"},
    {"steps: 50, every: 10, observables: [hamiltonain]", "did you mean 'hamiltonian'"},
    {"steps: 50, every: 10, observables: [x1, x1]", "names 'x1' twice"},
    {"steps: 1000000000, every: 1", "GB on rank 0"},
};

TEST_OVER(what_cannot_be_is_refused, sizeof refused / sizeof *refused) {
  is_refused(0, refused[_i][1],
             "system: {name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: quadratic, sigma: "
             "0.1}}\nstudy: {kind: ensemble, step: 0.01, paths: 10, %s}\n",
             refused[_i][0]);
}

RUN_TESTS_WITH_MPI
