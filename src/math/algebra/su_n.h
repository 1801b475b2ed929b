/* su(N), skew-Hermitian N x N matrices, as N^2 real components: the imaginary parts of the
   diagonal, then the real and then the imaginary parts of the entries i < j, row by row. */
#ifndef CAS_SU_N_H
#define CAS_SU_N_H

#include "base/isa.h"
#include "base/lanes.h"

/* number of the entry i < j among the entries above the diagonal */
static inline int cas_su_n_upper(int N, int i, int j) {
  return i * (2 * N - i - 1) / 2 + j - i - 1;
}

static inline int cas_su_n_re(int N, int i, int j) { return N + cas_su_n_upper(N, i, j); }

static inline int cas_su_n_im(int N, int i, int j) {
  return N + N * (N - 1) / 2 + cas_su_n_upper(N, i, j);
}

/* bracket = [Q, X], and sandwich = Q X Q unless NULL, for a group of vectors; uses g->scratch */
void CAS_ISA(cas_su_n_products)(const cas_geometry *g, const cas_vec *q, const cas_vec *x,
                                cas_vec *bracket, cas_vec *sandwich);

/* out = (1 - Q)^-1 X (1 + Q)^-1 for a group of CAS_GROUP_VECTORS; N <= CAS_SO_N_MAX / 2 */
void CAS_ISA(cas_su_n_lanes_cayley)(const cas_geometry *g, const cas_vec *q, const cas_vec *x,
                                    cas_vec *out);

CAS_INLINE void cas_su_n_cayley(const cas_geometry *g, int V CAS_UNUSED, const cas_vec *q,
                                const cas_vec *x, cas_vec *out) {
  CAS_ISA(cas_su_n_lanes_cayley)(g, q, x, out);
}

#define cas_su_n_NAME "su_n"
#define cas_su_n_SANDWICH 1

#define ALGEBRA cas_su_n
#define ALGEBRA_PRODUCTS CAS_ISA(cas_su_n_products)
#include "math/algebra/matrices.h"

/* The Casimirs and the distance are the same for one path. */
int CAS_ISA(cas_su_n_casimirs)(const cas_geometry *g);
void CAS_ISA(cas_su_n_casimir)(const cas_geometry *g, int W, const double *x, double *out);
void CAS_ISA(cas_su_n_distance2)(const cas_geometry *g, int W, const double *x, const double *y,
                                 double *out);

/* out[lane] = |X|^2 in the Frobenius norm */
void CAS_ISA(cas_su_n_norm2)(int N, int W, const double *x, double *out);

#endif
