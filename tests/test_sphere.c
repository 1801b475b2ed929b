/* Euler-Zeitlin on the sphere: bands of degrees, points, maps, eigenvalues, balances, random
   states, and what is refused. test_known.c has flows that are known, test_two_ways.c units of
   time. */
/* ranks: 1 */
/* needs: sprng */
#include "pass_fixture.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

static const char *const systems[] = {
    "N: 9, latitudes: 18, rotation: 0.4, initial: {random: {seed: 1, norm: 2}}",
    "N: 26, latitudes: 18, initial: {random: {seed: 1, norm: 2}}",
    "N: 9, latitudes: 18, initial: {random: {seed: 1, norm: 2}}",
};

static void record(const char *system, const char *study) {
  run_well(NULL,
           "system: {name: euler_zeitlin, %s}\nintegrator: {tolerance: 1e-14}\nstudy: {kind: "
           "trajectory, %s}\n",
           system, study);
}

/* Spectra sum to the energy and the enstrophy, and angular momentum belongs to degree 1. */
TEST_OVER(bands_and_points, 3) {
  const int N = _i == 1 ? 26 : 9;
  record(systems[_i], formatted("step: 2^-6, steps: 4, observables: [hamiltonian, enstrophy, "
                                "angular_momentum, energy_spectrum, enstrophy_spectrum, vorticity, "
                                "{all: \"energy_of(1,%d)\"}, {some: \"energy_of(2,4)\"}, {squares: "
                                "\"enstrophy_of(3,3)\"}, {here: \"vorticity_at(45,-90)\"}]",
                                N - 1));
  double some = 0, energy = 0, enstrophy = 0, momentum = 0;
  for (int l = 1; l < N; l++) {
    const double e = last_of("energy_spectrum", l - 1), q = last_of("enstrophy_spectrum", l - 1);
    assert_near(2 * l * (l + 1) * e, q, 1e-13, "enstrophy of a degree");
    energy += e;
    enstrophy += q;
    some += l >= 2 && l <= 4 ? e : 0;
  }
  for (int i = 0; i < 3; i++)
    momentum += pow(last_of("angular_momentum", i), 2);
  assert_near(energy, last_of("hamiltonian", 0), 1e-14, "sum of energies");
  if (_i > 0) /* without F, which enstrophy has in it */
    assert_near(enstrophy, last_of("enstrophy", 0), 1e-13, "sum of enstrophies");
  assert_near(momentum, 4 * pi / 3 * last_of("enstrophy_spectrum", 0), 1e-13, "angular momentum");
  assert_near(last_of("all", 0), last_of("hamiltonian", 0), 1e-14, "all");
  assert_near(last_of("some", 0), some, 1e-14, "some");
  assert_near(last_of("squares", 0), last_of("enstrophy_spectrum", 2), 1e-14, "squares");
  /* row 13 is at 45 degrees, column 27 at 270 */
  assert_near(last_of("here", 0), last_of("vorticity", 13 * 36 + 27), 1e-13, "here");
}

/* Where nothing moves on a rotating sphere X is F. What is of X - F is 0 there, and its text says
   that it is; what is of X is not. */
TEST(texts_say_which_vorticity_is_meant) {
  const cas_problem *p = &pass_of(1, 1,
                                  "{system: {name: euler_zeitlin, N: 6, rotation: 0.7, lowpass: 3, "
                                  "latitudes: 8, damping: {viscosity: 0.1}, initial: {random: "
                                  "{seed: 1, norm: 1}}}, random: {generator: threefry}}")
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
    record(formatted("N: 9, lowpass: 4, latitudes: 18, initial: {coefficients: %s}", waves[k]),
           "step: 2^-6, steps: 1, observables: [vorticity, vorticity_lowpass, stream_function]");
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

/* The integral of vorticity squared over a fine map is the enstrophy, that of z times vorticity the
   angular momentum: scales of the axes and of the map are right. */
TEST(maps_integrate) {
  int64_t n;
  double square = 0, momentum = 0;
  record("N: 26, latitudes: 400, initial: {random: {seed: 4, norm: 2, lmax: 5}}",
         "step: 2^-7, steps: 1, observables: [vorticity, angular_momentum]");
  double *latitude = recorded("latitude", &n), *longitude = recorded("longitude", &n),
         *map = recorded("vorticity", &n);
  ck_assert_int_eq(n, 2 * 400 * 800);
  ck_assert(fabs(latitude[0] + 89.775) < 1e-12 && fabs(longitude[799] - 359.55) < 1e-12);
  for (int i = 0; i < 400; i++)
    for (int j = 0; j < 800; j++) {
      double area = cos(latitude[i] * pi / 180) * (pi / 400) * (pi / 400), w = map[800 * i + j];
      square += area * w * w;
      momentum += area * w * sin(latitude[i] * pi / 180);
    }
  double *L = recorded("angular_momentum", &n);
  ck_assert_msg(fabs(square - 4) <= 1e-4, "integral of vorticity squared %.9g", square);
  ck_assert_msg(fabs(momentum - L[2]) <= 1e-4 && fabs(momentum) > 1e-2,
                "angular momentum %.9g, %.9g", momentum, L[2]);
}

/* Random states have the norm and the degrees that they are asked for. */
TEST_OVER(random_states, 2) {
  const int N = _i ? 26 : 9;
  record(formatted("N: %d, initial: {random: {seed: 2, norm: 7, lmin: 2, lmax: 6}}", N),
         "step: 2^-7, steps: 1, observables: [enstrophy, enstrophy_spectrum]");
  const series q = recorded_series("enstrophy_spectrum"), degree = recorded_series("degree");
  assert_near(recorded_series("enstrophy").value[0], 49, 1e-12, "enstrophy");
  for (int i = 0; i < N - 1; i++) {
    ck_assert(degree.value[i] == i + 1);
    ck_assert_msg(i >= 1 && i < 6 ? q.value[i] > 1e-3 : q.value[i] < 1e-24, "degree %d: %g", i + 1,
                  q.value[i]);
  }
}

/* ---- balances ---- */

/* White forcing of small states without damping: the input is the rate. */
TEST(white_forcing_is_an_input) {
  record(
      "N: 6, forcing: {white: {lmin: 2, lmax: 3, rate: 0.5}}, initial: {coefficients: [[1, 0, 1]]}",
      "step: 2^-6, steps: 1, observables: [energy_balance, enstrophy_balance]");
  assert_near(last_of("energy_balance", 0), 0.5, 1e-15, "input of energy");
  /* 12 modes gain 0.5/12 each, times 2 l(l+1) */
  assert_near(last_of("enstrophy_balance", 0), 0.5 / 12 * 2 * (5 * 6 + 7 * 12), 1e-13,
              "input of enstrophy");
}

#define ROWS "name: euler_zeitlin, N: 6, initial: {coefficients: "
#define RANDOM "name: euler_zeitlin, N: 6, initial: {random: {seed: 1, norm: 1, "

static const char *const refused[][2] = {
    {"name: euler_zeitlin, N: 1, initial: [1]", "system.N: found 1, must be between 2 and 4096"},
    {"name: euler_zeitlin, N: 4100", "system.N: found 4100, must be between 2 and 4096"},
    {"name: euler_zeitlin, N: 6", "'initial' is missing"},
    {"name: euler_zeitlin, N: 6, time_unit: second, initial: {random: {seed: 1, norm: 1}}",
     "system.time_unit: found 'second'"},
    {"name: euler_zeitlin, N: 6, noise: {amplitude: 1, lmin: 6}, initial: {random: {seed: 1, norm: "
     "1}}",
     "system.noise.lmin: found 6, must be at most N - 1 = 5"},
    {RANDOM "lmin: 2, lmax: 6}}", "system.initial.random.lmax: found 6, must be at most N - 1 = 5"},
    {RANDOM "lmin: 7}}", "system.initial.random.lmin: found 7, must be at most N - 1 = 5"},
    {RANDOM "lmin: 4, lmax: 3}}", "system.initial.random.lmax: found 3, must be at least lmin = 4"},
    {ROWS "[[1, 0, 1], [6, 0, 1]]}",
     "system.initial.coefficients[1]: l is 6, must be an integer from 1 to N - 1 = 5"},
    {ROWS "[[0, 0, 1]]}", "system.initial.coefficients[0]: l is 0"},
    {ROWS "[[2, -3, 1]]}",
     "system.initial.coefficients[0]: m is -3, must be an integer from -l to l = 2"},
    {ROWS "[[2, 0.5, 1]]}", "m is 0.5"},
    {ROWS "[[2, 1, 0], [2, -1, 1], [2, 1, 0]]}",
     "system.initial.coefficients[2]: l = 2, m = 1 are given twice, in rows [0] and [2]"},
    {ROWS "[[2, 1]]}",
     "system.initial.coefficients: found other rows, must be rows of 3 numbers: l, m, value"},
    {ROWS "[[2, 1, 0]], norm: 3}", "system.initial: the state is 0"},
    {"name: manakov, n: 3, initial: {coefficients: [[1, 0, 1]]}",
     "system.initial.coefficients: system manakov has no harmonics"},
    {"name: manakov, n: 3, initial: {random: {seed: 1, norm: 1, lmax: 3}}",
     "system.initial.random: system manakov has no harmonics"},
};

TEST_OVER(what_is_refused, (int)(sizeof refused / sizeof *refused)) {
  is_refused(1, refused[_i][1], "system: {%s}\nstudy: {kind: trajectory, step: 2^-6, steps: 1}\n",
             refused[_i][0]);
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
