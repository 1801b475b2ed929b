/* so(3) as R^3 through the hat map: [hat a, hat b] = hat(a x b), Q X Q = -(q.x) hat(q). */
#ifndef CAS_SO3_H
#define CAS_SO3_H

#include "lanes.h"

CAS_INLINE void cas_so3_bracket_add(const cas_geometry *g, const cas_group *a, const cas_group *b,
                                    cas_group *sum) {
  (void)g;
  for (int u = 0; u < CAS_GROUP_VECTORS; u++) {
    sum[0].v[u] += a[1].v[u] * b[2].v[u] - a[2].v[u] * b[1].v[u];
    sum[1].v[u] += a[2].v[u] * b[0].v[u] - a[0].v[u] * b[2].v[u];
    sum[2].v[u] += a[0].v[u] * b[1].v[u] - a[1].v[u] * b[0].v[u];
  }
}

CAS_INLINE void cas_so3_sandwich_add(const cas_geometry *g, const cas_group *q, const cas_group *x,
                                     cas_group *sum) {
  (void)g;
  for (int u = 0; u < CAS_GROUP_VECTORS; u++) {
    cas_vec d = q[0].v[u] * x[0].v[u] + q[1].v[u] * x[1].v[u] + q[2].v[u] * x[2].v[u];
    for (int k = 0; k < 3; k++)
      sum[k].v[u] -= d * q[k].v[u];
  }
}

#endif
