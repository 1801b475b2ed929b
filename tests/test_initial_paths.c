/* Initial states of single paths: functions of the seed and the path alone, in every study. */
/* ranks: 1 2 3 */
/* needs: sprng */
#include "files/results/table.h"
#include "paths/problem/initial.h"
#include "study_fixture.h"

/* The states that `paths` paths of a system begin at, and their states after 4 steps. */
static void run_paths(const char *system, const char *initial, const char *generator, int paths,
                      series *first, series *last) {
  run_well(NULL,
           "system: {%s, initial: %s}\nrandom: {generator: %s}\n"
           "study: {kind: trajectory, step: 2^-8, steps: 4, paths: %d, observables: "
           "[hamiltonian_departure, casimir_departure]}\n",
           system, initial, generator, paths);
  *first = stored_series("/initial/state");
  *last = stored_series("/trajectory/state");
  ck_assert_int_eq(first->records, paths);
  ck_assert_int_eq(last->numbers, paths * first->numbers);
  ck_assert(memcmp(first->value, last->value, (size_t)last->numbers * sizeof(double)) ==
            0); /* record 0 */
  series departure = stored_series("/trajectory/hamiltonian_departure");
  for (int p = 0; p < paths; p++)
    ck_assert(departure.value[p] == 0);
}

static bool same(const double *a, const double *b, int64_t n) {
  return memcmp(a, b, (size_t)n * sizeof *a) == 0;
}

/* Packing a state of a file may change its last bits. */
static bool nearly(const double *a, const double *b, int64_t n, bool packed) {
  for (int64_t i = 0; i < n; i++)
    if (!(fabs(a[i] - b[i]) <= (packed ? 1e-12 : 0)))
      return false;
  return true;
}

/* Keys of a system without its own initial state. */
static const char *keys_of(const cas_system *s) {
  char *text = formatted("%s", example_of(s)), *initial = strstr(text, ", initial: ");
  if (!initial)
    return text;
  char *end = initial + strlen(", initial: ");
  int depth = 0;
  do {
    depth += (*end == '[' || *end == '{') - (*end == ']' || *end == '}');
    end++;
  } while (depth > 0);
  memmove(initial, end, strlen(end) + 1);
  return text;
}

/* A number of paths, the generator and the ranks change no state, another seed changes all; the
   states, given back as a stack of whole blocks, give the same paths, also where the study has
   fewer. */
TEST(states_are_functions_of_seed_and_path) {
  for (const cas_system *const *s = cas_kernels_get()->systems; *s; s++) {
    series few[2] = {0}, many[2] = {0}, other[2] = {0}, again[2] = {0};
    if (!(*s)->initial.random)
      continue;
    const char *keys = keys_of(*s), *drawn = "{random: {seed: 3, norm: 1}, each: path, keep: true}";
    run_paths(keys, drawn, "threefry", 5, &few[0], &few[1]);
    run_paths(keys, drawn, "sprng_lcg64", 70, &many[0], &many[1]);
    int64_t n = few[0].numbers;
    ck_assert_msg(same(few[0].value, many[0].value, 5 * n), "%s", (*s)->name);
    for (int p = 1; p < 70; p++)
      ck_assert_msg(!same(many[0].value, many[0].value + p * n, n), "%s", (*s)->name);
    run_paths(keys, "{random: {seed: 4, norm: 1}, each: path, keep: true}", "threefry", 5,
              &other[0], &other[1]);
    ck_assert_msg(!same(few[0].value, other[0].value, few[0].numbers), "%s", (*s)->name);
    run_paths(keys, drawn, "threefry", 128, &many[0], &many[1]);
    keep_as("stack.h5");
    run_paths(keys, "{file: stack.h5, dataset: /initial/state, each: path, keep: true}", "threefry",
              69, &again[0], &again[1]);
    for (int t = 0; t < 5; t++)
      ck_assert_msg(nearly(many[1].value + t * many[1].numbers,
                           again[1].value + t * again[1].numbers, again[1].numbers,
                           (*s)->state.pack != NULL),
                    "%s: record %d", (*s)->name, t);
  }
}

#define TOP "name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: quadratic, sigma: 0.3}"

/* |x| = 1 and uniform on the sphere: each component has mean 0 and mean square 1/3, and x3 is
   uniform on [-1, 1], with quartiles at +-1/2. */
TEST_OF_MANY_PATHS_OVER(random_states_are_uniform_on_the_sphere, on_one_rank(1)) {
  const cas_results *r =
      results_of("system: {" TOP ", initial: {random: {seed: 1, norm: 1}, each: path}}\n"
                 "study: {kind: ensemble, step: 2^-6, steps: 1, every: 1, paths: 20000, quantiles: "
                 "[0.25, 0.75], observables: [x1, x2, x3, norm]}\n");
  for (int i = 0; i < 3; i++) {
    const cas_ensemble_observable *o = &cas_results_ensemble(r)->observable[i];
    ck_assert(fabs(o->mean.value[0]) < 4.5 * sqrt(1.0 / 3 / 20000));
    ck_assert(fabs(o->variance.value[0] - 1.0 / 3) < 4.5 * sqrt(4.0 / 45 / 20000));
    ck_assert(fabs(o->quantile.value[0] + 0.5) < 0.03 && fabs(o->quantile.value[1] - 0.5) < 0.03);
  }
}

/* ---- studies ---- */

/* Tables do not depend on ranks, and initial states alone give an error to what is random. */
TEST_OVER(all_studies_begin_there, EVERY_STUDY + 1) {
  static const char of_rounds[] = "kind: mlmc, coarsest_step: 2^-4, coarsest_steps: 4, "
                                  "pilot_paths: 128, epsilon: 0.02, functionals: [x1]";
  static const char *const noises[] = {"", ", noise: {kind: quadratic, sigma: 0.2}"};
  cas_results alone;
  for (int n = 0; n < 2; n++) {
    const char *text =
        formatted("system: {name: rigid_body, inertia: [2, 1, 0.5]%s, initial: {random: {seed: 1, "
                  "norm: 1}, each: path}}\nrandom: {generator: threefry}\nstudy: {%s}\n",
                  noises[n], _i < EVERY_STUDY ? every_study[_i] : of_rounds);
    const cas_results *all = results_of("%s", text);
    MUST(run_text(MPI_COMM_SELF, &alone, &err, "%s", text));
    const cas_curve *m = cas_results_find(all, "mlmc/x1"),
                    *one = cas_results_find(&alone, "mlmc/x1");
    if (m) /* its table has seconds too */
      ck_assert(m->estimate.value == one->estimate.value &&
                m->estimate.standard_error == one->estimate.standard_error);
    else
      ck_assert_msg(cas_tables_equal(all, &alone), "%s", text);
    const cas_curve *c = cas_results_find(all, "weak/x1");
    if (c)
      ck_assert(c->mean.standard_error[0] > 0.001 && c->error.standard_error[0] > 0);
    cas_meet(MPI_COMM_WORLD);
  }
}

/* Levels have streams of their own. Without noise E energy is that of the states alone. */
TEST(levels_have_states_of_their_own) {
  const cas_results *r =
      results_of("system: {name: rigid_body, inertia: [2, 1, 0.5], initial: {random: {seed: 1, "
                 "norm: 1}, each: path}}\nstudy: {kind: weak_multilevel, coarsest_step: 2^-6, "
                 "coarsest_steps: 1, levels: 3, paths: 1000, functionals: [energy]}\n");
  const cas_curve *d = cas_results_find(r, "weak_multilevel/energy");
  const double mean = (0.5 + 1 + 2) / 3;
  ck_assert_ptr_nonnull(d);
  for (int l = 0; l < 3; l++) {
    ck_assert(fabs(d->coupled.fine.mean[l] - mean) < 4.5 * d->coupled.fine.standard_error[l]);
    ck_assert(l == 0 || fabs(d->coupled.fine.mean[l] - d->coupled.fine.mean[l - 1]) > 1e-4);
  }
}

/* ---- refusals ---- */

TEST(what_has_no_state_for_each_is_refused) {
  static const char *const wrong[][3] = {
      {"{random: {seed: 1, norm: 1}, keep: true}", "{kind: trajectory, step: 1/8, steps: 1}",
       "system.initial.keep"},
      {"{random: {seed: 1}, each: path}", "{kind: trajectory, step: 1/8, steps: 1}",
       "'norm' is missing"},
      {"{random: {seed: 1, law: gibbs}, each: path}", "{kind: trajectory, step: 1/8, steps: 1}",
       "system.initial.random.law"},
      {"{file: few.h5, dataset: /initial/state, each: path}",
       "{kind: ensemble, step: 1/8, steps: 1, every: 1, paths: 4}",
       "has states of 3 paths, the study needs 4"},
      {"{file: few.h5, dataset: /initial/state, index: 1, each: path}",
       "{kind: trajectory, step: 1/8, steps: 1}", "system.initial.index"},
      {"{file: few.h5, dataset: /initial/state, each: path}",
       "{kind: weak_multilevel, coarsest_step: 1/8, coarsest_steps: 1, levels: 1, paths: 3, "
       "functionals: [energy]}",
       "system.initial.each"},
  };
  run_well(NULL,
           "system: {" TOP ", initial: {random: {seed: 1, norm: 1}, each: path, keep: true}}\n"
           "study: {kind: trajectory, step: 2^-6, steps: 1, paths: 3}\n");
  keep_as("few.h5");
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    is_refused(0, wrong[i][2], "system: {" TOP ", initial: %s}\nstudy: %s\n", wrong[i][0],
               wrong[i][1]);
}

/* ---- laws of systems ---- */

/* x1 of density 2 x on (0, 1) by rejection, of any number of uniforms; x2 and x3 normal. */
static const char *draw_triangle(const void *parameters CAS_UNUSED, cas_draws *draws, double *x) {
  do
    x[0] = cas_draw_uniform(draws);
  while (cas_draw_uniform(draws) > x[0]);
  x[1] = cas_draw_normal(draws);
  x[2] = cas_draw_normal(draws);
  return NULL;
}

static const char *draw_nothing(const void *parameters CAS_UNUSED, cas_draws *draws CAS_UNUSED,
                                double *x CAS_UNUSED) {
  return "the temperature is 0";
}

TEST(a_law_draws_as_many_numbers_as_it_needs) {
  const cas_initial_distribution triangle = {.name = "triangle", .draw = draw_triangle},
                                 nothing = {.name = "nothing", .draw = draw_nothing};
  enum { STATES = 20000 };
  double sum[3] = {0}, square[3] = {0}, x[3], again[3];
  cas_config *config =
      configuration("system: {" TOP ", initial: {random: {seed: 9, norm: 1}, each: path}}");
  cas_problem p;
  cas_error err = {0};
  MUST(cas_problem_create(config, false, MPI_COMM_WORLD, &p, &err));
  p.initial.law = &triangle;
  for (int i = 0; i < STATES; i++) {
    MUST(cas_initial_random(config, &p, CAS_PURPOSE_INITIAL_PATHS, i, x, &err));
    MUST(cas_initial_random(config, &p, CAS_PURPOSE_INITIAL_PATHS, i, again, &err));
    ck_assert(same(x, again, 3));
    for (int k = 0; k < 3; k++) {
      sum[k] += x[k] / STATES;
      square[k] += x[k] * x[k] / STATES;
    }
  }
  ck_assert(fabs(sum[0] - 2.0 / 3) < 4.5 * sqrt(1.0 / 18 / STATES));
  for (int k = 1; k < 3; k++)
    ck_assert(fabs(sum[k]) < 4.5 / sqrt(STATES) && fabs(square[k] - 1) < 4.5 * sqrt(2.0 / STATES));
  p.initial.law = &nothing;
  ck_assert(cas_initial_random(config, &p, CAS_PURPOSE_INITIAL_PATHS, 0, x, &err) == CAS_BAD_INPUT);
  ck_assert_msg(strstr(err.text, "nothing: the temperature is 0"), "%s", err.text);
  cas_problem_free(&p);
}

RUN_TESTS_WITH_MPI
