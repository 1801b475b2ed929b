#include "math/geometry/rods.h"
#include "math/algebra/euclidean.h"
#include "math/kernels/kernels.h"

static int dimension(int n) { return 6 * n; }

const cas_algebra CAS_ISA(cas_algebra_rods) = {
    .name = "rods",
    .summary = "places and momenta of beads on a chain of rods",
    .dimension = dimension,
    .distance2 = cas_euclidean_distance2,
};
