/* Kick, drift and exact Ornstein-Uhlenbeck flow, composed symmetrically: half a kick by the
   potential (B), half a free motion (A), friction and noise at fixed positions (O), and back.
   Forces at the end of a step are those at the beginning of the next. */
CAS_SCHEME(baoab, DRIFT,
           .summary = "kick, drift, exact Ornstein-Uhlenbeck flow: explicit, of weak order 2",
           .source = "Leimkuhler and Matthews, Applied Mathematics Research eXpress (2013)",
           .keeps = CAS_KEEPS_MOMENTA, .scale = 1, .strong_order = 1.0,
           .strong_order_commuting = 1.0, .weak_order = 2.0, .order = 2.0, .is_explicit = true,
           .evaluations = {2, 0}, .arrays = 4)

#if CAS_HAS(COTANGENT)

/* z kicked during h */
CAS_INLINE void CAS_FN(baoab_kick)(const cas_stepper *s, cas_lanes c, double h, cas_vec *z,
                                   cas_vec *d, cas_vec *v, cas_vec *m) {
  CAS_ALG(dual)(&s->geometry, CAS_V, CAS_FN(metric)(s), 0, z, v, m);
  CAS_FN(kick)(s, c, h, false, z, m);
  CAS_ALG(place)(&s->geometry, CAS_V, m, z, d);
}

#endif
#if CAS_HAS(DRIFT)

static void CAS_FN(baoab)(const cas_stepper *s, double *x, double *carry, const double *coef,
                          double *work, cas_tally *tally) {
  const int n = CAS_SIZE(s);
  const double *metric = CAS_FN(metric)(s), half = 0.5 * s->h;
  CAS_GROUPS(first, s) {
    CAS_WORKSPACE(4, s, work);
    cas_vec *z = workspace, *d = z + n, *v = d + n, *m = v + n;
    const cas_lanes c = {coef + first, CAS_STRIDE(s)};
    CAS_FN(begin)(s, x + first, z, d);
    CAS_FN(baoab_kick)(s, c, half, z, d, v, m);
    CAS_ALG(drift)(&s->geometry, CAS_V, metric, half, z, d);
    CAS_ALG(dual)(&s->geometry, CAS_V, metric, 0, z, v, m);
    CAS_FN(thermostat)(s, c, s->h, z, v, m);
    CAS_ALG(place)(&s->geometry, CAS_V, m, z, d);
    CAS_ALG(drift)(&s->geometry, CAS_V, metric, half, z, d);
    CAS_FN(baoab_kick)(s, c, half, z, d, v, m);
    CAS_FN(advance)(s, 1.0, d, x + first, carry ? carry + first : NULL);
    CAS_FN(count)(s, first, 1, true, NULL, tally);
  }
}

#endif
