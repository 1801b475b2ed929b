#include "algebra/so3.h"
#include "algebra/euclidean.h"
#include "kernels/kernels.h"

static int dimension(int n) {
  (void)n;
  return 3;
}

static void add(const cas_vec *a, cas_group *sum) {
  for (int k = 0; k < 3 * CAS_GROUP_VECTORS; k++)
    ((cas_vec *)sum)[k] += a[k];
}

static void bracket_add(const cas_geometry *g, const cas_group *a, const cas_group *b,
                        cas_group *sum) {
  cas_vec bracket[3 * CAS_GROUP_VECTORS];
  (void)g;
  cas_so3_bracket(CAS_GROUP_VECTORS, (const cas_vec *)a, (const cas_vec *)b, bracket);
  add(bracket, sum);
}

static void sandwich_add(const cas_geometry *g, const cas_group *q, const cas_group *x,
                         cas_group *sum) {
  cas_vec sandwich[3 * CAS_GROUP_VECTORS];
  (void)g;
  cas_so3_sandwich(CAS_GROUP_VECTORS, (const cas_vec *)q, (const cas_vec *)x, sandwich);
  add(sandwich, sum);
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
