/* Attitudes of rigid bodies by variational Euler make the discrete action sum stationary, [BRO]
   section 6: with the sign that is printed there they would not. */
/* ranks: 1 */
#include "study_fixture.h"

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static const double moments[3] = {0.5, 0.7, 1.1}, field[3] = {0.2, -0.3, 0.5};

static void product(const double *a, const double *b, double *out) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      out[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
}

static void cayley(const double x[3], double *out) {
  const double hat[9] = {0, -x[2], x[1], x[2], 0, -x[0], -x[1], x[0], 0};
  double square[9], s = 1 + dot(x, x) / 4;
  product(hat, hat, square);
  for (int i = 0; i < 9; i++)
    out[i] = (i % 4 == 0) + (hat[i] + square[i] / 2) / s;
}

/* h (W.IW/2 - U(R)) with cay(h W) = R^T R' */
static double lagrangian(const double *rows, const double *next, double h) {
  double trace = 0, kinetic = 0, potential = 0;
  for (int i = 0; i < 9; i++)
    trace += rows[i] * next[i];
  for (int k = 0; k < 3; k++) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    double skew = 0;
    for (int a = 0; a < 9; a += 3)
      skew += rows[a + j] * next[a + i] - rows[a + i] * next[a + j];
    double W = 2 * skew / (1 + trace) / h;
    kinetic += moments[k] * W * W / 2;
    potential -= field[k] * rows[3 * k + 2];
  }
  return h * (kinetic - potential);
}

/* The largest derivative of the sum over two steps as the attitude between them is turned. */
static double derivative_of_action(const double *rows, double h) {
  const double by = 1e-5;
  double most = 0;
  for (int k = 0; k < 3; k++) {
    double sum[2];
    for (int sign = 0; sign < 2; sign++) {
      double x[3] = {0}, turn[9], between[9];
      x[k] = sign ? by : -by;
      cayley(x, turn);
      product(turn, rows + 9, between);
      sum[sign] = lagrangian(rows, between, h) + lagrangian(between, rows + 18, h);
    }
    most = fmax(most, fabs(sum[1] - sum[0]) / (2 * by * h));
  }
  return most;
}

TEST(the_action_sum_is_stationary) {
  enum { ATTITUDE = 6, ROW = 18 };
  double path[27];
  run_well(NULL, "system: {name: rigid_bodies, mass: [1], inertia: [[0.5, 0.7, 1.1]], field: [0.2, "
                 "-0.3, 0.5], initial: [0, 0, 0, 0, 0, 0, 0.6, -0.8, 0, 0.8, 0.6, 0, 0, 0, 1, 0.8, "
                 "0.6, -0.7]}\nintegrator: {name: variational_euler}\n"
                 "study: {kind: trajectory, step: 0.2, steps: 2}\n");
  series s = recorded_series("state");
  for (int n = 0; n < 3; n++)
    memcpy(path + 9 * n, s.value + n * ROW + ATTITUDE, 9 * sizeof *path);
  const double found = derivative_of_action(path, 0.2);
  ck_assert_msg(found < 1e-8, "the derivative is %g", found);
}

RUN_TESTS_WITH_MPI
