/* Every study and every system has on several ranks, to the last bit, the numbers that it has on
   one: what tests of statistics find on one rank holds on all. */
/* ranks: 2 3 */
/* lane: slow */
/* needs: sprng */
#include "files/results/results_file.h"
#include "results_fixture.h"
#include "study_fixture.h"

/* seconds are those of a machine */
static void take_seconds(const cas_results *from, cas_results *to) {
  cas_multilevel *a = cas_results_mlmc(to);
  const cas_multilevel *b = cas_results_mlmc(from);
  if (!a || !b)
    return;
  a->seconds = b->seconds;
  a->predicted.seconds = b->predicted.seconds;
  a->plain.seconds = b->plain.seconds;
}

static void has_the_same_bits(const char *text) {
  cas_results all, alone;
  cas_error err;
  run_well(&all, "%s", text);
  cas_meet(MPI_COMM_WORLD);
  const cas_status st = run_text(MPI_COMM_SELF, &alone, &err, "%s", text);
  ck_assert_msg(!st, "%s: %s", text, err.text);
  take_seconds(&all, &alone);
  ck_assert_msg(on_all(cas_tables_equal(&all, &alone)), "%s", text);
  /* what a longer run goes on from, which rank 0 alone has */
  ck_assert_msg(on_all(all.restart_size == alone.restart_size &&
                       !memcmp(all.restart, alone.restart, all.restart_size)),
                "%s: /restart differs", text);
  assert_same_health(&all.health, &alone.health);
  cas_meet(MPI_COMM_WORLD);
}

/* Initial states of single paths; with paths for chunks of every rank, which hold up to 4096, and
   with those of the study, of which initial states alone are random. */
#define EACH(noise)                                                 \
  "system: {name: rigid_body, inertia: [2, 1, 0.5], noise: {" noise \
  "}, initial: {random: {seed: 1, norm: 1}, each: path}}\n"

TEST_OVER(studies, 2 * EVERY_STUDY) {
  const char *study = study_here(_i / 2), *paths = strstr(study, "paths: ") + strlen("paths: ");
  if (_i % 2)
    has_the_same_bits(formatted(EACH("kind: none") "study: {%s}\n", study));
  else
    has_the_same_bits(formatted(EACH("kind: quadratic, sigma: 0.5") "study: {%.*s%d%s}\n",
                                (int)(paths - study), study, repetitions(40000),
                                paths + strspn(paths, "0123456789")));
}

/* Rounds of many chunks, which ranks take as they come; chunks of one block, which is not full,
   with members; options of studies that have columns of their own; so few paths that all are held
   for exact quantiles, in blocks of one path; and levels of several sizes. */
static const char *const chunks_of[] = {
    STUDY_BODY "study: {kind: weak_multilevel, coarsest_step: 2^-3, coarsest_steps: 2, levels: 3, "
               "paths: 20000, functionals: [x1, sin2pi]}",
    STUDY_BODY "study: {kind: weak_multilevel, coarsest_step: 2^-3, coarsest_steps: 2, levels: 2, "
               "coupling: adjacent, relative_error: 0.05, functionals: [x1]}",
    STUDY_BODY "study: {kind: mlmc, epsilon: 2e-2, coarsest_step: 2^-3, coarsest_steps: 4, "
               "functionals: [x1], plain_paths: 3000}",
    EACH("kind: quadratic, sigma: 0.2") "study: {kind: mlmc, coarsest_step: 2^-4, coarsest_steps: "
                                        "4, pilot_paths: 128, epsilon: 0.02, functionals: [x1]}",
    STUDY_BODY "study: {kind: convergence, coarsest_step: 2^-3, coarsest_steps: 2, levels: 2, "
               "reference: 3, paths: 10000, functionals: [x1]}",
    "system: {name: sliding_disk, amplitude: 2, temperature: 0.5, s: 0.5, friction: 0.1, initial: "
    "{random: {seed: 9, law: gibbs}, each: path}}\nstudy: {kind: ensemble, step: 2^-6, steps: 1, "
    "every: 1, paths: 500, observables: [{c: cos(x)}, {p: p_x}]}",
    STUDY_BODY "study: {kind: ensemble, step: 2^-7, steps: 4096, every: 1024, paths: 65, members: "
               "65, observables: [x1, hamiltonian, casimir_departure]}",
    STUDY_BODY "study: {kind: ensemble, step: 2^-7, steps: 8, every: 2, paths: 1, observables: "
               "[x1]}",
    STUDY_BODY "study: {kind: ensemble, step: 2^-7, steps: 8, every: 2, paths: 400, path_groups: "
               "4, observables: [angular_momentum, x1]}",
    STUDY_BODY "study: {kind: law, coarsest_step: 2^-3, coarsest_steps: 2, levels: 2, reference: "
               "3, paths: 300, functionals: [x1, x3], range: [-1, 1], uniform: true}",
    STUDY_BODY "study: {kind: time_average, step: 2^-3, steps: 512, from: 5, paths: 1, "
               "observables: [x1, x2]}",
    "system: {name: euler_zeitlin, N: 27, noise: {amplitude: 2}, initial: {random: {seed: 7, norm: "
    "12}}}\nstudy: {kind: ensemble, step: 2^-6, steps: 4, every: 2, paths: 40, observables: "
    "[energy, hamiltonian]}",
    "system: {name: euler_zeitlin, N: 24, time_unit: physical, noise: {kind: transport, amplitude: "
    "0.1, modes: {lmin: 2, lmax: 3}}, initial: {random: {seed: 7, norm: 3, lmax: 3}}}\n"
    "random: {generator: threefry}\nstudy: {kind: mlmc, refine: {N: [6, 12, 24]}, coarsest_step: "
    "2^-8, coarsest_steps: 4, refinement: 2, epsilon: 0.01, pilot_paths: 64, functionals: "
    "[energy]}"};

TEST_OVER(chunks, sizeof chunks_of / sizeof *chunks_of) { has_the_same_bits(chunks_of[_i]); }

TEST_OVER(systems, count_systems() + 1) {
  static const char *const studies_of[] = {
      "convergence, coarsest_step: 2^-6, coarsest_steps: 2, levels: 2, reference: 3, functionals",
      "weak_multilevel, coarsest_step: 2^-6, coarsest_steps: 2, levels: 2, functionals",
      "ensemble, step: 2^-6, steps: 4, every: 2, observables"};
  const cas_system *s = cas_kernels_get()->systems[_i]; /* behind the last: attitudes */
  const char *system = s ? example_of(s)
                         : "name: rigid_body, inertia: [2, 1, 0.5], attitude: true, noise: {kind: "
                           "quadratic, sigma: 0.3}",
             *trajectory = formatted("system: {%s}\nstudy: {kind: trajectory, step: 2^-6, steps: "
                                     "4, paths: 70}\n",
                                     system);
  for (int i = 0; i < 3; i++)
    has_the_same_bits(formatted("system: {%s}\nstudy: {kind: %s: [%s], paths: 130}\n", system,
                                studies_of[i], s ? s->functionals[0].name : "energy"));
  cas_results r;
  run_well(NULL, "%s", trajectory);
  const series all = recorded_series("state");
  cas_meet(MPI_COMM_WORLD);
  MUST(run_text(MPI_COMM_SELF, &r, &err, "%s", trajectory));
  const series alone = recorded_series("state");
  ck_assert_msg(same_series(&all, &alone), "%s", system);
  cas_meet(MPI_COMM_WORLD);
}

RUN_TESTS_WITH_MPI
