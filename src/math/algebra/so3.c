#include "math/algebra/so3.h"
#include "math/algebra/euclidean.h"
#include "math/kernels/kernels.h"

#define ALGEBRA cas_so3
#include "math/algebra/operations.h"

static int dimension(int n CAS_UNUSED) { return 3; }

static int casimirs(const cas_geometry *g CAS_UNUSED) { return 1; }

/* |x|^2: the eigenvalues of hat x are 0 and +-i|x| */
static void casimir(const cas_geometry *g CAS_UNUSED, int W, const double *x, double *out) {
  for (int l = 0; l < W; l++)
    out[l] = x[l] * x[l] + x[W + l] * x[W + l] + x[2 * W + l] * x[2 * W + l];
}

const cas_algebra CAS_ISA(cas_algebra_so3) = {
    .name = "so3",
    .summary = "so(3) in R^3 by the hat map",
    .properties = CAS_COMPACT | CAS_QUADRATIC_CASIMIRS,
    .dimension = dimension,
    .coadjoint = coadjoint,
    .both = both,
    .cayley = cayley,
    .casimirs = casimirs,
    .casimir = casimir,
    .distance2 = cas_euclidean_distance2,
};
