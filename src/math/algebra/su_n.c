#include "math/algebra/su_n.h"
#include "base/lanes.h"
#include "base/scratch.h"
#include "math/algebra/so_n.h"
#include "math/blas/lapack.h"
#include "math/kernels/kernels.h"

#include <complex.h>

static int dimension(int N) { return N * N; }

/* ---- products ---- */

/* Of Q and X unpacked, and P = Q X: real parts of all entries row by row, then imaginary parts. */
static size_t scratch(const cas_geometry *g) {
  return 6 * (size_t)g->n * (size_t)g->n * sizeof(cas_group) / sizeof(double);
}

static void unpack(int N, const cas_group *a, cas_group *full) {
  cas_group *re = full, *im = full + N * N;
  for (int i = 0; i < N; i++)
    for (int u = 0; u < CAS_GROUP_VECTORS; u++) {
      re[i * N + i].v[u] = cas_vec_splat(0);
      im[i * N + i].v[u] = a[i].v[u];
    }
  for (int i = 0; i < N; i++)
    for (int j = i + 1; j < N; j++)
      for (int u = 0; u < CAS_GROUP_VECTORS; u++) {
        cas_vec r = a[cas_su_n_re(N, i, j)].v[u], s = a[cas_su_n_im(N, i, j)].v[u];
        re[i * N + j].v[u] = r;
        im[i * N + j].v[u] = s;
        re[j * N + i].v[u] = -r;
        im[j * N + i].v[u] = s;
      }
}

/* the tile (rows i, i+1) x (columns j, j+1) of P = A B, one vector of lanes; edges are single */
CAS_INLINE void tile(int N, int rows, int columns, const cas_group *a, const cas_group *b,
                     cas_group *p, int i, int j, int u) {
  cas_vec re[2][2] = {{{0}}}, im[2][2] = {{{0}}};
  const cas_group *a_im = a + N * N, *b_im = b + N * N;
  for (int k = 0; k < N; k++)
    for (int r = 0; r < rows; r++) {
      cas_vec ar = a[(i + r) * N + k].v[u], ai = a_im[(i + r) * N + k].v[u];
      for (int c = 0; c < columns; c++) {
        cas_vec br = b[k * N + j + c].v[u], bi = b_im[k * N + j + c].v[u];
        re[r][c] += ar * br;
        re[r][c] -= ai * bi;
        im[r][c] += ar * bi;
        im[r][c] += ai * br;
      }
    }
  for (int r = 0; r < rows; r++)
    for (int c = 0; c < columns; c++) {
      p[(i + r) * N + j + c].v[u] = re[r][c];
      p[N * N + (i + r) * N + j + c].v[u] = im[r][c];
    }
}

/* entries (i, j) of P = A B for j >= from(i): 0, or i if only the upper half is wanted */
CAS_INLINE void multiply(int N, int upper, const cas_group *a, const cas_group *b, cas_group *p) {
  for (int i = 0; i < N; i += 2)
    for (int j = upper ? i : 0; j < N; j += 2)
      for (int u = 0; u < CAS_GROUP_VECTORS; u++) {
        if (i + 1 < N && j + 1 < N)
          tile(N, 2, 2, a, b, p, i, j, u);
        else if (i + 1 < N)
          tile(N, 2, 1, a, b, p, i, j, u);
        else if (j + 1 < N)
          tile(N, 1, 2, a, b, p, i, j, u);
        else
          tile(N, 1, 1, a, b, p, i, j, u);
      }
}

/* The half of P above its diagonal or, to commute, P - P^*, which is [Q, X] for P = Q X because
   (Q X)^* = X Q. */
static void pack(int N, bool commute, const cas_group *p, cas_group *out) {
  const cas_group *im = p + N * N;
  for (int u = 0; u < CAS_GROUP_VECTORS; u++)
    for (int i = 0; i < N; i++) {
      out[i].v[u] = (commute ? 2.0 : 1.0) * im[i * N + i].v[u];
      for (int j = i + 1; j < N; j++) {
        cas_vec re_ij = p[i * N + j].v[u], im_ij = im[i * N + j].v[u];
        if (commute) {
          re_ij -= p[j * N + i].v[u];
          im_ij += im[j * N + i].v[u];
        }
        out[cas_su_n_re(N, i, j)].v[u] = re_ij;
        out[cas_su_n_im(N, i, j)].v[u] = im_ij;
      }
    }
}

/* Both products come from one P = Q X; Q X Q is skew-Hermitian, so half of P Q is enough. */
void CAS_ISA(cas_su_n_products)(const cas_geometry *g, const cas_vec *q, const cas_vec *x,
                                cas_vec *bracket, cas_vec *sandwich) {
  cas_group *full_q = (cas_group *)(void *)g->scratch, *full_x = full_q + 2 * g->n * g->n,
            *p = full_x + 2 * g->n * g->n;
  unpack(g->n, (const cas_group *)q, full_q);
  unpack(g->n, (const cas_group *)x, full_x);
  multiply(g->n, 0, full_q, full_x, p);
  pack(g->n, true, p, (cas_group *)bracket);
  if (!sandwich)
    return;
  multiply(g->n, 1, p, full_q, full_x);
  pack(g->n, false, full_x, (cas_group *)sandwich);
}

/* ---- inverses of 1 - Q, in the real matrices (Re, -Im; Im, Re) ---- */

static void unpack_real(int N, const cas_vec *a, cas_vec *full) {
  const int V = CAS_GROUP_VECTORS, n = 2 * N;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      const int from = i < j ? i : j, to = i < j ? j : i;
      const cas_vec re = i == j ? cas_vec_splat(0) : a[cas_su_n_re(N, from, to) * V],
                    im = a[i == j ? i * V : cas_su_n_im(N, from, to) * V];
      full[i * n + j] = full[(i + N) * n + j + N] = i < j ? re : -re;
      full[i * n + j + N] = -im;
      full[(i + N) * n + j] = im;
    }
}

void CAS_ISA(cas_su_n_lanes_cayley)(const cas_geometry *g, const cas_vec *q, const cas_vec *x,
                                    cas_vec *out) {
  const int V = CAS_GROUP_VECTORS, N = g->n, n = 2 * N;
  cas_vec full_q[CAS_SO_N_MAX * CAS_SO_N_MAX], full_x[CAS_SO_N_MAX * CAS_SO_N_MAX];
  for (int u = 0; u < V; u++) {
    unpack_real(N, q + u, full_q);
    unpack_real(N, x + u, full_x);
    CAS_ISA(cas_so_n_full_cayley)(n, full_q, full_x);
    for (int i = 0; i < N; i++) {
      out[i * V + u] = full_x[(i + N) * n + i];
      for (int j = i + 1; j < N; j++) {
        out[cas_su_n_re(N, i, j) * V + u] = full_x[i * n + j];
        out[cas_su_n_im(N, i, j) * V + u] = full_x[(i + N) * n + j];
      }
    }
  }
}

#define ALGEBRA cas_su_n
#include "math/algebra/operations.h"

/* ---- Casimirs ---- */

int CAS_ISA(cas_su_n_casimirs)(const cas_geometry *g) { return g->n; }

/* Eigenvalues of -iX, ascending; NaN where LAPACK finds none. */
void CAS_ISA(cas_su_n_casimir)(const cas_geometry *g, int W, const double *x, double *out) {
  int N = g->n;
  double complex *a = cas_scratch((size_t)N * (size_t)N * sizeof *a +
                                  CAS_LAPACK_BEHIND * (size_t)N * sizeof(double));
  double value[N];
  for (int l = 0; l < W; l++) {
    for (int i = 0; a && i < N; i++) {
      a[i * N + i] = x[i * W + l];
      for (int j = i + 1; j < N; j++)
        a[j * N + i] = x[cas_su_n_im(N, i, j) * W + l] - I * x[cas_su_n_re(N, i, j) * W + l];
    }
    bool found = a && cas_lapack_hermitian_values(N, (double *)a, value);
    for (int i = 0; i < N; i++)
      out[i * W + l] = found ? value[i] : NAN;
  }
  free(a);
}

/* ---- Frobenius norm: components off the diagonal stand for two entries ---- */

void CAS_ISA(cas_su_n_distance2)(const cas_geometry *g, int W, const double *x, const double *y,
                                 double *out) {
  for (int l = 0; l < W; l++)
    out[l] = 0;
  for (int k = 0; k < g->components; k++)
    for (int l = 0; l < W; l++) {
      double d = x[k * W + l] - y[k * W + l];
      out[l] += (k < g->n ? 1 : 2) * d * d;
    }
}

void CAS_ISA(cas_su_n_norm2)(int N, int W, const double *x, double *out) {
  for (int l = 0; l < W; l++) {
    out[l] = 0;
    for (int k = 0; k < N * N; k++)
      out[l] += (k < N ? 1 : 2) * x[k * W + l] * x[k * W + l];
  }
}

const cas_algebra CAS_ISA(cas_algebra_su_n) = {
    .name = "su_n",
    .summary = "su(N), skew-Hermitian matrices",
    .properties = CAS_COMPACT | CAS_BLAS_CALLED,
    .dimension = dimension,
    .scratch = scratch,
    CAS_OPERATIONS(cas_su_n),
    .casimirs = CAS_ISA(cas_su_n_casimirs),
    .casimir = CAS_ISA(cas_su_n_casimir),
    .distance2 = CAS_ISA(cas_su_n_distance2),
};
