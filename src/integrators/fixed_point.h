/* An implicit step whose increment D = X_{n+1} - X_n fulfils D = F(D): text for a scheme, with its
   name in FIXED_POINT and F in

       void NAME_map(cas_fixed_point *g);     next = F(d)

   Where there is an attitude, the last xi is the vector by whose exponential the step turns it. D
   begins with 0 and is iterated until it has settled, by Anderson's acceleration where that does
   not contract. */
#define CAS_NAME(name) CAS_FN(CAS_ISA_PASTE(FIXED_POINT, name))

/* d = F(d); change: the largest of each vector. Returns whether all are within the tolerance. */
CAS_INLINE bool CAS_NAME(_iterate)(cas_fixed_point *g, cas_vec *change) {
  const int n = CAS_K(g->s);
  CAS_NAME(_map)(g);
  for (int u = 0; u < CAS_V; u++) {
    cas_vec most = {0};
    for (int k = 0; k < n; k++) {
      int i = k * CAS_V + u;
      most = cas_vec_max(cas_vec_abs(g->next[i] - g->d[i]), most);
      g->d[i] = g->next[i];
    }
    change[u] = most;
  }
  g->iterations++;
  return CAS_FN(within)(change, g->s->tolerance);
}

/* Returns whether D was found; if not, lanes that are `open` have not settled. */
CAS_INLINE bool CAS_NAME(_solve)(cas_fixed_point *g, cas_vec *open) {
  cas_vec size[CAS_V], change[CAS_V], least[CAS_V];
  const int most = g->s->max_iterations;
  int slow = 0;
  for (int u = 0; u < CAS_V; u++) {
    least[u] = cas_vec_splat(INFINITY);
    open[u] = cas_vec_splat(1);
  }
  for (bool ended = false; !ended && slow < 2 && g->iterations < most;) {
    ended = CAS_NAME(_iterate)(g, change);
    if (ended)
      return CAS_FN(are_finite)(g->s, g->xn, g->d);
    if (g->iterations < CAS_STEP_QUICK && g->iterations < most)
      continue;
    CAS_FN(size)(g->s, g->xn, size);
    CAS_FN(widen)(g->s, g->d, size);
    slow = CAS_FN(falls)(size, change, least, open) ? 0 : slow + 1;
    if (CAS_FN(settled)(g->s, size, change, least, open))
      return CAS_FN(are_finite)(g->s, g->xn, g->d);
  }
  return false;
}

CAS_INLINE void CAS_NAME(_finish)(const cas_fixed_point *g, int first, double *x, double *carry) {
  CAS_FN(advance)(g->s, 1.0, g->d, x + first, carry ? carry + first : NULL);
#if CAS_HAS(ATTITUDE)
  CAS_FN(turn_by_exp)(g->s, g->xi, x + first, carry ? carry + first : NULL);
#endif
}

static void CAS_NAME(_image)(cas_anderson *a, void *scheme) {
  cas_fixed_point *g = scheme;
  CAS_NAME(_map)(g);
  CAS_FN(size)(g->s, g->xn, a->size);
  CAS_FN(widen)(g->s, a->image, a->size);
}

/* Where the step of the lanes that begin with x begins; d and next lie as x and image of
   cas_anderson do. */
CAS_INLINE cas_fixed_point CAS_NAME(_begin)(const cas_stepper *s, const double *x,
                                            const double *coef, cas_vec *workspace) {
  const int n = CAS_SIZE(s);
  const cas_fixed_point g = {.s = s,
                             .coef = {coef, CAS_STRIDE(s)},
                             .xn = workspace,
                             .point = workspace + n,
                             .xi = workspace + 2 * n,
                             .first = workspace + 3 * n,
                             .workspace = workspace + 4 * n,
                             .d = workspace + 6 * n,
                             .next = workspace + 7 * n};
  CAS_FN(load)(s, x, g.xn);
  for (int i = 0; i < n; i++)
    g.d[i] = cas_vec_splat(0);
  return g;
}

/* The step of the lanes that begin with `first`, after `iterations` of the first method. */
CAS_NOT_INLINE void CAS_NAME(_accelerated)(const cas_stepper *s, int first, double *x,
                                           double *carry, const double *coef, double *work,
                                           int iterations, cas_tally *tally) {
  CAS_WORKSPACE(CAS_FIXED_POINT_ARRAYS, s, work);
  cas_fixed_point g = CAS_NAME(_begin)(s, x + first, coef + first, workspace);
  cas_anderson a = CAS_FN(anderson_open)(s, CAS_K(s), g.xn, g.d);
  a.iterations = iterations;
  CAS_NAME(_image)(&a, &g); /* what maps keep of the first one */
  g.iterations = CAS_FIXED_POINT_LATE;
  const bool solved = CAS_FN(anderson_solve)(&a, &g, CAS_NAME(_image));
  g.d = a.image;
  CAS_NAME(_finish)(&g, first, x, carry);
  CAS_FN(count)(s, first, a.iterations, solved, a.open, tally);
  CAS_FN(count_second)(s, first, tally);
}

static void CAS_FN(FIXED_POINT)(const cas_stepper *s, double *x, double *carry, const double *coef,
                                double *work, cas_tally *tally) {
  CAS_GROUPS(first, s) {
    CAS_WORKSPACE(8, s, work);
    cas_vec open[CAS_V];
    cas_fixed_point g = CAS_NAME(_begin)(s, x + first, coef + first, workspace);
    const bool solved = CAS_NAME(_solve)(&g, open);
    if (solved || g.iterations >= s->max_iterations) {
      CAS_NAME(_finish)(&g, first, x, carry);
      CAS_FN(count)(s, first, g.iterations, solved, open, tally);
    } else {
      CAS_NAME(_accelerated)(s, first, x, carry, coef, work, g.iterations, tally);
    }
  }
}

#undef CAS_NAME
#undef FIXED_POINT
