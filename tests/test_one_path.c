/* Blocks of one path: the same mathematics as paths across the lanes, from the same normals, for
   every instruction set. */
#include "math/blas/threads.h"
#include "math/kernels/kernels.h"
#include "numbers.h"
#include "paths/problem/problem.h"
#include "suite.h"
#include "systems/sphere/euler_zeitlin.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 60, MANY = 40000 };

typedef struct {
  const cas_kernels *kernels;
  const cas_system *system;
  void *parameters;
  cas_geometry geometry;
  int noises;
} setting;

static setting open_setting(const cas_kernels *k, const char *name, const char *text) {
  setting s = {.kernels = k};
  cas_config *c;
  cas_error err = {0};
  for (const cas_system *const *i = k->systems; *i; i++)
    if (strcmp((*i)->name, name) == 0)
      s.system = *i;
  s.parameters = calloc(1, s.system->parameters.size);
  MUST(cas_config_parse(text, strlen(text), "test", &c, &err));
  MUST(cas_options_read(c, "system", s.system->parameters.options, NULL, s.parameters, &err));
  ck_assert_msg(!s.system->parameters.check || !s.system->parameters.check(c, s.parameters, &err),
                "%s", err.text);
  cas_config_free(c);
  cas_geometry_find(k, s.system, s.system->blocks.path_body, s.parameters, &s.geometry);
  s.noises = s.system->noise.number(s.parameters);
  return s;
}

static void close_setting(setting *s) {
  s->system->parameters.release(s->parameters);
  cas_options_free(s->system->parameters.options, s->parameters);
  free(s->parameters);
}

typedef struct {
  double iterations, iterations_max, not_converged, clipped;
} tally_of_lane;

/* How steps are made: `bound` is that of the normals, 0 without noise. */
typedef struct {
  int steps, W;
  bool compensated;
  int max_iterations;
  double h, bound, tolerance;
} manner;

static manner plain(int steps, int W) { return (manner){steps, W, false, 100, 0x1p-6, 1.5, 1e-15}; }

/* lane 0 of W lanes; x: [components], in and out */
static tally_of_lane run_scheme(const setting *s, const cas_integrator *scheme, manner how,
                                double *x) {
  const cas_body *body =
      how.W == 1 ? s->system->blocks.path_body : s->system->blocks.body(s->parameters);
  cas_geometry geometry;
  cas_geometry_find(s->kernels, s->system, body, s->parameters, &geometry);
  const int lanes = s->system->blocks.lanes, draws = s->noises * lanes;
  const double scale = scheme->scale;
  size_t n = (size_t)s->geometry.components, w = (size_t)how.W;
  double *block = doubles(n * w), *carry = doubles(n * w), *u = doubles(2 * (size_t)draws + 16),
         *z = doubles((size_t)draws + 16), *dw = doubles((size_t)draws + 16),
         *coef = doubles((size_t)cas_system_coefficients(s->system, s->parameters) * w + 8 * n),
         *tallies = doubles(5 * w), *work = doubles(cas_scheme_work(body, scheme, &geometry)),
         *scratch = doubles(geometry.algebra->scratch(&geometry));
  cas_stepper stepper = {.system = s->system,
                         .parameters = s->parameters,
                         .geometry = geometry,
                         .W = how.W,
                         .h = how.h,
                         .relative = how.tolerance,
                         .tolerance = how.tolerance,
                         .max_iterations = how.max_iterations,
                         .compensated = how.compensated};
  cas_tally tally = {tallies, tallies + w, tallies + 2 * w, tallies + 3 * w, tallies + 4 * w};
  stepper.geometry.scratch = scratch;
  for (size_t i = 0; i < n * w; i++)
    block[i] = x[i / w];
  for (int step = 0; step < how.steps; step++) {
    s->kernels->threefry(5, 0, 0, step, draws, u);
    s->kernels->normals(draws, u, z);
    for (int k = 0; how.W == 1 && k < s->noises; k++) /* lane 0 alone */
      z[k] = z[k * lanes];
    s->kernels->truncate(s->noises, how.W, z, how.bound, scale * sqrt(how.h), dw, tally.clipped);
    s->system->psi.prepare(s->parameters, how.W, scale * how.h, dw, coef);
    cas_scheme_find_step(body, scheme)(&stepper, block, how.compensated ? carry : NULL, coef, work,
                                       &tally);
  }
  for (size_t k = 0; k < n; k++)
    x[k] = block[k * w];
  tally_of_lane t = {tally.iterations[0], tally.iterations_max[0], tally.not_converged[0],
                     tally.clipped[0]};
  return t;
}

/* by the first scheme of the registry */
static tally_of_lane run(const setting *s, manner how, double *x) {
  return run_scheme(s, s->kernels->integrators[0], how, x);
}

static double *random_state(const setting *s, double norm) {
  int n = (s->geometry.components + 15) / 16 * 16;
  double *u = doubles((size_t)n), *x = doubles((size_t)n);
  s->kernels->threefry(3, 0, 0, 0, n, u);
  s->kernels->normals(n, u, x);
  s->system->initial.random(s->parameters, norm, x);
  return x;
}

static const struct {
  const char *system, *text;
} cases[] = {
    {"euler_zeitlin", "system: {N: 2, noise: {amplitude: 1}}"},
    {"euler_zeitlin", "system: {N: 3}"},
    {"euler_zeitlin", "system: {N: 5, noise: {amplitude: 2, lmin: 1}}"},
    {"euler_zeitlin", "system: {N: 8, noise: {amplitude: 2, lmin: 7}}"},
    {"euler_zeitlin", "system: {N: 12, noise: {amplitude: 2}}"},
    {"euler_zeitlin", "system: {N: 19, noise: {amplitude: 3}, time_unit: physical}"},
    {"euler_zeitlin", "system: {N: 22, noise: {amplitude: 5, lmin: 3}}"},
    {"euler_zeitlin", "system: {N: 7, rotation: 0.5, noise: {amplitude: 2}}"},
    {"euler_zeitlin",
     "system: {N: 9, rotation: -1, time_unit: physical, noise: {kind: transport, amplitude: 0.5, "
     "fields: [[2, 3, -2, 0.3], [1, 1, 0, 0.2], [2, 8, 8, 0.1], [3, 4, 0, 0.2]]}}"},
    {"euler_zeitlin",
     "system: {N: 22, noise: {kind: transport, modes: {lmin: 2, lmax: 4, spectrum: 0.3/l}}}"},
    {"sine_euler", "system: {N: 3, noise: {amplitude: 0.3, modes: [[1, -1], [-1, 0]]}}"},
    {"sine_euler", "system: {N: 9}"},
    {"sine_euler", "system: {N: 17, noise: {amplitude: 0.01, modes: [[0, 1], [-7, 3], [2, -8]]}}"},
};

/* Steps of large states take long, and few of them show what one path does otherwise. */
static int steps_of(const setting *s) { return s->geometry.components > 200 ? STEPS / 6 : STEPS; }

static void check_lane(const setting *s, const cas_integrator *scheme, bool compensated,
                       const char *text) {
  const int steps = steps_of(s);
  double *start = random_state(s, 2), *across = random_state(s, 2), *alone = random_state(s, 2),
         moved = 0;
  manner how = plain(steps, s->system->blocks.lanes);
  how.compensated = compensated;
  const tally_of_lane a = run_scheme(s, scheme, how, across);
  how.W = 1;
  const tally_of_lane b = run_scheme(s, scheme, how, alone);
  for (int i = 0; i < s->geometry.components; i++) {
    ck_assert_msg(isfinite(alone[i]) && fabs(alone[i] - across[i]) <= 2e-14,
                  "%s, %s, %s: component %d is %.17g, must be %.17g", s->kernels->name,
                  scheme->name, text, i, alone[i], across[i]);
    moved = fmax(moved, fabs(alone[i] - start[i]));
  }
  ck_assert(moved > 1e-3);
  /* a group of lanes goes on until its last lane has converged; rounding may cost one more */
  ck_assert(b.iterations >= steps + !scheme->is_explicit && b.iterations <= a.iterations + steps);
  ck_assert(a.not_converged == 0 && b.not_converged == 0 && a.clipped == b.clipped);
  ck_assert(s->noises < 20 || b.clipped > 0);
  suite_forget();
}

/* with every scheme that fits */
TEST_OVER(one_path_is_a_lane, (int)(sizeof cases / sizeof *cases)) {
  for (int k = 0; cas_kernels_list(k); k++) {
    setting s = open_setting(cas_kernels_list(k), cases[_i].system, cases[_i].text);
    int schemes = 0;
    for (const cas_integrator *const *i = cas_kernels_list(k)->integrators; *i; i++)
      if (!cas_scheme_misfit(s.system->blocks.path_body, *i)) {
        check_lane(&s, *i, false, cases[_i].text);
        check_lane(&s, *i, true, cases[_i].text);
        schemes++;
      }
    ck_assert(schemes > 0);
    close_setting(&s);
  }
}

/* Also: compensated addition changes rounding errors, and nothing else. */
TEST(failures_are_counted_for_one_path) {
  for (int k = 0; cas_kernels_list(k); k++) {
    setting s = open_setting(cas_kernels_list(k), "euler_zeitlin", cases[4].text);
    double *x = random_state(&s, 2), *lost = random_state(&s, 2), *kept = random_state(&s, 2),
           differ = 0;
    manner few = plain(STEPS, 1), compensated = plain(STEPS, 1);
    few.max_iterations = 2;
    compensated.compensated = true;
    tally_of_lane t = run(&s, few, x);
    ck_assert(t.not_converged == STEPS && t.iterations == 2 * STEPS && t.iterations_max == 2);
    run(&s, plain(STEPS, 1), lost);
    run(&s, compensated, kept);
    for (int i = 0; i < s.geometry.components; i++)
      differ = fmax(differ, fabs(lost[i] - kept[i]));
    ck_assert(differ > 0 && differ < 1e-13);
    /* a NaN is seen as one, and does not hold up the iteration */
    x[5] = NAN;
    t = run(&s, plain(STEPS, 1), x);
    ck_assert(!isfinite(x[5]) && t.iterations_max < 100);
    close_setting(&s);
  }
}

static double drift_of_casimirs(const setting *s, bool compensated) {
  double before[3], after[3], most = 0, *x = random_state(s, 2);
  s->geometry.algebra->casimir(&s->geometry, 1, x, before);
  manner how = plain(MANY, 1);
  how.compensated = compensated;
  run(s, how, x);
  s->geometry.algebra->casimir(&s->geometry, 1, x, after);
  for (int i = 0; i < 3; i++)
    most = fmax(most, fabs(after[i] - before[i]));
  return most;
}

/* What rounding loses in each step is made up for in the next. */
TEST(compensation_keeps_casimirs) {
  setting s = open_setting(cas_kernels_list(0), "euler_zeitlin", cases[1].text);
  double lost = drift_of_casimirs(&s, false), kept = drift_of_casimirs(&s, true);
  ck_assert_msg(kept <= 3e-15 && lost > 2 * kept, "eigenvalues drift by %g, compensated by %g",
                lost, kept);
  close_setting(&s);
}

/* ---- sizes at which all blocks and edges occur ---- */

static const int large[] = {25, 63, 64, 65, 131};

/* Psi/2 coefficient by coefficient: -1/2 (h + c dW_lm)/(l(l+1)), c dW only for l >= lmin */
TEST_OVER(gradient_of_large_matrices, (int)(sizeof large / sizeof *large)) {
  const double h = 0.25, amplitude = 0.75;
  int N = large[_i], lmin = N / 3;
  char text[200];
  snprintf(text, sizeof text, "system: {N: %d, noise: {amplitude: %g, lmin: %d}}", N, amplitude,
           lmin);
  for (int k = 0; cas_kernels_list(k); k++) {
    setting s = open_setting(cas_kernels_list(k), "euler_zeitlin", text);
    const cas_hoppe_yau *b = &((const cas_euler_zeitlin *)s.parameters)->harmonics;
    size_t n = (size_t)(N * N);
    double *x = doubles(n), *q = doubles(n), *before = doubles(n), *after = doubles(n),
           *dw = doubles(n), *half = doubles(n),
           *coef = doubles((size_t)cas_system_coefficients(s.system, s.parameters)),
           *workspace = doubles(s.geometry.algebra->scratch(&s.geometry));
    cas_stepper stepper = {.parameters = s.parameters, .geometry = s.geometry};
    stepper.geometry.scratch = workspace;
    for (int i = 0; i < N * N - 1; i++) {
      before[i] = sin(1 + 3.0 * i);
      dw[i] = cos(2.0 * i);
      half[i] = -0.5 * dw[i];
    }
    cas_hoppe_yau_state(b, before, x);
    for (int i = 0; i < N; i++)
      x[i] += 0.5; /* a trace is left out */
    s.system->psi.prepare(s.parameters, 1, -0.5 * h, half, coef);
    s.system->blocks.path_body->psi(&stepper, coef, x, q);
    cas_hoppe_yau_coefficients(b, 1, q, after);
    for (int l = 1; l < N; l++)
      for (int m = -l; m <= l; m++) {
        int i = cas_hoppe_yau_mode(l, m);
        double noise = l < lmin ? 0 : amplitude * dw[l * l + l + m - lmin * lmin],
               wanted = -0.5 * (h + noise) / (l * (l + 1.0)) * before[i];
        ck_assert_msg(isfinite(after[i]) && fabs(after[i] - wanted) <= 1e-14,
                      "N = %d: coefficient (%d, %d) is %.17g, must be %.17g", N, l, m, after[i],
                      wanted);
      }
    double trace = 0;
    for (int i = 0; i < N; i++)
      trace += q[i];
    ck_assert(fabs(trace) <= 1e-13);
    close_setting(&s);
  }
}

/* ---- threads ---- */

enum { PARTS = 7, PIECES = 3 };

static void count_part(void *seen, int part, int parts) {
  ck_assert(part < parts);
  ((int *)seen)[part]++;
}

TEST(each_part_is_done_once) {
  for (int threads = PARTS; threads >= 1; threads -= 2)
    for (int pieces = 1; pieces <= PIECES; pieces++) {
      int seen[PARTS * PIECES] = {0};
      cas_threads_use(threads);
      for (int i = 0; i < 1000; i++)
        cas_threads_run(count_part, seen, pieces);
      for (int i = 0; i < PARTS * PIECES; i++)
        ck_assert_int_eq(seen[i], i < (threads == 1 ? 1 : threads * pieces) ? 1000 : 0);
    }
}

static const struct {
  int N;
  const char *text;
} shared[] = {{25, "noise: {amplitude: 2, lmin: 3}"},
              {64, "noise: {kind: transport, modes: {lmin: 2, lmax: 9, spectrum: 0.1/l}}"},
              {101, "rotation: 2, noise: {amplitude: 2}"},
              {130, "rotation: 2"}};

/* The sums of an entry have one order. */
TEST_OVER(bits_do_not_depend_on_threads, (int)(sizeof shared / sizeof *shared)) {
  char text[200];
  snprintf(text, sizeof text, "system: {N: %d, %s}", shared[_i].N, shared[_i].text);
  for (int k = 0; cas_kernels_list(k); k++) {
    setting s = open_setting(cas_kernels_list(k), "euler_zeitlin", text);
    const size_t bytes = (size_t)s.geometry.components * sizeof(double);
    double *first = random_state(&s, 3), *start = doubles((size_t)s.geometry.components);
    memcpy(start, first, bytes);
    run(&s, plain(3, 1), first);
    ck_assert(memcmp(first, start, bytes) != 0);
    for (int threads = 2; threads <= 5; threads++) {
      double *x = random_state(&s, 3);
      cas_threads_use(threads);
      run(&s, plain(3, 1), x);
      cas_threads_use(1);
      ck_assert_msg(memcmp(x, first, bytes) == 0, "N = %d: other bits with %d threads",
                    shared[_i].N, threads);
    }
    close_setting(&s);
  }
}

/* ---- early iterations in single precision ---- */

/* A step of length h without noise; returns the iterations. */
static double step_without_noise(const setting *s, double h, double tolerance, double *x) {
  const tally_of_lane t = run(s, (manner){1, 1, false, 100, h, 0, tolerance}, x);
  ck_assert_msg(t.not_converged == 0, "h = %g: %g iterations did not converge", h, t.iterations);
  return t.iterations;
}

/* A step of length 2^-exponent/64 from a state of the norm 2^exponent. */
static double step_of_size(const setting *s, int exponent, double *x) {
  const size_t n = (size_t)s->geometry.components;
  for (size_t i = 0; i < n; i++)
    x[i] = ldexp(x[i], exponent);
  const double iterations =
      step_without_noise(s, ldexp(1, -6 - exponent), ldexp(1e-15, exponent), x);
  for (size_t i = 0; i < n; i++)
    x[i] = ldexp(x[i], -exponent);
  return iterations;
}

/* States that are beyond the range of single precision take as many iterations, to the same
   bits. */
TEST(large_and_small_states_are_scaled) {
  const int exponents[] = {-900, -200, 200, 900};
  for (int k = 0; cas_kernels_list(k); k++) {
    setting s = open_setting(cas_kernels_list(k), "euler_zeitlin", "system: {N: 30}");
    const size_t bytes = (size_t)s.geometry.components * sizeof(double);
    double *first = random_state(&s, 1);
    const double iterations = step_of_size(&s, 0, first);
    for (int i = 0; i < 4; i++) {
      double *x = random_state(&s, 1);
      ck_assert_msg(step_of_size(&s, exponents[i], x) == iterations, "2^%d: other iterations",
                    exponents[i]);
      ck_assert_msg(memcmp(x, first, bytes) == 0, "2^%d: other bits", exponents[i]);
    }
    close_setting(&s);
  }
}

/* The rate of convergence ends a step where the solution is known to the tolerance, for steps of
   which an iteration gains a factor of 1000, and for those of which it gains 2. */
TEST(steps_end_within_their_tolerance) {
  for (int k = 0; cas_kernels_list(k); k++) {
    setting s = open_setting(cas_kernels_list(k), "euler_zeitlin", "system: {N: 30}");
    for (int exponent = -4; exponent <= 5; exponent++) {
      double *exact = random_state(&s, 1);
      step_without_noise(&s, ldexp(1, exponent), 1e-15, exact);
      for (double tolerance = 1e-5; tolerance > 1e-14; tolerance /= 10) {
        double *x = random_state(&s, 1), error = 0;
        const double iterations = step_without_noise(&s, ldexp(1, exponent), tolerance, x);
        for (int i = 0; i < s.geometry.components; i++)
          error = fmax(error, fabs(x[i] - exact[i]));
        ck_assert_msg(error <= tolerance, "h = 2^%d, tolerance %g: error %g after %g iterations",
                      exponent, tolerance, error, iterations);
        ck_assert_msg(iterations <= 20, "h = 2^%d: %g iterations", exponent, iterations);
      }
    }
    close_setting(&s);
  }
}

RUN_TESTS
