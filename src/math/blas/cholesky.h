/* Small systems of equations, as of fits, in plain C: they need neither the memory that a BLAS
   takes for itself nor the same BLAS everywhere. Matrices are symmetric, n x n; the entries a[j * n
   + i] on and below the diagonal, i >= j, are read, and their factor is written there. */
#ifndef CAS_CHOLESKY_H
#define CAS_CHOLESKY_H

#include <stdbool.h>

/** A = L L^T in the place of A; false if A is not positive definite or not finite. */
bool cas_cholesky(int n, double *a);
/** x = L^-1 x for the factor of cas_cholesky. */
void cas_cholesky_solve_lower(int n, const double *factor, double *x);
/** A^-1 in the place of the factor of A. */
void cas_cholesky_inverse(int n, double *factor);

#endif
