/* Products of su(2) in R^3, X = -(i/2) x.(Pauli matrices): [X_a, X_b] = X_{a x b} and Q X Q = X_r
   with r = |q|^2 x / 4 - (q.x) q / 2, in each factor alone. */
#ifndef CAS_SU2_H
#define CAS_SU2_H

#include "algebra/rotation.h"

#define cas_su2_NAME "su2"
#define cas_su2_SANDWICH 1

CAS_INLINE void cas_su2_bracket(const cas_geometry *g, int V, const cas_vec *a, const cas_vec *b,
                                cas_vec *bracket) {
  for (int i = 0; i < g->factors; i++, a += 3 * V, b += 3 * V, bracket += 3 * V)
    for (int u = 0; u < V; u++) {
      bracket[u] = a[V + u] * b[2 * V + u] - a[2 * V + u] * b[V + u];
      bracket[V + u] = a[2 * V + u] * b[u] - a[u] * b[2 * V + u];
      bracket[2 * V + u] = a[u] * b[V + u] - a[V + u] * b[u];
    }
}

CAS_INLINE void cas_su2_sandwich(const cas_geometry *g, int V, const cas_vec *q, const cas_vec *x,
                                 cas_vec *sandwich) {
  for (int i = 0; i < g->factors; i++, q += 3 * V, x += 3 * V, sandwich += 3 * V)
    for (int u = 0; u < V; u++) {
      const cas_vec *a = q + u, *b = x + u;
      cas_vec along = 0.5 * (a[0] * b[0] + a[V] * b[V] + a[2 * V] * b[2 * V]);
      cas_vec square = 0.25 * (a[0] * a[0] + a[V] * a[V] + a[2 * V] * a[2 * V]);
      for (int k = 0; k < 3; k++)
        sandwich[k * V + u] = square * b[k * V] - along * a[k * V];
    }
}

CAS_INLINE void cas_su2_both(const cas_geometry *g, int V, const cas_vec *q, const cas_vec *x,
                             cas_vec *bracket, cas_vec *sandwich) {
  cas_su2_bracket(g, V, q, x, bracket);
  cas_su2_sandwich(g, V, q, x, sandwich);
}

CAS_INLINE void cas_su2_coadjoint(const cas_geometry *g, int V, const cas_vec *xi,
                                  const cas_vec *mu, cas_vec *out) {
  cas_su2_bracket(g, V, mu, xi, out);
}

#define cas_su2_EXPONENTIAL 1

CAS_INLINE void cas_su2_exponential(const cas_geometry *g, int V, const cas_vec *xi,
                                    const cas_vec *mu, cas_vec *out) {
  for (int i = 0; i < g->factors; i++, xi += 3 * V, mu += 3 * V, out += 3 * V)
    for (int u = 0; u < V; u++) {
      cas_vec t = xi[u] * xi[u] + xi[V + u] * xi[V + u] + xi[2 * V + u] * xi[2 * V + u];
      cas_rotation_back(cas_rotation_of(t), V, xi + u, mu + u, out + u);
    }
}

#endif
