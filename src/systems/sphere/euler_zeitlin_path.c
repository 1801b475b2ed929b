/* psi of Euler-Zeitlin for one path by itself: the drift by tridiagonal solves on all
   diagonals at once, the noise by real products with the eigenvectors of l >= lmin. */
#include "systems/sphere/euler_zeitlin.h"

#include "base/lanes.h"
#include "math/algebra/su_n.h"
#include "math/blas/threads.h"

/* ---- drift: q = scale * (-Lap + lamb z^2)^-1 x ---- */

/* The packing helps: row k holds the entries (k, k+m) for all m side by side, so forward
   elimination and back substitution go row by row, and each is a loop over independent
   diagonals. */

static void eliminate(int n, double scale, const double *restrict lower, const double *restrict x,
                      const double *restrict before, double *restrict q) {
  for (int i = 0; i < n; i++)
    q[i] = scale * x[i] - lower[i] * before[i];
}

static void substitute(int n, const double *restrict lower, const double *restrict inverse,
                       const double *restrict after, double *restrict q) {
  for (int i = 0; i < n; i++)
    q[i] = q[i] * inverse[i] - lower[i] * after[i];
}

static int least(int a, int b) { return a < b ? a : b; }

/* the real or the imaginary parts on the diagonals m = from + 1 .. to */
static void solve_above(int N, int from, int to, double scale, const double *lower,
                        const double *inverse, const double *x, double *q) {
  for (int i = from; i < to; i++)
    q[i] = scale * x[i];
  for (int k = 0, row = 0; from < N - 2 - k; k++) {
    int next = row + N - 1 - k;
    eliminate(least(to, N - 2 - k) - from, scale, lower + row + from, x + next + from,
              q + row + from, q + next + from);
    row = next;
  }
  for (int k = N - 2 - from; k >= 0; k--) {
    int row = cas_su_n_upper(N, k, k + 1), last = N - 2 - k, n = least(last, to) - from;
    if (last < to)
      q[row + last] *= inverse[row + last];
    if (n > 0)
      substitute(n, lower + row + from, inverse + row + from, q + row + last + 1 + from,
                 q + row + from);
  }
}

static double mean(int N, const double *x) {
  double sum = 0;
  for (int k = 0; k < N; k++)
    sum += x[k];
  return sum / N;
}

/* A trace is dropped, and the solution without one taken; without lamb the matrix is singular, and
   the last of its inverse is 0. */
static void solve_diagonal(int N, double scale, const double *lower, const double *inverse,
                           const double *x, double *q) {
  double trace = mean(N, x);
  q[0] = scale * (x[0] - trace);
  for (int k = 1; k < N; k++)
    q[k] = scale * (x[k] - trace) - lower[k - 1] * q[k - 1];
  q[N - 1] *= inverse[N - 1];
  for (int k = N - 2; k >= 0; k--)
    q[k] = q[k] * inverse[k] - lower[k] * q[k + 1];
  trace = mean(N, q);
  for (int k = 0; k < N; k++)
    q[k] -= trace;
}

/* ---- noise: q += sum over l >= lmin of coef (T_lm, x) T_lm ---- */

enum { ROWS = 4 }; /* eigenvectors at a time */

/* folded real and imaginary parts of a diagonal: even ones and odd ones under reversal */
typedef struct {
  double *from[2][2], *to[2][2]; /* [odd][imaginary] */
} folds;

/* `rows` eigenvectors, `stride` apart: products with from, scaled by coef[2 r], added to `to` */
CAS_INLINE void transform(int rows, int length, int stride, const double *basis,
                          double *const from[2], double *const to[2], const double *const coef[2]) {
  cas_vec w[ROWS][2] = {{{0}}};
  for (int k = 0; k < length; k += CAS_VL) {
    cas_vec re = cas_vec_load(from[0] + k), im = cas_vec_load(from[1] + k);
    for (int r = 0; r < rows; r++) {
      cas_vec b = cas_vec_load(basis + r * stride + k);
      w[r][0] += b * re;
      w[r][1] += b * im;
    }
  }
  for (int r = 0; r < rows; r++)
    for (int part = 0; part < 2; part++)
      w[r][part] = coef[part][2 * r] * cas_vec_sum(w[r][part]);
  for (int k = 0; k < length; k += CAS_VL) {
    cas_vec re = cas_vec_load(to[0] + k), im = cas_vec_load(to[1] + k);
    for (int r = 0; r < rows; r++) {
      cas_vec b = cas_vec_load(basis + r * stride + k);
      re += b * w[r][0];
      im += b * w[r][1];
    }
    cas_vec_store(to[0] + k, re);
    cas_vec_store(to[1] + k, im);
  }
}

/* eigenvectors of one parity: number first, first + 2, .. below n */
static void transform_parity(int first, int n, int length, const double *basis,
                             double *const from[2], double *const to[2],
                             const double *const coef[2]) {
  int i = first;
  for (; i + 2 * (ROWS - 1) < n; i += 2 * ROWS) {
    const double *const c[2] = {coef[0] + i, coef[1] + i};
    transform(ROWS, length, 2 * length, basis + i * length, from, to, c);
  }
  for (; i < n; i += 2) {
    const double *const c[2] = {coef[0] + i, coef[1] + i};
    transform(1, length, 2 * length, basis + i * length, from, to, c);
  }
}

/* x: packed parts above the diagonal, or, for m = 0, the diagonal */
static int place(int N, int k, int m) { return m ? cas_su_n_upper(N, k, k + m) : k; }

static void fold(int N, int m, const double *x, double *even, double *odd) {
  int n = N - m, length = cas_hoppe_yau_row(N, m);
  for (int k = 0; k < n / 2; k++) {
    double near = x[place(N, k, m)], far = x[place(N, n - 1 - k, m)];
    even[k] = near + far;
    odd[k] = near - far;
  }
  if (n % 2) {
    even[n / 2] = x[place(N, n / 2, m)];
    odd[n / 2] = 0;
  }
  for (int k = (n + 1) / 2; k < length; k++)
    even[k] = odd[k] = 0;
}

static void unfold_add(int N, int m, const double *even, const double *odd, double *q) {
  int n = N - m;
  for (int k = 0; k < n / 2; k++) {
    q[place(N, k, m)] += even[k] + odd[k];
    q[place(N, n - 1 - k, m)] += even[k] - odd[k];
  }
  if (n % 2)
    q[place(N, n / 2, m)] += even[n / 2];
}

static folds folds_in(double *workspace, int length) {
  folds f;
  for (int odd = 0; odd < 2; odd++)
    for (int part = 0; part < 2; part++, workspace += 2 * length) {
      f.from[odd][part] = workspace;
      f.to[odd][part] = workspace + length;
    }
  return f;
}

static int greater(int a, int b) { return a > b ? a : b; }

/* the lowest degree on diagonal m that has the noise (43) */
static int lowest(const cas_euler_zeitlin *p, int m) { return greater((int)p->lmin, m); }

/* of degrees from lmin on, for each m those of T_lm and then of T_l,-m; m = part, part + parts, ..
 */
static void add_modes(const cas_euler_zeitlin *p, int part, int parts, int lmin, const double *coef,
                      const double *x, double *workspace, double *q) {
  int N = (int)p->fluid.N, above = N * (N - 1) / 2;
  for (int m = 0; m < N; m++) {
    if (m % parts != part) {
      coef += 2 * (N - greater(lmin, m));
      continue;
    }
    int first = greater(lmin, m) - m, n = N - m - first, length = cas_hoppe_yau_row(N, m);
    const double *basis = p->harmonics.half + p->harmonics.first[m] +
                          (first + m - cas_hoppe_yau_lowest(&p->harmonics, m)) * length;
    const double *const of_l[2] = {coef, coef + n};
    folds f = folds_in(workspace, length);
    if (m == 0) /* it has no real parts */
      memset(workspace, 0, 8 * (size_t)length * sizeof *workspace);
    if (m)
      fold(N, m, x + N, f.from[0][0], f.from[1][0]);
    fold(N, m, m ? x + N + above : x, f.from[0][1], f.from[1][1]);
    for (int odd = 0; odd < 2; odd++) {
      for (int imaginary = 0; imaginary < 2; imaginary++)
        memset(f.to[odd][imaginary], 0, (size_t)length * sizeof *workspace);
      transform_parity((first + odd) % 2, n, length, basis, f.from[odd], f.to[odd], of_l);
    }
    if (m)
      unfold_add(N, m, f.to[0][0], f.to[1][0], q + N);
    unfold_add(N, m, f.to[0][1], f.to[1][1], m ? q + N + above : q);
    coef += 2 * n;
  }
}

/* ---- what does not depend on the state ---- */

/* q += the state with these coefficients of degrees up to lmax; workspace: of 5 rows of
   eigenvectors */
static void synthesise(const cas_euler_zeitlin *p, int lmax, const double *omega, double *workspace,
                       double *q) {
  int N = (int)p->fluid.N, above = N * (N - 1) / 2;
  for (int m = 0; m <= lmax; m++) {
    int length = cas_hoppe_yau_row(N, m);
    double *to[2][2] = {{workspace, workspace + length},
                        {workspace + 2 * length, workspace + 3 * length}};
    memset(workspace, 0, 4 * (size_t)length * sizeof *workspace);
    for (int l = m ? m : 1; l <= lmax; l++) {
      double re = m ? sqrt(0.5) * omega[cas_hoppe_yau_mode(l, m)] : 0,
             im = (m ? sqrt(0.5) : 1) * omega[cas_hoppe_yau_mode(l, -m)];
      if (re == 0 && im == 0)
        continue;
      const double *b = cas_hoppe_yau_vector(&p->harmonics, l, m, workspace + 4 * length);
      double *restrict to_re = to[(l - m) % 2][0], *restrict to_im = to[(l - m) % 2][1];
      for (int k = 0; k < length; k++) {
        to_re[k] += re * b[k];
        to_im[k] += im * b[k];
      }
    }
    if (m)
      unfold_add(N, m, to[0][0], to[1][0], q + N);
    unfold_add(N, m, to[0][1], to[1][1], m ? q + N + above : q);
  }
}

/* where that part begins among the coefficients of a step */
static int behind_noise(const cas_euler_zeitlin *p) {
  int n = 8;
  for (int m = 0; cas_euler_zeitlin_modal(p) && m < p->fluid.N; m++)
    n += 2 * ((int)p->fluid.N - lowest(p, m));
  return (n + 7) / 8 * 8;
}

/* The parts of a gradient for threads. */
typedef struct {
  const cas_euler_zeitlin *p;
  const double *coef, *x;
  double *workspace, *q;
} gradient;

/* Where part number `part` of the diagonals begins, counted from m = 1 on: after whole vectors, so
   that each entry is computed by the same instructions for any number of parts. */
static int begin_diagonals(int N, int part, int parts) {
  const double of_all = 1 - sqrt(1 - (double)part / parts);
  return part == parts ? N - 1 : (int)(of_all * (N - 1)) / 16 * 16;
}

static void solve_part(void *gradient_, int part, int parts) {
  const gradient *g = gradient_;
  const int N = (int)g->p->fluid.N, above = N * (N - 1) / 2, from = begin_diagonals(N, part, parts),
            to = begin_diagonals(N, part + 1, parts);
  const double *lower = g->p->harmonics.lower, *inverse = g->p->harmonics.inverse, *x = g->x;
  if (part == 0)
    solve_diagonal(N, g->coef[0], lower, inverse, x, g->q);
  for (int imaginary = 0; from < to && imaginary < 2; imaginary++)
    solve_above(N, from, to, g->coef[0], lower + N, inverse + N, x + N + imaginary * above,
                g->q + N + imaginary * above);
}

static void add_modes_part(void *gradient_, int part, int parts) {
  const gradient *g = gradient_;
  const int N = (int)g->p->fluid.N;
  if (part < N)
    add_modes(g->p, part, parts, (int)g->p->lmin, g->coef + 8, g->x,
              g->workspace + 8 * part * cas_hoppe_yau_row(N, 0), g->q);
}

static void add_affine_part(void *gradient_, int part, int parts) {
  const gradient *g = gradient_;
  const int n = (int)(g->p->fluid.N * g->p->fluid.N), from = (int)((int64_t)n * part / parts),
            to = (int)((int64_t)n * (part + 1) / parts);
  const double *restrict add = g->coef + behind_noise(g->p);
  double *restrict q = g->q;
  for (int k = from; k < to; k++)
    q[k] += add[k];
}

void CAS_ISA(cas_euler_zeitlin_path_psi)(const void *parameters, const double *coef,
                                         const double *x, double *workspace, double *q) {
  gradient g = {parameters, coef, x, workspace, q};
  cas_threads_run(solve_part, &g, 1);
  if (cas_euler_zeitlin_modal(g.p))
    cas_threads_run(add_modes_part, &g, 1);
  if (cas_euler_zeitlin_affine(g.p))
    cas_threads_run(add_affine_part, &g, 1);
}

void CAS_ISA(cas_euler_zeitlin_path_invert)(const cas_euler_zeitlin *p, double scale,
                                            const double *x, double *q) {
  gradient g = {.p = p, .coef = &scale, .x = x, .q = q};
  solve_part(&g, 0, 1);
}

/* ---- once a step ---- */

int CAS_ISA(cas_euler_zeitlin_path_coefficients)(const void *parameters) {
  const cas_euler_zeitlin *p = parameters;
  const int N = (int)p->fluid.N;
  return behind_noise(p) +
         (cas_euler_zeitlin_affine(p) ? 2 * N * N + 5 * cas_hoppe_yau_row(N, 0) : 0);
}

void CAS_ISA(cas_euler_zeitlin_path_prepare)(const void *parameters, double h, const double *dw,
                                             double *coef) {
  const cas_euler_zeitlin *p = parameters;
  int N = (int)p->fluid.N, before = (int)(p->lmin * p->lmin);
  double *noise = coef + 8, *affine = coef + behind_noise(p), *omega = affine + N * N;
  coef[0] = p->bracket * h;
  for (int m = 0; cas_euler_zeitlin_modal(p) && m < N; m++) {
    int first = lowest(p, m), n = N - first;
    for (int l = first; l < N; l++) {
      double c = p->bracket * p->fluid.amplitude / (l * (l + 1.0));
      noise[l - first] = m ? c * dw[l * l + l + m - before] : 0;
      noise[n + l - first] = c * dw[l * l + l - m - before];
    }
    noise += 2 * n;
  }
  if (!cas_euler_zeitlin_affine(p))
    return;
  CAS_ISA(cas_sphere_affine)(p, 1, h, dw, omega);
  memset(affine, 0, (size_t)(N * N) * sizeof *affine);
  synthesise(p, greater(p->rest_lmax, p->noise_lmax), omega, omega + N * N, affine);
  for (int k = 0; p->rest_stream && k < N * N; k++)
    affine[k] -= coef[0] * p->rest_stream[k];
}

/* ---- damping and forcing ---- */

size_t CAS_ISA(cas_euler_zeitlin_path_change_size)(const cas_euler_zeitlin *p) {
  size_t N = (size_t)p->fluid.N;
  return N * (N + 1) + 8 * (size_t)cas_hoppe_yau_row((int)N, 0) + 8;
}

void CAS_ISA(cas_euler_zeitlin_path_change)(const cas_euler_zeitlin *p, const double *scale,
                                            const double *gain, const double *x, double *workspace,
                                            double *out) {
  const int N = (int)p->fluid.N;
  double *coef = workspace + 8 * cas_hoppe_yau_row(N, 0), *to = coef;
  for (int m = 0; m < N; m++)
    for (int part = 0; part < 2; part++)
      for (int l = greater(1, m); l < N; l++)
        *to++ = m || part ? scale[l - 1] : 0;
  memset(out, 0, (size_t)(N * N) * sizeof *out);
  add_modes(p, 0, 1, 1, coef, x, workspace, out);
  synthesise(p, N - 1, gain, workspace, out);
}
