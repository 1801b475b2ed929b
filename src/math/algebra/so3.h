/* so(3) as R^3 through the hat map: [hat a, hat b] = hat(a x b), Q X Q = -(q.x) hat(q). */
#ifndef CAS_SO3_H
#define CAS_SO3_H

#include "math/algebra/rotation.h"

#define cas_so3_NAME "so3"
#define cas_so3_SANDWICH 1
#define cas_so3_VECTORS 1
#define cas_so3_CAYLEY 1

CAS_INLINE void cas_so3_bracket(const cas_geometry *g CAS_UNUSED, int V, const cas_vec *a,
                                const cas_vec *b, cas_vec *bracket) {
  cas_vec3_bracket(1, V, a, b, bracket);
}

CAS_INLINE void cas_so3_sandwich(const cas_geometry *g CAS_UNUSED, int V, const cas_vec *q,
                                 const cas_vec *x, cas_vec *sandwich) {
  for (int u = 0; u < V; u++) {
    const cas_vec *a = q + u, *b = x + u;
    cas_vec d = a[0] * b[0] + a[V] * b[V] + a[2 * V] * b[2 * V];
    for (int k = 0; k < 3; k++)
      sandwich[k * V + u] = -d * a[k * V];
  }
}

/* (1 - Q)^-1 X (1 + Q)^-1 = (x + q x x) / (1 + |q|^2) */
CAS_INLINE void cas_so3_cayley(const cas_geometry *g CAS_UNUSED, int V, const cas_vec *q,
                               const cas_vec *x, cas_vec *out) {
  for (int u = 0; u < V; u++) {
    const cas_vec3 a = cas_vec3_take(V, q + u), b = cas_vec3_take(V, x + u);
    const cas_vec scale = 1.0 / (1.0 + cas_vec3_dot(a, a));
    cas_vec3 sum = cas_vec3_plus(b, 1, cas_vec3_cross(a, b));
    for (int k = 0; k < 3; k++)
      out[k * V + u] = scale * sum.v[k];
  }
}

#define ALGEBRA cas_so3
#include "math/algebra/matrices.h"

#define cas_so3_EXPONENTIAL 1

CAS_INLINE void cas_so3_exponential(const cas_geometry *g CAS_UNUSED, int V, const cas_vec *xi,
                                    const cas_vec *mu, cas_vec *out) {
  cas_rotation_exponential(1, V, xi, mu, out);
}

#endif
