/* Functions of states as plain lists of components, x[component * W + lane], which several systems
   have, and bounds of what they can be where |x| is a Casimir. */
#ifndef CAS_COMPONENTS_H
#define CAS_COMPONENTS_H

#include <casimir/extend.h>
#include <math.h>
#include <string.h>

/* out = sum over the components of sin(2 pi x), the test function of [EJLL] section 6 */
static inline void cas_sum_of_sines(int components, int W, const double *x, double *out) {
  const double pi = 3.14159265358979323846;
  memset(out, 0, (size_t)W * sizeof *out);
  for (int k = 0; k < components; k++)
    for (int l = 0; l < W; l++)
      out[l] += sin(2 * pi * x[k * W + l]);
}

/* out = Euclidean norm of the components */
static inline void cas_norm(int components, int W, const double *x, double *out) {
  for (int l = 0; l < W; l++) {
    double square = 0;
    for (int k = 0; k < components; k++)
      square += x[k * W + l] * x[k * W + l];
    out[l] = sqrt(square);
  }
}

/* Scales one state to that norm: uniform on the sphere if x holds standard normals. */
static inline void cas_scale_to_norm(int components, double norm, double *x) {
  double found;
  cas_norm(components, 1, x, &found);
  for (int k = 0; k < components; k++)
    x[k] *= norm / found;
}

/* The axis of observables that are vectors seen from a body. */
static inline int cas_principal_axes(const void *parameters, cas_axis axis[2]) {
  (void)parameters;
  axis[0] = (cas_axis){.name = "principal_axis",
                       .summary = "principal axis of the body",
                       .unit = "1",
                       .length = 3,
                       .labels = "1 2 3"};
  return 1;
}

/* out = x_k / I_k, the angular velocity of a body with that angular momentum */
static inline void cas_angular_velocity(const double *inertia, int W, const double *x,
                                        double *out) {
  for (int k = 0; k < 3; k++)
    for (int l = 0; l < W; l++)
      out[k * W + l] = x[k * W + l] / inertia[k];
}

/* The range of what is at most so large in absolute value. */
static inline void cas_symmetric_range(double largest, double range[2]) {
  range[0] = -largest;
  range[1] = largest;
}

/* The range of a component on the sphere through x0. */
static inline void cas_range_on_sphere(int components, const double *x0, double range[2]) {
  double radius;
  cas_norm(components, 1, x0, &radius);
  cas_symmetric_range(radius, range);
}

/* The range of sum x_k^2 / I_k on the sphere through x0. */
static inline void cas_range_of_energy(int components, const double *inertia, const double *x0,
                                       double range[2]) {
  double radius, least = INFINITY, most = 0;
  cas_norm(components, 1, x0, &radius);
  for (int k = 0; k < components; k++) {
    least = fmin(least, inertia[k]);
    most = fmax(most, inertia[k]);
  }
  range[0] = radius * radius / most;
  range[1] = radius * radius / least;
}

#endif
