/* The cotangent bundle of K copies of R^3 x SO(3): a state has a row of 18 for each body, its place
   x, its momentum p, its attitude R row by row and its angular momentum pi in space. Velocities and
   momenta of a step are rows of 6: of the place as they are, of the attitude as the body sees them,
   W = R^T omega and R^T pi. The metric has a row of 8 for each body, its mass, its principal
   moments of inertia I, and the inverses of the four. With the Cayley map tau, as in [BRO] section
   5:

       dual      v of a state and the momentum (dtau^-1_{-h W})^* I W that a step of h begins with
       velocity  v' at the state z of the momentum (dtau^-1_{h W'})^* I W' that it ends with, by
                 Newton's method
       retract   moves x to x + h v and R to R tau(h W), and the nearest rotation
       momentum  the momentum of a velocity, of a step of 0
       place     gives a state the momentum m, as the body sees it with the state's R
       drift     free motion during h: turns about the principal axes one after another, forth and
                 back, as Dullweber, Leimkuhler and McLachlan (1997) have it, each of which keeps pi

   Operations that move a state z add to d what they added to z. */
#ifndef CAS_RIGID_MOTIONS_H
#define CAS_RIGID_MOTIONS_H

#include "math/algebra/rotation.h"

#define cas_rigid_motions_NAME "rigid_motions"
#define cas_rigid_motions_COTANGENT 1

enum {
  CAS_RIGID_MOTIONS_P = 3, /* places in the row of a state */
  CAS_RIGID_MOTIONS_R = 6,
  CAS_RIGID_MOTIONS_PI = 15,
  CAS_RIGID_MOTIONS_STATE = 18,
  CAS_RIGID_MOTIONS_MOTION = 6, /* numbers of a velocity */
  CAS_RIGID_MOTIONS_METRIC = 8
};

/* R^T a, with the rows of R at r */
CAS_INLINE cas_vec3 cas_rigid_motions_to_body(int V, const cas_vec *r, cas_vec3 a) {
  cas_vec3 out;
  for (int k = 0; k < 3; k++)
    out.v[k] = r[k * V] * a.v[0] + r[(3 + k) * V] * a.v[1] + r[(6 + k) * V] * a.v[2];
  return out;
}

/* R a */
CAS_INLINE cas_vec3 cas_rigid_motions_to_space(int V, const cas_vec *r, cas_vec3 a) {
  cas_vec3 out;
  for (int k = 0; k < 3; k++)
    out.v[k] = r[3 * k * V] * a.v[0] + r[(3 * k + 1) * V] * a.v[1] + r[(3 * k + 2) * V] * a.v[2];
  return out;
}

/* (dtau^-1_x)^* P = P + x x P/2 + (x.P) x/4 of the Cayley map, [BRO] section 6 */
CAS_INLINE cas_vec3 cas_rigid_motions_cayley_dual(cas_vec3 x, cas_vec3 P) {
  cas_vec along = 0.25 * cas_vec3_dot(x, P);
  cas_vec3 out = cas_vec3_cross(x, P);
  for (int k = 0; k < 3; k++)
    out.v[k] = P.v[k] + 0.5 * out.v[k] + along * x.v[k];
  return out;
}

CAS_INLINE void cas_rigid_motions_dual(const cas_geometry *g, int V, const double *metric, double h,
                                       const cas_vec *z, cas_vec *v, cas_vec *m) {
  for (int b = 0; b < g->factors; b++)
    for (int u = 0; u < V; u++) {
      const double *I = metric + b * CAS_RIGID_MOTIONS_METRIC;
      const cas_vec *y = z + b * CAS_RIGID_MOTIONS_STATE * V + u,
                    *pi = y + CAS_RIGID_MOTIONS_PI * V;
      cas_vec *w = v + b * CAS_RIGID_MOTIONS_MOTION * V + u,
              *n = m + b * CAS_RIGID_MOTIONS_MOTION * V + u;
      cas_vec3 P = cas_rigid_motions_to_body(V, y + CAS_RIGID_MOTIONS_R * V, cas_vec3_take(V, pi)),
               x;
      for (int k = 0; k < 3; k++) {
        n[k * V] = y[(CAS_RIGID_MOTIONS_P + k) * V];
        w[k * V] = n[k * V] * I[4];
        w[(3 + k) * V] = P.v[k] * I[5 + k];
        x.v[k] = -h * w[(3 + k) * V];
      }
      cas_vec3_put(V, cas_rigid_motions_cayley_dual(x, P), n + 3 * V);
    }
}

/* One step of Newton's method for (dtau^-1_{h W})^* I W = M. Returns h times the changes of
   momentum and velocity, which is about what it leaves. */
CAS_INLINE cas_vec cas_rigid_motions_newton(const double I[3], double h, cas_vec3 M, cas_vec3 *W_) {
  const double half = 0.5 * h, quarter = 0.25 * h * h;
  cas_vec3 P, x, a, b, c;
  cas_vec *W = W_->v, most_P = {0}, most_W = {0};
  for (int k = 0; k < 3; k++) {
    P.v[k] = I[k] * W[k];
    x.v[k] = h * W[k];
  }
  cas_vec3 F = cas_rigid_motions_cayley_dual(x, P);
  cas_vec diagonal = quarter * cas_vec3_dot(*W_, P);
  /* the columns of the derivative */
  a.v[0] = I[0] + diagonal + 2 * quarter * W[0] * P.v[0];
  a.v[1] = half * (I[0] * W[2] - P.v[2]) + 2 * quarter * W[1] * P.v[0];
  a.v[2] = half * (P.v[1] - I[0] * W[1]) + 2 * quarter * W[2] * P.v[0];
  b.v[0] = half * (P.v[2] - I[1] * W[2]) + 2 * quarter * W[0] * P.v[1];
  b.v[1] = I[1] + diagonal + 2 * quarter * W[1] * P.v[1];
  b.v[2] = half * (I[1] * W[0] - P.v[0]) + 2 * quarter * W[2] * P.v[1];
  c.v[0] = half * (I[2] * W[1] - P.v[1]) + 2 * quarter * W[0] * P.v[2];
  c.v[1] = half * (P.v[0] - I[2] * W[0]) + 2 * quarter * W[1] * P.v[2];
  c.v[2] = I[2] + diagonal + 2 * quarter * W[2] * P.v[2];
  F = cas_vec3_plus(F, -1, M);
  cas_vec3 bc = cas_vec3_cross(b, c);
  cas_vec scale = 1.0 / cas_vec3_dot(a, bc);
  const cas_vec by[3] = {scale * cas_vec3_dot(F, bc), scale * cas_vec3_dot(F, cas_vec3_cross(c, a)),
                         scale * cas_vec3_dot(F, cas_vec3_cross(a, b))};
  for (int k = 0; k < 3; k++) {
    W[k] -= by[k];
    most_W = cas_vec_max(cas_vec_abs(by[k]), most_W);
    most_P = cas_vec_max(cas_vec_abs(I[k] * by[k]), most_P);
  }
  return h * most_W * most_P;
}

/* Returns the largest number of iterations of a body. change: by lane, what the last may have left
   of a body's momentum, relative to that, as places and attitudes have other units. */
CAS_INLINE int cas_rigid_motions_velocity(const cas_geometry *g, int V, const double *metric,
                                          double h, double relative, int most,
                                          const cas_vec *z CAS_UNUSED, const cas_vec *m, cas_vec *v,
                                          cas_vec *change) {
  int largest = 1;
  for (int u = 0; u < V; u++)
    change[u] = cas_vec_splat(0);
  for (int b = 0; b < g->factors; b++)
    for (int u = 0; u < V; u++) {
      const double *I = metric + b * CAS_RIGID_MOTIONS_METRIC;
      const cas_vec *n = m + b * CAS_RIGID_MOTIONS_MOTION * V + u;
      const cas_vec3 M = cas_vec3_take(V, n + 3 * V);
      cas_vec *w = v + b * CAS_RIGID_MOTIONS_MOTION * V + u, left;
      cas_vec3 W;
      cas_vec size = cas_vec_splat(DBL_MIN); /* not 0: what has no momentum leaves none */
      int iterations = 0;
      for (int k = 0; k < 3; k++) {
        w[k * V] = n[k * V] * I[4];
        W.v[k] = M.v[k] * I[5 + k];
        size = cas_vec_max(cas_vec_abs(M.v[k]), size);
      }
      do
        left = cas_rigid_motions_newton(I + 1, h, M, &W) / size;
      while (++iterations < most && cas_vec_any_greater(left, cas_vec_splat(relative)));
      cas_vec3_put(V, W, w + 3 * V);
      change[u] = cas_vec_max(left, change[u]);
      largest = iterations > largest ? iterations : largest;
    }
  return largest;
}

/* R (3 - R^T R)/2, one step of Newton's method towards the nearest rotation: without it R^T R
   leaves 1, and drags the angular momentum along. */
CAS_INLINE void cas_rigid_motions_orthonormalise(int V, cas_vec *r, cas_vec *d) {
  cas_vec e[3][3], by[9];
  for (int i = 0; i < 3; i++)
    for (int j = i; j < 3; j++)
      e[i][j] = e[j][i] =
          (i == j ? 0.5 : 0.0) - 0.5 * (r[i * V] * r[j * V] + r[(3 + i) * V] * r[(3 + j) * V] +
                                        r[(6 + i) * V] * r[(6 + j) * V]);
  for (int a = 0; a < 3; a++)
    for (int j = 0; j < 3; j++)
      by[3 * a + j] =
          r[3 * a * V] * e[0][j] + r[(3 * a + 1) * V] * e[1][j] + r[(3 * a + 2) * V] * e[2][j];
  for (int i = 0; i < 9; i++) {
    r[i * V] += by[i];
    d[i * V] += by[i];
  }
}

/* R tau(x): with s = 1 + |x|^2/4 a row r becomes r + (r x x + (r x x) x x/2)/s. */
CAS_INLINE void cas_rigid_motions_turn_by_cayley(int V, cas_vec3 x, cas_vec *r, cas_vec *d) {
  cas_vec scale = 1.0 / (1.0 + 0.25 * cas_vec3_dot(x, x));
  for (int a = 0; a < 9; a += 3) {
    cas_vec3 once = cas_vec3_cross(cas_vec3_take(V, r + a * V), x), twice = cas_vec3_cross(once, x);
    for (int k = 0; k < 3; k++) {
      cas_vec by = scale * (once.v[k] + 0.5 * twice.v[k]);
      r[(a + k) * V] += by;
      d[(a + k) * V] += by;
    }
  }
}

CAS_INLINE void cas_rigid_motions_retract(const cas_geometry *g, int V, double h, const cas_vec *v,
                                          cas_vec *z, cas_vec *d) {
  for (int b = 0; b < g->factors; b++)
    for (int u = 0; u < V; u++) {
      const cas_vec *w = v + b * CAS_RIGID_MOTIONS_MOTION * V + u;
      cas_vec *y = z + b * CAS_RIGID_MOTIONS_STATE * V + u,
              *e = d + b * CAS_RIGID_MOTIONS_STATE * V + u;
      cas_vec3 x;
      for (int k = 0; k < 3; k++) {
        y[k * V] += h * w[k * V];
        e[k * V] += h * w[k * V];
        x.v[k] = h * w[(3 + k) * V];
      }
      cas_rigid_motions_turn_by_cayley(V, x, y + CAS_RIGID_MOTIONS_R * V,
                                       e + CAS_RIGID_MOTIONS_R * V);
      cas_rigid_motions_orthonormalise(V, y + CAS_RIGID_MOTIONS_R * V, e + CAS_RIGID_MOTIONS_R * V);
    }
}

CAS_INLINE void cas_rigid_motions_momentum(const cas_geometry *g, int V, const double *metric,
                                           const cas_vec *v, cas_vec *m) {
  for (int b = 0; b < g->factors; b++)
    for (int k = 0; k < CAS_RIGID_MOTIONS_MOTION; k++)
      for (int u = 0; u < V; u++) {
        int i = (b * CAS_RIGID_MOTIONS_MOTION + k) * V + u;
        m[i] = metric[b * CAS_RIGID_MOTIONS_METRIC + (k < 3 ? 0 : k - 2)] * v[i];
      }
}

CAS_INLINE void cas_rigid_motions_place(const cas_geometry *g, int V, const cas_vec *m, cas_vec *z,
                                        cas_vec *d) {
  for (int b = 0; b < g->factors; b++)
    for (int u = 0; u < V; u++) {
      const cas_vec *n = m + b * CAS_RIGID_MOTIONS_MOTION * V + u;
      cas_vec *y = z + b * CAS_RIGID_MOTIONS_STATE * V + u,
              *e = d + b * CAS_RIGID_MOTIONS_STATE * V + u;
      cas_vec3 pi =
          cas_rigid_motions_to_space(V, y + CAS_RIGID_MOTIONS_R * V, cas_vec3_take(V, n + 3 * V));
      for (int k = 0; k < 3; k++) {
        int i = (CAS_RIGID_MOTIONS_P + k) * V, j = (CAS_RIGID_MOTIONS_PI + k) * V;
        e[i] += n[k * V] - y[i];
        y[i] = n[k * V];
        e[j] += pi.v[k] - y[j];
        y[j] = pi.v[k];
      }
    }
}

/* Turns R about principal axis k, and P = R^T pi with it. */
CAS_INLINE void cas_rigid_motions_turn_axis(int V, int k, double h_over_I, cas_vec3 *P, cas_vec *r,
                                            cas_vec *d) {
  const int i = (k + 1) % 3, j = (k + 2) % 3;
  cas_turn turn = cas_turn_by(h_over_I * P->v[k]);
  cas_vec unused[2] = {{0}};
  for (int a = 0; a < 9; a += 3)
    cas_turn_plane(turn, r + (a + i) * V, r + (a + j) * V, d + (a + i) * V, d + (a + j) * V);
  cas_turn_plane(turn, P->v + i, P->v + j, unused, unused + 1);
}

CAS_NOT_INLINE void cas_rigid_motions_drift(const cas_geometry *g, int V, const double *metric,
                                            double h, cas_vec *z, cas_vec *d) {
  for (int b = 0; b < g->factors; b++)
    for (int u = 0; u < V; u++) {
      const double *I = metric + b * CAS_RIGID_MOTIONS_METRIC;
      cas_vec *y = z + b * CAS_RIGID_MOTIONS_STATE * V + u,
              *e = d + b * CAS_RIGID_MOTIONS_STATE * V + u, *r = y + CAS_RIGID_MOTIONS_R * V,
              *pi = y + CAS_RIGID_MOTIONS_PI * V;
      for (int k = 0; k < 3; k++) {
        cas_vec step = h / I[0] * y[(CAS_RIGID_MOTIONS_P + k) * V];
        y[k * V] += step;
        e[k * V] += step;
      }
      cas_vec3 P = cas_rigid_motions_to_body(V, r, cas_vec3_take(V, pi));
      for (int part = 0; part < 5; part++) {
        int k = part < 3 ? part : 4 - part;
        cas_rigid_motions_turn_axis(V, k, (k == 2 ? h : 0.5 * h) / I[1 + k], &P, r,
                                    e + CAS_RIGID_MOTIONS_R * V);
      }
      cas_rigid_motions_orthonormalise(V, r, e + CAS_RIGID_MOTIONS_R * V);
    }
}

#endif
