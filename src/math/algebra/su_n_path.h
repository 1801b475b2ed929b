/* Products of su(N) for one path by itself. */
#ifndef CAS_SU_N_PATH_H
#define CAS_SU_N_PATH_H

#include "base/isa.h"
#include "base/lanes.h"

/* bracket = [Q, X], and sandwich = Q X Q unless it is NULL; uses g->scratch */
void CAS_ISA(cas_su_n_path_products)(const cas_geometry *g, const cas_vec *q, const cas_vec *x,
                                     cas_vec *bracket, cas_vec *sandwich);

/* Both products in single precision; size: of the largest component of X, to a factor of 1e10. */
void CAS_ISA(cas_su_n_path_rough_products)(const cas_geometry *g, double size, const double *q,
                                           const double *x, double *bracket, double *sandwich);

/* out = (1 - Q)^-1 X (1 + Q)^-1; uses g->scratch */
void CAS_ISA(cas_su_n_path_solve_cayley)(const cas_geometry *g, const double *q, const double *x,
                                         double *out);

CAS_INLINE void cas_su_n_path_cayley(const cas_geometry *g, int V CAS_UNUSED, const cas_vec *q,
                                     const cas_vec *x, cas_vec *out) {
  CAS_ISA(cas_su_n_path_solve_cayley)
  (g, (const double *)q, (const double *)x, (double *)out);
}

#define cas_su_n_path_NAME "su_n_path"
#define cas_su_n_path_SANDWICH 1
#define cas_su_n_path_ROUGH 1

#define ALGEBRA cas_su_n_path
#define ALGEBRA_PRODUCTS CAS_ISA(cas_su_n_path_products)
#include "math/algebra/matrices.h"

CAS_INLINE void cas_su_n_path_rough(const cas_geometry *g, double size, const cas_vec *q,
                                    const cas_vec *x, cas_vec *bracket, cas_vec *sandwich) {
  CAS_ISA(cas_su_n_path_rough_products)
  (g, size, (const double *)q, (const double *)x, (double *)bracket, (double *)sandwich);
}

#endif
