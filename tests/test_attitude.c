/* The attitude that schemes carry along: what every path keeps, exactly known turns, errors of its
   own, states with and without it. */
/* ranks: 1 2 */
/* needs: sprng */
/* lane: slow from 2 ranks */
#include "study_fixture.h"

#include <math.h>

static const char *const carriers[] = {"isospectral_midpoint",
                                       "munthe_kaas",
                                       "splitting",
                                       "variational_midpoint",
                                       "variational_midpoint, retraction: exp",
                                       "variational_midpoint, variant: energy_momentum"};
enum { CARRIERS = sizeof carriers / sizeof *carriers };

static const char *const
    body = "rigid_body, attitude: true, inertia: [1, 2, 3], noise: {kind: linear, chi: [[0.3, 0, "
           "0], [0, 0.2, 0.1]]}",
    *const quadratic =
        "rigid_body, attitude: true, inertia: [1, 2, 3], noise: {kind: quadratic, sigma: 0.2}",
    *const top =
        "heavy_top, attitude: true, inertia: [2, 1.5, 1], mga: [0.3, -0.2, 1], noise: {pi: [[0.1, "
        "0, 0.2], [0, 0.2, 0]], gamma: [[0, 0.1, 0], [0.2, 0, 0]], square: [0.05, 0]}";

static bool goes(const char *system, const char *scheme) {
  return strncmp(system, "heavy_top", 9) != 0 || strcmp(scheme, "isospectral_midpoint") != 0;
}

static void run_trajectory(const char *system, const char *scheme, const char *study) {
  run_well(NULL,
           "system: {name: %s}\nintegrator: {name: %s}\n"
           "random: {generator: threefry}\nstudy: {kind: trajectory, %s}\n",
           system, scheme, study);
}

/* ---- what is kept ---- */

/* largest entry of R R^T - 1 */
static double distortion(const double *r) {
  double most = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double sum = -(i == j);
      for (int k = 0; k < 3; k++)
        sum += r[3 * i + k] * r[3 * j + k];
      most = fmax(most, isnan(sum) ? INFINITY : fabs(sum));
    }
  return most;
}

static void turned(const double *r, const double *v, double *out) {
  for (int i = 0; i < 3; i++)
    out[i] = r[3 * i] * v[0] + r[3 * i + 1] * v[1] + r[3 * i + 2] * v[2];
}

/* R v with v the last vector before R, and that R is a rotation, along a trajectory */
static void keeps(const char *system, const char *scheme, bool compensated) {
  const char *text = formatted("%s, compensated: %s", scheme, compensated ? "true" : "false");
  double first[3], now[3], most = 0, bent = 0;
  run_trajectory(system, text,
                 looks_for_accesses() ? "step: 2^-5, steps: 800, every: 50, paths: 2"
                                      : "step: 2^-5, steps: 8000, every: 500, paths: 2");
  series s = recorded_series("state");
  const int64_t n = system == top ? 15 : 12;
  ck_assert_int_eq(s.numbers, 2 * n);
  turned(s.value + n - 9, s.value + n - 12, first);
  for (int64_t i = 0; i < 2 * s.records; i++) {
    const double *r = s.value + i * n + n - 9;
    turned(r, r - 3, now);
    bent = fmax(bent, distortion(r));
    for (int k = 0; k < 3; k++)
      most = fmax(most, isnan(now[k]) ? INFINITY : fabs(now[k] - first[k]));
  }
  ck_assert_msg(bent < 4e-15, "%s, %s: R is bent by %g", system, text, bent);
  ck_assert_msg(most < (compensated ? 2e-14 : 2e-13), "%s, %s: R v drifts by %g", system, text,
                most);
  cas_meet(MPI_COMM_WORLD);
}

TEST_OVER(rotations_and_spatial_momentum_are_kept, CARRIERS) {
  const char *const systems[] = {body, quadratic, top};
  for (int i = 0; i < 3; i++)
    if (goes(systems[i], carriers[_i]))
      for (int compensated = 0; compensated < 2; compensated++)
        keeps(systems[i], carriers[_i], compensated);
}

/* ---- errors of its own ---- */

static void strong(const char *system, const char *scheme, int paths, cas_results *r) {
  run_well(
      r,
      "system: {name: %s}\nintegrator: {name: '%s', truncation: 4}\n"
      "random: {generator: threefry}\nstudy: {kind: strong, coarsest_step: 2^-6, coarsest_steps: "
      "16, levels: 5, reference: {level: 8, integrator: munthe_kaas}, paths: %d}\n",
      system, scheme, paths);
}

/* Every scheme turns the body to where Munthe-Kaas turns it: of order 1/2 with noise that does not
   commute, and 2 without noise. */
TEST(attitudes_have_the_order_of_their_scheme) {
  static const char *const plain[] = {
      "rigid_body, attitude: true, inertia: [1, 2, 3]",
      "heavy_top, attitude: true, inertia: [2, 1.5, 1], mga: [0.3, -0.2, 1]"};
  const char *const noisy[] = {body, top};
  for (const cas_integrator *const *i = cas_kernels_get()->integrators; *i; i++)
    for (int k = 0; k < 2; k++) {
      cas_results r;
      int known = 0;
      while (known < CARRIERS && strcmp(carriers[known], (*i)->name) != 0)
        known++;
      if (known == CARRIERS || !goes(noisy[k], (*i)->name))
        continue;
      strong(plain[k], (*i)->name, 1, &r);
      double order = cas_laws_headline(&curve_named(&r, "error_attitude")->laws).order;
      ck_assert_msg(fabs(order - (*i)->order) < 0.02, "%s, %s: %g", plain[k], (*i)->name, order);
      strong(noisy[k], (*i)->name, all_or(600, 64), &r);
      const cas_curve *c = curve_named(&r, "error_attitude");
      ck_assert(c->expected_order == 0.5);
      ck_assert_msg(fabs(c->raw.order - 0.5) < 0.1, "%s, %s: %s", noisy[k], (*i)->name,
                    findings_text(c->findings));
      for (int j = 0; j < 5; j++)
        ck_assert(curve_named(&r, "error_attitude_sup")->error.value[j] >= c->error.value[j]);
      ck_assert_str_eq(c->unit, "1");
    }
}

/* ---- exactly known ---- */

/* |x|^2 alone turns a body with H0 = 0 about x by 2 sigma |x| W, which stays. */
TEST(square_noise_turns_the_attitude_alone) {
  const char *system = "rigid_body, attitude: true, inertia: [.inf, .inf, .inf], noise: {kind: "
                       "square, sigma: 0.3}, initial: [0, 0, 2]";
  const char *study = "step: 2^-10, steps: 1024, every: 1024";
  run_trajectory(system, "munthe_kaas", study);
  const series exact = recorded_series("state");
  const double *x = exact.value + 12;
  ck_assert(x[0] == 0 && x[1] == 0 && x[2] == 2 && fabs(x[11] - 1) < 1e-15);
  const double angle = atan2(x[6], x[3]);
  ck_assert(fabs(angle) > 0.01);
  cas_meet(MPI_COMM_WORLD);
  for (int i = 0; i < CARRIERS; i++) {
    run_trajectory(system, carriers[i], study);
    const series s = recorded_series("state");
    for (int k = 0; k < 12; k++)
      ck_assert_msg(fabs(s.value[12 + k] - x[k]) < 0.005, "%s, %d", carriers[i], k);
    cas_meet(MPI_COMM_WORLD);
  }
}

/* ---- steps whose fixed point converges slowly ---- */

/* Newton's method goes on where 30 iterations were too few: no step fails, and Casimirs stay. */
TEST(newton_takes_over) {
  for (int i = 0; i < 2; i++) {
    const cas_results *r =
        run_to(i ? CAS_CHECK_FAILED : CAS_OK, "",
               "system: {name: heavy_top, inertia: [0.1, 0.1, 1], mga: [0, 0, 0.98], noise: "
               "{gamma: [[0.98, 0, 0], [0, 0.98, 0]]}, initial: [0, 0, 1, 0, 0.6, 0.8]}\n"
               "integrator: {name: variational_midpoint, max_iterations: %d}\nrandom: {generator: "
               "threefry}\n"
               "study: {kind: ensemble, step: 0.03, steps: 400, every: 400, paths: 64, "
               "observables: [hamiltonian]}\n",
               i ? 30 : 100);
    ck_assert((r->health.not_converged[0] == 0) == (i == 0));
    ck_assert(r->health.iterations_max[0] >= 30 && r->health.casimir_drift_max < 1e-12);
  }
}

/* ---- states ---- */

#define PLAIN "name: rigid_body, inertia: [1, 2, 3]"
#define TURNING PLAIN ", attitude: true"

static const char *const refused[][2] = {
    {TURNING ", initial: [1, 0, 0, 1]",
     "found 4 numbers, must be 12 (x1 x2 x3 R11 R12 R13 R21 R22 R23 R31 R32 R33), or the first 3"},
    {TURNING ", initial: [1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, -1]", "is no rotation"},
    {"name: heavy_top, attitude: true, inertia: [1, 2, 3], mga: [0, 0, 1], initial: [1, 0, 0, 0.6, "
     "0, 0.8]",
     "must be the vertical seen from the body, R^T e_3 = (0, 0, 1)"},
    {"name: manakov, n: 5, attitude: true, initial: {random: {seed: 1, norm: 1}}", "attitude"},
    {TURNING "}\nintegrator: {name: heun", "cannot carry the attitude along"},
    {TURNING "}\nintegrator: {name: euler_maruyama", "cannot carry the attitude along"},
    {TURNING "}\nintegrator: {name: implicit_midpoint", "cannot carry the attitude along"},
    {TURNING "}\nintegrator: {name: implicit_trapezoid", "cannot carry the attitude along"},
    {PLAIN ", noise: {kind: square, sigma: 1}", "turns the attitude alone; add 'attitude: true'"},
    {PLAIN, "'tip' does not exist here: system.attitude is false"}};

TEST_OVER(what_is_refused, sizeof refused / sizeof *refused) {
  is_refused(0, refused[_i][1],
             "system: {%s}\nstudy: {kind: trajectory, step: 2^-4, steps: 5, observables: [tip]}\n",
             refused[_i][0]);
}

/* Random states, defaults, and states of files with and without R begin where R v says; rotations
   by half a turn are taken as well. */
TEST(states_begin_consistent) {
  static const char *const initial[] = {
      "", ", initial: {random: {seed: 3, norm: 2}}",
      ", initial: [1, 2, 3, 0, 0, -1, 1, 0, 0, 0, -1, 0, 0, 0, -1]",
      ", initial: [1, 2, 3, 0, 0, 1]"};
  for (int i = 0; i < 4; i++) {
    run_trajectory(
        formatted("heavy_top, attitude: true, inertia: [2, 1.5, 1], mga: [0, 0, 1]%s", initial[i]),
        "munthe_kaas", "step: 2^-4, steps: 1, observables: [tip, axes]");
    series s = recorded_series("state"), t = recorded_series("tip"), a = recorded_series("axes");
    for (int k = 0; k < 3; k++) {
      ck_assert(fabs(s.value[3 + k] - s.value[6 + 6 + k]) < 1e-15);
      ck_assert(fabs(t.value[k] - s.value[6 + 3 * k + 2]) < 1e-15);
    }
    for (int k = 0; k < 9; k++)
      ck_assert(a.value[k] == s.value[6 + k % 3 * 3 + k / 3]);
    cas_meet(MPI_COMM_WORLD);
  }
}

RUN_TESTS_WITH_MPI
