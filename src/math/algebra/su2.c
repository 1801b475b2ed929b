#include "math/algebra/su2.h"
#include "math/algebra/euclidean.h"
#include "math/kernels/kernels.h"

#define ALGEBRA cas_su2
#include "math/algebra/operations.h"

static int dimension(int n CAS_UNUSED) { return 3; }

static int casimirs(const cas_geometry *g) { return g->factors; }

/* |x_i|^2 of each factor: the eigenvalues of X_i are +-i|x_i|/2 */
static void casimir(const cas_geometry *g, int W, const double *x, double *out) {
  for (int i = 0; i < g->factors; i++, x += 3 * W, out += W)
    for (int l = 0; l < W; l++)
      out[l] = x[l] * x[l] + x[W + l] * x[W + l] + x[2 * W + l] * x[2 * W + l];
}

const cas_algebra CAS_ISA(cas_algebra_su2) = {
    .name = "su2",
    .summary = "products of su(2), each factor in R^3 by the Pauli matrices",
    .properties = CAS_COMPACT | CAS_QUADRATIC_CASIMIRS,
    .dimension = dimension,
    .coadjoint = coadjoint,
    .both = both,
    .cayley = cayley,
    .casimirs = casimirs,
    .casimir = casimir,
    .distance2 = cas_euclidean_distance2,
};
