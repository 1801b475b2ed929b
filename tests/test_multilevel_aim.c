/* Paths of every level for a relative error, and what is said where it is not reached. */
/* ranks: 1 2 3 */
/* needs: sprng */
#include "study_fixture.h"

#define QUADRATIC "{name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: quadratic, sigma: 0.1}}"

TEST(as_many_paths_as_an_error_needs) {
  const cas_multilevel *m = multilevel_of(
      "system: " QUADRATIC "\nstudy: {kind: weak_multilevel, coarsest_step: 2^-5, coarsest_steps: "
      "3, levels: 3, functionals: [sin2pi], relative_error: 0.01}\n");
  for (int l = 0; l < 3; l++) {
    const cas_curve *d = &m->functional[0];
    double relative = d->difference.standard_error[l] / fabs(d->difference.value[l]);
    ck_assert_msg(relative > 0.007 && relative <= 0.01, "level %d: %g", l, relative);
    ck_assert(m->paths[l] > 2000);
  }
  ck_assert(m->reached && m->findings == cas_finding_set(CAS_TARGET_REACHED));
}

/* What more paths do not give is not tried, and what is not there is said, with status 1. */
static const struct {
  const char *system, *more, *message;
  int64_t paths; /* of every level */
  cas_finding further;
} missed[] = {
    {QUADRATIC, "functionals: [sin2pi], relative_error: 0.001, max_paths: 1000",
     "relative_error = 0.001 of sin2pi NOT REACHED: a level has all the paths that study.max_paths "
     "allows: raise it.",
     1024, CAS_PATH_LIMIT},
    {"{name: manakov, n: 2, noise: {sigma: 0.1}, initial: {random: {seed: 3, norm: 1}}}",
     "functionals: [energy], relative_error: 0.1", "a difference is within rounding", 512,
     CAS_WITHIN_ROUNDING},
    {"{name: euler_zeitlin, N: 4, noise: {amplitude: 0.3, lmin: 1}, initial: {random: {seed: 7, "
     "norm: 1}}}",
     "functionals: [enstrophy, energy], relative_error: 0.1",
     "let a functional decide that is not constant", 512, CAS_WITHIN_ROUNDING},
    {QUADRATIC "\nintegrator: {max_iterations: 1}", "functionals: [sin2pi], relative_error: 0.1",
     "1536 of 1536 paths failed", 0, CAS_LEVEL_FAILED},
};

TEST_OVER(relative_error_not_reached, sizeof missed / sizeof *missed) {
  const cas_results *r = run_to(CAS_CHECK_FAILED, missed[_i].message,
                                "system: %s\nstudy: {kind: weak_multilevel, coarsest_step: 2^-3, "
                                "coarsest_steps: 4, levels: 3, %s}\n",
                                missed[_i].system, missed[_i].more);
  const cas_multilevel *m = cas_results_multilevel(r);
  ck_assert_int_eq(code_of(m->findings),
                   r->health.left_out_paths ? CAS_ALL_PATHS_FAILED : CAS_TARGET_MISSED);
  ck_assert(cas_findings_have(m->findings, missed[_i].further));
  for (int l = 0; l < 3; l++)
    ck_assert_int_eq(m->paths[l], missed[_i].paths);
  ck_assert(!m->reached);
}

/* A first functional that is hard and paths that fail now and then: the others are as many as
   the error takes, and yet it is not reached. */
TEST(failed_paths_are_made_up_for_and_not_valid) {
  const cas_results *r =
      run_to(CAS_CHECK_FAILED, "",
             "system: {name: rigid_body, inertia: [.inf, .inf, .inf], noise: {kind: linear, sigma: "
             "0.8}}\nintegrator: {name: implicit_midpoint, max_iterations: 28}\nstudy: {kind: "
             "weak_multilevel, coarsest_step: 1/16, horizon: 0.5, levels: 2, functionals: [x1], "
             "relative_error: 0.02}\n");
  const cas_multilevel *m = cas_results_multilevel(r);
  const cas_curve *d = &m->functional[0];
  ck_assert(r->health.left_out_paths > 0 && !m->reached);
  ck_assert_uint_eq(m->findings,
                    cas_finding_set(CAS_NOT_VALID) | cas_finding_set(CAS_PATHS_FAILED));
  for (int l = 0; l < 2; l++)
    ck_assert(d->difference.standard_error[l] <= 0.02 * fabs(d->difference.value[l]));
}

RUN_TESTS_WITH_MPI
