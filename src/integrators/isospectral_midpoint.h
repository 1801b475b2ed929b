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
   number of iterations. Each further order makes them |Q| times smaller, below what rounding does
   at random, and takes one bracket at the newest Xt: see cas_isospectral_brackets.

   Where an algebra has products in single precision ("rough" ones), the first iterations take
   these: their errors are about 1e-6 of the first change, and later iterations make them smaller as
   any other error. So does the last bracket, for what the last iteration added to Xt. A product
   costs more than a look at a change there, so every change is known, and with them the rate at
   which iterations converge: a step ends where the next change would be a part of the tolerance. */
#ifndef CAS_ISOSPECTRAL_MIDPOINT_H
#define CAS_ISOSPECTRAL_MIDPOINT_H

#include "base/lanes.h"

#include <math.h>

enum {
  CAS_ISOSPECTRAL_ARRAYS = 5, /* arrays: those of the next structure */
  CAS_ISOSPECTRAL_QUICK = 8,  /* iterations that most steps do not need: Q is small */
  CAS_ISOSPECTRAL_SLOW = 10,  /* as `slow` below, for groups of lanes; */
  CAS_ISOSPECTRAL_PATH_SLOW =
      8, /* for one path, of whose many components rounding errors average, and show a drift that
            would hide in few */
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

/* What the second iteration changes, relative to the first, if errors of single precision in the
   third are smaller than what that leaves. */
#define CAS_ISOSPECTRAL_ROUGH 0x1p-5

/* Parts of the tolerance, where changes are known: of the next change of Xt, and of the next change
   of a Q Xt Q that is not computed anew. */
#define CAS_ISOSPECTRAL_NEXT 0.25
#define CAS_ISOSPECTRAL_KEPT 0.2

/* A group on its way: base = X_n + Q Xt Q, and the largest change of each lane by the last
   iteration that knows it. */
typedef struct {
  const cas_stepper *s;
  cas_lanes coef, xn;
  cas_vec *xt, *q, *bracket, *base, *change;
  cas_vec *added; /* to Xt by the last iteration, where an algebra has rough products */
  double size;    /* of the largest component of X_n, where an algebra has rough products */
  /* Changes by the last iterations, the latest first, where an algebra has rough products; 0 where
     there are none. */
  double changes[4];
  double second; /* what the second of them changed, relative to the size */
  int iterations;
  bool is_sure; /* the fourth iteration changed Xt by CAS_ISOSPECTRAL_SURE tolerances at most */
} cas_isospectral;

#endif

CAS_SCHEME(isospectral_midpoint, SANDWICH,
           .summary = "isospectral stochastic midpoint: implicit, keeps every Casimir",
           .source = "Ephrati, Jansson, Lang and Luesink, (26)",
           .keeps = CAS_KEEPS_CASIMIRS | CAS_KEEPS_POISSON, .scale = -0.5, .strong_order = 0.5,
           .strong_order_commuting = 1.0, .weak_order = 1.0, .order = 2.0, .antithetic = true,
           .symmetric = true, .evaluations = {0, 1}, .arrays = CAS_ISOSPECTRAL_ARRAYS)

#if CAS_HAS(SANDWICH)

/* bracket = [Q, Xt] */
CAS_INLINE void CAS_FN(isospectral_bracket)(cas_isospectral *g) {
#ifdef SYS_PSI_BRACKET
  CAS_FN(psi_bracket)(g->s, g->coef, g->xt, g->bracket);
#else
  CAS_FN(psi)(g->s, g->coef, g->xt, g->q);
  CAS_ALG(bracket)(&g->s->geometry, CAS_V, g->q, g->xt, g->bracket);
#endif
}

/* the same, and base = Q Xt Q */
CAS_INLINE void CAS_FN(isospectral_both)(cas_isospectral *g) {
#ifdef SYS_PSI_BRACKET
  CAS_FN(psi_bracket)(g->s, g->coef, g->xt, g->bracket);
  CAS_FN(psi)(g->s, g->coef, g->xt, g->q);
  CAS_ALG(sandwich)(&g->s->geometry, CAS_V, g->q, g->xt, g->base);
#else
  CAS_FN(psi)(g->s, g->coef, g->xt, g->q);
  CAS_ALG(both)(&g->s->geometry, CAS_V, g->q, g->xt, g->bracket, g->base);
#endif
}

#if CAS_FEATURE_IF(CAS_ALG(ROUGH))
/* the largest number in an array of one path */
CAS_INLINE double CAS_FN(isospectral_most)(const cas_vec *x, int n) {
  cas_vec most = {0};
  double largest = 0;
  for (int k = 0; k < n; k++)
    most = cas_vec_max(cas_vec_abs(x[k]), most);
  for (int i = 0; i < CAS_VL; i++)
    largest = most[i] > largest ? most[i] : largest;
  return largest;
}

/* bracket += [Q, what the last iteration added to Xt], which is so small that single precision is
   enough */
CAS_INLINE void CAS_FN(isospectral_correct)(cas_isospectral *g) {
  const int n = CAS_K(g->s);
  CAS_ALG(rough)
  (&g->s->geometry, CAS_FN(isospectral_most)(g->change, 1), g->q, g->added, g->base, NULL);
  for (int k = 0; k < n; k++)
    g->bracket[k] += g->base[k];
}
#endif

/* the bracket at the newest Xt with the Q of the one before it, or with a newer one where that
   costs less */
CAS_INLINE void CAS_FN(isospectral_last)(cas_isospectral *g) {
#ifdef SYS_PSI_BRACKET
  CAS_FN(psi_bracket)(g->s, g->coef, g->xt, g->bracket);
#elif CAS_FEATURE_IF(CAS_ALG(ROUGH))
  CAS_FN(isospectral_correct)(g);
#else
  CAS_ALG(bracket)(&g->s->geometry, CAS_V, g->q, g->xt, g->bracket);
#endif
}

/* xt = base + [Q, Xt] with the base of an earlier iteration */
CAS_INLINE void CAS_FN(isospectral_half)(cas_isospectral *g) {
  const int n = CAS_K(g->s);
  CAS_FN(isospectral_bracket)(g);
  for (int u = 0; u < CAS_V; u++)
    for (int k = 0; k < n; k++) {
      int i = k * CAS_V + u;
      g->xt[i] = g->base[i] + g->bracket[i];
    }
  g->iterations++;
}

/* the same with the bracket that there is, and how much that changes */
CAS_INLINE void CAS_FN(isospectral_add)(cas_isospectral *g) {
  const int n = CAS_K(g->s);
  for (int u = 0; u < CAS_V; u++) {
    cas_vec most = {0};
    for (int k = 0; k < n; k++) {
      int i = k * CAS_V + u;
      cas_vec next = g->base[i] + g->bracket[i], added = next - g->xt[i],
              change = cas_vec_abs(added);
      most = k ? cas_vec_max(change, most) : change;
      g->xt[i] = next;
#if CAS_FEATURE_IF(CAS_ALG(ROUGH))
      g->added[i] = added;
#endif
    }
    g->change[u] = most;
  }
  g->iterations++;
}

CAS_INLINE void CAS_FN(isospectral_half_change)(cas_isospectral *g) {
  CAS_FN(isospectral_bracket)(g);
  CAS_FN(isospectral_add)(g);
}

/* xt = X_n + [Q, Xt] + Q Xt Q from the bracket and, in base, the Q Xt Q that there are */
CAS_INLINE void CAS_FN(isospectral_add_both)(cas_isospectral *g) {
  const int n = CAS_K(g->s);
  for (int u = 0; u < CAS_V; u++) {
    cas_vec most = {0};
    for (int k = 0; k < n; k++) {
      int i = k * CAS_V + u;
      cas_vec base = cas_lanes_load(g->xn, k, u) + g->base[i], next = base + g->bracket[i],
              added = next - g->xt[i], change = cas_vec_abs(added);
      most = k ? cas_vec_max(change, most) : change;
      g->base[i] = base;
      g->xt[i] = next;
#if CAS_FEATURE_IF(CAS_ALG(ROUGH))
      g->added[i] = added;
#endif
    }
    g->change[u] = most;
  }
  g->iterations++;
}

CAS_INLINE void CAS_FN(isospectral_whole)(cas_isospectral *g) {
  CAS_FN(isospectral_both)(g);
  CAS_FN(isospectral_add_both)(g);
}

#if CAS_FEATURE_IF(CAS_ALG(ROUGH))
/* Notes what the last iteration changed. */
CAS_INLINE void CAS_FN(isospectral_note)(cas_isospectral *g) {
  for (int i = 3; i > 0; i--)
    g->changes[i] = g->changes[i - 1];
  g->changes[0] = CAS_FN(isospectral_most)(g->change, 1);
}

/* By what an iteration makes a change smaller: the mean of two of them, because those with Q Xt Q
   differ from those without, at the worse one of the last two places. */
CAS_INLINE double CAS_FN(isospectral_rate)(const cas_isospectral *g) {
  const double *d = g->changes;
  return sqrt(fmax(d[0] / d[2], d[1] / d[3]));
}

/* an iteration with products in single precision */
CAS_INLINE void CAS_FN(isospectral_rough)(cas_isospectral *g, bool both) {
  CAS_FN(psi)(g->s, g->coef, g->xt, g->q);
  CAS_ALG(rough)
  (&g->s->geometry, g->size, g->q, g->xt, g->bracket, both ? g->base : NULL);
  if (both)
    CAS_FN(isospectral_add_both)(g);
  else
    CAS_FN(isospectral_add)(g);
  CAS_FN(isospectral_note)(g);
}

/* The first three iterations. */
CAS_INLINE void CAS_FN(isospectral_begin)(cas_isospectral *g) {
  g->size = CAS_FN(isospectral_most)(g->xt, CAS_K(g->s));
  CAS_FN(isospectral_rough)(g, false);
  CAS_FN(isospectral_rough)(g, true);
  g->second = g->changes[0] / g->size;
  if (g->changes[0] > CAS_ISOSPECTRAL_ROUGH * g->changes[1]) {
    CAS_FN(isospectral_rough)(g, false);
  } else {
    CAS_FN(isospectral_half_change)(g);
    CAS_FN(isospectral_note)(g);
  }
}
#else
CAS_INLINE void CAS_FN(isospectral_begin)(cas_isospectral *g) {
  CAS_FN(isospectral_half)(g);
  CAS_FN(isospectral_whole)(g);
  CAS_FN(isospectral_half)(g);
}
#endif

/* no lane changed by more */
CAS_INLINE bool CAS_FN(isospectral_within)(const cas_isospectral *g, double bound) {
  int greater = 0;
  for (int u = 0; u < CAS_V; u++)
    greater |= cas_vec_any_greater(g->change[u], cas_vec_splat(bound));
  return !greater;
}

#if CAS_FEATURE_IF(CAS_ALG(ROUGH))
/* Whether the solution is that close, by the last change or by what the rate makes of it. */
CAS_INLINE bool CAS_FN(isospectral_settled)(const cas_isospectral *g) {
  const double now = g->changes[0], rate = CAS_FN(isospectral_rate)(g);
  return now <= g->s->tolerance ||
         (rate < 1 && rate * now <= CAS_ISOSPECTRAL_NEXT * g->s->tolerance);
}

/* Whether a Q Xt Q from before Xt changed by so much may stay. It is of second order in Q, whose
   square is at most what the second iteration, the first one with Q Xt Q, changed. */
CAS_INLINE bool CAS_FN(isospectral_kept)(const cas_isospectral *g, double change) {
  const double rate = CAS_FN(isospectral_rate)(g);
  return fmax(rate * rate, g->second) * change <= CAS_ISOSPECTRAL_KEPT * g->s->tolerance;
}

/* whether it converged */
CAS_INLINE bool CAS_FN(isospectral_solve)(cas_isospectral *g) {
  const int last = g->s->max_iterations;
  if (last > 3)
    CAS_FN(isospectral_begin)(g);
  do {
    CAS_FN(isospectral_whole)(g);
    CAS_FN(isospectral_note)(g);
    if (CAS_FN(isospectral_settled)(g))
      return true;
    if (g->iterations + 1 >= last || g->iterations >= CAS_ISOSPECTRAL_QUICK)
      continue;
    const double change = g->changes[0];
    CAS_FN(isospectral_half_change)(g);
    CAS_FN(isospectral_note)(g);
    if (CAS_FN(isospectral_kept)(g, change) && CAS_FN(isospectral_settled)(g))
      return true;
  } while (g->iterations < last);
  return false;
}
#else
/* whether it converged */
CAS_INLINE bool CAS_FN(isospectral_solve)(cas_isospectral *g) {
  double tolerance = g->s->tolerance;
  int last = g->s->max_iterations;
  if (last > 3)
    CAS_FN(isospectral_begin)(g);
  do {
    CAS_FN(isospectral_whole)(g);
    g->is_sure =
        g->iterations == 4 && CAS_FN(isospectral_within)(g, CAS_ISOSPECTRAL_SURE * tolerance);
    if (CAS_FN(isospectral_within)(g, tolerance))
      return true;
    if (g->iterations + 1 >= last || g->iterations >= CAS_ISOSPECTRAL_QUICK)
      continue;
    if (CAS_FN(isospectral_within)(g, CAS_ISOSPECTRAL_NEAR * tolerance)) {
      CAS_FN(isospectral_half_change)(g);
      if (CAS_FN(isospectral_within)(g, tolerance))
        return true;
    } else {
      CAS_FN(isospectral_half)(g);
    }
  } while (g->iterations < last);
  return false;
}
#endif

/* the last bracket, at an Xt that misses the equation by less than rounding can tell */
CAS_INLINE void CAS_FN(isospectral_finish)(cas_isospectral *g, bool compensated) {
#ifdef SYS_ONE_PATH
  const int slow = CAS_ISOSPECTRAL_PATH_SLOW;
#else
  const int slow = CAS_ISOSPECTRAL_SLOW;
#endif
  int iterations = g->iterations,
      brackets = cas_isospectral_brackets(iterations, slow, g->is_sure, compensated);
  for (int i = 1; i < brackets; i++) {
#if CAS_FEATURE_IF(CAS_ALG(ROUGH))
    CAS_FN(isospectral_half_change)(g);
#else
    CAS_FN(isospectral_half)(g);
#endif
  }
  if (brackets)
    CAS_FN(isospectral_last)(g);
  g->iterations = iterations; /* those that the criterion took */
}

/* the lanes that begin with `first` */
CAS_INLINE void CAS_FN(isospectral_group)(const cas_stepper *s, int first, double *x, double *carry,
                                          const double *coef, cas_vec *workspace,
                                          cas_tally *tally) {
  const int n = CAS_K(s), size = CAS_SIZE(s);
  cas_vec change[CAS_V]; /* an array in the structure would keep clang from taking it apart */
  cas_isospectral g = {s,
                       {coef + first, CAS_STRIDE(s)},
                       {x + first, CAS_STRIDE(s)},
                       workspace,
                       workspace + size,
                       workspace + 2 * size,
                       workspace + 3 * size,
                       change,
                       workspace + 4 * size,
                       .size = 0};
  for (int k = 0; k < n; k++)
    for (int u = 0; u < CAS_V; u++)
      g.xt[k * CAS_V + u] = g.base[k * CAS_V + u] = cas_lanes_load(g.xn, k, u);
  bool converged = CAS_FN(isospectral_solve)(&g);
  CAS_FN(isospectral_finish)(&g, carry != NULL);
  CAS_FN(advance)(s, 2.0, g.bracket, x + first, carry ? carry + first : NULL);
#if CAS_HAS(ATTITUDE) /* X_{n+1} = cay(-X) X_n with X = -2 Q */
  CAS_FN(turn_by_cayley)(s, -2.0, g.q, x + first, carry ? carry + first : NULL);
#endif
  CAS_FN(count)(s, first, g.iterations, converged, g.change, tally);
}

static void CAS_FN(isospectral_midpoint)(const cas_stepper *s, double *x, double *carry,
                                         const double *coef, double *work, cas_tally *tally) {
  CAS_GROUPS(first, s) {
    CAS_WORKSPACE(CAS_ISOSPECTRAL_ARRAYS, s, work);
    CAS_FN(isospectral_group)(s, first, x, carry, coef, workspace, tally);
  }
}

#endif
