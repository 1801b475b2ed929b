/* se(3)*, the dual of the Euclidean group's algebra: states (Pi, Gamma) and algebra elements (w, v)
   are two vectors of R^3 each, and

       ad*_(w,v) (Pi, Gamma) = (Pi x w + Gamma x v, Gamma x w) */
#ifndef CAS_SE3_H
#define CAS_SE3_H

#include "math/algebra/rotation.h"

#define cas_se3_NAME "se3"
#define cas_se3_VECTORS 2

CAS_INLINE void cas_se3_coadjoint(const cas_geometry *g CAS_UNUSED, int V, const cas_vec *xi,
                                  const cas_vec *mu, cas_vec *out) {
  for (int u = 0; u < V; u++) {
    const cas_vec3 w = cas_vec3_take(V, xi + u), v = cas_vec3_take(V, xi + 3 * V + u),
                   pi = cas_vec3_take(V, mu + u), gamma = cas_vec3_take(V, mu + 3 * V + u);
    cas_vec3_put(V, cas_vec3_plus(cas_vec3_cross(pi, w), 1, cas_vec3_cross(gamma, v)), out + u);
    cas_vec3_put(V, cas_vec3_cross(gamma, w), out + 3 * V + u);
  }
}

#define cas_se3_EXPONENTIAL 1

/* exp(w, v) = (R, p) with p = v + b w x v + c w x (w x v), whose coadjoint action takes (Pi, Gamma)
   to (R^T (Pi - p x Gamma), R^T Gamma). */
CAS_INLINE void cas_se3_exponential(const cas_geometry *g CAS_UNUSED, int V, const cas_vec *xi,
                                    const cas_vec *mu, cas_vec *out) {
  for (int u = 0; u < V; u++) {
    const cas_vec3 w = cas_vec3_take(V, xi + u), v = cas_vec3_take(V, xi + 3 * V + u),
                   pi = cas_vec3_take(V, mu + u), gamma = cas_vec3_take(V, mu + 3 * V + u);
    const cas_rotation r = cas_rotation_of(cas_vec3_dot(w, w)), mean = {.a = -r.b, .b = r.c};
    const cas_vec3 p = cas_vec3_plus(cas_vec3_turned_back(mean, w, v), 1, v),
                   shift = cas_vec3_cross(gamma, p), shifted = cas_vec3_plus(pi, 1, shift);
    cas_vec3_put(V, cas_vec3_plus(cas_vec3_turned_back(r, w, shifted), 1, shift), out + u);
    cas_vec3_put(V, cas_vec3_turned_back(r, w, gamma), out + 3 * V + u);
  }
}

#endif
