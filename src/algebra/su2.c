/* Products of su(2) in R^3, X = -(i/2) x.(Pauli matrices): [X_a, X_b] = X_{a x b} and Q X Q = X_r
   with r = |q|^2 x / 4 - (q.x) q / 2, in each factor alone. */
#include "algebra/euclidean.h"
#include "kernels/kernels.h"
#include "kernels/lanes.h"

static int dimension(int n) {
  (void)n;
  return 3;
}

static void bracket_add(const cas_geometry *g, const cas_group *a, const cas_group *b,
                        cas_group *sum) {
  for (int i = 0; i < g->factors; i++, a += 3, b += 3, sum += 3)
    for (int u = 0; u < CAS_GROUP_VECTORS; u++) {
      sum[0].v[u] += a[1].v[u] * b[2].v[u] - a[2].v[u] * b[1].v[u];
      sum[1].v[u] += a[2].v[u] * b[0].v[u] - a[0].v[u] * b[2].v[u];
      sum[2].v[u] += a[0].v[u] * b[1].v[u] - a[1].v[u] * b[0].v[u];
    }
}

static void sandwich_add(const cas_geometry *g, const cas_group *q, const cas_group *x,
                         cas_group *sum) {
  for (int i = 0; i < g->factors; i++, q += 3, x += 3, sum += 3)
    for (int u = 0; u < CAS_GROUP_VECTORS; u++) {
      cas_vec along = 0.5 * (q[0].v[u] * x[0].v[u] + q[1].v[u] * x[1].v[u] + q[2].v[u] * x[2].v[u]);
      cas_vec square =
          0.25 * (q[0].v[u] * q[0].v[u] + q[1].v[u] * q[1].v[u] + q[2].v[u] * q[2].v[u]);
      for (int k = 0; k < 3; k++)
        sum[k].v[u] += square * x[k].v[u] - along * q[k].v[u];
    }
}

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
    .properties = CAS_J_QUADRATIC | CAS_COMPACT,
    .dimension = dimension,
    .bracket_add = bracket_add,
    .sandwich_add = sandwich_add,
    .casimirs = casimirs,
    .casimir = casimir,
    .distance2 = cas_euclidean_distance2,
};
