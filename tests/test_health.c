/* What is said about paths that failed, Casimirs that are none, and normals that were cut. */
/* ranks: 1 */
/* needs: sprng */
#include "files/results/table.h"
#include "pass_fixture.h"

#include <math.h>

/* Some paths of the coarsest level do not converge, others become NaN. */
static const char failing[] =
    "system: {name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: quadratic, sigma: 1.5}, "
    "initial: [0.36, 0.48, 0.8]}\n"
    "integrator: {name: implicit_trapezoid, max_iterations: 10}\n"
    "study: {kind: strong, coarsest_step: 2^-1, coarsest_steps: 2, levels: 2, reference: 4, paths: "
    "%d}\n";

static cas_status run_path(int64_t path, cas_error *err) {
  cas_results r;
  return run_request(MPI_COMM_WORLD, &(cas_run_request){.only_path = &path}, &r, err, failing, 200);
}

TEST(the_first_failure_has_its_own_cause) {
  cas_results r;
  cas_error err;
  ck_assert_int_eq(run_text(MPI_COMM_WORLD, &r, &err, failing, 200), CAS_CHECK_FAILED);
  ck_assert(r.health.nan[0] > 0 && r.health.not_converged[0] > r.health.nan[0]);
  ck_assert_int_eq(r.health.first_failed_path, 0);
  ck_assert_int_eq(r.health.first_failed_cause, CAS_FAILURE_NOT_CONVERGED);
  ck_assert_msg(strstr(err.text, "at step size 2^-1 (the fixed point did not converge)"), "%s",
                err.text);
}

TEST(a_single_path_tells_its_cause) {
  bool seen[3] = {false};
  for (int64_t path = 0; path < 200; path++) {
    cas_error err = {0};
    if (!run_path(path, &err))
      continue;
    for (int cause = CAS_FAILURE_NOT_CONVERGED; cause <= CAS_FAILURE_NAN; cause++)
      seen[cause] |= strstr(err.text, cas_failure_text((cas_failure)cause)) != NULL;
    ck_assert_msg(strstr(err.text, " failed at step size 2^-"), "%s", err.text);
  }
  ck_assert(seen[CAS_FAILURE_NOT_CONVERGED] && seen[CAS_FAILURE_NAN]);
}

/* ---- Casimirs that are no numbers ---- */

/* A pass of vortices, whose Casimirs are |x_i|^2 one by one. */
static one_pass *three_vortices(void) {
  return pass_of(0x1p-6, 4,
                 "system: {name: point_vortices, gamma: [1, 1, 1], initial: {random: {seed: 1, "
                 "norm: 1}}}\n");
}

TEST(one_nan_among_casimirs_is_seen) {
  one_pass *o = three_vortices();
  double departure[64];
  run_block(o);
  for (int i = 0; i < 3; i++)
    o->pass.level[0].x[3 * i * o->problem.W + i] = NAN; /* vortex i of lane i */
  cas_pass_departure(&o->pass, 0, departure);
  for (int lane = 0; lane < o->problem.W; lane++)
    ck_assert_msg(lane < 3 ? isnan(departure[lane]) : departure[lane] <= 1e-14,
                  "lane %d: departure %g", lane, departure[lane]);
}

static cas_status spoil(void *context CAS_UNUSED, cas_pass *s, int64_t observation,
                        cas_error *err CAS_UNUSED) {
  for (int lane = 0; observation == 0 && lane < s->problem->W; lane++)
    s->level[0].x[lane] = NAN;
  return CAS_OK;
}

TEST(drift_beyond_numbers_is_infinite) {
  one_pass *o = three_vortices();
  MUST(cas_pass_run(&o->pass, 0, spoil, NULL, &err));
  ck_assert(o->pass.level[0].drift[0] == INFINITY);
}

/* ---- clipping ---- */

static char *tables(cas_status expected, const char *study, const char *more) {
  cas_results r;
  cas_error err;
  cas_status st =
      run_text(MPI_COMM_WORLD, &r, &err,
               "system: {name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: quadratic, sigma: "
               "0.1}}\nstudy: {kind: %s}\n%s",
               study, more);
  ck_assert_msg(st == expected, "%s", err.text);
  ck_assert_int_eq(r.health.noises, 3);
  PRINTED(text, cas_results_print(f, &r));
  return text;
}

#define LEVELS "coarsest_steps: 2, levels: 2, reference: 4, paths: 1000"

/* P(|xi| > A_h) = erfc(sqrt(l |ln h|)) with l = 2 is 9.6% at 1/2, 1.9% at 1/4, 1e-5 at 1/128 */
TEST(clipping_is_reported_where_it_matters) {
  char *coarse = tables(CAS_OK, "strong, coarsest_step: 2^-1, " LEVELS, ""),
       *fine = tables(CAS_OK, "strong, coarsest_step: 2^-7, " LEVELS, "");
  ck_assert_msg(strstr(coarse, "CLIPPED: of the normals 9.") ||
                    strstr(coarse, "CLIPPED: of the normals 10% at h = 2^-1"),
                "%s", coarse);
  ck_assert_msg(strstr(coarse, "at h = 2^-2\n  More than 1% change the noise"), "%s", coarse);
  ck_assert_ptr_null(strstr(fine, "CLIPPED"));
}

/* ---- drift ---- */

TEST(drift_of_schemes_that_keep_no_casimirs_is_explained) {
  static const char study[] = "strong, coarsest_step: 2^-7, " LEVELS,
                    words[] = ") (this scheme does not keep them)\n";
  char *kept = tables(CAS_OK, study, ""),
       *not_kept = tables(CAS_OK, study, "integrator: {name: heun}\n");
  ck_assert_msg(strstr(kept, "drift of a Casimir") && !strstr(kept, words), "%s", kept);
  ck_assert_msg(strstr(not_kept, words), "%s", not_kept);
}

/* ---- numbers ---- */

TEST(all_paths_are_a_hundred_percent) {
  char *text = tables(CAS_CHECK_FAILED, "weak, functionals: [x1], coarsest_step: 2^-4, " LEVELS,
                      "integrator: {max_iterations: 1}\n");
  ck_assert_msg(strstr(text, "FAILED PATHS: 1000 of 1000 (100%),"), "%s", text);
  ck_assert_ptr_nonnull(strstr(text, "\nNo statistics: all 1000 paths failed and are left out.\n"));
  ck_assert_ptr_null(strstr(text, "weak error"));
  ck_assert_ptr_nonnull(strstr(text, "all 1000 paths failed and are"));
}

RUN_TESTS_WITH_MPI
