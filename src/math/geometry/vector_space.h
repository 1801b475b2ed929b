/* The cotangent bundle of R^n: a state is (q, p), n numbers each, and the metric lists n masses. It
   has the operations of rigid_motions.h, most of which are nothing here. */
#ifndef CAS_VECTOR_SPACE_H
#define CAS_VECTOR_SPACE_H

#include "base/lanes.h"

#define cas_vector_space_NAME "vector_space"
#define cas_vector_space_COTANGENT 1

CAS_INLINE void cas_vector_space_dual(const cas_geometry *g, int V, const double *metric,
                                      double h CAS_UNUSED, const cas_vec *z, cas_vec *v,
                                      cas_vec *m) {
  for (int k = 0; k < g->n; k++)
    for (int u = 0; u < V; u++) {
      m[k * V + u] = z[(g->n + k) * V + u];
      v[k * V + u] = m[k * V + u] / metric[k];
    }
}

CAS_INLINE int cas_vector_space_velocity(const cas_geometry *g, int V, const double *metric,
                                         double h CAS_UNUSED, double relative CAS_UNUSED,
                                         int most CAS_UNUSED, const cas_vec *z CAS_UNUSED,
                                         const cas_vec *m, cas_vec *v, cas_vec *change) {
  for (int k = 0; k < g->n; k++)
    for (int u = 0; u < V; u++)
      v[k * V + u] = m[k * V + u] / metric[k];
  for (int u = 0; u < V; u++)
    change[u] = cas_vec_splat(0);
  return 1;
}

CAS_INLINE void cas_vector_space_retract(const cas_geometry *g, int V, double h, const cas_vec *v,
                                         cas_vec *z, cas_vec *d) {
  for (int i = 0; i < g->n * V; i++) {
    z[i] += h * v[i];
    d[i] += h * v[i];
  }
}

CAS_INLINE void cas_vector_space_momentum(const cas_geometry *g, int V, const double *metric,
                                          const cas_vec *v, cas_vec *m) {
  for (int k = 0; k < g->n; k++)
    for (int u = 0; u < V; u++)
      m[k * V + u] = metric[k] * v[k * V + u];
}

CAS_INLINE void cas_vector_space_place(const cas_geometry *g, int V, const cas_vec *m, cas_vec *z,
                                       cas_vec *d) {
  const int n = g->n * V;
  for (int i = 0; i < n; i++) {
    d[n + i] += m[i] - z[n + i];
    z[n + i] = m[i];
  }
}

CAS_INLINE void cas_vector_space_drift(const cas_geometry *g, int V, const double *metric, double h,
                                       cas_vec *z, cas_vec *d) {
  for (int k = 0; k < g->n; k++)
    for (int u = 0; u < V; u++) {
      cas_vec step = h / metric[k] * z[(g->n + k) * V + u];
      z[k * V + u] += step;
      d[k * V + u] += step;
    }
}

#endif
