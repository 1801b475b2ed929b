/** What casimir asks of BLAS and LAPACK, by their symbols of Fortran, which every BLAS has.
    Matrices are stored column by column. */
#ifndef CAS_LAPACK_H
#define CAS_LAPACK_H

#include <casimir/status.h>

#include <stdbool.h>

/** A property of an algebra beside those of extend.h: its operations call the functions below. */
enum { CAS_BLAS_CALLED = 1u << 16 };

/** Has the BLAS take the memory that it keeps for itself, for `threads` threads. CAS_NO_MEMORY if
    there is not enough: OpenBLAS would try for ever when it needs it. */
cas_status cas_blas_claim(int threads, cas_error *err) CAS_MUST_CHECK;

/** Singular values of an upper bidiagonal matrix, descending, in the place of its diagonal; `above`
    is overwritten. work holds 4 n doubles. False if none are found. */
bool cas_lapack_bidiagonal_values(int n, double *diagonal, double *above, double *work);
/** Numbers for each row that have to be readable behind a matrix of pairs, of which nothing depends
    on what they are: zgemv of OpenBLAS 0.3.21 for AVX2 reads its vectors in fours, so that of a row
    it takes up to three entries, a column apart each, that lie behind the matrix. */
enum { CAS_LAPACK_BEHIND = 8 };
/** Eigenvalues of the Hermitian matrix (pairs of real and imaginary part) whose entries on and
    above the diagonal are in a[n][n][2], in ascending order; a is overwritten, and
    CAS_LAPACK_BEHIND n numbers follow it. False if none are found. */
bool cas_lapack_hermitian_values(int n, double *a, double *values);

/** The triangular factors of a matrix of pairs, a[n][n][2], in its place, and its pivots [n]. A
    singular matrix leaves infinite numbers in solutions. */
void cas_lapack_factorise(int n, double *a, int *pivots);
/** b <- A^-1 b, a matrix of the same shape, from the factors of A. */
void cas_lapack_solve(int n, const double *factors, const int *pivots, double *b);

#endif
