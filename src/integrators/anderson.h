/* Anderson's acceleration (D. G. Anderson, J. ACM 12, 1965) of a fixed point x = F(x), for steps
   whose plain iteration does not contract. Of the last differences of residuals F(x) - x, those
   combinations are subtracted that leave the smallest residual, lane by lane. A lane that has been
   solved stays as it is while others of its group go on.

   Where this fails it is tried again along homotopies F_s, s = 1/m, 2/m, .., 1, with m = 2, 3, ..,
   F_1 = F, and F_0 with a solution that is known or easily found. Each stage begins at the solution
   of the one before it. A path of solutions that ends with a fold for one F_0 does not for another
   one.

   A scheme fills in a cas_anderson, its CAS_ANDERSON_ARRAYS arrays by CAS_FN(anderson_open), gives
   a structure of its own, and as functions

       image     a->image = F_s(a->x) with s = a->share
       depart    chooses F_0 for homotopy m, and sets a->image to where it begins

   and calls CAS_FN(anderson_solve). It is to be called from a function that is not inlined, so that
   the arrays of the plain iteration stay in registers. */

/* ---- one iteration ---- */

/* The residual of the image and the largest component of that, NaN if one is; and where there was
   an image before, the differences of both, and in `steep` by how much larger the difference of
   images is than that of x: rounding of x changes the image by so much. */
CAS_INLINE void CAS_FN(anderson_measure)(cas_anderson *a) {
  const int last = (a->known + CAS_ANDERSON_DEPTH - 1) % CAS_ANDERSON_DEPTH;
  for (int u = 0; u < CAS_V; u++) {
    cas_vec most = {0}, sum = {0}, images = {0}, by = {0};
    for (int i = u; i < a->n * CAS_V; i += CAS_V) {
      a->residual[i] = a->image[i] - a->x[i];
      most = cas_vec_max(cas_vec_abs(a->residual[i]), most);
      sum += a->residual[i];
      if (a->known == 0)
        continue;
      a->residuals[last][i] = a->residual[i] - a->residuals[last][i];
      a->images[last][i] = a->image[i] - a->images[last][i];
      images = cas_vec_max(cas_vec_abs(a->images[last][i]), images);
      by = cas_vec_max(cas_vec_abs(a->images[last][i] - a->residuals[last][i]), by);
    }
    a->change[u] = most + 0.0 * sum;
    a->steep[u] = CAS_FN(across)(images) / cas_vec_max(CAS_FN(across)(by), cas_vec_splat(DBL_MIN));
  }
}

CAS_INLINE cas_vec CAS_FN(anderson_dot)(int n, const cas_vec *a, const cas_vec *b) {
  cas_vec sum = {0};
  for (int k = 0; k < n; k++)
    sum += a[k * CAS_V] * b[k * CAS_V];
#ifdef SYS_ONE_PATH
  sum = cas_vec_sum(sum);
#endif
  return sum;
}

/* a -= c b */
CAS_INLINE void CAS_FN(anderson_subtract)(int n, cas_vec c, const cas_vec *b, cas_vec *a) {
  for (int k = 0; k < n; k++)
    a[k * CAS_V] -= c * b[k * CAS_V];
}

/* Makes the differences of residuals orthogonal, the newest first, and subtracts from F(x), which
   becomes the next x, what belongs to the part of the residual along them; all for vector u. A
   difference that is nearly a combination of newer ones is left out. */
CAS_INLINE void CAS_FN(anderson_mix)(cas_anderson *a, int u) {
  const int n = a->n, depth = CAS_ANDERSON_DEPTH;
  const cas_vec *newer[CAS_ANDERSON_DEPTH][2];
  cas_vec inverse[CAS_ANDERSON_DEPTH], *next = a->next + u;
  for (int k = 0; k < n; k++)
    next[k * CAS_V] = a->image[k * CAS_V + u];
  for (int i = 0; i < depth && i < a->known; i++) {
    const int at = (a->known - 1 - i) % depth;
    cas_vec *f = a->residuals[at] + u, *image = a->images[at] + u;
    const cas_vec whole = CAS_FN(anderson_dot)(n, f, f);
    for (int j = 0; j < i; j++) {
      const cas_vec c = inverse[j] * CAS_FN(anderson_dot)(n, f, newer[j][0]);
      CAS_FN(anderson_subtract)(n, c, newer[j][0], f);
      CAS_FN(anderson_subtract)(n, c, newer[j][1], image);
    }
    const cas_vec left = CAS_FN(anderson_dot)(n, f, f);
    inverse[i] = cas_vec_select((cas_ivec)(left > CAS_ANDERSON_INDEPENDENT * whole), 1.0 / left,
                                cas_vec_splat(0));
    newer[i][0] = f;
    newer[i][1] = image;
    CAS_FN(anderson_subtract)
    (n, inverse[i] * CAS_FN(anderson_dot)(n, a->residual + u, f), image, next);
  }
}

/* The next x of the lanes that are open, and what the iteration after this compares with. */
CAS_INLINE void CAS_FN(anderson_accelerate)(cas_anderson *a) {
  const int size = a->n * CAS_V, at = a->known % CAS_ANDERSON_DEPTH;
  for (int u = 0; u < CAS_V; u++)
    CAS_FN(anderson_mix)(a, u);
  for (int i = 0; i < size; i++) {
    a->x[i] = cas_vec_select((cas_ivec)(a->open[i % CAS_V] > 0), a->next[i], a->x[i]);
    a->residuals[at][i] = a->residual[i];
    a->images[at][i] = a->image[i];
  }
  a->known++;
}

/* ---- stages ---- */

/* Whether open lanes are near the solution of a stage. */
CAS_INLINE bool CAS_FN(anderson_near)(const cas_anderson *a) {
  int far = 0;
  for (int u = 0; u < CAS_V; u++)
    far |= cas_vec_any_greater(a->open[u] * CAS_FN(across)(a->change[u]),
                               CAS_ANDERSON_NEAR * a->size[u]);
  return !far;
}

/* Iterates with a share of the homotopy. Returns whether every lane is solved, which none is for
   shares below 1. */
CAS_INLINE bool CAS_FN(anderson_stage)(cas_anderson *a, void *scheme, double share,
                                       void image(cas_anderson *, void *)) {
  const bool is_last = share == 1;
  const int patience = CAS_ANDERSON_PATIENCE + a->n,
            most = is_last ? patience : patience / CAS_ANDERSON_PASSING;
  const double steep = a->s->relative > CAS_STEP_ROUNDING ? 0 : CAS_ANDERSON_STEEP;
  cas_vec size[CAS_V];
  a->share = share;
  a->known = 0;
  for (int u = 0; u < CAS_V; u++)
    a->least[u] = cas_vec_splat(INFINITY);
  for (int i = 0; i < most && a->iterations < a->s->max_iterations; i++) {
    image(a, scheme);
    a->iterations++;
    CAS_FN(anderson_measure)(a);
    for (int u = 0; u < CAS_V; u++)
      size[u] = a->size[u] * cas_vec_max(cas_vec_min(steep * a->steep[u], cas_vec_splat(1024)),
                                         cas_vec_splat(1));
    if (is_last ? CAS_FN(settled)(a->s, size, a->change, a->least, a->open)
                : CAS_FN(anderson_near)(a))
      return is_last;
    CAS_FN(anderson_accelerate)(a);
  }
  return false;
}

/* Whether every lane was solved. If not, a->image is that of a->x nevertheless. */
CAS_INLINE bool CAS_FN(anderson_solve)(cas_anderson *a, void *scheme,
                                       void image(cas_anderson *, void *),
                                       void depart(cas_anderson *, void *, int)) {
  if (CAS_FN(anderson_stage)(a, scheme, 1, image))
    return true;
  for (int m = 2; a->iterations < a->s->max_iterations; m++) {
    depart(a, scheme, m);
    for (int i = 0; i < a->n * CAS_V; i++)
      a->x[i] = cas_vec_select((cas_ivec)(a->open[i % CAS_V] > 0), a->image[i], a->x[i]);
    for (int i = 1; i <= m; i++)
      if (CAS_FN(anderson_stage)(a, scheme, (double)i / m, image))
        return true;
  }
  a->share = 1;
  image(a, scheme);
  return false;
}

/* Lays out the arrays, and opens the lanes of a state xn whose components are numbers. */
CAS_INLINE cas_anderson CAS_FN(anderson_open)(const cas_stepper *s, int n, const cas_vec *xn,
                                              cas_vec *arrays) {
  const int step = n * CAS_V;
  cas_anderson a = {.s = s,
                    .n = n,
                    .x = arrays,
                    .image = arrays + step,
                    .residual = arrays + 2 * step,
                    .next = arrays + 3 * step};
  for (int i = 0; i < CAS_ANDERSON_DEPTH; i++) {
    a.residuals[i] = arrays + (4 + 2 * i) * step;
    a.images[i] = a.residuals[i] + step;
  }
  CAS_FN(size)(s, xn, a.size);
  for (int u = 0; u < CAS_V; u++) {
    cas_vec none = {0};
    for (int i = u; i < CAS_SIZE(s); i += CAS_V)
      none += 0.0 * xn[i];
    a.open[u] = cas_vec_select((cas_ivec)(none == 0), cas_vec_splat(1), cas_vec_splat(0));
  }
  return a;
}
