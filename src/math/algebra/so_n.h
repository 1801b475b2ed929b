/* so(n), packed as the entries i < j row by row: x12 x13 .. x1n x23 .. */
#ifndef CAS_SO_N_H
#define CAS_SO_N_H

#include "base/isa.h"
#include "math/algebra/rotation.h"

/* number of the entry i < j */
static inline int cas_so_n_entry(int n, int i, int j) {
  return i * (2 * n - i - 1) / 2 + j - i - 1;
}

enum { CAS_SO_N_MAX = 64 }; /* largest n */

/* before a loop whose bounds are constants: what is inside is compiled for each pass */
#define CAS_SO_N_UNROLL _Pragma("GCC unroll 16")

/* The eigenvalues are +-i mu_k, and one 0 for odd n. mu[0 .. n/2): the mu_k of the matrix with
   packed entries x[k * stride], largest first; NaN if an entry is no number. */
void CAS_ISA(cas_so_n_spectrum)(int n, int stride, const double *x, double *mu);

/* bracket = [Q, X], and sandwich = Q X Q unless it is NULL, for a group of CAS_GROUP_VECTORS */
void CAS_ISA(cas_so_n_products)(const cas_geometry *g, const cas_vec *q, const cas_vec *x,
                                cas_vec *bracket, cas_vec *sandwich);

/* X <- (1 - Q)^-1 X (1 + Q)^-1 of antisymmetric n x n matrices, row by row, one vector of lanes. Q
   is overwritten. No pivots are needed: what elimination leaves has the symmetric part 1 or more,
   as 1 - Q has. */
void CAS_ISA(cas_so_n_full_cayley)(int n, cas_vec *q, cas_vec *x);

/* out = (1 - Q)^-1 X (1 + Q)^-1, packed, for a group of V vectors */
void CAS_ISA(cas_so_n_packed_cayley)(int n, int V, const cas_vec *q, const cas_vec *x,
                                     cas_vec *out);

CAS_INLINE void cas_so_n_cayley(const cas_geometry *g, int V, const cas_vec *q, const cas_vec *x,
                                cas_vec *out) {
  CAS_ISA(cas_so_n_packed_cayley)(g->n, V, q, x, out);
}

#define cas_so_n_NAME "so_n"
#define cas_so_n_SANDWICH 1

#define ALGEBRA cas_so_n
#define ALGEBRA_PRODUCTS CAS_ISA(cas_so_n_products)
#include "math/algebra/matrices.h"

/* X turned by exp(angle E) in the plane of i < j, E being 1 at ij and -1 at ji, and the increment
   added to D as well, for vector u of a group of V */
CAS_INLINE void cas_so_n_turn(int n, int V, int i, int j, cas_vec angle, cas_vec *x, cas_vec *d) {
  const cas_turn forth = cas_turn_by(angle), back = {-forth.sine, forth.versine};
  for (int m = 0; m < n; m++)
    if (m != i && m != j) {
      int a = V * (m < i ? cas_so_n_entry(n, m, i) : cas_so_n_entry(n, i, m)),
          b = V * (m < j ? cas_so_n_entry(n, m, j) : cas_so_n_entry(n, j, m));
      cas_turn_plane(i < m && m < j ? back : forth, x + a, x + b, d + a, d + b);
    }
}

#endif
