#include "math/geometry/constrained_space.h"
#include "math/algebra/euclidean.h"
#include "math/kernels/kernels.h"

static int dimension(int n) { return 2 * n; }

const cas_algebra CAS_ISA(cas_algebra_constrained_space) = {
    .name = "constrained_space",
    .summary = "positions and momenta in R^n with constraints of the positions",
    .dimension = dimension,
    .distance2 = cas_euclidean_distance2,
};
