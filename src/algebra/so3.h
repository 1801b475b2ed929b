/* so(3) as R^3 through the hat map: [hat a, hat b] = hat(a x b), Q X Q = -(q.x) hat(q). */
#ifndef CAS_SO3_H
#define CAS_SO3_H

#include "algebra/rotation.h"

#define cas_so3_NAME "so3"
#define cas_so3_SANDWICH 1
#define cas_so3_VECTORS 1

/* vector u of component k is at [k * V + u] */
CAS_INLINE void cas_so3_bracket(const cas_geometry *g, int V, const cas_vec *a, const cas_vec *b,
                                cas_vec *bracket) {
  (void)g;
  for (int u = 0; u < V; u++)
    for (int k = 0; k < 3; k++) {
      int i = (k + 1) % 3 * V + u, j = (k + 2) % 3 * V + u;
      bracket[k * V + u] = a[i] * b[j] - a[j] * b[i];
    }
}

CAS_INLINE void cas_so3_sandwich(const cas_geometry *g, int V, const cas_vec *q, const cas_vec *x,
                                 cas_vec *sandwich) {
  (void)g;
  for (int u = 0; u < V; u++) {
    const cas_vec *a = q + u, *b = x + u;
    cas_vec d = a[0] * b[0] + a[V] * b[V] + a[2 * V] * b[2 * V];
    for (int k = 0; k < 3; k++)
      sandwich[k * V + u] = -d * a[k * V];
  }
}

CAS_INLINE void cas_so3_both(const cas_geometry *g, int V, const cas_vec *q, const cas_vec *x,
                             cas_vec *bracket, cas_vec *sandwich) {
  cas_so3_bracket(g, V, q, x, bracket);
  cas_so3_sandwich(g, V, q, x, sandwich);
}

CAS_INLINE void cas_so3_coadjoint(const cas_geometry *g, int V, const cas_vec *xi,
                                  const cas_vec *mu, cas_vec *out) {
  cas_so3_bracket(g, V, mu, xi, out);
}

#define cas_so3_EXPONENTIAL 1

CAS_INLINE void cas_so3_exponential(const cas_geometry *g, int V, const cas_vec *xi,
                                    const cas_vec *mu, cas_vec *out) {
  (void)g;
  for (int u = 0; u < V; u++) {
    cas_vec t = xi[u] * xi[u] + xi[V + u] * xi[V + u] + xi[2 * V + u] * xi[2 * V + u];
    cas_rotation_back(cas_rotation_of(t), V, xi + u, mu + u, out + u);
  }
}

#endif
