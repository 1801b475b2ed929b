/* Runs whose paths draw parameters, or have them as components: means over both kinds of noise,
   rows of files, runs that go on, and what is refused. test_uncertain.c has the options. */
/* ranks: 1 2 3 */
#include "array_fixture.h"
#include "study_fixture.h"

/* H = a x3 dt + 0.3 x3 dW turns (1, 0, 0) by a t + 0.3 W, exactly: x1 = cos(a t + 0.3 W). */
#define TURNING                                                                                  \
  "system: {name: lie_poisson, parameters: {a: %s, s: 0.3}, hamiltonian: a*x3, noise: [s*x3], "  \
  "initial: [1, 0, 0]}\nintegrator: {name: munthe_kaas}\n"                                       \
  "random: {generator: threefry, seed: %d}\n"                                                    \
  "study: {kind: ensemble, step: 2^-3, steps: 8, times: [1], paths: %d, observables: [x1, {a1: " \
  "a}, "                                                                                         \
  "{a2: a^2}]}\n"

/* Runs of several seeds: their means have the exact values within 1.96 standard errors as often as
   they should, and all together within 4.5. */
static void check_means(const char *a, int seeds, int paths, const double exact[3]) {
  int covered[3] = {0};
  double sum[3] = {0}, variance[3] = {0};
  for (int seed = 1; seed <= seeds; seed++) {
    const cas_ensemble *e = ensemble_of(TURNING, a, seed, paths);
    for (int i = 0; i < 3; i++) {
      const cas_ensemble_observable *o = &e->observable[i];
      covered[i] += fabs(o->mean.value[0] - exact[i]) <= 1.96 * o->mean.standard_error[0];
      sum[i] += o->mean.value[0] - exact[i];
      variance[i] += o->mean.standard_error[0] * o->mean.standard_error[0];
    }
  }
  /* of 60 runs, 51 to 60 with a probability of 99.9% each */
  for (int i = 0; i < 3; i++) {
    ck_assert_msg(60 * covered[i] >= 51 * seeds, "%s: %d of %d runs cover mean %d", a, covered[i],
                  seeds, i);
    ck_assert_msg(fabs(sum[i]) <= 4.5 * sqrt(variance[i]), "%s: mean %d is off by %g +- %g", a, i,
                  sum[i] / seeds, sqrt(variance[i]) / seeds);
  }
}

/* At t = 1, E x1 = E cos(a) exp(-s^2/2). */
TEST_OF_MANY_PATHS_OVER(parameters_have_exact_means, 2 * on_one_rank(1)) {
  const double m = 1.2, d = 0.5, p = 0.5, q = 2, s = 0.3;
  const double cosine = _i ? (sin(q) - sin(p)) / (q - p) : cos(m) * exp(-d * d / 2),
               mean = _i ? (p + q) / 2 : m,
               square = _i ? (p * p + p * q + q * q) / 3 : m * m + d * d;
  check_means(_i ? "{uniform: [0.5, 2], each: path}" : "{normal: [1.2, 0.5], each: path}",
              repetitions(60), 256, (double[]){cosine * exp(-s * s / 2), mean, square});
}

enum { ROWS = 40 };

static double row_value(int row, int column) { return 1 + 0.4 * sin(1.3 * row + column); }

/* Rows of three numbers. */
static void write_rows(void) {
  double value[ROWS][3];
  for (int i = 0; i < ROWS; i++)
    for (int k = 0; k < 3; k++)
      value[i][k] = row_value(i, k);
  write_array("rows.h5", "rows", 2, (hsize_t[]){ROWS, 3}, *value);
}

#define BODY                                                                               \
  "system: {name: rigid_body, inertia: %s, noise: {kind: quadratic, sigma: 0.2}}\n"        \
  "random: {generator: threefry, seed: %d}\nstudy: {kind: trajectory, step: 2^-6, steps: " \
  "4, paths: %d, observables: [energy]}\n"

TEST(rows_of_a_file_are_those_of_paths) {
  write_rows();
  run_well(NULL, BODY, "{file: rows.h5, dataset: rows, each: path}", 1, ROWS);
  series drawn = stored_series("/parameters/value");
  for (int i = 0; i < ROWS * 3; i++)
    ck_assert(drawn.value[i] == row_value(i / 3, i % 3));
  cas_meet(MPI_COMM_WORLD);
  is_refused(0, "row: drawn", BODY, "{file: rows.h5, dataset: rows, each: path}", 1, ROWS + 1);
}

/* Every row is drawn about equally often, whole, and another seed draws others. */
TEST(rows_of_a_file_are_drawn) {
  enum { MANY = 4000 };
  int count[ROWS] = {0};
  double chi2 = 0;
  write_rows();
  series drawn[2];
  for (int seed = 0; seed < 2; seed++) {
    run_well(NULL, BODY, "{file: rows.h5, dataset: rows, row: drawn, each: path}", seed, MANY);
    drawn[seed] = stored_series("/parameters/value");
    cas_meet(MPI_COMM_WORLD);
  }
  ck_assert(!same_series(&drawn[0], &drawn[1]));
  for (int i = 0; i < MANY; i++) {
    int row = 0;
    while (row < ROWS && drawn[0].value[3 * i] != row_value(row, 0))
      row++;
    ck_assert_int_lt(row, ROWS);
    ck_assert(drawn[0].value[3 * i + 2] == row_value(row, 2));
    count[row]++;
  }
  for (int i = 0; i < ROWS; i++)
    chi2 += pow(count[i] - (double)MANY / ROWS, 2) * ROWS / MANY;
  ck_assert_msg(chi2 > 15 && chi2 < 75, "%g", chi2); /* 39 degrees of freedom */
}

/* Rows in a section and in its place have one name in expressions. */
TEST_OVER(rows_have_one_name, 2) {
  run_well(NULL,
           "system: {name: euler_zeitlin, N: 3, topography: %s{normal: [[[2, 0, 0.3]], [[0, 0, "
           "0.1]]], each: path}%s, initial: {random: {seed: 1, norm: 3}}}\nrandom: {generator: "
           "threefry}\nstudy: {kind: trajectory, step: 2^-6, steps: 1, paths: 9, observables: [{a: "
           "topography1_3}]}\n",
           _i ? "{rows: " : "", _i ? "}" : "");
  series named = recorded_series("a"), drawn = stored_series("/parameters/value");
  for (int p = 0; p < 9; p++)
    ck_assert(named.value[p] == drawn.value[p * drawn.numbers + 2]);
  cas_meet(MPI_COMM_WORLD);
}

/* Components whose brackets vanish: x = (1, 0, 0) turns at a rate that differs from path to path.
   */
TEST(each_path_turns_at_its_rate) {
  enum { PATHS = 2000 };
  static double state[PATHS][4];
  for (int p = 0; p < PATHS; p++) {
    state[p][0] = 1;
    state[p][3] = 1 + 0.5 * sin(1.7 * p);
  }
  write_array("states.h5", "states", 2, (hsize_t[]){PATHS, 4}, *state);
  run_well(NULL,
           "system: {name: lie_poisson, algebra: brackets, components: [x1, x2, x3, a], brackets: "
           "{x1 x2: x3, x2 x3: x1, x3 x1: x2}, casimirs: [x1^2 + x2^2 + x3^2, a], hamiltonian: "
           "a*x3, initial: {file: states.h5, dataset: states, each: path}}\n"
           "integrator: {name: munthe_kaas}\nrandom: {generator: threefry, seed: 11}\n"
           "study: {kind: trajectory, step: 2^-4, steps: 16, every: 16, paths: 2000, observables: "
           "[x1, a]}\n");
  series x = recorded_series("x1"), a = recorded_series("a");
  ck_assert(x.records == 2 && x.numbers == PATHS);
  for (int p = 0; p < PATHS; p++) {
    ck_assert(a.value[PATHS + p] == state[p][3]);
    ck_assert_msg(fabs(x.value[PATHS + p] - cos(state[p][3])) <= 1e-13, "path %d: %.17g, not %.17g",
                  p, x.value[PATHS + p], cos(state[p][3]));
  }
  cas_meet(MPI_COMM_WORLD);
}

#define UNCERTAIN "[2, {normal: [1, 0.05], each: path}, 0.5]"

static unsigned leave(void *context CAS_UNUSED) { return CAS_SIGNAL_LEAVE; }

#define SLOW                                                                                \
  "system: {name: rigid_body, inertia: " UNCERTAIN ", noise: {kind: quadratic, sigma: "     \
  "{uniform: [0.1, 0.3], each: path}}}\nrandom: {generator: threefry, seed: 3}\n"           \
  "study: {kind: strong, coarsest_step: 2^-5, coarsest_steps: 4, levels: 3, reference: 8, " \
  "paths: %d}\noutput: {checkpoint_every: 0.01s}\n" /* ranks talk four times as often */

/* Every study takes an uncertain number; of deviation 0 it gives what the constant gives. */
TEST_OVER(every_study_has_them, EVERY_STUDY) {
  static const char *const inertia[] = {"[2, {normal: [1, 0], each: path}, 0.5]", "[2, 1, 0.5]"};
  cas_results r[2];
  cas_error err;
  for (int i = 0; i < 2; i++) {
    cas_status st = run_text(MPI_COMM_WORLD, &r[i], &err,
                             "system: {name: rigid_body, inertia: %s, noise: {kind: quadratic, "
                             "sigma: 0.1}}\nrandom: {generator: threefry, seed: 3}\nstudy: {%s}\n",
                             inertia[i], study_here(_i));
    ck_assert_msg(!st || st == CAS_CHECK_FAILED, "%s: %s", study_here(_i), err.text);
  }
  ck_assert_int_eq(cas_results_curves(&r[0]), cas_results_curves(&r[1]));
  for (int k = 0; k < cas_results_curves(&r[0]); k++) {
    const cas_curve *a = cas_results_curve(&r[0], k), *b = cas_results_curve(&r[1], k);
    for (int j = 0; a->error.value && b->error.value && j < 2; j++)
      ck_assert_msg(memcmp(&a->error.value[j], &b->error.value[j], sizeof(double)) == 0,
                    "%s: %g, not %g", study_here(_i), a->error.value[j], b->error.value[j]);
  }
}

static const cas_curve *run_slow(cas_run_request q, int paths, cas_status wanted) {
  return cas_results_find(run_as(&q, wanted, "", SLOW, paths), "strong/error");
}

/* A run that was interrupted, and one that takes more paths, end as one that did neither. */
TEST(interruptions_change_nothing) {
  const cas_curve *a = run_slow((cas_run_request){.output = "whole.h5"}, 2400, CAS_OK);
  run_slow((cas_run_request){.output = "begun.h5", .signals = leave}, 2400, CAS_INTERRUPTED);
  run_slow((cas_run_request){.output = "more.h5"}, 100, CAS_OK);
  ck_assert_msg(a->error.value[2] < a->error.value[0] && a->error.value[0] < 0.05, "%g",
                a->error.value[0]);
  for (int i = 0; i < 2; i++) {
    const cas_curve *b = run_slow(
        (cas_run_request){.output = i ? "more.h5" : "begun.h5", .resume = true}, 2400, CAS_OK);
    ck_assert(a->error.value[0] == b->error.value[0] && a->error.value[2] == b->error.value[2]);
  }
}

TEST(one_path_alone_has_its_numbers) {
  const int64_t path = 70;
  run_well(NULL, BODY, UNCERTAIN, 4, 80);
  series states = recorded_series("state"), drawn = stored_series("/parameters/value");
  run_as(&(cas_run_request){.output = "path.h5", .only_path = &path}, CAS_OK, "", BODY, UNCERTAIN,
         4, 80);
  cas_meet(MPI_COMM_WORLD);
  series one = series_of("path.h5", "/parameters/value"),
         alone = series_of("path.h5", "/path/level_0/state");
  ck_assert(one.records == 1 && one.numbers == 1 && one.value[0] == drawn.value[path]);
  for (int k = 0; k < 3; k++)
    ck_assert(alone.value[4 * 3 + k] == states.value[4 * 80 * 3 + path * 3 + k]);
}

TEST(invalid_numbers_name_path_and_option) {
  static const char *const cases[][2] = {
      {"[2, {normal: [0.3, 0.15], each: path}, 0.5]",
       "system.inertia[1]\nmust be greater than 0\npath\nsmaller deviation"},
      {"{normal: [[2, 1], 0.1], each: path}", "found 2 numbers\nthree moments\npath 0 draws"},
      {"[2, {normal: [1, 0.1]}, 0.5]", "'each' is missing\nsystem.inertia[1]"},
      {"{normal: [[2, 1, 1], [0.1, 0.1]], each: path}", "as many\nsystem.inertia"},
      {"[2, {normal: [1, -0.1], each: path}, 0.5]", "at least 0\nsystem.inertia[1]"},
      {"[2, {uniform: [1, 0.5], each: path}, 0.5]", "at least as large\ninertia[1]"},
      {"[2, {uniform: [-1e308, 1e308], each: path}, 0.5]", "must be nearer\ninertia[1]"},
      {"[2, {gauss: [1, 0.1], each: path}, 0.5]", "'gauss'\n{normal: [mean, deviation]"},
      {"{each: path}", "no law\n{normal: [mean, deviation]"},
      {"[2, {normal: [-1, 0.1], each: path}, 0.5]",
       "must be greater than 0\npath 0 draws\nmust not be drawn"},
      /* two names of one file would draw two rows of it */
      {"[{file: one.h5, dataset: one, row: drawn, each: path}, {file: ./one.h5, dataset: one, row: "
       "drawn, each: path}, 0.5]",
       "./one.h5\nthe same name"}};
  write_array("one.h5", "one", 1, (hsize_t[]){3}, (double[]){0.8, 1, 1.2});
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    is_refused(0, cases[i][1], BODY, cases[i][0], 1, 500);
  /* Other numbers are no remedy where all are refused, such as two where three are to be. */
  is_refused(0, "", BODY, cases[1][0], 1, 500);
  ck_assert_msg(!strstr(last_said.text, "must not be drawn"), "%s", last_said.text);
}

TEST(numbers_of_expressions_have_names) {
  static const char *const cases[][2] = {
      {"{normal: [1, 0.1], each: path}", "system.friction\nin 'parameters'"},
      {"x - 1", "system.friction\n-0.5 at the initial state"},
      {"c", "path 0 draws\nmust not be negative"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    is_refused(0, cases[i][1],
               "system: {name: langevin, positions: [x], potential: x^2, parameters: {c: {normal: "
               "[-1, 0.1], each: path}}, friction: %s, temperature: 1, initial: [0.5, 0]}\n"
               "random: {generator: threefry}\nstudy: {kind: trajectory, step: 2^-4, steps: 4, "
               "paths: 4}\n",
               cases[i][0]);
}

RUN_TESTS_WITH_MPI
