/* The isospectral stochastic midpoint, [EJLL] (26), for a block of lanes. With Q = Psi/2,

       Xt = X_n + [Q, Xt] + Q Xt Q        (fixed point)
       X_{n+1} = X_n + 2 [Q, Xt]

   An iteration gains one order of |Q|, and Q Xt Q, which is of second order, changes by two orders
   less than Xt: it is computed in every second iteration, and in all where it converges slowly
   because Q is not small. An iteration ends the step if it changed Xt by no more than the tolerance
   and its Q Xt Q differs from that of Xt by less: it computed its own, or the one before it did and
   changed Xt by little. No step ends before the fourth iteration, so the changes of the first three
   need not be known.

   What the last iteration changed, r, is also by how much the Xt before it misses the equation, and
   an update with the bracket of that one changes the Casimirs in the direction of r by the order of
   |Q| |r|. Such errors do not average: r is a function of the step, and its sign depends on the
   number of iterations. Each further order makes them |Q| times smaller, below what rounding does at
   random, and takes one bracket at the newest Xt: see cas_isospectral_brackets.

   One body serves every system: the integrator's own step reaches half_psi and the products
   through tables, a system's fused step passes an inline function and constants, and the compiler
   does the rest. */
#ifndef CAS_ISOSPECTRAL_MIDPOINT_H
#define CAS_ISOSPECTRAL_MIDPOINT_H

#include "kernels/isa.h"
#include "kernels/lanes.h"

/* bracket = [Q, X], and sandwich = Q X Q unless it is NULL; q: room for Q. Vector u of component k
   is at [k * vectors + u]. */
typedef void cas_isospectral_products(const cas_stepper *s, cas_lanes coef, const cas_vec *x,
                                      cas_vec *q, cas_vec *bracket, cas_vec *sandwich);

/* bracket = [Q, X] with the Q that the last products left in q, or with a newer one where that costs
   less */
typedef void cas_isospectral_bracket(const cas_stepper *s, cas_lanes coef, const cas_vec *q,
                                     const cas_vec *x, cas_vec *bracket);

/* What the body needs to know; every field constant where it is inlined. */
typedef struct {
  int components;
  int vectors; /* of lanes that are under way together, at most CAS_GROUP_VECTORS */
  int W;
  cas_isospectral_products *products;
  cas_isospectral_bracket *bracket;
} cas_isospectral_operations;

enum {
  CAS_ISOSPECTRAL_ROOM = 4,    /* vectors a component and vector: those of the next structure */
  CAS_ISOSPECTRAL_QUICK = 8,   /* iterations that most steps do not need: Q is small */
  CAS_ISOSPECTRAL_SLOW = 10,   /* as `slow` below */
  CAS_ISOSPECTRAL_NEAR = 1024, /* tolerances: a change after which Q Xt Q, of a small Q, stays what
                                  it is to less than one of them */
  CAS_ISOSPECTRAL_SURE = 32    /* tolerances: a change by the fourth iteration, after which that of
                                  the fifth is about a hundredth of one */
};

/* Brackets at newer and newer Xt after the last iteration: one, one more where compensated addition
   makes rounding smaller by |Q| as well, and one more where Q is not small, which more than `slow`
   iterations tell. `is_sure`: the fourth iteration changed so little that the fifth, if there was
   one, is the first of them, and that one is enough for either addition. */
CAS_INLINE int cas_isospectral_brackets(int iterations, int slow, bool is_sure, bool compensated) {
  if (is_sure)
    return iterations == 4 || compensated;
  return 1 + (iterations > slow) + compensated;
}

/* Lanes on their way: base = X_n + Q Xt Q, and the largest change of each lane by the last iteration
   that knows it. */
typedef struct {
  const cas_isospectral_operations *o;
  const cas_stepper *s;
  cas_lanes coef, xn;
  cas_vec *xt, *q, *bracket, *base, *change;
  int iterations;
  bool is_sure; /* the fourth iteration changed Xt by CAS_ISOSPECTRAL_SURE tolerances at most */
} cas_isospectral_lanes;

/* xt = base + [Q, Xt] with the base of an earlier iteration */
CAS_INLINE void cas_isospectral_half(cas_isospectral_lanes *g) {
  g->o->products(g->s, g->coef, g->xt, g->q, g->bracket, NULL);
  for (int u = 0; u < g->o->vectors; u++)
    for (int k = 0; k < g->o->components; k++) {
      int i = k * g->o->vectors + u;
      g->xt[i] = g->base[i] + g->bracket[i];
    }
  g->iterations++;
}

/* the same, and how much that changes */
CAS_INLINE void cas_isospectral_half_change(cas_isospectral_lanes *g) {
  int vectors = g->o->vectors;
  g->o->products(g->s, g->coef, g->xt, g->q, g->bracket, NULL);
  for (int u = 0; u < vectors; u++) {
    cas_vec most = {0};
    for (int k = 0; k < g->o->components; k++) {
      int i = k * vectors + u;
      cas_vec next = g->base[i] + g->bracket[i], change = cas_vabs(next - g->xt[i]);
      most = k ? cas_vmax(change, most) : change;
      g->xt[i] = next;
    }
    g->change[u] = most;
  }
  g->iterations++;
}

/* xt = X_n + [Q, Xt] + Q Xt Q */
CAS_INLINE void cas_isospectral_whole(cas_isospectral_lanes *g) {
  int vectors = g->o->vectors;
  g->o->products(g->s, g->coef, g->xt, g->q, g->bracket, g->base);
  for (int u = 0; u < vectors; u++) {
    cas_vec most = {0};
    for (int k = 0; k < g->o->components; k++) {
      int i = k * vectors + u;
      cas_vec base = cas_lanes_load(g->xn, k, u) + g->base[i], next = base + g->bracket[i],
              change = cas_vabs(next - g->xt[i]);
      most = k ? cas_vmax(change, most) : change;
      g->base[i] = base;
      g->xt[i] = next;
    }
    g->change[u] = most;
  }
  g->iterations++;
}

/* no lane changed by more */
CAS_INLINE bool cas_isospectral_within(const cas_isospectral_lanes *g, double bound) {
  int greater = 0;
  for (int u = 0; u < g->o->vectors; u++)
    greater |= cas_any_greater(g->change[u], cas_splat(bound));
  return !greater;
}

/* whether it converged */
CAS_INLINE bool cas_isospectral_solve(cas_isospectral_lanes *g) {
  double tolerance = g->s->tolerance;
  int last = g->s->max_iterations;
  if (last > 3) {
    cas_isospectral_half(g);
    cas_isospectral_whole(g);
    cas_isospectral_half(g);
  }
  do {
    cas_isospectral_whole(g);
    g->is_sure = g->iterations == 4 && cas_isospectral_within(g, CAS_ISOSPECTRAL_SURE * tolerance);
    if (cas_isospectral_within(g, tolerance))
      return true;
    if (g->iterations + 1 >= last || g->iterations >= CAS_ISOSPECTRAL_QUICK)
      continue;
    if (cas_isospectral_within(g, CAS_ISOSPECTRAL_NEAR * tolerance)) {
      cas_isospectral_half_change(g);
      if (cas_isospectral_within(g, tolerance))
        return true;
    } else {
      cas_isospectral_half(g);
    }
  } while (g->iterations < last);
  return false;
}

/* the last bracket, at an Xt that misses the equation by less than rounding can tell */
CAS_INLINE void cas_isospectral_finish(cas_isospectral_lanes *g, bool compensated) {
  int iterations = g->iterations,
      brackets =
          cas_isospectral_brackets(iterations, CAS_ISOSPECTRAL_SLOW, g->is_sure, compensated);
  for (int i = 1; i < brackets; i++)
    cas_isospectral_half(g);
  if (brackets)
    g->o->bracket(g->s, g->coef, g->q, g->xt, g->bracket);
  g->iterations = iterations; /* those that the criterion took */
}

CAS_INLINE void cas_isospectral_count(const cas_isospectral_lanes *g, int first, bool converged,
                                      cas_tally *t) {
  for (int u = 0; u < g->o->vectors; u++) {
    int l = first + u * CAS_VL;
    cas_vec n = cas_splat(g->iterations), tolerance = cas_splat(g->s->tolerance);
    cas_store(t->iterations + l, cas_load(t->iterations + l) + n);
    cas_store(t->iterations_max + l, cas_vmax(n, cas_load(t->iterations_max + l)));
    if (!converged)
      cas_store(t->not_converged + l,
                cas_load(t->not_converged + l) + cas_one_if_greater(g->change[u], tolerance));
  }
}

/* X_{n+1} = X_n + 2 [Q, Xt]; Kahan's compensation keeps what rounding loses */
CAS_INLINE void cas_isospectral_advance(cas_isospectral_lanes *g, double *x, double *carry) {
  for (int k = 0; k < g->o->components; k++)
    for (int u = 0; u < g->o->vectors; u++) {
      int i = k * g->o->W + u * CAS_VL;
      cas_vec xn = cas_load(x + i), d = 2.0 * g->bracket[k * g->o->vectors + u];
      if (carry) {
        cas_vec y = d - cas_load(carry + i), sum = xn + y;
        cas_store(carry + i, (sum - xn) - y);
        cas_store(x + i, sum);
      } else {
        cas_store(x + i, xn + d);
      }
    }
}

/* the lanes that begin with `first`; room: CAS_ISOSPECTRAL_ROOM x components x vectors */
CAS_INLINE void cas_isospectral_group(const cas_isospectral_operations *o, const cas_stepper *s,
                                      int first, double *x, double *carry, const double *coef,
                                      cas_vec *room, cas_tally *tally) {
  int n = o->components * o->vectors;
  cas_vec change[CAS_GROUP_VECTORS]; /* an array in the structure would keep clang from taking it
                                        apart, and from inlining the products */
  cas_isospectral_lanes g = {o,
                             s,
                             {coef + first, o->W},
                             {x + first, o->W},
                             room,
                             room + n,
                             room + 2 * n,
                             room + 3 * n,
                             change,
                             0,
                             false};
  for (int k = 0; k < o->components; k++)
    for (int u = 0; u < o->vectors; u++)
      g.xt[k * o->vectors + u] = g.base[k * o->vectors + u] = cas_lanes_load(g.xn, k, u);
  bool converged = cas_isospectral_solve(&g);
  cas_isospectral_finish(&g, carry != NULL);
  cas_isospectral_advance(&g, x + first, carry ? carry + first : NULL);
  cas_isospectral_count(&g, first, converged, tally);
}

/* all lanes of a block; room as above */
CAS_INLINE void cas_isospectral_block(const cas_isospectral_operations *o, const cas_stepper *s,
                                      double *x, double *carry, const double *coef, cas_vec *room,
                                      cas_tally *tally) {
  for (int first = 0; first < o->W; first += o->vectors * CAS_VL)
    cas_isospectral_group(o, s, first, x, carry, coef, room, tally);
}

extern const cas_integrator CAS_ISA(cas_integrator_isospectral_midpoint);

#endif
