/* Products of su(2) in R^3, X = -(i/2) x.(Pauli matrices): [X_a, X_b] = X_{a x b} and Q X Q = X_r
   with r = |q|^2 x / 4 - (q.x) q / 2, in each factor alone. */
#ifndef CAS_SU2_H
#define CAS_SU2_H

#include "math/algebra/rotation.h"

#define cas_su2_NAME "su2"
#define cas_su2_SANDWICH 1
#define cas_su2_CAYLEY 1

CAS_INLINE void cas_su2_bracket(const cas_geometry *g, int V, const cas_vec *a, const cas_vec *b,
                                cas_vec *bracket) {
  cas_vec3_bracket(g->factors, V, a, b, bracket);
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

/* (1 - Q)^-1 X (1 + Q)^-1 = X_y with y = (x + q x x - |q|^2 x / 4 + (q.x) q / 2) / (1 + |q|^2/4)^2,
   as Q Q = -|q|^2 / 4 */
CAS_INLINE void cas_su2_cayley(const cas_geometry *g, int V, const cas_vec *q, const cas_vec *x,
                               cas_vec *out) {
  for (int i = 0; i < 3 * g->factors * V; i += 3 * V)
    for (int u = i; u < i + V; u++) {
      const cas_vec3 a = cas_vec3_take(V, q + u), b = cas_vec3_take(V, x + u),
                     c = cas_vec3_cross(a, b);
      const cas_vec square = 0.25 * cas_vec3_dot(a, a), along = 0.5 * cas_vec3_dot(a, b);
      const cas_vec scale = 1.0 / ((1.0 + square) * (1.0 + square));
      for (int k = 0; k < 3; k++)
        out[k * V + u] = scale * (b.v[k] + c.v[k] + (along * a.v[k] - square * b.v[k]));
    }
}

#define ALGEBRA cas_su2
#include "math/algebra/matrices.h"

#define cas_su2_EXPONENTIAL 1

CAS_INLINE void cas_su2_exponential(const cas_geometry *g, int V, const cas_vec *xi,
                                    const cas_vec *mu, cas_vec *out) {
  cas_rotation_exponential(g->factors, V, xi, mu, out);
}

#endif
