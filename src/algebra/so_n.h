/* so(n), packed as the entries i < j row by row: x12 x13 .. x1n x23 .. */
#ifndef CAS_SO_N_H
#define CAS_SO_N_H

#include "kernels/isa.h"

enum { CAS_SO_N_MAX = 64 }; /* largest n */

/* The eigenvalues are +-i mu_k, and one 0 for odd n. mu[0 .. n/2): the mu_k of the matrix with
   packed entries x[k * stride], largest first; NaN if an entry is no number. */
void CAS_ISA(cas_so_n_spectrum)(int n, int stride, const double *x, double *mu);

#endif
