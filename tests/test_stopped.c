/* Runs that end at a path that fails, and go on under the same policy or another one. */
/* ranks: 1 3 */
/* needs: sprng */
/* lane: slow */
#include "on_failure_fixture.h"

/* The run stops at a path that fails; what was done before counts, under either policy. */
TEST_OVER(stopped_runs_go_on, 2 * STUDIES) {
  const char *study = studies[_i / 2], *policy = _i % 2 ? "keep" : "drop";
  long long path = -1;
  clear();
  const cas_results *whole = run_study(&anew, CAS_CHECK_FAILED, "", study, FEW, policy);
  clear();
  run_study(&anew, CAS_STOPPED,
            "the fixed point did not converge\n--only-path\nis saved in "
            "results.h5.checkpoint\non_failure=drop",
            study, FEW, "stop");
  ck_assert_msg(sscanf(last_said.text, "path %lld failed at step size 2^-", &path) == 1, "%s",
                last_said.text);
  ck_assert(is_there("results.h5.checkpoint") && !is_there("results.h5"));
  if (on_one_rank(1))
    ck_assert_int_eq(path, whole->health.first_failed_path);
  run_study(&(cas_run_request){.only_path = &(int64_t){path}}, CAS_CHECK_FAILED, "", study, FEW,
            "stop");
  run_study(&resumed, CAS_STOPPED, "", study, FEW, "stop");
  const cas_results *r = run_study(&resumed, CAS_CHECK_FAILED, "", study, FEW, policy);
  double x[200], y[200];
  const int n = numbers_of(whole, x);
  ck_assert(n > 0 && n == numbers_of(r, y) && memcmp(x, y, (size_t)n * sizeof *x) == 0);
  const cas_health *a = &whole->health, *b = &r->health;
  ck_assert(a->failed_paths == b->failed_paths && a->left_out_paths == b->left_out_paths);
  ck_assert(!is_there("results.h5.checkpoint"));
}

/* Paths so long that only a look into them can end the run. */
TEST_OVER(a_long_path_stops_soon, 4) {
  static const char *const long_studies[] = {
      "kind: trajectory, step: 2^-3, steps: 4000000000, every: 4000000000",
      "kind: ensemble, step: 2^-3, steps: 4000000000, every: 4000000000, paths: 3, observables: "
      "[moment_x]",
      "kind: weak_multilevel, coarsest_step: 2^-3, coarsest_steps: 4000000000, levels: 2, paths: "
      "3, functionals: [sin2pi]",
      "kind: mlmc, coarsest_step: 2^-3, coarsest_steps: 4000000000, epsilon: 1, functionals: "
      "[sin2pi]"};
  clear();
  run_as(&anew, CAS_STOPPED, "path \n failed at step size 2^-",
         "system: {name: point_vortices, gamma: [1, 1], initial: [[1, 0, 0], [0.9999995, 0.001, "
         "0]]}\nintegrator: {max_iterations: 10}\nstudy: {%s, on_failure: stop}\n",
         long_studies[_i]);
  ck_assert(is_there("results.h5.checkpoint"));
}

/* A record of the first steps that was no number counts in the health of a run that was continued
   by more steps, whose states are all numbers. */
TEST(a_failed_record_is_remembered) {
  static const char text[] =
      STUDY_BODY "study: {kind: trajectory, step: 2^-4, steps: %d, every: 4, paths: 200, "
                 "observables: [{gap: \"if((t > 0.2)*(t < 0.3), sqrt(x1 - 0.36), x1)\"}]}\n";
  clear();
  const cas_health whole = run_as(&anew, CAS_CHECK_FAILED, "", text, 16)->health;
  clear();
  run_as(&anew, CAS_CHECK_FAILED, "", text, 8);
  const cas_health longer = run_as(&resumed, CAS_CHECK_FAILED, "", text, 16)->health;
  ck_assert(whole.failed_paths > 0 && longer.failed_paths == whole.failed_paths);
  ck_assert_int_eq(longer.first_failed_path, whole.first_failed_path);
  ck_assert_int_eq(longer.nan[0], whole.nan[0]);
  clear();
}

/* With a trajectory the records of a stopped run are gone on with. */
TEST(stopped_trajectories_go_on) {
  static const char study[] = "kind: trajectory, step: 2^-4, steps: 200, every: 10, paths: 100";
  clear();
  const cas_results *r =
      run_study(&anew, CAS_CHECK_FAILED,
                "; their records are in the file as they are; the first is", study, FEW, "keep");
  ck_assert(r->health.left_out_paths == 0);
  const series whole = recorded_series("state");
  clear();
  run_study(&anew, CAS_STOPPED, "on_failure=keep", study, FEW, "stop");
  ck_assert(is_there("results.h5.tmp"));
  run_study(&resumed, CAS_CHECK_FAILED, "", study, FEW, "keep");
  const series x = recorded_series("state");
  ck_assert(same_series(&whole, &x));
}

/* More paths under another policy: only where it made no difference so far. */
TEST(a_policy_can_change_while_none_has_failed) {
#define SOME                                                                                   \
  "kind: weak, coarsest_step: 2^-3, coarsest_steps: 4, levels: 2, reference: 3, functionals: " \
  "[x1], paths: "
  static const char some[] = SOME "5000", more[] = SOME "6000";
  clear();
  run_study(&anew, CAS_CHECK_FAILED, "", some, FEW, "drop");
  run_study(&resumed, CAS_BAD_INPUT, "belongs to a run with another study.on_failure, drop, and",
            more, FEW, "keep");
  run_study(&resumed, CAS_BAD_INPUT, "is finished with study.on_failure: drop, and", some, FEW,
            "keep");
  run_study(&resumed, CAS_CHECK_FAILED, "", some, FEW, "drop");
  run_study(&anew, CAS_OK, "", some, ENOUGH, "stop");
  run_study(&resumed, CAS_OK, "", some, ENOUGH, "keep");
  const cas_results *r = run_study(&resumed, CAS_OK, "", more, ENOUGH, "keep");
  ck_assert(r->provenance.paths == 6000 && r->health.on_failure == CAS_ON_FAILURE_KEEP);
}

RUN_TESTS_WITH_MPI
