/* The stochastic variational midpoint on the rotations of R^3, alone or with a vector Gamma that
   they turn, [GBW] (60): two half turns by the same x. With tau the retraction, D(x) the dual of
   the derivative of its inverse, and psi = (w, f),

       D(x) A = Pi_n,  Gt = tau(-x) Gamma_n,  D(x) B = D(-x) A - f x Gt,  x = 1/2 w((A + B)/2, Gt)
       Pi_{n+1} = D(-x) B,  Gamma_{n+1} = tau(-x) Gt

   D(-x) = tau(-x) D(x) eliminates A and B: with M = tau(-x) Pi_n and u = f x Gt, the unknown x
   solves

       x = 1/2 w(P(x), Gt),  P(x) = 1/2 D(x)^-1 (Pi_n + M - u),  Pi_{n+1} = tau(-x) (M - u)

   Casimirs are kept by any x. It is a Poisson map for the D of its retraction, which [GBW] has with
   another sign of the last term: variant energy_momentum, no Poisson map, which keeps the energy of
   the free body. */
#ifndef CAS_VARIATIONAL_MIDPOINT_H
#define CAS_VARIATIONAL_MIDPOINT_H

#include "base/lanes.h"

/* what the options retraction and variant come to */
enum { CAS_VARIATIONAL_CAYLEY, CAS_VARIATIONAL_EXP, CAS_VARIATIONAL_ENERGY };

enum { CAS_VARIATIONAL_FIXED = 30 }; /* iterations after which the second method begins */

/* A group: the state, psi and where it is evaluated, the angle x of half a step, and by lane its
   last change and what that is relative to. */
typedef struct {
  const cas_stepper *s;
  cas_lanes coef;
  int form;
  cas_vec *xn, *psi, *point, *x, *change, *size;
  int iterations;
} cas_variational;

#endif

CAS_SCHEME(variational_midpoint, AFFINE,
           .summary = "variational midpoint on the rotations of R^3: implicit, keeps every Casimir",
           .source = "Gay-Balmaz and Wu, (60)", .keeps = CAS_KEEPS_CASIMIRS | CAS_KEEPS_POISSON,
           .scale = 1, .strong_order = 0.5, .strong_order_commuting = 1.0, .weak_order = 1.0,
           .order = 2.0, .antithetic = true, .symmetric = true, .retracts = true,
           .evaluations = {1, 1})

#if CAS_HAS(AFFINE)

/* a state is one vector of R^3, or two */
#define CAS_VARIATIONAL_SIZE (3 * CAS_ALG(VECTORS) * CAS_V)

/* tau(-x) v = v - a x x v + b x x (x x v) */
CAS_INLINE cas_rotation CAS_FN(variational_turn)(int form, cas_vec3 x) {
  cas_vec t = cas_vec3_dot(x, x);
  return form == CAS_VARIATIONAL_EXP ? cas_rotation_of(t) : cas_rotation_cayley(t);
}

/* P = 1/2 D(x)^-1 (Pi_n + M - u) from M - u */
CAS_INLINE cas_vec3 CAS_FN(variational_mean)(int form, cas_rotation r, cas_vec3 x, cas_vec3 pi,
                                             cas_vec3 next) {
  cas_vec3 sum = cas_vec3_plus(pi, 1, next), y = cas_vec3_cross(x, sum), z = cas_vec3_cross(x, y);
  cas_vec once = cas_vec_splat(1), twice = r.c;
  if (form == CAS_VARIATIONAL_ENERGY) {
    once = 1.0 / (2.0 - 1.0 / r.a); /* 1/(1 - q), as a = 1/(1 + q) */
    twice = r.b * once;
  }
  for (int k = 0; k < 3; k++)
    sum.v[k] = 0.5 * (once * sum.v[k] - r.b * y.v[k] + twice * z.v[k]);
  return sum;
}

/* The mean by Cayley's retraction: (M - u/2 + 1/4 x x u)/(1 + q) */
CAS_INLINE cas_vec3 CAS_FN(variational_cayley_mean)(cas_rotation r, cas_vec3 x, cas_vec3 m,
                                                    const cas_vec3 *u) {
  cas_vec3 p = m;
  if (u)
    p = cas_vec3_plus(cas_vec3_plus(m, -0.5, *u), 0.25, cas_vec3_cross(x, *u));
  for (int k = 0; k < 3; k++)
    p.v[k] *= r.a;
  return p;
}

/* psi at P(x) and Gt; f, which does not depend on them, is in the psi of the group. */
CAS_INLINE void CAS_FN(variational_psi)(cas_variational *g, const cas_vec *x_, cas_vec *psi) {
  for (int i = 0; i < CAS_V; i++) {
    cas_vec3 x = cas_vec3_take(CAS_V, x_ + i), pi = cas_vec3_take(CAS_V, g->xn + i);
    cas_rotation r = CAS_FN(variational_turn)(g->form, x);
    cas_vec3 m = cas_vec3_plus(pi, 1, cas_vec3_turned_back(r, x, pi)), *force = NULL;
#if CAS_ALG(VECTORS) == 2
    cas_vec3 gamma = cas_vec3_take(CAS_V, g->xn + 3 * CAS_V + i),
             f = cas_vec3_take(CAS_V, g->psi + 3 * CAS_V + i), u;
    gamma = cas_vec3_plus(gamma, 1, cas_vec3_turned_back(r, x, gamma));
    u = cas_vec3_cross(f, gamma);
    force = &u;
    cas_vec3_put(CAS_V, gamma, g->point + 3 * CAS_V + i);
#endif
    cas_vec3 p =
        g->form == CAS_VARIATIONAL_CAYLEY
            ? CAS_FN(variational_cayley_mean)(r, x, m, force)
            : CAS_FN(variational_mean)(g->form, r, x, pi, force ? cas_vec3_plus(m, -1, *force) : m);
    cas_vec3_put(CAS_V, p, g->point + i);
  }
  CAS_FN(psi)(g->s, g->coef, g->point, psi);
}

/* x = 1/2 w. Returns whether it changed by at most the tolerance times 1 + |x|: an angle of 1
   changes the state by its size. */
CAS_INLINE bool CAS_FN(variational_update)(cas_variational *g) {
  int greater = 0;
  for (int u = 0; u < CAS_V; u++) {
    cas_vec most = cas_vec_splat(0), largest = cas_vec_splat(0);
    for (int k = 0; k < 3; k++) {
      int i = k * CAS_V + u;
      cas_vec next = 0.5 * g->psi[i];
      most = cas_vec_max(cas_vec_abs(next - g->x[i]), most);
      largest = cas_vec_max(cas_vec_abs(next), largest);
      g->x[i] = next;
    }
    g->change[u] = most;
    g->size[u] = 1.0 + largest;
    greater |= cas_vec_any_greater(most, g->s->relative * g->size[u]);
  }
  return !greater;
}

CAS_INLINE void CAS_FN(variational_begin)(cas_variational *g, const double *block) {
  CAS_FN(load)(g->s, block, g->xn);
  CAS_FN(psi)(g->s, g->coef, g->xn, g->psi);
  for (int i = 0; i < 3 * CAS_V; i++)
    g->x[i] = 0.5 * g->psi[i];
}

static void CAS_FN(variational_image)(cas_anderson *a, void *scheme) {
  cas_variational *g = scheme;
  CAS_FN(variational_psi)(g, a->x, g->psi);
  for (int u = 0; u < CAS_V; u++)
    a->size[u] = cas_vec_splat(0);
  for (int i = 0; i < 3 * CAS_V; i++) {
    a->image[i] = 0.5 * g->psi[i];
    a->size[i % CAS_V] = cas_vec_max(cas_vec_abs(a->image[i]), a->size[i % CAS_V]);
  }
  for (int u = 0; u < CAS_V; u++)
    a->size[u] += 1.0;
}

/* Begins again, with x = 0, by Anderson's acceleration: a fixed point that does not converge leaves
   x anywhere. */
CAS_NOT_INLINE bool CAS_FN(variational_accelerated)(int form, const cas_stepper *s,
                                                    const double *block, const double *coef,
                                                    cas_vec *x, cas_vec *open, int *iterations) {
  cas_vec xn[CAS_VARIATIONAL_SIZE], psi[CAS_VARIATIONAL_SIZE], point[CAS_VARIATIONAL_SIZE];
  cas_vec arrays[CAS_ANDERSON_ARRAYS * 3 * CAS_V];
  cas_variational g = {s, {coef, CAS_STRIDE(s)}, form, xn, psi, point, x, NULL, NULL, 0};
  CAS_FN(variational_begin)(&g, block);
  cas_anderson a = CAS_FN(anderson_open)(s, 3, xn, arrays);
  a.iterations = *iterations;
  for (int i = 0; i < 3 * CAS_V; i++)
    a.x[i] = cas_vec_splat(0);
  const bool solved = CAS_FN(anderson_solve)(&a, &g, CAS_FN(variational_image));
  for (int i = 0; i < 3 * CAS_V; i++)
    x[i] = a.image[i];
  for (int u = 0; u < CAS_V; u++)
    open[u] = a.open[u];
  *iterations = a.iterations;
  return solved;
}

CAS_INLINE bool CAS_FN(variational_solve)(cas_variational *g) {
  int most = g->s->max_iterations;
  bool converged;
  most = most < CAS_VARIATIONAL_FIXED ? most : CAS_VARIATIONAL_FIXED;
  do {
    CAS_FN(variational_psi)(g, g->x, g->psi);
    converged = CAS_FN(variational_update)(g);
  } while (++g->iterations < most && !converged);
  return converged;
}

CAS_INLINE void CAS_FN(variational_finish)(const cas_variational *g, cas_vec *increment) {
  for (int i = 0; i < CAS_V; i++) {
    cas_vec3 x = cas_vec3_take(CAS_V, g->x + i), pi = cas_vec3_take(CAS_V, g->xn + i);
    cas_rotation r = CAS_FN(variational_turn)(g->form, x);
    cas_vec3 change = cas_vec3_turned_back(r, x, pi);
#if CAS_ALG(VECTORS) == 2
    cas_vec3 gamma = cas_vec3_take(CAS_V, g->xn + 3 * CAS_V + i),
             f = cas_vec3_take(CAS_V, g->psi + 3 * CAS_V + i),
             d = cas_vec3_turned_back(r, x, gamma);
    gamma = cas_vec3_plus(gamma, 1, d);
    change = cas_vec3_plus(change, -1, cas_vec3_cross(f, gamma));
    cas_vec3_put(CAS_V, cas_vec3_plus(d, 1, cas_vec3_turned_back(r, x, gamma)),
                 increment + 3 * CAS_V + i);
#endif
    change = cas_vec3_plus(change, 1, cas_vec3_turned_back(r, x, cas_vec3_plus(pi, 1, change)));
    cas_vec3_put(CAS_V, change, increment + i);
  }
}

CAS_INLINE void CAS_FN(variational_blocks)(int form, const cas_stepper *s, double *x, double *carry,
                                           const double *coef, cas_tally *tally) {
  CAS_GROUPS(first, s) {
    cas_vec xn[CAS_VARIATIONAL_SIZE], psi[CAS_VARIATIONAL_SIZE], point[CAS_VARIATIONAL_SIZE],
        increment[CAS_VARIATIONAL_SIZE], angle[3 * CAS_V], change[CAS_V], size[CAS_V];
    cas_variational g = {
        s, {coef + first, CAS_STRIDE(s)}, form, xn, psi, point, angle, change, size, 0};
    CAS_FN(variational_begin)(&g, x + first);
    bool converged = CAS_FN(variational_solve)(&g);
    for (int u = 0; u < CAS_V; u++)
      change[u] -= s->relative * size[u];
    if (!converged && g.iterations < s->max_iterations) {
      cas_vec at[3 * CAS_V], open[CAS_V];
      int iterations = g.iterations;
      converged =
          CAS_FN(variational_accelerated)(form, s, x + first, coef + first, at, open, &iterations);
      CAS_FN(count_second)(s, first, tally);
      for (int i = 0; i < 3 * CAS_V; i++)
        angle[i] = at[i];
      for (int u = 0; u < CAS_V; u++)
        change[u] = open[u];
      g.iterations = iterations;
    }
    CAS_FN(variational_finish)(&g, increment);
    CAS_FN(advance)(s, 1.0, increment, x + first, carry ? carry + first : NULL);
#if CAS_HAS(ATTITUDE)
    for (int u = 0; u < CAS_V; u++) {
      cas_vec3 half = cas_vec3_take(CAS_V, angle + u);
      CAS_FN(turn)
      (s, u,
       cas_quaternion_twice(CAS_FN(variational_turn)(form, half), cas_vec3_dot(half, half), half),
       x + first, carry ? carry + first : NULL);
    }
#endif
    CAS_FN(count)(s, first, g.iterations, converged, change, tally);
  }
}

static void CAS_FN(variational_midpoint)(const cas_stepper *s, double *x, double *carry,
                                         const double *coef, double *work CAS_UNUSED,
                                         cas_tally *tally) {
  if (s->variant == CAS_VARIANT_ENERGY_MOMENTUM)
    CAS_FN(variational_blocks)(CAS_VARIATIONAL_ENERGY, s, x, carry, coef, tally);
  else if (s->retraction == CAS_RETRACTION_EXP)
    CAS_FN(variational_blocks)(CAS_VARIATIONAL_EXP, s, x, carry, coef, tally);
  else
    CAS_FN(variational_blocks)(CAS_VARIATIONAL_CAYLEY, s, x, carry, coef, tally);
}

#undef CAS_VARIATIONAL_SIZE
#endif
