/* so(3) as R^3 through the hat map: [hat a, hat b] = hat(a x b), Q X Q = -(q.x) hat(q). */
#ifndef CAS_SO3_H
#define CAS_SO3_H

#include "lanes.h"

CAS_INLINE void cas_so3_bracket(const cas_group *a, const cas_group *b, cas_group *bracket) {
  for (int k = 0; k < 3; k++) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    for (int u = 0; u < CAS_GROUP_VECTORS; u++)
      bracket[k].v[u] = a[i].v[u] * b[j].v[u] - a[j].v[u] * b[i].v[u];
  }
}

CAS_INLINE void cas_so3_sandwich(const cas_group *q, const cas_group *x, cas_group *sandwich) {
  for (int u = 0; u < CAS_GROUP_VECTORS; u++) {
    cas_vec d = q[0].v[u] * x[0].v[u] + q[1].v[u] * x[1].v[u] + q[2].v[u] * x[2].v[u];
    for (int k = 0; k < 3; k++)
      sandwich[k].v[u] = -d * q[k].v[u];
  }
}

#endif
