/* The features of extend.h that a body has: each CAS_FEATURE_NAME is 1 or 0, as the body (SYS_..)
   and its algebra (PREFIX_..) define such names or not. Undefined names count as 0. */
#ifndef CAS_FEATURES_H
#define CAS_FEATURES_H

#include "base/isa.h"

/* 1 for a name that is defined as 1, as 2 (vectors of R^3) or as nothing, 0 for any other: only the
   former become the mark "0,", by which the 1 becomes the second argument. */
#define CAS_FEATURE_MARK_1 0,
#define CAS_FEATURE_MARK_2 0,
#define CAS_FEATURE_MARK_ 0,
#define CAS_FEATURE_SECOND_(a, b, ...) b
#define CAS_FEATURE_SECOND(...) CAS_FEATURE_SECOND_(__VA_ARGS__)
#define CAS_FEATURE_IF_(name) CAS_FEATURE_SECOND(CAS_FEATURE_MARK_##name 1, 0, 0)
#define CAS_FEATURE_IF(name) CAS_FEATURE_IF_(name)

#define CAS_FEATURE_NOT_0 1
#define CAS_FEATURE_NOT_1 0
#define CAS_FEATURE_NOT(a) CAS_ISA_PASTE(CAS_FEATURE_NOT_, a)
#define CAS_FEATURE_AND_00 0
#define CAS_FEATURE_AND_01 0
#define CAS_FEATURE_AND_10 0
#define CAS_FEATURE_AND_11 1
#define CAS_FEATURE_AND(a, b) CAS_ISA_PASTE(CAS_FEATURE_AND_, CAS_ISA_PASTE(a, b))

#define CAS_FEATURE_COTANGENT CAS_FEATURE_IF(CAS_ALG(COTANGENT))
#define CAS_FEATURE_COADJOINT CAS_FEATURE_NOT(CAS_FEATURE_COTANGENT)
#define CAS_FEATURE_CONSTRAINED CAS_FEATURE_IF(CAS_ALG(CONSTRAINED))
#define CAS_FEATURE_DRIFT \
  CAS_FEATURE_AND(CAS_FEATURE_COTANGENT, CAS_FEATURE_NOT(CAS_FEATURE_CONSTRAINED))
#define CAS_FEATURE_SANDWICH CAS_FEATURE_IF(CAS_ALG(SANDWICH))
/* Noise that depends on positions and moves momenta has no Ito drift. */
#define CAS_FEATURE_OR(a, b) \
  CAS_FEATURE_NOT(CAS_FEATURE_AND(CAS_FEATURE_NOT(a), CAS_FEATURE_NOT(b)))
#define CAS_FEATURE_ITO             \
  CAS_FEATURE_OR(CAS_FEATURE_DRIFT, \
                 CAS_FEATURE_OR(CAS_FEATURE_IF(SYS_ITO), CAS_FEATURE_IF(SYS_FIELDS)))
#define CAS_FEATURE_AFFINE \
  CAS_FEATURE_AND(CAS_FEATURE_IF(SYS_AFFINE), CAS_FEATURE_IF(CAS_ALG(VECTORS)))
#define CAS_FEATURE_ATTITUDE CAS_FEATURE_IF(SYS_ATTITUDE)
#define CAS_FEATURE_ADDITION \
  CAS_FEATURE_AND(CAS_FEATURE_COADJOINT, CAS_FEATURE_NOT(CAS_FEATURE_ATTITUDE))
#define CAS_FEATURE_FLOWS CAS_FEATURE_IF(SYS_FLOWS)
/* The action of a bracket that is not linear is of no group: its body is made without this one. */
#define CAS_FEATURE_EXPONENTIAL CAS_FEATURE_COADJOINT

#endif
