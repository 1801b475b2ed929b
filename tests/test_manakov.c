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

/* [records][numbers] of the last run; the caller frees them */
static double *read_values(const char *name, int64_t *records, int64_t *numbers) {
  const series s = recorded_series(name);
  *records = s.records;
  *numbers = s.numbers;
  return s.value;
}

/* ---- the integrals by their definition ---- */

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
  int64_t records, numbers;
  double moved = 0;
  snprintf(system, sizeof system,
           "n: %d, inertia: {manakov: %s}, noise: {sigma: 0.4}, initial: {random: {seed: 1, norm: "
           "1}}",
           n, bodies[_i].masses);
  record(system, "step: 2^-5, steps: 8, paths: 3, observables: [manakov_integrals]");
  double *x = read_values("state", &records, &numbers);
  ck_assert(records == 9 && numbers == 3 * n * (n - 1) / 2);
  double *v = read_values("manakov_integrals", &records, &numbers);
  ck_assert(records == 9 && numbers == 3 * ((n - 1) * (n - 1) / 4));
  for (int64_t r = 0; r < 3 * records; r++) {
    const double *integral = v + r * numbers / 3, *state = x + r * (n * (n - 1) / 2);
    check_traces(n, bodies[_i].a, state, integral, 0.7);
    check_traces(n, bodies[_i].a, state, integral, -1.5);
    moved = fmax(moved, fabs(*integral - *v));
  }
  ck_assert(moved > 1e-3); /* by the noise */
  free(x);
  free(v);
}

/* ---- constant without noise, to the order of the scheme ---- */

/* largest departure of each of `most` numbers from its first value, over 8 time units */
static int64_t find_departures(const char *name, int halvings, double *departure, int most) {
  char study[200];
  int64_t records, numbers;
  snprintf(study, sizeof study,
           "step: 2^-%d, steps: %d, observables: [manakov_integrals, hamiltonian, "
           "casimir_departure]",
           halvings, 8 << halvings);
  record("n: 5, inertia: {manakov: [0.5, 0.75, 1, 1.25, 2]}, initial: {random: {seed: 3, norm: "
         "1.5}}",
         study);
  double *v = read_values(name, &records, &numbers);
  ck_assert(numbers <= most && records == (8 << halvings) + 1);
  for (int64_t i = 0; i < numbers; i++) {
    departure[i] = 0;
    for (int64_t r = 0; r < records; r++) {
      double d = fabs(v[r * numbers + i] - v[i]);
      ck_assert(isfinite(d));
      departure[i] = fmax(departure[i], d);
    }
  }
  free(v);
  return numbers;
}

TEST(integrals_are_kept) {
  static const char *const name[] = {"manakov_integrals", "hamiltonian"};
  double coarse[4], fine[4];
  for (int i = 0; i < 2; i++) {
    int64_t n = find_departures(name[i], 5, coarse, 4);
    ck_assert_int_eq(find_departures(name[i], 6, fine, 4), n);
    ck_assert_int_eq(n, i == 0 ? 4 : 1);
    for (int64_t k = 0; k < n; k++)
      ck_assert_msg(coarse[k] > 1e-10 && fabs(coarse[k] / fine[k] - 4) < 0.2,
                    "%s %d departs by %g and %g", name[i], (int)k, coarse[k], fine[k]);
  }
  find_departures("casimir_departure", 5, coarse, 4);
  ck_assert_msg(coarse[0] < 1e-14, "Casimirs depart by %g", coarse[0]);
}

/* ---- which moments of inertia are of Manakov's kind ---- */

/* The energy of a unit state is 1/I_ij. */
static void find_moments(int n, const char *inertia, double *moment) {
  for (int k = 0; k < n * (n - 1) / 2; k++) {
    char system[400];
    int64_t records, numbers;
    int used = snprintf(system, sizeof system, "n: %d, %s initial: [", n, inertia);
    for (int l = 0; l < n * (n - 1) / 2; l++)
      used += snprintf(system + used, sizeof system - (size_t)used, "%s%d", l ? ", " : "", l == k);
    snprintf(system + used, sizeof system - (size_t)used, "]");
    record(system, "step: 2^-5, steps: 1, observables: [hamiltonian]");
    double *energy = read_values("hamiltonian", &records, &numbers);
    moment[k] = 1 / energy[0];
    free(energy);
  }
}

static double moment_of(int n, const double *moment, int i, int j) {
  int first = i < j ? i : j, second = i < j ? j : i;
  return moment[first * (2 * n - first - 1) / 2 + second - first - 1];
}

/* how many of the rows are independent, by elimination with complete pivots */
static int rank_of(int rows, int n, double (*row)[MOST]) {
  bool used[MOST] = {0};
  int rank = 0;
  for (; rank < rows && rank < n; rank++) {
    int best = rank, column = -1;
    double most = 1e-9;
    for (int i = rank; i < rows; i++)
      for (int j = 0; j < n; j++)
        if (!used[j] && fabs(row[i][j]) > most) {
          most = fabs(row[i][j]);
          best = i;
          column = j;
        }
    if (column < 0)
      return rank;
    used[column] = true;
    for (int j = 0; j < n; j++) {
      double swap = row[rank][j];
      row[rank][j] = row[best][j];
      row[best][j] = swap;
    }
    for (int i = rank + 1; i < rows; i++) {
      double factor = row[i][column] / row[rank][column];
      for (int j = 0; j < n; j++)
        row[i][j] -= factor * row[rank][j];
    }
  }
  return rank;
}

/* Manakov's condition is that numbers A_i and b_i exist with 1/I_ij = (b_i - b_j)/(A_i - A_j), so
   (A_i - A_j)/I_ij + (A_j - A_k)/I_jk + (A_k - A_i)/I_ki = 0 for all i, j, k. That is linear in A,
   and equal A_i, which do not count, solve it: other solutions exist if its null space has two
   dimensions. */
static int null_space(int n, const double *moment) {
  double row[MOST * MOST * MOST / 6][MOST] = {{0}};
  int rows = 0;
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++)
      for (int k = j + 1; k < n; k++, rows++) {
        int cycle[4] = {i, j, k, i};
        for (int l = 0; l < 3; l++) {
          double inverse = 1 / moment_of(n, moment, cycle[l], cycle[l + 1]);
          row[rows][cycle[l]] += inverse;
          row[rows][cycle[l + 1]] -= inverse;
        }
      }
  return n - rank_of(rows, n, row);
}

static const struct {
  int n;
  const char *inertia;
  int null_space;
} kinds[] = {{3, "", 2},
             {4, "", 2},
             {5, "", 1},
             {6, "", 1},
             {5, "inertia: {manakov: [1, 2, 3, 5, 8]},", 2},
             {6, "inertia: {manakov: [-0.5, 1, 1.5, 4, 2, 3]},", 2}};

TEST_OVER(the_default_is_of_manakovs_kind_up_to_four, sizeof kinds / sizeof *kinds) {
  double moment[PAIRS];
  find_moments(kinds[_i].n, kinds[_i].inertia, moment);
  if (!*kinds[_i].inertia)
    for (int k = 0; k < kinds[_i].n * (kinds[_i].n - 1) / 2; k++)
      ck_assert(fabs(moment[k] - (k + 1)) < 1e-13);
  if (_i == 4)
    ck_assert(fabs(moment[0] - 3) < 1e-13 && fabs(moment[9] - 13) < 1e-13);
  ck_assert_int_eq(null_space(kinds[_i].n, moment), kinds[_i].null_space);
}

RUN_TESTS_WITH_MPI
