#include "algebra/so_n.h"
#include "algebra/euclidean.h"
#include "kernels.h"
#include "lanes.h"

#include <lapacke.h>
#include <math.h>

static int dimension(int n) { return n * (n - 1) / 2; }

/* ---- products ---- */

/* Rows of full matrices are padded to an even number of columns, because columns are multiplied in
 * pairs. */
static int padded(int n) { return (n + 1) / 2 * 2; }

static void unpack(int n, const cas_group *packed, cas_group *full) {
  int stride = padded(n);
  for (int i = 0; i < n; i++) {
    full[i * stride + i] = full[i * stride + stride - 1] = (cas_group){{{0}}};
    for (int j = 0; j < i; j++)
      for (int u = 0; u < CAS_GROUP_VECTORS; u++)
        full[i * stride + j].v[u] = -full[j * stride + i].v[u];
    for (int j = i + 1; j < n; j++)
      full[i * stride + j] = *packed++;
  }
}

/* product[j] = sum_k row[k] b[k][j] for j = first .. n - 1; first is even */
CAS_INLINE void row_times(int n, const cas_group *row, const cas_group *b, int first,
                          cas_group *product) {
  int stride = padded(n);
  for (int j = first; j < n; j += 2) {
    cas_group left = {{{0}}}, right = {{{0}}};
    for (int k = 0; k < n; k++)
      for (int u = 0; u < CAS_GROUP_VECTORS; u++) {
        left.v[u] += row[k].v[u] * b[k * stride + j].v[u];
        right.v[u] += row[k].v[u] * b[k * stride + j + 1].v[u];
      }
    product[j] = left;
    product[j + 1] = right;
  }
}

/* sum += P - P^T with P = a b, of which row i is p: XQ = (QX)^T, so half of a bracket's products
 * are enough */
CAS_INLINE void add_antisymmetric(int n, int i, const cas_group *p, cas_group *sum) {
  int above = i - 1; /* entry (0, i); entry (j + 1, i) is n - 2 - j further */
  for (int j = 0; j < i; above += n - 2 - j, j++)
    for (int u = 0; u < CAS_GROUP_VECTORS; u++)
      sum[above].v[u] -= p[j].v[u];
}

CAS_INLINE void add_row(int n, int i, const cas_group *p, cas_group *upper) {
  for (int j = i + 1; j < n; j++)
    for (int u = 0; u < CAS_GROUP_VECTORS; u++)
      upper[j - i - 1].v[u] += p[j].v[u];
}

CAS_INLINE void products_add(const cas_geometry *g, const cas_group *q, const cas_group *x,
                             cas_group *sum, bool bracket, bool sandwich) {
  int n = g->n;
  cas_group full_q[CAS_SO_N_MAX * CAS_SO_N_MAX], full_x[CAS_SO_N_MAX * CAS_SO_N_MAX];
  cas_group p[CAS_SO_N_MAX], pq[CAS_SO_N_MAX], *upper = sum;
  unpack(n, q, full_q);
  unpack(n, x, full_x);
  for (int i = 0; i < n; upper += n - 1 - i, i++) {
    row_times(n, full_q + i * padded(n), full_x, 0, p);
    if (bracket) {
      add_row(n, i, p, upper);
      add_antisymmetric(n, i, p, sum);
    }
    if (sandwich) {
      row_times(n, p, full_q, (i + 1) / 2 * 2, pq);
      add_row(n, i, pq, upper);
    }
  }
}

static void bracket_add(const cas_geometry *g, const cas_group *a, const cas_group *b,
                        cas_group *sum) {
  products_add(g, a, b, sum, true, false);
}

static void sandwich_add(const cas_geometry *g, const cas_group *q, const cas_group *x,
                         cas_group *sum) {
  products_add(g, q, x, sum, false, true);
}

static void midpoint_add(const cas_geometry *g, const cas_group *q, const cas_group *x,
                         cas_group *sum) {
  products_add(g, q, x, sum, true, true);
}

/* ---- eigenvalues ---- */

/* Householder reflections make the antisymmetric a (n x n) tridiagonal; e: moduli of the entries
   beside the diagonal. With H = I - beta v v^T and w = beta A v:  H A H = A + v w^T - w v^T. */
static void tridiagonalise(int n, double *a, double *e) {
  for (int k = 0; k < n - 1; k++) {
    double v[CAS_SO_N_MAX], w[CAS_SO_N_MAX], norm2 = 0, length2;
    for (int i = k + 1; i < n; i++) {
      v[i] = a[i * n + k];
      norm2 += v[i] * v[i];
    }
    e[k] = sqrt(norm2);
    length2 = 2 * (norm2 + fabs(v[k + 1]) * e[k]);
    v[k + 1] += copysign(e[k], v[k + 1]);
    if (length2 == 0)
      continue;
    for (int i = k + 1; i < n; i++) {
      w[i] = 0;
      for (int j = k + 1; j < n; j++)
        w[i] += a[i * n + j] * v[j] * (2 / length2);
    }
    for (int i = k + 1; i < n; i++)
      for (int j = k + 1; j < n; j++)
        a[i * n + j] += v[i] * w[j] - w[i] * v[j];
  }
}

/* i times an antisymmetric tridiagonal matrix is similar to the symmetric one with the moduli of
 * its entries. */
void CAS_ISA(cas_so_n_spectrum)(int n, int stride, const double *x, double *mu) {
  double a[CAS_SO_N_MAX * CAS_SO_N_MAX], e[CAS_SO_N_MAX], d[CAS_SO_N_MAX] = {0};
  bool found = true;
  for (int i = 0; i < n; i++) {
    a[i * n + i] = 0;
    for (int j = i + 1; j < n; j++, x += stride) {
      a[i * n + j] = *x;
      a[j * n + i] = -*x;
      found &= isfinite(*x) != 0;
    }
  }
  if (found) {
    tridiagonalise(n, a, e);
    found = LAPACKE_dsterf_work(n, d, e) == 0;
  }
  for (int k = 0; k < n / 2; k++)
    mu[k] = found ? 0.5 * (d[n - 1 - k] - d[k]) : NAN;
}

static int casimirs(const cas_geometry *g) { return g->n / 2; }

static void casimir(const cas_geometry *g, int W, const double *x, double *out) {
  double mu[CAS_SO_N_MAX / 2];
  for (int l = 0; l < W; l++) {
    CAS_ISA(cas_so_n_spectrum)(g->n, W, x + l, mu);
    for (int k = 0; k < g->n / 2; k++)
      out[k * W + l] = mu[k];
  }
}

const cas_algebra CAS_ISA(cas_algebra_so_n) = {
    .name = "so_n",
    .summary = "so(n), the entries above the diagonal row by row",
    .properties = CAS_J_QUADRATIC,
    .dimension = dimension,
    .bracket_add = bracket_add,
    .sandwich_add = sandwich_add,
    .midpoint_add = midpoint_add,
    .casimirs = casimirs,
    .casimir = casimir,
    .distance2 = cas_euclidean_distance2, /* the Frobenius norm of the matrix over sqrt 2 */
};
