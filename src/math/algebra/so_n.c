#include "math/algebra/so_n.h"
#include "base/lanes.h"
#include "math/algebra/euclidean.h"
#include "math/blas/lapack.h"
#include "math/kernels/kernels.h"

static int dimension(int n) { return n * (n - 1) / 2; }

/* ---- products, one vector of lanes after another ---- */

enum { WIDTH = 5 }; /* of a tile: two rows of sums and a factor stay in 16 registers */

static void unpack(int n, int V, const cas_vec *packed, cas_vec *full) {
  for (int i = 0; i < n; i++) {
    full[i * n + i] = cas_vec_splat(0);
    for (int j = i + 1; j < n; j++, packed += V) {
      full[i * n + j] = *packed;
      full[j * n + i] = -*packed;
    }
  }
}

/* rows x columns entries of a product; all matrices n x n */
CAS_INLINE void tile(int n, int rows, int columns, const cas_vec *a, const cas_vec *b,
                     cas_vec *product) {
  cas_vec sum[2][WIDTH] = {{{0}}};
  for (int k = 0; k < n; k++) {
    cas_vec right[WIDTH];
    for (int c = 0; c < columns; c++)
      right[c] = cas_vec_in_register(b[k * n + c]);
    for (int r = 0; r < rows; r++)
      for (int c = 0; c < columns; c++)
        sum[r][c] += a[r * n + k] * right[c];
  }
  for (int r = 0; r < rows; r++)
    for (int c = 0; c < columns; c++)
      product[r * n + c] = sum[r][c];
}

CAS_INLINE void strip(int n, int rows, int columns, const cas_vec *a, const cas_vec *b,
                      cas_vec *product) {
  CAS_SO_N_UNROLL for (int width = WIDTH; width > 0; width--) {
    for (; columns >= width; columns -= width, b += width, product += width)
      tile(n, rows, width, a, b, product);
  }
}

/* a b, or only what lies above its diagonal */
static void multiply(int n, bool upper, const cas_vec *a, const cas_vec *b, cas_vec *product) {
  for (int i = 0; i < n; i += 2) {
    int first = upper ? i + 1 : 0;
    if (i + 1 < n)
      strip(n, 2, n - first, a + i * n, b + first, product + i * n + first);
    else
      strip(n, 1, n - first, a + i * n, b + first, product + i * n + first);
  }
}

/* With P = Q X the bracket is P - P^T, because X Q = (Q X)^T, and Q X Q = P Q is antisymmetric. */
void CAS_ISA(cas_so_n_products)(const cas_geometry *g, const cas_vec *q, const cas_vec *x,
                                cas_vec *bracket, cas_vec *sandwich) {
  int n = g->n;
  cas_vec full_q[CAS_SO_N_MAX * CAS_SO_N_MAX], full_x[CAS_SO_N_MAX * CAS_SO_N_MAX];
  cas_vec p[CAS_SO_N_MAX * CAS_SO_N_MAX], *pq = full_x;
  for (int u = 0; u < CAS_GROUP_VECTORS; u++) {
    unpack(n, CAS_GROUP_VECTORS, q + u, full_q);
    unpack(n, CAS_GROUP_VECTORS, x + u, full_x);
    multiply(n, false, full_q, full_x, p);
    for (int i = 0, k = 0; i < n; i++)
      for (int j = i + 1; j < n; j++, k++)
        bracket[k * CAS_GROUP_VECTORS + u] = p[i * n + j] - p[j * n + i];
    if (!sandwich)
      continue;
    multiply(n, true, p, full_q, pq);
    for (int i = 0, k = 0; i < n; i++)
      for (int j = i + 1; j < n; j++, k++)
        sandwich[k * CAS_GROUP_VECTORS + u] = pq[i * n + j];
  }
}

/* ---- inverses of 1 - Q ---- */

CAS_INLINE void subtract_row(int n, int from, cas_vec factor, const cas_vec *of, cas_vec *row) {
  for (int j = from; j < n; j++)
    row[j] -= factor * of[j];
}

/* Triangular factors of 1 - Q in the place of Q, inverses of the pivots on the diagonal. */
static void factorise(int n, cas_vec *q) {
  for (int i = 0; i < n * n; i++)
    q[i] = (i % (n + 1) ? 0.0 : 1.0) - q[i];
  for (int k = 0; k < n; k++) {
    q[k * n + k] = 1.0 / q[k * n + k];
    for (int i = k + 1; i < n; i++) {
      q[i * n + k] *= q[k * n + k];
      subtract_row(n, k + 1, q[i * n + k], q + k * n, q + i * n);
    }
  }
}

/* b <- (1 - Q)^-1 b */
static void solve(int n, const cas_vec *factors, cas_vec *b) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < i; k++)
      subtract_row(n, 0, factors[i * n + k], b + k * n, b + i * n);
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++)
      subtract_row(n, 0, factors[i * n + k], b + k * n, b + i * n);
    for (int j = 0; j < n; j++)
      b[i * n + j] *= factors[i * n + i];
  }
}

/* With Z = (1 - Q)^-1 X the result is Z (1 + Q)^-1 = ((1 - Q)^-1 Z^T)^T, which is antisymmetric. */
void CAS_ISA(cas_so_n_full_cayley)(int n, cas_vec *q, cas_vec *x) {
  factorise(n, q);
  solve(n, q, x);
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      const cas_vec z = x[i * n + j];
      x[i * n + j] = -x[j * n + i];
      x[j * n + i] = -z;
    }
  solve(n, q, x);
}

void CAS_ISA(cas_so_n_packed_cayley)(int n, int V, const cas_vec *q, const cas_vec *x,
                                     cas_vec *out) {
  cas_vec full_q[CAS_SO_N_MAX * CAS_SO_N_MAX], full_x[CAS_SO_N_MAX * CAS_SO_N_MAX];
  for (int u = 0; u < V; u++) {
    unpack(n, V, q + u, full_q);
    unpack(n, V, x + u, full_x);
    CAS_ISA(cas_so_n_full_cayley)(n, full_q, full_x);
    for (int i = 0, k = 0; i < n; i++)
      for (int j = i + 1; j < n; j++, k++)
        out[k * V + u] = full_x[i * n + j];
  }
}

#define ALGEBRA cas_so_n
#include "math/algebra/operations.h"

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

/* i times an antisymmetric tridiagonal matrix is similar to the symmetric one with the moduli e of
   its entries, and, by rows and columns 1, 3, .. before 2, 4, .., to [0 B; B^T 0]: the mu_k are
   singular values of the bidiagonal B, half as large, made square for odd n by a row of zeros. */
void CAS_ISA(cas_so_n_spectrum)(int n, int stride, const double *x, double *mu) {
  double a[CAS_SO_N_MAX * CAS_SO_N_MAX], e[CAS_SO_N_MAX + 1] = {0};
  double diagonal[CAS_SO_N_MAX / 2 + 1], above[CAS_SO_N_MAX / 2 + 1], work[2 * CAS_SO_N_MAX + 4];
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
    int m = (n + 1) / 2;
    tridiagonalise(n, a, e);
    for (int k = 0; k < m; k++) {
      diagonal[k] = e[2 * k];
      above[k] = e[2 * k + 1];
    }
    found = cas_lapack_bidiagonal_values(m, diagonal, above, work);
  }
  for (int k = 0; k < n / 2; k++)
    mu[k] = found ? diagonal[k] : NAN;
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
    .properties = CAS_COMPACT,
    .dimension = dimension,
    CAS_OPERATIONS(cas_so_n),
    .casimirs = casimirs,
    .casimir = casimir,
    .distance2 = cas_euclidean_distance2, /* the Frobenius norm of the matrix over sqrt 2 */
};
