/* The trapezoidal Runge-Kutta-Munthe-Kaas method with the gradient at the mean of both ends, which
   for quadratic Hamiltonians is the discrete gradient: with D = X_{n+1} - X_n,

       X_{n+1} = Ad*_exp(sigma) X_n,  sigma = psi(X_n + D/2)

   Every iterate is on the coadjoint orbit of X_n, so Casimirs do not depend on convergence. Without
   noise energy is kept as well. It is no Poisson map unless all Hamiltonians are linear. */
CAS_SCHEME(munthe_kaas, EXPONENTIAL,
           .summary = "trapezoidal Munthe-Kaas: implicit, keeps every Casimir",
           .source = "Luesink, Ephrati, Cifani and Geurts, section 4", .keeps = CAS_KEEPS_CASIMIRS,
           .scale = 1, .strong_order = 0.5, .strong_order_commuting = 1.0, .weak_order = 1.0,
           .order = 2.0, .antithetic = true, .symmetric = true, .evaluations = {0, 1},
           .arrays = CAS_FIXED_POINT_ARRAYS)

#if CAS_HAS(EXPONENTIAL)

/* An iteration gains an order of |sigma|, so the first ones need few terms of the exponential;
   terms that an iteration lacks are below what the next one changes. */
CAS_INLINE void CAS_FN(munthe_kaas_map)(cas_fixed_point *g) {
  const int n = CAS_SIZE(g->s);
  for (int i = 0; i < n; i++)
    g->point[i] = g->xn[i] + 0.5 * g->d[i];
  CAS_FN(psi)(g->s, g->coef, g->point, g->xi);
  CAS_FN(exponential)(g->s, g->iterations + 3, g->xi, g->xn, g->workspace, g->next);
}

#define FIXED_POINT munthe_kaas
#include "integrators/fixed_point.h"

#endif
