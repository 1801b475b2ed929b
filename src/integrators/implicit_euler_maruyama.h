/* Euler and Maruyama's method with forces, friction and velocities at the end of a step, and noise
   at its beginning, by fixed-point iteration of the velocity v':

       q_{n+1} = retract(q_n, v'),  p_{n+1} = p_n + h (F(q_{n+1}) - C v') + noise at q_n */
CAS_SCHEME(implicit_euler_maruyama, DRIFT,
           .summary = "drift-implicit Euler and Maruyama for positions and momenta",
           .source = "Kloeden and Platen, Numerical Solution of Stochastic Differential Equations, "
                     "section 12.2",
           .scale = 1, .strong_order = 1.0, .strong_order_commuting = 1.0, .weak_order = 1.0,
           .order = 1.0, .is_solvable = true, .evaluations = {0, 1}, .arrays = 7)

#if CAS_HAS(DRIFT)

/* A group on its way: z has the noise in its momenta, y is the state at the end, e what was added
   to z. */
typedef struct {
  const cas_stepper *s;
  cas_lanes coef;
  cas_vec *z, *y, *e, *v, *next, *m;
} CAS_FN(group);

/* next = the velocity of the momenta that a step with velocity v ends with, which m has */
CAS_INLINE void CAS_FN(implicit_map)(const CAS_FN(group) * g, cas_vec *change) {
  const cas_stepper *s = g->s;
  const int n = CAS_SIZE(s);
  const double *metric = CAS_FN(metric)(s), h = s->h;
  for (int i = 0; i < n; i++) {
    g->y[i] = g->z[i];
    g->e[i] = cas_vec_splat(0);
  }
  CAS_ALG(retract)(&s->geometry, CAS_V, h, g->v, g->y, g->e);
  CAS_ALG(dual)(&s->geometry, CAS_V, metric, 0, g->y, g->next, g->m);
  CAS_FN(kick)(s, g->coef, h, false, g->y, g->m);
  CAS_FN(drag)(s, h, g->y, g->v, g->m);
  CAS_ALG(velocity)(&s->geometry, CAS_V, metric, 0, 0, 0, 1, g->y, g->m, g->next, change);
}

/* By how much next differs from v beyond what rounding of the largest number of a state makes of
   it; v becomes next. */
CAS_INLINE int CAS_FN(implicit_change)(const CAS_FN(group) * g, cas_vec *change) {
  const int n = CAS_ALG(motion)(&g->s->geometry), size = CAS_K(g->s);
  int greater = 0;
  for (int u = 0; u < CAS_V; u++) {
    cas_vec most = {0}, scale = {0};
    for (int k = 0; k < size; k++)
      scale = cas_vec_max(cas_vec_abs(g->y[k * CAS_V + u]), scale);
    for (int k = 0; k < n; k++) {
      int i = k * CAS_V + u;
      most = cas_vec_max(cas_vec_abs(g->next[i] - g->v[i]), most);
      g->v[i] = g->next[i];
    }
    change[u] = most - 0x1p-50 * scale;
    greater |= cas_vec_any_greater(change[u], cas_vec_splat(g->s->tolerance));
  }
  return greater;
}

static void CAS_FN(implicit_euler_maruyama)(const cas_stepper *s, double *x, double *carry,
                                            const double *coef, double *work, cas_tally *tally) {
  const int n = CAS_SIZE(s);
  CAS_GROUPS(first, s) {
    CAS_WORKSPACE(7, s, work);
    const CAS_FN(group) g = {s,
                             {coef + first, CAS_STRIDE(s)},
                             workspace,
                             workspace + n,
                             workspace + 2 * n,
                             workspace + 3 * n,
                             workspace + 4 * n,
                             workspace + 5 * n};
    cas_vec *d = workspace + 6 * n, change[CAS_V];
    int iterations = 0, greater;
    CAS_FN(begin)(s, x + first, g.z, d);
    CAS_ALG(dual)(&s->geometry, CAS_V, CAS_FN(metric)(s), 0, g.z, g.v, g.m);
    CAS_FN(kick)(s, g.coef, 0, true, g.z, g.m);
    CAS_ALG(place)(&s->geometry, CAS_V, g.m, g.z, d);
    do {
      CAS_FN(implicit_map)(&g, change);
      greater = CAS_FN(implicit_change)(&g, change);
    } while (++iterations < s->max_iterations && greater);
    CAS_ALG(place)(&s->geometry, CAS_V, g.m, g.y, g.e);
    for (int i = 0; i < n; i++)
      d[i] += g.e[i];
    CAS_FN(advance)(s, 1.0, d, x + first, carry ? carry + first : NULL);
    CAS_FN(count)(s, first, iterations, !greater, change, tally);
  }
}

#endif
