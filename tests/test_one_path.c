/* Blocks of one path: the same mathematics as paths across the lanes, from the same normals, for
   every instruction set. */
/* ranks: 1 */
#include "math/blas/threads.h"
#include "pass_fixture.h"
#include "systems/sphere/euler_zeitlin.h"

#include <math.h>

enum { STEPS = 60, MANY = 40000 };

/* A fluid with these keys at a random state of the norm 2, as paths across the lanes, or as one
   path whatever its size. */
static one_pass *fluid(const char *system, const char *keys, const char *integrator, bool alone) {
  one_pass *o = pass_of(0x1p-6, 1,
                        "{system: {name: %s, %s, initial: {random: {seed: 5, norm: 2}}}, "
                        "integrator: {%s}, random: {generator: threefry}}",
                        system, keys, integrator);
  cas_problem *p = &o->problem;
  if (!alone || p->W == 1)
    return o;
  cas_pass_free(&o->pass);
  p->W = p->noise.W = 1;
  p->body = p->system->blocks.path_body;
  p->scheme.step = cas_scheme_find_step(p->body, p->scheme.integrator);
  cas_geometry_find(p->kernels, p->system, p->body, p->parameters.all, &p->geometry);
  MUST(cas_pass_create(p, &o->plan, &o->pass, &err));
  memset(o->pass.memory, 0, cas_pass_bytes(p, &o->plan));
  return o;
}

static one_pass *sphere(const char *keys, const char *integrator) {
  return fluid("euler_zeitlin", keys, integrator, true);
}

/* Takes instruction set k; false, and the best one again: there is none. */
static bool use_set(int k) {
  use_kernels(cas_kernels_list(k));
  return cas_kernels_list(k) != NULL;
}

/* Steps with increments of normals that are cut at 1.5; returns what is counted for lane 0. */
static const cas_tally *run(one_pass *o, int steps, double *x) {
  const int noises = o->problem.normals.noises, draws = (noises / 64 + 1) * 64;
  double *u = doubles((size_t)draws), *z = doubles((size_t)draws);
  for (int step = 0; step < steps; step++) {
    o->problem.kernels->threefry(5, 0, 0, step, draws, u);
    o->problem.kernels->normals(draws, u, z);
    for (int k = 0; k < noises; k++)
      z[k] = 0x1p-3 * fmax(-1.5, fmin(1.5, z[k]));
    step_block(o, 0x1p-6, z, x);
  }
  return &o->pass.level[0].tally;
}

static const struct {
  const char *system, *keys;
} cases[] = {
    {"euler_zeitlin", "N: 2, noise: {amplitude: 1}"},
    {"euler_zeitlin", "N: 3"},
    {"euler_zeitlin", "N: 5, noise: {amplitude: 2, lmin: 1}"},
    {"euler_zeitlin", "N: 8, noise: {amplitude: 2, lmin: 7}"},
    {"euler_zeitlin", "N: 12, noise: {amplitude: 2}"},
    {"euler_zeitlin", "N: 19, noise: {amplitude: 3}, time_unit: physical"},
    {"euler_zeitlin", "N: 22, noise: {amplitude: 5, lmin: 3}"},
    {"euler_zeitlin", "N: 7, rotation: 0.5, noise: {amplitude: 2}"},
    {"euler_zeitlin",
     "N: 9, rotation: -1, time_unit: physical, noise: {kind: transport, amplitude: 0.5, fields: "
     "[[2, 3, -2, 0.3], [1, 1, 0, 0.2], [2, 8, 8, 0.1], [3, 4, 0, 0.2]]}"},
    {"euler_zeitlin",
     "N: 22, noise: {kind: transport, modes: {lmin: 2, lmax: 4, spectrum: 0.3/l}}"},
    {"sine_euler", "N: 3, noise: {amplitude: 0.3, modes: [[1, -1], [-1, 0]]}"},
    {"sine_euler", "N: 9"},
    {"sine_euler", "N: 17, noise: {amplitude: 0.01, modes: [[0, 1], [-7, 3], [2, -8]]}"},
};

static void check_lane(const cas_integrator *scheme, const char *more, int n) {
  const char *integrator = formatted("name: %s%s", scheme->name, more);
  one_pass *lanes = fluid(cases[n].system, cases[n].keys, integrator, false),
           *alone = fluid(cases[n].system, cases[n].keys, integrator, true);
  /* Steps of large states take long, and few of them show what one path does otherwise. */
  const int components = alone->problem.components,
            steps = all_or(components > 200 ? STEPS / 6 : STEPS, STEPS / 6);
  double *x = initial_block(lanes), *y = initial_block(alone), *start = initial_block(alone);
  ck_assert(lanes->problem.W > 1 && alone->problem.W == 1);
  const cas_tally *a = run(lanes, steps, x), *b = run(alone, steps, y);
  for (int i = 0; i < components; i++) {
    const double wanted = x[i * lanes->problem.W];
    ck_assert_msg(isfinite(y[i]) && fabs(y[i] - wanted) <= 2e-14,
                  "%s, %s, %s: component %d is %.17g, must be %.17g", cas_kernels_get()->name,
                  integrator, cases[n].keys, i, y[i], wanted);
  }
  ck_assert(farthest(alone, y, start) > 1e-3);
  /* a group of lanes goes on until its last lane has converged; rounding may cost one more */
  ck_assert(b->iterations[0] >= steps + !scheme->is_explicit &&
            b->iterations[0] <= a->iterations[0] + steps);
  ck_assert(a->not_converged[0] == 0 && b->not_converged[0] == 0);
  suite_forget();
}

/* with every scheme that fits */
TEST_OVER(one_path_is_a_lane, (int)(sizeof cases / sizeof *cases)) {
  for (int k = 0; use_set(k); k++) {
    int schemes = 0;
    for (const cas_integrator *const *i = cas_kernels_list(k)->integrators; *i; i++)
      if (!cas_scheme_misfit(cas_system_find(cases[_i].system)->blocks.path_body, *i)) {
        check_lane(*i, "", _i);
        check_lane(*i, ", compensated: true", _i);
        schemes++;
      }
    ck_assert(schemes > 0);
  }
}

/* Also: compensated addition changes rounding errors, and nothing else. */
TEST(failures_are_counted_for_one_path) {
  for (int k = 0; use_set(k); k++) {
    one_pass *few = sphere(cases[4].keys, "max_iterations: 2"), *lost = sphere(cases[4].keys, ""),
             *kept = sphere(cases[4].keys, "compensated: true"), *nan = sphere(cases[4].keys, "");
    double *x = initial_block(few), *y = initial_block(few), *z = initial_block(few);
    const cas_tally *t = run(few, STEPS, x);
    ck_assert(t->not_converged[0] == STEPS && t->iterations[0] == 2 * STEPS &&
              t->iterations_max[0] == 2);
    run(lost, STEPS, y);
    run(kept, STEPS, z);
    const double differ = farthest(lost, y, z);
    ck_assert(differ > 0 && differ < 1e-13);
    /* a NaN is seen as one, and does not hold up the iteration */
    x[5] = NAN;
    t = run(nan, STEPS, x);
    ck_assert(!isfinite(x[5]) && t->iterations_max[0] < 100);
  }
}

static double drift_of_casimirs(const char *integrator) {
  one_pass *o = sphere(cases[1].keys, integrator);
  const cas_geometry *g = &o->problem.geometry;
  double before[3], after[3], most = 0, *x = initial_block(o);
  g->algebra->casimir(g, 1, x, before);
  run(o, MANY, x);
  g->algebra->casimir(g, 1, x, after);
  for (int i = 0; i < 3; i++)
    most = fmax(most, fabs(after[i] - before[i]));
  return most;
}

/* What rounding loses in each step is made up for in the next. */
TEST(compensation_keeps_casimirs) {
  use_kernels(cas_kernels_list(0));
  const double lost = drift_of_casimirs(""), kept = drift_of_casimirs("compensated: true");
  ck_assert_msg(kept <= 3e-15 && lost > 2 * kept, "eigenvalues drift by %g, compensated by %g",
                lost, kept);
  use_kernels(NULL);
}

/* ---- sizes at which all blocks and edges occur ---- */

static const int large[] = {25, 63, 64, 65, 131};

/* Psi/2 coefficient by coefficient: -1/2 (h + c dW_lm)/(l(l+1)), c dW only for l >= lmin */
TEST_OVER(gradient_of_large_matrices, (int)(sizeof large / sizeof *large)) {
  const double h = 0.25, amplitude = 0.75;
  int N = large[_i], lmin = N / 3;
  for (int k = 0; use_set(k); k++) {
    one_pass *o =
        sphere(formatted("N: %d, noise: {amplitude: %g, lmin: %d}", N, amplitude, lmin), "");
    const cas_problem *p = &o->problem;
    const cas_hoppe_yau *b = &((const cas_euler_zeitlin *)p->parameters.all)->harmonics;
    const size_t n = (size_t)(N * N);
    double *x = doubles(n), *q = doubles(n), *before = doubles(n), *after = doubles(n),
           *dw = doubles(n), *half = doubles(n), *coef = o->pass.level[0].coef;
    for (int i = 0; i < N * N - 1; i++) {
      before[i] = sin(1 + 3.0 * i);
      dw[i] = cos(2.0 * i);
      half[i] = -0.5 * dw[i];
    }
    cas_hoppe_yau_state(b, before, x);
    for (int i = 0; i < N; i++)
      x[i] += 0.5; /* a trace is left out */
    p->system->psi.prepare(p->parameters.all, 1, -0.5 * h, half, coef);
    p->body->psi(&o->pass.level[0].stepper, coef, x, q);
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
    suite_forget();
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

static const char *const shared[] = {
    "N: 25, noise: {amplitude: 2, lmin: 3}",
    "N: 64, noise: {kind: transport, modes: {lmin: 2, lmax: 9, spectrum: 0.1/l}}",
    "N: 101, rotation: 2, noise: {amplitude: 2}", "N: 130, rotation: 2"};

/* The sums of an entry have one order. */
TEST_OVER(bits_do_not_depend_on_threads, (int)(sizeof shared / sizeof *shared)) {
  for (int k = 0; use_set(k); k++) {
    one_pass *o = sphere(shared[_i], "");
    const size_t bytes = block_size(o) * sizeof(double);
    double *first = initial_block(o);
    run(o, 3, first);
    ck_assert(memcmp(first, initial_block(o), bytes) != 0);
    for (int threads = 2; threads <= 5; threads++) {
      double *x = initial_block(o);
      cas_threads_use(threads);
      run(o, 3, x);
      cas_threads_use(1);
      ck_assert_msg(memcmp(x, first, bytes) == 0, "%s: other bits with %d threads", shared[_i],
                    threads);
    }
    suite_forget();
  }
}

/* ---- early iterations in single precision ---- */

/* A state of the norm 1 after a step of length h without noise; returns the iterations of this
   step. Beside `size` the state and its tolerance are this large in the step. */
static double step_without_noise(one_pass *o, double h, double tolerance, double size, double *x) {
  cas_stepper *s = &o->pass.level[0].stepper;
  cas_tally *t = &o->pass.level[0].tally;
  t->iterations[0] = 0;
  s->h = h;
  s->relative = s->tolerance = tolerance * size;
  for (size_t i = 0; i < block_size(o); i++)
    x[i] = 0.5 * o->problem.initial.x0[i] * size;
  step_block(o, h, NULL, x);
  for (size_t i = 0; i < block_size(o); i++)
    x[i] /= size;
  ck_assert_msg(t->not_converged[0] == 0, "h = %g: %g iterations did not converge", h,
                t->iterations[0]);
  return t->iterations[0];
}

/* States beyond the range of single precision take as many iterations, to the same bits. */
TEST(large_and_small_states_are_scaled) {
  const int exponents[] = {-900, -200, 200, 900};
  for (int k = 0; use_set(k); k++) {
    one_pass *o = sphere("N: 30", "");
    double *first = initial_block(o), *x = initial_block(o);
    const double iterations = step_without_noise(o, 0x1p-6, 1e-15, 1, first);
    for (int i = 0; i < 4; i++) {
      const double size = ldexp(1, exponents[i]);
      ck_assert_msg(step_without_noise(o, 0x1p-6 / size, 1e-15, size, x) == iterations,
                    "2^%d: other iterations", exponents[i]);
      ck_assert_msg(memcmp(x, first, block_size(o) * sizeof *x) == 0, "2^%d: other bits",
                    exponents[i]);
    }
  }
}

/* The rate of convergence ends a step where the solution is known to the tolerance, for steps of
   which an iteration gains a factor of 1000, and for those of which it gains 2. */
TEST(steps_end_within_their_tolerance) {
  for (int k = 0; use_set(k); k++) {
    one_pass *o = sphere("N: 30", "");
    double *exact = initial_block(o), *x = initial_block(o);
    for (int exponent = -4; exponent <= 5; exponent++) {
      step_without_noise(o, ldexp(1, exponent), 1e-15, 1, exact);
      for (double tolerance = 1e-5; tolerance > 1e-14; tolerance /= 10) {
        const double iterations = step_without_noise(o, ldexp(1, exponent), tolerance, 1, x),
                     error = farthest(o, x, exact);
        ck_assert_msg(error <= tolerance, "h = 2^%d, tolerance %g: error %g after %g iterations",
                      exponent, tolerance, error, iterations);
        ck_assert_msg(iterations <= 20, "h = 2^%d: %g iterations", exponent, iterations);
      }
    }
  }
}

RUN_TESTS_WITH_MPI
