/* The distance of packed states that most algebras state errors in. */
#ifndef CAS_EUCLIDEAN_H
#define CAS_EUCLIDEAN_H

#include <casimir/extend.h>

static inline void cas_euclidean_distance2(const cas_geometry *g, int W, const double *x,
                                           const double *y, double *out) {
  for (int l = 0; l < W; l++)
    out[l] = 0;
  for (int k = 0; k < g->components; k++)
    for (int l = 0; l < W; l++) {
      double d = x[k * W + l] - y[k * W + l];
      out[l] += d * d;
    }
}

#endif
