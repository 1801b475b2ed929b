#include "systems/attitude.h"

#include "systems/components.h"

/* ---- one rotation ---- */

static double dot(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The largest entry of |R R^T - 1|, or of R_3 - R_1 x R_2, which reflections miss by 2. */
double CAS_ISA(cas_attitude_departure)(const double *rows) {
  double third[3], most = 0;
  cas_components_cross(rows, rows + 3, third);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      most = fmax(most, fabs(dot(rows + 3 * i, rows + 3 * j) - (i == j)));
      most = fmax(most, fabs(third[i] - rows[6 + i]));
    }
  return most;
}

void CAS_ISA(cas_attitude_normalise)(double *q) {
  double scale = 1 / sqrt(q[0] * q[0] + dot(q + 1, q + 1));
  for (int k = 0; k < 4; k++)
    q[k] *= scale;
}

/* (1 + v.e_3, v x e_3) over its length */
void CAS_ISA(cas_attitude_upright)(const double *v, double *q) {
  const double length = sqrt(dot(v, v)), upright[4] = {length + v[2], v[1], -v[0], 0},
               upside_down[4] = {0, 1, 0, 0};
  memcpy(q, upright[0] + fabs(v[0]) + fabs(v[1]) > 0 ? upright : upside_down, sizeof upright);
  CAS_ISA(cas_attitude_normalise)(q);
}

/* ---- blocks ---- */

void CAS_ISA(cas_attitude_turn)(int W, double sign, const double *q, const double *v, double *out) {
  for (int l = 0; l < W; l++) {
    const double b[3] = {sign * q[W + l], sign * q[2 * W + l], sign * q[3 * W + l]},
                 of[3] = {v[l], v[W + l], v[2 * W + l]};
    double once[3], twice[3];
    cas_components_cross(b, of, once);
    cas_components_cross(b, once, twice);
    for (int k = 0; k < 3; k++)
      out[k * W + l] = of[k] + 2 * (q[l] * once[k] + twice[k]);
  }
}

/* R_ij = (1 - 2 |b|^2) delta_ij + 2 (a hat(b)_ij + b_i b_j); column j is axis j */
void CAS_ISA(cas_attitude_axes)(int W, const double *q, double *out) {
  for (int l = 0; l < W; l++) {
    const double a = q[l], b[3] = {q[W + l], q[2 * W + l], q[3 * W + l]}, square = dot(b, b);
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        const double hat = i == j ? 0 : ((j - i + 3) % 3 == 1 ? -1 : 1) * b[3 - i - j];
        out[(3 * j + i) * W + l] = (i == j ? 1 - 2 * square : 0) + 2 * (a * hat + b[i] * b[j]);
      }
  }
}

void CAS_ISA(cas_attitude_tip)(int W, const double *q, double *out) {
  for (int l = 0; l < W; l++) {
    const double a = q[l], x = q[W + l], y = q[2 * W + l], z = q[3 * W + l];
    out[l] = 2 * (x * z + a * y);
    out[W + l] = 2 * (y * z - a * x);
    out[2 * W + l] = 1 - 2 * (x * x + y * y);
  }
}

int CAS_ISA(cas_attitude_spatial_axes)(const void *parameters CAS_UNUSED, cas_axis axis[2]) {
  axis[0] = (cas_axis){.name = "spatial_axis",
                       .summary = "axis fixed in space, the third one vertical",
                       .unit = "1",
                       .length = 3,
                       .labels = "1 2 3"};
  return 1;
}

int CAS_ISA(cas_attitude_body_axes)(const void *parameters, cas_axis axis[2]) {
  cas_axis spatial[2];
  cas_components_principal_axes(parameters, axis);
  CAS_ISA(cas_attitude_spatial_axes)(parameters, spatial);
  axis[1] = spatial[0];
  return 2;
}

/* ---- single numbers ---- */

/* One lane; of q and -q, which are one rotation, that whose first number is not negative. */
static void take_lane(int W, const double *q, int lane, double own[4]) {
  const double sign = q[lane] < 0 ? -1 : 1;
  for (int k = 0; k < 4; k++)
    own[k] = sign * q[k * W + lane];
}

#define R(i, j) axes[3 * ((j)-1) + (i)-1]
#define QUATERNION " of the attitude as a unit quaternion whose first number is not negative"
#define YAW_PITCH_ROLL \
  "of R = R_3(yaw) R_2(pitch) R_1(roll), rotations about axes of the body, z-y'-x''"
#define PRECESSION_NUTATION_SPIN "of R = R_3(precession) R_1(nutation) R_3(spin), z-x'-z''"

/* X(name, formula of the quaternion `own` and of entries of the rotation, summary) */
#define FUNCTIONALS(X)                                                                   \
  X(quaternion0, own[0], "cosine of half the angle" QUATERNION)                          \
  X(quaternion1, own[1], "first number of the vector" QUATERNION)                        \
  X(quaternion2, own[2], "second number of the vector" QUATERNION)                       \
  X(quaternion3, own[3], "third number of the vector" QUATERNION)                        \
  X(euler_yaw, atan2(R(2, 1), R(1, 1)), "yaw, " YAW_PITCH_ROLL)                          \
  X(euler_pitch, atan2(-R(3, 1), hypot(R(1, 1), R(2, 1))), "pitch, " YAW_PITCH_ROLL)     \
  X(euler_roll, atan2(R(3, 2), R(3, 3)), "roll, " YAW_PITCH_ROLL)                        \
  X(euler_precession, atan2(R(1, 3), -R(2, 3)), "precession, " PRECESSION_NUTATION_SPIN) \
  X(euler_nutation, atan2(hypot(R(1, 3), R(2, 3)), R(3, 3)),                             \
    "nutation, " PRECESSION_NUTATION_SPIN)                                               \
  X(euler_spin, atan2(R(3, 1), R(3, 2)), "spin, " PRECESSION_NUTATION_SPIN)              \
  X(axis1_angle, atan2(hypot(R(2, 1), R(3, 1)), R(1, 1)),                                \
    "angle of axis 1 of the body with axis 1 of space")                                  \
  X(axis2_angle, atan2(hypot(R(1, 2), R(3, 2)), R(2, 2)),                                \
    "angle of axis 2 of the body with axis 2 of space")                                  \
  X(axis3_angle, atan2(hypot(R(1, 3), R(2, 3)), R(3, 3)),                                \
    "angle of axis 3 of the body with the vertical, axis 3 of space")                    \
  X(rotation_angle, 2 * atan2(sqrt(dot(own + 1, own + 1)), own[0]),                      \
    "angle of the rotation R, from 0 to pi")

#define DEFINE(name, formula, summary)                                            \
  static void name(const void *parameters, int W, const double *q, double *out) { \
    (void)parameters;                                                             \
    for (int l = 0; l < W; l++) {                                                 \
      double own[4], axes[9];                                                     \
      take_lane(W, q, l, own);                                                    \
      CAS_ISA(cas_attitude_axes)(1, own, axes);                                   \
      out[l] = formula;                                                           \
    }                                                                             \
  }
FUNCTIONALS(DEFINE)

#define ROW(name, formula, text) CAS_FUNCTIONAL(name, name, "1", text),
static const cas_functional functionals[] = {FUNCTIONALS(ROW){0}};

/* ---- the part ---- */

/* |R - S|^2 of the entries is 2 |p - q|^2 |p + q|^2 of the quaternions, whatever their signs. */
static void distance2(int W, const double *x, const double *y, double *out) {
  for (int l = 0; l < W; l++) {
    double less = 0, more = 0;
    for (int k = 0; k < 4; k++) {
      double a = x[k * W + l], b = y[k * W + l];
      less += (a - b) * (a - b);
      more += (a + b) * (a + b);
    }
    out[l] = 2 * less * more;
  }
}

/* R times the last vector of the state: the momentum of a free body, the vertical of a top */
static void invariant(const cas_geometry *g, int W, const double *x, double *out) {
  CAS_ISA(cas_attitude_turn)
  (W, 1, x + g->components * W, x + (g->components - 3) * W, out);
}

static void fill_identity(double *q) {
  static const double one[4] = {1, 0, 0, 0};
  memcpy(q, one, sizeof one);
}

/* The largest 4 q_k^2 = 1 +- R_11 +- R_22 +- R_33 is at least 1: 4 q_k q needs no small divisor. */
static const char *pack_rows(const double *rows, double *q) {
  const double *r = rows, x = r[7] - r[5], y = r[2] - r[6], z = r[3] - r[1];
  const double table[4][4] = {{1 + r[0] + r[4] + r[8], x, y, z},
                              {x, 1 + r[0] - r[4] - r[8], r[1] + r[3], r[2] + r[6]},
                              {y, r[1] + r[3], 1 - r[0] + r[4] - r[8], r[5] + r[7]},
                              {z, r[2] + r[6], r[5] + r[7], 1 - r[0] - r[4] + r[8]}};
  int best = 0;
  if (!(CAS_ISA(cas_attitude_departure)(rows) <= 1e-10))
    return "R, the last nine numbers row by row, is no rotation: must be orthonormal to 1e-10, "
           "with determinant 1";
  for (int k = 1; k < 4; k++)
    best = table[k][k] > table[best][best] ? k : best;
  memcpy(q, table[best], sizeof table[best]);
  CAS_ISA(cas_attitude_normalise)(q);
  return NULL;
}

static void unpack_rows(const double *q, double *rows) {
  double axes[9];
  CAS_ISA(cas_attitude_axes)(1, q, axes);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      rows[3 * i + j] = axes[3 * j + i];
}

const cas_part CAS_ISA(cas_attitude) = {
    .name = "attitude",
    .summary = "rotation R from the body to space",
    .unit = "1",
    .numbers = 4,
    .stored = 9,
    .names = "R11 R12 R13 R21 R22 R23 R31 R32 R33",
    .pack = pack_rows,
    .unpack = unpack_rows,
    .norm = 1.7320508075688772, /* of the unit matrix */
    .diameter2 = 8,
    .distance2 = distance2,
    .invariants = 3,
    .invariant = invariant,
    .fill = fill_identity,
    .functionals = functionals,
};
