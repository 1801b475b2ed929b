/* Rotations by the exponential map: with t = |xi|^2, a = sin(|xi|)/|xi|, b = (1 - cos |xi|)/t and
   c = (|xi| - sin |xi|)/|xi|^3, which are power series in -t. */
#ifndef CAS_ROTATION_H
#define CAS_ROTATION_H

#include "base/lanes.h"

typedef struct {
  cas_vec a, b, c;
} cas_rotation;

/* sum of (-t)^j (first - 1)!/(first - 1 + 2 j)! over j < terms, a multiple of 1/(first - 1)! */
CAS_INLINE cas_vec cas_rotation_series(int terms, int first, cas_vec t) {
  cas_vec sum = cas_vec_splat(1);
  for (int j = terms - 1; j > 0; j--)
    sum = 1.0 - sum * t * (1.0 / ((first + 2 * j - 2) * (first + 2 * j - 1)));
  return sum;
}

CAS_INLINE cas_rotation cas_rotation_terms(int terms, cas_vec t) {
  return (cas_rotation){cas_rotation_series(terms, 2, t), 0.5 * cas_rotation_series(terms, 3, t),
                        1.0 / 6 * cas_rotation_series(terms, 4, t)};
}

/* angles of more than 1, which hardly a step has, lane by lane */
static __attribute__((noinline, unused)) cas_rotation cas_rotation_large(cas_vec t) {
  cas_rotation r = cas_rotation_terms(10, t);
  for (int l = 0; l < CAS_VL; l++)
    if (t[l] > 1) {
      double angle = sqrt(t[l]);
      r.a[l] = sin(angle) / angle;
      r.b[l] = 2 * pow(sin(0.5 * angle) / angle, 2);
      r.c[l] = (1 - r.a[l]) / t[l];
    }
  return r;
}

/* 3 terms are exact to rounding up to an angle of 1/128, 5 up to 1/16, 10 up to 1 */
CAS_INLINE cas_rotation cas_rotation_of(cas_vec t) {
  if (!cas_vec_any_greater(t, cas_vec_splat(0x1p-14)))
    return cas_rotation_terms(3, t);
  if (!cas_vec_any_greater(t, cas_vec_splat(0x1p-8)))
    return cas_rotation_terms(5, t);
  return cas_vec_any_greater(t, cas_vec_splat(1)) ? cas_rotation_large(t)
                                                  : cas_rotation_terms(10, t);
}

/* a and b of Cayley's map cay(xi) = (1 - hat xi/2)^-1 (1 + hat xi/2) */
CAS_INLINE cas_rotation cas_rotation_cayley(cas_vec t) {
  cas_vec a = 1.0 / (1.0 + 0.25 * t);
  return (cas_rotation){.a = a, .b = 0.5 * a};
}

/* a vector of R^3 of one vector of lanes; in arrays its components are `stride` vectors apart */
typedef struct {
  cas_vec v[3];
} cas_vec3;

CAS_INLINE cas_vec3 cas_vec3_take(int stride, const cas_vec *from) {
  return (cas_vec3){{from[0], from[stride], from[2 * stride]}};
}

CAS_INLINE void cas_vec3_put(int stride, cas_vec3 a, cas_vec *to) {
  for (int k = 0; k < 3; k++)
    to[k * stride] = a.v[k];
}

CAS_INLINE cas_vec cas_vec3_dot(cas_vec3 a, cas_vec3 b) {
  return a.v[0] * b.v[0] + a.v[1] * b.v[1] + a.v[2] * b.v[2];
}

CAS_INLINE cas_vec3 cas_vec3_cross(cas_vec3 a, cas_vec3 b) {
  return (cas_vec3){{a.v[1] * b.v[2] - a.v[2] * b.v[1], a.v[2] * b.v[0] - a.v[0] * b.v[2],
                     a.v[0] * b.v[1] - a.v[1] * b.v[0]}};
}

/* bracket = a x b of vectors one behind another, for a group of V */
CAS_INLINE void cas_vec3_bracket(int vectors, int V, const cas_vec *a, const cas_vec *b,
                                 cas_vec *bracket) {
  for (int i = 0; i < 3 * vectors * V; i += 3 * V)
    for (int u = i; u < i + V; u++)
      cas_vec3_put(V, cas_vec3_cross(cas_vec3_take(V, a + u), cas_vec3_take(V, b + u)),
                   bracket + u);
}

CAS_INLINE cas_vec3 cas_vec3_plus(cas_vec3 a, double scale, cas_vec3 b) {
  for (int k = 0; k < 3; k++)
    a.v[k] += scale * b.v[k];
  return a;
}

/* v turned by the transpose of the rotation by xi, minus v */
CAS_INLINE cas_vec3 cas_vec3_turned_back(cas_rotation r, cas_vec3 xi, cas_vec3 v) {
  cas_vec3 y = cas_vec3_cross(xi, v), z = cas_vec3_cross(xi, y);
  for (int k = 0; k < 3; k++)
    z.v[k] = r.b * z.v[k] - r.a * y.v[k];
  return z;
}

/* A unit quaternion (1 - versine, v), near 1 where a rotation is small */
typedef struct {
  cas_vec versine;
  cas_vec3 v;
} cas_quaternion;

/* the quaternion of two rotations by x with t = |angle|^2: (1 - b t, a x) for cay and exp alike */
CAS_INLINE cas_quaternion cas_quaternion_twice(cas_rotation r, cas_vec t, cas_vec3 x) {
  for (int k = 0; k < 3; k++)
    x.v[k] *= r.a;
  return (cas_quaternion){r.b * t, x};
}

/* the quaternion of cay(xi): (1, xi/2) over its length */
CAS_INLINE cas_quaternion cas_quaternion_cayley(cas_vec3 xi) {
  cas_vec t = 0.25 * cas_vec3_dot(xi, xi), length;
  for (int l = 0; l < CAS_VL; l++)
    length[l] = sqrt(1 + t[l]);
  for (int k = 0; k < 3; k++)
    xi.v[k] *= 0.5 / length;
  return (cas_quaternion){t / (length * (1.0 + length)), xi};
}

/* x -> x turned by exp(angle e_3)^T in the plane of the components x1 and x2, as increments: with
   the sine s and 1 - cos angle = v, d1 = s x2 - v x1 and d2 = -s x1 - v x2 */
typedef struct {
  cas_vec sine, versine;
} cas_turn;

CAS_INLINE cas_turn cas_turn_by(cas_vec angle) {
  cas_vec t = angle * angle;
  cas_rotation r = cas_rotation_of(t);
  return (cas_turn){r.a * angle, r.b * t};
}

/* adds the increments to x1, x2 and to d1, d2 */
CAS_INLINE void cas_turn_plane(cas_turn r, cas_vec *x1, cas_vec *x2, cas_vec *d1, cas_vec *d2) {
  cas_vec a = r.sine * *x2 - r.versine * *x1, b = -r.sine * *x1 - r.versine * *x2;
  *x1 += a;
  *x2 += b;
  *d1 += a;
  *d2 += b;
}

/* Turns `vectors` vectors x, one behind another, about axis k by `scale` times x_k of the first,
   which this turn keeps, times a row of coefficients, for a group of V; d gets the increments. */
CAS_INLINE void cas_rotation_axis_flow(int V, int vectors, int k, cas_lanes c, int row,
                                       double scale, cas_vec *x, cas_vec *d) {
  const int i = (k + 1) % 3 * V, j = (k + 2) % 3 * V;
  for (int u = 0; u < V; u++) {
    cas_turn turn = cas_turn_by(scale * cas_lanes_load(c, row, u) * x[k * V + u]);
    for (int a = u; a < 3 * vectors * V; a += 3 * V)
      cas_turn_plane(turn, x + i + a, x + j + a, d + i + a, d + j + a);
  }
}

/* the vector by whose exponential cas_rotation_axis_flow turns */
CAS_INLINE void cas_rotation_axis_turn(int V, int k, cas_lanes c, int row, double scale,
                                       const cas_vec *x, cas_vec *xi) {
  for (int u = 0; u < V; u++) {
    for (int i = 0; i < 3; i++)
      xi[i * V + u] = cas_vec_splat(0);
    xi[k * V + u] = scale * cas_lanes_load(c, row, u) * x[k * V + u];
  }
}

/* out = mu turned by exp(xi)^T, minus mu, of vectors one behind another, for a group of V */
CAS_INLINE void cas_rotation_exponential(int vectors, int V, const cas_vec *xi, const cas_vec *mu,
                                         cas_vec *out) {
  for (int i = 0; i < 3 * vectors * V; i += 3 * V)
    for (int u = i; u < i + V; u++) {
      const cas_vec3 by = cas_vec3_take(V, xi + u);
      const cas_rotation r = cas_rotation_of(cas_vec3_dot(by, by));
      cas_vec3_put(V, cas_vec3_turned_back(r, by, cas_vec3_take(V, mu + u)), out + u);
    }
}

/* x turned by exp(xi)^T, the increment added to d as well; components of xi are neighbours */
CAS_INLINE void cas_turn_vector(cas_rotation r, int stride, const cas_vec *xi, cas_vec *x,
                                cas_vec *d) {
  const cas_vec3 change = cas_vec3_turned_back(r, cas_vec3_take(1, xi), cas_vec3_take(stride, x));
  for (int k = 0; k < 3; k++) {
    x[k * stride] += change.v[k];
    d[k * stride] += change.v[k];
  }
}

#endif
