/* How the isospectral midpoint finds Xt: methods in the order in which they are tried.

       expanded form    Xt <- X_n + [Q, Xt] + Q Xt Q       first, in isospectral_expanded.h
       Cayley's form    Xt <- (1 - Q)^-1 X_n (1 + Q)^-1    first instead where the algebra has it in
                                                           closed form, in isospectral_cayley.h
       the latter with Anderson's acceleration             where the first does not contract, in
                                                           isospectral_anderson.h
       along a curve to its solution                       where that fails, in continuation.h

   The first two converge where Psi changes little with Xt, the expanded form where Q is small
   besides. The last is for steps of any size. It has something to find: Q is skew-Hermitian in a
   compact algebra, so |(1 -+ Q)^-1| <= 1, Cayley's form maps the ball |Xt| <= |X_n| into itself,
   and by Brouwer's theorem it has a fixed point there, if Psi is continuous. */
#ifndef CAS_ISOSPECTRAL_H
#define CAS_ISOSPECTRAL_H

#include "base/lanes.h"

enum {
  CAS_ISOSPECTRAL_FIRST = 5,                       /* arrays of a first method */
  CAS_ISOSPECTRAL_ARRAYS = 2 + CAS_ANDERSON_ARRAYS /* and of the second */
};

/* The factor by which changes have to fall, in each iteration, for a first method to go on. */
#define CAS_ISOSPECTRAL_FALL 0.25
/* In tolerances: the next change of Xt, where the rate tells it, that ends a step. */
#define CAS_ISOSPECTRAL_NEXT 0.25

/* The equation of a group of lanes, or of one path, under way by a first method. */
typedef struct {
  const cas_stepper *s;
  cas_lanes coef, xn;
  cas_vec *xt, *q, *bracket;
  cas_vec *base;     /* X_n, or X_n + Q Xt Q */
  cas_vec *added;    /* to xt by the last iteration, where products of single precision are */
  cas_vec *change;   /* [CAS_V] the largest of each lane, by the last iteration that measured it */
  double changes[4]; /* of one path, the latest first; 0: none yet */
  double size;       /* of one path: its largest component */
  double second;     /* of one path: the change of iteration 2 relative to the size */
  int iterations;
  bool is_sure; /* iteration 4 changed Xt by CAS_ISOSPECTRAL_SURE tolerances at most */
} cas_isospectral;

#endif

#if CAS_HAS(SANDWICH)

CAS_INLINE cas_isospectral CAS_FN(isospectral_begin)(const cas_stepper *s, const double *x,
                                                     const double *coef, cas_vec *workspace,
                                                     cas_vec *change) {
  const int n = CAS_K(s), size = CAS_SIZE(s);
  cas_isospectral g = {.s = s,
                       .coef = {coef, CAS_STRIDE(s)},
                       .xn = {x, CAS_STRIDE(s)},
                       .xt = workspace,
                       .q = workspace + size,
                       .bracket = workspace + 2 * size,
                       .base = workspace + 3 * size,
                       .added = workspace + 4 * size,
                       .change = change};
  for (int k = 0; k < n; k++)
    for (int u = 0; u < CAS_V; u++)
      g.xt[k * CAS_V + u] = g.base[k * CAS_V + u] = cas_lanes_load(g.xn, k, u);
  return g;
}

/* Whether the change of every lane that goes on fell to this part. */
CAS_INLINE bool CAS_FN(isospectral_falls)(const cas_isospectral *g, const cas_vec *before,
                                          double part) {
  int greater = 0;
  for (int u = 0; u < CAS_V; u++)
    greater |= cas_vec_any_greater(g->change[u],
                                   cas_vec_max(part * before[u], cas_vec_splat(g->s->tolerance)));
  return !greater;
}

/* Whether no lane changed by more than this part of X_n, or of the initial states if larger. */
CAS_INLINE bool CAS_FN(isospectral_within_part)(const cas_isospectral *g, double part) {
  const int n = CAS_K(g->s);
  int greater = 0;
  for (int u = 0; u < CAS_V; u++) {
    cas_vec size = cas_vec_splat(g->s->magnitude);
    for (int k = 0; k < n; k++)
      size = cas_vec_max(cas_vec_abs(cas_lanes_load(g->xn, k, u)), size);
    greater |= cas_vec_any_greater(g->change[u], part * CAS_FN(across)(size));
  }
  return !greater;
}

/* X_{n+1} = X_n + 2 [Q, Xt] */
CAS_INLINE void CAS_FN(isospectral_update)(const cas_stepper *s, const cas_vec *bracket,
                                           const cas_vec *q CAS_UNUSED, double *x, double *carry) {
  CAS_FN(advance)(s, 2.0, bracket, x, carry);
#if CAS_HAS(ATTITUDE) /* turns by C as well */
  CAS_FN(turn_by_cayley)(s, -2.0, q, x, carry);
#endif
}

#if CAS_FEATURE_IF(CAS_ALG(CAYLEY)) && !defined SYS_PSI_BRACKET
#include "integrators/isospectral/isospectral_cayley.h"
#else
#include "integrators/isospectral/isospectral_expanded.h"
#endif
#include "integrators/isospectral/isospectral_anderson.h"

#endif
