/* What is particular to a scheme: exactly known cases, what it keeps and what it does not, and pairs
   that do not fit. */
/* ranks: 1 2 */
#include "paths/sweep.h"
#include "study_fixture.h"

#include <math.h>

static void run_well(cas_results *r, const char *text) {
  cas_error err;
  cas_status st = run_text(MPI_COMM_WORLD, r, &err, "%s", text);
  ck_assert_msg(!st, "%s: %s", text, err.text);
}

static int root(void) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank == 0;
}

/* ---- exactly known cases ---- */

/* the largest strong error with H0 = 0 and one linear noise, whose steps are rotations */
static double error_of_one_noise(const char *scheme) {
  char text[600];
  cas_results r;
  double most = 0;
  snprintf(text, sizeof text,
           "system: {name: rigid_body, inertia: [.inf, .inf, .inf], noise: {kind: linear, chi: "
           "[[0.3, -0.4, 0.5]]}, initial: [0.6, 0, 0.8]}\n"
           "integrator: {name: %s, truncation: 0}\n"
           "study: {kind: strong, coarsest_step: 2^-2, coarsest_steps: 8, levels: 4, reference: 6, "
           "paths: 64}\n",
           scheme);
  run_well(&r, text);
  if (root()) {
    const cas_curve *c = cas_results_curve(&r, 0);
    for (int j = 0; j < c->levels; j++)
      most = fmax(most, c->error[j]);
  }
  cas_results_free(&r);
  return most;
}

START_TEST(munthe_kaas_is_exact_for_one_linear_noise) {
  double exact = error_of_one_noise("munthe_kaas"), rule = error_of_one_noise("implicit_midpoint");
  ck_assert_msg(exact < 1e-13, "munthe_kaas is off by %g", exact);
  ck_assert_msg(!root() || rule > 1e-4, "implicit_midpoint is off by %g", rule);
}
END_TEST

/* H0 = 0 and chi_k = s e_k: a step of the solution has the mean factor exp(-q), one of Munthe-Kaas
   (1 + 2 (1 - q) exp(-q/2))/3, with q = s^2 h = 1 here. */
START_TEST(mean_factor_of_a_munthe_kaas_step) {
  cas_results r;
  run_well(&r, "system: {name: rigid_body, inertia: [.inf, .inf, .inf], noise: {kind: linear, "
               "sigma: 2}, initial: [0, 0, 1]}\n"
               "random: {generator: threefry}\n"
               "integrator: {name: munthe_kaas, truncation: 0}\n"
               "study: {kind: weak, coarsest_step: 1/4, coarsest_steps: 1, levels: 1, reference: "
               "1, paths: 40000, functionals: [x3]}\n");
  if (root()) {
    const cas_curve *c = cas_results_curve(&r, 0);
    double off = (c->mean[0] - 1.0 / 3) / c->mean_standard_error[0];
    ck_assert_msg(fabs(off) < 4, "off by %g standard errors", off);
    ck_assert(fabs(exp(-1) - 1.0 / 3) > 8 * c->mean_standard_error[0]);
  }
  cas_results_free(&r);
}
END_TEST

/* ---- energy without noise ---- */

static double drift_of_energy(const char *scheme) {
  char text[400];
  cas_results r;
  cas_error err;
  int rank;
  int64_t dims[4];
  bool is_complex;
  double *h, most = 0;
  snprintf(text, sizeof text,
           "system: {name: rigid_body, inertia: [2, 1, 0.5], initial: [0.36, 0.48, 0.8]}\n"
           "integrator: {name: %s}\n"
           "study: {kind: trajectory, step: 2^-4, steps: 500, observables: [hamiltonian]}\n",
           scheme);
  run_well(&r, text);
  cas_results_free(&r);
  ck_assert(!cas_dataset_read("results.h5", "/trajectory/hamiltonian", &rank, dims, &is_complex, &h,
                              &err));
  for (int64_t i = 0; i < dims[0]; i++)
    most = fmax(most, fabs(h[i] - h[0]));
  free(h);
  MPI_Barrier(MPI_COMM_WORLD);
  return most;
}

START_TEST(energy_is_kept_where_it_should) {
  static const char *const kept[] = {"munthe_kaas", "implicit_midpoint"},
                           *const lost[] = {"heun", "euler_maruyama", "implicit_trapezoid",
                                            "isospectral_midpoint"};
  for (int i = 0; i < 2; i++)
    ck_assert_msg(drift_of_energy(kept[i]) < 1e-13, "%s", kept[i]);
  for (int i = 0; i < 4; i++)
    ck_assert_msg(drift_of_energy(lost[i]) > 1e-8, "%s", lost[i]);
}
END_TEST

/* ---- Poisson maps ---- */

/* |D J(x) D^T - J(Phi(x))|, the largest entry, of a step of the rigid body with given increments,
   where J(x) = hat(x) and D comes from central differences */
static double departure_from_poisson(const char *scheme) {
  const double dw[3] = {0.4, -0.3, 0.5}, x0[3] = {0.36, 0.48, 0.8}, by = 1e-4, h = 0.25;
  const cas_sweep_plan plan = {.levels = 1, .h = {h}, .ratio = {1}, .steps = 1, .grid = 1};
  char text[400];
  cas_config *c;
  cas_problem p;
  cas_sweep s;
  cas_error err = {0};
  snprintf(
      text, sizeof text,
      "{system: {name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: quadratic, sigma: 0.7}}, "
      "integrator: {name: %s}}",
      scheme);
  ck_assert(!cas_config_parse(text, strlen(text), "test", &c, &err));
  ck_assert_msg(!cas_problem_create(c, false, MPI_COMM_WORLD, &p, &err), "%s", err.text);
  ck_assert(!cas_sweep_create(&p, &plan, &s, &err));
  ck_assert(!cas_sweep_run(&s, 0, NULL, NULL, &err)); /* clears tallies */
  double *x = s.level[0].x, d[3][3], most = 0, scale = p.integrator->scale;
  for (int k = 0; k < 3; k++)
    for (int l = 0; l < p.W; l++) {
      x[k * p.W + l] = x0[k] + (l / 2 == k ? by * (l % 2 ? -1 : 1) : 0);
      s.dw[k * p.W + l] = scale * dw[k];
    }
  p.system->prepare(p.parameters, p.W, scale * h, s.dw, s.coef);
  p.step(&s.level[0].stepper, x, NULL, s.coef, s.work, &s.level[0].tally);
  for (int k = 0; k < 3; k++)
    for (int j = 0; j < 3; j++)
      d[k][j] = (x[k * p.W + 2 * j] - x[k * p.W + 2 * j + 1]) / (2 * by);
  for (int k = 0; k < 3; k++) { /* entry (i, j) of D hat(x) D^T is x . (row i x row j) up to sign */
    const double *a = d[(k + 1) % 3], *b = d[(k + 2) % 3];
    double pulled = 0;
    for (int i = 0; i < 3; i++)
      pulled += x0[i] * (a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3]);
    most = fmax(most, fabs(pulled - x[k * p.W + 8]));
  }
  cas_sweep_free(&s);
  cas_problem_free(&p);
  cas_config_free(c);
  return most;
}

START_TEST(poisson_maps_are_those_that_say_so) {
  int maps = 0;
  for (const cas_integrator *const *i = cas_kernels_get()->integrators; *i; i++) {
    bool declared = (*i)->keeps & CAS_KEEPS_POISSON;
    double departure = departure_from_poisson((*i)->name);
    ck_assert_msg(declared ? departure < 1e-7 : departure > 1e-4, "%s: %g", (*i)->name, departure);
    maps += declared;
  }
  ck_assert(maps > 0);
}
END_TEST

/* ---- what is refused ---- */

static void refused(const char *text, const char *why) {
  cas_results r;
  cas_error err;
  cas_status st = run_text(MPI_COMM_WORLD, &r, &err, "%s", text);
  ck_assert_int_eq(st, CAS_BAD_INPUT);
  ck_assert_msg(strstr(err.text, why) != NULL, "%s: found '%s', must have '%s'", text, err.text,
                why);
}

START_TEST(misfits_and_foreign_options_are_refused) {
  refused("system: {name: euler_zeitlin, N: 5, initial: {random: {seed: 1, norm: 1}}}\n"
          "integrator: {name: euler_maruyama}\n"
          "study: {kind: trajectory, step: 2^-4, steps: 5}\n",
          "euler_maruyama does not fit system euler_zeitlin: it needs second derivatives");
  refused("system: {name: rigid_body, inertia: [2, 1, 0.5]}\n"
          "integrator: {name: heun, tolerance: 1e-12}\n"
          "study: {kind: trajectory, step: 2^-4, steps: 5}\n",
          "tolerance");
  refused("system: {name: rigid_body, inertia: [2, 1, 0.5]}\n"
          "integrator: {name: huen}\n"
          "study: {kind: trajectory, step: 2^-4, steps: 5}\n",
          "heun");
}
END_TEST

/* A scheme that keeps no Casimirs reports its drift, which fails a run only where the configuration
   bounds it. */
START_TEST(declared_drift_is_no_failure) {
  const char *text = "system: {name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: quadratic, "
                     "sigma: 0.3}}\n"
                     "integrator: {name: heun%s}\n"
                     "study: {kind: strong, coarsest_step: 2^-5, coarsest_steps: 8, levels: 2, "
                     "reference: 3, paths: 64}\n";
  char all[600];
  cas_results r;
  cas_error err;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  snprintf(all, sizeof all, text, "");
  run_well(&r, all);
  ck_assert(!root() || r.health.casimir_drift_max > 1e-8);
  cas_results_free(&r);
  snprintf(all, sizeof all, text, ", casimir_tolerance: 1e-10");
#pragma GCC diagnostic pop
  ck_assert_int_eq(run_text(MPI_COMM_WORLD, &r, &err, "%s", all), CAS_CHECK_FAILED);
  cas_results_free(&r);
}
END_TEST

int main(void) {
  Suite *s = suite_create("schemes");
  TCase *t = tcase_create("schemes");
  tcase_set_timeout(t, 0);
  tcase_add_test(t, munthe_kaas_is_exact_for_one_linear_noise);
  tcase_add_test(t, mean_factor_of_a_munthe_kaas_step);
  tcase_add_test(t, energy_is_kept_where_it_should);
  tcase_add_test(t, poisson_maps_are_those_that_say_so);
  tcase_add_test(t, misfits_and_foreign_options_are_refused);
  tcase_add_test(t, declared_drift_is_no_failure);
  suite_add_tcase(s, t);
  return run_suite_with_mpi(s);
}
