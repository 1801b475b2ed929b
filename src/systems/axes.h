/* Hamiltonians sum a_k x_k^2/2 + b.x on so(3), from rows of coefficients a_1 .. a_3, b_1 .. b_3. */
#ifndef CAS_AXES_H
#define CAS_AXES_H

#include "math/algebra/rotation.h"

/* xi = a x + b */
CAS_INLINE void cas_axes_psi(const cas_stepper *s CAS_UNUSED, cas_lanes c, const cas_vec *x,
                             cas_vec *xi) {
  const int V = CAS_GROUP_VECTORS;
  for (int k = 0; k < 3; k++)
    for (int u = 0; u < V; u++)
      xi[k * V + u] = cas_lanes_load(c, k, u) * x[k * V + u] + cas_lanes_load(c, 3 + k, u);
}

/* the flow of one axis, or of the linear term as part 3 */
CAS_INLINE void cas_axes_flow(const cas_stepper *s CAS_UNUSED, cas_lanes c, int part, double scale,
                              cas_vec *x, cas_vec *d) {
  const int V = CAS_GROUP_VECTORS;
  if (part < 3) {
    cas_rotation_axis_flow(V, 1, part, c, part, scale, x, d);
    return;
  }
  for (int u = 0; u < V; u++) {
    cas_vec xi[3], t = {0};
    for (int k = 0; k < 3; k++) {
      xi[k] = scale * cas_lanes_load(c, 3 + k, u);
      t += xi[k] * xi[k];
    }
    cas_turn_vector(cas_rotation_of(t), V, xi, x + u, d + u);
  }
}

/* The Ito drift of the noises sigma x_k e_k, which `factors` vectors have in common: of each vector
   the sum of sigma^2 x_k^2 (x x e_k) x e_k. */
CAS_INLINE void cas_axes_ito_of_squares(int factors, int V, double sigma, const cas_vec *x,
                                        cas_vec *out) {
  for (int i = 0; i < factors; i++, x += 3 * V, out += 3 * V)
    for (int u = 0; u < V; u++)
      for (int k = 0; k < 3; k++) {
        cas_vec a = x[(k + 1) % 3 * V + u], b = x[(k + 2) % 3 * V + u];
        out[k * V + u] = -(sigma * sigma) * x[k * V + u] * (a * a + b * b);
      }
}

#endif
