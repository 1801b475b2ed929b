/* Cayley's form of the isospectral midpoint as first method,

       Xt <- (1 - Q)^-1 X_n (1 + Q)^-1,   Q = Psi(Xt)/2,

   where the algebra has it in closed form. It contracts by what Psi changes with Xt: noise that
   does not depend on the state may be of any size. An Xt that was computed from Q keeps the
   Casimirs with this Q, whatever is left of the change, so there is nothing to refine. */
#ifndef CAS_ISOSPECTRAL_CAYLEY_H
#define CAS_ISOSPECTRAL_CAYLEY_H

enum { CAS_ISOSPECTRAL_LONG = 10 }; /* iterations after which changes have to fall */

#endif

CAS_INLINE void CAS_FN(isospectral_iterate)(cas_isospectral *g, bool measured) {
  const int n = CAS_K(g->s);
  CAS_FN(psi)(g->s, g->coef, g->xt, g->q);
  CAS_ALG(cayley)(&g->s->geometry, CAS_V, g->q, g->base, g->bracket);
  for (int u = 0; u < CAS_V; u++) {
    cas_vec most = {0};
    for (int k = 0; k < n; k++) {
      const int i = k * CAS_V + u;
      const cas_vec change = cas_vec_abs(g->bracket[i] - g->xt[i]);
      if (measured)
        most = k ? cas_vec_max(change, most) : change;
      g->xt[i] = g->bracket[i];
    }
    if (measured)
      g->change[u] = most;
  }
  g->iterations++;
}

/* Whether every lane is solved: it changed by no more than the tolerance, or by the rate of the
   last two changes the next one would be a small part of it. Changes are taken in tolerances, so
   that no square is out of range; of a tolerance 0 that is no number, which min() passes over. */
CAS_INLINE bool CAS_FN(isospectral_settled)(const cas_isospectral *g, const cas_vec *before) {
  const double tolerance = g->s->tolerance, unit = 1 / tolerance;
  int greater = 0;
  for (int u = 0; u < CAS_V; u++) {
    const cas_vec now = g->change[u], units = unit * now,
                  next = units * units - CAS_ISOSPECTRAL_NEXT * (unit * before[u]);
    greater |= cas_vec_any_greater(cas_vec_min(next, now - tolerance), cas_vec_splat(0));
  }
  return !greater;
}

/* Returns whether Xt and the bracket were found. */
CAS_INLINE bool CAS_FN(isospectral_first_method)(cas_isospectral *g, bool compensated CAS_UNUSED) {
  const int last = g->s->max_iterations;
  cas_vec before[CAS_V];
  if (last > 2) {
    CAS_FN(isospectral_iterate)(g, false);
    CAS_FN(isospectral_iterate)(g, true);
  } else {
    for (int u = 0; u < CAS_V; u++)
      g->change[u] = cas_vec_splat(0);
  }
  do {
    for (int u = 0; u < CAS_V; u++)
      before[u] = g->change[u];
    CAS_FN(isospectral_iterate)(g, true);
    if (CAS_FN(isospectral_settled)(g, before) ||
        (g->iterations > CAS_ISOSPECTRAL_LONG &&
         !CAS_FN(isospectral_falls)(g, before, CAS_ISOSPECTRAL_FALL) &&
         CAS_FN(isospectral_within_part)(g, CAS_STEP_ROUNDING))) {
      CAS_ALG(bracket)(&g->s->geometry, CAS_V, g->q, g->xt, g->bracket);
      return true;
    }
  } while (g->iterations < last && (g->iterations <= CAS_ISOSPECTRAL_LONG ||
                                    CAS_FN(isospectral_falls)(g, before, CAS_ISOSPECTRAL_FALL)));
  return false;
}
