/* Products of su(N) for one path by itself. */
#ifndef CAS_SU_N_PATH_H
#define CAS_SU_N_PATH_H

#include "base/isa.h"
#include "base/lanes.h"

/* bracket = [Q, X], and sandwich = Q X Q unless it is NULL; uses g->scratch */
void CAS_ISA(cas_su_n_path_products)(const cas_geometry *g, const double *q, const double *x,
                                     double *bracket, double *sandwich);

/* The same in single precision; size: of the largest component of X, to a factor of 1e10. */
void CAS_ISA(cas_su_n_path_rough_products)(const cas_geometry *g, double size, const double *q,
                                           const double *x, double *bracket, double *sandwich);

#define cas_su_n_path_NAME "su_n_path"
#define cas_su_n_path_SANDWICH 1
#define cas_su_n_path_ROUGH 1

CAS_INLINE void cas_su_n_path_bracket(const cas_geometry *g, int V, const cas_vec *q,
                                      const cas_vec *x, cas_vec *bracket) {
  (void)V;
  CAS_ISA(cas_su_n_path_products)
  (g, (const double *)q, (const double *)x, (double *)bracket, NULL);
}

CAS_INLINE void cas_su_n_path_both(const cas_geometry *g, int V, const cas_vec *q, const cas_vec *x,
                                   cas_vec *bracket, cas_vec *sandwich) {
  (void)V;
  CAS_ISA(cas_su_n_path_products)
  (g, (const double *)q, (const double *)x, (double *)bracket, (double *)sandwich);
}

CAS_INLINE void cas_su_n_path_rough(const cas_geometry *g, double size, const cas_vec *q,
                                    const cas_vec *x, cas_vec *bracket, cas_vec *sandwich) {
  CAS_ISA(cas_su_n_path_rough_products)
  (g, size, (const double *)q, (const double *)x, (double *)bracket, (double *)sandwich);
}

CAS_INLINE void cas_su_n_path_coadjoint(const cas_geometry *g, int V, const cas_vec *xi,
                                        const cas_vec *mu, cas_vec *out) {
  cas_su_n_path_bracket(g, V, mu, xi, out);
}

#endif
