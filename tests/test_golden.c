/* Whole paths from given normals against an independent implementation in 80-bit arithmetic,
   through the interface that users have: a replayed stream and a trajectory. */
/* ranks: 1 */
#include "study_fixture.h"

#include <math.h>

typedef struct {
  const char *file, *system;
  double h;
  int steps;
} golden;

static const golden cases[] = {
    {"rigid-body.h5",
     "{name: rigid_body, inertia: [2, 1, 0.6666666666666666], noise: {kind: quadratic, sigma: "
     "0.1}, initial: {file: %s, index: 0}}",
     0x1p-7, 64},
    {"rigid-body-linear.h5",
     "{name: rigid_body, inertia: [1, 2, 3], noise: {kind: linear, sigma: 0.02}, initial: {file: "
     "%s, index: 0}}",
     0.01, 100},
    {"euler-zeitlin-12.h5",
     "{name: euler_zeitlin, N: 12, noise: {amplitude: 2}, initial: {file: %s, index: 0}}", 0x1p-7,
     16},
    /* one path a block */
    {"euler-zeitlin-27.h5",
     "{name: euler_zeitlin, N: 27, noise: {amplitude: 2}, initial: {file: %s, index: 0}}", 0x1p-5,
     10},
    {"manakov-10.h5", "{name: manakov, n: 10, noise: {sigma: 0.1}, initial: {file: %s, index: 0}}",
     0x1p-7, 32},
    {"point-vortices-4.h5",
     "{name: point_vortices, gamma: [1, 1, 1, 1], noise: {sigma: 0.1}, initial: {file: %s, index: "
     "0}}",
     0x1p-7, 64},
    {"sine-euler-5-isospectral.h5",
     "{name: sine_euler, N: 5, noise: {amplitude: 0.2, modes: [[0, 1], [-2, 1], [2, -1], [1, 2]]}, "
     "initial: {file: %s, index: 0}}",
     0x1p-6, 32},
};

/* largest difference of a component over all steps; states of several factors may be nested in one
 * file and flat in the other */
static double distance(const char *file_a, const char *set_a, const char *file_b,
                       const char *set_b) {
  double *a, *b, most = 0;
  int rank_a, rank_b;
  int64_t dims_a[4], dims_b[4], n = 1, m = 1;
  bool complex_a, complex_b;
  MUST(cas_dataset_read(file_a, set_a, 0, -1, &rank_a, dims_a, &complex_a, &a, &err));
  MUST(cas_dataset_read(file_b, set_b, 0, -1, &rank_b, dims_b, &complex_b, &b, &err));
  ck_assert_int_eq(complex_a, complex_b);
  ck_assert_int_eq(dims_a[0], dims_b[0]);
  for (int i = 0; i < rank_a; i++)
    n *= dims_a[i];
  for (int i = 0; i < rank_b; i++)
    m *= dims_b[i];
  ck_assert_int_eq(n, m);
  for (int64_t i = 0; i < n * (complex_a ? 2 : 1); i++) {
    ck_assert(isfinite(a[i]));
    most = fmax(most, fabs(a[i] - b[i]));
  }
  free(a);
  free(b);
  return most;
}

/* A path of a scheme against dataset `wanted` of the case's file. */
static void follow(const golden *g, const char *scheme, int truncation, const char *wanted) {
  char file[4096], system[8192];
  cas_results results;
  snprintf(file, sizeof file, "%s/%s", getenv("TEST_DATA"), g->file);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  snprintf(system, sizeof system, g->system, file);
#pragma GCC diagnostic pop
  for (int compensated = 0; compensated < 2; compensated++) {
    run_well(&results,
             "system: %s\n"
             "integrator: {name: %s, compensated: %s, truncation: %d}\n"
             "random: {generator: replay, file: %s}\n"
             "study: {kind: trajectory, step: %.17g, steps: %d}\n",
             system, scheme, compensated ? "true" : "false", truncation, file, g->h, g->steps);
    double d = distance("results.h5", "/trajectory/state", file, wanted);
    ck_assert_msg(isfinite(d) && d <= 1e-12, "%s, %s: states differ by %g", g->file, scheme, d);
  }
}

TEST_OVER(golden_paths, sizeof cases / sizeof *cases) {
  follow(&cases[_i], "isospectral_midpoint", 2, "x");
}

static const golden fluids[] = {
    {"euler-zeitlin-salt.h5",
     "{name: euler_zeitlin, N: 8, noise: {kind: transport, fields: [[1, 2, -1, 0.2], [2, 3, 0, "
     "0.1], [3, 4, 3, 0.15], [2, 2, 2, -0.1], [3, 5, -4, 0.05]]}, initial: {file: %s, index: 0}}",
     0x1p-5, 24},
    {"euler-zeitlin-rotating.h5",
     "{name: euler_zeitlin, N: 9, rotation: 0.7, damping: {viscosity: 0.002, power: 1, friction: "
     "0.05}, noise: {kind: transport, fields: [[1, 4, 1, 0.1], [1, 4, -1, 0.05], [2, 6, 2, 0.1]]}, "
     "initial: {file: %s, index: 0}}",
     0x1p-5, 20},
};

TEST_OVER(golden_paths_of_fluids, sizeof fluids / sizeof *fluids) {
  follow(&fluids[_i], "isospectral_midpoint", 0, "x");
}

static const golden munthe_kaas[] = {
    {"rigid-body-tmk.h5",
     "{name: rigid_body, inertia: [2, 1, 0.6666666666666666], noise: {kind: quadratic, sigma: "
     "0.1}, initial: {file: %s, index: 0}}",
     0x1p-7, 64},
    {"rigid-body-tmk-linear.h5",
     "{name: rigid_body, inertia: [1, 2, 3], noise: {kind: linear, sigma: 0.02}, initial: {file: "
     "%s, index: 0}}",
     0.01, 64},
    {"heavy-top-421.h5",
     "{name: heavy_top, inertia: [4, 2, 1], mga: [0, 0, 1], noise: {pi: [[0.1, -0.2, 0.15]]}, "
     "initial: {file: %s, index: 0}}",
     0x1p-6, 64},
    {"heavy-top-441.h5",
     "{name: heavy_top, inertia: [4, 4, 1], mga: [0, 0, 1], noise: {pi: [[0.1, -0.2, 0.15]]}, "
     "initial: {file: %s, index: 0}}",
     0x1p-6, 64},
    {"heavy-top-noises.h5",
     "{name: heavy_top, inertia: [2, 1.5, 1], mga: [0.5, 0.25, 2], noise: {pi: [[0.2, 0, 0], [0, "
     "0.1, 0], [0, 0, 0], [0.1, 0.1, -0.3]], gamma: [[0, 0, 0], [0, 0, 0.1], [0.3, -0.1, 0], [0, "
     "0, 0]]}, initial: {file: %s, index: 0}}",
     0x1p-7, 64},
    {"sine-euler-3.h5",
     "{name: sine_euler, N: 3, noise: {amplitude: 0.2, modes: [[1, -1], [1, 1]]}, initial: {file: "
     "%s, index: 0}}",
     0x1p-5, 64},
    {"sine-euler-5.h5",
     "{name: sine_euler, N: 5, noise: {amplitude: 0.1, modes: [[0, 1], [-2, 1], [2, -1], [2, 2], "
     "[-1, -1]]}, initial: {file: %s, index: 0}}",
     0x1p-6, 64},
};

TEST_OVER(golden_paths_of_munthe_kaas, sizeof munthe_kaas / sizeof *munthe_kaas) {
  follow(&munthe_kaas[_i], "munthe_kaas", 2, "x");
}

#define FREE_BODY(noise)                                                                \
  "{name: rigid_body, inertia: [1, 2, 3], attitude: true, noise: {kind: linear, " noise \
  "}, initial: {file: %s, index: 0}}"
#define TOP(noise)                                                                              \
  "{name: heavy_top, inertia: [0.1, 0.1, 1], mga: [0, 0, 0.98], attitude: true, noise: {" noise \
  "}, initial: {file: %s, index: 0}}"

/* states with the attitude, from the experiments of [GBW] sections 7 and 8 */
static const golden variational[] = {
    {"rigid-body-variational.h5", FREE_BODY("sigma: 0.02"), 0.01, 64},
    {"rigid-body-variational-clipped.h5",
     FREE_BODY("chi: [[0.3, 0, 0], [0, 0.2, 0.1], [0.1, -0.2, 0.3]]"), 0.25, 64},
    {"heavy-top-variational.h5", TOP("pi: [[0, 0, 0.1]]"), 0.01, 64},
    {"heavy-top-variational-gamma-z.h5", TOP("gamma: [[0, 0, 0.98]]"), 0.01, 64},
    {"heavy-top-variational-square.h5", TOP("square: [0.1]"), 0.01, 64},
    {"heavy-top-variational-gamma-xy.h5", TOP("gamma: [[0.98, 0, 0], [0, 0.98, 0]]"), 0.01, 64},
    {"heavy-top-variational-pi-xy.h5", TOP("pi: [[0.01, 0, 0], [0, 0.01, 0]]"), 0.01, 64},
};

static const golden by_the_exponential = {"rigid-body-variational-exp.h5", FREE_BODY("sigma: 0.02"),
                                          0.01, 64};

TEST_OVER(golden_paths_with_attitude, sizeof variational / sizeof *variational) {
  follow(&variational[_i], "variational_midpoint", 2, "x");
}

TEST(golden_path_by_the_exponential) {
  follow(&by_the_exponential, "variational_midpoint, retraction: exp", 2, "x");
}

/* files with a dataset for each scheme that the independent implementation has besides */
static const golden of_schemes[] = {
    {"rigid-body-schemes.h5",
     "{name: rigid_body, inertia: [2, 1, 0.6666666666666666], noise: {kind: quadratic, sigma: "
     "0.3}, initial: {file: %s, dataset: heun, index: 0}}",
     0x1p-5, 32},
    {"rigid-body-linear-schemes.h5",
     "{name: rigid_body, inertia: [1, 2, 3], noise: {kind: linear, chi: [[0.2, 0.1, 0], [0, 0.3, "
     "-0.1]]}, initial: {file: %s, dataset: heun, index: 0}}",
     0x1p-5, 32},
    {"manakov-5-schemes.h5",
     "{name: manakov, n: 5, noise: {sigma: 0.2}, initial: {file: %s, dataset: heun, index: 0}}",
     0x1p-6, 32},
    {"manakov-10-schemes.h5",
     "{name: manakov, n: 10, noise: {sigma: 0.1}, initial: {file: %s, dataset: heun, index: 0}}",
     0x1p-6, 32},
    {"heavy-top-schemes.h5",
     "{name: heavy_top, inertia: [2, 1.5, 1], mga: [0.5, 0.25, 2], noise: {pi: [[0.2, 0.1, 0], [0, "
     "0.3, -0.1], [0, 0, 0]], gamma: [[0, 0, 0.1], [0, 0, 0], [0.3, -0.1, 0.2]], square: [0, 0.1, "
     "-0.05]}, initial: {file: %s, dataset: heun, index: 0}}",
     0x1p-6, 32},
    {"euler-zeitlin-5-schemes.h5",
     "{name: euler_zeitlin, N: 5, noise: {amplitude: 1.5, lmin: 1}, initial: {file: %s, dataset: "
     "heun, index: 0}}",
     0x1p-6, 16},
    {"sine-euler-3-schemes.h5",
     "{name: sine_euler, N: 3, noise: {amplitude: 0.3, modes: [[1, -1], [0, 1], [-1, -1]]}, "
     "initial: {file: %s, dataset: heun, index: 0}}",
     0x1p-5, 32},
    {"sine-euler-5-schemes.h5",
     "{name: sine_euler, N: 5, noise: {amplitude: 0.2, modes: [[0, 1], [-2, 1], [2, -1], [2, 0], "
     "[-1, 0], [1, 2]]}, initial: {file: %s, dataset: heun, index: 0}}",
     0x1p-6, 32},
};

TEST_OVER(golden_paths_of_schemes, sizeof of_schemes / sizeof *of_schemes) {
  static const char *const schemes[] = {"munthe_kaas", "implicit_midpoint", "implicit_trapezoid",
                                        "heun", "euler_maruyama"};
  for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
    follow(&of_schemes[_i], schemes[i], 0, schemes[i]);
}

#define BODY_OF_PAPER                                                                              \
  "{name: rigid_body, inertia: [2, 1, 0.6666666666666666], noise: {kind: quadratic, sigma: 0.1}, " \
  "initial: {file: %s, index: 0}}"
#define LINEAR_BODY                                                                            \
  "{name: rigid_body, inertia: [1, 2, 3], noise: {kind: linear, sigma: 0.2}, initial: {file: " \
  "%s, index: 0}}"
#define MANAKOV_4 "{name: manakov, n: 4, noise: {sigma: 0.1}, initial: {file: %s, index: 0}}"

static const golden of_weak_order_2[] = {{"rigid-body-weak2.h5", BODY_OF_PAPER, 0x1p-5, 20},
                                         {"rigid-body-linear-weak2.h5", LINEAR_BODY, 0x1p-4, 20},
                                         {"manakov-4-weak2.h5", MANAKOV_4, 0x1p-6, 12}};

static const golden with_areas[] = {{"rigid-body-area.h5", BODY_OF_PAPER, 0x1p-5, 20},
                                    {"rigid-body-linear-area.h5", LINEAR_BODY, 0x1p-4, 20},
                                    {"manakov-4-area.h5", MANAKOV_4, 0x1p-6, 12}};

TEST_OVER(golden_paths_of_higher_order, 3) {
  follow(&of_weak_order_2[_i], "isospectral_midpoint, weak_order: 2", 0, "x");
  follow(&with_areas[_i], "isospectral_midpoint, areas: 8", 0, "x");
}

#define BODIES                                                                                    \
  "{name: rigid_bodies, mass: [1, 2, 0.5], inertia: [[0.4, 0.5, 0.6], [1, 1.2, 0.7], [0.3, 0.3, " \
  "0.5]], trap: 1, field: [0, 0, 0.5], epsilon: 1, friction: {force: 0.5, torque: 0.2}, "         \
  "temperature: 1, noise: {kind: "

static const golden langevin[] = {
    {"langevin-rigid-bodies.h5", BODIES "potential}, initial: {file: %s, dataset: x, index: 0}}",
     0x1p-6, 64},
    {"langevin-rigid-bodies-additive.h5",
     BODIES "additive}, initial: {file: %s, dataset: x, index: 0}}", 0x1p-6, 64},
    {"symmetric-rigid-bodies.h5",
     "{name: rigid_bodies, mass: [1, 2], inertia: [[0.5, 0.7, 0.9], [1, 1.2, 0.7]], epsilon: 1, "
     "noise: {kind: pair, sigma_force: 0.5}, initial: {file: %s, dataset: x, index: 0}}",
     0x1p-5, 64},
    {"pendulum-chain.h5",
     "{name: pendulum_chain, N: 2, mass: 1, length: 1, gravity: 1, friction: 0.5, temperature: "
     "0.5, noise: {kind: isotropic}, initial: {file: %s, dataset: x, index: 0}}",
     0x1p-5, 64},
    {"pendulum.h5",
     "{name: sliding_disk, amplitude: 1, s: 0.5, friction: 0.1, temperature: 1, initial: {file: "
     "%s, dataset: x, index: 0}}",
     0x1p-5, 64},
};

TEST_OVER(golden_paths_of_variational_euler, sizeof langevin / sizeof *langevin) {
  follow(&langevin[_i], "variational_euler", 0, "x");
}

TEST(golden_path_with_constraints) {
  for (size_t i = 0; i < sizeof langevin / sizeof *langevin; i++)
    if (strstr(langevin[i].system, "pendulum_chain"))
      follow(&langevin[i], "constrained_variational_euler", 0, "x");
}

/* The file of the disk has a path of the independent implementation by each of these besides. */
TEST_OVER(golden_paths_of_euler_maruyama, 2) {
  static const char *const schemes[] = {"euler_maruyama", "implicit_euler_maruyama"};
  const golden *disk = &langevin[sizeof langevin / sizeof *langevin - 1];
  follow(disk, schemes[_i], 0, schemes[_i]);
}

RUN_TESTS_WITH_MPI
