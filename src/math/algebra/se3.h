/* se(3)*, the dual of the Euclidean group's algebra: states (Pi, Gamma) and algebra elements (w, v)
   are two vectors of R^3 each, and

       ad*_(w,v) (Pi, Gamma) = (Pi x w + Gamma x v, Gamma x w) */
#ifndef CAS_SE3_H
#define CAS_SE3_H

#include "math/algebra/rotation.h"

#define cas_se3_NAME "se3"
#define cas_se3_VECTORS 2

/* component k of a x b; the components of both are `stride` vectors apart */
CAS_INLINE cas_vec cas_se3_cross(int k, int stride, const cas_vec *a, const cas_vec *b) {
  int i = (k + 1) % 3 * stride, j = (k + 2) % 3 * stride;
  return a[i] * b[j] - a[j] * b[i];
}

CAS_INLINE void cas_se3_coadjoint(const cas_geometry *g CAS_UNUSED, int V, const cas_vec *xi,
                                  const cas_vec *mu, cas_vec *out) {
  for (int u = 0; u < V; u++) {
    const cas_vec *w = xi + u, *v = w + 3 * V, *pi = mu + u, *gamma = pi + 3 * V;
    for (int k = 0; k < 3; k++) {
      out[k * V + u] = cas_se3_cross(k, V, pi, w) + cas_se3_cross(k, V, gamma, v);
      out[(3 + k) * V + u] = cas_se3_cross(k, V, gamma, w);
    }
  }
}

#define cas_se3_EXPONENTIAL 1

/* exp(w, v) = (R, p) with p = v + b w x v + c w x (w x v), whose coadjoint action takes (Pi, Gamma)
   to (R^T (Pi - p x Gamma), R^T Gamma). */
CAS_INLINE void cas_se3_exponential(const cas_geometry *g CAS_UNUSED, int V, const cas_vec *xi,
                                    const cas_vec *mu, cas_vec *out) {
  for (int u = 0; u < V; u++) {
    const cas_vec *w = xi + u, *v = w + 3 * V, *pi = mu + u, *gamma = pi + 3 * V;
    cas_vec *of_pi = out + u, *of_gamma = of_pi + 3 * V, *p = of_gamma, shift[3];
    cas_rotation r = cas_rotation_of(w[0] * w[0] + w[V] * w[V] + w[2 * V] * w[2 * V]);
    cas_rotation_back((cas_rotation){.a = -r.b, .b = r.c}, V, w, v, p);
    for (int k = 0; k < 3; k++)
      p[k * V] += v[k * V];
    for (int k = 0; k < 3; k++) {
      shift[k] = cas_se3_cross(k, V, gamma, p);
      of_pi[k * V] = pi[k * V] + shift[k];
    }
    cas_rotation_back(r, V, w, of_pi, of_pi);
    for (int k = 0; k < 3; k++)
      of_pi[k * V] += shift[k];
    cas_rotation_back(r, V, w, gamma, of_gamma);
  }
}

#endif
