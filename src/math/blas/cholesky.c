#include "math/blas/cholesky.h"

#include <math.h>
#include <stddef.h>

#define AT(a, i, j) (a)[(size_t)(j) * (size_t)n + (size_t)(i)]

bool cas_cholesky(int n, double *a) {
  for (int j = 0; j < n; j++) {
    for (int k = 0; k < j; k++)
      for (int i = j; i < n; i++)
        AT(a, i, j) -= AT(a, i, k) * AT(a, j, k);
    double pivot = AT(a, j, j);
    if (!(pivot > 0 && isfinite(pivot)))
      return false;
    for (int i = j; i < n; i++)
      AT(a, i, j) /= sqrt(pivot);
    for (int i = j; i < n; i++)
      if (!isfinite(AT(a, i, j)))
        return false;
  }
  return true;
}

void cas_cholesky_solve_lower(int n, const double *factor, double *x) {
  for (int j = 0; j < n; j++) {
    x[j] /= AT(factor, j, j);
    for (int i = j + 1; i < n; i++)
      x[i] -= AT(factor, i, j) * x[j];
  }
}

/* L^-1 in the place of L, from the last column on, because a column needs the later ones alone. */
static void invert_lower(int n, double *l) {
  for (int j = n - 1; j >= 0; j--) {
    double pivot = 1 / AT(l, j, j);
    for (int i = n - 1; i > j; i--) {
      double sum = 0;
      for (int k = j + 1; k <= i; k++)
        sum += AT(l, i, k) * AT(l, k, j);
      AT(l, i, j) = -sum * pivot;
    }
    AT(l, j, j) = pivot;
  }
}

void cas_cholesky_inverse(int n, double *factor) {
  invert_lower(n, factor);
  for (int j = 0; j < n; j++)
    for (int i = j; i < n; i++) {
      double sum = 0;
      for (int k = i; k < n; k++)
        sum += AT(factor, k, i) * AT(factor, k, j);
      AT(factor, i, j) = sum;
    }
}
