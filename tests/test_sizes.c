/* Fluids at several N: random states and Brownian paths are those of every N, whether paths go
   across the lanes of a block or one at a time. */
/* ranks: 1 */
#include "math/kernels/kernels.h"
#include "numbers.h"
#include "paths/noise/noise.h"
#include "study_fixture.h"

/* ---- states ---- */

/* Observables a, b, c and d of a system at several N, the last in blocks of one path. */
static const struct {
  const char *name, *functions;
  int lmax, N[3];
} systems[] = {
    {"euler_zeitlin",
     "{a: \"coefficient(2,-1)\"}, {b: \"coefficient(3,3)\"}, {c: \"coefficient(4,0)\"}, {d: "
     "\"enstrophy_of(2,4)\"}",
     4,
     {5, 16, 32}},
    {"sine_euler",
     "{a: \"re_omega(1,-2)\"}, {b: \"im_omega(2,1)\"}, {c: \"re_omega(0,2)\"}, {d: "
     "\"im_omega(2,-1)\"}",
     2,
     {5, 9, 31}},
};

TEST_OVER(random_fields_do_not_depend_on_N, (int)(sizeof systems / sizeof *systems)) {
  double first[4];
  for (int k = 0; k < 3; k++) {
    run_well(NULL,
             "system: {name: %s, N: %d, initial: {random: {seed: 7, norm: 3, lmin: 2, lmax: "
             "%d}}}\nintegrator: {}\nstudy: {kind: trajectory, step: 2^-20, steps: 1, every: 1, "
             "observables: [%s]}\n",
             systems[_i].name, systems[_i].N[k], systems[_i].lmax, systems[_i].functions);
    for (int i = 0; i < 4; i++) {
      const char name[2] = {(char)('a' + i), 0};
      const double value = recorded_series(name).value[0];
      first[i] = k ? first[i] : value;
      assert_near(value, first[i], 1e-13, name);
      ck_assert(fabs(value) > 1e-3);
    }
  }
}

/* ---- normals ---- */

static double *draw(int W, int first, int noises, int numbered, int64_t stream, int64_t step) {
  const cas_noise noise = {.kernels = cas_kernels_get(),
                           .generator = cas_kernels_find(cas_generator_list(), "threefry"),
                           .seed = 3,
                           .noises = noises,
                           .W = W,
                           .by_path = true,
                           .first = first,
                           .numbered = numbered};
  const size_t n = (size_t)cas_noise_draws(&noise);
  double *u = doubles(n), *z = doubles(n);
  cas_block_noise b;
  MUST(cas_block_noise_open(&noise, CAS_PURPOSE_PATHS, stream, &b, &err));
  MUST(cas_block_noise_step(&b, step, u, z, &err));
  cas_block_noise_close(&b);
  return z;
}

/* Path 21 as lane 5 of a block of 16, and by itself; the noises 10 .. 49 among those from 3 on, and
   the same numbers of a second set. */
TEST(normals_are_those_of_the_number_of_a_noise) {
  double *many = draw(16, 3, 2 * 60, 60, 16, 8), *few = draw(1, 10, 2 * 40, 40, 21, 8),
         *later = draw(1, 10, 2 * 40, 40, 21, 9), square = 0;
  for (int set = 0; set < 2; set++)
    for (int k = 0; k < 40; k++) {
      const double z = few[set * 40 + k];
      ck_assert_double_eq(many[(set * 60 + k + 7) * 16 + 5], z);
      ck_assert(z != later[set * 40 + k] && z != few[(1 - set) * 40 + k]);
      square += z * z;
    }
  ck_assert(square > 80 - 5 * sqrt(160) && square < 80 + 5 * sqrt(160));
}

/* ---- paths ---- */

/* Fields of degree 1 turn the sphere, at any N by the same turn in the limit of small steps. */
TEST(brownian_paths_do_not_depend_on_N) {
  double first[3];
  for (int k = 0; k < 3; k++) {
    run_well(NULL,
             "system: {name: euler_zeitlin, N: %d, time_unit: physical, noise: {kind: transport, "
             "amplitude: 0.5, modes: {lmin: 1, lmax: 1}}, initial: {coefficients: [[2, 0, "
             "1e-6]]}}\nintegrator: {}\nrandom: {generator: threefry}\nstudy: {kind: trajectory, "
             "paths: 3, step: 2^-12, horizon: %s, observables: [{a: "
             "\"1e6*coefficient(2,1)\"}]}\n",
             systems[0].N[k], looks_for_accesses() ? "2^-4, every: 256" : "0.25, every: 1024");
    for (int path = 0; path < 3; path++) {
      const double value = last_of("a", path);
      first[path] = k ? first[path] : value;
      assert_near(value, first[path], 1e-3, "coefficient(2,1)");
    }
    ck_assert(fabs(first[0] - first[1]) > 0.01 && fabs(first[1] - first[2]) > 0.01);
  }
}

/* ---- the law of spectra ---- */

/* Without drift, and noises of all modes of degree 4 with the amplitude 0.1, the mean enstrophies
   of the degrees 1 .. 8 at time 1/2, of 1 in degree 2: exp(M/2), M the rates at which degrees
   exchange enstrophy, from dense commutators of matrices in Python. */
static const struct {
  int N, paths, steps;
  double mean[8];
} laws[] = {{12,
             1024,
             256,
             {5.1885466e-05, 0.83313068, 0.051759956, 0.0061753465, 0.093621851, 0.0071539563,
              0.00040620405, 0.0072672865}},
            {24,
             128,
             128,
             {8.9487211e-05, 0.81639358, 0.052920957, 0.010182637, 0.085252127, 0.014078635,
              0.0031375032, 0.01187381}},
            {48,
             32,
             256,
             {9.9389563e-05, 0.81233701, 0.053171599, 0.011166561, 0.082154415, 0.015559649,
              0.0043411812, 0.01162939}}};

TEST_OF_MANY_PATHS_OVER(transport_noise_spreads_enstrophy_by_its_law,
                        (int)(sizeof laws / sizeof *laws)) {
  run_well(NULL,
           "system: {name: euler_zeitlin, N: %d, time_unit: physical, noise: {kind: transport, "
           "amplitude: 0.1, modes: {lmin: 4, lmax: 4}}, initial: {coefficients: [[2, 0, "
           "1e-8]]}}\nintegrator: {}\nrandom: {generator: threefry}\nstudy: {kind: ensemble, "
           "paths: %d, step: 1/%d, horizon: 0.5, times: [0.5], bins: 0, observables: "
           "[enstrophy_spectrum]}\n",
           laws[_i].N, repetitions(laws[_i].paths) > 16 ? repetitions(laws[_i].paths) : 16,
           laws[_i].steps);
  for (int l = 1; l <= 8; l++)
    assert_near(1e16 * last_of("/ensemble/enstrophy_spectrum/mean", l - 1), laws[_i].mean[l - 1],
                4e16 * last_of("/ensemble/enstrophy_spectrum/standard_error", l - 1),
                formatted("N = %d: mean enstrophy of degree %d", laws[_i].N, l));
}

RUN_TESTS_WITH_MPI
