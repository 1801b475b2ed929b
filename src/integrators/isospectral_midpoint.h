/* The isospectral stochastic midpoint, [EJLL] (26). With Q = Psi(Xt)/2,

       X_n     = (1 - Q) Xt (1 + Q)      is solved for Xt,
       X_{n+1} = (1 + Q) Xt (1 - Q).

   So X_{n+1} = C X_n C^-1 with Cayley's map C = (1 + Q) (1 - Q)^-1: a step keeps all eigenvalues,
   and with them every Casimir. The difference of both lines is X_{n+1} = X_n + 2 [Q, Xt]. Xt is
   found by these methods, in the order in which they are tried:

       expanded form    Xt <- X_n + [Q, Xt] + Q Xt Q       first, in isospectral_expanded.h
       Cayley's form    Xt <- (1 - Q)^-1 X_n (1 + Q)^-1    first instead where the algebra has it in
                                                           closed form, in isospectral_cayley.h
       the latter with Anderson's acceleration             where the first does not contract
       along a curve to its solution                       where that fails, in continuation.h

   The first two converge where Psi changes little with Xt, the expanded form where Q is small
   besides. The last is for steps of any size. It has something to find: Q is skew-Hermitian in a
   compact algebra, so |(1 -+ Q)^-1| <= 1, Cayley's form maps the ball |Xt| <= |X_n| into itself,
   and by Brouwer's theorem it has a fixed point there, if Psi is continuous. */
#ifndef CAS_ISOSPECTRAL_MIDPOINT_H
#define CAS_ISOSPECTRAL_MIDPOINT_H

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

CAS_SCHEME(isospectral_midpoint, SANDWICH,
           .summary = "isospectral stochastic midpoint: implicit, keeps every Casimir",
           .source = "Ephrati, Jansson, Lang and Luesink, (26)",
           .keeps = CAS_KEEPS_CASIMIRS | CAS_KEEPS_POISSON, .scale = -0.5, .strong_order = 0.5,
           .strong_order_commuting = 1.0, .weak_order = 1.0, .order = 2.0, .antithetic = true,
           .symmetric = true, .evaluations = {0, 1}, .arrays = CAS_ISOSPECTRAL_ARRAYS)

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

/* ---- the second method ---- */

/* Lanes that were extrapolated far out of the ball |Xt| <= |X_n|, in which all solutions are, go on
   from the last F(Xt), which is in it. */
CAS_INLINE void CAS_FN(isospectral_return)(const cas_isospectral *g, cas_anderson *a) {
  const int n = CAS_K(g->s);
  for (int u = 0; u < CAS_V; u++) {
    const cas_vec most = 4.0 * CAS_FN(anderson_dot)(n, g->base + u, g->base + u);
    const cas_ivec inside = (cas_ivec)(CAS_FN(anderson_dot)(n, a->x + u, a->x + u) <= most);
    for (int i = u; i < n * CAS_V; i += CAS_V)
      a->x[i] = cas_vec_select(inside, a->x[i], a->image[i]);
  }
}

static void CAS_FN(isospectral_image)(cas_anderson *a, void *form) {
  const cas_isospectral *g = form;
  if (a->known > 0)
    CAS_FN(isospectral_return)(g, a);
  CAS_FN(psi)(g->s, g->coef, a->x, g->q);
  CAS_ALG(cayley)(&g->s->geometry, CAS_V, g->q, g->base, a->image);
}

/* The step of the lanes from `first` on, after `iterations` of the first method. Casimirs are kept
   even without a solution, as Xt is F of something. */
CAS_NOT_INLINE void CAS_FN(isospectral_second_method)(const cas_stepper *s, int first, double *x,
                                                      double *carry, const double *coef,
                                                      double *work, int iterations,
                                                      cas_tally *tally) {
  const int size = CAS_SIZE(s);
  CAS_WORKSPACE(CAS_ISOSPECTRAL_ARRAYS, s, work);
  cas_isospectral g = {
      .s = s, .coef = {coef + first, CAS_STRIDE(s)}, .base = workspace, .q = workspace + size};
  CAS_FN(load)(s, x + first, g.base);
  cas_anderson a = CAS_FN(anderson_open)(s, CAS_K(s), g.base, workspace + 2 * size);
  a.iterations = iterations;
  for (int i = 0; i < size; i++)
    a.x[i] = g.base[i];
  const bool solved = CAS_FN(anderson_solve)(&a, &g, CAS_FN(isospectral_image));
  CAS_ALG(bracket)(&s->geometry, CAS_V, g.q, a.image, a.next);
  CAS_FN(isospectral_update)(s, a.next, g.q, x + first, carry ? carry + first : NULL);
  CAS_FN(count)(s, first, a.iterations, solved, a.open, tally);
  CAS_FN(count_second)(s, first, tally);
}

static void CAS_FN(isospectral_midpoint)(const cas_stepper *s, double *x, double *carry,
                                         const double *coef, double *work, cas_tally *tally) {
  CAS_GROUPS(first, s) {
    CAS_WORKSPACE(CAS_ISOSPECTRAL_FIRST, s, work);
    cas_vec change[CAS_V]; /* an array in the structure would keep clang from taking it apart */
    double *xn = x + first, *lost = carry ? carry + first : NULL;
    cas_isospectral g = CAS_FN(isospectral_begin)(s, xn, coef + first, workspace, change);
    if (CAS_FN(isospectral_first_method)(&g, lost != NULL)) {
      CAS_FN(isospectral_update)(s, g.bracket, g.q, xn, lost);
      CAS_FN(count)(s, first, g.iterations, true, change, tally);
    } else {
      CAS_FN(isospectral_second_method)(s, first, x, carry, coef, work, g.iterations, tally);
    }
  }
}

#endif
