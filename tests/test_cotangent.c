/* Positions and momenta with friction and noise: what is known of the schemes besides the rows of
   test_known.c, [BRO] sections 5 and 6. */
/* ranks: 1 2 */
/* lane: slow from 2 ranks */
#include "study_fixture.h"

#include <math.h>

#define STUDY \
  "system: {%s}\nintegrator: {name: %s}\nrandom: {generator: threefry, seed: 3}\nstudy: {%s}\n"

/* The states of a trajectory study, [records][paths][components] in a row. */
static series states_of(const char *system, const char *scheme, const char *study) {
  run_well(NULL, STUDY, system, scheme, study);
  series s = recorded_series("state");
  cas_meet(MPI_COMM_WORLD);
  return s;
}

/* Whether the mean of n numbers is `wanted` to 4.5 standard errors, which are below
   `resolution`. */
static void mean_is(const char *what, int n, const double *sample, double wanted,
                    double resolution) {
  double mean = 0, square = 0;
  for (int i = 0; i < n; i++)
    mean += sample[i] / n;
  for (int i = 0; i < n; i++)
    square += (sample[i] - mean) * (sample[i] - mean);
  double error = sqrt(square / n / (n - 1));
  ck_assert_msg(error > 0 && error < resolution, "%s: the standard error is %g", what, error);
  ck_assert_msg(fabs(mean - wanted) < 4.5 * error, "%s: %.6g, must be %.6g, %.2f standard errors",
                what, mean, wanted, (mean - wanted) / error);
}

/* ---- a row of 18 a body ---- */

enum { P = 3, R = 6, PI = 15, ROW = 18 };

static void turned(const double *rows, const double a[3], double out[3]) {
  for (int k = 0; k < 3; k++)
    out[k] = rows[3 * k] * a[0] + rows[3 * k + 1] * a[1] + rows[3 * k + 2] * a[2];
}

static void turned_back(const double *rows, const double a[3], double out[3]) {
  for (int k = 0; k < 3; k++)
    out[k] = rows[k] * a[0] + rows[3 + k] * a[1] + rows[6 + k] * a[2];
}

static void cross(const double a[3], const double b[3], double out[3]) {
  for (int k = 0; k < 3; k++) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    out[k] = a[i] * b[j] - a[j] * b[i];
  }
}

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* P + x x P/2 + (x.P) x/4 */
static void dual(const double x[3], const double a[3], double out[3]) {
  cross(x, a, out);
  for (int k = 0; k < 3; k++)
    out[k] = a[k] + out[k] / 2 + dot(x, a) * x[k] / 4;
}

/* m = (dtau^-1_{-h omega})^* pi of one body */
static void discrete_momentum(const double *row, const double inertia[3], double h, double m[3]) {
  double seen[3], w[3];
  turned_back(row + R, row + PI, seen);
  for (int k = 0; k < 3; k++)
    seen[k] *= -h / inertia[k];
  turned(row + R, seen, w);
  dual(w, row + PI, m);
}

enum { PATHS = 4000 };

/* Torques of covariance sigma^2 add 3 sigma^2 h a step to E |m|^2, whatever h and inertia are, and
   leave E m. */
TEST_OVER(torques_have_their_covariance, 2) {
  static const char *const kinds[] = {"potential", "additive"};
  const double inertia[3] = {0.5, 0.7, 1.1}, h = 0.25;
  char system[400];
  double sample[4][PATHS], first[4] = {0};
  snprintf(system, sizeof system,
           "name: rigid_bodies, mass: [1], inertia: [[0.5, 0.7, 1.1]], noise: {kind: %s, "
           "sigma_force: 0, sigma_torque: 0.6}, initial: [0, 0, 0, 0, 0, 0, 0.6, -0.8, 0, 0.8, "
           "0.6, 0, 0, 0, 1, 0.4, 0.3, -0.5]",
           kinds[_i]);
  series s = states_of(system, "variational_euler",
                       "kind: trajectory, step: 1/4, steps: 16, every: 16, paths: 4000");
  for (int i = 0; i < 2 * PATHS; i++) {
    double m[4];
    discrete_momentum(s.value + (int64_t)i * ROW, inertia, h, m);
    m[3] = dot(m, m);
    for (int k = 0; k < 4; k++)
      if (i < PATHS)
        first[k] = m[k];
      else
        sample[k][i - PATHS] = m[k];
  }
  for (int k = 0; k < 3; k++)
    mean_is("m", PATHS, sample[k], first[k], 0.05);
  mean_is("|m|^2", PATHS, sample[3], first[3] + 3 * 0.36 * h * 16, 0.1);
}

/* ---- momentum maps ---- */

static double drift_of(const char *system, const char *scheme) {
  cas_results r;
  run_well(&r, STUDY, system, scheme,
           "kind: strong, coarsest_step: 2^-3, coarsest_steps: 40, levels: 2, reference: 3, paths: "
           "64");
  double drift = r.health.casimir_drift_max;
  cas_bcast(&drift, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  return drift;
}

/* What symmetries and noise leave constant stays with the schemes that say so, on every path and
   level. */
TEST_OVER(momentum_maps_stay, 3) {
  char system[900];
  static const char *const with[] = {"", ", trap: 0.3", ", field: [0.3, 0, 0.4], trap: 0.2"};
  const cas_system *bodies = cas_system_find("rigid_bodies");
  snprintf(system, sizeof system, "name: rigid_bodies, %s, %s%s", bodies->example.keys,
           bodies->example.noise, with[_i]);
  for (const cas_integrator *const *i = cas_kernels_get()->integrators; *i; i++) {
    if (!fits(bodies, *i))
      continue;
    double drift = drift_of(system, (*i)->name);
    bool kept = (*i)->keeps & CAS_KEEPS_MOMENTA;
    ck_assert_msg(kept ? drift < 1e-12 && drift > 0 : drift > 1e-6, "%s%s: %g", (*i)->name,
                  with[_i], drift);
  }
}

/* ---- chains ---- */

/* With vertical noise and no friction J_3 stays on every path and level. */
TEST(chains_keep_their_momentum) {
  double drift =
      drift_of("name: pendulum_chain, N: 4, noise: {kind: vertical, sigma: 0.3}, initial: "
               "[1, 0, 0, 2, 0, 0, 3, 0, 0, 4, 0, 0, 0, 0.2, 0.1, 0, 0.3, 0, 0, 0.4, 0, "
               "0, 0.5, 0.2]",
               "variational_euler");
  ck_assert_msg(drift < 1e-12 && drift > 0, "J_3 drifts by %g", drift);
}

/* A momentum that would turn a rod by more than a right angle has no step: the path fails, and says
   so. */
TEST(steps_without_solution_are_counted) {
  cas_results r;
  cas_error err;
  cas_status st = run_text(MPI_COMM_WORLD, &r, &err, STUDY,
                           "name: pendulum_chain, N: 1, gravity: 0, initial: [1, 0, 0, 0, "
                           "4.1, 0]",
                           "variational_euler", "kind: trajectory, step: 1/4, steps: 1");
  ck_assert_int_eq(st, CAS_CHECK_FAILED);
  ck_assert(r.health.not_converged[0] == 1);
}

/* Paths that begin at zeros, and slide to where rounding of x is more than any tolerance,
   converge. */
TEST(far_places_are_solved) {
  cas_results r;
  run_well(&r, STUDY, "name: sliding_disk, friction: 0.1, temperature: 1, initial: [0, 0, 0, 0]",
           "implicit_euler_maruyama",
           "kind: trajectory, step: 0.2, steps: 600, every: 600, paths: 64");
  ck_assert(r.health.failed_paths == 0);
}

/* ---- units ---- */

/* Systems of which mass, inertia, forces, friction and temperature are in another unit. */
static void bodies_in(double unit, char *out, size_t size) {
  snprintf(out, size,
           "name: rigid_bodies, mass: [%.17g, %.17g], inertia: [[%.17g, %.17g, %.17g], [%.17g, "
           "%.17g, %.17g]], trap: %.17g, field: [0, 0, %.17g], epsilon: %.17g, friction: {force: "
           "%.17g, torque: %.17g}, temperature: %.17g",
           unit, 2 * unit, 0.4 * unit, 0.5 * unit, 0.6 * unit, unit, 1.2 * unit, 0.7 * unit, unit,
           0.5 * unit, unit, 0.5 * unit, 0.2 * unit, unit);
}

static void chain_in(double unit, char *out, size_t size) {
  snprintf(out, size,
           "name: pendulum_chain, N: 3, mass: %.17g, friction: %.17g, temperature: %.17g", unit,
           0.5 * unit, 0.2 * unit);
}

/* Where a number of a row is a momentum. */
static bool is_momentum(bool chain, int64_t i) {
  return chain ? i % 18 >= 9 : (i % ROW >= P && i % ROW < R) || i % ROW >= PI;
}

/* A unit of mass that is a power of 2 changes momenta by that, and nothing else: places and
   attitudes, which are as large as ever, must not make small momenta count as solved. */
TEST_OVER(units_of_mass_do_not_matter, 4) {
  const bool chain = _i % 2;
  const double unit = _i < 2 ? 0x1p-30 : 0x1p30;
  const char *study =
      chain ? "kind: trajectory, step: 1/20, steps: 20" : "kind: trajectory, step: 1/5, steps: 20";
  char system[800];
  double most = 0, moved = 0;
  (chain ? chain_in : bodies_in)(1, system, sizeof system);
  series a = states_of(system, "variational_euler", study);
  (chain ? chain_in : bodies_in)(unit, system, sizeof system);
  series b = states_of(system, "variational_euler", study);
  ck_assert(a.records == b.records && a.numbers == b.numbers);
  for (int64_t i = 0; i < a.records * a.numbers; i++) {
    double d = fabs(b.value[i] / (is_momentum(chain, i % a.numbers) ? unit : 1) - a.value[i]);
    ck_assert(isfinite(d));
    most = fmax(most, d);
    moved = fmax(moved, fabs(a.value[i] - a.value[i % a.numbers]));
  }
  ck_assert_msg(most < 1e-13 && moved > 0.1, "departs by %g", most);
}

/* ---- orders ---- */

#define PAIR_AT_A_TEMPERATURE                                                                 \
  "name: rigid_bodies, mass: [1, 2], inertia: [[0.5, 0.7, 0.9], [1, 1.2, 0.7]], epsilon: 1, " \
  "trap: 1, field: [0, 0, 0.5], friction: {force: 0.5, torque: 0.2}, temperature: 1"

/* Variances of coupled differences have order 2 without antithetic pairs, for every kind of
   noise. */
TEST_OVER(variances_have_order_two, 3) {
  static const char *const kinds[] = {"potential", "additive", "pair"};
  char system[400];
  cas_results r;
  snprintf(system, sizeof system, PAIR_AT_A_TEMPERATURE ", noise: {kind: %s}", kinds[_i]);
  run_well(&r, STUDY, system, "variational_euler",
           "kind: weak_multilevel, coarsest_step: 2^-4, coarsest_steps: 8, levels: 4, functionals: "
           "[energy], paths: 1000");
  const cas_curve *d = &cas_results_multilevel(&r)->functional[0];
  ck_assert_msg(fabs(d->coupled.variance_decay.order - 2) < 0.2, "%s: %g", kinds[_i],
                d->coupled.variance_decay.order);
}

#define EIGHT_IN_A_TRAP                                                                         \
  "name: rigid_bodies, mass: [1, 1, 1, 1, 1, 1, 1, 1], inertia: [[1, 1, 1], [1, 1, 1], [1, 1, " \
  "1], [1, 1, 1], [1, 1, 1], [1, 1, 1], [1, 1, 1], [1, 1, 1]], trap: 1.5"

/* The energy of translation has an error of weak order 1 by variational Euler, and one far smaller,
   of order 2, by BAOAB. */
TEST_OF_MANY_PATHS(weak_orders) {
  static const char *const schemes[] = {"variational_euler", "baoab"};
  double error[2] = {0}, order[2] = {1, 2};
  for (int i = 0; i < 2; i++) {
    cas_results r;
    run_well(&r, STUDY, EIGHT_IN_A_TRAP ", range: 0.1, friction: {force: 1}, temperature: 1",
             schemes[i],
             "kind: weak, coarsest_step: 1/8, coarsest_steps: 12, levels: 3, reference: 5, "
             "functionals: [translational_energy], paths: 4000");
    const cas_curve *c = cas_results_curve(&r, 0);
    ck_assert(c->expected_order == order[i]);
    error[i] = fabs(c->error.value[0]);
    const double ratio = c->error.value[0] / c->error.value[1];
    ck_assert_msg(fabs(log2(fabs(ratio)) - order[i]) < 0.5, "%s: %g, then %g", schemes[i],
                  c->error.value[0], c->error.value[1]);
  }
  ck_assert(error[1] < error[0] / 3);
}

/* ---- what is refused ---- */

static const char *const refused[][2] = {
    {"name: rigid_bodies, mass: [1, 2], inertia: [[1, 1, 1]]",
     "system.inertia: found 1 lists of 3 numbers, must be 2 lists"},
    {"name: rigid_bodies, mass: [1], inertia: [[1, 1, 1]], field: [1]",
     "system.field: found 1 number, must be three"},
    {"name: rigid_bodies, mass: [1], inertia: [[1, 1, 1]], initial: [0, 0, 0, 0, 0, 0, 1, 0, 0, 0, "
     "1, 0, 0, 0, -1, 0, 0, 0]",
     "system.initial: the attitude of body 1 departs from a rotation by 2"},
    {"name: rigid_bodies, mass: [1], inertia: [[1, 1, 1]], initial: [0, 0, 0, 0, 0, 0, 1, 0.01, 0, "
     "0, 1, 0, 0, 0, 1, 0, 0, 0]",
     "system.initial: the attitude of body 1 departs from a rotation by 0.01"},
    {"name: rigid_bodies, mass: [1, -2], inertia: [[1, 1, 1], [1, 1, 1]]", "system.mass[1]"},
    {"name: rigid_bodies, mass: [1], inertia: [[1, 1, 1]], noise: {kind: pairs}",
     "did you mean 'pair'"},
    {"name: sliding_disk, s: 0", "system.s: found 0"},
    {"name: sliding_disk, initial: {random: {seed: 1, law: gibbs}}",
     "system.initial.random.law: gibbs: the temperature is 0"},
    {"name: rigid_bodies, mass: [1], inertia: [[1, 1, 1]], temperature: 1, initial: {random: "
     "{seed: "
     "1, law: gibbs}}",
     "gibbs: without a trap places have no equilibrium"},
    {"name: pendulum_chain, N: 17", "system.N: found 17"},
    {"name: pendulum_chain, N: 1, initial: {random: {seed: 1, law: gibbs}}",
     "offers no laws of random states: give numbers, or {file: F"},
    {"name: pendulum_chain, N: 1, initial: {random: {seed: 1, norm: 1}}",
     "offers no random states: give numbers, or {file: F"},
    {"name: sliding_disk, initial: {random: {seed: 1, norm: 1}}",
     "offers no random states but those of its laws: give 'law' instead of 'norm'"},
    {"name: pendulum_chain, N: 1, initial: [1, 0, 0.1, 0, 0, 0]",
     "system.initial: rod 1 has length 1.00498756211, must be 1 to 1e-10"},
    {"name: pendulum_chain, N: 1, initial: [1, 0, 0, 0.1, 0, 0]",
     "system.initial: momenta lengthen rod 1"},
};

TEST_OVER(what_is_refused, sizeof refused / sizeof *refused) {
  is_refused(0, refused[_i][1],
             "system: {%s}\nintegrator: {name: variational_euler}\n"
             "study: {kind: trajectory, step: 2^-4, steps: 1}\n",
             refused[_i][0]);
}

RUN_TESTS_WITH_MPI
