/* Products of su(N) for one path by itself: real matrices by BLAS. A complex product A B takes
   three real ones,

       t1 = Re A Re B,  t2 = Im A Im B,  t3 = (Re A + Im A)(Re B + Im B),
       Re AB = t1 - t2,  Im AB = t3 - t1 - t2,

   a quarter less work than four; its errors are small against |A||B|, which is what counts here,
   and not entry by entry. Of P Q with P = Q X, which is skew-Hermitian, only blocks on and above
   the diagonal are computed. */
#include "algebra/su_n_path.h"
#include "algebra/su_n.h"
#include "blas/lapack.h"
#include "kernels/kernels.h"

enum {
  TILE = 8,  /* rows that are transposed together: a cache line */
  BLOCK = 64 /* rows of P Q at a time */
};

/* re, im and re + im, row by row */
typedef struct {
  double *re, *im, *sum;
} matrix;

typedef struct {
  int N, ld;
  matrix q, x, t;
} workspace;

static int least(int a, int b) { return a < b ? a : b; }

/* whole cache lines, and no power of two, which would let columns share a few lines of the cache */
static int leading(int N) { return (N + 7) / 8 * 8 + 8; }

static size_t scratch(const cas_geometry *g) { return 9 * (size_t)g->n * (size_t)leading(g->n); }

static workspace workspace_of(const cas_geometry *g) {
  size_t size = (size_t)g->n * (size_t)leading(g->n);
  double *s = g->scratch;
  return (workspace){.N = g->n,
                     .ld = leading(g->n),
                     .q = {s, s + size, s + 2 * size},
                     .x = {s + 3 * size, s + 4 * size, s + 5 * size},
                     .t = {s + 6 * size, s + 7 * size, s + 8 * size}};
}

/* rows i .. i + rows - 1 of the upper half, and their mirror images, a cache line at a time */
static void unpack_rows(int N, int ld, int i, int rows, const double *x, matrix a) {
  const double *re[TILE], *im[TILE]; /* entry (i + r, j) is at [j] */
  for (int r = 0; r < rows; r++) {
    int at = (i + r) * ld, row = cas_su_n_re(N, i + r, 0);
    re[r] = x + row;
    im[r] = x + row + N * (N - 1) / 2;
    a.re[at + i + r] = 0;
    a.sum[at + i + r] = a.im[at + i + r] = x[i + r];
    for (int j = i + r + 1; j < N; j++) {
      a.re[at + j] = re[r][j];
      a.im[at + j] = im[r][j];
      a.sum[at + j] = re[r][j] + im[r][j];
    }
  }
  for (int j = i + 1; j < N; j++)
    for (int r = 0; r < least(rows, j - i); r++) {
      a.re[j * ld + i + r] = -re[r][j];
      a.im[j * ld + i + r] = im[r][j];
      a.sum[j * ld + i + r] = im[r][j] - re[r][j];
    }
}

static void unpack(int N, int ld, const double *x, matrix a) {
  for (int i = 0; i < N; i += TILE)
    unpack_rows(N, ld, i, least(TILE, N - i), x, a);
}

/* The real products for `rows` rows and `columns` columns of A B, from entry `at` of them on. Rows
   are columns to BLAS, for which it is (A B)^T = B^T A^T. */
static void multiply(const workspace *r, int rows, int columns, int at_a, int at_b, int at,
                     matrix a, matrix b) {
  const double *const left[3] = {a.re, a.im, a.sum}, *const right[3] = {b.re, b.im, b.sum};
  double *const out[3] = {r->t.re, r->t.im, r->t.sum};
  for (int i = 0; i < 3; i++)
    cas_lapack_multiply(columns, rows, r->N, right[i] + at_b, r->ld, left[i] + at_a, r->ld,
                        out[i] + at, r->ld);
}

/* t = (t1, t2, t3) becomes p = Q X, re, im and re + im */
static void combine(const workspace *r, matrix p) {
  const double *t1 = r->t.re, *t2 = r->t.im, *t3 = r->t.sum;
  for (int i = 0; i < r->N; i++)
    for (int k = i * r->ld; k < i * r->ld + r->N; k++) {
      p.re[k] = t1[k] - t2[k];
      p.im[k] = t3[k] - t1[k] - t2[k];
      p.sum[k] = p.re[k] + p.im[k];
    }
}

/* P - P^*, which is [Q, X] for P = Q X because (Q X)^* = X Q; rows i .. of it */
static void commutator_rows(int N, int ld, int i, int rows, matrix p, double *bracket) {
  double *re[TILE], *im[TILE];
  for (int r = 0; r < rows; r++) {
    int row = cas_su_n_re(N, i + r, 0), at = (i + r) * ld;
    re[r] = bracket + row;
    im[r] = bracket + row + N * (N - 1) / 2;
    bracket[i + r] = 2 * p.im[at + i + r];
    for (int j = i + r + 1; j < N; j++) {
      re[r][j] = p.re[at + j];
      im[r][j] = p.im[at + j];
    }
  }
  for (int j = i + 1; j < N; j++)
    for (int r = 0; r < least(rows, j - i); r++) {
      re[r][j] -= p.re[j * ld + i + r];
      im[r][j] += p.im[j * ld + i + r];
    }
}

/* the upper half of t as a skew-Hermitian matrix */
static void write_sandwich(const workspace *r, double *sandwich) {
  int N = r->N, above = N * (N - 1) / 2;
  const double *t1 = r->t.re, *t2 = r->t.im, *t3 = r->t.sum;
  for (int i = 0; i < N; i++) {
    double *re = sandwich + cas_su_n_re(N, i, 0), *im = re + above;
    int at = i * r->ld;
    sandwich[i] = t3[at + i] - t1[at + i] - t2[at + i];
    for (int j = i + 1; j < N; j++) {
      re[j] = t1[at + j] - t2[at + j];
      im[j] = t3[at + j] - t1[at + j] - t2[at + j];
    }
  }
}

void CAS_ISA(cas_su_n_path_products)(const cas_geometry *g, const double *q, const double *x,
                                     double *bracket, double *sandwich) {
  workspace r = workspace_of(g);
  unpack(r.N, r.ld, q, r.q);
  unpack(r.N, r.ld, x, r.x);
  multiply(&r, r.N, r.N, 0, 0, 0, r.q, r.x);
  combine(&r, r.x); /* P in the place of X */
  for (int i = 0; i < r.N; i += TILE)
    commutator_rows(r.N, r.ld, i, least(TILE, r.N - i), r.x, bracket);
  if (!sandwich)
    return;
  for (int i = 0; i < r.N; i += BLOCK)
    multiply(&r, least(BLOCK, r.N - i), r.N - i, i * r.ld, i, i * r.ld + i, r.x, r.q);
  write_sandwich(&r, sandwich);
}

#define ALGEBRA cas_su_n_path
#define ALGEBRA_ONE_PATH
#include "algebra/operations.h"

static int dimension(int N) { return N * N; }

const cas_algebra CAS_ISA(cas_algebra_su_n_path) = {
    .name = "su_n_path",
    .summary = "su(N) as su_n has it, one path by itself",
    .properties = CAS_COMPACT | CAS_BLAS_CALLED,
    .one_path = true,
    .dimension = dimension,
    .scratch = scratch,
    .coadjoint = coadjoint,
    .both = both,
    .casimirs = CAS_ISA(cas_su_n_casimirs),
    .casimir = CAS_ISA(cas_su_n_casimir),
    .distance2 = CAS_ISA(cas_su_n_distance2),
};
