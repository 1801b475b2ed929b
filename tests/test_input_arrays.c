/* States and fields of noise from maps and coefficients in files. */
/* ranks: 1 2 3 */
/* needs: sprng */
#include "array_fixture.h"
#include "math/harmonics/hoppe_yau.h"
#include "study_fixture.h"

static void must_run(const char *system, const char *study) {
  run_well(NULL,
           "system: {%s}\nrandom: {generator: threefry}\nstudy: {kind: trajectory, "
           "step: 2^-6, steps: 8, %s}\n",
           system, study);
}

/* The largest of n differences. */
static double distance(int64_t n, const double *a, const double *b) {
  double most = 0;
  for (int64_t i = 0; i < n; i++)
    most = isnan(a[i] - b[i]) ? NAN : fmax(most, fabs(a[i] - b[i]));
  return most;
}

static const char *const mapped[] = {
    "name: euler_zeitlin, N: 9, latitudes: 9",
    "name: euler_zeitlin, N: 9, latitudes: 31, rotation: 0.7",
    "name: euler_zeitlin, N: 26, rotation: -0.2",
    "name: sine_euler, N: 9",
    "name: sine_euler, N: 25, grid: 25",
};

/* A map of a state that was recorded is that state, and has that map, to rounding. */
TEST_OVER(maps_of_states_are_states, (int)(sizeof mapped / sizeof *mapped)) {
  must_run(formatted("%s, initial: {random: {seed: 5, norm: 1}}", mapped[_i]),
           "observables: [vorticity]");
  series map = recorded_series("vorticity"), state = recorded_series("state");
  keep_as("first.h5");
  must_run(
      formatted("%s, initial: {map: {file: first.h5, dataset: trajectory/vorticity, index: 3}}",
                mapped[_i]),
      "observables: [vorticity]");
  series map_again = recorded_series("vorticity"), again = recorded_series("state");
  const double *then = state.value + 3 * state.numbers, *seen = map.value + 3 * map.numbers;
  double moved = distance(state.numbers, then, state.value),
         error = distance(state.numbers, then, again.value),
         map_error = distance(map.numbers, seen, map_again.value);
  ck_assert_msg(error <= 1e-13 && map_error <= 2e-13 && moved > 1e-5,
                "%s: state %g, map %g, moved by %g", mapped[_i], error, map_error, moved);
}

/* What a map has beyond the degrees of states is left out, and is no other degree. */
TEST(degrees_without_a_place_are_left_out) {
  must_run("name: euler_zeitlin, N: 12, latitudes: 20, initial: {coefficients: [[3, 2, 1], [10, "
           "-4, 2], [11, 11, 0.5]]}",
           "observables: [vorticity]");
  keep_as("first.h5");
  must_run("name: euler_zeitlin, N: 7, latitudes: 20, initial: {map: {file: first.h5, dataset: "
           "trajectory/vorticity, index: 0}}",
           "observables: [{a: \"coefficient(3,2)\"}, enstrophy_spectrum]");
  series a = recorded_series("a"), spectrum = recorded_series("enstrophy_spectrum");
  ck_assert(fabs(a.value[0] - 1) <= 1e-14);
  for (int l = 1; l < 7; l++)
    ck_assert_msg(fabs(spectrum.value[l - 1] - (l == 3)) <= 1e-14, "degree %d: %g", l,
                  spectrum.value[l - 1]);
}

/* A stack of states, one for each path. */
TEST(paths_begin_at_arrays_of_coefficients) {
  enum { N = 9, MODES = N * N - 1, PATHS = 20 };
  double *value = malloc(sizeof(double) * PATHS * MODES);
  for (int i = 0; i < PATHS * MODES; i++)
    value[i] = sin(1 + 0.1 * i);
  write_array("coefficients.h5", "a", 2, (hsize_t[]){PATHS, MODES}, value);
  must_run("name: euler_zeitlin, N: 9, rotation: 0.5, initial: {coefficients: {file: "
           "coefficients.h5, dataset: a}, each: path}",
           "paths: 20, observables: [{a: \"coefficient(1,0)\"}, {b: \"coefficient(7,-5)\"}]");
  series a = recorded_series("a"), b = recorded_series("b");
  for (int p = 0; p < PATHS; p++) {
    const double *of = value + p * MODES;
    ck_assert_msg(fabs(a.value[p] - of[cas_hoppe_yau_mode(1, 0)]) <= 1e-13 &&
                      fabs(b.value[p] - of[cas_hoppe_yau_mode(7, -5)]) <= 1e-13,
                  "path %d: %g, %g", p, a.value[p], b.value[p]);
  }
  free(value);
}

/* Of omega = 2 a cos(x1) + 2 b cos(2 x2), from a map: the stream function, the shell 1 alone, and
   the vorticity between the points of the grid. Transport by u = (-d/dx2, d/dx1) psi makes 6 ab
   sin(x1) sin(2 x2) per unit of time, but for the sine bracket's factor. */
TEST(maps_of_two_waves) {
  enum { N = 31, GRID = 12 };
  const double a = 0.7, b = 0.9, pi = acos(-1), h = 0x1p-6, turn = 2 * pi / N;
  double map[GRID * GRID];
  for (int i = 0; i < GRID * GRID; i++)
    map[i] = 2 * a * cos(2 * pi * (i % GRID) / GRID) + 2 * b * cos(4 * pi * (i / GRID) / GRID);
  write_array("waves.h5", "a", 2, (const hsize_t[]){GRID, GRID}, map);
  must_run(
      "name: sine_euler, N: 31, grid: 12, lowpass: 1, initial: {map: {file: waves.h5, dataset: a}}",
      "observables: [stream_function, vorticity_lowpass, enstrophy, traces, cubic_casimir, {here: "
      "\"vorticity_at(33.75,-11.25)\"}, {gained: \"re_omega(1,-2)\"}]");
  series psi = recorded_series("stream_function"), low = recorded_series("vorticity_lowpass"),
         here = recorded_series("here"), gained = recorded_series("gained");
  for (int i = 0; i < GRID * GRID; i++) {
    const double x1 = 2 * pi * (i % GRID) / GRID, x2 = 2 * pi * (i / GRID) / GRID;
    assert_near(psi.value[i], 2 * a * cos(x1) + 2 * b * cos(2 * x2) / 4, 1e-14, "stream function");
    assert_near(low.value[i], 2 * a * cos(x1), 1e-14, "shell 1");
  }
  assert_near(here.value[0], 2 * a * cos(33.75 * pi / 180) + 2 * b * cos(2 * -11.25 * pi / 180),
              1e-14, "here");
  /* after one step, up to terms of second order in h */
  assert_near((gained.value[1] - gained.value[0]) / h, -1.5 * a * b * sin(2 * turn) / (2 * turn),
              0.02, "gain");
  assert_near(last_of("traces", 0), last_of("enstrophy", 0), 1e-14, "Tr V^2/N");
  assert_near(last_of("traces", 1), last_of("cubic_casimir", 0), 1e-14, "Tr V^3/N");
}

/* These fields, which `system` ends in front of, move its state by more than `least` in the same
   way, to within an error from the first. */
static void are_the_same_noise(const char *system, int n, const char *const *fields,
                               const double *error, double least) {
  series path[3];
  for (int i = 0; i < n; i++) {
    must_run(formatted("%s%s}", system, fields[i]), "paths: 2");
    path[i] = recorded_series("state");
    const int64_t numbers = path[0].numbers, last = (path[0].records - 1) * numbers;
    const double moved = distance(numbers, path[i].value, path[i].value + last),
                 off = distance(numbers, path[0].value + last, path[i].value + last);
    ck_assert_msg(off <= error[i] && moved > least, "%s: %g, moved by %g", fields[i], off, moved);
    cas_meet(MPI_COMM_WORLD);
  }
}

/* On the torus, without means and modes that have no place. */
TEST(fields_from_maps_are_those_of_rows) {
  enum { GRID = 20 };
  static const char *const fields[] = {"[[1, 1, 2, 0.3], [1, 0, -1, 0.1], [2, -2, 1, 0.2]]",
                                       "{file: fields.h5, dataset: a}"};
  static double map[2][GRID * GRID];
  for (int i = 0; i < GRID * GRID; i++) {
    const double step = 2 * acos(-1) / GRID, x1 = step * (i % GRID), x2 = step * (i / GRID);
    map[0][i] = 0.6 * cos(x1 + 2 * x2) + 0.2 * sin(x2);
    map[1][i] = 0.4 * sin(2 * x1 - x2) + 0.5 + 0.1 * cos(7 * x1);
  }
  write_array("fields.h5", "a", 3, (const hsize_t[]){2, GRID, GRID}, map[0]);
  are_the_same_noise("name: sine_euler, N: 9, grid: 20, initial: {random: {seed: 1, norm: 2}}, "
                     "noise: {fields: ",
                     2, fields, (double[]){0, 1e-13}, 0.01);
}

/* Fields by rows of the configuration, by rows of a file and by maps. */
TEST_OVER(fields_of_files_are_those_of_rows, 2) {
  static const char *const sizes[] = {"N: 8, latitudes: 12", "N: 26"},
                           *const coefficients[] = {"[[2, 2, 1], [1, 0, -0.5]]", "[[5, -3, 1.5]]"},
                           *const fields[] = {"[[1, 2, 2, 1], [1, 1, 0, -0.5], [2, 5, -3, 1.5]]",
                                              "{file: rows.h5, dataset: a}",
                                              "{file: maps.h5, dataset: a}"};
  double *maps = NULL;
  for (int k = 0; k < 2; k++) { /* maps of both fields */
    must_run(formatted("name: euler_zeitlin, %s, initial: {coefficients: %s}", sizes[_i],
                       coefficients[k]),
             "observables: [vorticity]");
    const series map = recorded_series("vorticity");
    cas_meet(MPI_COMM_WORLD);
    const int64_t n = map.numbers, rows = (int64_t)sqrt((double)n / 2);
    ck_assert(2 * rows * rows == n);
    maps = realloc(maps, (size_t)(2 * n) * sizeof *maps);
    for (int64_t i = 0; i < n; i++)
      maps[k * n + i] = map.value[i] + 17; /* a constant is no part of a stream function */
    if (k)
      write_array("maps.h5", "a", 3, (hsize_t[]){2, (hsize_t)rows, 2 * (hsize_t)rows}, maps);
  }
  free(maps);
  write_array("rows.h5", "a", 2, (hsize_t[]){3, 4},
              (double[]){2, 5, -3, 1.5, 1, 2, 2, 1, 1, 1, 0, -0.5});
  are_the_same_noise(
      formatted("name: euler_zeitlin, %s, initial: {coefficients: [[2, 1, 1], [3, -2, 1]]}, noise: "
                "{kind: transport, amplitude: 0.3, fields: ",
                sizes[_i]),
      3, fields, (double[]){0, 0, 1e-12}, 1e-3);
}

/* Numbers of a file are part of a run's identity. */
TEST(runs_know_the_numbers_of_their_fields) {
  static const char text[] =
      "system: {name: euler_zeitlin, N: 4, initial: {coefficients: [[2, 1, 1]]}, noise: {kind: "
      "transport, fields: {file: rows.h5, dataset: a}}}\nstudy: {kind: strong, coarsest_step: "
      "2^-5, coarsest_steps: 2, levels: 3, reference: 3, paths: 64}\n";
  const cas_run_request again = {.output = "results.h5", .resume = true};
  double row[] = {1, 2, 1, 0.5};
  write_array("rows.h5", "a", 2, (hsize_t[]){1, 4}, row);
  run_well(NULL, "%s", text);
  run_as(&again, CAS_OK, "", "%s", text);
  cas_meet(MPI_COMM_WORLD);
  row[3] = 0.6;
  write_array("rows.h5", "a", 2, (hsize_t[]){1, 4}, row);
  run_as(&again, CAS_BAD_INPUT, "another system.noise.fields (rows.h5 has changed since)", "%s",
         text);
}

static const char *const wrong[][2] = {
    {"initial: {map: {file: odd.h5, dataset: a}}",
     "system.initial: dataset a of odd.h5 is 2 x 7, must be a map (system.latitudes x twice as "
     "many longitudes) of 32 x 64 or a stack of them"},
    {"initial: {coefficients: {file: odd.h5, dataset: a}}",
     "dataset a of odd.h5 is 2 x 7, must be a list of coefficients (l ascending from 1, in each of "
     "them m from -l to l) of 15 or a stack of them"},
    {"initial: {map: {file: odd.h5, dataset: b}}", "odd.h5: has no dataset 'b'; it has a"},
    {"initial: {map: {file: none.h5}}", "system.initial.file: 'none.h5' cannot be opened"},
    {"initial: {coefficients: {file: odd.h5}, norm: 2}", "system.initial.norm: unknown key"},
    {"initial: [[1, 2], [3, 4]], noise: {kind: transport, fields: {file: odd.h5}}",
     "system.noise.fields: 'dataset' is missing (the dataset of odd.h5)"},
    {"noise: {kind: transport, fields: {file: odd.h5, dataset: a}}",
     "system.noise.fields: dataset a of odd.h5 is 2 x 7, must be rows x 4, with the numbers k, l, "
     "m, a, or fields x 32 x 64, maps on the grid of system.latitudes"},
    {"noise: {kind: transport, fields: {file: odd.h5, dataset: a, rows: [[1, 1, 0, 1]]}}",
     "system.noise.fields: found both rows and a file"},
    {"noise: {kind: transport, fields: {file: odd.h5, dataset: a, hash: 12}}",
     "system.noise.fields.hash: found '12', and dataset a of odd.h5 has "},
    {"noise: {kind: transport, fields: {file: nan.h5, dataset: a}}",
     "system.noise.fields: dataset a of nan.h5: number 2, counted from 0, is not finite"},
    {"noise: {kind: transport, fields: {file: high.h5, dataset: a}}",
     "system.noise.fields[0]: l is 4, must be an integer from 1 to N - 1 = 3"},
    {"name: rigid_body, inertia: [2, 1, 0.5], initial: {map: {file: a.h5}}",
     "system.initial.map: system rigid_body"},
};

TEST_OVER(arrays_that_do_not_fit_are_refused, (int)(sizeof wrong / sizeof *wrong)) {
  double value[15] = {1, 4, 0, 1};
  write_array("odd.h5", "a", 2, (hsize_t[]){2, 7}, value);
  write_array("high.h5", "a", 2, (hsize_t[]){1, 4}, value);
  value[2] = NAN;
  write_array("nan.h5", "a", 2, (hsize_t[]){1, 4}, value);
  cas_results r;
  cas_error err;
  cas_status st = run_text(MPI_COMM_WORLD, &r, &err,
                           "system: {%s%s}\nstudy: {kind: trajectory, step: 2^-6, steps: 8}\n",
                           strncmp(wrong[_i][0], "name", 4) ? "name: euler_zeitlin, N: 4, " : "",
                           wrong[_i][0]); /* of bad input, or of a file that cannot be read */
  ck_assert_msg(st && strstr(err.text, wrong[_i][1]), "%s\nfound: %s\nmust have: %s", wrong[_i][0],
                err.text, wrong[_i][1]);
}

RUN_TESTS_WITH_MPI
