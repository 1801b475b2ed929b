/* Kick, drift and exact Ornstein-Uhlenbeck flow, composed symmetrically: half a kick by the
   potential (B), half a free motion (A), friction and noise at fixed positions (O), and back.
   Forces at the end of a step are those at the beginning of the next. */
CAS_SCHEME(baoab, DRIFT,
           .summary = "kick, drift, exact Ornstein-Uhlenbeck flow: explicit, of weak order 2",
           .source = "Leimkuhler and Matthews, Applied Mathematics Research eXpress (2013)",
           .keeps = CAS_KEEPS_MOMENTA, .scale = 1, .strong_order = 1.0,
           .strong_order_commuting = 1.0, .weak_order = 2.0, .order = 2.0, .is_explicit = true,
           .evaluations = {2, 0}, .arrays = 4)

/* With constraints g(q) = 0 free motion is a step of RATTLE, which follows geodesics with order 2,
   and momenta are projected onto the tangent space after each kick and after friction and noise.
   All parts keep the Gibbs law on the manifold, or the volume of its cotangent bundle,
   and their composition is symmetric. */
CAS_SCHEME(geodesic_baoab, CONSTRAINED,
           .summary = "baoab for systems with constraints, with geodesic drifts: of weak order 2",
           .source = "Leimkuhler and Matthews, Proceedings of the Royal Society A 472 (2016)",
           .keeps = CAS_KEEPS_MOMENTA, .scale = 1, .strong_order = 1.0,
           .strong_order_commuting = 1.0, .weak_order = 2.0, .order = 2.0, .is_solvable = true,
           .evaluations = {2, 0}, .arrays = 4)

#if CAS_HAS(COTANGENT)

CAS_INLINE void CAS_FN(baoab_kick)(const cas_stepper *s, cas_lanes c, double h, cas_vec *z,
                                   cas_vec *d, cas_vec *v, cas_vec *m) {
  CAS_ALG(dual)(&s->geometry, CAS_V, CAS_FN(metric)(s), 0, z, v, m);
  CAS_FN(kick)(s, c, h, false, z, m);
  CAS_ALG(place)(&s->geometry, CAS_V, m, z, d);
}

#if CAS_HAS(CONSTRAINED)
#define CAS_BAOAB CAS_FN(geodesic_baoab)

/* Moves z by a step of RATTLE. Returns iterations; change: the larger of it and what they leave. */
CAS_INLINE int CAS_FN(baoab_drift)(const cas_stepper *s, double h, cas_vec *z, cas_vec *d,
                                   cas_vec *v, cas_vec *m, cas_vec *change) {
  const double *metric = CAS_FN(metric)(s);
  cas_vec left[CAS_V];
  CAS_ALG(dual)(&s->geometry, CAS_V, metric, h, z, v, m);
  const int iterations = CAS_ALG(velocity)(&s->geometry, CAS_V, metric, h, s->relative,
                                           s->max_iterations, z, m, v, left);
  for (int u = 0; u < CAS_V; u++)
    change[u] = cas_vec_max(left[u], change[u]);
  CAS_ALG(retract)(&s->geometry, CAS_V, h, v, z, d);
  CAS_ALG(momentum)(&s->geometry, CAS_V, metric, v, m);
  CAS_ALG(place)(&s->geometry, CAS_V, m, z, d);
  return iterations;
}

#else
#define CAS_BAOAB CAS_FN(baoab)

CAS_INLINE int CAS_FN(baoab_drift)(const cas_stepper *s, double h, cas_vec *z, cas_vec *d,
                                   cas_vec *v CAS_UNUSED, cas_vec *m CAS_UNUSED,
                                   cas_vec *change CAS_UNUSED) {
  CAS_ALG(drift)(&s->geometry, CAS_V, CAS_FN(metric)(s), h, z, d);
  return 0;
}

#endif

static void CAS_BAOAB(const cas_stepper *s, double *x, double *carry, const double *coef,
                      double *work, cas_tally *tally) {
  const int n = CAS_SIZE(s);
  const double half = 0.5 * s->h;
  CAS_GROUPS(first, s) {
    CAS_WORKSPACE(4, s, work);
    cas_vec *z = workspace, *d = z + n, *v = d + n, *m = v + n, change[CAS_V] = {{0}};
    const cas_lanes c = {coef + first, CAS_STRIDE(s)};
    CAS_FN(begin)(s, x + first, z, d);
    CAS_FN(baoab_kick)(s, c, half, z, d, v, m);
    int iterations = CAS_FN(baoab_drift)(s, half, z, d, v, m, change);
    CAS_ALG(dual)(&s->geometry, CAS_V, CAS_FN(metric)(s), 0, z, v, m);
    CAS_FN(thermostat)(s, c, s->h, z, v, m);
    CAS_ALG(place)(&s->geometry, CAS_V, m, z, d);
    iterations += CAS_FN(baoab_drift)(s, half, z, d, v, m, change);
    CAS_FN(baoab_kick)(s, c, half, z, d, v, m);
    const bool converged = CAS_FN(variational_within)(s, change);
    CAS_FN(advance)(s, 1.0, d, x + first, carry ? carry + first : NULL);
    CAS_FN(count)(s, first, iterations ? iterations : 1, converged, change, tally);
  }
}

#undef CAS_BAOAB
#endif
