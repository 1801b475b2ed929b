/* The implicit midpoint rule for the Lie-Poisson equations themselves: with D = X_{n+1} - X_n and
   Xm = X_n + D/2,

       D = ad*_psi(Xm) Xm

   Quadratic invariants are kept, and with them quadratic Casimirs; higher ones are not. */
CAS_SCHEME(implicit_midpoint, ADDITION,
           .summary = "implicit midpoint rule, direct: keeps quadratic Casimirs",
           .source = "Milstein, Repin and Tretyakov, SIAM Journal on Numerical Analysis 40 (2002)",
           .keeps = CAS_KEEPS_QUADRATIC, .scale = 1, .strong_order = 0.5,
           .strong_order_commuting = 1.0, .weak_order = 1.0, .order = 2.0, .antithetic = true,
           .symmetric = true, .evaluations = {0, 1}, .arrays = CAS_FIXED_POINT_ARRAYS)

#if CAS_HAS(ADDITION)

CAS_INLINE void CAS_FN(implicit_midpoint_map)(cas_fixed_point *g) {
  const int n = CAS_SIZE(g->s);
  for (int i = 0; i < n; i++)
    g->point[i] = g->xn[i] + 0.5 * g->d[i];
  CAS_FN(psi)(g->s, g->coef, g->point, g->xi);
  CAS_ALG(coadjoint)(&g->s->geometry, CAS_V, g->xi, g->point, g->next);
}

#define FIXED_POINT implicit_midpoint
#include "integrators/fixed_point.h"

#endif
