/* Sums of waves as noise, damping and forcing of the sine-bracket Euler equations, in cases that
   are solved exactly. States are so small where it matters that the drift is below rounding. */
/* ranks: 1 */
/* needs: sprng */
#include "fluid_fixture.h"

static const int sizes[] = {5, 25};

static void run_torus(const char *system, const char *rest) {
  run_well(NULL, "system: {name: sine_euler, %s}\n%s\n", system, rest);
}

/* ---- noise ---- */

/* A field of one wave is the noise of its mode, bitwise. */
TEST_OVER(fields_of_one_wave_are_modes, 2) {
  static const char *const noises[] = {
      "amplitude: 0.3, modes: [[1, -1], [0, 2], [-1, 1]]",
      "fields: [[1, 1, -1, 0.3], [3, -1, 1, 0.3], [2, 0, 2, 0.3]]"};
  char system[300];
  series s[2];
  for (int k = 0; k < 2; k++) {
    snprintf(system, sizeof system, "N: %d, noise: {%s}, initial: {random: {seed: 1, norm: 1}}",
             sizes[_i], noises[k]);
    run_torus(system, "random: {generator: threefry}\nstudy: {kind: trajectory, step: 2^-6, steps: "
                      "16}");
    s[k] = recorded_series("state");
  }
  const int64_t n = s[0].records * s[0].numbers;
  ck_assert(memcmp(s[0].value, s[1].value, (size_t)n * sizeof(double)) == 0);
  ck_assert(s[0].value[0] != s[0].value[n - s[0].numbers]);
  free(s[0].value);
  free(s[1].value);
}

/* The Ito drift of a sum of waves: by Euler-Maruyama and by Heun's scheme, which needs none, a path
   ends at the same state, up to errors of order 1/2. */
TEST(ito_drift_of_sums_of_waves) {
  static const char *const schemes[] = {"heun", "euler_maruyama"};
  char system[400], rest[300];
  series s[2];
  double distance = 0, moved = 0;
  snprintf(system, sizeof system,
           "N: %d, noise: {amplitude: %g, fields: [[1, 1, 0, 1], [1, 0, 1, -0.7], [1, -1, 1, 0.5], "
           "[2, 1, 1, 1], [2, -1, -1, 1]]}, initial: {random: {seed: 2, norm: 1e-9, lmax: 2}}",
           sizes[_i], 0.25);
  for (int k = 0; k < 2; k++) {
    snprintf(rest, sizeof rest,
             "integrator: {name: %s}\nrandom: {generator: threefry}\nstudy: {kind: trajectory, "
             "step: 2^-11, steps: 2048, every: 2048}",
             schemes[k]);
    run_torus(system, rest);
    s[k] = recorded_series("state");
  }
  for (int64_t i = 0; i < s[0].numbers; i++) {
    distance += pow(s[0].value[s[0].numbers + i] - s[1].value[s[0].numbers + i], 2);
    moved += pow(s[0].value[s[0].numbers + i] - s[0].value[i], 2);
  }
  ck_assert_msg(sqrt(distance) <= 0.1 * sqrt(moved) && sqrt(moved) >= 1e-10,
                "distance %g, moved %g", sqrt(distance), sqrt(moved));
  free(s[0].value);
  free(s[1].value);
}

/* ---- damping and forcing ---- */

TEST_OVER(friction_scales_casimirs, 2) {
  assert_friction_scales_casimirs(
      "sine_euler", sizes[_i],
      "noise: {amplitude: 0.1, modes: [[1, 0], [0, 1]]}, initial: {random: {seed: 1, norm: 1}}",
      1e-12);
}

/* omega_n as dw = (-lambda w + f) dt has it; the wave 2 sin(x2 - x1) is no part of the real one of
   n = (1, -1). */
TEST_OVER(damping_and_steady_forcing_are_exact, 2) {
  static const char observables[] =
      "{a: \"1e12*re_omega(1,0)\"}, {b: \"1e12*im_omega(1,0)\"}, {c: \"1e12*re_omega(1,-1)\"}, {d: "
      "\"1e12*im_omega(1,-1)\"}, {e: \"1e12*re_omega(2,1)\"}";
  const double nu = 0.03, mu = 0.1, f = 2;
  char system[400], study[500];
  snprintf(system, sizeof system,
           "N: %d, damping: {viscosity: %g, power: 2, friction: %g}, forcing: {steady: [[1, 0, "
           "2e-12], [-1, 1, 2e-12]]}, initial: {random: {seed: 3, norm: 1e-12, lmax: 3}}",
           sizes[_i], nu, mu);
  snprintf(study, sizeof study,
           "study: {kind: trajectory, step: 2^-3, steps: 8, observables: [%s]}", observables);
  run_torus(system, study);
  for (int i = 0; i < 5; i++) {
    static const int squares[] = {1, 1, 2, 2, 5}, forced[] = {1, 0, 0, -1, 0};
    series s = recorded_series((const char[]){(char)('a' + i), 0});
    const double rate = nu * squares[i] * squares[i] + mu,
                 wanted = s.value[0] * exp(-rate) + forced[i] * f * (1 - exp(-rate)) / rate;
    ck_assert(s.value[0] != 0);
    assert_near(s.value[s.records - 1], wanted, 1e-11, "omega");
    free(s.value);
  }
}

/* Energy that white forcing brings is rate t in the mean, and chi^2 of as many degrees of freedom
   as modes have parts; levels of one path have the same forcing. */
TEST(white_forcing_is_an_ornstein_uhlenbeck_process) {
  enum { PATHS = 800 };
  const double rate = 1e-24;
  cas_results r;
  cas_error err;
  bool any = false;
  cas_status st = run_text(
      MPI_COMM_WORLD, &r, &err,
      "system: {name: sine_euler, N: 5, damping: {viscosity: 0.05, friction: 0.5}, forcing: "
      "{white: "
      "{lmin: 1, lmax: 2, rate: 1e-24}}, initial: {random: {seed: 1, norm: 1e-12}}}\nstudy: {kind: "
      "convergence, strong: true, functionals: [energy], coarsest_step: 2^-2, coarsest_steps: 4, "
      "levels: 2, reference: 3, paths: 64}\n");
  ck_assert_msg(!st || st == CAS_CHECK_FAILED, "%s", err.text);
  for (int i = 0; i < cas_results_curves(&r); i++) {
    const cas_curve *c = cas_results_curve(&r, i);
    for (int j = 0; !c->mean && j < c->levels; j++, any = true)
      ck_assert_msg(c->error[j] <= 1e-23, "level %d: %g", j, c->error[j]);
  }
  ck_assert(any);
  cas_results_free(&r);
  run_well(&r,
           "system: {name: sine_euler, N: 5, forcing: {white: {lmin: 1, lmax: 2, rate: "
           "1e-24}}, initial: {random: {seed: 1, norm: 1e-18}}}\nstudy: {kind: ensemble, "
           "step: 2^-3, steps: 8, every: 8, paths: %d, bins: 0, observables: "
           "[hamiltonian]}\n",
           PATHS);
  cas_results_free(&r);
  const series mean = stored_series("/ensemble/hamiltonian/mean");
  /* modes of |n|^2 = 1, 2, 4, 5 have 20 parts in all */
  assert_near(mean.value[mean.records - 1] / rate, 1, 4 * sqrt(2.0 / 20 / PATHS), "energy");
  free(mean.value);
}

/* Pairs of levels with paths of their own share the forcing, too, and so do swapped halves where
   nothing is damped: differences of small states are those of the drift. */
TEST(pairs_of_levels_share_forcing) {
  cas_results r;
  cas_error err;
  cas_status st = run_text(
      MPI_COMM_WORLD, &r, &err,
      "system: {name: sine_euler, N: 5, forcing: {white: {lmin: 1, "
      "lmax: 2, rate: 1e-20}}, initial: {random: {seed: 1, norm: 1e-12}}}\nrandom: {generator: "
      "threefry}\nstudy: {kind: weak_multilevel, coarsest_step: 2^-2, coarsest_steps: 4, levels: "
      "3, "
      "paths: 64, functionals: [energy]}\n");
  ck_assert_msg(!st || st == CAS_CHECK_FAILED, "%s", err.text);
  const cas_differences *d = &cas_results_multilevel(&r)->functional[0];
  for (int l = 0; l < 3; l++)
    ck_assert_msg(fabs(d->difference[l]) <= 1e-28 && d->standard_error[l] <= 1e-28,
                  "level %d: %g +- %g", l, d->difference[l], d->standard_error[l]);
  cas_results_free(&r);
}

TEST_OVER(balances_close_to_second_order, 2) {
  char system[400], study[300];
  double rest[2][2];
  snprintf(
      system, sizeof system,
      "N: %d, damping: {viscosity: 0.01, power: 1.5, friction: 0.3}, forcing: {steady: [[2, 1, "
      "0.5], [-1, 1, 1]]}, initial: {random: {seed: 1, norm: 2, lmax: 3}}",
      sizes[_i]);
  for (int k = 0; k < 2; k++) {
    snprintf(study, sizeof study,
             "integrator: {tolerance: 1e-14}\nstudy: {kind: trajectory, step: 2^-%d, steps: %d, "
             "observables: [energy_spectrum, energy_balance, enstrophy_spectrum, "
             "enstrophy_balance]}",
             6 + k, 16 << k);
    run_torus(system, study);
    rest[0][k] = left_over("energy_spectrum", "energy_balance", 1.0 / (64 << k));
    rest[1][k] = left_over("enstrophy_spectrum", "enstrophy_balance", 1.0 / (64 << k));
  }
  for (int i = 0; i < 2; i++)
    ck_assert_msg(fabs(log2(rest[i][0] / rest[i][1]) - 2) < 0.1, "balance %d leaves %g, then %g", i,
                  rest[i][0], rest[i][1]);
}

/* ---- numbers ---- */

TEST(bands_and_points) {
  run_torus("N: 5, grid: 8, initial: {random: {seed: 1, norm: 1}}",
            "study: {kind: trajectory, step: 2^-6, steps: 2, observables: [hamiltonian, vorticity, "
            "{all: \"energy_of(1,3)\"}, {squares: \"enstrophy_of(1,3)\"}, {e: enstrophy}, {here: "
            "\"vorticity_at(90,-45)\"}]}");
  series map = recorded_series("vorticity");
  assert_near(last_of("all", 0), last_of("hamiltonian", 0), 1e-15, "all");
  assert_near(last_of("squares", 0), last_of("e", 0), 1e-15, "squares");
  /* x2 = 315 degrees is row 7, x1 = 90 column 2 */
  assert_near(last_of("here", 0), map.value[(map.records - 1) * 64 + 7 * 8 + 2], 1e-14, "here");
  free(map.value);
}

TEST(what_does_not_fit_is_refused) {
  static const char *const wrong[][2] = {
      {"noise: {fields: [[1, 3, 0, 1]]}",
       "system.noise.fields[0]: found [3, 0], must be integers from -2 to 2 for N = 5"},
      {"noise: {fields: [[2, 1, 0, 1], [2, 0, 1, 1]]}",
       "system.noise.fields: field 1 has no row, but field 2 has"},
      {"noise: {modes: [[1, 0]], fields: [[1, 1, 0, 1]]}",
       "system.noise: found both 'modes' and 'fields'"},
      {"noise: {fields: [[1, 1, 0]]}", "system.noise.fields: found rows of 3 numbers"},
      {"forcing: {steady: [[0, 0, 1]]}", "system.forcing.steady[0]: found n = [0, 0]"},
      {"forcing: {white: {lmin: 1, lmax: 4, rate: 1}}",
       "system.forcing.white: found 1 .. 4, must be ascending and at most the highest shell |n| = "
       "3"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    cas_results r;
    cas_error err;
    cas_status st = run_text(MPI_COMM_WORLD, &r, &err,
                             "system: {name: sine_euler, N: 5, %s, initial: {random: {seed: 1, "
                             "norm: 1}}}\nstudy: {kind: trajectory, step: 2^-6, steps: 1}\n",
                             wrong[i][0]);
    ck_assert_msg(st == CAS_BAD_INPUT && strstr(err.text, wrong[i][1]), "%s: %s", wrong[i][0],
                  err.text);
  }
}

RUN_TESTS_WITH_MPI
