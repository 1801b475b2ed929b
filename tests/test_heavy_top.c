/* The heavy top: solutions of linear noises, observables, and its keys. */
/* ranks: 1 */
/* needs: sprng */
#include "array_fixture.h"
#include "math/kernels/kernels.h"
#include "study_fixture.h"

#include <math.h>

#define Z0 "[0.8, -0.6, 1.5, 0.36, 0.48, 0.8]"
static const double z0[6] = {0.8, -0.6, 1.5, 0.36, 0.48, 0.8};

/* ---- runs ---- */

/* `study` has what follows its kind, which is that of a trajectory */
static void run_path(const char *scheme, const char *system, const char *normals,
                     const char *study) {
  run_well(NULL,
           "system: {name: heavy_top, %s}\nintegrator: {name: %s, truncation: 0}\nrandom: {%s}\n"
           "study: {kind: trajectory, %s}\n",
           system, scheme, normals, study);
}

/* ---- the exact solution of linear noises that commute ---- */

typedef long double six[6];

static void cross(const long double *a, const long double *b, long double *out) {
  for (int k = 0; k < 3; k++)
    out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static void coadjoint(const six xi, const six z, six out) {
  long double lift[3];
  cross(z, xi, out);
  cross(z + 3, xi + 3, lift);
  for (int k = 0; k < 3; k++)
    out[k] += lift[k];
  cross(z + 3, xi, out + 3);
}

/* z <- Ad*_exp(xi) z, from the series of ad*_xi in parts of 1/64 */
static void flow(const six xi, six z) {
  six part;
  for (int k = 0; k < 6; k++)
    part[k] = xi[k] / 64;
  for (int i = 0; i < 64; i++) {
    six term, next;
    memcpy(term, z, sizeof term);
    for (int j = 1; j < 25; j++) {
      coadjoint(part, term, next);
      for (int k = 0; k < 6; k++) {
        term[k] = next[k] / j;
        z[k] += term[k];
      }
    }
  }
}

enum { STEPS = 40, MOST_NOISES = 2 };

/* Systems without drift whose noises commute: xi = sum_k W_k element_k moves z0. */
static const struct {
  const char *noise;
  int noises;
  double element[MOST_NOISES][6];
} exact[] = {
    {"pi: [[0.3, -0.4, 0.5]], gamma: [[0.2, 0.6, -0.7]]", 1, {{0.3, -0.4, 0.5, 0.2, 0.6, -0.7}}},
    {"pi: [[0.3, -0.4, 0.5], [-0.6, 0.8, -1]]", 2, {{0.3, -0.4, 0.5}, {-0.6, 0.8, -1}}},
    {"gamma: [[0.2, 0.6, -0.7], [0.5, 0, 0.1]]",
     2,
     {{0, 0, 0, 0.2, 0.6, -0.7}, {0, 0, 0, 0.5, 0, 0.1}}},
    {"square: [0.25]", 1, {{0.4, -0.3, 0.75}}}, /* twice a quarter of Pi, which is constant */
};

static double error_of(int which, const char *scheme) {
  double zeta[STEPS * MOST_NOISES], most = 0;
  int64_t n;
  int noises = exact[which].noises;
  six xi = {0};
  for (int i = 0; i < STEPS * noises; i++)
    zeta[i] = 2 * sin(3 + 5.0 * i); /* angles per step of up to 1.4 */
  zeta[7] = 6;                      /* and one of 3 */
  write_array("zeta.h5", "zeta", 2, (hsize_t[]){STEPS, (hsize_t)noises}, zeta);
  run_path(scheme,
           formatted("inertia: [.inf, .inf, .inf], mga: [0, 0, 0], noise: {%s}, initial: " Z0,
                     exact[which].noise),
           "generator: replay, file: zeta.h5", "step: 1, steps: 40");
  double *x = recorded("state", &n);
  ck_assert_int_eq(n, 6 * (STEPS + 1));
  for (int s = 0; s < STEPS; s++) {
    six z = {z0[0], z0[1], z0[2], z0[3], z0[4], z0[5]};
    for (int k = 0; k < 6; k++)
      for (int j = 0; j < noises; j++)
        xi[k] += (long double)zeta[s * noises + j] * (long double)exact[which].element[j][k];
    flow(xi, z);
    for (int k = 0; k < 6; k++)
      most = fmax(most, fabs(x[6 * (s + 1) + k] - (double)z[k]));
  }
  return most;
}

TEST_OVER(commuting_linear_noises_are_exact, sizeof exact / sizeof *exact) {
  static const char *const name[] = {"munthe_kaas", "splitting"};
  const cas_kernels *k;
  for (int i = 0; (k = cas_kernels_list(i)) != NULL; i++) {
    setenv("CASIMIR_KERNELS", k->name, 1);
    for (int j = 0; j < 2; j++) {
      double error = error_of(_i, name[j]);
      ck_assert_msg(error < 5e-14, "%s, %s, %s: off by %g", k->name, name[j], exact[_i].noise,
                    error);
    }
  }
  unsetenv("CASIMIR_KERNELS");
}

/* ---- observables ---- */

/* Those of one number are in test_known.c. */
TEST(observables_of_three_numbers_are_their_definitions) {
  run_path("munthe_kaas", "inertia: [4, 2, .inf], mga: [0.3, -0.1, 1], noise: {square: [0.3]}",
           "generator: threefry",
           "step: 2^-4, steps: 20, observables: [angular_momentum, angular_velocity, gamma]");
  const series x = recorded_series("state"), momentum = recorded_series("angular_momentum"),
               velocity = recorded_series("angular_velocity"), vertical = recorded_series("gamma");
  for (int64_t i = 0; i < 3 * x.records; i++) {
    static const double inverse[3] = {0.25, 0.5, 0};
    const double *a = x.value + i / 3 * 6 + i % 3;
    ck_assert(momentum.value[i] == a[0] && vertical.value[i] == a[3] &&
              velocity.value[i] == inverse[i % 3] * a[0]);
  }
}

/* ---- what is refused ---- */

#define TOP "inertia: [4, 4, 1], mga: [1, 0, 0], "

static const char *const refused[][2] = {
    {"mga: [0, 0, 1]", "'inertia' is missing"},
    {"inertia: [1, 2, 3]", "'mga' is missing"},
    {"inertia: [4, 2], mga: [0, 0, 1]",
     "system.inertia: found 2 numbers, must be three moments of inertia"},
    {"inertia: [4, 0, 1], mga: [0, 0, 1]", "system.inertia[1]: found 0"},
    {"inertia: [4, 2, 1], mga: [0, 1]",
     "system.mga: found 2 numbers, must be three: weight times the vector to the centre of mass"},
    {"inertia: [4, 2, 1], mga: [0, .inf, 1]", "system.mga[1]"},
    {TOP "noise: {pi: [[1, 0]]}",
     "system.noise.pi: found vectors of 2 numbers, must be vectors of 3"},
    {TOP "noise: {gamma: [[1, 0, 0, 0]]}",
     "system.noise.gamma: found vectors of 4 numbers, must be vectors of 3"},
    {TOP "noise: {pi: [[1, 0, 0]], gamma: [[1, 0, 0], [0, 1, 0]]}",
     "system.noise: found 1 of pi and 2 of gamma, must be as many"},
    {TOP "noise: {gamma: [[1, 0, 0], [0, 1, 0]], square: [1]}",
     "system.noise: found 2 of gamma and 1 of square, must be as many, one for each Brownian "
     "motion; fill the shorter list up with zeros"},
    {TOP "noise: {chi: [[1, 0, 0]]}", "system.noise.chi: unknown key"},
    {TOP "initial: [0, 0, 1, 0, 0, 0]",
     "system.initial: Gamma, the last three numbers, is 0, must be the vertical"},
    {TOP "initial: [0, 0, 1]",
     "system.initial: found 3 numbers, must be 6 (Pi1 Pi2 Pi3 Gamma1 Gamma2 Gamma3)"},
    {TOP "initial: " Z0 "}\nintegrator: {name: isospectral_midpoint",
     "isospectral_midpoint does not fit system heavy_top: it needs a J-quadratic algebra"},
    {"inertia: [4, 4, 1], mga: [0, 0, 1]", "system.mga is not in the plane"},
    {"inertia: [4, 2, 1], mga: [1, 0, 0]", "system.inertia is not of the form [4 c, 4 c, c]"},
    {"inertia: [.inf, .inf, .inf], mga: [1, 0, 0]",
     "system.inertia is not of the form [4 c, 4 c, c]"},
};

/* Goryachev and Chaplygin's integral is none of other tops. */
TEST_OVER(what_is_refused, sizeof refused / sizeof *refused) {
  is_refused(0, refused[_i][1],
             "system: {name: heavy_top, %s}\nstudy: {kind: trajectory, step: 2^-6, steps: 1, "
             "observables: [goryachev_chaplygin]}\n",
             refused[_i][0]);
}

TEST(random_states_have_a_unit_vertical) {
  int64_t n;
  run_path("munthe_kaas", TOP "initial: {random: {seed: 3, norm: 2}}", "", "step: 2^-6, steps: 1");
  double *x = recorded("state", &n);
  ck_assert(fabs(hypot(hypot(x[0], x[1]), x[2]) - 2) < 1e-15);
  ck_assert(fabs(hypot(hypot(x[3], x[4]), x[5]) - 1) < 1e-15);
}

RUN_TESTS_WITH_MPI
