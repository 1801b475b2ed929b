/* The products of every algebra and every instruction set against matrices, and eigenvalues that
 * are known. */
#include "math/blas/lapack.h"
#include "math/kernels/kernels.h"
#include "matrices.h"
#include "numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { MOST = 131 };

void cas_so_n_spectrum_generic(int n, int stride, const double *x, double *mu);

/* Those above 12 of one path, at which all blocks and edges of its products occur. */
static const struct representation {
  const char *algebra;
  int n, factors;
} cases[] = {{"so3", 3, 1},   {"so_n", 2, 1},  {"so_n", 3, 1},  {"so_n", 6, 1},  {"so_n", 11, 1},
             {"su2", 2, 1},   {"su2", 2, 5},   {"su_n", 2, 1},  {"su_n", 5, 1},  {"su_n", 12, 1},
             {"su_n", 25, 1}, {"su_n", 63, 1}, {"su_n", 64, 1}, {"su_n", 65, 1}, {"su_n", 131, 1}};

/* [q, x] and q x q of one factor */
static void define(const struct representation *r, const double *q, const double *x,
                   double *bracket, double *sandwich) {
  static entry mq[MOST * MOST], mx[MOST * MOST], qx[MOST * MOST], out[MOST * MOST];
  const int n = rows_of(r->algebra, r->n);
  unpack(r->algebra, r->n, 1, q, mq);
  unpack(r->algebra, r->n, 1, x, mx);
  commutator(n, mq, mx, out);
  pack(r->algebra, r->n, out, bracket);
  multiply(n, mq, mx, qx);
  multiply(n, qx, mq, out);
  pack(r->algebra, r->n, out, sandwich);
}

static void check(const char *what, const cas_geometry *g, int lanes, const double *found,
                  const double *wanted) {
  for (int i = 0; i < g->components * lanes; i++)
    ck_assert_msg(isfinite(found[i]) && fabs(found[i] - wanted[i]) <= (g->n > 12 ? 1e-15 : 5e-14),
                  "%s of %s(%d): component %d, lane %d is %.17g, must be %.17g", what,
                  g->algebra->name, g->n, i / lanes, i % lanes, found[i], wanted[i]);
}

/* both products at once, and the bracket alone as coadjoint action, whatever was there before */
static void check_products(const cas_geometry *g, int lanes, const double *q, const double *x,
                           const double *bracket, const double *sandwich) {
  const size_t n = (size_t)(g->components * lanes);
  double *found[3] = {doubles(n), doubles(n), doubles(n)};
  for (size_t i = 0; i < 3 * n; i++)
    found[i / n][i % n] = NAN;
  g->algebra->both(g, q, x, found[0], found[1]);
  g->algebra->coadjoint(g, x, q, found[2]);
  check("bracket", g, lanes, found[0], bracket);
  check("sandwich", g, lanes, found[1], sandwich);
  check("coadjoint", g, lanes, found[2], bracket);
}

static void check_algebra(const struct representation *r, const cas_algebra *a, int vector_lanes) {
  cas_geometry g = {.algebra = a,
                    .n = r->n,
                    .factors = r->factors,
                    .components = r->factors * a->dimension(r->n)};
  double *scratch = doubles(a->scratch ? a->scratch(&g) : 1);
  g.scratch = scratch;
  const int lanes = a->one_path ? 1 : 2 * vector_lanes, dimension = g.components / g.factors;
  const double scale = r->n > 12 ? 1.0 / r->n : 1;
  const size_t size = (size_t)(g.components * lanes);
  double *q = doubles(size), *x = doubles(size), *bracket = doubles(size),
         *sandwich = doubles(size);
  for (size_t i = 0; i < size; i++) {
    q[i] = scale * sin(1 + 7.0 * (double)i);
    x[i] = scale * cos(2 + 5.0 * (double)i);
  }
  for (int l = 0; l < lanes; l++)
    for (int f = 0; f < g.factors; f++) {
      static double of_q[MOST * MOST], of_x[MOST * MOST], b[MOST * MOST], s[MOST * MOST];
      const int first = f * dimension * lanes + l;
      for (int c = 0; c < dimension; c++) {
        of_q[c] = q[first + c * lanes];
        of_x[c] = x[first + c * lanes];
      }
      define(r, of_q, of_x, b, s);
      for (int c = 0; c < dimension; c++) {
        bracket[first + c * lanes] = b[c];
        sandwich[first + c * lanes] = s[c];
      }
    }
  check_products(&g, lanes, q, x, bracket, sandwich);
}

/* Across lanes, and of one path where the algebra has products of its own for that. */
TEST_OVER(products_are_those_of_matrices, sizeof cases / sizeof *cases) {
  const struct representation *r = &cases[_i];
  for (int k = 0; cas_kernels_list(k); k++)
    for (const cas_algebra *const *a = cas_kernels_list(k)->algebras; *a; a++)
      if ((*a)->one_path ? strncmp((*a)->name, r->algebra, strlen(r->algebra)) == 0
                         : strcmp((*a)->name, r->algebra) == 0 && r->n <= 12)
        check_algebra(r, *a, cas_kernels_list(k)->vector_lanes);
}

/* R B R^T, B of blocks [0 mu; -mu 0] and R of plane rotations: eigenvalues +-i mu, sorted, also
 * equal and vanishing ones */
TEST(spectrum_of_so_n) {
  enum { N = 9 };
  static const double mu[N / 2] = {3, 2, 2, 1e-9};
  double a[N][N] = {{0}}, packed[N * (N - 1) / 2], found[N / 2];
  for (int k = 0; k < N / 2; k++) {
    a[2 * k][2 * k + 1] = mu[(k + 2) % 4];
    a[2 * k + 1][2 * k] = -mu[(k + 2) % 4];
  }
  for (int r = 0; r < 40; r++) {
    int p = r % N, q = (r * r + 3 * r + 1) % N;
    double c = cos(0.3 + r), s = sin(0.3 + r);
    for (int k = 0; p != q && k < N; k++) {
      double t = a[p][k];
      a[p][k] = c * t - s * a[q][k];
      a[q][k] = s * t + c * a[q][k];
    }
    for (int k = 0; p != q && k < N; k++) {
      double t = a[k][p];
      a[k][p] = c * t - s * a[k][q];
      a[k][q] = s * t + c * a[k][q];
    }
  }
  for (int i = 0, at = 0; i < N; i++)
    for (int j = i + 1; j < N; j++)
      packed[at++] = a[i][j];
  cas_so_n_spectrum_generic(N, 1, packed, found);
  for (int k = 0; k < N / 2; k++)
    ck_assert_msg(fabs(found[k] - mu[k]) < 1e-14, "eigenvalue %d is %.17g, must be %.17g", k,
                  found[k], mu[k]);
  packed[5] = NAN;
  cas_so_n_spectrum_generic(N, 1, packed, found);
  ck_assert(isnan(found[0]) && isnan(found[3]));
  memset(packed, 0, sizeof packed);
  cas_so_n_spectrum_generic(N, 1, packed, found);
  ck_assert(found[0] == 0 && found[3] == 0);
}

/* Of a matrix whose entries, and what may be read behind them, end where memory does: diag(1, ..,
   n) plus a rank-one matrix, with a known trace. */
TEST(eigenvalues_read_no_further_than_they_may) {
  for (int n = 31; n <= 66; n += 5) {
    const size_t page = 4096, behind = CAS_LAPACK_BEHIND * (size_t)n * sizeof(double),
                 bytes = (size_t)(n * n) * 2 * sizeof(double),
                 all = (bytes + behind + page - 1) / page * page;
    char *memory =
        mmap(NULL, all + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert(memory != MAP_FAILED && mprotect(memory + all, page, PROT_NONE) == 0);
    double *a = (double *)(memory + all - behind - bytes), value[66], sum = 0;
    for (int j = 0; j < n; j++)
      for (int i = 0; i <= j; i++) { /* u u^* with u_k = exp(i k) */
        a[2 * (j * n + i)] = (i == j ? i + 1 : 0) + cos(i - j);
        a[2 * (j * n + i) + 1] = sin(i - j);
      }
    ck_assert(cas_lapack_hermitian_values(n, a, value));
    for (int i = 0; i < n; i++) {
      sum += value[i];
      ck_assert(value[i] >= i + 1 - 1e-10 && (i + 1 == n || value[i] <= i + 2 + 1e-10));
    }
    ck_assert(fabs(sum - n * (n + 1) / 2 - n) < 1e-10);
    munmap(memory, all + page);
  }
}

RUN_TESTS
