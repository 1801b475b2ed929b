/* What is said about paths that failed, Casimirs that are none, and normals that were cut. */
/* ranks: 1 */
/* needs: sprng */
#include "files/results/table.h"
#include "pass_fixture.h"

/* Some paths of the coarsest level do not converge, others become NaN. */
static const char failing[] =
    "system: {name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: quadratic, sigma: 1.5}, "
    "initial: [0.36, 0.48, 0.8]}\n"
    "integrator: {name: implicit_trapezoid, max_iterations: 10}\n"
    "study: {kind: strong, coarsest_step: 2^-1, coarsest_steps: 2, levels: 2, reference: 4, paths: "
    "%d}\n";

TEST(the_first_failure_has_its_own_cause) {
  const cas_health h =
      run_to(CAS_CHECK_FAILED, "at step size 2^-1 (the fixed point did not converge)", failing, 200)
          ->health;
  ck_assert(h.nan[0] > 0 && h.not_converged[0] > h.nan[0]);
  ck_assert_int_eq(h.first_failed_path, 0);
  ck_assert_int_eq(h.first_failed_cause, CAS_FAILURE_NOT_CONVERGED);
}

TEST(a_single_path_tells_its_cause) {
  bool seen[3] = {false};
  for (int64_t path = 0; path < 200; path++) {
    cas_results r;
    cas_error err;
    if (!run_request(MPI_COMM_WORLD, &(cas_run_request){.only_path = &path}, &r, &err, failing,
                     200))
      continue;
    for (int cause = CAS_FAILURE_NOT_CONVERGED; cause <= CAS_FAILURE_NAN; cause++)
      seen[cause] |= strstr(err.text, cas_failure_text((cas_failure)cause)) != NULL;
    ck_assert_msg(strstr(err.text, " failed at step size 2^-"), "%s", err.text);
  }
  ck_assert(seen[CAS_FAILURE_NOT_CONVERGED] && seen[CAS_FAILURE_NAN]);
}

/* ---- Casimirs that are no numbers ---- */

static cas_status spoil(void *context CAS_UNUSED, cas_pass *s, int64_t observation,
                        cas_error *err CAS_UNUSED) {
  for (int lane = 0; observation == 0 && lane < s->problem->W; lane++)
    s->level[0].x[lane] = NAN;
  return CAS_OK;
}

/* Casimirs of vortices are |x_i|^2 each: NaN is seen, and a drift beyond numbers is infinite. */
TEST(one_nan_among_casimirs_is_seen) {
  one_pass *o = pass_of(0x1p-6, 4,
                        "system: {name: point_vortices, gamma: [1, 1, 1], initial: {random: {seed: "
                        "1, norm: 1}}}\n");
  double departure[64], *x = o->pass.level[0].x;
  run_block(o);
  for (int i = 0; i < 3; i++)
    x[3 * i * o->problem.W + i] = NAN; /* vortex i of lane i */
  cas_pass_departure(&o->pass, 0, departure);
  for (int lane = 0; lane < o->problem.W; lane++)
    ck_assert_msg(lane < 3 ? isnan(departure[lane]) : departure[lane] <= 1e-14,
                  "lane %d: departure %g", lane, departure[lane]);
  MUST(cas_pass_run(&o->pass, 0, spoil, NULL, &err));
  ck_assert(o->pass.level[0].drift[0] == INFINITY);
}

/* ---- clipping ---- */

static char *tables(const char *study, const char *more) {
  const cas_results *r =
      results_of("system: {name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: "
                 "quadratic, sigma: 0.1}}\nstudy: {kind: %s}\n%s",
                 study, more);
  ck_assert_int_eq(r->health.noises, 3);
  PRINTED(text, cas_results_print(f, r));
  return text;
}

#define LEVELS "coarsest_steps: 2, levels: 2, reference: 4, paths: 1000"

/* P(|xi| > A_h) = erfc(sqrt(l |ln h|)) with l = 2 is 9.6% at 1/2, 1.9% at 1/4, 1e-5 at 1/128. The
   drift of schemes that keep no Casimirs is explained. */
TEST(clipping_and_drift_are_reported_where_they_matter) {
  static const char study[] = "strong, coarsest_step: 2^-7, " LEVELS,
                    words[] = ") (this scheme does not keep them)\n";
  char *coarse = tables("strong, coarsest_step: 2^-1, " LEVELS, ""), *fine = tables(study, ""),
       *not_kept = tables(study, "integrator: {name: heun}\n");
  ck_assert_msg(strstr(coarse, "CLIPPED: of the normals 9.") ||
                    strstr(coarse, "CLIPPED: of the normals 10% at h = 2^-1"),
                "%s", coarse);
  ck_assert_msg(strstr(coarse, "at h = 2^-2\n  More than 1% change the noise"), "%s", coarse);
  ck_assert_ptr_null(strstr(fine, "CLIPPED"));
  ck_assert_msg(strstr(fine, "drift of a Casimir") && !strstr(fine, words), "%s", fine);
  ck_assert_msg(strstr(not_kept, words), "%s", not_kept);
}

RUN_TESTS_WITH_MPI
