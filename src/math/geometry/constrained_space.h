/* The cotangent bundle of the manifold g(q) = 0 in R^n: a state is (q, p), n numbers each, the
   metric lists n masses M, and g->table is a cas_constraints with functions g_1 .. g_c of the
   positions. Of the operations of rigid_motions.h it has those of [BRO] section 5 with constraints,
   G = g_q:

       velocity  v' = M^-1 (m + G(q)^T lambda) with g(q + h v') = 0, by Newton's method from lambda
                 = 0, which has no solution where m leads too far
       place     gives a state the momentum m - G(q)^T mu that is tangent, G(q) M^-1 p = 0 */
#ifndef CAS_CONSTRAINED_SPACE_H
#define CAS_CONSTRAINED_SPACE_H

#include "language/expressions/program.h"
#include "math/geometry/vector_space.h"

#define cas_constrained_space_NAME "constrained_space"
#define cas_constrained_space_COTANGENT 1
#define cas_constrained_space_CONSTRAINED 1
/* what constraints leave as it is */
#define cas_constrained_space_dual cas_vector_space_dual
#define cas_constrained_space_retract cas_vector_space_retract
#define cas_constrained_space_momentum cas_vector_space_momentum

enum {
  CAS_CONSTRAINTS_MOST = 16,
  CAS_CONSTRAINTS_SLOPES = 512, /* most derivatives, constraints times positions */
  CAS_CONSTRAINTS_POSITIONS = 64
};

typedef struct {
  int constraints;
  const double *metric; /* the masses */
  /* g_1 .. g_c of a group of lanes, then the gradient of each, from q (CAS_PROGRAM_IN_FIRST) */
  cas_program values;
} cas_constraints;

/* Results of cas_constraints.values, of V vectors a number. */
typedef struct {
  cas_vec value[(CAS_CONSTRAINTS_MOST + CAS_CONSTRAINTS_SLOPES) * CAS_GROUP_VECTORS];
} cas_constraint_values;

CAS_INLINE void cas_constraints_evaluate(const cas_geometry *g, const cas_vec *q,
                                         cas_constraint_values *out) {
  CAS_ISA(cas_program_run)(&((const cas_constraints *)g->table)->values, q, NULL, out->value);
}

/* dg_i/dq_k */
CAS_INLINE cas_vec cas_constraints_slope(const cas_geometry *g, int V,
                                         const cas_constraint_values *at, int i, int k, int u) {
  const cas_constraints *c = g->table;
  return at->value[(c->constraints + i * g->n + k) * V + u];
}

/* x = (G(q') M^-1 G(q)^T)^-1 x of vector u, by elimination: for short steps the matrix is nearly
   symmetric and positive, and needs no pivots. */
CAS_INLINE void cas_constraints_solve(const cas_geometry *g, int V, const double *metric, int u,
                                      const cas_constraint_values *left,
                                      const cas_constraint_values *right, cas_vec *x) {
  const int n = ((const cas_constraints *)g->table)->constraints;
  cas_vec a[CAS_CONSTRAINTS_MOST][CAS_CONSTRAINTS_MOST];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      a[i][j] = cas_vec_splat(0);
      for (int k = 0; k < g->n; k++)
        a[i][j] += cas_constraints_slope(g, V, left, i, k, u) *
                   cas_constraints_slope(g, V, right, j, k, u) / metric[k];
    }
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++) {
      const cas_vec by = a[j][i] / a[i][i];
      for (int k = i; k < n; k++)
        a[j][k] -= by * a[i][k];
      x[j] -= by * x[i];
    }
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++)
      x[i] -= a[i][k] * x[k];
    x[i] /= a[i][i];
  }
}

/* Of one vector of lanes: multipliers, sizes of the last step in positions and of that before, and
   the largest position. */
typedef struct {
  cas_vec lambda[CAS_CONSTRAINTS_MOST], step, before, scale;
} cas_constraint_search;

/* One step of Newton's method from the values at the positions that lambda so far leads to. */
CAS_INLINE void cas_constraints_newton(const cas_geometry *g, int V, const double *metric, double h,
                                       int u, const cas_constraint_values *there,
                                       const cas_constraint_values *here,
                                       cas_constraint_search *s) {
  const int n = ((const cas_constraints *)g->table)->constraints;
  cas_vec by[CAS_CONSTRAINTS_MOST];
  for (int i = 0; i < n; i++)
    by[i] = there->value[i * V + u] / h;
  cas_constraints_solve(g, V, metric, u, there, here, by);
  s->before = s->step;
  s->step = cas_vec_splat(0);
  for (int i = 0; i < n; i++)
    s->lambda[i] -= by[i];
  for (int k = 0; k < g->n; k++) {
    cas_vec force = cas_vec_splat(0);
    for (int i = 0; i < n; i++)
      force += by[i] * cas_constraints_slope(g, V, here, i, k, u);
    s->step = cas_vec_max(cas_vec_abs(h / metric[k] * force), s->step);
  }
}

/* About how far positions are from the manifold after a step of this size, which Newton's method
   squares: by what it made of the step before, and by the least radius that constraints are taken
   to have, 2^-20 of the largest position. The former alone would not fall below rounding. */
CAS_INLINE cas_vec cas_constraints_left(const cas_constraint_search *s) {
  const cas_vec ratio = s->step / s->before, by_ratio = s->step * ratio * ratio,
                by_radius = s->step * s->step * 0x1p20 / s->scale;
  return cas_vec_min(by_ratio, by_radius);
}

/* q + h M^-1 (m + G^T lambda) */
CAS_INLINE void cas_constraints_move(const cas_geometry *g, int V, const double *metric, double h,
                                     int u, const cas_vec *q, const cas_vec *m,
                                     const cas_constraint_values *here,
                                     const cas_constraint_search *s, cas_vec *v, cas_vec *to) {
  const int n = ((const cas_constraints *)g->table)->constraints;
  for (int k = 0; k < g->n; k++) {
    cas_vec sum = m[k * V + u];
    for (int i = 0; i < n; i++)
      sum += s->lambda[i] * cas_constraints_slope(g, V, here, i, k, u);
    v[k * V + u] = sum / metric[k];
    to[k * V + u] = q[k * V + u] + h * v[k * V + u];
  }
}

/* As in rigid_motions.h what is left is relative to the momenta m, or to momenta that move by 2^-30
   of the positions if these are larger. */
CAS_INLINE int cas_constrained_space_velocity(const cas_geometry *g, int V, const double *metric,
                                              double h, double relative, int most, const cas_vec *z,
                                              const cas_vec *m, cas_vec *v, cas_vec *change) {
  cas_constraint_values here, there;
  cas_constraint_search search[CAS_GROUP_VECTORS] = {{.lambda = {{0}}}};
  cas_vec to[CAS_CONSTRAINTS_POSITIONS * CAS_GROUP_VECTORS], motion[CAS_GROUP_VECTORS] = {{0}};
  int iterations = 0;
  bool any;
  cas_constraints_evaluate(g, z, &here);
  for (int u = 0; u < V; u++) {
    for (int k = 0; k < g->n; k++) {
      search[u].scale = cas_vec_max(cas_vec_abs(z[k * V + u]), search[u].scale);
      motion[u] = cas_vec_max(cas_vec_abs(h / metric[k] * m[k * V + u]), motion[u]);
    }
    motion[u] = cas_vec_max(0x1p-30 * search[u].scale, motion[u]);
    cas_constraints_move(g, V, metric, h, u, z, m, &here, &search[u], v, to);
    search[u].step = motion[u];
  }
  do {
    any = false;
    cas_constraints_evaluate(g, to, &there);
    for (int u = 0; u < V; u++) {
      cas_constraints_newton(g, V, metric, h, u, &there, &here, &search[u]);
      cas_constraints_move(g, V, metric, h, u, z, m, &here, &search[u], v, to);
      change[u] = cas_constraints_left(&search[u]) / motion[u];
      any |= cas_vec_any_greater(change[u], cas_vec_splat(relative));
    }
  } while (++iterations < most && any);
  return iterations;
}

/* Takes from m of vector u what makes it tangent, G M^-1 m = 0, along the gradients `along`. */
CAS_INLINE void cas_constraints_project(const cas_geometry *g, int V, int u,
                                        const cas_constraint_values *at,
                                        const cas_constraint_values *along, const cas_vec *m,
                                        cas_vec *out) {
  const int n = ((const cas_constraints *)g->table)->constraints;
  const double *metric = ((const cas_constraints *)g->table)->metric;
  cas_vec mu[CAS_CONSTRAINTS_MOST];
  for (int i = 0; i < n; i++) {
    mu[i] = cas_vec_splat(0);
    for (int k = 0; k < g->n; k++)
      mu[i] += cas_constraints_slope(g, V, at, i, k, u) * m[k * V + u] / metric[k];
  }
  cas_constraints_solve(g, V, metric, u, at, along, mu);
  for (int k = 0; k < g->n; k++) {
    cas_vec p = m[k * V + u];
    for (int i = 0; i < n; i++)
      p -= mu[i] * cas_constraints_slope(g, V, along, i, k, u);
    out[k * V + u] = p;
  }
}

CAS_INLINE void cas_constrained_space_place(const cas_geometry *g, int V, const cas_vec *m,
                                            cas_vec *z, cas_vec *d) {
  const int size = g->n * V;
  cas_constraint_values at;
  cas_vec tangent[CAS_CONSTRAINTS_POSITIONS * CAS_GROUP_VECTORS];
  cas_constraints_evaluate(g, z, &at);
  for (int u = 0; u < V; u++)
    cas_constraints_project(g, V, u, &at, &at, m, tangent);
  for (int i = 0; i < size; i++) {
    d[size + i] += tangent[i] - z[size + i];
    z[size + i] = tangent[i];
  }
}

#endif
