/* The isospectral stochastic midpoint, [EJLL] (26). With Q = Psi(Xt)/2,

       X_n     = (1 - Q) Xt (1 + Q)      is solved for Xt, as isospectral.h describes,
       X_{n+1} = (1 + Q) Xt (1 - Q).

   So X_{n+1} = C X_n C^-1 with Cayley's map C = (1 + Q) (1 - Q)^-1: a step keeps all eigenvalues,
   and with them every Casimir. The difference of both lines is X_{n+1} = X_n + 2 [Q, Xt]. */
#include "integrators/isospectral/isospectral.h"

CAS_SCHEME(isospectral_midpoint, SANDWICH,
           .summary = "isospectral stochastic midpoint: implicit, keeps every Casimir",
           .source = "Ephrati, Jansson, Lang and Luesink, (26)",
           .keeps = CAS_KEEPS_CASIMIRS | CAS_KEEPS_POISSON, .scale = -0.5, .strong_order = 0.5,
           .strong_order_commuting = 1.0, .weak_order = 1.0, .order = 2.0, .antithetic = true,
           .symmetric = true, .evaluations = {0, 1}, .arrays = CAS_ISOSPECTRAL_ARRAYS)

#if CAS_HAS(SANDWICH)

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
