/* Quasi-geostrophy on the sphere: the stream function against matrices of spin, waves that turn as
   they are, energy and Casimirs over a flow about topography, and what is refused. */
/* ranks: 1 */
#include "array_fixture.h"
#include "matrices.h"
#include "pass_fixture.h"
#include "paths/problem/dissipation.h"

enum { MOST = 25 };

/* A pass for the sphere with formatted keys. */
#define open_sphere(h, steps, ...)                                                       \
  pass_of(h, steps,                                                                      \
          "{system: {name: euler_zeitlin, %s}, integrator: {tolerance: 1e-15}, random: " \
          "{generator: threefry}}",                                                      \
          formatted(__VA_ARGS__))

/* out = (-Lap + lamb z^2) a: double commutators with spins, and products with z from both sides */
static void apply(int N, double lamb, const entry *a, entry *out) {
  const double j = 0.5 * (N - 1);
  entry *once = matrix(N), *twice = matrix(N);
  memset(out, 0, (size_t)(N * N) * sizeof *out);
  for (int i = 0; i < 4; i++) {
    const double sign = i < 3 ? -1 : 1, factor = i < 3 ? 1 : lamb / (4 * j * (j + 1));
    const entry *s = spin(N, i < 3 ? i : 2);
    both_products(N, s, a, sign, once);
    both_products(N, s, once, sign, twice);
    for (int k = 0; k < N * N; k++)
      out[k] += factor * twice[k];
  }
}

/* psi at x in the time 1, which is (-Lap + lamb z^2)^-1 (X - rest) without its trace */
static void psi_of(one_pass *o, const double *x, double *xi) {
  const cas_problem *p = &o->problem;
  double *dw = doubles((size_t)(p->W * (p->normals.noises + 1)));
  cas_dissipation_prepare(p, 1, dw, o->pass.level[0].coef);
  p->body->psi(&o->pass.level[0].stepper, o->pass.level[0].coef, x, xi);
}

/* ---- the operator ---- */

/* With a multiple of the unit matrix, which is what a trace leaves open, the operator leads from
   the stream function to what was inverted. */
TEST_OVER(stream_function_solves_its_equation, 8) {
  static const int sizes[] = {2, 5, 12, 25};
  const int N = sizes[_i / 2];
  const double lamb = _i % 2 ? 300 : 0.5, s = 0.5 * (N - 1);
  one_pass *o =
      open_sphere(0.1, 1, "N: %d, lamb: %g, initial: {random: {seed: 3, norm: 2}}", N, lamb);
  double *psi = doubles((size_t)(N * N)), most = 0;
  entry *w = matrix(N), *p = matrix(N), *back = matrix(N);
  psi_of(o, o->problem.initial.x0, psi);
  unpack("su_n", N, 1, o->problem.initial.x0, w);
  unpack("su_n", N, 1, psi, p);
  apply(N, lamb, p, back);
  /* the multiple of 1, by the row in which z is largest */
  const entry open = (w[0] - back[0]) / (s * s / (s * (s + 1)));
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      const entry unit = i == j ? open * (s - i) * (s - i) / (s * (s + 1)) : 0;
      const double wrong = cabs(back[i * N + j] + unit - w[i * N + j]);
      ck_assert(isfinite(wrong));
      most = fmax(most, wrong);
    }
  ck_assert_msg(most <= 1e-12, "N = %d, lamb = %g: departs by %g", N, lamb, most);
}

/* Without lamb the gradient and maps of it are by coefficients, with a little of it by solves. */
TEST(topography_is_the_same_by_coefficients_and_by_solves) {
  static const char *const keys[] = {"", "lamb: 1e-9, "};
  enum { N = 9, POINTS = 8 * 16 };
  double *psi[2], *map[2];
  one_pass *o[2];
  for (int i = 0; i < 2; i++) {
    o[i] = open_sphere(
        0.1, 1,
        "N: 9, latitudes: 8, %srotation: 0.7, topography: [[1, 0, 0.2], [2, 1, 0.5], [5, -3, "
        "0.8]], initial: {random: {seed: 3, norm: 2}}",
        keys[i]);
    const int lanes = o[i]->problem.W == 1 ? 1 : o[i]->problem.body->lanes;
    double *x = doubles((size_t)(N * N * lanes)), *xi = doubles((size_t)(N * N * lanes));
    for (int k = 0; k < N * N * lanes; k++)
      x[k] = o[i]->problem.initial.x0[k / lanes];
    psi_of(o[i], x, xi);
    map[i] = doubles((size_t)(POINTS * o[i]->problem.W));
    named(o[i]->problem.system->observables, "stream_function")
        ->value(o[i]->problem.parameters.all, o[i]->problem.W, initial_block(o[i]), map[i]);
    psi[i] = doubles((size_t)(N * N));
    for (int k = 0; k < N * N; k++)
      psi[i][k] = xi[k * lanes];
  }
  ck_assert(o[0]->problem.W > 1 && o[1]->problem.W == 1);
  for (int k = 0; k < N * N; k++) {
    ck_assert_msg(fabs(psi[0][k] - psi[1][k]) <= 1e-9, "%d: %.12g, %.12g", k, psi[0][k], psi[1][k]);
    ck_assert(o[0]->problem.initial.x0[k] == o[1]->problem.initial.x0[k]);
  }
  for (int k = 0; k < POINTS; k++) {
    const double by_coefficients = map[0][k * o[0]->problem.W];
    ck_assert(fabs(by_coefficients) > 1e-6 && fabs(by_coefficients - map[1][k]) <= 1e-9);
  }
}

/* 4 + 0.5 Y_32 - 0.3 Y_1,-1, and what N = 6 has no place for: `above` Y_70. */
static void write_topography(double above) {
  enum { ROWS = 12, COLUMNS = 24 };
  const double pi = acos(-1);
  const hsize_t dims[] = {ROWS, COLUMNS};
  double map[ROWS * COLUMNS];
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < COLUMNS; j++) {
      const double z = sin(((i + 0.5) / ROWS - 0.5) * pi), r = sqrt(1 - z * z),
                   phi = 2 * pi * j / COLUMNS,
                   p7 = (429 * pow(z, 7) - 693 * pow(z, 5) + 315 * pow(z, 3) - 35 * z) / 16;
      map[i * COLUMNS + j] = 4 + 0.5 * sqrt(105 / (16 * pi)) * r * r * z * sin(2 * phi) -
                             0.3 * sqrt(3 / (4 * pi)) * r * cos(phi) +
                             above * sqrt(15 / (4 * pi)) * p7;
    }
  write_array("topography.h5", "map", 2, dims, map);
  write_array("rows.h5", "rows", 2, (hsize_t[]){2, 3}, (double[]){3, 2, 0.5, 1, -1, -0.3});
}

/* States have topography in them, and what has no place in them is told. */
TEST_OVER(topography_is_rows_or_a_file, 3) {
  static const char *const other[] = {"{file: rows.h5, dataset: rows}",
                                      "{file: topography.h5, dataset: map}",
                                      "{file: topography.h5, dataset: map}"};
  const cas_problem *p[2];
  char remark[300];
  write_topography(_i == 2 ? 0.4 : 0);
  for (int i = 0; i < 2; i++)
    p[i] = &open_sphere(0.1, 1,
                        "N: 6, lamb: 3, latitudes: 12, rotation: 1, topography: %s, initial: "
                        "{random: {seed: 3, norm: 2}}",
                        i ? other[_i] : "[[3, 2, 0.5], [1, -1, -0.3]]")
                ->problem;
  for (int k = 0; k < 36; k++)
    assert_near(p[1]->initial.x0[k], p[0]->initial.x0[k], 1e-14, "state");
  p[1]->system->parameters.remark(p[1]->parameters.all, remark, sizeof remark);
  ck_assert_msg(_i == 2 ? strstr(remark, "system.topography: 57% of the norm of its map") != NULL
                        : !*remark,
                "%s", remark);
}

/* Energies of large matrices are found without coefficients, those of small ones by them. A field
   of few degrees has nearly the same at both. */
TEST_OVER(energies_of_large_matrices_are_those_of_small_ones, 2) {
  static const int sizes[] = {256, 514};
  double energy[2];
  for (int i = 0; i < 2; i++) {
    const cas_problem *p =
        &open_sphere(
             0.1, 1,
             "N: %d, lamb: %d, initial: {coefficients: [[2, 1, 0.5], [3, 0, 1], [5, -4, 0.7]]}",
             sizes[i], 50 * _i)
             ->problem;
    cas_parameters_value(p, named(p->system->functionals, "energy"), 1, p->initial.x0, &energy[i]);
  }
  if (_i == 0)
    ck_assert_msg(fabs(energy[1] - (0.25 / 6 + 1.0 / 12 + 0.49 / 30) / 2) <= 1e-14, "%.17g",
                  energy[1]);
  ck_assert_msg(fabs(energy[1] / energy[0] - 1) <= (_i ? 1e-4 : 1e-13), "%.17g, %.17g", energy[0],
                energy[1]);
}

/* ---- waves ---- */

/* The eigenvector of number `mode` from the lowest on the m-th diagonal, by Jacobi rotations of the
   operator's matrix there; returns the eigenvalue. */
static double eigenvector(int N, int m, double lamb, int mode, double *vector) {
  const int n = N - m;
  double a[MOST][MOST], v[MOST][MOST] = {{0}};
  entry *out = matrix(N);
  for (int k = 0; k < n; k++) {
    entry *unit = matrix(N);
    unit[k * N + k + m] = 1;
    apply(N, lamb, unit, out);
    for (int i = 0; i < n; i++)
      a[i][k] = creal(out[i * N + i + m]);
    v[k][k] = 1;
  }
  for (int sweep = 0; sweep < 50; sweep++)
    for (int p = 0; p < n; p++)
      for (int q = p + 1; q < n; q++) {
        const double angle = 0.5 * atan2(2 * a[p][q], a[q][q] - a[p][p]), c = cos(angle),
                     s = sin(angle);
        for (int k = 0; k < n; k++) {
          const double x = a[k][p], y = a[k][q], z = v[k][p], w = v[k][q];
          a[k][p] = c * x - s * y, a[k][q] = s * x + c * y;
          v[k][p] = c * z - s * w, v[k][q] = s * z + c * w;
        }
        for (int k = 0; k < n; k++) {
          const double x = a[p][k], y = a[q][k];
          a[p][k] = c * x - s * y, a[q][k] = s * x + c * y;
        }
      }
  for (int i = 0; i < n; i++) {
    int below = 0;
    for (int j = 0; j < n; j++)
      below += a[j][j] < a[i][i];
    if (below == mode) {
      for (int k = 0; k < n; k++)
        vector[k] = v[k][i];
      return a[i][i];
    }
  }
  return NAN;
}

/* A wave whose stream function is in proportion to it does not change by itself, so that on the
   rotating sphere it turns at the speed of small ones, whatever its amplitude: without lamb the
   wave of Rossby and Haurwitz of degree m + mode. Returns the largest departure. */
static double wave_error(double lamb, int m, int mode, int steps) {
  enum { N = 13 };
  const double pi = acos(-1), rotation = 2, time = 1.5, s = 0.5 * (N - 1);
  double vector[N], norm = 0, most = 0;
  entry *rest = matrix(N), *w = matrix(N), *now = matrix(N);
  one_pass *o = open_sphere(
      time / steps, steps,
      "N: %d, lamb: %g, rotation: %g, time_unit: physical, initial: {random: {seed: 1, norm: 1}}",
      N, lamb, rotation);
  const double value = eigenvector(N, m, lamb, mode, vector);
  for (int k = 0; k < N; k++)
    norm += (s - k) * (s - k);
  for (int k = 0; k < N; k++)
    rest[k * N + k] = i_unit * 2 * rotation * sqrt(4 * pi / 3) * (s - k) / sqrt(norm);
  for (int k = 0; k + m < N; k++) {
    w[k * N + k + m] = 0.8 * i_unit * vector[k];
    w[(k + m) * N + k] = -conj(w[k * N + k + m]);
  }
  for (int k = 0; k < N * N; k++)
    now[k] = rest[k] + w[k];
  pack("su_n", N, now, o->problem.initial.x0);
  unpack("su_n", N, o->problem.W, run_block(o), now);
  for (int k = 0; k < N; k++)
    for (int l = 0; l < N; l++) {
      const entry turned = w[k * N + l] * cexp(i_unit * 2 * rotation * (l - k) / value * time);
      most = fmax(most, cabs(now[k * N + l] - rest[k * N + l] - turned));
    }
  ck_assert(isfinite(most));
  return most;
}

TEST(waves_turn_at_the_speed_of_the_operator) {
  static const struct {
    double lamb;
    int m, mode;
  } all[] = {{0, 2, 1}, {30, 2, 1}, {30, 1, 0}, {500, 3, 2}, {5, 11, 0}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    const double coarse = wave_error(all[i].lamb, all[i].m, all[i].mode, 50),
                 fine = wave_error(all[i].lamb, all[i].m, all[i].mode, 100);
    printf("lamb %g, m = %d: error %.3g, order %.3f\n", all[i].lamb, all[i].m, fine,
           log2(coarse / fine));
    ck_assert_msg(fine <= 2e-4 && fabs(log2(coarse / fine) - 2) <= 0.05,
                  "lamb %g, m = %d: errors %g and %g", all[i].lamb, all[i].m, coarse, fine);
  }
  ck_assert(fabs(eigenvector(13, 2, 0, 1, (double[MOST]){0}) - 12) <= 1e-12);
}

/* ---- a flow ---- */

static double energy_of(const cas_problem *p, const double *x) {
  double out[16], sum[16] = {0}, *spectrum = doubles((size_t)(p->geometry.n * p->W));
  p->system->observables[0].value(p->parameters.all, p->W, x, out);
  named(p->system->observables, "energy_spectrum")->value(p->parameters.all, p->W, x, spectrum);
  for (int l = 0; l < (p->geometry.n - 1) * p->W; l++)
    sum[l % p->W] += spectrum[l];
  ck_assert_msg(fabs(sum[0] - out[0]) <= 1e-14 * fabs(out[0]), "spectrum %.17g, energy %.17g",
                sum[0], out[0]);
  return out[0];
}

/* The largest change of energy while it is looked at, and the Casimirs. */
TEST_OVER(energy_is_kept_to_second_order_and_casimirs_to_rounding, 2) {
  double change[3];
  for (int k = 0; k < 3; k++) {
    one_pass *o =
        open_sphere(0.2 / (1 << k), 10 << k,
                    "N: %d, lamb: 60, rotation: 3, topography: [[2, 1, 0.5], [4, -3, 0.7]], "
                    "initial: {random: {seed: 1, norm: 3, lmax: 6}}, time_unit: physical",
                    _i ? 24 : 9);
    const double before = energy_of(&o->problem, initial_block(o));
    change[k] = energy_of(&o->problem, run_block(o)) / before - 1;
    ck_assert_msg(o->pass.level[0].drift[0] <= 1e-13, "Casimirs: %g", o->pass.level[0].drift[0]);
  }
  printf("energy changes by %.3g, %.3g, %.3g\n", change[0], change[1], change[2]);
  ck_assert(fabs(change[2]) > 1e-9 && fabs(change[2]) < 1e-3);
  ck_assert_msg(fabs(log2(fabs(change[1] / change[2])) - 2) <= 0.15, "energy: %g, %g, %g",
                change[0], change[1], change[2]);
}

/* Paths with numbers of their own are those of problems with that number. */
TEST(every_path_has_its_lamb) {
  const char *keys =
      "rotation: 1, topography: [[2, 1, 0.5]], initial: {random: {seed: 1, norm: 2}}";
  static const char *const text =
      "system: {name: euler_zeitlin, N: 5, lamb: %s, %s}\nrandom: {generator: threefry}\n"
      "study: {kind: trajectory, step: 2^-4, steps: 16, every: 16, paths: %d, observables: "
      "[hamiltonian, {own: lamb}]}\noutput: {file: results.h5}\n";
  run_well(NULL, text, "{uniform: [10, 100], each: path}", keys, 3);
  series own = recorded_series("own"), h = recorded_series("hamiltonian");
  const int64_t last = h.records - 1;
  ck_assert_int_eq(h.numbers, 3);
  for (int path = 0; path < 3; path++) {
    const char *number = formatted("%.17g", own.value[last * 3 + path]);
    ck_assert(own.value[path] != own.value[(path + 1) % 3]);
    run_well(NULL, text, number, keys, 1);
    series alone = recorded_series("hamiltonian");
    ck_assert_msg(alone.value[last] == h.value[last * 3 + path], "path %d: %.17g, %.17g", path,
                  alone.value[last], h.value[last * 3 + path]);
  }
}

TEST(what_cannot_be_is_refused) {
  static const char *const all[][2] = {
      {"lamb: -1", "system.lamb: found -1, must be at least 0"},
      {"lamb: .nan", "system.lamb: found .nan, must be a number"},
      {"lamb: 1, damping: {friction: 0.1}", "leave out 'damping' and 'forcing', or 'lamb'"},
      {"topography: [[1, 0]]", "system.topography: found rows of 2 numbers"},
      {"topography: [[4, 0, 1]]", "system.topography[0]: l is 4"},
      {"topography: [[2, 0, 1], [2, -3, 1]]", "system.topography[1]: m is -3"},
      {"topography: [[2, 0, 1], [2, 0, 1]]", "given twice"},
      {"topography: {file: rows.h5, dataset: rows}",
       "must be rows x 3, with the numbers l, m, value, or 32 x 64, a map on the grid of "
       "system.latitudes"}};
  write_array("rows.h5", "rows", 2, (hsize_t[]){3, 2}, (double[6]){0});
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    is_refused(1, all[i][1],
               "{system: {name: euler_zeitlin, N: 4, initial: {random: {seed: 1, norm: 1}}, %s}, "
               "study: {kind: trajectory, step: 2^-6, steps: 1}}",
               all[i][0]);
}

RUN_TESTS_WITH_MPI
