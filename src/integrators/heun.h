/* Heun's method for the Stratonovich equation, with f(X) = ad*_psi(X) X, the increment of a
   step at X:

       X* = X_n + f(X_n),  X_{n+1} = X_n + (f(X_n) + f(X*))/2 */
CAS_SCHEME(heun, ADDITION, .summary = "Heun for the Stratonovich equation: explicit",
           .source = "Kloeden and Platen, Numerical Solution of Stochastic Differential Equations, "
                     "section 15.1",
           .scale = 1, .strong_order = 0.5, .strong_order_commuting = 1.0, .weak_order = 1.0,
           .order = 2.0, .antithetic = true, .is_explicit = true, .evaluations = {2, 0},
           .arrays = 5)

#if CAS_HAS(ADDITION)

static void CAS_FN(heun)(const cas_stepper *s, double *x, double *carry, const double *coef,
                         double *work, cas_tally *tally) {
  const int n = CAS_SIZE(s);
  CAS_GROUPS(first, s) {
    CAS_WORKSPACE(5, s, work);
    cas_vec *xn = workspace, *xi = xn + n, *now = xi + n, *next = now + n, *then = next + n;
    cas_lanes c = {coef + first, CAS_STRIDE(s)};
    CAS_FN(load)(s, x + first, xn);
    CAS_FN(psi)(s, c, xn, xi);
    CAS_ALG(coadjoint)(&s->geometry, CAS_V, xi, xn, now);
    for (int i = 0; i < n; i++)
      next[i] = xn[i] + now[i];
    CAS_FN(psi)(s, c, next, xi);
    CAS_ALG(coadjoint)(&s->geometry, CAS_V, xi, next, then);
    for (int i = 0; i < n; i++)
      now[i] += then[i];
    CAS_FN(advance)(s, 0.5, now, x + first, carry ? carry + first : NULL);
    CAS_FN(count)(s, first, 1, true, NULL, tally);
  }
}

#endif
