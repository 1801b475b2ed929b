/* An implicit step whose increment D = X_{n+1} - X_n fulfils D = F(D): text for a scheme, with its
   name in FIXED_POINT and F in

       void NAME_map(cas_fixed_point *g);     next = F(d)

   Where there is an attitude, the last xi is the vector by whose exponential the step turns it. D
   begins with 0 and is iterated until no component changes by more than the tolerance. */
/* whether it converged */
CAS_INLINE bool CAS_FN(CAS_ISA_PASTE(FIXED_POINT, _solve))(cas_fixed_point *g, cas_vec *change) {
  const int n = CAS_K(g->s);
  int greater;
  do {
    CAS_FN(CAS_ISA_PASTE(FIXED_POINT, _map))(g);
    greater = 0;
    for (int u = 0; u < CAS_V; u++) {
      cas_vec most = {0};
      for (int k = 0; k < n; k++) {
        int i = k * CAS_V + u;
        most = cas_vec_max(cas_vec_abs(g->next[i] - g->d[i]), most);
        g->d[i] = g->next[i];
      }
      change[u] = most;
      greater |= cas_vec_any_greater(most, cas_vec_splat(g->s->tolerance));
    }
  } while (++g->iterations < g->s->max_iterations && greater);
  return !greater;
}

static void CAS_FN(FIXED_POINT)(const cas_stepper *s, double *x, double *carry, const double *coef,
                                double *work, cas_tally *tally) {
  const int n = CAS_SIZE(s);
  CAS_GROUPS(first, s) {
    CAS_WORKSPACE(CAS_FIXED_POINT_ARRAYS, s, work);
    cas_vec change[CAS_V];
    cas_fixed_point g = {s,
                         {coef + first, CAS_STRIDE(s)},
                         workspace,
                         workspace + n,
                         workspace + 2 * n,
                         workspace + 3 * n,
                         workspace + 4 * n,
                         workspace + 5 * n,
                         workspace + 6 * n,
                         0};
    CAS_FN(load)(s, x + first, g.xn);
    for (int i = 0; i < n; i++)
      g.d[i] = cas_vec_splat(0);
    bool converged = CAS_FN(CAS_ISA_PASTE(FIXED_POINT, _solve))(&g, change);
    CAS_FN(advance)(s, 1.0, g.d, x + first, carry ? carry + first : NULL);
#if CAS_HAS(ATTITUDE)
    CAS_FN(turn_by_exp)(s, g.xi, x + first, carry ? carry + first : NULL);
#endif
    CAS_FN(count)(s, first, g.iterations, converged, change, tally);
  }
}

#undef FIXED_POINT
