/* What is particular to a system: its conserved quantities, its special cases, and the states and
 * parameters that it refuses. */
/* ranks: 1 */
/* needs: sprng */
#include "study_fixture.h"

#include <math.h>

/* Two close vortices against extended precision: the energy, and a turn by the flow that splitting
   has of a pair. */
TEST_OVER(close_vortices_keep_their_digits, 4) {
  const double apart[] = {1e-2, 1e-4, 1e-5, 1e-6}, d = apart[_i],
               x0[6] = {1, 0, 0, cos(d), sin(d), 0};
  const long double pi = acosl(-1), gamma[2] = {1, 0.5L};
  long double square = 0, moment[3], rate = 0, most = 0;
  for (int k = 0; k < 3; k++) {
    square += ((long double)x0[k] - x0[3 + k]) * ((long double)x0[k] - x0[3 + k]);
    moment[k] = gamma[0] * x0[k] + gamma[1] * x0[3 + k];
    rate += moment[k] * moment[k];
  }
  rate = sqrtl(rate);
  for (int k = 0; k < 3; k++)
    moment[k] /= rate;
  rate /= 2 * pi * square;
  const double step = (double)(0.25L / rate);
  int64_t n;
  run_well(NULL,
           "system: {name: point_vortices, gamma: [1, 0.5], initial: [[1, 0, 0], [%.17g, %.17g, "
           "0]]}\nintegrator: {name: splitting}\n"
           "study: {kind: trajectory, step: %.17g, steps: 8, observables: [hamiltonian]}\n",
           x0[3], x0[4], step);
  double *h = recorded("hamiltonian", &n), *x = recorded("state", &n);
  const double energy = (double)(-logl(square / 2) / (8 * pi));
  ck_assert_msg(fabs(h[0] / energy - 1) <= 1e-15 / d, "d = %g: H0 = %.17g, must be %.17g", d, h[0],
                energy);
  for (int i = 0; i < 2; i++) { /* Rodrigues' formula about the moment */
    long double along = 0, angle = rate * 8 * step;
    for (int k = 0; k < 3; k++)
      along += moment[k] * x0[3 * i + k];
    for (int k = 0; k < 3; k++) {
      const int a = (k + 1) % 3, b = (k + 2) % 3;
      const long double across = moment[a] * x0[3 * i + b] - moment[b] * x0[3 * i + a],
                        wanted = cosl(angle) * x0[3 * i + k] + sinl(angle) * across +
                                 (1 - cosl(angle)) * along * moment[k];
      most = fmaxl(most, fabsl(x[n - 6 + 3 * i + k] - wanted));
    }
  }
  ck_assert_msg(most <= 1e-14, "d = %g: vortices are off by %g", d, (double)most);
}

/* ---- the free rigid body in R^n: moments of inertia a_i + a_j, and Manakov's integrals ---- */

enum { MOST = 10, PAIRS = MOST * (MOST - 1) / 2 };

typedef long double matrix[MOST][MOST];

/* a <- a b */
static void multiply(int n, matrix a, const matrix b) {
  for (int i = 0; i < n; i++) {
    long double row[MOST] = {0};
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        row[j] += a[i][k] * b[k][j];
    memcpy(a[i], row, sizeof row);
  }
}

/* trace[k] = Tr (X + lambda J^2)^k for k = 1 .. n, X packed; returns the Frobenius norm */
static double find_traces(int n, const double *x, const double *a, double lambda,
                          long double *trace) {
  matrix sum, power = {{0}};
  long double square = 0;
  for (int i = 0; i < n; i++) {
    sum[i][i] = lambda * a[i] * a[i];
    power[i][i] = 1;
    for (int j = i + 1; j < n; j++, x++) {
      sum[i][j] = *x;
      sum[j][i] = -*x;
      square += 2 * *x * *x;
    }
    square += sum[i][i] * sum[i][i];
  }
  for (int k = 1; k <= n; k++) {
    multiply(n, power, (const long double(*)[MOST])sum);
    trace[k] = 0;
    for (int i = 0; i < n; i++)
      trace[k] += power[i][i];
  }
  return (double)sqrtl(square);
}

/* The traces are polynomials of lambda: a Casimir, integrals of these powers, a constant. */
static void check_traces(int n, const double *a, const double *x, const double *integral,
                         double lambda) {
  long double trace[MOST + 1], casimir[MOST + 1], constant[MOST + 1];
  const double zero[PAIRS] = {0};
  double size = find_traces(n, x, a, lambda, trace);
  find_traces(n, x, a, 0, casimir);
  find_traces(n, zero, a, lambda, constant);
  for (int k = 2; k <= n; k++) {
    long double sum = casimir[k] + constant[k];
    for (int m = 1; m <= k - 2; m++)
      if ((k - m) % 2 == 0)
        sum += *integral++ * powl(lambda, m);
    double d = (double)fabsl(sum - trace[k]);
    ck_assert_msg(isfinite(d) && d <= 1e-13 * pow(size, k), "n = %d, k = %d: %Lg, not %Lg", n, k,
                  sum, trace[k]);
  }
}

static const struct {
  int n;
  const char *masses;
  double a[MOST];
} bodies[] = {{3, "[0.5, 0.25, 1]", {0.5, 0.25, 1}},
              {4, "[-0.25, 0.5, 0.75, 1]", {-0.25, 0.5, 0.75, 1}},
              {5, "[1, 0.5, 0.5, 0.75, 1.25]", {1, 0.5, 0.5, 0.75, 1.25}},
              {6, "[0.5, 0.25, 1.5, 1, 0.75, 2]", {0.5, 0.25, 1.5, 1, 0.75, 2}},
              {10,
               "[1, 0.5, 0.25, 0.75, 1.25, 0.375, 0.625, 0.875, 1.5, 0.3125]",
               {1, 0.5, 0.25, 0.75, 1.25, 0.375, 0.625, 0.875, 1.5, 0.3125}}};

TEST_OVER(integrals_are_coefficients, sizeof bodies / sizeof *bodies) {
  int n = bodies[_i].n;
  double moved = 0;
  run_well(NULL,
           "system: {name: manakov, n: %d, inertia: {manakov: %s}, noise: {sigma: 0.4}, initial: "
           "{random: {seed: 1, norm: 1}}}\nrandom: {generator: threefry}\nstudy: {kind: "
           "trajectory, step: 2^-5, steps: 8, paths: 3, observables: [manakov_integrals]}\n",
           n, bodies[_i].masses);
  const series x = recorded_series("state"), v = recorded_series("manakov_integrals");
  ck_assert(x.records == 9 && x.numbers == 3 * n * (n - 1) / 2);
  ck_assert(v.records == 9 && v.numbers == 3 * ((n - 1) * (n - 1) / 4));
  for (int64_t r = 0; r < 3 * v.records; r++) {
    const double *integral = v.value + r * v.numbers / 3, *state = x.value + r * (n * (n - 1) / 2);
    check_traces(n, bodies[_i].a, state, integral, 0.7);
    check_traces(n, bodies[_i].a, state, integral, -1.5);
    moved = fmax(moved, fabs(*integral - *v.value));
  }
  ck_assert(moved > 1e-3); /* by the noise */
}

/* ---- what is refused, and what fails ---- */

#define MANAKOV "name: manakov, n: 3, initial: [1, 0, 0], "
#define VORTICES "name: point_vortices, "

static const char *const refused[][2] = {
    {"name: manakov, n: 1, initial: [1]", "system.n: found 1, must be between 2 and 64"},
    {"name: manakov, n: 65, initial: [1]", "system.n: found 65, must be between 2 and 64"},
    {"name: manakov, n: 2.5, initial: [1]", "system.n: found 2.5, must be an integer"},
    {"name: manakov, initial: [1]", "'n' is missing"},
    {"name: manakov, n: 3", "'initial' is missing"},
    {"name: manakov, n: 3, initial: [1, 0]",
     "system.initial: found 2 numbers, must be 3 (x12 x13 x23)"},
    {MANAKOV "inertia: [1, 2]", "system.inertia: found 2 numbers, must be 3"},
    {MANAKOV "inertia: [1, 0, 2]", "system.inertia[1]"},
    {MANAKOV "inertia: 2",
     "system.inertia: found 2, must be a list of numbers such as [1, 0.5], or {manakov: [1, 0.5]}"},
    {MANAKOV "inertia: {manakov: [1, 2]}",
     "system.inertia.manakov: found 2 numbers, must be 3: a_1 .. a_n with I_ij = a_i + a_j"},
    {MANAKOV "inertia: {manakov: [1, 2, -1]}",
     "system.inertia.manakov: a_1 + a_3 is 0, must be positive and finite"},
    {MANAKOV "inertia: {manakov: [1, 1.7e308, 1.7e308]}",
     "system.inertia.manakov: a_2 + a_3 is inf, must be positive and finite"},
    {MANAKOV "inertia: {manakov: [1, .nan, 1]}",
     "system.inertia.manakov[1]: found .nan, must be a number"},
    {MANAKOV "inertia: {manakov: [1, .inf, 1]}",
     "system.inertia.manakov[1]: found .inf, must be a finite number"},
    {MANAKOV "inertia: {masses: [1, 2, 3]}", "system.inertia.masses: unknown key (known: manakov)"},
    {MANAKOV "noise: {sigma: -1}", "system.noise.sigma: found -1"},
    {MANAKOV "noise: {kind: quadratic}", "kind"},
    {VORTICES "initial: [1, 0, 0]", "'gamma' is missing"},
    {VORTICES "gamma: [1], initial: [1, 0, 0]",
     "system.gamma: found 1 intensity, must be two or more"},
    {VORTICES "gamma: [1, 0], initial: [[1, 0, 0], [0, 1, 0]]", "vortex 2 has intensity 0"},
    {VORTICES "gamma: [1, .inf], initial: [[1, 0, 0], [0, 1, 0]]", "system.gamma[1]"},
    {VORTICES "gamma: [1, 1]", "'initial' is missing"},
    {VORTICES "gamma: [1, 1], initial: [[1, 0, 0]]",
     "system.initial: found 3 numbers, must be 6 (x1_1 x1_2"},
    {VORTICES "gamma: [1, 1], initial: [[1, 0, 0], [0, 1, 1e-4]]", "vortex 2 has norm 1.000000005"},
    {VORTICES "gamma: [1, 1], initial: {random: {seed: 1, norm: 2}}", "vortex 1 has norm 2"},
    {VORTICES "gamma: [1, 2, 3], initial: [[1, 0, 0], [0, 1, 0], [1, 0, 0]]",
     "vortices 1 and 3 coincide"},
};

TEST_OVER(what_is_refused, sizeof refused / sizeof *refused) {
  is_refused(1, refused[_i][1], "system: {%s}\nstudy: {kind: trajectory, step: 2^-6, steps: 1}\n",
             refused[_i][0]);
}

/* A point off the sphere by less than 1e-10 is left where it is. */
TEST(the_sphere_has_a_tolerance) {
  int64_t n;
  run_well(
      NULL,
      "system: {name: point_vortices, gamma: [1, 1], initial: [[1.00000000009, 0, 0], [0, 1, 0]]}\n"
      "study: {kind: trajectory, step: 2^-6, steps: 1}\n");
  double *x = recorded("state", &n);
  ck_assert(x[0] == 1.00000000009);
}

/* Vortices too near each other for so few iterations: a failed path, named. */
TEST(collisions_are_failures) {
  const cas_results *r = run_to(
      CAS_CHECK_FAILED, "1 of 1 paths failed",
      "system: {name: point_vortices, gamma: [1, 1], initial: [[1, 0, 0], [0.9999995, 0.001, 0]]}\n"
      "integrator: {max_iterations: 10}\nstudy: {kind: trajectory, step: 2^-3, steps: 16}\n");
  ck_assert(r->health.failed_paths == 1 && r->health.not_converged[0] + r->health.nan[0] > 0);
}

/* What a file has as its configuration is one, and gives itself. */
static void runs_again(const char *system) {
  const char *of =
      results_of("system: {%s}\nstudy: {kind: trajectory, step: 2^-9, steps: 2}\n", system)
          ->provenance.configuration;
  ck_assert_str_eq(results_of("%s", of)->provenance.configuration, of);
}

TEST(effective_configurations_run_again) {
  static const char *const written[] = {
      "algebra: se3, hamiltonian: Pi1^2 + Gamma3, initial: [1, 0, 0, 0, 0, 1]",
      "algebra: so_n, hamiltonian: x12^2, initial: [1, 0, 0.5]",
      "algebra: su_n, hamiltonian: d1^2, initial: [1, -1, 0.5, 0.2]",
      "algebra: su2, hamiltonian: x1_1^2, initial: [1, 0, 0.5]",
      "algebra: brackets, components: [x, y], brackets: {x y: x}, hamiltonian: x, initial: [1, 1]"};
  for (const cas_system *const *s = cas_kernels_get()->systems; *s; s++)
    runs_again(example_of(*s));
  for (size_t i = 0; i < sizeof written / sizeof *written; i++)
    runs_again(formatted("name: lie_poisson, %s", written[i]));
}

RUN_TESTS_WITH_MPI
