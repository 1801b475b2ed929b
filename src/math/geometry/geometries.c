/* The tables of the cotangent bundles, whose operations are inline functions of their headers. */
#include "math/algebra/euclidean.h"
#include "math/geometry/rigid_motions.h"
#include "math/kernels/kernels.h"

/* A state of the size n has this number of components. */
#define GEOMETRY(called, components, properties_of, text)              \
  static int called##_dimension(int n) { return (void)n, components; } \
  const cas_algebra CAS_ISA(cas_algebra_##called) = {                  \
      .name = #called,                                                 \
      .summary = text,                                                 \
      .properties = properties_of,                                     \
      .dimension = called##_dimension,                                 \
      .distance2 = cas_euclidean_distance2,                            \
  };

GEOMETRY(vector_space, 2 * n, CAS_FLAT, "positions and momenta in R^n")
GEOMETRY(constrained_space, 2 * n, 0,
         "positions and momenta in R^n with constraints of the positions")
GEOMETRY(rigid_motions, CAS_RIGID_MOTIONS_STATE, 0,
         "places, attitudes and momenta of rigid bodies, on R^3 x SO(3)")
GEOMETRY(rods, 2 * n, 0, "places and momenta of beads on a chain of rods")
