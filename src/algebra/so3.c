#include "algebra/so3.h"
#include "algebra/euclidean.h"
#include "kernels.h"

static int dimension(int n) {
  (void)n;
  return 3;
}

static void bracket_add(const cas_geometry *g, const cas_group *a, const cas_group *b,
                        cas_group *sum) {
  cas_so3_bracket_add(g, a, b, sum);
}

static void sandwich_add(const cas_geometry *g, const cas_group *q, const cas_group *x,
                         cas_group *sum) {
  cas_so3_sandwich_add(g, q, x, sum);
}

static int casimirs(const cas_geometry *g) {
  (void)g;
  return 1;
}

/* |x|^2: the eigenvalues of hat x are 0 and +-i|x| */
static void casimir(const cas_geometry *g, int W, const double *x, double *out) {
  (void)g;
  for (int l = 0; l < W; l++)
    out[l] = x[l] * x[l] + x[W + l] * x[W + l] + x[2 * W + l] * x[2 * W + l];
}

const cas_algebra CAS_ISA(cas_algebra_so3) = {
    .name = "so3",
    .summary = "so(3) in R^3 by the hat map",
    .properties = CAS_J_QUADRATIC | CAS_COMPACT,
    .dimension = dimension,
    .bracket_add = bracket_add,
    .sandwich_add = sandwich_add,
    .casimirs = casimirs,
    .casimir = casimir,
    .distance2 = cas_euclidean_distance2,
};
