/* The isospectral stochastic midpoint, [EJLL] (26), for a block of lanes. With Q = Psi/2,

       Xt = X_n + [Q, Xt] + Q Xt Q        (fixed point)
       X_{n+1} = X_n + 2 [Q, Xt]

   One body serves every system: the integrator's own step reaches half_psi, bracket and sandwich through tables, a
   system's fused step passes inline functions and a constant number of components, and the compiler does the rest. */
#ifndef CAS_ISOSPECTRAL_MIDPOINT_H
#define CAS_ISOSPECTRAL_MIDPOINT_H

#include "lanes.h"

typedef void cas_product_add(const cas_geometry *g, const cas_group *a, const cas_group *b, cas_group *sum);
typedef void cas_half_psi(const void *parameters, cas_lanes coef, const cas_group *x, cas_group *q);

/* What the body needs to know; every field constant where it is inlined. */
typedef struct {
  int components;
  int W;
  cas_half_psi *half_psi;
  cas_product_add *bracket_add, *sandwich_add;
  cas_product_add *midpoint_add; /* NULL: one after the other */
} cas_isospectral_operations;

/* x, xn, xt, q: groups, `components` of each; returns the vector of the largest changes of xt */
CAS_INLINE void cas_isospectral_iterate(const cas_isospectral_operations *o, const cas_stepper *s, cas_lanes coef,
                                        const cas_group *xn, cas_group *xt, cas_group *q, cas_group *next,
                                        cas_group *change) {
  o->half_psi(s->parameters, coef, xt, q);
  for (int k = 0; k < o->components; k++)
    next[k] = xn[k];
  if (o->midpoint_add) {
    o->midpoint_add(&s->geometry, q, xt, next);
  } else {
    o->bracket_add(&s->geometry, q, xt, next);
    o->sandwich_add(&s->geometry, q, xt, next);
  }
  for (int u = 0; u < CAS_GROUP_VECTORS; u++) {
    cas_vec most = {0};
    for (int k = 0; k < o->components; k++) {
      most = cas_vmax(cas_vabs(next[k].v[u] - xt[k].v[u]), most);
      xt[k].v[u] = next[k].v[u];
    }
    change->v[u] = most;
  }
}

CAS_INLINE int cas_isospectral_converged(const cas_group *change, double tolerance) {
  cas_vec most = change->v[0];
  for (int u = 1; u < CAS_GROUP_VECTORS; u++)
    most = cas_vmax(most, change->v[u]);
  return !cas_any_greater(most, cas_splat(tolerance));
}

CAS_INLINE void cas_isospectral_count(cas_tally *t, int first, int iterations, const cas_group *change,
                                      double tolerance, int failed) {
  for (int u = 0; u < CAS_GROUP_VECTORS; u++) {
    int l = first + u * CAS_VL;
    cas_vec n = cas_splat(iterations);
    cas_store(t->iterations + l, cas_load(t->iterations + l) + n);
    cas_store(t->iterations_max + l, cas_vmax(n, cas_load(t->iterations_max + l)));
    for (int i = 0; failed && i < CAS_VL; i++)
      t->not_converged[l + i] += change->v[u][i] > tolerance;
  }
}

/* X_{n+1} = X_n + d; Kahan's compensation keeps what rounding loses */
CAS_INLINE void cas_isospectral_advance(const cas_isospectral_operations *o, int first, const cas_group *xn,
                                        const cas_group *d, double *x, double *carry) {
  for (int k = 0; k < o->components; k++)
    for (int u = 0; u < CAS_GROUP_VECTORS; u++) {
      int i = k * o->W + first + u * CAS_VL;
      if (carry) {
        cas_vec y = 2.0 * d[k].v[u] - cas_load(carry + i);
        cas_vec sum = xn[k].v[u] + y;
        cas_store(carry + i, (sum - xn[k].v[u]) - y);
        cas_store(x + i, sum);
      } else {
        cas_store(x + i, xn[k].v[u] + 2.0 * d[k].v[u]);
      }
    }
}

/* one group of lanes; room: 4 x components groups */
CAS_INLINE void cas_isospectral_group(const cas_isospectral_operations *o, const cas_stepper *s, int first,
                                      double *x, double *carry, const double *coef, cas_group *room,
                                      cas_tally *tally) {
  cas_group *xn = room, *xt = xn + o->components, *q = xt + o->components, *next = q + o->components;
  cas_lanes c = {coef + first, o->W};
  cas_group change = {{{0}}};
  for (int k = 0; k < o->components; k++)
    for (int u = 0; u < CAS_GROUP_VECTORS; u++)
      xt[k].v[u] = xn[k].v[u] = cas_load(x + k * o->W + first + u * CAS_VL);
  int iterations = 0, converged = 0;
  while (!converged && iterations < s->max_iterations) {
    cas_isospectral_iterate(o, s, c, xn, xt, q, next, &change);
    converged = cas_isospectral_converged(&change, s->tolerance);
    iterations++;
  }
  o->half_psi(s->parameters, c, xt, q);
  for (int k = 0; k < o->components; k++)
    next[k] = (cas_group){{{0}}};
  o->bracket_add(&s->geometry, q, xt, next);
  cas_isospectral_advance(o, first, xn, next, x, carry);
  cas_isospectral_count(tally, first, iterations, &change, s->tolerance, !converged);
}

#endif
