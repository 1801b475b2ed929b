/* Initial states of single paths: functions of the seed and the path alone, in every study. */
/* ranks: 1 2 3 */
/* needs: sprng */
#include "study_fixture.h"

/* The states that `paths` paths of a system begin at, and their states after 4 steps. */
static void run_paths(const cas_system *s, const char *initial, const char *generator, int paths,
                      series *first, series *last) {
  cas_results r;
  cas_config *config = configuration(
      "system: {%s}\nrandom: {generator: %s}\nstudy: {kind: trajectory, step: 2^-8, steps: 4, "
      "paths: %d, observables: [hamiltonian_departure, casimir_departure]}\n",
      example_of(s), generator, paths);
  MUST(cas_config_set(config, formatted("system.initial=%s", initial), &err));
  MUST(run_shared(config, &(cas_run_request){.output = "results.h5"}, MPI_COMM_WORLD, &r, &err));
  *first = stored_series("/initial/state");
  *last = stored_series("/trajectory/state");
  ck_assert_int_eq(first->records, paths);
  ck_assert_int_eq(last->numbers, paths * first->numbers);
  ck_assert_mem_eq(first->value, last->value,
                   (size_t)last->numbers * sizeof(double)); /* record 0 */
  const series departure = stored_series("/trajectory/hamiltonian_departure");
  for (int p = 0; p < paths; p++)
    ck_assert(departure.value[p] == 0);
}

/* Packing a state of a file may change its last bits. */
static bool same(const double *a, const double *b, int64_t n, bool packed) {
  for (int64_t i = 0; i < n; i++)
    if (!(fabs(a[i] - b[i]) <= (packed ? 1e-12 : 0)))
      return false;
  return true;
}

/* A number of paths, the generator and the ranks change no state, another seed changes all; the
   states, given back as a stack of whole blocks, give the same paths, also where the study has
   fewer. */
TEST(states_are_functions_of_seed_and_path) {
  static const char drawn[] = "{random: {seed: 3, norm: 1}, each: path, keep: true}";
  for (const cas_system *const *s = cas_kernels_get()->systems; *s; s++) {
    series few[2], many[2], other[2], again[2];
    if (!(*s)->initial.random)
      continue;
    run_paths(*s, drawn, "threefry", 5, &few[0], &few[1]);
    run_paths(*s, drawn, "sprng_lcg64", 70, &many[0], &many[1]);
    const int64_t n = few[0].numbers;
    ck_assert_msg(same(few[0].value, many[0].value, 5 * n, false), "%s", (*s)->name);
    for (int p = 1; p < 70; p++)
      ck_assert_msg(!same(many[0].value, many[0].value + p * n, n, false), "%s", (*s)->name);
    run_paths(*s, "{random: {seed: 4, norm: 1}, each: path, keep: true}", "threefry", 5, &other[0],
              &other[1]);
    ck_assert_msg(!same(few[0].value, other[0].value, n, false), "%s", (*s)->name);
    run_paths(*s, drawn, "threefry", 128, &many[0], &many[1]);
    keep_as("stack.h5");
    run_paths(*s, "{file: stack.h5, dataset: /initial/state, each: path, keep: true}", "threefry",
              69, &again[0], &again[1]);
    for (int t = 0; t < 5; t++)
      ck_assert_msg(same(many[1].value + t * many[1].numbers, again[1].value + t * again[1].numbers,
                         again[1].numbers, (*s)->state.pack != NULL),
                    "%s: record %d", (*s)->name, t);
  }
}

#define TOP "name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: quadratic, sigma: 0.3}"

/* |x| = 1 and uniform on the sphere: each component has mean 0 and mean square 1/3, and x3 is
   uniform on [-1, 1], with quartiles at +-1/2. */
TEST_OF_MANY_PATHS_OVER(random_states_are_uniform_on_the_sphere, on_one_rank(1)) {
  const cas_ensemble *e = ensemble_of(
      "system: {" TOP ", initial: {random: {seed: 1, norm: 1}, each: path}}\n"
      "study: {kind: ensemble, step: 2^-6, steps: 1, every: 1, paths: 20000, quantiles: [0.25, "
      "0.75], observables: [x1, x2, x3, norm]}\n");
  for (int i = 0; i < 3; i++) {
    const cas_ensemble_observable *o = &e->observable[i];
    assert_near(o->mean.value[0], 0, 4.5 * sqrt(1.0 / 3 / 20000), o->name);
    assert_near(o->variance.value[0], 1.0 / 3, 4.5 * sqrt(4.0 / 45 / 20000), o->name);
    assert_near(o->quantile.value[0], -0.5, 0.03, o->name);
    assert_near(o->quantile.value[1], 0.5, 0.03, o->name);
  }
}

/* ---- studies ---- */

/* Random initial states alone give errors to means; test_same_bits.c has this of every study. */
TEST(initial_states_alone_are_random) {
  const cas_curve *c = cas_results_find(
      results_of("system: {name: rigid_body, inertia: [2, 1, 0.5], initial: {random: {seed: 1, "
                 "norm: 1}, each: path}}\nstudy: {%s}\n",
                 section_of("weak")),
      "weak/x1");
  ck_assert(c->mean.standard_error[0] > 0.001 && c->error.standard_error[0] > 0);
}

/* Levels have streams of their own. Without noise E energy is that of the states alone. */
TEST(levels_have_states_of_their_own) {
  const cas_curve *d =
      &multilevel_of("system: {name: rigid_body, inertia: [2, 1, 0.5], initial: {random: {seed: 1, "
                     "norm: 1}, each: path}}\nstudy: {kind: weak_multilevel, coarsest_step: 2^-6, "
                     "coarsest_steps: 1, levels: 3, paths: 1000, functionals: [energy]}\n")
           ->functional[0];
  const double mean = (0.5 + 1 + 2) / 3, *found = d->coupled.fine.mean;
  for (int l = 0; l < 3; l++) {
    assert_near(found[l], mean, 4.5 * d->coupled.fine.standard_error[l], "energy");
    ck_assert(l == 0 || fabs(found[l] - found[l - 1]) > 1e-4);
  }
}

/* ---- refusals ---- */

TEST(what_has_no_state_for_each_is_refused) {
#define ONE_STEP "kind: trajectory, step: 1/8, steps: 1"
#define FEW_STATES "{file: few.h5, dataset: /initial/state, each: path"
  static const char *const wrong[][3] = {
      {"{random: {seed: 1, norm: 1}, keep: true}", ONE_STEP, "system.initial.keep"},
      {"{random: {seed: 1}, each: path}", ONE_STEP, "'norm' is missing"},
      {"{random: {seed: 1, law: gibbs}, each: path}", ONE_STEP, "system.initial.random.law"},
      {FEW_STATES "}", "kind: ensemble, step: 1/8, steps: 1, every: 1, paths: 4",
       "has states of 3 paths, the study needs 4"},
      {FEW_STATES ", index: 1}", ONE_STEP, "system.initial.index"},
      {FEW_STATES "}",
       "kind: weak_multilevel, coarsest_step: 1/8, coarsest_steps: 1, levels: 1, paths: 3, "
       "functionals: [energy]",
       "system.initial.each"},
  };
  run_well(NULL,
           "system: {" TOP ", initial: {random: {seed: 1, norm: 1}, each: path, keep: true}}\n"
           "study: {kind: trajectory, step: 2^-6, steps: 1, paths: 3}\n");
  keep_as("few.h5");
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    is_refused(0, wrong[i][2], "system: {" TOP ", initial: %s}\nstudy: {%s}\n", wrong[i][0],
               wrong[i][1]);
}

/* ---- laws of systems ---- */

/* A disk of density exp(4 cos x), by rejection, of any number of uniforms; momenta are normal. */
TEST_OF_MANY_PATHS_OVER(a_law_draws_as_many_numbers_as_it_needs, on_one_rank(1)) {
  static const double mean[] = {0.863522611, 0.784119347, 0.5, 0.25, 0};
  const cas_ensemble *e = ensemble_of(
      "system: {name: sliding_disk, amplitude: 2, temperature: 0.5, s: 0.5, friction: 0.1, "
      "initial: {random: {seed: 9, law: gibbs}, each: path}}\nstudy: {kind: ensemble, step: 2^-6, "
      "steps: 1, times: [0], paths: 20000, bins: 0, observables: [{c: cos(x)}, {square: "
      "cos(x)^2}, {p: p_x^2}, {q: p_theta^2}, {both: p_x*p_theta}]}\n");
  for (int i = 0; i < 5; i++)
    assert_near(e->observable[i].mean.value[0], mean[i],
                4.5 * e->observable[i].mean.standard_error[0], e->observable[i].name);
}

RUN_TESTS_WITH_MPI
