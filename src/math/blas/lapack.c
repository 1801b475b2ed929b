#include "math/blas/lapack.h"
#include "base/owned.h"
#include "base/scratch.h"
#include "math/blas/blas.h"

#include <math.h>
#include <stddef.h>
#include <sys/mman.h>

/* Symbols of Fortran: lower case with an underscore, integers of 32 bits. Lengths of texts follow
   the other arguments, as gfortran expects them; other compilers never look there. */
typedef const int *count;
typedef const char *flag;

void dgemm_(flag transa, flag transb, count m, count n, count k, const double *alpha,
            const double *a, count lda, const double *b, count ldb, const double *beta, double *c,
            count ldc, size_t, size_t);
void dbdsqr_(flag uplo, count n, count ncvt, count nru, count ncc, double *d, double *e, double *vt,
             count ldvt, double *u, count ldu, double *c, count ldc, double *work, int *info,
             size_t);
void zheev_(flag jobz, flag uplo, count n, double *a, count lda, double *w, double *work,
            count lwork, double *rwork, int *info, size_t, size_t);

void zgetrf_(count m, count n, double *a, count lda, int *pivots, int *info);
void zgetrs_(flag trans, count n, count nrhs, const double *a, count lda, const int *pivots,
             double *b, count ldb, int *info, size_t);

static const int none = 0, one = 1;
static const double zero = 0, unit = 1;

static bool can_map(size_t bytes) {
  void *there = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return there != MAP_FAILED && !munmap(there, bytes);
}

cas_status cas_blas_claim(int threads, cas_error *err) {
  enum { N = 128 }; /* larger than what is multiplied without that memory */
  const size_t megabyte = 1 << 20, each = 128 * megabyte, rest = 4 * megabyte;
  const int n = N;
  static int claimed;
  if (claimed >= threads || !cas_blas_is_openblas())
    return CAS_OK;
  CAS_OWNED double *a =
      can_map((size_t)(threads - claimed) * each + rest) ? calloc(N * N * 2, sizeof *a) : NULL;
  CAS_FAIL_IF(!a, CAS_NO_MEMORY,
              "out of memory: OpenBLAS needs %zu MB of address space for itself on every "
              "rank; a limit of memory (ulimit -v) leaves less",
              (size_t)(threads - claimed) * each / megabyte);
  dgemm_("N", "N", &n, &n, &n, &unit, a, &n, a, &n, &zero, a + N * N, &n, 1, 1);
  claimed = threads;
  return CAS_OK;
}

bool cas_lapack_bidiagonal_values(int n, double *diagonal, double *above, double *work) {
  int info;
  dbdsqr_("U", &n, &none, &none, &none, diagonal, above, NULL, &one, NULL, &one, NULL, &one, work,
          &info, 1);
  return info == 0;
}

bool cas_lapack_hermitian_values(int n, double *a, double *values) {
  double best[2] = {0};
  int ask = -1, info = 0;
  for (int j = 0; j < n; j++)
    for (int i = 0; i <= 2 * j + 1; i++)
      if (!isfinite(a[2 * j * n + i]))
        return false;
  zheev_("N", "U", &n, a, &n, values, best, &ask, best, &info, 1, 1);
  int pairs = (int)best[0];
  CAS_OWNED double *work =
      cas_scratch(((size_t)pairs * 2 + (size_t)n * (3 + CAS_LAPACK_BEHIND)) * sizeof *work);
  if (work && info == 0)
    zheev_("N", "U", &n, a, &n, values, work, &pairs, work + 2 * pairs, &info, 1, 1);
  return work && info == 0;
}

void cas_lapack_factorise(int n, double *a, int *pivots) {
  int info;
  zgetrf_(&n, &n, a, &n, pivots, &info);
}

void cas_lapack_solve(int n, const double *factors, const int *pivots, double *b) {
  int info;
  zgetrs_("N", &n, &n, factors, &n, pivots, b, &n, &info, 1);
}
