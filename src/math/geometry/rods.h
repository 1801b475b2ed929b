/* The cotangent bundle of chains of beads in R^3 on rods from the origin: a state is (q, p), n
   numbers each, three of a bead, with constraints g_i = (|d_i|^2 - L^2)/2, d_i = q_i - q_{i-1},
   and momenta along them. The metric lists n times the mass of a bead and then the length L of a
   rod. Of the operations of rigid_motions.h it has those of [BRO] section 5 with constraints:

       velocity  v' = (m + G(q)^T lambda)/mass with g(q + h v') = 0, by Newton's method from lambda
                 = 0, which has no solution where m turns a rod too far
       place     gives a state the momentum m - G(q)^T mu that is tangent, G(q) v = 0 */
#ifndef CAS_RODS_H
#define CAS_RODS_H

#include "math/geometry/vector_space.h"

#define cas_rods_NAME "rods"
#define cas_rods_COTANGENT 1
#define cas_rods_CONSTRAINED 1

/* what constraints leave as it is */
#define cas_rods_dual cas_vector_space_dual
#define cas_rods_retract cas_vector_space_retract
#define cas_rods_momentum cas_vector_space_momentum

enum { CAS_RODS_MOST = 16 };

/* Component k of d_i. */
CAS_INLINE cas_vec cas_rod(int V, const cas_vec *q, int i, int k) {
  cas_vec end = q[(3 * i + k) * V];
  return i ? end - q[(3 * (i - 1) + k) * V] : end;
}

/* m + scale G(q)^T lambda */
CAS_INLINE void cas_rods_add_tensions(int n, int V, double scale, const cas_vec *q,
                                      const cas_vec *lambda, cas_vec *m) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 3; k++) {
      cas_vec force = scale * lambda[i] * cas_rod(V, q, i, k);
      m[(3 * i + k) * V] += force;
      if (i)
        m[(3 * (i - 1) + k) * V] -= force;
    }
}

/* Rod i of q times rod j of r. */
CAS_INLINE cas_vec cas_rods_dot(int V, const cas_vec *q, int i, const cas_vec *r, int j) {
  cas_vec sum = cas_rod(V, q, i, 0) * cas_rod(V, r, j, 0);
  for (int k = 1; k < 3; k++)
    sum += cas_rod(V, q, i, k) * cas_rod(V, r, j, k);
  return sum;
}

/* x = (G(q) G(r)^T)^-1 x, a matrix of three diagonals, by elimination. */
CAS_INLINE void cas_rods_solve(int n, int V, const cas_vec *q, const cas_vec *r, cas_vec *x) {
  cas_vec above[CAS_RODS_MOST] = {{0}}, pivot = cas_vec_splat(1);
  for (int i = 0; i < n; i++) {
    cas_vec diagonal = (i ? 2.0 : 1.0) * cas_rods_dot(V, q, i, r, i), below = cas_vec_splat(0);
    if (i)
      below = -cas_rods_dot(V, q, i, r, i - 1);
    pivot = i ? diagonal - below * above[i - 1] : diagonal;
    x[i] = (i ? x[i] - below * x[i - 1] : x[i]) / pivot;
    above[i] = i + 1 < n ? -cas_rods_dot(V, q, i, r, i + 1) / pivot : cas_vec_splat(0);
  }
  for (int i = n - 2; i >= 0; i--)
    x[i] -= above[i] * x[i + 1];
}

/* One step of Newton's method for lambda. Returns about what it leaves of the momentum; workspace:
   the places that lambda led to. */
CAS_INLINE cas_vec cas_rods_newton(int n, int V, const double *metric, double h, const cas_vec *q,
                                   const cas_vec *m, cas_vec *lambda, cas_vec *workspace) {
  const double scale = h / metric[0], length = metric[3 * n];
  cas_vec by[CAS_RODS_MOST], most = {0};
  for (int k = 0; k < 3 * n; k++)
    workspace[k * V] = q[k * V] + scale * m[k * V];
  cas_rods_add_tensions(n, V, scale, q, lambda, workspace);
  for (int i = 0; i < n; i++)
    by[i] = (0.5 * (cas_rods_dot(V, workspace, i, workspace, i) - length * length)) / scale;
  cas_rods_solve(n, V, workspace, q, by);
  for (int i = 0; i < n; i++) {
    lambda[i] -= by[i];
    most = cas_vec_max(cas_vec_abs(by[i]), most);
  }
  return 4 * scale * length * most * most;
}

/* As in rigid_motions.h what is left is relative to the momenta m, or to one that moves a bead by
   2^-40 of a rod if that is larger: rounding of places leaves some of none. */
CAS_INLINE int cas_rods_velocity(const cas_geometry *g, int V, const double *metric, double h,
                                 double relative, int most, const cas_vec *z, const cas_vec *m,
                                 cas_vec *v, cas_vec *change) {
  const int n = g->n / 3;
  const double least = 0x1p-40 * metric[0] * metric[g->n] / h;
  int largest = 1;
  for (int u = 0; u < V; u++) {
    cas_vec lambda[CAS_RODS_MOST] = {{0}}, size = cas_vec_splat(least);
    int iterations = 0;
    for (int k = 0; k < 3 * n; k++)
      size = cas_vec_max(cas_vec_abs(m[k * V + u]), size);
    do
      change[u] = cas_rods_newton(n, V, metric, h, z + u, m + u, lambda, v + u) / size;
    while (++iterations < most && cas_vec_any_greater(change[u], cas_vec_splat(relative)));
    for (int k = 0; k < 3 * n; k++)
      v[k * V + u] = m[k * V + u];
    cas_rods_add_tensions(n, V, 1, z + u, lambda, v + u);
    for (int k = 0; k < 3 * n; k++)
      v[k * V + u] /= metric[0];
    largest = iterations > largest ? iterations : largest;
  }
  return largest;
}

CAS_INLINE void cas_rods_place(const cas_geometry *g, int V, const cas_vec *m, cas_vec *z,
                               cas_vec *d) {
  const int n = g->n / 3, size = g->n * V;
  for (int u = 0; u < V; u++) {
    cas_vec mu[CAS_RODS_MOST], *p = z + size + u;
    for (int i = 0; i < 3 * n; i++) {
      d[size + i * V + u] -= p[i * V];
      p[i * V] = m[i * V + u];
    }
    for (int i = 0; i < n; i++) {
      mu[i] = cas_vec_splat(0);
      for (int k = 0; k < 3; k++)
        mu[i] += cas_rod(V, z + u, i, k) * cas_rod(V, p, i, k);
    }
    cas_rods_solve(n, V, z + u, z + u, mu);
    cas_rods_add_tensions(n, V, -1, z + u, mu, p);
    for (int i = 0; i < 3 * n; i++)
      d[size + i * V + u] += p[i * V];
  }
}

#endif
