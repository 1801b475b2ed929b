/* Variational Euler where positions are constrained, by the name that says so: the geometry puts
   positions on the constraint by a force along it, and projects momenta. */
CAS_SCHEME(constrained_variational_euler, CONSTRAINED,
           .summary = "variational Euler for systems with constraints",
           .source = "Bou-Rabee and Owhadi, section 5", .keeps = CAS_KEEPS_MOMENTA, .scale = 1,
           .strong_order = 1.0, .strong_order_commuting = 1.0, .weak_order = 1.0, .order = 1.0,
           .is_solvable = true, .discrete_momentum = true, .evaluations = {1, 0}, .arrays = 4)

#if CAS_HAS(CONSTRAINED)

static void CAS_FN(constrained_variational_euler)(const cas_stepper *s, double *x, double *carry,
                                                  const double *coef, double *work,
                                                  cas_tally *tally) {
  CAS_FN(variational_euler)(s, x, carry, coef, work, tally);
}

#endif
