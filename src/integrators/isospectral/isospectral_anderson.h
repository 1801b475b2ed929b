/* The second method of the isospectral midpoint: Anderson's acceleration (anderson.h) of Cayley's
   form

       F(Xt) = (1 - Q)^-1 X_n (1 + Q)^-1,   Q = Psi(Xt)/2,

   with X_n as base of a cas_isospectral.

   Lanes that were extrapolated far out of the ball |Xt| <= |X_n|, in which all solutions are, go on
   from the last F(Xt), which is in it. */
CAS_INLINE void CAS_FN(isospectral_return)(const cas_isospectral *g, cas_anderson *a) {
  const int n = CAS_K(g->s);
  for (int u = 0; u < CAS_V; u++) {
    const cas_vec most = 4.0 * CAS_FN(anderson_dot)(n, g->base + u, g->base + u);
    const cas_ivec inside = (cas_ivec)(CAS_FN(anderson_dot)(n, a->x + u, a->x + u) <= most);
    for (int i = u; i < n * CAS_V; i += CAS_V)
      a->x[i] = cas_vec_select(inside, a->x[i], a->image[i]);
  }
}

static void CAS_FN(isospectral_image)(cas_anderson *a, void *form) {
  const cas_isospectral *g = form;
  if (a->known > 0)
    CAS_FN(isospectral_return)(g, a);
  CAS_FN(psi)(g->s, g->coef, a->x, g->q);
  CAS_ALG(cayley)(&g->s->geometry, CAS_V, g->q, g->base, a->image);
}

/* The step of the lanes from `first` on, after `iterations` of the first method. Casimirs are kept
   even without a solution, as Xt is F of something. */
CAS_NOT_INLINE void CAS_FN(isospectral_second_method)(const cas_stepper *s, int first, double *x,
                                                      double *carry, const double *coef,
                                                      double *work, int iterations,
                                                      cas_tally *tally) {
  const int size = CAS_SIZE(s);
  CAS_WORKSPACE(CAS_ISOSPECTRAL_ARRAYS, s, work);
  cas_isospectral g = {
      .s = s, .coef = {coef + first, CAS_STRIDE(s)}, .base = workspace, .q = workspace + size};
  CAS_FN(load)(s, x + first, g.base);
  cas_anderson a = CAS_FN(anderson_open)(s, CAS_K(s), g.base, workspace + 2 * size);
  a.iterations = iterations;
  for (int i = 0; i < size; i++)
    a.x[i] = g.base[i];
  const bool solved = CAS_FN(anderson_solve)(&a, &g, CAS_FN(isospectral_image));
  CAS_ALG(bracket)(&s->geometry, CAS_V, g.q, a.image, a.next);
  CAS_FN(isospectral_update)(s, a.next, g.q, x + first, carry ? carry + first : NULL);
  CAS_FN(count)(s, first, a.iterations, solved, a.open, tally);
  CAS_FN(count_second)(s, first, tally);
}
