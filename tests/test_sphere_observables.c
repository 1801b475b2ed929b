/* What is recorded of Euler-Zeitlin: bands of degrees, points, maps, eigenvalues, balances. */
/* ranks: 1 */
/* needs: sprng */
#include "pass_fixture.h"

#include <math.h>

static void record(const char *system, const char *study) {
  run_well(NULL,
           "system: {name: euler_zeitlin, %s}\nintegrator: {tolerance: 1e-14}\n"
           "study: {kind: trajectory, %s}\n",
           system, study);
}

static const char *const systems[] = {
    "N: 9, latitudes: 18, rotation: 0.4, initial: {random: {seed: 1, norm: 2}}",
    "N: 26, latitudes: 18, initial: {random: {seed: 1, norm: 2}}",
};

TEST_OVER(bands_and_points, 2) {
  const int N = _i ? 26 : 9;
  char study[400];
  snprintf(study, sizeof study,
           "step: 2^-6, steps: 4, observables: [hamiltonian, energy_spectrum, enstrophy_spectrum, "
           "vorticity, {all: \"energy_of(1,%d)\"}, {some: \"energy_of(2,4)\"}, {squares: "
           "\"enstrophy_of(3,3)\"}, {here: \"vorticity_at(45,-90)\"}]",
           N - 1);
  record(systems[_i], study);
  double some = 0;
  for (int l = 2; l <= 4; l++)
    some += last_of("energy_spectrum", l - 1);
  assert_near(last_of("all", 0), last_of("hamiltonian", 0), 1e-14, "all");
  assert_near(last_of("some", 0), some, 1e-14, "some");
  assert_near(last_of("squares", 0), last_of("enstrophy_spectrum", 2), 1e-14, "squares");
  /* row 13 is at 45 degrees, column 27 at 270 */
  assert_near(last_of("here", 0), last_of("vorticity", 13 * 36 + 27), 1e-13, "here");
}

/* Where nothing moves on a rotating sphere X is F. What is of X - F is 0 there, and its text says
   that it is; what is of X is not. */
TEST(texts_say_which_vorticity_is_meant) {
  const cas_problem *p =
      &pass_of(1, 1,
               "{system: {name: euler_zeitlin, N: 6, rotation: 0.7, lowpass: 3, latitudes: 8, "
               "damping: {viscosity: 0.1}, initial: {random: {seed: 1, norm: 1}}}, random: "
               "{generator: threefry}}")
           ->problem;
  double *f = doubles((size_t)p->components), *x = doubles((size_t)(p->components * p->W));
  p->system->initial.rest(p->parameters.all, f);
  for (int i = 0; i < p->components * p->W; i++)
    x[i] = f[i / p->W];
  int seen = 0;
  for (int list = 0; list < 2; list++)
    for (const cas_functional *q = list ? p->system->functionals : p->system->observables; q->name;
         q++) {
      cas_axis axis[2] = {{.length = 1}, {.length = 1}};
      const int axes = q->axes ? q->axes(p->parameters.all, axis) : 0,
                n = (int)((axes > 0 ? axis[0].length : 1) * (axes > 1 ? axis[1].length : 1));
      double *value = doubles((size_t)(n * p->W)), most = 0;
      q->value(p->parameters.all, p->W, x, value);
      for (int i = 0; i < n * p->W; i++)
        most = fmax(most, fabs(value[i]));
      ck_assert_msg((most <= 1e-14) == (strstr(q->summary, "X - F") != NULL), "%s: %g, '%s'",
                    q->name, most, q->summary);
      seen += most <= 1e-14;
    }
  for (const cas_indexed *q = p->system->state.indexed; q->name; q++) {
    const double index[2] = {1, strncmp(q->name, "coefficient", 11) == 0 ? 0 : 1};
    double value[64];
    q->value(p->parameters.all, index, p->W, x, value);
    if (strncmp(q->name, "re(", 3) != 0) /* which is 0 of every diagonal entry */
      ck_assert_msg((fabs(value[0]) <= 1e-14) == (strstr(q->summary, "X - F") != NULL),
                    "%s: %g, '%s'", q->name, value[0], q->summary);
  }
  ck_assert_int_gt(seen, 10);
}

/* Maps of a sum of two waves, from those of each. */
TEST(maps_of_parts) {
  static const char *const waves[] = {"[[2, 1, 0.7], [7, -3, 1.1]]", "[[2, 1, 0.7]]",
                                      "[[7, -3, 1.1]]"};
  series map[3], low = {0}, stream = {0};
  for (int k = 0; k < 3; k++) {
    char system[200];
    snprintf(system, sizeof system, "N: 9, lowpass: 4, latitudes: 18, initial: {coefficients: %s}",
             waves[k]);
    record(system, "step: 2^-6, steps: 1, observables: [vorticity, vorticity_lowpass, "
                   "stream_function]");
    map[k] = recorded_series("vorticity");
    if (k == 0) {
      low = recorded_series("vorticity_lowpass");
      stream = recorded_series("stream_function");
    }
  }
  for (int64_t i = 0; i < map[0].numbers; i++) { /* of record 0 */
    assert_near(low.value[i], map[1].value[i], 1e-14, "lowpass");
    assert_near(stream.value[i], -map[1].value[i] / 6 - map[2].value[i] / 56, 1e-14, "stream");
  }
}

TEST_OVER(eigenvalues_and_traces, 2) {
  const int N = _i ? 26 : 9, most = N < 10 ? N : 10;
  record(systems[_i], "step: 2^-6, steps: 4, observables: [eigenvalues, eigenvalue_max, traces, "
                      "enstrophy_spectrum]");
  double trace[11] = {0}, largest = 0;
  for (int i = 0; i < N; i++) {
    const double value = last_of("eigenvalues", i);
    largest = fmax(largest, fabs(value));
    for (int k = 1; k <= most; k++)
      trace[k] += pow(value, k);
  }
  assert_near(trace[1], 0, 1e-13, "trace");
  assert_near(last_of("eigenvalue_max", 0), largest, 0, "eigenvalue_max");
  series s = recorded_series("traces");
  ck_assert_int_eq(s.numbers, most - 1);
  for (int k = 2; k <= most; k++)
    assert_near(last_of("traces", k - 2), trace[k], 1e-12 * pow(largest, k), "traces");
}

/* ---- balances ---- */

/* White forcing of small states without damping: the input is the rate. */
TEST(white_forcing_is_an_input) {
  record("N: 6, forcing: {white: {lmin: 2, lmax: 3, rate: 0.5}}, initial: {coefficients: [[1, 0, "
         "1]]}",
         "step: 2^-6, steps: 1, observables: [energy_balance, enstrophy_balance]");
  assert_near(last_of("energy_balance", 0), 0.5, 1e-15, "input of energy");
  /* 12 modes gain 0.5/12 each, times 2 l(l+1) */
  assert_near(last_of("enstrophy_balance", 0), 0.5 / 12 * 2 * (5 * 6 + 7 * 12), 1e-13,
              "input of enstrophy");
}

TEST(what_does_not_exist_is_refused) {
  static const char *const wrong[][3] = {
      {"N: 9", "vorticity_lowpass", "system.lowpass, its highest degree, is not given"},
      {"N: 9", "energy_balance", "there is no damping or forcing"},
      {"N: 9", "{a: \"energy_of(3,9)\"}", "are from 1 to N - 1 = 8"},
      {"N: 9", "{a: \"vorticity_at(91,0)\"}", "latitudes are from -90 to 90"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    is_refused(0, wrong[i][2],
               "system: {name: euler_zeitlin, %s, initial: {random: {seed: 1, norm: 1}}}\nstudy: "
               "{kind: trajectory, step: 2^-6, steps: 1, observables: [%s]}\n",
               wrong[i][0], wrong[i][1]);
}

RUN_TESTS_WITH_MPI
