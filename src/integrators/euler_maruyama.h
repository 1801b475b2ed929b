/* Euler and Maruyama's method for the Ito equation, with f(X) = ad*_psi(X) X and g_k(X) the
   coadjoint action of grad H_k(X):

       X_{n+1} = X_n + f(X_n) + h/2 sum_k (D g_k) g_k (X_n)

   Of a gradient xi_k that does not depend on X, (D g_k) g_k is ad*_xi_k ad*_xi_k X.

   For positions and momenta the Ito drift is 0, and the strong order 1; a step takes forces and
   velocities at its beginning, and attitudes turn by tau(h W_n). */
CAS_SCHEME(euler_maruyama, ITO, .summary = "Euler and Maruyama for the Ito equation: explicit",
           .source = "Kloeden and Platen, Numerical Solution of Stochastic Differential Equations, "
                     "section 10.2",
           .scale = 1, .strong_order = 0.5, .strong_order_commuting = 0.5, .weak_order = 1.0,
           .order = 1.0, .is_explicit = true, .evaluations = {1, 0}, .arrays = 5)

#if CAS_HAS(DRIFT)

static void CAS_FN(euler_maruyama)(const cas_stepper *s, double *x, double *carry,
                                   const double *coef, double *work, cas_tally *tally) {
  const int n = CAS_SIZE(s);
  CAS_GROUPS(first, s) {
    CAS_WORKSPACE(4, s, work);
    cas_vec *z = workspace, *d = z + n, *v = d + n, *m = v + n;
    CAS_FN(begin)(s, x + first, z, d);
    CAS_ALG(dual)(&s->geometry, CAS_V, CAS_FN(metric)(s), 0, z, v, m);
    CAS_FN(kick)(s, (cas_lanes){coef + first, CAS_STRIDE(s)}, s->h, true, z, m);
    CAS_FN(drag)(s, s->h, z, v, m);
    CAS_ALG(place)(&s->geometry, CAS_V, m, z, d);
    CAS_ALG(retract)(&s->geometry, CAS_V, s->h, v, z, d);
    CAS_FN(advance)(s, 1.0, d, x + first, carry ? carry + first : NULL);
    CAS_FN(count)(s, first, 1, true, NULL, tally);
  }
}

#elif CAS_HAS(ITO)

/* out = sum_k (D g_k) g_k at x; xi, once, twice: workspace */
CAS_INLINE void CAS_FN(euler_maruyama_ito)(const cas_stepper *s, const cas_vec *x,
                                           cas_vec *xi CAS_UNUSED, cas_vec *once CAS_UNUSED,
                                           cas_vec *twice CAS_UNUSED, cas_vec *out) {
#if CAS_FEATURE_IF(SYS_ITO)
  CAS_FN(ito)(s, x, out);
#else
  for (int i = 0; i < CAS_SIZE(s); i++)
    out[i] = cas_vec_splat(0);
#endif
#if CAS_FEATURE_IF(SYS_FIELDS)
  for (int k = 0; k < CAS_FN(fields)(s); k++) {
    CAS_FN(field)(s, k, xi);
    CAS_ALG(coadjoint)(&s->geometry, CAS_V, xi, x, once);
    CAS_ALG(coadjoint)(&s->geometry, CAS_V, xi, once, twice);
    for (int i = 0; i < CAS_SIZE(s); i++)
      out[i] += twice[i];
  }
#endif
}

static void CAS_FN(euler_maruyama)(const cas_stepper *s, double *x, double *carry,
                                   const double *coef, double *work, cas_tally *tally) {
  const int n = CAS_SIZE(s);
  CAS_GROUPS(first, s) {
    CAS_WORKSPACE(5, s, work);
    cas_vec *xn = workspace, *xi = xn + n, *increment = xi + n, *ito = increment + n;
    CAS_FN(load)(s, x + first, xn);
    CAS_FN(euler_maruyama_ito)(s, xn, xi, increment, ito + n, ito);
    CAS_FN(psi)(s, (cas_lanes){coef + first, CAS_STRIDE(s)}, xn, xi);
    CAS_ALG(coadjoint)(&s->geometry, CAS_V, xi, xn, increment);
    for (int i = 0; i < n; i++)
      increment[i] += 0.5 * s->h * ito[i];
    CAS_FN(advance)(s, 1.0, increment, x + first, carry ? carry + first : NULL);
    CAS_FN(count)(s, first, 1, true, NULL, tally);
  }
}

#endif
