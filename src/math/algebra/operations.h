/* The operations of an algebra as its table has them, from its inline functions: text for its file,
   with ALGEBRA their prefix and, where they take one path, ALGEBRA_ONE_PATH defined. Tables name
   them by CAS_OPERATIONS(prefix), of an algebra of matrices, or prefix_coadjoint_of_group. */
#include "base/isa.h"
#include "base/lanes.h"

#ifdef ALGEBRA_ONE_PATH
#define ALGEBRA_V 1
#else
#define ALGEBRA_V CAS_GROUP_VECTORS
#endif
#define ALGEBRA_(name) CAS_ISA_PASTE(ALGEBRA, CAS_ISA_PASTE(_, name))

static void ALGEBRA_(coadjoint_of_group)(const cas_geometry *g, const double *xi, const double *mu,
                                         double *out) {
  ALGEBRA_(coadjoint)
  (g, ALGEBRA_V, (const cas_vec *)(const void *)xi, (const cas_vec *)(const void *)mu,
   (cas_vec *)(void *)out);
}

#if ALGEBRA_(SANDWICH)
static void ALGEBRA_(both_of_group)(const cas_geometry *g, const double *q, const double *x,
                                    double *bracket, double *sandwich) {
  ALGEBRA_(both)
  (g, ALGEBRA_V, (const cas_vec *)(const void *)q, (const cas_vec *)(const void *)x,
   (cas_vec *)(void *)bracket, (cas_vec *)(void *)sandwich);
}

static void ALGEBRA_(cayley_of_group)(const cas_geometry *g, const double *q, const double *x,
                                      double *out) {
  ALGEBRA_(cayley)
  (g, ALGEBRA_V, (const cas_vec *)(const void *)q, (const cas_vec *)(const void *)x,
   (cas_vec *)(void *)out);
}
#endif

#undef ALGEBRA
#undef ALGEBRA_
#undef ALGEBRA_V

#ifndef CAS_OPERATIONS
#define CAS_OPERATIONS(prefix)                                              \
  .coadjoint = prefix##_coadjoint_of_group, .both = prefix##_both_of_group, \
  .cayley = prefix##_cayley_of_group
#endif
