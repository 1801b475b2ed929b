#include "math/algebra/euclidean.h"
#include "math/kernels/kernels.h"

static int dimension(int n) { return 2 * n; }

const cas_algebra CAS_ISA(cas_algebra_vector_space) = {
    .name = "vector_space",
    .summary = "positions and momenta in R^n",
    .properties = CAS_FLAT,
    .dimension = dimension,
    .distance2 = cas_euclidean_distance2,
};
