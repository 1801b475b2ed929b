/* Whole paths from given normals against an independent implementation in 80-bit arithmetic,
   through the interface that users have: a replayed stream and a trajectory. */
/* ranks: 1 */
#include "study_fixture.h"

#include <math.h>

/* A file of an independent path by each of these schemes, which are separated by ";": in the dataset
   x of a single one, else in one of the name of the scheme. */
typedef struct {
  const char *file, *schemes, *system;
  double h;
  int steps;
} golden;

#define MIDPOINT "isospectral_midpoint, truncation: 2"
#define UNTRUNCATED "isospectral_midpoint, truncation: 0"
#define VARIATIONAL "variational_midpoint, truncation: 2"
#define EULER "variational_euler, truncation: 0"
#define FIVE "munthe_kaas;implicit_midpoint;implicit_trapezoid;heun;euler_maruyama"

#define FREE_BODY(noise)                                                                \
  "{name: rigid_body, inertia: [1, 2, 3], attitude: true, noise: {kind: linear, " noise \
  "}, initial: {file: %s, index: 0}}"
#define TOP(noise)                                                                              \
  "{name: heavy_top, inertia: [0.1, 0.1, 1], mga: [0, 0, 0.98], attitude: true, noise: {" noise \
  "}, initial: {file: %s, index: 0}}"
#define BODY_OF_PAPER                                                                              \
  "{name: rigid_body, inertia: [2, 1, 0.6666666666666666], noise: {kind: quadratic, sigma: 0.1}, " \
  "initial: {file: %s, index: 0}}"
#define LINEAR_BODY                                                                            \
  "{name: rigid_body, inertia: [1, 2, 3], noise: {kind: linear, sigma: 0.2}, initial: {file: " \
  "%s, index: 0}}"
#define MANAKOV_4 "{name: manakov, n: 4, noise: {sigma: 0.1}, initial: {file: %s, index: 0}}"
#define BODIES                                                                                    \
  "{name: rigid_bodies, mass: [1, 2, 0.5], inertia: [[0.4, 0.5, 0.6], [1, 1.2, 0.7], [0.3, 0.3, " \
  "0.5]], trap: 1, field: [0, 0, 0.5], epsilon: 1, friction: {force: 0.5, torque: 0.2}, "         \
  "temperature: 1, noise: {kind: "
#define CHAIN                                                                                 \
  "{name: pendulum_chain, N: 2, mass: 1, length: 1, gravity: 1, friction: 0.5, temperature: " \
  "0.5, noise: {kind: isotropic}, initial: {file: %s, dataset: x, index: 0}}"
#define DISK                                                                                   \
  "{name: sliding_disk, amplitude: 1, s: 0.5, friction: 0.1, temperature: 1, initial: {file: " \
  "%s, dataset: x, index: 0}}"

static const golden cases[] = {
    {"rigid-body.h5", MIDPOINT,
     "{name: rigid_body, inertia: [2, 1, 0.6666666666666666], noise: {kind: quadratic, sigma: "
     "0.1}, initial: {file: %s, index: 0}}",
     0x1p-7, 64},
    {"rigid-body-linear.h5", MIDPOINT,
     "{name: rigid_body, inertia: [1, 2, 3], noise: {kind: linear, sigma: 0.02}, initial: {file: "
     "%s, index: 0}}",
     0.01, 100},
    {"euler-zeitlin-12.h5", MIDPOINT,
     "{name: euler_zeitlin, N: 12, noise: {amplitude: 2}, initial: {file: %s, index: 0}}", 0x1p-7,
     16},
    /* one path a block */
    {"euler-zeitlin-27.h5", MIDPOINT,
     "{name: euler_zeitlin, N: 27, noise: {amplitude: 2}, initial: {file: %s, index: 0}}", 0x1p-5,
     10},
    {"manakov-10.h5", MIDPOINT,
     "{name: manakov, n: 10, noise: {sigma: 0.1}, initial: {file: %s, index: 0}}", 0x1p-7, 32},
    {"point-vortices-4.h5", MIDPOINT,
     "{name: point_vortices, gamma: [1, 1, 1, 1], noise: {sigma: 0.1}, initial: {file: %s, index: "
     "0}}",
     0x1p-7, 64},
    {"sine-euler-5-isospectral.h5", MIDPOINT,
     "{name: sine_euler, N: 5, noise: {amplitude: 0.2, modes: [[0, 1], [-2, 1], [2, -1], [1, 2]]}, "
     "initial: {file: %s, index: 0}}",
     0x1p-6, 32},
    {"euler-zeitlin-salt.h5", UNTRUNCATED,
     "{name: euler_zeitlin, N: 8, noise: {kind: transport, fields: [[1, 2, -1, 0.2], [2, 3, 0, "
     "0.1], [3, 4, 3, 0.15], [2, 2, 2, -0.1], [3, 5, -4, 0.05]]}, initial: {file: %s, index: 0}}",
     0x1p-5, 24},
    {"euler-zeitlin-rotating.h5", UNTRUNCATED,
     "{name: euler_zeitlin, N: 9, rotation: 0.7, damping: {viscosity: 0.002, power: 1, friction: "
     "0.05}, noise: {kind: transport, fields: [[1, 4, 1, 0.1], [1, 4, -1, 0.05], [2, 6, 2, 0.1]]}, "
     "initial: {file: %s, index: 0}}",
     0x1p-5, 20},
    {"rigid-body-tmk.h5", "munthe_kaas, truncation: 2",
     "{name: rigid_body, inertia: [2, 1, 0.6666666666666666], noise: {kind: quadratic, sigma: "
     "0.1}, initial: {file: %s, index: 0}}",
     0x1p-7, 64},
    {"rigid-body-tmk-linear.h5", "munthe_kaas, truncation: 2",
     "{name: rigid_body, inertia: [1, 2, 3], noise: {kind: linear, sigma: 0.02}, initial: {file: "
     "%s, index: 0}}",
     0.01, 64},
    {"heavy-top-421.h5", "munthe_kaas, truncation: 2",
     "{name: heavy_top, inertia: [4, 2, 1], mga: [0, 0, 1], noise: {pi: [[0.1, -0.2, 0.15]]}, "
     "initial: {file: %s, index: 0}}",
     0x1p-6, 64},
    {"heavy-top-441.h5", "munthe_kaas, truncation: 2",
     "{name: heavy_top, inertia: [4, 4, 1], mga: [0, 0, 1], noise: {pi: [[0.1, -0.2, 0.15]]}, "
     "initial: {file: %s, index: 0}}",
     0x1p-6, 64},
    {"heavy-top-noises.h5", "munthe_kaas, truncation: 2",
     "{name: heavy_top, inertia: [2, 1.5, 1], mga: [0.5, 0.25, 2], noise: {pi: [[0.2, 0, 0], [0, "
     "0.1, 0], [0, 0, 0], [0.1, 0.1, -0.3]], gamma: [[0, 0, 0], [0, 0, 0.1], [0.3, -0.1, 0], [0, "
     "0, 0]]}, initial: {file: %s, index: 0}}",
     0x1p-7, 64},
    {"sine-euler-3.h5", "munthe_kaas, truncation: 2",
     "{name: sine_euler, N: 3, noise: {amplitude: 0.2, modes: [[1, -1], [1, 1]]}, initial: {file: "
     "%s, index: 0}}",
     0x1p-5, 64},
    {"sine-euler-5.h5", "munthe_kaas, truncation: 2",
     "{name: sine_euler, N: 5, noise: {amplitude: 0.1, modes: [[0, 1], [-2, 1], [2, -1], [2, 2], "
     "[-1, -1]]}, initial: {file: %s, index: 0}}",
     0x1p-6, 64},
    /* states with the attitude, from the experiments of [GBW] sections 7 and 8 */
    {"rigid-body-variational.h5", VARIATIONAL, FREE_BODY("sigma: 0.02"), 0.01, 64},
    {"rigid-body-variational-clipped.h5", VARIATIONAL,
     FREE_BODY("chi: [[0.3, 0, 0], [0, 0.2, 0.1], [0.1, -0.2, 0.3]]"), 0.25, 64},
    {"heavy-top-variational.h5", VARIATIONAL, TOP("pi: [[0, 0, 0.1]]"), 0.01, 64},
    {"heavy-top-variational-gamma-z.h5", VARIATIONAL, TOP("gamma: [[0, 0, 0.98]]"), 0.01, 64},
    {"heavy-top-variational-square.h5", VARIATIONAL, TOP("square: [0.1]"), 0.01, 64},
    {"heavy-top-variational-gamma-xy.h5", VARIATIONAL, TOP("gamma: [[0.98, 0, 0], [0, 0.98, 0]]"),
     0.01, 64},
    {"heavy-top-variational-pi-xy.h5", VARIATIONAL, TOP("pi: [[0.01, 0, 0], [0, 0.01, 0]]"), 0.01,
     64},
    {"rigid-body-variational-exp.h5", VARIATIONAL ", retraction: exp", FREE_BODY("sigma: 0.02"),
     0.01, 64},
    {"rigid-body-schemes.h5", FIVE,
     "{name: rigid_body, inertia: [2, 1, 0.6666666666666666], noise: {kind: quadratic, sigma: "
     "0.3}, initial: {file: %s, dataset: heun, index: 0}}",
     0x1p-5, 32},
    {"rigid-body-linear-schemes.h5", FIVE,
     "{name: rigid_body, inertia: [1, 2, 3], noise: {kind: linear, chi: [[0.2, 0.1, 0], [0, 0.3, "
     "-0.1]]}, initial: {file: %s, dataset: heun, index: 0}}",
     0x1p-5, 32},
    {"manakov-5-schemes.h5", FIVE,
     "{name: manakov, n: 5, noise: {sigma: 0.2}, initial: {file: %s, dataset: heun, index: 0}}",
     0x1p-6, 32},
    {"manakov-10-schemes.h5", FIVE,
     "{name: manakov, n: 10, noise: {sigma: 0.1}, initial: {file: %s, dataset: heun, index: 0}}",
     0x1p-6, 32},
    {"heavy-top-schemes.h5", FIVE,
     "{name: heavy_top, inertia: [2, 1.5, 1], mga: [0.5, 0.25, 2], noise: {pi: [[0.2, 0.1, 0], [0, "
     "0.3, -0.1], [0, 0, 0]], gamma: [[0, 0, 0.1], [0, 0, 0], [0.3, -0.1, 0.2]], square: [0, 0.1, "
     "-0.05]}, initial: {file: %s, dataset: heun, index: 0}}",
     0x1p-6, 32},
    {"euler-zeitlin-5-schemes.h5", FIVE,
     "{name: euler_zeitlin, N: 5, noise: {amplitude: 1.5, lmin: 1}, initial: {file: %s, dataset: "
     "heun, index: 0}}",
     0x1p-6, 16},
    {"sine-euler-3-schemes.h5", FIVE,
     "{name: sine_euler, N: 3, noise: {amplitude: 0.3, modes: [[1, -1], [0, 1], [-1, -1]]}, "
     "initial: {file: %s, dataset: heun, index: 0}}",
     0x1p-5, 32},
    {"sine-euler-5-schemes.h5", FIVE,
     "{name: sine_euler, N: 5, noise: {amplitude: 0.2, modes: [[0, 1], [-2, 1], [2, -1], [2, 0], "
     "[-1, 0], [1, 2]]}, initial: {file: %s, dataset: heun, index: 0}}",
     0x1p-6, 32},
    {"rigid-body-weak2.h5", UNTRUNCATED ", weak_order: 2", BODY_OF_PAPER, 0x1p-5, 20},
    {"rigid-body-linear-weak2.h5", UNTRUNCATED ", weak_order: 2", LINEAR_BODY, 0x1p-4, 20},
    {"manakov-4-weak2.h5", UNTRUNCATED ", weak_order: 2", MANAKOV_4, 0x1p-6, 12},
    {"rigid-body-area.h5", UNTRUNCATED ", areas: 8", BODY_OF_PAPER, 0x1p-5, 20},
    {"rigid-body-linear-area.h5", UNTRUNCATED ", areas: 8", LINEAR_BODY, 0x1p-4, 20},
    {"manakov-4-area.h5", UNTRUNCATED ", areas: 8", MANAKOV_4, 0x1p-6, 12},
    {"langevin-rigid-bodies.h5", EULER,
     BODIES "potential}, initial: {file: %s, dataset: x, index: 0}}", 0x1p-6, 64},
    {"langevin-rigid-bodies-additive.h5", EULER,
     BODIES "additive}, initial: {file: %s, dataset: x, index: 0}}", 0x1p-6, 64},
    {"symmetric-rigid-bodies.h5", EULER,
     "{name: rigid_bodies, mass: [1, 2], inertia: [[0.5, 0.7, 0.9], [1, 1.2, 0.7]], epsilon: 1, "
     "noise: {kind: pair, sigma_force: 0.5}, initial: {file: %s, dataset: x, index: 0}}",
     0x1p-5, 64},
    {"pendulum-chain.h5", EULER, CHAIN, 0x1p-5, 64},
    {"pendulum.h5", EULER, DISK, 0x1p-5, 64},
    {"pendulum-chain.h5", "constrained_variational_euler, truncation: 0", CHAIN, 0x1p-5, 64},
    {"pendulum.h5", "euler_maruyama;implicit_euler_maruyama", DISK, 0x1p-5, 64}};

/* The largest difference of a component over all steps; states of several factors may be nested in
   one file and flat in the other. */
static double distance(const char *file, const char *dataset) {
  const series a = stored_series("/trajectory/state"), b = series_of(file, dataset);
  double most = 0;
  ck_assert(a.records == b.records && a.numbers == b.numbers);
  for (int64_t i = 0; i < a.records * a.numbers; i++)
    most = isfinite(a.value[i]) ? fmax(most, fabs(a.value[i] - b.value[i])) : INFINITY;
  return most;
}

TEST_OVER(golden_paths, 2 * sizeof cases / sizeof *cases) {
  const golden *g = &cases[_i / 2];
  char file[4096], system[8192], schemes[200], *rest;
  snprintf(file, sizeof file, "%s/%s", getenv("TEST_DATA"), g->file);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  snprintf(system, sizeof system, g->system, file);
#pragma GCC diagnostic pop
  snprintf(schemes, sizeof schemes, "%s", g->schemes);
  const bool single = !strchr(schemes, ';');
  for (char *scheme = strtok_r(schemes, ";", &rest); scheme; scheme = strtok_r(NULL, ";", &rest)) {
    run_well(NULL,
             "system: %s\n"
             "integrator: {name: %s, compensated: %s%s}\n"
             "random: {generator: replay, file: %s}\n"
             "study: {kind: trajectory, step: %.17g, steps: %d}\n",
             system, scheme, _i % 2 ? "true" : "false", single ? "" : ", truncation: 0", file, g->h,
             g->steps);
    const double d = distance(file, single ? "x" : scheme);
    ck_assert_msg(d <= 1e-12, "%s, %s: states differ by %g", g->file, scheme, d);
  }
}

RUN_TESTS_WITH_MPI
