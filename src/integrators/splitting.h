/* Lie-Poisson splitting: the exact flows of the parts of h H0 + sum_k dW_k H_k, as the system
   splits it, composed to and fro, the last part once:

       X_{n+1} = f_1/2 .. f_m-1/2 f_m f_m-1/2 .. f_1/2 X_n

   Every flow is a Poisson map on the coadjoint orbit, and so is the step. Flows add their changes
   to the increment of the step, too, so that rounding of points on the way does not remain. */
CAS_SCHEME(splitting, FLOWS,
           .summary = "palindromic Lie-Poisson splitting: explicit, keeps every Casimir",
           .source = "Brehier, Cohen and Jahnke, Mathematics of Computation 92 (2023), 2167-2216",
           .keeps = CAS_KEEPS_CASIMIRS | CAS_KEEPS_POISSON, .scale = 1, .strong_order = 0.5,
           .strong_order_commuting = 1.0, .weak_order = 1.0, .order = 2.0, .antithetic = true,
           .symmetric = true, .is_explicit = true, .evaluations = {2, 0}, .arrays = 2)

#if CAS_HAS(FLOWS)

/* one flow, which turns the attitude in the block at x as well */
CAS_INLINE void CAS_FN(splitting_flow)(const cas_stepper *s, cas_lanes c, int part, double scale,
                                       cas_vec *point, cas_vec *increment, double *x CAS_UNUSED,
                                       double *carry CAS_UNUSED) {
#if CAS_HAS(ATTITUDE)
  cas_vec xi[3 * CAS_V];
  CAS_FN(flow_turn)(s, c, part, scale, point, xi);
  CAS_FN(turn_by_exp)(s, xi, x, carry);
#endif
  CAS_FN(flow)(s, c, part, scale, point, increment);
}

static void CAS_FN(splitting)(const cas_stepper *s, double *x, double *carry, const double *coef,
                              double *work, cas_tally *tally) {
  const int n = CAS_SIZE(s), last = SYS_PARTS(s) - 1;
  CAS_GROUPS(first, s) {
    CAS_WORKSPACE(2, s, work);
    cas_vec *point = workspace, *increment = point + n;
    cas_lanes c = {coef + first, CAS_STRIDE(s)};
    CAS_FN(load)(s, x + first, point);
    for (int i = 0; i < n; i++)
      increment[i] = cas_vec_splat(0);
    double *own = carry ? carry + first : NULL;
    for (int k = 0; k < last; k++)
      CAS_FN(splitting_flow)(s, c, k, 0.5, point, increment, x + first, own);
    CAS_FN(splitting_flow)(s, c, last, 1.0, point, increment, x + first, own);
    for (int k = last - 1; k >= 0; k--)
      CAS_FN(splitting_flow)(s, c, k, 0.5, point, increment, x + first, own);
    CAS_FN(advance)(s, 1.0, increment, x + first, own);
    CAS_FN(count)(s, first, 1, true, NULL, tally);
  }
}

#endif
