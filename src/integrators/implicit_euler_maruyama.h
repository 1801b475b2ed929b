/* Euler and Maruyama's method with forces, friction and velocities at the end of a step, and noise
   at its beginning, by fixed-point iteration of the velocity v':

       q_{n+1} = retract(q_n, v'),  p_{n+1} = p_n + h (F(q_{n+1}) - C v') + noise at q_n */
CAS_SCHEME(implicit_euler_maruyama, DRIFT,
           .summary = "drift-implicit Euler and Maruyama for positions and momenta",
           .source = "Kloeden and Platen, Numerical Solution of Stochastic Differential Equations, "
                     "section 12.2",
           .scale = 1, .strong_order = 1.0, .strong_order_commuting = 1.0, .weak_order = 1.0,
           .order = 1.0, .is_solvable = true, .evaluations = {0, 1},
           .arrays = 7 + CAS_ANDERSON_ARRAYS)

#if CAS_HAS(DRIFT)

/* A group on its way: z has the noise in its momenta, y is the state at the end, e what was added
   to z. */
typedef struct {
  const cas_stepper *s;
  cas_lanes coef;
  cas_vec *z, *y, *e, *v, *next, *m;
} CAS_FN(group);

/* next = the velocity of the momenta that a step with velocity v ends with, which m has */
CAS_INLINE void CAS_FN(implicit_map)(const CAS_FN(group) * g) {
  const cas_stepper *s = g->s;
  const int n = CAS_SIZE(s);
  const double *metric = CAS_FN(metric)(s), h = s->h;
  cas_vec left[CAS_V];
  for (int i = 0; i < n; i++) {
    g->y[i] = g->z[i];
    g->e[i] = cas_vec_splat(0);
  }
  CAS_ALG(retract)(&s->geometry, CAS_V, h, g->v, g->y, g->e);
  CAS_ALG(dual)(&s->geometry, CAS_V, metric, 0, g->y, g->next, g->m);
  CAS_FN(kick)(s, g->coef, h, false, g->y, g->m);
  CAS_FN(drag)(s, h, g->y, g->v, g->m);
  CAS_ALG(velocity)(&s->geometry, CAS_V, metric, 0, 0, 1, g->y, g->m, g->next, left);
}

/* By how much next differs from v, which becomes next, and the size of the state and of v. */
CAS_INLINE void CAS_FN(implicit_change)(const CAS_FN(group) * g, cas_vec *change, cas_vec *size) {
  const int n = CAS_ALG(motion)(&g->s->geometry);
  CAS_FN(size)(g->s, g->y, size);
  for (int u = 0; u < CAS_V; u++) {
    change[u] = cas_vec_splat(0);
    for (int k = 0; k < n; k++) {
      int i = k * CAS_V + u;
      change[u] = cas_vec_max(cas_vec_abs(g->next[i] - g->v[i]), change[u]);
      size[u] = cas_vec_max(cas_vec_abs(g->next[i]), size[u]);
      g->v[i] = g->next[i];
    }
  }
}

/* Iterates v; returns whether it settled, and not whether it did as a number. */
CAS_INLINE bool CAS_FN(implicit_solve)(const CAS_FN(group) * g, int *iterations, cas_vec *open) {
  cas_vec change[CAS_V], size[CAS_V], least[CAS_V];
  bool solved = false;
  int slow = 0;
  for (int u = 0; u < CAS_V; u++) {
    least[u] = cas_vec_splat(INFINITY);
    open[u] = cas_vec_splat(1);
  }
  for (*iterations = 0; !solved && slow < 2 && *iterations < g->s->max_iterations; ++*iterations) {
    CAS_FN(implicit_map)(g);
    CAS_FN(implicit_change)(g, change, size);
    slow = CAS_FN(falls)(size, change, least, open) ? 0 : slow + 1;
    solved = CAS_FN(settled)(g->s, size, change, least, open);
  }
  return solved;
}

static void CAS_FN(implicit_image)(cas_anderson *a, void *scheme) {
  CAS_FN(group) *g = scheme;
  cas_vec change[CAS_V];
  g->next = a->image;
  for (int i = 0; i < a->n * CAS_V; i++)
    g->v[i] = a->x[i];
  CAS_FN(implicit_map)(g);
  CAS_FN(implicit_change)(g, change, a->size);
}

/* Begins again at the velocity without forces, with Anderson's acceleration. */
CAS_NOT_INLINE bool CAS_FN(implicit_accelerated)(CAS_FN(group) * g, int *iterations, cas_vec *open,
                                                 cas_vec *arrays) {
  cas_anderson a = CAS_FN(anderson_open)(g->s, CAS_ALG(motion)(&g->s->geometry), g->z, arrays);
  CAS_ALG(dual)(&a.s->geometry, CAS_V, CAS_FN(metric)(a.s), 0, g->z, a.x, g->m);
  a.iterations = *iterations;
  const bool solved = CAS_FN(anderson_solve)(&a, g, CAS_FN(implicit_image));
  *iterations = a.iterations;
  for (int u = 0; u < CAS_V; u++)
    open[u] = a.open[u];
  return solved;
}

static void CAS_FN(implicit_euler_maruyama)(const cas_stepper *s, double *x, double *carry,
                                            const double *coef, double *work, cas_tally *tally) {
  const int n = CAS_SIZE(s);
  CAS_GROUPS(first, s) {
    CAS_WORKSPACE(7 + CAS_ANDERSON_ARRAYS, s, work);
    CAS_FN(group)
    g = {s,
         {coef + first, CAS_STRIDE(s)},
         workspace,
         workspace + n,
         workspace + 2 * n,
         workspace + 3 * n,
         workspace + 4 * n,
         workspace + 5 * n};
    cas_vec *d = workspace + 6 * n, open[CAS_V];
    int iterations;
    CAS_FN(begin)(s, x + first, g.z, d);
    CAS_ALG(dual)(&s->geometry, CAS_V, CAS_FN(metric)(s), 0, g.z, g.v, g.m);
    CAS_FN(kick)(s, g.coef, 0, true, g.z, g.m);
    CAS_ALG(place)(&s->geometry, CAS_V, g.m, g.z, d);
    bool solved = CAS_FN(implicit_solve)(&g, &iterations, open);
    if (iterations < s->max_iterations && !(solved && CAS_FN(are_finite)(s, g.z, g.y))) {
      solved = CAS_FN(implicit_accelerated)(&g, &iterations, open, workspace + 7 * n);
      CAS_FN(count_second)(s, first, tally);
    }
    CAS_ALG(place)(&s->geometry, CAS_V, g.m, g.y, g.e);
    for (int i = 0; i < n; i++)
      d[i] += g.e[i];
    CAS_FN(advance)(s, 1.0, d, x + first, carry ? carry + first : NULL);
    CAS_FN(count)(s, first, iterations, solved, open, tally);
  }
}

#endif
