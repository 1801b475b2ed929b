/** What casimir asks of BLAS and LAPACK, by their symbols of Fortran, which every BLAS has. Matrices are
    stored column by column. Of a symmetric matrix the entries on and below the diagonal are read, and
    its factor is written there. */
#ifndef CAS_LAPACK_H
#define CAS_LAPACK_H

#include <stdbool.h>

/** C = A B, of m x k and k x n; leading dimensions lda, ldb, ldc. */
void cas_multiply(int m, int n, int k, const double *a, int lda, const double *b, int ldb,
                  double *c, int ldc);
/** x = L^-1 x for the factor of cas_cholesky. */
void cas_solve_lower(int n, const double *factor, double *x);
/** A = L L^T in the place of A; false if A is not positive definite or not finite. */
bool cas_cholesky(int n, double *a);
/** The inverse of the A that `factor` is of, in its place; false if it has none. */
bool cas_cholesky_inverse(int n, double *factor);
/** Singular values of the upper bidiagonal matrix with this diagonal and what is above it (which is
    overwritten), in descending order in its place. work holds 4 n doubles. False if there are none
    found. */
bool cas_bidiagonal_values(int n, double *diagonal, double *above, double *work);
/** Eigenvalues of the tridiagonal matrix in ascending order and its eigenvectors one after another,
    n numbers each; diagonal and off are overwritten. Returns LAPACK's info, or -1 without memory. */
int cas_tridiagonal_vectors(int n, double *diagonal, double *off, double *values, double *vectors);
/** Eigenvalues of the Hermitian matrix (pairs of real and imaginary part) whose entries on and above
    the diagonal are in a, in ascending order; a is overwritten. False if there are none found. */
bool cas_hermitian_values(int n, double *a, double *values);

#endif
