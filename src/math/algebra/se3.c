#include "math/algebra/se3.h"
#include "math/algebra/euclidean.h"
#include "math/kernels/kernels.h"

#define ALGEBRA cas_se3
#include "math/algebra/operations.h"

static int dimension(int n CAS_UNUSED) { return 6; }

static int casimirs(const cas_geometry *g CAS_UNUSED) { return 2; }

/* |Gamma|^2 and Pi.Gamma */
static void casimir(const cas_geometry *g CAS_UNUSED, int W, const double *x, double *out) {
  for (int l = 0; l < W; l++) {
    const double *pi = x + l, *gamma = pi + 3 * W;
    out[l] = gamma[0] * gamma[0] + gamma[W] * gamma[W] + gamma[2 * W] * gamma[2 * W];
    out[W + l] = pi[0] * gamma[0] + pi[W] * gamma[W] + pi[2 * W] * gamma[2 * W];
  }
}

const cas_algebra CAS_ISA(cas_algebra_se3) = {
    .name = "se3",
    .summary = "se(3) in R^3 x R^3, the semidirect product of so(3) and R^3",
    .properties = CAS_QUADRATIC_CASIMIRS,
    .dimension = dimension,
    .coadjoint = coadjoint,
    .casimirs = casimirs,
    .casimir = casimir,
    .distance2 = cas_euclidean_distance2,
};
