/* Anderson's acceleration (D. G. Anderson, J. ACM 12, 1965) of a fixed point x = F(x), for steps
   whose plain iteration does not contract. Of the last differences of residuals F(x) - x, those
   combinations are subtracted that leave the smallest residual, lane by lane. A lane that has been
   solved stays as it is while others of its group go on.

   Lanes that this does not solve are solved one by one along a curve (continuation.h), which begins
   near where the step began.

   A scheme fills in a cas_anderson, its CAS_ANDERSON_ARRAYS arrays by CAS_FN(anderson_open), sets x
   to where it begins, gives a structure of its own, and as function

       image     a->image = F(a->x)

   and calls CAS_FN(anderson_solve). It is to be called from a function that is not inlined, so that
   the arrays of the plain iteration stay in registers. */

/* The residual and its largest component, NaN if one is; and after another image, the differences
   of both, and in `steep` the ratio of the differences of images and of x, by which rounding of x
   changes the image. */
CAS_INLINE void CAS_FN(anderson_measure)(cas_anderson *a) {
  const int last = (a->known + a->depth - 1) % a->depth;
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

CAS_INLINE void CAS_FN(anderson_subtract)(int n, cas_vec c, const cas_vec *b, cas_vec *a) {
  for (int k = 0; k < n; k++)
    a[k * CAS_V] -= c * b[k * CAS_V];
}

/* Makes the differences of residuals orthogonal, the newest first, and subtracts from F(x), which
   becomes the next x, what belongs to the part of the residual along them; all for vector u. A
   difference that is nearly a combination of newer ones is left out. */
CAS_INLINE void CAS_FN(anderson_mix)(cas_anderson *a, int u) {
  const int n = a->n, depth = a->depth;
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
  const int size = a->n * CAS_V, at = a->known % a->depth;
  for (int u = 0; u < CAS_V; u++)
    CAS_FN(anderson_mix)(a, u);
  for (int i = 0; i < size; i++) {
    a->x[i] = cas_vec_select((cas_ivec)(a->open[i % CAS_V] > 0), a->next[i], a->x[i]);
    a->residuals[at][i] = a->residual[i];
    a->images[at][i] = a->image[i];
  }
  a->known++;
}

/* Returns whether every lane was solved. One iteration is made even beyond the last: it tells lanes
   that are solved where they begin from the others. */
CAS_INLINE bool CAS_FN(anderson_iterate)(cas_anderson *a, void *scheme,
                                         void image(cas_anderson *, void *)) {
  const double steep = a->s->relative > CAS_STEP_ROUNDING ? 0 : CAS_ANDERSON_STEEP;
  cas_vec size[CAS_V];
  const int most =
      CAS_ANDERSON_PATIENCE + (a->n < CAS_ANDERSON_PATIENCE ? a->n : CAS_ANDERSON_PATIENCE);
  a->known = 0;
  for (int u = 0; u < CAS_V; u++)
    a->least[u] = cas_vec_splat(INFINITY);
  for (int i = 0; i < most && (i == 0 || a->iterations < a->s->max_iterations); i++) {
    image(a, scheme);
    a->iterations += a->iterations < a->s->max_iterations;
    CAS_FN(anderson_measure)(a);
    for (int u = 0; u < CAS_V; u++)
      size[u] = a->size[u] * cas_vec_max(cas_vec_min(steep * a->steep[u], cas_vec_splat(1024)),
                                         cas_vec_splat(1));
    if (CAS_FN(settled)(a->s, size, a->change, a->least, a->open))
      return true;
    CAS_FN(anderson_accelerate)(a);
  }
  return false;
}

typedef struct {
  cas_anderson *a;
  void *scheme;
  void (*image)(cas_anderson *, void *);
} CAS_FN(anderson_image);

static void CAS_FN(anderson_evaluate)(void *of) {
  const CAS_FN(anderson_image) *f = of;
  f->image(f->a, f->scheme);
}

/* Solves one lane, or one path, along curves. Returns the iterations with these. */
CAS_INLINE int CAS_FN(anderson_continue)(cas_anderson *a, CAS_FN(anderson_image) * f, int lane) {
  const int u = lane / CAS_VL, i = lane % CAS_VL, arrays = CAS_ANDERSON_ARRAYS - 3;
  cas_continuation c = {.n = CAS_LANES == 1 ? a->s->geometry.components : a->n,
                        .stride = CAS_LANES,
                        .x = (double *)(void *)a->x + lane,
                        .image = (double *)(void *)a->image + lane,
                        .start = (const double *)(void *)a->start + lane,
                        .evaluate = CAS_FN(anderson_evaluate),
                        .of = f,
                        .size = a->size[u][i],
                        .rounding = fmax(a->s->relative, CAS_STEP_ROUNDING),
                        .memory = (double *)(void *)a->residual,
                        .doubles = arrays * a->n * CAS_V * CAS_VL,
                        .iterations = a->iterations,
                        .most = a->s->max_iterations};
  if (CAS_ISA(cas_continuation_run)(&c))
    a->open[u][i] = 0;
  return c.iterations;
}

/* Whether every lane was solved. In any case a->image is that of a->x. */
CAS_NOT_INLINE bool CAS_FN(anderson_solve)(cas_anderson *a, void *scheme,
                                           void image(cas_anderson *, void *)) {
  const int size = a->n * CAS_V;
  CAS_FN(anderson_image) f = {a, scheme, image};
  for (int i = 0; i < size; i++)
    a->start[i] = a->x[i];
  if (CAS_FN(anderson_iterate)(a, scheme, image))
    return true;
  for (int i = 0; i < size; i++)
    a->x[i] = cas_vec_select((cas_ivec)(a->open[i % CAS_V] > 0), a->start[i], a->x[i]);
  a->known = 0;
  image(a, scheme);
  bool solved = true;
  int most = a->iterations;
  for (int lane = 0; lane < CAS_LANES; lane++)
    if (a->open[lane / CAS_VL][lane % CAS_VL] > 0) {
      const int iterations = CAS_FN(anderson_continue)(a, &f, lane);
      most = iterations > most ? iterations : most;
      solved = solved && !(a->open[lane / CAS_VL][lane % CAS_VL] > 0);
    }
  a->iterations = most;
  image(a, scheme);
  return solved;
}

/* Lays out the arrays, and opens the lanes of a state xn whose components are numbers. */
CAS_INLINE cas_anderson CAS_FN(anderson_open)(const cas_stepper *s, int n, const cas_vec *xn,
                                              cas_vec *arrays) {
  const int step = n * CAS_V;
  cas_anderson a = {.s = s,
                    .n = n,
                    .depth = n < CAS_ANDERSON_DEPTH ? n : CAS_ANDERSON_DEPTH,
                    .x = arrays,
                    .image = arrays + step,
                    .start = arrays + 2 * step,
                    .residual = arrays + 3 * step,
                    .next = arrays + 4 * step};
  for (int i = 0; i < CAS_ANDERSON_DEPTH; i++) {
    a.residuals[i] = arrays + (5 + 2 * i) * step;
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
