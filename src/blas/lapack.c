#include "blas/lapack.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

/* Symbols of Fortran: lower case with an underscore, integers of 32 bits. Each length of a text is handed
   over behind the other arguments, as gfortran expects it; those who do not expect it never look there. */
typedef const int *count;
typedef const char *flag;

void dgemm_(flag transa, flag transb, count m, count n, count k, const double *alpha,
            const double *a, count lda, const double *b, count ldb, const double *beta, double *c,
            count ldc, size_t, size_t);
void dtrsv_(flag uplo, flag trans, flag diag, count n, const double *a, count lda, double *x,
            count incx, size_t, size_t, size_t);
void dpotrf_(flag uplo, count n, double *a, count lda, int *info, size_t);
void dpotri_(flag uplo, count n, double *a, count lda, int *info, size_t);
void dbdsqr_(flag uplo, count n, count ncvt, count nru, count ncc, double *d, double *e, double *vt,
             count ldvt, double *u, count ldu, double *c, count ldc, double *work, int *info,
             size_t);
void dstevr_(flag jobz, flag range, count n, double *d, double *e, const double *vl,
             const double *vu, count il, count iu, const double *abstol, int *m, double *w,
             double *z, count ldz, int *isuppz, double *work, count lwork, int *iwork, count liwork,
             int *info, size_t, size_t);
void zheev_(flag jobz, flag uplo, count n, double *a, count lda, double *w, double *work,
            count lwork, double *rwork, int *info, size_t, size_t);

static const int none = 0, one = 1;
static const double zero = 0, unit = 1;

void cas_multiply(int m, int n, int k, const double *a, int lda, const double *b, int ldb,
                  double *c, int ldc) {
  dgemm_("N", "N", &m, &n, &k, &unit, a, &lda, b, &ldb, &zero, c, &ldc, 1, 1);
}

void cas_solve_lower(int n, const double *factor, double *x) {
  int ld = n > 1 ? n : 1;
  dtrsv_("L", "N", "N", &n, factor, &ld, x, &one, 1, 1, 1);
}

/* LAPACK may take a pivot that is NaN for a positive one. */
static bool finite_below(int n, const double *a) {
  for (int j = 0; j < n; j++)
    for (int i = j; i < n; i++)
      if (!isfinite(a[j * n + i]))
        return false;
  return true;
}

bool cas_cholesky(int n, double *a) {
  int ld = n > 1 ? n : 1, info;
  if (!finite_below(n, a))
    return false;
  dpotrf_("L", &n, a, &ld, &info, 1);
  return info == 0;
}

bool cas_cholesky_inverse(int n, double *factor) {
  int ld = n > 1 ? n : 1, info;
  dpotri_("L", &n, factor, &ld, &info, 1);
  return info == 0;
}

bool cas_bidiagonal_values(int n, double *diagonal, double *above, double *work) {
  int info;
  dbdsqr_("U", &n, &none, &none, &none, diagonal, above, NULL, &one, NULL, &one, NULL, &one, work,
          &info, 1);
  return info == 0;
}

int cas_tridiagonal_vectors(int n, double *diagonal, double *off, double *values, double *vectors) {
  int reals = 20 * n, integers = 12 * n, found, info = -1; /* of which 2 n for the support */
  double *work = malloc((size_t)reals * sizeof *work);
  int *whole = malloc((size_t)integers * sizeof *whole), left = 10 * n;
  if (work && whole)
    dstevr_("V", "A", &n, diagonal, off, &zero, &zero, &none, &none, &zero, &found, values, vectors,
            &n, whole + left, work, &reals, whole, &left, &info, 1, 1);
  free(work);
  free(whole);
  return info;
}

bool cas_hermitian_values(int n, double *a, double *values) {
  double best[2] = {0};
  int ask = -1, info = 0;
  for (int j = 0; j < n; j++)
    for (int i = 0; i <= 2 * j + 1; i++)
      if (!isfinite(a[2 * j * n + i]))
        return false;
  zheev_("N", "U", &n, a, &n, values, best, &ask, best, &info, 1, 1);
  int pairs = (int)best[0];
  double *work = malloc(((size_t)pairs * 2 + (size_t)n * 3) * sizeof *work);
  bool found = work && info == 0;
  if (found) {
    zheev_("N", "U", &n, a, &n, values, work, &pairs, work + 2 * pairs, &info, 1, 1);
    found = info == 0;
  }
  free(work);
  return found;
}
