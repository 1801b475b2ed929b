/* Steps of the isospectral midpoint that are much too large for a plain iteration, on every system
 * that fits: none fails, Casimirs stay, and X_n and X_{n+1} are (1 - Q) Xt (1 + Q) and (1 + Q) Xt
 * (1 - Q) of one Xt, in products of plain matrices. */
/* ranks: 1 */
#include "matrices.h"
#include "pass_fixture.h"

enum { MOST_N = 12, MOST = 2 * MOST_N * MOST_N, ENTRIES = 4 * 2 * MOST, TRIES = 60 };

/* ---- plain matrices ---- */

/* The matrix of factor f from numbers that are `stride` apart; returns its rows. */
static int factor_of(const cas_geometry *g, int f, int stride, const double *x, entry *m) {
  const int n = rows_of(g->algebra->name, g->n);
  ck_assert_int_le(n, MOST_N);
  unpack(g->algebra->name, g->n, stride, x + (ptrdiff_t)f * stride * g->algebra->dimension(g->n),
         m);
  return n;
}

/* out = (1 + sign Q) Y (1 - sign Q) */
static void conjugate(int n, int sign, const entry *q, const entry *y, entry *out) {
  entry p[MOST_N * MOST_N], product[MOST_N * MOST_N];
  multiply(n, q, y, product);
  for (int i = 0; i < n * n; i++)
    p[i] = y[i] + sign * product[i];
  multiply(n, p, q, product);
  for (int i = 0; i < n * n; i++)
    out[i] = p[i] - sign * product[i];
}

/* ---- one lane of a step ---- */

typedef struct {
  const one_pass *o;
  int lane, K;
  const double *before, *after; /* blocks */
  double *x, *xi;
} step_of_lane;

/* psi of the lane at y, as K numbers; x and xi are workspace of a group of lanes. */
static void psi_at(const step_of_lane *s, const double *y, double *psi) {
  const int lanes = s->o->problem.body->lanes;
  for (int k = 0; k < s->K * lanes; k++)
    s->x[k] = y[k / lanes];
  s->o->problem.body->psi(&s->o->pass.level[0].stepper, s->o->pass.level[0].coef, s->x, s->xi);
  for (int k = 0; k < s->K; k++)
    psi[k] = s->xi[k * lanes + s->lane];
}

/* Real and imaginary parts of both equations at Xt = y; returns their number. */
static int residual(const step_of_lane *s, const double *y, double *r) {
  const cas_geometry *g = &s->o->problem.geometry;
  const int W = s->o->problem.W;
  double psi[MOST];
  entry q[MOST_N * MOST_N], xt[MOST_N * MOST_N], x[MOST_N * MOST_N], is[MOST_N * MOST_N];
  int used = 0;
  psi_at(s, y, psi);
  for (int f = 0; f < g->factors; f++)
    for (int end = 0; end < 2; end++) {
      const int n = factor_of(g, f, 1, psi, q);
      factor_of(g, f, 1, y, xt);
      factor_of(g, f, W, (end ? s->after : s->before) + s->lane, x);
      conjugate(n, end ? 1 : -1, q, xt, is);
      ck_assert_int_le(used + 2 * n * n, ENTRIES);
      for (int i = 0; i < n * n; i++) {
        r[used++] = creal(is[i] - x[i]);
        r[used++] = cimag(is[i] - x[i]);
      }
    }
  return used;
}

static double square(int n, const double *r) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += r[i] * r[i];
  return sum;
}

/* One step of Levenberg and Marquardt for y; returns the square of the residual. */
static double improve(const step_of_lane *s, double *y, double *damping) {
  static double j[MOST][ENTRIES];
  static double a[MOST * MOST];
  double r[ENTRIES], d[MOST], next[MOST], trial[ENTRIES];
  const int K = s->K, n = residual(s, y, r);
  const double now = square(n, r), delta = 1e-6;
  for (int k = 0; k < K; k++) {
    double low[ENTRIES];
    memcpy(next, y, (size_t)K * sizeof *y);
    next[k] = y[k] + delta;
    residual(s, next, j[k]);
    next[k] = y[k] - delta;
    residual(s, next, low);
    for (int i = 0; i < n; i++)
      j[k][i] = (j[k][i] - low[i]) / (2 * delta);
  }
  for (int tries = 0; tries < 20; tries++) {
    for (int k = 0; k < K; k++) {
      d[k] = 0;
      for (int i = 0; i < n; i++)
        d[k] -= j[k][i] * r[i];
      for (int l = 0; l < K; l++) {
        a[k * K + l] = 0;
        for (int i = 0; i < n; i++)
          a[k * K + l] += j[k][i] * j[l][i];
      }
      a[k * K + k] *= 1 + *damping;
      a[k * K + k] += 1e-14;
    }
    for (int k = 0; k < K; k++) /* Gauss */
      for (int i = 0; i < K; i++) {
        const double factor = i == k ? 0 : a[i * K + k] / a[k * K + k];
        for (int l = k; factor != 0 && l < K; l++)
          a[i * K + l] -= factor * a[k * K + l];
        d[i] -= factor * d[k];
      }
    for (int k = 0; k < K; k++)
      next[k] = y[k] + d[k] / a[k * K + k];
    residual(s, next, trial);
    if (square(n, trial) < now) {
      memcpy(y, next, (size_t)K * sizeof *y);
      *damping *= 0.2;
      return square(n, trial);
    }
    *damping = 4 * *damping + 1e-12;
  }
  return now;
}

/* The smallest residual of both equations at any Xt that is found from several first guesses. */
static double least_residual(const step_of_lane *s) {
  const int W = s->o->problem.W;
  double least = INFINITY;
  for (int tries = 0; tries < TRIES && !(least < 1e-24); tries++) {
    double y[MOST], u[2 * W > 64 ? 2 * W : 64], z[2 * W > 64 ? 2 * W : 64], damping = 1e-3;
    cas_kernels_list(0)->threefry(11, 0, 0, tries, 64, u);
    cas_kernels_list(0)->normals(64, u, z);
    for (int k = 0; k < s->K; k++) {
      const double from = s->before[k * W + s->lane], to = s->after[k * W + s->lane];
      y[k] = tries == 0   ? 0.5 * (from + to)
             : tries == 1 ? 0.1 * (from + to)
                          : 0.3 * (from + to) + 0.2 * z[(k + tries) % 64];
    }
    for (int i = 0; i < 60; i++) {
      const double now = improve(s, y, &damping);
      const bool ends = now < 1e-26 || (now >= least && i > 30);
      least = fmin(least, now);
      if (ends)
        break;
    }
  }
  return sqrt(least);
}

/* A step of a lane from `before`, a block, to `after`. */
static step_of_lane lane_of(const one_pass *o, int lane, const double *before,
                            const double *after) {
  const int K = o->problem.geometry.components;
  const size_t size = (size_t)(K * o->problem.body->lanes);
  return (step_of_lane){o, lane, K, before, after, doubles(size), doubles(size)};
}

/* The largest of the Frobenius norms of Q of lane 0 at x over sqrt 2, which |Q| is at most. */
static double size_of_q(const one_pass *o, const double *x) {
  const cas_geometry *g = &o->problem.geometry;
  const step_of_lane s = lane_of(o, 0, x, x);
  double y[MOST], psi[MOST], found = 0;
  for (int i = 0; i < s.K; i++)
    y[i] = x[i * o->problem.W];
  psi_at(&s, y, psi);
  for (int f = 0; f < g->factors; f++) {
    entry q[MOST_N * MOST_N];
    double sum = 0;
    const int n = factor_of(g, f, 1, psi, q);
    for (int i = 0; i < n * n; i++)
      sum += creal(q[i] * conj(q[i]));
    found = fmax(found, sqrt(0.5 * sum));
  }
  return found;
}

/* Coefficients of a step of size 1 whose noises make |Q| at x so large. */
static void prepare(one_pass *o, const double *x, double size) {
  const cas_problem *p = &o->problem;
  const int draws = p->normals.noises * p->W;
  const double scale = o->pass.level[0].scheme_scale;
  double *u = doubles((size_t)draws), *z = doubles((size_t)draws), amplitude = 0.1;
  cas_kernels_list(0)->threefry(7, 0, 0, 0, draws, u);
  cas_kernels_list(0)->normals(draws, u, z);
  do {
    amplitude *= 1.25;
    for (int i = 0; i < draws; i++)
      o->pass.space.dw[i] = scale * amplitude * z[i];
    p->system->psi.prepare(p->parameters.all, p->W, scale, o->pass.space.dw, o->pass.level[0].coef);
  } while (size_of_q(o, x) < size && amplitude < 1e6);
}

/* ---- the tests ---- */

static double second, lanes;

static void check_step(const cas_system *system, const cas_integrator *i, double size) {
  const char *options = formatted(", truncation: 0, max_iterations: %d", size > 5 ? 10000 : 1000);
  one_pass *o = example_pass(system, i, options, 1, 1);
  const cas_geometry *g = &o->problem.geometry;
  const cas_level *level = &o->pass.level[0];
  const int W = o->problem.W, casimirs = g->algebra->casimirs(g);
  double *before = initial_block(o), *x = initial_block(o), *was = doubles((size_t)(casimirs * W)),
         *is = doubles((size_t)(casimirs * W)), largest = 0, drift = 0;
  prepare(o, before, size);
  g->algebra->casimir(g, W, before, was);
  o->problem.scheme.step(&level->stepper, x, NULL, level->coef, level->work,
                         &o->pass.level[0].tally);
  g->algebra->casimir(g, W, x, is);
  for (int c = 0; c < casimirs * W; c++) {
    largest = fmax(largest, fabs(was[c]));
    drift = fabs(is[c] - was[c]) <= drift ? drift : fabs(is[c] - was[c]);
  }
  ck_assert_msg(drift <= 1e-14 * largest, "%s, %s, |Q| %g: Casimirs change by %g",
                cas_kernels_get()->name, system->name, size, drift / largest);
  for (int l = 0; l < W; l++, lanes++) {
    ck_assert_msg(level->tally.not_converged[l] == 0, "%s, |Q| %g: fails", system->name, size);
    second += level->tally.second_method[l];
  }
  /* those above 5 are too far for the search */
  for (int lane = 0; size <= 5 && lane < 2 && lane < o->problem.body->lanes; lane++) {
    const step_of_lane s = lane_of(o, lane, before, x);
    const double r = least_residual(&s);
    ck_assert_msg(r <= 1e-11 * largest, "%s, %s, |Q| %g, lane %d: residual %g",
                  cas_kernels_get()->name, system->name, size, lane, r);
  }
}

static void check_steps(const cas_system *s, const cas_integrator *i) {
  for (int k = 0; k < 4 && strcmp(i->name, "isospectral_midpoint") == 0; k++)
    check_step(s, i, (double[]){0.5, 2, 5, 20}[k]);
}

/* Steps of any size are solved. */
TEST(large_steps_are_solved) {
  each_pair(true, check_steps);
  ck_assert(second > 0 && lanes > second);
}

RUN_TESTS_WITH_MPI
