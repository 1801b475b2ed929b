/* Whole paths from given normals against an independent implementation in 80-bit arithmetic,
   through the interface that users have: a replayed stream and a trajectory. */
/* ranks: 1 */
#include "study_fixture.h"

/* A file of independent paths by these schemes, which are separated by ";": in the dataset x of a
   single one, else each in one of its name. */
typedef struct {
  const char *file, *schemes, *system;
  double h;
  int steps;
} golden;

#define MIDPOINT "isospectral_midpoint, truncation: 2"
#define UNTRUNCATED "isospectral_midpoint, truncation: 0"
#define KAAS "munthe_kaas, truncation: 2"
#define VARIATIONAL "variational_midpoint, truncation: 2"
#define EULER "variational_euler, truncation: 0"
#define FIVE "munthe_kaas;implicit_midpoint;implicit_trapezoid;heun;euler_maruyama"

#define PAPER(sigma) \
  "rigid_body, inertia: [2, 1, 0.6666666666666666], noise: {kind: quadratic, sigma: " sigma "}"
#define LINEAR(noise) "rigid_body, inertia: [1, 2, 3], noise: {kind: linear, " noise "}"
#define TURNING(noise) LINEAR(noise) ", attitude: true"
#define TOP(noise) \
  "heavy_top, inertia: [0.1, 0.1, 1], mga: [0, 0, 0.98], attitude: true, noise: {" noise "}"
#define TILTED_TOP(noise) "heavy_top, inertia: [2, 1.5, 1], mga: [0.5, 0.25, 2], noise: {" noise "}"
#define PUSHED_TOP(inertia) \
  "heavy_top, inertia: [" inertia "], mga: [0, 0, 1], noise: {pi: [[0.1, -0.2, 0.15]]}"
#define ZEITLIN(N, more) "euler_zeitlin, N: " N ", noise: {" more "}"
#define SINE(N, amplitude, modes) \
  "sine_euler, N: " N ", noise: {amplitude: " amplitude ", modes: [" modes "]}"
#define MANAKOV(n, sigma) "manakov, n: " n ", noise: {sigma: " sigma "}"
#define BODIES(noise)                                                                              \
  "rigid_bodies, mass: [1, 2, 0.5], inertia: [[0.4, 0.5, 0.6], [1, 1.2, 0.7], [0.3, 0.3, 0.5]], "  \
  "trap: 1, field: [0, 0, 0.5], epsilon: 1, friction: {force: 0.5, torque: 0.2}, temperature: 1, " \
  "noise: {kind: " noise "}"
#define CHAIN                                                                               \
  "pendulum_chain, N: 2, mass: 1, length: 1, gravity: 1, friction: 0.5, temperature: 0.5, " \
  "noise: {kind: isotropic}"
#define DISK "sliding_disk, amplitude: 1, s: 0.5, friction: 0.1, temperature: 1"

static const golden cases[] = {
    {"rigid-body", MIDPOINT, PAPER("0.1"), 0x1p-7, 64},
    {"rigid-body-linear", MIDPOINT, LINEAR("sigma: 0.02"), 0.01, 100},
    {"euler-zeitlin-12", MIDPOINT, ZEITLIN("12", "amplitude: 2"), 0x1p-7, 16},
    /* one path a block */
    {"euler-zeitlin-27", MIDPOINT, ZEITLIN("27", "amplitude: 2"), 0x1p-5, 10},
    {"manakov-10", MIDPOINT, MANAKOV("10", "0.1"), 0x1p-7, 32},
    {"point-vortices-4", MIDPOINT, "point_vortices, gamma: [1, 1, 1, 1], noise: {sigma: 0.1}",
     0x1p-7, 64},
    {"sine-euler-5-isospectral", MIDPOINT, SINE("5", "0.2", "[0, 1], [-2, 1], [2, -1], [1, 2]"),
     0x1p-6, 32},
    {"euler-zeitlin-salt", UNTRUNCATED,
     ZEITLIN("8", "kind: transport, fields: [[1, 2, -1, 0.2], [2, 3, 0, 0.1], [3, 4, 3, 0.15], [2, "
                  "2, 2, -0.1], [3, 5, -4, 0.05]]"),
     0x1p-5, 24},
    {"euler-zeitlin-rotating", UNTRUNCATED,
     ZEITLIN("9", "kind: transport, fields: [[1, 4, 1, 0.1], [1, 4, -1, 0.05], [2, 6, 2, "
                  "0.1]]") ", rotation: 0.7, damping: {viscosity: 0.002, power: 1, friction: "
                           "0.05}",
     0x1p-5, 20},
    {"rigid-body-tmk", KAAS, PAPER("0.1"), 0x1p-7, 64},
    {"rigid-body-tmk-linear", KAAS, LINEAR("sigma: 0.02"), 0.01, 64},
    {"heavy-top-421", KAAS, PUSHED_TOP("4, 2, 1"), 0x1p-6, 64},
    {"heavy-top-441", KAAS, PUSHED_TOP("4, 4, 1"), 0x1p-6, 64},
    {"heavy-top-noises", KAAS,
     TILTED_TOP(
         "pi: [[0.2, 0, 0], [0, 0.1, 0], [0, 0, 0], [0.1, 0.1, -0.3]], gamma: [[0, 0, 0], [0, 0, "
         "0.1], [0.3, -0.1, 0], [0, 0, 0]]"),
     0x1p-7, 64},
    {"sine-euler-3", KAAS, SINE("3", "0.2", "[1, -1], [1, 1]"), 0x1p-5, 64},
    {"sine-euler-5", KAAS, SINE("5", "0.1", "[0, 1], [-2, 1], [2, -1], [2, 2], [-1, -1]"), 0x1p-6,
     64},
    /* states with the attitude, from the experiments of [GBW] sections 7 and 8 */
    {"rigid-body-variational", VARIATIONAL, TURNING("sigma: 0.02"), 0.01, 64},
    {"rigid-body-variational-clipped", VARIATIONAL,
     TURNING("chi: [[0.3, 0, 0], [0, 0.2, 0.1], [0.1, -0.2, 0.3]]"), 0.25, 64},
    {"heavy-top-variational", VARIATIONAL, TOP("pi: [[0, 0, 0.1]]"), 0.01, 64},
    {"heavy-top-variational-gamma-z", VARIATIONAL, TOP("gamma: [[0, 0, 0.98]]"), 0.01, 64},
    {"heavy-top-variational-square", VARIATIONAL, TOP("square: [0.1]"), 0.01, 64},
    {"heavy-top-variational-gamma-xy", VARIATIONAL, TOP("gamma: [[0.98, 0, 0], [0, 0.98, 0]]"),
     0.01, 64},
    {"heavy-top-variational-pi-xy", VARIATIONAL, TOP("pi: [[0.01, 0, 0], [0, 0.01, 0]]"), 0.01, 64},
    {"rigid-body-variational-exp", VARIATIONAL ", retraction: exp", TURNING("sigma: 0.02"), 0.01,
     64},
    {"rigid-body-schemes", FIVE, PAPER("0.3"), 0x1p-5, 32},
    {"rigid-body-linear-schemes", FIVE, LINEAR("chi: [[0.2, 0.1, 0], [0, 0.3, -0.1]]"), 0x1p-5, 32},
    {"manakov-5-schemes", FIVE, MANAKOV("5", "0.2"), 0x1p-6, 32},
    {"manakov-10-schemes", FIVE, MANAKOV("10", "0.1"), 0x1p-6, 32},
    {"heavy-top-schemes", FIVE,
     TILTED_TOP(
         "pi: [[0.2, 0.1, 0], [0, 0.3, -0.1], [0, 0, 0]], gamma: [[0, 0, 0.1], [0, 0, 0], [0.3, "
         "-0.1, 0.2]], square: [0, 0.1, -0.05]"),
     0x1p-6, 32},
    {"euler-zeitlin-5-schemes", FIVE, ZEITLIN("5", "amplitude: 1.5, lmin: 1"), 0x1p-6, 16},
    {"sine-euler-3-schemes", FIVE, SINE("3", "0.3", "[1, -1], [0, 1], [-1, -1]"), 0x1p-5, 32},
    {"sine-euler-5-schemes", FIVE,
     SINE("5", "0.2", "[0, 1], [-2, 1], [2, -1], [2, 0], [-1, 0], [1, 2]"), 0x1p-6, 32},
    {"rigid-body-weak2", UNTRUNCATED ", weak_order: 2", PAPER("0.1"), 0x1p-5, 20},
    {"rigid-body-linear-weak2", UNTRUNCATED ", weak_order: 2", LINEAR("sigma: 0.2"), 0x1p-4, 20},
    {"manakov-4-weak2", UNTRUNCATED ", weak_order: 2", MANAKOV("4", "0.1"), 0x1p-6, 12},
    {"rigid-body-area", UNTRUNCATED ", areas: 8", PAPER("0.1"), 0x1p-5, 20},
    {"rigid-body-linear-area", UNTRUNCATED ", areas: 8", LINEAR("sigma: 0.2"), 0x1p-4, 20},
    {"manakov-4-area", UNTRUNCATED ", areas: 8", MANAKOV("4", "0.1"), 0x1p-6, 12},
    {"langevin-rigid-bodies", EULER, BODIES("potential"), 0x1p-6, 64},
    {"langevin-rigid-bodies-additive", EULER, BODIES("additive"), 0x1p-6, 64},
    {"symmetric-rigid-bodies", EULER,
     "rigid_bodies, mass: [1, 2], inertia: [[0.5, 0.7, 0.9], [1, 1.2, 0.7]], epsilon: 1, "
     "noise: "
     "{kind: pair, sigma_force: 0.5}",
     0x1p-5, 64},
    {"pendulum-chain", EULER, CHAIN, 0x1p-5, 64},
    {"pendulum", EULER, DISK, 0x1p-5, 64},
    {"pendulum-chain", "constrained_variational_euler, truncation: 0", CHAIN, 0x1p-5, 64},
    {"pendulum", "euler_maruyama;implicit_euler_maruyama", DISK, 0x1p-5, 64}};

TEST_OVER(golden_paths, 2 * sizeof cases / sizeof *cases) {
  if (looks_for_accesses() && (_i ^ _i / 2) % 2) /* with or without compensation */
    return;
  const golden *g = &cases[_i / 2];
  char *schemes = formatted("%s", g->schemes), *rest;
  const char *file = formatted("%s/%s.h5", getenv("TEST_DATA"), g->file);
  const bool single = !strchr(schemes, ';');
  for (char *scheme = strtok_r(schemes, ";", &rest); scheme; scheme = strtok_r(NULL, ";", &rest)) {
    const char *dataset = single ? "x" : scheme;
    run_well(NULL,
             "system: {name: %s, initial: {file: %s, dataset: %s, index: 0}}\n"
             "integrator: {name: %s, compensated: %s%s}\n"
             "random: {generator: replay, file: %s}\n"
             "study: {kind: trajectory, step: %.17g, steps: %d}\n",
             g->system, file, dataset, scheme, _i % 2 ? "true" : "false",
             single ? "" : ", truncation: 0", file, g->h, g->steps);
    /* states of several factors may be nested in one file and flat in the other */
    const series a = stored_series("/trajectory/state"), b = series_of(file, dataset);
    ck_assert(a.records == b.records && a.numbers == b.numbers);
    double d = 0;
    for (int64_t i = 0; i < a.records * a.numbers; i++)
      d = isfinite(a.value[i]) ? fmax(d, fabs(a.value[i] - b.value[i])) : INFINITY;
    ck_assert_msg(d <= 1e-12, "%s, %s: states differ by %g", g->file, scheme, d);
  }
}

RUN_TESTS_WITH_MPI
