/* Stochastic variational Euler, [BRO] section 5, for positions q and momenta of a cotangent bundle,
   whose operations math/geometry/rigid_motions.h describes: with the momentum m that the steps
   keep,

       m' = dual(q_n) + h (F(q_n) - C v_n) + noise at q_n
       v' = velocity(m'),  q_{n+1} = retract(q_n, v'),  p_{n+1} of v'

   Increments need no truncation: velocity() has a solution whatever m' is. The sign that [BRO]
   section 6 prints on SO(3) is consistent but not that of its own action sum; this is the one of
   section 5. */
CAS_SCHEME(variational_euler, COTANGENT,
           .summary = "stochastic variational Euler: symplectic without friction, keeps momentum "
                      "maps",
           .source = "Bou-Rabee and Owhadi, section 5", .keeps = CAS_KEEPS_MOMENTA, .scale = 1,
           .strong_order = 1.0, .strong_order_commuting = 1.0, .weak_order = 1.0, .order = 1.0,
           .is_solvable = true, .discrete_momentum = true, .evaluations = {1, 0}, .arrays = 4)

/* Variational Euler where positions are constrained, by the name that says so: the geometry puts
   positions on the constraint by a force along it, and projects momenta. */
CAS_SCHEME(constrained_variational_euler, CONSTRAINED,
           .summary = "variational Euler for systems with constraints",
           .source = "Bou-Rabee and Owhadi, section 5", .keeps = CAS_KEEPS_MOMENTA, .scale = 1,
           .strong_order = 1.0, .strong_order_commuting = 1.0, .weak_order = 1.0, .order = 1.0,
           .is_solvable = true, .discrete_momentum = true, .evaluations = {1, 0}, .arrays = 4)

#if CAS_HAS(COTANGENT)

/* Whether what velocity() left is within the tolerance; `left` becomes by how much it is not. */
CAS_INLINE bool CAS_FN(variational_within)(const cas_stepper *s, cas_vec *left) {
  const bool within = CAS_FN(within)(left, s->relative);
  for (int u = 0; u < CAS_V; u++)
    left[u] -= s->relative;
  return within;
}

static void CAS_FN(variational_euler)(const cas_stepper *s, double *x, double *carry,
                                      const double *coef, double *work, cas_tally *tally) {
  const int n = CAS_SIZE(s);
  const double *metric = CAS_FN(metric)(s), h = s->h;
  CAS_GROUPS(first, s) {
    CAS_WORKSPACE(4, s, work);
    cas_vec *z = workspace, *d = z + n, *v = d + n, *m = v + n, change[CAS_V];
    CAS_FN(begin)(s, x + first, z, d);
    CAS_ALG(dual)(&s->geometry, CAS_V, metric, h, z, v, m);
    CAS_FN(kick)(s, (cas_lanes){coef + first, CAS_STRIDE(s)}, h, true, z, m);
    CAS_FN(drag)(s, h, z, v, m);
    int iterations = CAS_ALG(velocity)(&s->geometry, CAS_V, metric, h, s->relative,
                                       s->max_iterations, z, m, v, change);
    const bool converged = CAS_FN(variational_within)(s, change);
    CAS_ALG(retract)(&s->geometry, CAS_V, h, v, z, d);
    CAS_ALG(momentum)(&s->geometry, CAS_V, metric, v, m);
    CAS_ALG(place)(&s->geometry, CAS_V, m, z, d);
    CAS_FN(advance)(s, 1.0, d, x + first, carry ? carry + first : NULL);
    CAS_FN(count)(s, first, iterations, converged, change, tally);
  }
}

#if CAS_HAS(CONSTRAINED)

static void CAS_FN(constrained_variational_euler)(const cas_stepper *s, double *x, double *carry,
                                                  const double *coef, double *work,
                                                  cas_tally *tally) {
  CAS_FN(variational_euler)(s, x, carry, coef, work, tally);
}

#endif
#endif
