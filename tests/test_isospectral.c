/* Steps of the isospectral midpoint that are much too large for a plain iteration, on every system
 * that fits: none fails, Casimirs stay, and X_n and X_{n+1} are (1 - Q) Xt (1 + Q) and (1 + Q) Xt
 * (1 - Q) of one Xt, in products of plain matrices. */
#include "steps_fixture.h"

#include <complex.h>
#include <stdio.h>

enum { MOST_N = 12, MOST = 2 * MOST_N * MOST_N, ENTRIES = 4 * 2 * MOST, TRIES = 60 };

/* ---- plain matrices ---- */

/* The matrix of factor f, n x n, from numbers that are `stride` apart; returns n. */
static int matrix(const cas_geometry *g, int f, int stride, const double *x, double complex *m) {
  const char *name = g->algebra->name;
  const bool is_su2 = strcmp(name, "su2") == 0, is_so3 = strcmp(name, "so3") == 0;
  const int n = is_su2 ? 2 : is_so3 ? 3 : g->n;
  ck_assert_int_le(n, MOST_N);
  x += (ptrdiff_t)f * stride * g->algebra->dimension(g->n);
  if (is_su2) {
    m[0] = -0.5 * I * x[2 * stride];
    m[1] = -0.5 * I * (x[0] - I * x[stride]);
    m[2] = -0.5 * I * (x[0] + I * x[stride]);
    m[3] = 0.5 * I * x[2 * stride];
  } else if (is_so3) {
    const double a = x[0], b = x[stride], c = x[2 * stride];
    const double hat[9] = {0, -c, b, c, 0, -a, -b, a, 0};
    for (int i = 0; i < 9; i++)
      m[i] = hat[i];
  } else if (strcmp(name, "so_n") == 0) {
    for (int i = 0; i < n; i++)
      for (int j = i; j < n; j++) {
        const double entry = i == j ? 0 : *x;
        x += i == j ? 0 : stride;
        m[i * n + j] = entry;
        m[j * n + i] = -entry;
      }
  } else {
    const int pairs = n * (n - 1) / 2;
    for (int i = 0, k = 0; i < n; i++) {
      m[i * n + i] = I * x[i * stride];
      for (int j = i + 1; j < n; j++, k++) {
        m[i * n + j] = x[(n + k) * stride] + I * x[(n + pairs + k) * stride];
        m[j * n + i] = -conj(m[i * n + j]);
      }
    }
  }
  return n;
}

/* out = (1 + sign Q) Y (1 - sign Q) */
static void conjugate(int n, int sign, const double complex *q, const double complex *y,
                      double complex *out) {
  double complex p[MOST_N * MOST_N];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      p[i * n + j] = y[i * n + j];
      for (int k = 0; k < n; k++)
        p[i * n + j] += sign * q[i * n + k] * y[k * n + j];
    }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      out[i * n + j] = p[i * n + j];
      for (int k = 0; k < n; k++)
        out[i * n + j] -= sign * p[i * n + k] * q[k * n + j];
    }
}

/* ---- one lane of a step ---- */

typedef struct {
  const bench *b;
  int lane, K;
  const double *before, *after; /* blocks */
} step_of_lane;

/* psi of the lane at y, as K numbers */
static void psi_at(const step_of_lane *s, const double *y, double *psi) {
  const int lanes = s->b->body->lanes, V = lanes; /* lanes of a group follow one another */
  double *x = numbers((size_t)(s->K * lanes)), *xi = numbers((size_t)(s->K * lanes));
  for (int k = 0; k < s->K; k++)
    for (int l = 0; l < V; l++)
      x[k * V + l] = y[k];
  s->b->body->psi(&s->b->stepper, s->b->coef, x, xi);
  for (int k = 0; k < s->K; k++)
    psi[k] = xi[k * V + s->lane];
  free(x);
  free(xi);
}

/* Real and imaginary parts of both equations at Xt = y; returns their number. */
static int residual(const step_of_lane *s, const double *y, double *r) {
  const cas_geometry *g = &s->b->geometry;
  const int W = s->b->system->lanes;
  double psi[MOST];
  double complex q[MOST_N * MOST_N], xt[MOST_N * MOST_N], x[MOST_N * MOST_N], is[MOST_N * MOST_N];
  int used = 0;
  psi_at(s, y, psi);
  for (int f = 0; f < g->factors; f++)
    for (int end = 0; end < 2; end++) {
      const int n = matrix(g, f, 1, psi, q);
      matrix(g, f, 1, y, xt);
      matrix(g, f, W, (end ? s->after : s->before) + s->lane, x);
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
  const int W = s->b->system->lanes;
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
      if (now >= least || now < 1e-26) {
        least = fmin(least, now);
        if (now < 1e-26 || i > 30)
          break;
      }
      least = fmin(least, now);
    }
  }
  return sqrt(least);
}

/* ---- the tests ---- */

/* Opens the midpoint on a system, with noises that make |Q| of lane 0 at X_n so large; false where
   it does not fit. */
static bool open_with(bench *b, const cas_kernels *k, int system, double size) {
  int scheme = 0;
  while (strcmp(k->integrators[scheme]->name, "isospectral_midpoint") != 0)
    scheme++;
  if (!bench_open(b, k, system, scheme, 1, false))
    return false;
  b->stepper.max_iterations = size > 5 ? 10000 : 1000;
  const int draws = b->system->noises(b->parameters) * b->system->lanes;
  double *u = numbers(2 * (size_t)draws), *z = u + draws, psi[MOST], amplitude = 0.1, found;
  cas_kernels_list(0)->threefry(7, 0, 0, 0, draws, u);
  cas_kernels_list(0)->normals(draws, u, z);
  const step_of_lane s = {b, 0, b->geometry.components, b->x, b->x};
  do {
    amplitude *= 1.25;
    for (int i = 0; i < draws; i++)
      b->dw[i] = b->scheme->scale * amplitude * z[i];
    b->system->prepare(b->parameters, b->system->lanes, b->scheme->scale, b->dw, b->coef);
    double y[MOST];
    for (int i = 0; i < s.K; i++)
      y[i] = b->x[i * b->system->lanes];
    psi_at(&s, y, psi);
    found = 0; /* the largest of the Frobenius norms over sqrt 2, which |Q| is at most */
    for (int f = 0; f < b->geometry.factors; f++) {
      double complex q[MOST_N * MOST_N];
      double sum = 0;
      const int n = matrix(&b->geometry, f, 1, psi, q);
      for (int i = 0; i < n * n; i++)
        sum += creal(q[i] * conj(q[i]));
      found = fmax(found, sqrt(0.5 * sum));
    }
  } while (found < size && amplitude < 1e6);
  free(u);
  return true;
}

/* Steps of any size are solved. */
TEST(large_steps_are_solved) {
  static const double sizes[] = {0.5, 2, 5, 20};
  double second = 0, lanes = 0, failed = 0;
  for (int k = 0; cas_kernels_list(k); k++)
    for (int system = 0; cas_kernels_list(k)->systems[system]; system++)
      for (int i = 0; i < 4; i++) {
        bench b;
        if (!open_with(&b, cas_kernels_list(k), system, sizes[i]))
          continue;
        const int W = b.system->lanes, casimirs = b.geometry.algebra->casimirs(&b.geometry);
        const size_t bytes = (size_t)(b.geometry.components * W) * sizeof(double);
        double *before = numbers((size_t)(b.geometry.components * W)),
               *was = numbers((size_t)(casimirs * W)), *is = numbers((size_t)(casimirs * W)),
               largest = 0, drift = 0;
        memcpy(before, b.x, bytes);
        b.geometry.algebra->casimir(&b.geometry, W, b.x, was);
        cas_scheme_find_step(b.body, b.scheme)(&b.stepper, b.x, NULL, b.coef, b.work, &b.tally);
        b.geometry.algebra->casimir(&b.geometry, W, b.x, is);
        for (int c = 0; c < casimirs * W; c++) {
          largest = fmax(largest, fabs(was[c]));
          drift = fabs(is[c] - was[c]) <= drift ? drift : fabs(is[c] - was[c]);
        }
        ck_assert_msg(drift <= 1e-14 * largest, "%s, %s, |Q| %g: Casimirs change by %g",
                      cas_kernels_list(k)->name, b.system->name, sizes[i], drift / largest);
        for (int l = 0; l < W; l++) {
          lanes++;
          failed += b.tally.not_converged[l];
          second += b.tally.second_method[l];
        }
        for (int lane = 0; lane < 2 && lane < b.body->lanes; lane++) {
          const step_of_lane s = {&b, lane, b.geometry.components, before, b.x};
          if (sizes[i] > 5) /* too far for the search below */
            continue;
          const double r = least_residual(&s);
          ck_assert_msg(r <= 1e-11 * largest, "%s, %s, |Q| %g, lane %d: residual %g",
                        cas_kernels_list(k)->name, b.system->name, sizes[i], lane, r);
        }
        free(before);
        free(was);
        free(is);
        bench_close(&b);
      }
  ck_assert(second > 0);
  ck_assert_msg(failed == 0, "%g of %g steps failed", failed, lanes);
}

RUN_TESTS
