/* The trapezoidal rule for the Lie-Poisson equations themselves: with D = X_{n+1} - X_n and
   f(X) = ad*_psi(X) X,

       D = (f(X_n) + f(X_n + D))/2 */
CAS_SCHEME(implicit_trapezoid, ADDITION,
           .summary = "implicit trapezoidal rule, direct: keeps no Casimir",
           .source = "Luesink, Ephrati, Cifani and Geurts, section 5, where it is the baseline",
           .scale = 1, .strong_order = 0.5, .strong_order_commuting = 1.0, .weak_order = 1.0,
           .order = 2.0, .antithetic = true, .symmetric = true, .evaluations = {1, 1},
           .arrays = CAS_FIXED_POINT_ARRAYS)

#if CAS_HAS(ADDITION)

CAS_INLINE void CAS_FN(implicit_trapezoid_map)(cas_fixed_point *g) {
  const int n = CAS_SIZE(g->s);
  for (int i = 0; i < n; i++)
    g->point[i] = g->xn[i] + g->d[i];
  CAS_FN(psi)(g->s, g->coef, g->point, g->xi);
  CAS_ALG(coadjoint)(&g->s->geometry, CAS_V, g->xi, g->point, g->next);
  if (g->iterations == 0)
    for (int i = 0; i < n; i++)
      g->first[i] = g->next[i];
  for (int i = 0; i < n; i++)
    g->next[i] = 0.5 * (g->first[i] + g->next[i]);
}

#define FIXED_POINT implicit_trapezoid
#include "integrators/fixed_point.h"

#endif
