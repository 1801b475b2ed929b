/* Products of su(N) for one path by itself: real matrices in blocks that fit into caches. A complex
   product A B takes three real ones,

       t1 = Re A Re B,  t2 = Im A Im B,  t3 = (Re A + Im A)(Re B + Im B),
       Re AB = t1 - t2,  Im AB = t3 - t1 - t2,

   a quarter less work than four; its errors are small against |A||B|, which is what counts here,
   and not entry by entry. Of Q P^* with P = Q X, which is Q X Q and skew-Hermitian, only tiles on
   and above the diagonal are computed. Each entry is a sum in one order, whatever the number of
   threads. */
#include "math/algebra/su_n_path.h"
#include "math/algebra/su_n.h"
#include "math/blas/lapack.h"
#include "math/blas/threads.h"
#include "math/kernels/kernels.h"

enum {
  TILE = 8, /* rows that are transposed together: a cache line */
#if CAS_VL == 8
  PRODUCT_ROWS = 12, /* of a tile, whose sums stay in registers */
#else
  PRODUCT_ROWS = 6,
#endif
  PRODUCT_VECTORS = 2, /* of a row of a tile */
  PRODUCT_DEPTH = 256, /* inner indices of a block: a panel of columns stays in the first cache, */
  PRODUCT_PANELS = 16, /* and this number of panels of rows in the second one */
  PRODUCT_PIECES = 4,  /* of a product for each of several threads, which may be of unequal speed */
  PRODUCT_MOST = 4 * CAS_VL /* width of a panel */
};

typedef float single_vector __attribute__((vector_size(8 * CAS_VL)));

static int least(int a, int b) { return a < b ? a : b; }

static int round_up(int n, int unit) { return (n + unit - 1) / unit * unit; }

static size_t round_up_size(size_t n, size_t unit) { return (n + unit - 1) / unit * unit; }

/* Where part number `part` begins among n rows of equal lengths, or of lengths that end with 0. */
static int share(bool is_triangle, int n, int part, int parts) {
  const double of_all = (double)part / parts;
  return (int)lrint(n * (is_triangle ? 1 - sqrt(1 - of_all) : of_all));
}

#define REAL double
#define VECTOR cas_vec
#define PRODUCT(name) CAS_ISA_PASTE(double_, name)
#include "math/algebra/su_n_product.h"

#define REAL float
#define VECTOR single_vector
#define PRODUCT(name) CAS_ISA_PASTE(single_, name)
#include "math/algebra/su_n_product.h"

static size_t scratch(const cas_geometry *g) {
  const size_t one = double_bytes(g->n), other = single_bytes(g->n);
  return (one > other ? one : other) / sizeof(double);
}

void CAS_ISA(cas_su_n_path_products)(const cas_geometry *g, const cas_vec *q, const cas_vec *x,
                                     cas_vec *bracket, cas_vec *sandwich) {
  double_run(g, 1, (const double *)q, (const double *)x, (double *)bracket, (double *)sandwich);
}

void CAS_ISA(cas_su_n_path_rough_products)(const cas_geometry *g, double size, const double *q,
                                           const double *x, double *bracket, double *sandwich) {
  const int most = 1000;
  int exponent = 0;
  if (size > 0 && isfinite(size))
    (void)frexp(size, &exponent);
  exponent = exponent > most ? most : exponent < -most ? -most : exponent;
  single_run(g, ldexp(1, -exponent), q, x, bracket, sandwich);
}

/* Columns of pairs (re, im): unit + sign times a packed matrix; its adjoint is minus the matrix. */
static void unpack(int N, double unit, double sign, const double *x, double *full) {
  for (int j = 0; j < N; j++)
    for (int i = 0; i < N; i++, full += 2) {
      const int from = i < j ? i : j, to = i < j ? j : i;
      full[0] = i == j ? unit : (i < j ? sign : -sign) * x[cas_su_n_re(N, from, to)];
      full[1] = sign * x[i == j ? i : cas_su_n_im(N, from, to)];
    }
}

/* With Z = (1 - Q)^-1 X the result is Z (1 + Q)^-1 = ((1 - Q)^-1 Z^*)^*, skew-Hermitian. */
void CAS_ISA(cas_su_n_path_solve_cayley)(const cas_geometry *g, const double *q, const double *x,
                                         double *out) {
  const int N = g->n;
  double *factors = g->scratch, *b = factors + 2 * (size_t)N * (size_t)N;
  int *pivots = (int *)(void *)(b + 2 * (size_t)N * (size_t)N);
  unpack(N, 1, -1, q, factors);
  unpack(N, 0, 1, x, b);
  cas_lapack_factorise(N, factors, pivots);
  cas_lapack_solve(N, factors, pivots, b);
  for (int j = 0; j < N; j++)
    for (int i = 0; i <= j; i++) {
      double *upper = b + 2 * (j * N + i), *lower = b + 2 * (i * N + j),
             z[2] = {upper[0], -upper[1]};
      upper[0] = lower[0];
      upper[1] = -lower[1];
      lower[0] = z[0];
      lower[1] = z[1];
    }
  cas_lapack_solve(N, factors, pivots, b);
  for (int i = 0; i < N; i++) {
    out[i] = -b[2 * (i * N + i) + 1];
    for (int j = i + 1; j < N; j++) {
      out[cas_su_n_re(N, i, j)] = -b[2 * (j * N + i)];
      out[cas_su_n_im(N, i, j)] = -b[2 * (j * N + i) + 1];
    }
  }
}

#define ALGEBRA cas_su_n_path
#define ALGEBRA_ONE_PATH
#include "math/algebra/operations.h"

static int dimension(int N) { return N * N; }

const cas_algebra CAS_ISA(cas_algebra_su_n_path) = {
    .name = "su_n_path",
    .summary = "su(N) as su_n has it, one path by itself",
    .properties = CAS_COMPACT | CAS_BLAS_CALLED,
    .one_path = true,
    .dimension = dimension,
    .scratch = scratch,
    CAS_OPERATIONS(cas_su_n_path),
    .casimirs = CAS_ISA(cas_su_n_casimirs),
    .casimir = CAS_ISA(cas_su_n_casimir),
    .distance2 = CAS_ISA(cas_su_n_distance2),
};
