/* Linear damping of every Lie-Poisson system that has it: Casimirs of degree k fall by
   exp(-k rate t) to rounding under every scheme that keeps them, schemes keep their order, and
   paths without noise are those of a closed form. */
/* ranks: 1 */
#include "matrices.h"
#include "pass_fixture.h"

/* ---- Casimirs, from matrices ---- */

enum { MOST = 12, CASES = 40, STEPS = 320 };
static const double rate = 0.15, h = 0x1p-4; /* exp(-rate t) is exp(-3) at the end */

/* tr (-i X)^k of the matrix X of one lane, k = 2 .. n, of these degrees. */
static int traces_of(const cas_problem *p, const double *x, double *out, int *degree) {
  const int n = p->geometry.n;
  entry *a = matrix(n), *power = matrix(n), *next = matrix(n);
  int found = 0;
  unpack(p->geometry.algebra->name, n, p->W, x, a);
  memcpy(power, a, (size_t)(n * n) * sizeof *a);
  for (int k = 2; k <= n; k++) {
    entry trace = 0;
    multiply(n, power, a, next);
    memcpy(power, next, (size_t)(n * n) * sizeof *a);
    for (int i = 0; i < n; i++)
      trace += power[i * n + i];
    out[found] = creal(trace * cpow(-i_unit, k));
    degree[found++] = k;
  }
  return found;
}

static double product(const cas_problem *p, const double *x, int a, int b) {
  double sum = 0;
  for (int k = 0; k < 3; k++)
    sum += x[(a + k) * p->W] * x[(b + k) * p->W];
  return sum;
}

/* The Casimirs of the lane at which x points, and their degrees; returns how many. */
static int casimirs_of(const cas_problem *p, const double *x, double *out, int *degree) {
  const char *name = p->geometry.algebra->name;
  const int factors = p->geometry.factors;
  if (strcmp(name, "so_n") == 0 || strcmp(name, "su_n") == 0)
    return traces_of(p, x, out, degree);
  for (int k = 0; k < MOST; k++)
    degree[k] = 2;
  if (strcmp(name, "se3") == 0) {
    out[0] = product(p, x, 3, 3);
    out[1] = product(p, x, 0, 3);
    return 2;
  }
  if (strcmp(name, "brackets") == 0) { /* so(2, 1), below */
    out[0] = x[0] * x[0] - x[p->W] * x[p->W] + x[2 * p->W] * x[2 * p->W];
    return 1;
  }
  for (int i = 0; i < factors; i++)
    out[i] = product(p, x, 3 * i, 3 * i);
  return factors;
}

/* ---- every system that has it ---- */

typedef struct {
  const char *system, *keys, *noise;
} system_case;

/* The last one has a Casimir that is no homogeneous function. */
static const system_case further[] = {
    {"rigid_body", "inertia: [2, 1, 0.5], initial: [0.36, 0.48, 0.8], attitude: true",
     "noise: {kind: linear, chi: [[0.1, 0, 0.2], [0, 0.2, 0.1]]}"},
    {"lie_poisson",
     "algebra: se3, hamiltonian: \"Pi1^2/2 + Pi2^2 + Pi3^2/3 + Gamma3 + 0.2*Gamma1^2\", initial: "
     "[0.3, -0.4, 0.6, 0.36, 0.48, 0.8]",
     "noise: [0.1*Pi1*Pi2]"},
    {"lie_poisson",
     "algebra: so_n, n: 5, hamiltonian: \"x12^2 + x13*x24 + x34*x45\", initial: {random: {seed: 2, "
     "norm: 1}}",
     "noise: [0.1*x12*x23]"},
    {"lie_poisson",
     "algebra: su_n, N: 3, hamiltonian: \"d1*re12 + im23^2 - 0.3*d2\", initial: {random: {seed: 3, "
     "norm: 1}}",
     "noise: [0.1*d1*im12]"},
    {"lie_poisson",
     "algebra: su2, factors: 2, hamiltonian: \"x1_1*x2_1 + x1_2*x2_2 + x1_3\", initial: {random: "
     "{seed: 4, norm: 1}}",
     "noise: [0.1*x1_1*x2_2]"},
    {"lie_poisson",
     "algebra: {structure_constants: [[1, 2, 3, 1], [2, 3, 1, 1], [3, 1, 2, -1]]}, casimirs: "
     "[\"x1^2 - x2^2 + x3^2 + 0.5*exp(x1^2 - x2^2 + x3^2)\"], hamiltonian: \"x1^2/4 + x2*x3/4\", "
     "initial: [0.3, 0.4, 0.5]",
     "noise: [0.1*x1*x2]"}};

static int find_cases(system_case out[CASES]) {
  int n = 0;
  for (const cas_system *const *s = cas_kernels_get()->systems; *s; s++)
    if ((*s)->damping)
      out[n++] = (system_case){(*s)->name, (*s)->example.keys, (*s)->example.noise};
  ck_assert_int_ge(n, 4);
  for (size_t i = 0; i < sizeof further / sizeof *further; i++)
    out[n++] = further[i];
  return n;
}

/* R x, that damping makes fall as the components. */
static void check_momentum(const one_pass *o, const double *before, double left) {
  const cas_problem *p = &o->problem;
  const cas_functional *f = named(p->system->observables, "spatial_momentum");
  double *x = doubles((size_t)(3 * p->W)), *x0 = doubles((size_t)(3 * p->W));
  f->value(p->parameters.all, p->W, o->pass.level[0].x, x);
  f->value(p->parameters.all, p->W, before, x0);
  for (int i = 0; i < 3 * p->W; i++)
    ck_assert_msg(fabs(x[i] - left * x0[i]) <= 1e-12 * left, "R x: %.17g, not %.17g", x[i],
                  left * x0[i]);
}

static void check_block(const one_pass *o, const char *of, const double *before) {
  const cas_problem *p = &o->problem;
  for (int lane = 0; lane < p->W; lane += 7) {
    double now[MOST], then[MOST];
    int degree[MOST];
    const int n = casimirs_of(p, o->pass.level[0].x + lane, now, degree);
    casimirs_of(p, before + lane, then, degree);
    for (int k = 0; k < n; k++) {
      const double due = exp(-degree[k] * rate * STEPS * h) * then[k];
      ck_assert_msg(fabs(now[k] - due) <= 2e-12 * exp(-degree[k] * rate * STEPS * h),
                    "%s: Casimir %d of degree %d is %.17g, must be %.17g", of, k, degree[k], now[k],
                    due);
    }
    ck_assert_msg(o->pass.level[0].drift[lane] <= 1e-12, "%s: drift %g", of,
                  o->pass.level[0].drift[lane]);
  }
  if (p->part)
    check_momentum(o, before, exp(-rate * STEPS * h));
}

TEST(casimirs_fall_at_their_rates) {
  system_case all[CASES];
  const int cases = find_cases(all);
  int pairs = 0;
  for (int c = 0; c < 2 * cases; c++) {
    const int others = pairs;
    for (const cas_integrator *const *i = cas_kernels_get()->integrators; *i; i++) {
      const system_case *of = &all[c / 2];
      const bool noise = c % 2;
      cas_error err;
      one_pass *o = find_pass(h, STEPS, &err,
                              "{system: {name: %s, %s%s%s, damping: {rate: %g}}, integrator: "
                              "{name: %s, tolerance: 1e-16}, random: {generator: threefry}}",
                              of->system, of->keys, noise ? ", " : "", noise ? of->noise : "", rate,
                              (*i)->name);
      if (o && o->problem.keeps_casimirs) { /* NULL: They do not fit. */
        const double *before = initial_block(o);
        run_block(o);
        check_block(o,
                    formatted("%s, %s, noise %d, %s", of->system, o->problem.geometry.algebra->name,
                              noise, (*i)->name),
                    before);
        pairs++;
      }
      suite_forget();
    }
    ck_assert_msg(pairs > others, "%s, %s: no scheme", all[c / 2].system, all[c / 2].keys);
  }
  printf("%d pairs\n", pairs);
}

/* Paths with rates of their own: the drift is that from the law of each. */
TEST(every_path_has_its_rate) {
  const cas_results *r = results_of(
      "system: {name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: quadratic, sigma: "
      "0.1}, damping: {rate: {uniform: [0.1, 1], each: path}}}\n"
      "random: {generator: threefry}\n"
      "study: {kind: ensemble, step: 2^-4, steps: 64, every: 64, paths: 100, observables: "
      "[{slope: \"log(norm)/4\"}], bins: 0}\noutput: {file: results.h5}\n");
  ck_assert_msg(r->health.casimir_drift_max <= 1e-13, "%g", r->health.casimir_drift_max);
  const double least = last_of("/ensemble/slope/minimum", 0),
               greatest = last_of("/ensemble/slope/maximum", 0);
  ck_assert_msg(least > -1 && least < -0.9 && greatest < -0.1 && greatest > -0.2, "%g to %g", least,
                greatest);
}

/* ---- order ---- */

static void derivative(const double *y, double *out) {
  static const double w[3] = {0.5, 1, 2}; /* 1/I */
  for (int k = 0; k < 3; k++) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    out[k] = y[i] * w[j] * y[j] - y[j] * w[i] * y[i];
  }
}

/* The body without damping, by the classical Runge-Kutta scheme. */
static void turn_freely(double time, double y[3]) {
  enum { PARTS = 4000 };
  const double s = time / PARTS;
  for (int n = 0; n < PARTS; n++) {
    double k[4][3], at[3];
    for (int stage = 0; stage < 4; stage++) {
      const double by = stage == 0 ? 0 : stage == 3 ? s : s / 2;
      for (int i = 0; i < 3; i++)
        at[i] = y[i] + (stage ? by * k[stage - 1][i] : 0);
      derivative(at, k[stage]);
    }
    for (int i = 0; i < 3; i++)
      y[i] += s / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
  }
}

static double error_of(const char *scheme, const char *more, int steps, double *declared) {
  const double time = 4, c = 0.3;
  double exact[3] = {0.36, 0.48, 0.8}, square = 0;
  one_pass *o =
      pass_of(time / steps, steps,
              "{system: {name: rigid_body, inertia: [2, 1, 0.5], initial: [0.36, 0.48, 0.8], "
              "damping: {rate: %g}}, integrator: {name: %s%s}, random: {generator: threefry}}",
              c, scheme, more);
  const double *x = run_block(o);
  *declared = o->problem.scheme.integrator->order;
  /* x(t) = exp(-c t) y((1 - exp(-c t))/c), as the equation of y is homogeneous of degree 2 */
  turn_freely(-expm1(-c * time) / c, exact);
  for (int k = 0; k < 3; k++)
    square += pow(x[k * o->problem.W] - exp(-c * time) * exact[k], 2);
  return sqrt(square);
}

/* Schemes of order 2, and compositions of order 4, have order 2. */
TEST(schemes_keep_their_order) {
  static const char *const more[] = {"", ", weak_order: 2"};
  int found = 0;
  for (const cas_integrator *const *i = cas_kernels_get()->integrators; *i; i++)
    for (int k = 0; k < 2; k++) {
      cas_error err;
      if (!find_pass(1, 1, &err,
                     "{system: {name: rigid_body, inertia: [2, 1, 0.5]}, integrator: {name: %s%s, "
                     "truncation: 0}, random: {generator: threefry}}",
                     (*i)->name, more[k]))
        continue;
      double declared;
      const double coarse = error_of((*i)->name, more[k], 256, &declared),
                   fine = error_of((*i)->name, more[k], 512, &declared),
                   order = log2(coarse / fine);
      printf("%s%s: error %.3g, order %.3f\n", (*i)->name, more[k], fine, order);
      ck_assert_msg(fabs(order - declared) <= 0.05 && declared == (*i)->order,
                    "%s%s: order %g, declared %g", (*i)->name, more[k], order, declared);
      found++;
    }
  ck_assert_int_ge(found, 10);
}

/* ---- what is refused ---- */

#define BODY "rigid_body, inertia: [2, 1, 0.5], damping: {rate: "

static const char *const refused[][2] = {
    {BODY "-1}", "test.yaml:1: system.damping.rate: found -1, must be at least 0"},
    {BODY ".nan}", "system.damping.rate: found .nan, must be a number"},
    {BODY "1}, dissipation: {theta: 1}", "leave out damping"},
    {"heavy_top, inertia: [2, 1, 0.5], mga: [0, 0, 1], attitude: true, damping: {rate: 1}",
     "leave out 'attitude' or 'damping'"},
    {"point_vortices, gamma: [1, 2], damping: {rate: 1}", "system.damping: unknown key"},
    {"euler_zeitlin, N: 3, damping: {rate: 1}", "known: viscosity, power, friction"},
    {"sliding_disk, damping: {rate: 1}", "system.damping: unknown key"},
    {"lie_poisson, algebra: brackets, components: [x, y, z], brackets: {x y: x*y, y z: y*z, z x: "
     "z*x}, hamiltonian: x + y^2, initial: [1, 1.2, 0.8], damping: {rate: 1}",
     "leave out 'damping'"}};

TEST_OVER(what_has_no_damping_is_refused, sizeof refused / sizeof *refused) {
  is_refused(1, refused[_i][1],
             "{system: {name: %s}, study: {kind: trajectory, step: 2^-6, steps: 1}}",
             refused[_i][0]);
}

RUN_TESTS_WITH_MPI
