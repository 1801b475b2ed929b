/* so(3) as R^3 through the hat map: [hat a, hat b] = hat(a x b), Q X Q = -(q.x) hat(q). */
#ifndef CAS_SO3_H
#define CAS_SO3_H

#include "kernels/lanes.h"

/* vector u of component k is at [k * vectors + u] */
CAS_INLINE void cas_so3_bracket(int vectors, const cas_vec *a, const cas_vec *b, cas_vec *bracket) {
  for (int u = 0; u < vectors; u++)
    for (int k = 0; k < 3; k++) {
      int i = (k + 1) % 3 * vectors + u, j = (k + 2) % 3 * vectors + u;
      bracket[k * vectors + u] = a[i] * b[j] - a[j] * b[i];
    }
}

CAS_INLINE void cas_so3_sandwich(int vectors, const cas_vec *q, const cas_vec *x,
                                 cas_vec *sandwich) {
  for (int u = 0; u < vectors; u++) {
    const cas_vec *a = q + u, *b = x + u;
    cas_vec d = a[0] * b[0] + a[vectors] * b[vectors] + a[2 * vectors] * b[2 * vectors];
    for (int k = 0; k < 3; k++)
      sandwich[k * vectors + u] = -d * a[k * vectors];
  }
}

#endif
