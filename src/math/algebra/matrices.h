/* What all algebras of matrices have alike: text for the header of one, with its prefix ALGEBRA.
   Either the header has ALGEBRA_bracket and ALGEBRA_sandwich, or ALGEBRA_PRODUCTS is defined as a
   function (g, q, x, bracket, sandwich) of a group of CAS_GROUP_VECTORS or of one path, which
   leaves a sandwich out that is NULL. */
#include "base/isa.h"
#include "base/lanes.h"

#define ALGEBRA_(name) CAS_ISA_PASTE(ALGEBRA, CAS_ISA_PASTE(_, name))

#ifdef ALGEBRA_PRODUCTS
CAS_INLINE void ALGEBRA_(bracket)(const cas_geometry *g, int V CAS_UNUSED, const cas_vec *q,
                                  const cas_vec *x, cas_vec *bracket) {
  ALGEBRA_PRODUCTS(g, q, x, bracket, NULL);
}
#endif

CAS_INLINE void ALGEBRA_(both)(const cas_geometry *g, int V CAS_UNUSED, const cas_vec *q,
                               const cas_vec *x, cas_vec *bracket, cas_vec *sandwich) {
#ifdef ALGEBRA_PRODUCTS
  ALGEBRA_PRODUCTS(g, q, x, bracket, sandwich);
#else
  ALGEBRA_(bracket)(g, V, q, x, bracket);
  ALGEBRA_(sandwich)(g, V, q, x, sandwich);
#endif
}

/* ad*_xi mu = [mu, xi] */
CAS_INLINE void ALGEBRA_(coadjoint)(const cas_geometry *g, int V, const cas_vec *xi,
                                    const cas_vec *mu, cas_vec *out) {
  ALGEBRA_(bracket)(g, V, mu, xi, out);
}

#undef ALGEBRA
#undef ALGEBRA_
#undef ALGEBRA_PRODUCTS
