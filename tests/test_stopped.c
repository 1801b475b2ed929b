/* Runs that end at a path that fails, and go on under the same policy or another one. */
/* ranks: 1 3 */
/* needs: sprng */
/* lane: slow */
#include "on_failure_fixture.h"

static void assert_same_numbers(const cas_results *a, const cas_results *b) {
  double x[200], y[200];
  int n = numbers_of(a, x);
  ck_assert(n > 0 && n == numbers_of(b, y));
  ck_assert(memcmp(x, y, (size_t)n * sizeof *x) == 0);
  ck_assert_int_eq(a->health.failed_paths, b->health.failed_paths);
  ck_assert_int_eq(a->health.left_out_paths, b->health.left_out_paths);
}

/* The run stops at a path that fails; what was done before counts, under either policy. */
static void check_stop(const char *study, const char *policy) {
  cas_results r, whole;
  cas_error err;
  long long path = -1;
  clear();
  ck_assert_int_eq(run_study(&anew, study, FEW, policy, &whole, &err), CAS_CHECK_FAILED);
  clear();
  ck_assert_int_eq(run_study(&anew, study, FEW, "stop", &r, &err), CAS_STOPPED);
  ck_assert_msg(sscanf(err.text, "path %lld failed at step size 2^-", &path) == 1, "%s", err.text);
  ck_assert(says(&err, "the fixed point did not converge") && says(&err, "--only-path"));
  ck_assert(says(&err, "is saved in results.h5.checkpoint") && says(&err, "on_failure=drop"));
  ck_assert(is_there("results.h5.checkpoint") && !is_there("results.h5"));
  if (on_one_rank(1))
    ck_assert_int_eq(path, whole.health.first_failed_path);
  ck_assert_int_eq(
      run_study(&(cas_run_request){.only_path = &(int64_t){path}}, study, FEW, "stop", &r, &err),
      CAS_CHECK_FAILED);
  ck_assert_int_eq(run_study(&resumed, study, FEW, "stop", &r, &err), CAS_STOPPED);
  ck_assert_int_eq(run_study(&resumed, study, FEW, policy, &r, &err), CAS_CHECK_FAILED);
  assert_same_numbers(&whole, &r);
  ck_assert(!is_there("results.h5.checkpoint"));
}

TEST_OVER(stopped_runs_go_on, 2 * STUDIES) {
  check_stop(studies[_i / 2], _i % 2 ? "keep" : "drop");
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
  cas_results r;
  cas_error err;
  clear();
  ck_assert_int_eq(run_request(MPI_COMM_WORLD, &anew, &r, &err,
                               "system: {name: point_vortices, gamma: [1, 1], initial: [[1, 0, 0], "
                               "[0.9999995, 0.001, 0]]}\nintegrator: {max_iterations: 10}\n"
                               "study: {%s, on_failure: stop}\n",
                               long_studies[_i]),
                   CAS_STOPPED);
  ck_assert_msg(says(&err, "path ") && says(&err, " failed at step size 2^-"), "%s", err.text);
  ck_assert(is_there("results.h5.checkpoint"));
}

/* States are numbers throughout, also their squares, and energies overflow: that is known when a
   block is done, and no path counts twice. */
TEST_OVER(values_that_are_no_numbers_stop_too, 4) {
  static const char *const wild[] = {
      "kind: weak, coarsest_step: 2^-990, coarsest_steps: 4, levels: 2, reference: 3, paths: 100, "
      "functionals: [energy]",
      "kind: weak_multilevel, coarsest_step: 2^-990, coarsest_steps: 4, levels: 2, paths: 100, "
      "functionals: [energy]",
      "kind: mlmc, epsilon: 1, coarsest_step: 2^-990, coarsest_steps: 4, pilot_paths: 100, "
      "functionals: [energy]",
      "kind: ensemble, step: 1e-300, steps: 8, times: [8e-300], paths: 100, observables: "
      "[hamiltonian]"};
  static const char text[] =
      "system: {name: rigid_body, inertia: [0.5, 0.5, 0.5], noise: {kind: linear, sigma: 0.1}, "
      "initial: [1e154, 0, 0]}\nstudy: {%s, on_failure: %s}\n";
  cas_results r;
  cas_error err;
  clear();
  ck_assert_int_eq(run_request(MPI_COMM_WORLD, &anew, &r, &err, text, wild[_i], "stop"),
                   CAS_STOPPED);
  ck_assert_msg(says(&err, "path ") && says(&err, " is NaN or infinite at t = "), "%s", err.text);
  ck_assert_int_eq(run_request(MPI_COMM_WORLD, &resumed, &r, &err, text, wild[_i], "drop"),
                   CAS_CHECK_FAILED);
  ck_assert((r.health.failed_paths == r.provenance.paths &&
             r.health.left_out_paths == r.provenance.paths));
}

/* A record of the first steps that was no number counts in the health of a run that was continued by
   more steps, whose states are all numbers. */
TEST(a_failed_record_is_remembered) {
  static const char text[] =
      STUDY_BODY "study: {kind: trajectory, step: 2^-4, steps: %d, every: 4, paths: 200, "
                 "observables: [{gap: \"if((t > 0.2)*(t < 0.3), sqrt(x1 - 0.36), x1)\"}]}\n";
  cas_results longer, whole;
  cas_error err;
  clear();
  ck_assert_int_eq(run_request(MPI_COMM_WORLD, &anew, &whole, &err, text, 16), CAS_CHECK_FAILED);
  clear();
  ck_assert_int_eq(run_request(MPI_COMM_WORLD, &anew, &longer, &err, text, 8), CAS_CHECK_FAILED);
  ck_assert_int_eq(run_request(MPI_COMM_WORLD, &resumed, &longer, &err, text, 16),
                   CAS_CHECK_FAILED);
  ck_assert_int_gt(whole.health.failed_paths, 0);
  ck_assert_int_eq(longer.health.failed_paths, whole.health.failed_paths);
  ck_assert_int_eq(longer.health.first_failed_path, whole.health.first_failed_path);
  ck_assert_int_eq(longer.health.nan[0], whole.health.nan[0]);
  clear();
}

/* With a trajectory the records of a stopped run are gone on with. */
TEST(stopped_trajectories_go_on) {
  static const char study[] = "kind: trajectory, step: 2^-4, steps: 200, every: 10, paths: 100";
  cas_results r;
  cas_error err;
  clear();
  ck_assert_int_eq(run_study(&anew, study, FEW, "keep", &r, &err), CAS_CHECK_FAILED);
  ck_assert_msg(says(&err, "; their records are in the file as they are; the first is"), "%s",
                err.text);
  ck_assert(r.health.left_out_paths == 0);
  series whole = recorded_series("state");
  clear();
  ck_assert_int_eq(run_study(&anew, study, FEW, "stop", &r, &err), CAS_STOPPED);
  ck_assert(is_there("results.h5.tmp") && says(&err, "on_failure=keep"));
  ck_assert_int_eq(run_study(&resumed, study, FEW, "keep", &r, &err), CAS_CHECK_FAILED);
  series x = recorded_series("state");
  ck_assert(same_series(&whole, &x));
}

/* More paths under another policy: only where it made no difference so far. */
TEST(a_policy_can_change_while_none_has_failed) {
  static const char study[] = "kind: weak, coarsest_step: 2^-3, coarsest_steps: 4, levels: 2, "
                              "reference: 3, functionals: [x1], paths: ";
  char some[200], more[200];
  cas_results r;
  cas_error err;
  snprintf(some, sizeof some, "%s5000", study);
  snprintf(more, sizeof more, "%s6000", study);
  clear();
  ck_assert_int_eq(run_study(&anew, some, FEW, "drop", &r, &err), CAS_CHECK_FAILED);
  ck_assert_int_eq(run_study(&resumed, more, FEW, "keep", &r, &err), CAS_BAD_INPUT);
  ck_assert_msg(says(&err, "belongs to a run with another study.on_failure, drop, and"), "%s",
                err.text);
  ck_assert_int_eq(run_study(&resumed, some, FEW, "keep", &r, &err), CAS_BAD_INPUT);
  ck_assert_msg(says(&err, "is finished with study.on_failure: drop, and"), "%s", err.text);
  ck_assert_int_eq(run_study(&resumed, some, FEW, "drop", &r, &err), CAS_CHECK_FAILED);
  ck_assert_int_eq(run_study(&anew, some, ENOUGH, "stop", &r, &err), CAS_OK);
  ck_assert_int_eq(run_study(&resumed, some, ENOUGH, "keep", &r, &err), CAS_OK);
  ck_assert_int_eq(run_study(&resumed, more, ENOUGH, "keep", &r, &err), CAS_OK);
  ck_assert((r.provenance.paths == 6000 && r.health.on_failure == CAS_ON_FAILURE_KEEP));
}

RUN_TESTS_WITH_MPI
