/* The keys of the heavy top: which noises commute, observables, random states, and what is
   refused. */
/* ranks: 1 */
/* needs: sprng */
#include "heavy_top_fixture.h"

/* ---- noises ---- */

static const struct {
  const char *noise;
  double order; /* strong, by theory */
  int noises;
} kinds[] = {
    {"", 2, 0},
    {"pi: [[0, 0, 0]], square: [0]", 2, 0},
    {"pi: [[0.1, 0, 0]]", 1, 1},
    {"gamma: [[0, 0, 0.1], [0.2, 0, 0], [0, 0.1, 0]]", 1, 3},
    {"square: [0.1, 0.2]", 1, 2},
    {"square: [0.1], pi: [[0, 0.1, 0.2]], gamma: [[0.1, 0, 0]]", 1, 1},
    {"pi: [[0.1, 0.2, 0.3], [-0.3, -0.6, -0.9], [0, 0, 0]]", 1, 3},
    {"pi: [[0.1, 0.2, 0.3], [0.3, 0.6, 0.900001]]", 0.5, 2},
    /* the same noise twice: pi_1 x gamma_2 = pi_2 x gamma_1 although neither is 0 */
    {"pi: [[0.1, 0, 0.2], [0.3, 0, 0.6]], gamma: [[0, 0.2, 0], [0, 0.6, 0]]", 1, 2},
    {"pi: [[0.1, 0, 0.2], [0.3, 0, 0.6]], gamma: [[0, 0.2, 0], [0, 0.5, 0]]", 0.5, 2},
    {"pi: [[0, 0, 0.1], [0, 0, 0]], gamma: [[0, 0, 0], [0, 0, 0.1]]", 1, 2},
    {"pi: [[0, 0, 0.1], [0, 0, 0]], gamma: [[0, 0, 0], [0, 0.1, 0]]", 0.5, 2},
    {"square: [0.1, 0], pi: [[0, 0, 0], [0.1, 0, 0]]", 1, 2},
    {"square: [0.1, 0], gamma: [[0, 0, 0], [0.1, 0, 0]]", 0.5, 2},
    {"square: [0.1, 0.3], gamma: [[0.1, 0, 0], [0.3, 0, 0]]", 1, 2},
};

TEST_OVER(noises_and_their_orders, sizeof kinds / sizeof *kinds) {
  cas_results r;
  run_well(&r,
           "system: {name: heavy_top, inertia: [4, 2, 1], mga: [0, 0, 1], noise: {%s}}\n"
           "integrator: {name: munthe_kaas}\n"
           "study: {kind: strong, coarsest_step: 2^-5, coarsest_steps: 2, levels: 3, reference: 5, "
           "paths: 10}\n",
           kinds[_i].noise);
  ck_assert_msg(cas_results_curve(&r, 0)->expected_order == kinds[_i].order, "%s: order %g",
                kinds[_i].noise, cas_results_curve(&r, 0)->expected_order);
  ck_assert_int_eq(r.health.noises, kinds[_i].noises);
}

/* ---- observables ---- */

TEST(observables_are_their_definitions) {
  static const char *const names[] = {
      "angular_momentum", "angular_velocity", "gamma",         "kinetic_energy",
      "potential_energy", "hamiltonian",      "gamma_squared", "pi_dot_gamma",
      "nutation",         "sin2pi",           "pi2",           "gamma3"};
  enum { NAMES = sizeof names / sizeof *names };
  const double pi = 3.14159265358979323846, mga[3] = {0.3, -0.1, 1};
  double *value[NAMES];
  int64_t n, records = 0;
  run_path("munthe_kaas", "inertia: [4, 2, .inf], mga: [0.3, -0.1, 1], noise: {square: [0.3]}",
           "generator: threefry",
           "step: 2^-4, steps: 20, observables: [angular_momentum, angular_velocity, gamma, "
           "kinetic_energy, potential_energy, hamiltonian, gamma_squared, pi_dot_gamma, nutation, "
           "sin2pi, pi2, gamma3]");
  double *x = recorded("state", &n);
  for (int i = 0; i < NAMES; i++)
    value[i] = recorded(names[i], &records);
  ck_assert_int_eq(n, 6 * records);
  for (int64_t r = 0; r < records; r++) {
    const double *a = x + 6 * r, *g = a + 3;
    double kinetic = a[0] * a[0] / 8 + a[1] * a[1] / 4, potential = 0, squared = 0, product = 0,
           sines = 0;
    for (int k = 0; k < 3; k++) {
      ck_assert(value[0][3 * r + k] == a[k] && value[2][3 * r + k] == g[k]);
      potential += mga[k] * g[k];
      squared += g[k] * g[k];
      product += a[k] * g[k];
      sines += sin(2 * pi * a[k]) + sin(2 * pi * g[k]);
    }
    ck_assert(value[1][3 * r] == a[0] / 4 && value[1][3 * r + 1] == a[1] / 2 &&
              value[1][3 * r + 2] == 0);
    const double wanted[NAMES] = {0,       0,         0,
                                  kinetic, potential, kinetic + potential,
                                  squared, product,   acos(g[2] / sqrt(squared)),
                                  sines,   a[1],      g[2]};
    for (int i = 3; i < NAMES; i++)
      ck_assert_msg(fabs(value[i][r] - wanted[i]) <= 4e-15, "%s is %.17g, must be %.17g", names[i],
                    value[i][r], wanted[i]);
  }
}

/* ---- what is refused ---- */

#define TOP "inertia: [4, 2, 1], mga: [0, 0, 1], "

static const char *const refused[][3] = {
    {"munthe_kaas", "mga: [0, 0, 1]", "'inertia' is missing"},
    {"munthe_kaas", "inertia: [1, 2, 3]", "'mga' is missing"},
    {"munthe_kaas", "inertia: [4, 2], mga: [0, 0, 1]",
     "system.inertia: found 2 numbers, must be three moments of inertia"},
    {"munthe_kaas", "inertia: [4, 0, 1], mga: [0, 0, 1]", "system.inertia[1]: found 0"},
    {"munthe_kaas", "inertia: [4, 2, 1], mga: [0, 1]",
     "system.mga: found 2 numbers, must be three: weight times the vector to the centre of mass"},
    {"munthe_kaas", "inertia: [4, 2, 1], mga: [0, .inf, 1]", "system.mga[1]"},
    {"munthe_kaas", TOP "noise: {pi: [[1, 0]]}",
     "system.noise.pi: found vectors of 2 numbers, must be vectors of 3"},
    {"munthe_kaas", TOP "noise: {gamma: [[1, 0, 0, 0]]}",
     "system.noise.gamma: found vectors of 4 numbers, must be vectors of 3"},
    {"munthe_kaas", TOP "noise: {pi: [[1, 0, 0]], gamma: [[1, 0, 0], [0, 1, 0]]}",
     "system.noise: found 1 of pi and 2 of gamma, must be as many"},
    {"munthe_kaas", TOP "noise: {gamma: [[1, 0, 0], [0, 1, 0]], square: [1]}",
     "system.noise: found 2 of gamma and 1 of square, must be as many, one for each Brownian "
     "motion; fill the shorter list up with zeros"},
    {"munthe_kaas", TOP "noise: {chi: [[1, 0, 0]]}", "system.noise.chi: unknown key"},
    {"munthe_kaas", TOP "initial: [0, 0, 1, 0, 0, 0]",
     "system.initial: Gamma, the last three numbers, is 0, must be the vertical"},
    {"munthe_kaas", TOP "initial: [0, 0, 1]",
     "system.initial: found 3 numbers, must be 6 (Pi1 Pi2 Pi3 Gamma1 Gamma2 Gamma3)"},
    {"isospectral_midpoint", "inertia: [4, 2, 1], mga: [0, 0, 1]",
     "isospectral_midpoint does not fit system heavy_top: it needs a J-quadratic algebra"},
};

TEST_OVER(what_is_refused, sizeof refused / sizeof *refused) {
  is_refused(0, refused[_i][2],
             "system: {name: heavy_top, %s}\nintegrator: {name: %s}\n"
             "study: {kind: trajectory, step: 2^-6, steps: 1}\n",
             refused[_i][1], refused[_i][0]);
}

static const char *const undefined[][2] = {
    {"inertia: [4, 4, 1], mga: [0, 0, 1]", "system.mga is not in the plane"},
    {"inertia: [4, 2, 1], mga: [1, 0, 0]", "system.inertia is not of the form [4 c, 4 c, c]"},
    {"inertia: [.inf, .inf, .inf], mga: [1, 0, 0]",
     "system.inertia is not of the form [4 c, 4 c, c]"}};

TEST_OVER(integral_of_other_tops_is_refused, sizeof undefined / sizeof *undefined) {
  is_refused(0, undefined[_i][1],
             "system: {name: heavy_top, %s}\nintegrator: {name: munthe_kaas}\nstudy: {kind: "
             "trajectory, step: 2^-6, steps: 1, observables: [goryachev_chaplygin]}\n",
             undefined[_i][0]);
}

TEST(random_states_have_a_unit_vertical) {
  int64_t n;
  run_path("munthe_kaas", TOP "initial: {random: {seed: 3, norm: 2}}", "", "step: 2^-6, steps: 1");
  double *x = recorded("state", &n);
  ck_assert(fabs(hypot(hypot(x[0], x[1]), x[2]) - 2) < 1e-15);
  ck_assert(fabs(hypot(hypot(x[3], x[4]), x[5]) - 1) < 1e-15);
}

RUN_TESTS_WITH_MPI
