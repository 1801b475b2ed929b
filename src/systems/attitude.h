/* The attitude of a body: the rotation R from its axes to those of space, with dR = R hat(w). In
   blocks a unit quaternion (a, b), R v = v + 2 a b x v + 2 b x (b x v), behind the components of
   so(3)* or se(3)*; in files the nine numbers of R, row by row. */
#ifndef CAS_ATTITUDE_H
#define CAS_ATTITUDE_H

#include "math/kernels/kernels.h"

#define CAS_ATTITUDE_HELP                                                                         \
  "true: the state has the rotation R from the body to space as well, behind the others, row by " \
  "row; "                                                                                         \
  "`initial` may leave it out, R is 1 then. Functionals and expressions then know R11 .. R33, "   \
  "quaternion0 .. quaternion3, euler_yaw, euler_pitch, euler_roll, euler_precession, "            \
  "euler_nutation, euler_spin, axis1_angle .. axis3_angle and rotation_angle"

/** By how much nine numbers, row by row, are no rotation. */
double CAS_ISA(cas_attitude_departure)(const double *rows);
/** The quaternion of the least rotation that turns a vector upright, to e_3; 0, 0, -1 about e_1. */
void CAS_ISA(cas_attitude_upright)(const double *v, double *q);
/** Scales four numbers to a rotation, uniformly distributed if they are normals. */
void CAS_ISA(cas_attitude_normalise)(double *q);
/** out[3] = R v of blocks of quaternions and vectors, or R^T v with sign -1. */
void CAS_ISA(cas_attitude_turn)(int W, double sign, const double *q, const double *v, double *out);
/** out[9] = R e_1, R e_2, R e_3, the axes of the body seen from space. */
void CAS_ISA(cas_attitude_axes)(int W, const double *q, double *out);
/** out[3] = R e_3, the tip of the third axis. */
void CAS_ISA(cas_attitude_tip)(int W, const double *q, double *out);
/** Axes of observables that are one vector seen from space, or three of them. */
int CAS_ISA(cas_attitude_spatial_axes)(const void *parameters, cas_axis axis[2]);
int CAS_ISA(cas_attitude_body_axes)(const void *parameters, cas_axis axis[2]);

extern const cas_part CAS_ISA(cas_attitude);

/* Observables of the attitude behind these components, of which the first three are the angular
   momentum, and their rows in a table. */
#define CAS_ATTITUDE_FUNCTIONS(components)                                                  \
  CAS_COMPONENTS_FUNCTION(spatial_momentum,                                                 \
                          CAS_ISA(cas_attitude_turn)(W, 1, x + (components)*W, x, out))     \
  CAS_COMPONENTS_FUNCTION(axes, CAS_ISA(cas_attitude_axes)(W, x + (components)*W, out))     \
  CAS_COMPONENTS_FUNCTION(tip, CAS_ISA(cas_attitude_tip)(W, x + (components)*W, out))       \
  static const char *without_attitude(const void *parameters_) {                            \
    return ((const parameters *)parameters_)->attitude ? NULL : "system.attitude is false"; \
  }

#define CAS_ATTITUDE_ROWS(of_momentum)                                                         \
  CAS_FUNCTIONAL(spatial_momentum, spatial_momentum, "inertia_unit time_unit^-1", of_momentum, \
                 .axes = CAS_ISA(cas_attitude_spatial_axes), .undefined = without_attitude),   \
      CAS_FUNCTIONAL(                                                                          \
          axes, axes, "1",                                                                     \
          "R e_1, R e_2, R e_3, the axes of the body seen from space. With attitude: true",    \
          .axes = CAS_ISA(cas_attitude_body_axes), .undefined = without_attitude),             \
      CAS_FUNCTIONAL(tip, tip, "1",                                                            \
                     "R e_3, the third axis of the body seen from space. With attitude: true", \
                     .axes = CAS_ISA(cas_attitude_spatial_axes), .undefined = without_attitude)

#endif
