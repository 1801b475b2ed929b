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

/* So many paths that every rank has chunks of its own, which hold up to 4096 paths. */
static void with_more_paths(const char *study, char *text, size_t size) {
  const char *paths = strstr(study, "paths: ") + strlen("paths: ");
  snprintf(text, size, STUDY_BODY "study: {%.*s%d}\n", (int)(paths - study), study,
           repetitions(40000));
  snprintf(text + strlen(text) - 2, size - strlen(text) + 2, "%s}\n",
           paths + strspn(paths, "0123456789"));
}

TEST_OVER(studies, EVERY_STUDY) {
  char text[1000];
  with_more_paths(every_study[_i], text, sizeof text);
  has_the_same_bits(text);
}

/* So few paths that all are held for exact quantiles, in blocks of one path. */
TEST(small_ensemble_of_large_matrices) {
  has_the_same_bits("system: {name: euler_zeitlin, N: 27, noise: {amplitude: 2}, initial: {random: "
                    "{seed: 7, norm: 12}}}\n"
                    "study: {kind: ensemble, step: 2^-6, steps: 4, every: 2, paths: 40, "
                    "observables: [energy, hamiltonian]}\n");
}

TEST(levels_of_several_sizes) {
  has_the_same_bits("system: {name: euler_zeitlin, N: 24, time_unit: physical, noise: {kind: "
                    "transport, amplitude: 0.1, modes: {lmin: "
                    "2, lmax: 3}}, initial: {random: {seed: 7, norm: 3, lmax: 3}}}\n"
                    "random: {generator: threefry}\n"
                    "study: {kind: mlmc, refine: {N: [6, 12, 24]}, coarsest_step: 2^-8, "
                    "coarsest_steps: 4, refinement: 2, epsilon: 0.01, pilot_paths: 64, "
                    "functionals: [energy]}\n");
}

/* Rounds of many chunks, which ranks take as they come; chunks of one block, which is not full, with
   members; and options of studies that have columns of their own. */
static const char *const of_chunks[] = {
    "kind: weak_multilevel, coarsest_step: 2^-3, coarsest_steps: 2, levels: 3, paths: 20000, "
    "functionals: [x1, sin2pi]",
    "kind: weak_multilevel, coarsest_step: 2^-3, coarsest_steps: 2, levels: 2, coupling: adjacent, "
    "relative_error: 0.05, functionals: [x1]",
    "kind: mlmc, epsilon: 2e-2, coarsest_step: 2^-3, coarsest_steps: 4, functionals: [x1], "
    "plain_paths: 3000",
    "kind: convergence, coarsest_step: 2^-3, coarsest_steps: 2, levels: 2, reference: 3, paths: "
    "10000, functionals: [x1]",
    "kind: ensemble, step: 2^-7, steps: 4096, every: 1024, paths: 65, members: 65, observables: "
    "[x1, "
    "hamiltonian, casimir_departure]",
    "kind: ensemble, step: 2^-7, steps: 8, every: 2, paths: 1, observables: [x1]",
    "kind: law, coarsest_step: 2^-3, coarsest_steps: 2, levels: 2, reference: 3, paths: 300, "
    "functionals: [x1, x3], range: [-1, 1], uniform: true",
    "kind: time_average, step: 2^-3, steps: 512, from: 5, paths: 1, observables: [x1, x2]"};

TEST_OVER(chunks, sizeof of_chunks / sizeof *of_chunks) {
  char text[1000];
  snprintf(text, sizeof text, STUDY_BODY "study: {%s}\n", of_chunks[_i]);
  has_the_same_bits(text);
}

static void recorded_alike(const char *text) {
  run_well(NULL, "%s", text);
  series all = recorded_series("state");
  cas_results r;
  cas_meet(MPI_COMM_WORLD);
  MUST(run_text(MPI_COMM_SELF, &r, &err, "%s", text));
  series alone = recorded_series("state");
  ck_assert(same_series(&all, &alone));
  cas_meet(MPI_COMM_WORLD);
}

static void system_has_the_same_bits(const char *system, const char *functional) {
  static const char *const studies_of[] = {
      "strong, coarsest_step: 2^-6, coarsest_steps: 2, levels: 2, reference: 3",
      "weak_multilevel, coarsest_step: 2^-6, coarsest_steps: 2, levels: 2, functionals: [%s]",
      "ensemble, step: 2^-6, steps: 4, every: 2, observables: [%s]"};
  char text[2000], study[300];
  for (size_t i = 0; i < sizeof studies_of / sizeof *studies_of; i++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(study, sizeof study, studies_of[i], functional);
#pragma GCC diagnostic pop
    snprintf(text, sizeof text, "system: {%s}\nstudy: {kind: %s, paths: 130}\n", system, study);
    has_the_same_bits(text);
  }
  snprintf(text, sizeof text,
           "system: {%s}\nstudy: {kind: trajectory, step: 2^-6, steps: 4, paths: 70}\n", system);
  recorded_alike(text);
}

TEST_OVER(systems, count_systems()) {
  const cas_system *s = cas_kernels_get()->systems[_i];
  char system[1000];
  snprintf(system, sizeof system, "name: %s, %s, %s", s->name, s->example.keys, s->example.noise);
  system_has_the_same_bits(system, s->functionals[0].name);
}

TEST(attitudes) {
  system_has_the_same_bits("name: rigid_body, inertia: [2, 1, 0.5], attitude: true, noise: {kind: "
                           "quadratic, sigma: 0.3}",
                           "energy");
}

RUN_TESTS_WITH_MPI
