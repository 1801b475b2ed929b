/* Studies whose levels differ in the size of a fluid: the levels are the runs of each N alone, the
   errors fall like N^-2, and the sum over levels is the mean at the largest N. */
/* ranks: 1 3 */
#include "files/results/result.h"
#include "study_fixture.h"

#define FIELD                                                                                 \
  "initial: {random: {seed: 1, norm: 3, lmin: 2, lmax: 3}}}\nrandom: {generator: threefry}\n" \
  "integrator: {}\n"
#define SYSTEM \
  "system: {name: euler_zeitlin, N: %d, time_unit: physical, rotation: 2, noise: {%s}, " FIELD
#define TRANSPORT "kind: transport, amplitude: 0.1, modes: {lmin: 3, lmax: 3}"
#define SPHERE \
  "[energy, {at: \"vorticity_at(30,40)\"}, {e3: \"enstrophy_of(3,3)\"}, hamiltonian_departure]"

/* ---- levels ---- */

/* Modal noise has more modes at every N, of the others there are as many; with lamb even the energy
   of the initial field depends on N. */
static const struct {
  const char *system, *functionals;
  int size[3];
} runs[] = {
    {"name: euler_zeitlin, time_unit: physical, rotation: 2, noise: {" TRANSPORT "}",
     SPHERE,
     {6, 12, 24}},
    {"name: euler_zeitlin, time_unit: physical, noise: {amplitude: 2, lmin: 2}",
     SPHERE,
     {6, 12, 24}},
    {"name: euler_zeitlin, time_unit: physical, lamb: 50, topography: [[3, 2, 1]]",
     SPHERE,
     {6, 12, 24}},
    {"name: euler_zeitlin, time_unit: physical, damping: {viscosity: 0.1}, forcing: {white: {lmin: "
     "2, lmax: 3, rate: 1}}",
     SPHERE,
     {6, 12, 24}},
    {"name: sine_euler, noise: {amplitude: 0.3, modes: [[1, 1], [0, 2]]}, damping: {viscosity: 1}, "
     "forcing: {white: {lmin: 1, lmax: 2, rate: 1}}",
     "[energy, {e2: \"enstrophy_of(2,2)\"}, hamiltonian_departure]",
     {5, 11, 25}}};

TEST_OVER(levels_are_the_runs_of_each_size, (int)(sizeof runs / sizeof *runs)) {
  const int *size = runs[_i].size;
  cas_results levels;
  run_well(&levels,
           "system: {%s, N: %d, " FIELD "study: {kind: weak, refine: {N: [%d, %d, %d]}, "
           "coarsest_step: 2^-10, coarsest_steps: 16, paths: 20, functionals: %s}\n",
           runs[_i].system, size[2], size[0], size[1], size[2], runs[_i].functionals);
  ck_assert_int_eq(levels.levels, 2);
  for (int k = 0; k < 3; k++) {
    ck_assert_int_eq(cas_results_size(&levels, k), size[k]);
    run_well(NULL,
             "system: {%s, N: %d, " FIELD "study: {kind: ensemble, step: 2^-10, steps: 16, times: "
             "[0.015625], paths: 20, bins: 0, observables: %s}\n",
             runs[_i].system, size[k], runs[_i].functionals);
    for (int i = 0; i < cas_results_curves(&levels); i++) {
      const cas_curve *c = cas_results_curve(&levels, i);
      char name[60];
      snprintf(name, sizeof name, "/ensemble/%.40s/mean", c->name);
      assert_near(c->mean.value[k], last_of(name, 0), 1e-12, name);
    }
  }
}

/* Behind the components of a path by itself there are zeros up to a whole vector, as with N = 6. In
   workspace of another size they would grow from step to step. */
TEST(no_level_reads_what_another_size_has_written) {
  cas_results levels;
  run_well(&levels,
           SYSTEM "study: {kind: weak, refine: {N: [6, 12]}, coarsest_step: 2^-12, coarsest_steps: "
                  "800, paths: 3, functionals: [energy]}\n",
           12, TRANSPORT);
  const double mean = cas_results_curve(&levels, 0)->mean.value[0];
  ck_assert_int_eq(levels.health.second_method[0], 0);
  run_well(NULL,
           SYSTEM "study: {kind: ensemble, step: 2^-12, steps: 800, times: [0.1953125], paths: 3, "
                  "bins: 0, observables: [energy]}\n",
           6, TRANSPORT);
  assert_near(mean, last_of("/ensemble/energy/mean", 0), 1e-12, "energy");
}

/* ---- orders ---- */

/* Steps are so small that the error of N is seen; without noise a longer time is. */
static const struct {
  const char *noise, *steps, *functionals;
} cases[] = {{"amplitude: 0", "coarsest_step: 2^-13, coarsest_steps: 32, paths: 1",
              "{e3: \"enstrophy_of(3,3)\"}"},
             {TRANSPORT, "coarsest_step: 2^-13, coarsest_steps: 16, paths: 24",
              "energy, {e3: \"enstrophy_of(3,3)\"}"}};

TEST_OVER(errors_fall_like_the_square_of_the_size,
          on_one_rank(all_or((int)(sizeof cases / sizeof *cases), 1))) {
  const cas_results *r = results_of(
      SYSTEM "study: {kind: convergence, refine: {N: [8, 16, 32, 64]}, %s, functionals: [%s]}\n",
      64, cases[_i].noise, cases[_i].steps, cases[_i].functionals);
  for (int i = 0; i < cas_results_curves(r); i++) {
    const cas_curve *c = cas_results_curve(r, i);
    ck_assert_double_eq(c->expected_order, 1);
    for (int l = 0; l + 1 < c->levels; l++) {
      const double exact = (pow(4, 3 - l) - 1) / (pow(4, 2 - l) - 1); /* of c (N^-2 - 64^-2) */
      assert_near(c->error.value[l] / c->error.value[l + 1] / exact, 1, 0.1,
                  formatted("%s: the ratio of errors of N = %d and %d to that of the law", c->name,
                            8 << l, 16 << l));
    }
  }
}

/* With smaller steps at larger N orders are in the step size: those of the scheme, or that of N^-2
   where it is less. */
TEST_OVER(orders_of_theory, on_one_rank(5)) {
  static const int refinement[] = {1, 2, 4, 2, 4}, order[] = {1, 1, 1, 2, 1};
  const cas_results *r = results_of(
      SYSTEM "study: {kind: weak_multilevel, refine: {N: [6, 12, 24]}, coarsest_step: 2^-8, "
             "coarsest_steps: 2, refinement: %d, paths: 4, functionals: [energy]}\n",
      24, _i < 3 ? TRANSPORT : "amplitude: 0", refinement[_i]);
  ck_assert_double_eq(cas_results_multilevel(r)->functional[0].expected_order, order[_i]);
  for (int k = 0; k < 3; k++) {
    const double h = ldexp(1, -8) / pow(refinement[_i], k), N = 6 << k;
    ck_assert_double_eq(r->time_step[k], h);
    assert_near(r->step[k], refinement[_i] > 1 ? h : 1 / (N * N), 1e-15, "step");
  }
}

/* More sizes, without keys that contradict them, or more paths; mlmc has no more levels than N. */
TEST_OVER(advice_is_of_sizes, on_one_rank(4)) {
  static const char *const all[][2] = {
      {"mlmc, refine: {N: [6, 12]}, epsilon: 10, pilot_paths: 16", ""},
      {"weak_multilevel, refine: {N: [6, 12]}, paths_by_level: [4]", ""},
      {"weak, refine: {N: [6, 12]}, levels: 1, paths: 4",
       "--set 'study.refine.N=[6,12,24,48,96]' --set system.N=96 --set study.levels=null"},
      {"weak_multilevel, refine: {N: [4, 8, 16, 32, 64]}, paths: 4", "--set study.paths=24"}};
  const cas_results *r = results_of(
      SYSTEM "study: {kind: %s, coarsest_step: 2^-8, coarsest_steps: 2, functionals: [energy]}\n",
      _i < 3 ? 12 : 64, TRANSPORT, all[_i][0]);
  cas_frame own = {0};
  PRINTED(text, cas_results_print(f, r));
  ck_assert_str_eq(cas_result_of(r, &own, &last_said)->advice, all[_i][1]);
  cas_frame_free(&own);
  ck_assert_msg(has_words(text, "differ in N; h stands for N^-2 in laws and orders"), "%s", text);
}

/* ---- sums over levels ---- */

#define E3 "functionals: [{e3: \"enstrophy_of(3,3)\"}]}\n"

TEST(sums_over_levels_are_means_at_the_largest_size) {
  run_well(NULL,
           SYSTEM "study: {kind: ensemble, step: 2^-10, steps: 16, times: [0.015625], paths: %d, "
                  "bins: 0, observables: [{e3: \"enstrophy_of(3,3)\"}]}\n",
           24, TRANSPORT, repetitions(1600));
  const double mean = last_of("/ensemble/e3/mean", 0),
               error = last_of("/ensemble/e3/standard_error", 0);
  for (int refinement = 1; refinement <= 2; refinement++) {
    const cas_multilevel *m = mlmc_of(
        SYSTEM "study: {kind: mlmc, refine: {N: [6, 12, 24]}, %s, refinement: %d, epsilon: %g, "
               "theta: 0.9, pilot_paths: %d, " E3,
        24, TRANSPORT,
        refinement == 1 ? "coarsest_step: 2^-10, coarsest_steps: 16"
                        : "coarsest_step: 2^-8, coarsest_steps: 4",
        refinement, 3 * error, repetitions(512));
    ck_assert(m->levels == 3 && m->reached);
    ck_assert_str_eq(m->coupling, refinement == 1 ? "adjacent" : "antithetic");
    assert_near(m->functional[0].estimate.value, mean,
                4 * hypot(error, m->functional[0].estimate.standard_error), "e3 of mlmc");
    ck_assert(m->work[2] > 5 * m->work[1]); /* as matrices are larger */
  }
  const cas_curve *d =
      &multilevel_of(SYSTEM "study: {kind: weak_multilevel, refine: {N: [6, 12, 24]}, "
                            "coarsest_step: 2^-10, coarsest_steps: 16, paths: %d, " E3,
                     24, TRANSPORT, all_or(400, 128))
           ->functional[0];
  assert_near(d->coupled.fine.mean[1], mean, 4 * hypot(error, d->coupled.fine.standard_error[1]),
              "e3 at N = 24");
  ck_assert(d->difference.value[0] > 10 * d->difference.standard_error[0]);
  ck_assert(d->coupled.variance[0] > 10 * d->coupled.variance[1]); /* like N^-4 */
}

/* ---- what is refused ---- */

#define FLUID "euler_zeitlin, N: 24, time_unit: physical"
#define RANDOM(lmax) "initial: {random: {seed: 1, norm: 1, lmax: " lmax "}}"
#define OF_24 FLUID ", noise: {" TRANSPORT "}, " RANDOM("3")

/* Keys of the study, and systems that levels of several N do not go with. */
static const char *const refused[][3] = {
    {OF_24, "refine: {N: [6, 12, 18]}", "must have the ratio of the first two"},
    {OF_24, "refine: {N: [6, 12]}", "system.N: found 24, must be the last of study.refine.N, 12"},
    {OF_24, "refine: {N: [24, 12]}", "must ascend"},
    {OF_24, "refine: {N: [24]}", "must be 2 to 32"},
    {OF_24, "refine: {N: [12, 24]}, levels: 3", "study.levels: found 3, must be absent or 1"},
    {OF_24, "refine: {N: [12, 24]}, reference: 3", "study.reference: must be absent"},
    {OF_24, "refine: {N: [3, 24]}", "must be ascending and at most N - 1 = 2"},
    {OF_24, "levels: 2, reference: 3, refinement: 1",
     "study.refinement: found 1, must be at least 2"},
    {OF_24, "refine: {N: [6, 12, 24]}, refinement: 3",
     "study.refinement: found 3, must be 1, 2 or 4"},
    {OF_24, "levels: 2", "'reference' is missing"},
    {OF_24, "reference: 2", "'levels' is missing"},
    {"rigid_body, inertia: [1, 2, 3]", "refine: {N: [12, 24]}", "system rigid_body has one size"},
    {"euler_zeitlin, N: 24, " RANDOM("3"), "refine: {N: [12, 24]}",
     "system.time_unit: found paper"},
    {FLUID ", noise: {amplitude: 1}, " RANDOM("3"), "refine: {N: [12, 24]}",
     "system.noise: begins with another mode"},
    {FLUID ", " RANDOM("15"), "refine: {N: [12, 24]}",
     "found 15, must be at most N - 1 = 11 (at N = 12 of study.refine)"},
    {"sine_euler, N: 25, forcing: {white: {lmin: 8, lmax: 8, rate: 1}}, " RANDOM("3"),
     "refine: {N: [11, 25]}", "system.forcing.white"}};

TEST_OVER(what_is_refused, (int)(sizeof refused / sizeof *refused)) {
  is_refused(0, refused[_i][2],
             "system: {name: %s}\nrandom: {generator: threefry}\nstudy: {kind: strong, "
             "coarsest_step: 2^-10, coarsest_steps: 2, paths: 1, %s}\n",
             refused[_i][0], refused[_i][1]);
}

RUN_TESTS_WITH_MPI
