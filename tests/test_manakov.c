/* The free rigid body in R^n: moments of inertia a_i + a_j, and Manakov's integrals. */
/* ranks: 1 */
#include "study_fixture.h"

#include <math.h>

enum { MOST = 10, PAIRS = MOST * (MOST - 1) / 2 };

static void record(const char *system, const char *study) {
  run_well(NULL,
           "system: {name: manakov, %s}\nrandom: {generator: threefry}\n"
           "study: {kind: trajectory, %s}\n",
           system, study);
}

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
  char system[300];
  double moved = 0;
  snprintf(system, sizeof system,
           "n: %d, inertia: {manakov: %s}, noise: {sigma: 0.4}, initial: {random: {seed: 1, norm: "
           "1}}",
           n, bodies[_i].masses);
  record(system, "step: 2^-5, steps: 8, paths: 3, observables: [manakov_integrals]");
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

RUN_TESTS_WITH_MPI
