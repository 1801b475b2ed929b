#include "algebra/so3.h"
#include "algebra/euclidean.h"
#include "kernels.h"

static int dimension(int n) {
  (void)n;
  return 3;
}

static void add(const cas_group *a, cas_group *sum) {
  for (int k = 0; k < 3; k++)
    for (int u = 0; u < CAS_GROUP_VECTORS; u++)
      sum[k].v[u] += a[k].v[u];
}

static void bracket_add(const cas_geometry *g, const cas_group *a, const cas_group *b,
                        cas_group *sum) {
  cas_group bracket[3];
  (void)g;
  cas_so3_bracket(a, b, bracket);
  add(bracket, sum);
}

static void sandwich_add(const cas_geometry *g, const cas_group *q, const cas_group *x,
                         cas_group *sum) {
  cas_group sandwich[3];
  (void)g;
  cas_so3_sandwich(q, x, sandwich);
  add(sandwich, sum);
}

static void products(const cas_geometry *g, const cas_group *q, const cas_group *x,
                     cas_group *bracket, cas_group *sandwich) {
  (void)g;
  cas_so3_bracket(q, x, bracket);
  if (sandwich)
    cas_so3_sandwich(q, x, sandwich);
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
    .properties = CAS_J_QUADRATIC,
    .dimension = dimension,
    .bracket_add = bracket_add,
    .sandwich_add = sandwich_add,
    .products = products,
    .casimirs = casimirs,
    .casimir = casimir,
    .distance2 = cas_euclidean_distance2,
};
