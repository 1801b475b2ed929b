/* Sums of waves as noise of the sine-bracket Euler equations, numbers, and what is refused. */
/* ranks: 1 */
/* needs: sprng */
#include "study_fixture.h"

#include <math.h>

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
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    is_refused(0, wrong[i][1],
               "system: {name: sine_euler, N: 5, %s, initial: {random: {seed: 1, norm: 1}}}\n"
               "study: {kind: trajectory, step: 2^-6, steps: 1}\n",
               wrong[i][0]);
}

RUN_TESTS_WITH_MPI
