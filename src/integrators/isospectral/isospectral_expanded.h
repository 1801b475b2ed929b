/* The expanded form of the isospectral midpoint as first method,

       Xt <- X_n + [Q, Xt] + Q Xt Q,   Q = Psi(Xt)/2,

   in few products. One iteration gains one order of |Q|. Its parts are chosen from

       ANEW       base = X_n + Q Xt Q is computed; else it is kept, which saves a product
       MEASURED   the largest change of each lane is known; else a pass over Xt is saved
       ROUGH      products are of single precision, in half the time

   The refinement behind the last iteration: an Xt that misses the equation by r changes Casimirs by
   the order of |Q| |r| in the direction of r. Such errors do not average, because r is a function
   of the step. Each bracket at a newer Xt makes them |Q| times smaller, below rounding. */
#ifndef CAS_ISOSPECTRAL_EXPANDED_H
#define CAS_ISOSPECTRAL_EXPANDED_H

enum {
  CAS_ISOSPECTRAL_ANEW = 1, /* parts of an iteration, as above */
  CAS_ISOSPECTRAL_MEASURED = 2,
  CAS_ISOSPECTRAL_ROUGH = 4,
  CAS_ISOSPECTRAL_FIRST_LOOK = 4, /* the iteration that ends the step at the soonest */
  CAS_ISOSPECTRAL_QUICK = 8,      /* iterations that a small Q needs; later ones are all ANEW */
  CAS_ISOSPECTRAL_SLOW = 10,      /* iterations that tell of a Q that is not small, for lanes */
  CAS_ISOSPECTRAL_PATH_SLOW = 8,  /* and for one path, whose many components show a smaller drift */
  CAS_ISOSPECTRAL_NEAR = 1024,    /* tolerances: a change after which base may be kept, for lanes */
  CAS_ISOSPECTRAL_SURE = 32,      /* tolerances: a change by iteration 4 that makes 5 the last */
  CAS_ISOSPECTRAL_REMAINING = 14  /* iterations of one path that cost as much as the next method */
};

/* For one path, whose changes are all known: the rate of the first two iterations that rough ones
   would spoil, and in tolerances the change of Q Xt Q up to which base is kept. */
#define CAS_ISOSPECTRAL_FAST 0x1p-5
#define CAS_ISOSPECTRAL_KEPT 0.2

/* The number of brackets at newer and newer Xt: one; one more where Q is not small; and one more
   for compensated addition, whose rounding is smaller by |Q| too. */
CAS_INLINE int cas_isospectral_brackets(int iterations, int slow, bool is_sure, bool compensated) {
  if (is_sure)
    return iterations == 4 || compensated;
  return 1 + (iterations > slow) + compensated;
}

#endif

#define CAS_ISOSPECTRAL_HAS_ROUGH CAS_FEATURE_IF(CAS_ALG(ROUGH))

/* ---- one iteration ---- */

/* bracket = [Q, Xt]; if ANEW, base = Q Xt Q */
CAS_INLINE void CAS_FN(isospectral_products)(cas_isospectral *g, int how) {
  const bool anew = how & CAS_ISOSPECTRAL_ANEW;
#ifdef SYS_PSI_BRACKET
  CAS_FN(psi_bracket)(g->s, g->coef, g->xt, g->bracket);
  if (anew) {
    CAS_FN(psi)(g->s, g->coef, g->xt, g->q);
    CAS_ALG(sandwich)(&g->s->geometry, CAS_V, g->q, g->xt, g->base);
  }
#else
  CAS_FN(psi)(g->s, g->coef, g->xt, g->q);
#if CAS_ISOSPECTRAL_HAS_ROUGH
  if (how & CAS_ISOSPECTRAL_ROUGH)
    CAS_ALG(rough)(&g->s->geometry, g->size, g->q, g->xt, g->bracket, anew ? g->base : NULL);
  else
#endif
      if (anew)
    CAS_ALG(both)(&g->s->geometry, CAS_V, g->q, g->xt, g->bracket, g->base);
  else
    CAS_ALG(bracket)(&g->s->geometry, CAS_V, g->q, g->xt, g->bracket);
#endif
}

#if CAS_ISOSPECTRAL_HAS_ROUGH
CAS_INLINE double CAS_FN(isospectral_largest)(const cas_vec *x, int n) {
  cas_vec most = {0};
  double largest = 0;
  for (int k = 0; k < n; k++)
    most = cas_vec_max(cas_vec_abs(x[k]), most);
  for (int i = 0; i < CAS_VL; i++)
    largest = most[i] > largest ? most[i] : largest;
  return largest;
}
#endif

/* Xt = base + [Q, Xt] */
CAS_INLINE void CAS_FN(isospectral_iterate)(cas_isospectral *g, int how) {
  const int n = CAS_K(g->s);
  const bool anew = how & CAS_ISOSPECTRAL_ANEW,
             measured = CAS_ISOSPECTRAL_HAS_ROUGH || how & CAS_ISOSPECTRAL_MEASURED;
  CAS_FN(isospectral_products)(g, how);
  for (int u = 0; u < CAS_V; u++) {
    cas_vec most = {0};
    for (int k = 0; k < n; k++) {
      const int i = k * CAS_V + u;
      const cas_vec base = anew ? cas_lanes_load(g->xn, k, u) + g->base[i] : g->base[i],
                    next = base + g->bracket[i], added = next - g->xt[i];
      if (measured)
        most = k ? cas_vec_max(cas_vec_abs(added), most) : cas_vec_abs(added);
      if (anew)
        g->base[i] = base;
      if (CAS_ISOSPECTRAL_HAS_ROUGH)
        g->added[i] = added;
      g->xt[i] = next;
    }
    if (measured)
      g->change[u] = most;
  }
  g->iterations++;
#if CAS_ISOSPECTRAL_HAS_ROUGH
  for (int i = 3; i > 0; i--)
    g->changes[i] = g->changes[i - 1];
  g->changes[0] = CAS_FN(isospectral_largest)(g->change, 1);
#endif
}

/* ---- when to stop ---- */

#if CAS_ISOSPECTRAL_HAS_ROUGH
/* The factor by which an iteration makes a change smaller: the worse of the last two means over
   two iterations, because those ANEW differ from others. */
CAS_INLINE double CAS_FN(isospectral_rate)(const cas_isospectral *g) {
  const double *d = g->changes;
  return sqrt(fmax(d[0] / d[2], d[1] / d[3]));
}

/* The tolerance of a state that may have grown beyond the initial one. */
CAS_INLINE double CAS_FN(isospectral_tolerance)(const cas_isospectral *g) {
  return fmax(g->s->tolerance, g->s->relative * g->size);
}

CAS_INLINE bool CAS_FN(isospectral_settled)(const cas_isospectral *g) {
  const double now = g->changes[0], rate = CAS_FN(isospectral_rate)(g),
               tolerance = CAS_FN(isospectral_tolerance)(g);
  return now <= tolerance || (rate < 1 && rate * now <= CAS_ISOSPECTRAL_NEXT * tolerance);
}

/* Whether base from before a `change` of Xt may be kept: Q Xt Q is of second order in Q, whose
   square is at most what iteration 2, the first that was ANEW, changed. */
CAS_INLINE bool CAS_FN(isospectral_kept)(const cas_isospectral *g, double change) {
  const double rate = CAS_FN(isospectral_rate)(g);
  return fmax(rate * rate, g->second) * change <=
         CAS_ISOSPECTRAL_KEPT * CAS_FN(isospectral_tolerance)(g);
}

/* Whether one path would take more iterations than another method takes, at a rate. */
CAS_INLINE bool CAS_FN(isospectral_is_long)(const cas_isospectral *g, double rate) {
  return g->changes[0] * pow(rate, CAS_ISOSPECTRAL_REMAINING) > CAS_FN(isospectral_tolerance)(g);
}
#endif

/* ---- the strategy ---- */

/* The first three iterations, which end no step. Returns whether to go on. */
CAS_INLINE bool CAS_FN(isospectral_approach)(cas_isospectral *g) {
  const int rough = CAS_ISOSPECTRAL_HAS_ROUGH ? CAS_ISOSPECTRAL_ROUGH : 0;
#if CAS_ISOSPECTRAL_HAS_ROUGH
  g->size = CAS_FN(isospectral_largest)(g->xt, CAS_K(g->s));
#endif
  CAS_FN(isospectral_iterate)(g, rough);
  CAS_FN(isospectral_iterate)(g, rough | CAS_ISOSPECTRAL_ANEW | CAS_ISOSPECTRAL_MEASURED);
#if CAS_ISOSPECTRAL_HAS_ROUGH
  g->second = g->changes[0] / g->size;
  /* Iteration 2 changes Xt by about Q Xt Q, and iterations contract by about 2 |Q|. */
  if (CAS_FN(isospectral_is_long)(g, 2 * sqrt(g->second)))
    return false;
#endif
  if (CAS_ISOSPECTRAL_HAS_ROUGH && g->changes[0] > CAS_ISOSPECTRAL_FAST * g->changes[1])
    CAS_FN(isospectral_iterate)(g, CAS_ISOSPECTRAL_ROUGH);
  else
    CAS_FN(isospectral_iterate)(g, 0);
  return true;
}

/* One iteration that keeps base. Returns whether it ends the step. */
CAS_INLINE bool CAS_FN(isospectral_iterate_kept)(cas_isospectral *g) {
#if CAS_ISOSPECTRAL_HAS_ROUGH
  const double change = g->changes[0];
  CAS_FN(isospectral_iterate)(g, 0);
  return CAS_FN(isospectral_kept)(g, change) && CAS_FN(isospectral_settled)(g);
#else
  if (!CAS_FN(within)(g->change, CAS_ISOSPECTRAL_NEAR * g->s->tolerance)) {
    CAS_FN(isospectral_iterate)(g, 0);
    return false;
  }
  CAS_FN(isospectral_iterate)(g, CAS_ISOSPECTRAL_MEASURED);
  return CAS_FN(within)(g->change, g->s->tolerance);
#endif
}

/* One iteration with a new base. Returns whether it ends the step. */
CAS_INLINE bool CAS_FN(isospectral_iterate_anew)(cas_isospectral *g) {
  CAS_FN(isospectral_iterate)(g, CAS_ISOSPECTRAL_ANEW | CAS_ISOSPECTRAL_MEASURED);
#if CAS_ISOSPECTRAL_HAS_ROUGH
  return CAS_FN(isospectral_settled)(g);
#else
  g->is_sure = g->iterations == CAS_ISOSPECTRAL_FIRST_LOOK &&
               CAS_FN(within)(g->change, CAS_ISOSPECTRAL_SURE * g->s->tolerance);
  return CAS_FN(within)(g->change, g->s->tolerance);
#endif
}

/* Whether another method has to go on: changes are as large as the state, or have not fallen enough
   since `before`, after the first iterations and when a small Q would have been done. */
CAS_INLINE bool CAS_FN(isospectral_is_stuck)(const cas_isospectral *g, const cas_vec *before) {
#if CAS_ISOSPECTRAL_HAS_ROUGH
  (void)before;
  return g->changes[0] > g->size || CAS_FN(isospectral_is_long)(g, CAS_FN(isospectral_rate)(g));
#else
  if (g->iterations == CAS_ISOSPECTRAL_FIRST_LOOK) /* two iterations later */
    return !CAS_FN(isospectral_falls)(g, before, CAS_ISOSPECTRAL_FALL * CAS_ISOSPECTRAL_FALL);
  return g->iterations > CAS_ISOSPECTRAL_QUICK &&
         !CAS_FN(isospectral_falls)(g, before, CAS_ISOSPECTRAL_FALL);
#endif
}

CAS_INLINE bool CAS_FN(isospectral_solve)(cas_isospectral *g) {
  const int last = g->s->max_iterations;
  cas_vec before[CAS_V];
  for (int u = 0; u < CAS_V; u++)
    g->change[u] = cas_vec_splat(INFINITY);
  if (last > 3 && !CAS_FN(isospectral_approach)(g))
    return false;
  for (int u = 0; u < CAS_V; u++)
    before[u] = g->change[u];
  do {
    if (CAS_FN(isospectral_iterate_anew)(g))
      return true;
    if (CAS_FN(isospectral_is_stuck)(g, before))
      return CAS_FN(isospectral_within_part)(g, CAS_STEP_ROUNDING);
    for (int u = 0; g->iterations >= CAS_ISOSPECTRAL_QUICK && u < CAS_V; u++)
      before[u] = g->change[u];
    if (g->iterations + 1 < last && g->iterations < CAS_ISOSPECTRAL_QUICK &&
        CAS_FN(isospectral_iterate_kept)(g))
      return true;
  } while (g->iterations < last);
  return false;
}

/* bracket = [Q, Xt] at the newest Xt, with the Q before it, or a newer one where that costs less */
CAS_INLINE void CAS_FN(isospectral_last)(cas_isospectral *g) {
#ifdef SYS_PSI_BRACKET
  CAS_FN(psi_bracket)(g->s, g->coef, g->xt, g->bracket);
#elif CAS_ISOSPECTRAL_HAS_ROUGH
  /* What was added to Xt is so small that single precision is enough. */
  const int n = CAS_K(g->s);
  CAS_ALG(rough)
  (&g->s->geometry, CAS_FN(isospectral_largest)(g->change, 1), g->q, g->added, g->base, NULL);
  for (int k = 0; k < n; k++)
    g->bracket[k] += g->base[k];
#else
  CAS_ALG(bracket)(&g->s->geometry, CAS_V, g->q, g->xt, g->bracket);
#endif
}

/* Iterations of the refinement are not counted. */
CAS_INLINE void CAS_FN(isospectral_refine)(cas_isospectral *g, bool compensated) {
#ifdef SYS_ONE_PATH
  const int slow = CAS_ISOSPECTRAL_PATH_SLOW;
#else
  const int slow = CAS_ISOSPECTRAL_SLOW;
#endif
  const int counted = g->iterations,
            brackets = cas_isospectral_brackets(counted, slow, g->is_sure, compensated);
  for (int i = 1; i < brackets; i++)
    CAS_FN(isospectral_iterate)(g, 0);
  if (brackets)
    CAS_FN(isospectral_last)(g);
  g->iterations = counted;
}

/* Returns whether Xt and the bracket were found. */
CAS_INLINE bool CAS_FN(isospectral_first_method)(cas_isospectral *g, bool compensated) {
  if (!CAS_FN(isospectral_solve)(g))
    return false;
  CAS_FN(isospectral_refine)(g, compensated);
  return true;
}

#undef CAS_ISOSPECTRAL_HAS_ROUGH
