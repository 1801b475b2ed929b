/* Products of skew-Hermitian matrices, text that su_n_path.c includes once for each precision, with
   these names defined, which are undefined afterwards:

       REAL        double or float
       VECTOR      a vector of it, PRODUCT_VL of them
       PRODUCT(n)  the name n of this precision

   Matrices are packed into panels: PRODUCT_ROWS rows of Q, or PRODUCT(COLUMNS) columns of X, side
   by side for each inner index, so that a tile is computed from two streams of memory. */

enum {
  PRODUCT(VL) = (int)(sizeof(VECTOR) / sizeof(REAL)),
  PRODUCT(COLUMNS) = PRODUCT_VECTORS * PRODUCT(VL)
};

/* Panels of re, im and re + im. */
typedef struct {
  REAL *re, *im, *sum;
} PRODUCT(panels);

typedef struct {
  REAL *re, *im;
} PRODUCT(matrix);

typedef struct {
  int N, ld;
  bool is_upper; /* only entries on and above the diagonal are wanted */
  double scale;  /* of X in panels, a power of two */
  const double *q, *x;
  double *bracket, *sandwich;
  PRODUCT(panels) left, right;
  PRODUCT(matrix) p;
} PRODUCT(product);

static int PRODUCT(leading)(int N) {
  return round_up(N, PRODUCT(COLUMNS)) + 64 / (int)sizeof(REAL);
}

static size_t PRODUCT(left_size)(int N) {
  return round_up_size((size_t)round_up(N, PRODUCT_ROWS) * (size_t)N, 64);
}

static size_t PRODUCT(right_size)(int N) {
  return round_up_size((size_t)round_up(N, PRODUCT(COLUMNS)) * (size_t)N, 64);
}

static size_t PRODUCT(result_size)(int N) {
  return round_up_size((size_t)round_up(N, PRODUCT_ROWS) * (size_t)PRODUCT(leading)(N), 64);
}

static size_t PRODUCT(bytes)(int N) {
  return (3 * (PRODUCT(left_size)(N) + PRODUCT(right_size)(N)) + 2 * PRODUCT(result_size)(N)) *
         sizeof(REAL);
}

static PRODUCT(product) PRODUCT(open)(const cas_geometry *g, double scale, const double *q,
                                      const double *x, double *bracket, double *sandwich) {
  const int N = g->n;
  const size_t left = PRODUCT(left_size)(N), right = PRODUCT(right_size)(N);
  REAL *a = (REAL *)(void *)g->scratch, *b = a + 3 * left, *c = b + 3 * right;
  return (PRODUCT(product)){.N = N,
                            .ld = PRODUCT(leading)(N),
                            .scale = scale,
                            .q = q,
                            .x = x,
                            .bracket = bracket,
                            .sandwich = sandwich,
                            .left = {a, a + left, a + 2 * left},
                            .right = {b, b + right, b + 2 * right},
                            .p = {c, c + PRODUCT(result_size)(N)}};
}

CAS_INLINE void PRODUCT(put)(PRODUCT(panels) to, size_t at, double re, double im) {
  const REAL a = (REAL)re, b = (REAL)im;
  to.re[at] = a;
  to.im[at] = b;
  to.sum[at] = a + b;
}

/* A panel of the entries (first + r, k) of a packed matrix, r < inside; sign -1: of (k, first + r).
   What is left of the width is zero. */
CAS_INLINE void PRODUCT(pack)(int width, int inside, double sign, double scale, int N, int first,
                              const double *x, PRODUCT(panels) to) {
  const double *x_re = x + N, *x_im = x_re + N * (N - 1) / 2;
  const double above = sign * scale;
  for (int k = 0; k < first; k++) {
    const double *re = x_re + cas_su_n_upper(N, k, first), *im = x_im + cas_su_n_upper(N, k, first);
    for (int r = 0; r < inside; r++)
      PRODUCT(put)(to, (size_t)(k * width + r), -above * re[r], scale * im[r]);
  }
  for (int k = first; k < first + inside; k++)
    for (int r = 0; r < inside; r++) {
      const int i = first + r, at = k == i  ? 0
                                    : i < k ? cas_su_n_upper(N, i, k)
                                            : cas_su_n_upper(N, k, i);
      PRODUCT(put)
      (to, (size_t)(k * width + r),
       k == i  ? 0
       : i < k ? above * x_re[at]
               : -above * x_re[at],
       scale * (k == i ? x[i] : x_im[at]));
    }
  const double *re[PRODUCT_MOST], *im[PRODUCT_MOST];
  for (int r = 0; r < inside; r++) {
    re[r] = x_re + cas_su_n_upper(N, first + r, 0);
    im[r] = x_im + cas_su_n_upper(N, first + r, 0);
  }
  for (int k = first + inside; k < N; k++)
    for (int r = 0; r < inside; r++)
      PRODUCT(put)(to, (size_t)(k * width + r), above * re[r][k], scale * im[r][k]);
  for (int k = 0; k < N; k++)
    for (int r = inside; r < width; r++)
      PRODUCT(put)(to, (size_t)(k * width + r), 0, 0);
}

static PRODUCT(panels) PRODUCT(behind)(PRODUCT(panels) p, size_t by) {
  return (PRODUCT(panels)){p.re + by, p.im + by, p.sum + by};
}

static void PRODUCT(pack_both)(void *product, int part, int parts) {
  const PRODUCT(product) *r = product;
  const int N = r->N, rows = PRODUCT_ROWS, columns = PRODUCT(COLUMNS);
  for (int i = part * rows; i < N; i += parts * rows) {
    const PRODUCT(panels) to = PRODUCT(behind)(r->left, (size_t)i * (size_t)N);
    if (i + rows <= N)
      PRODUCT(pack)(rows, rows, 1, 1, N, i, r->q, to);
    else
      PRODUCT(pack)(rows, N - i, 1, 1, N, i, r->q, to);
  }
  for (int j = part * columns; j < N; j += parts * columns) {
    const PRODUCT(panels) to = PRODUCT(behind)(r->right, (size_t)j * (size_t)N);
    if (j + columns <= N)
      PRODUCT(pack)(columns, columns, -1, r->scale, N, j, r->x, to);
    else
      PRODUCT(pack)(columns, N - j, -1, r->scale, N, j, r->x, to);
  }
}

/* Panels of columns of P^*, whose entry (k, j) is the conjugate of (j, k). */
static void PRODUCT(pack_adjoint)(const PRODUCT(product) * r, int part, int parts) {
  const int N = r->N, columns = PRODUCT(COLUMNS);
  for (int j = part * columns; j < N; j += parts * columns) {
    const PRODUCT(panels) to = PRODUCT(behind)(r->right, (size_t)j * (size_t)N);
    const int inside = least(columns, N - j);
    for (int k = 0; k < N; k++) {
      for (int c = 0; c < inside; c++) {
        const size_t at = (size_t)(j + c) * (size_t)r->ld + (size_t)k;
        PRODUCT(put)(to, (size_t)(k * columns + c), r->p.re[at], -r->p.im[at]);
      }
      for (int c = inside; c < columns; c++)
        PRODUCT(put)(to, (size_t)(k * columns + c), 0, 0);
    }
  }
}

/* Adds a tile of one of the three real products t1, t2, t3 to re = t1 - t2, im = t3 - t1 - t2. */
CAS_NOT_INLINE void PRODUCT(tile)(int which, bool begins, int depth, const REAL *restrict a,
                                  const REAL *restrict b, REAL *restrict re, REAL *restrict im,
                                  size_t ld) {
  VECTOR sum[PRODUCT_ROWS][PRODUCT_VECTORS];
  for (int r = 0; r < PRODUCT_ROWS; r++)
    for (int v = 0; v < PRODUCT_VECTORS; v++)
      sum[r][v] = (VECTOR){0};
  for (int k = 0; k < depth; k++) {
    VECTOR row[PRODUCT_VECTORS];
    for (int v = 0; v < PRODUCT_VECTORS; v++)
      row[v] = *(const VECTOR *)(const void *)(b + v * PRODUCT(VL));
    for (int r = 0; r < PRODUCT_ROWS; r++) {
      const VECTOR factor = a[r] - (VECTOR){0};
      for (int v = 0; v < PRODUCT_VECTORS; v++)
        sum[r][v] += factor * row[v];
    }
    a += PRODUCT_ROWS;
    b += PRODUCT(COLUMNS);
  }
  for (int r = 0; r < PRODUCT_ROWS; r++)
    for (int v = 0; v < PRODUCT_VECTORS; v++) {
      const size_t at = (size_t)r * ld + (size_t)(v * PRODUCT(VL));
      VECTOR *to_re = (VECTOR *)(void *)(re + at), *to_im = (VECTOR *)(void *)(im + at);
      if (which == 2) {
        *to_im += sum[r][v];
      } else if (which == 1) {
        *to_re -= sum[r][v];
        *to_im -= sum[r][v];
      } else {
        *to_re = begins ? sum[r][v] : *to_re + sum[r][v];
        *to_im = begins ? -sum[r][v] : *to_im - sum[r][v];
      }
    }
}

/* Inner indices k .. k + depth - 1 of the panels of rows from `begin` to `end`. */
static void PRODUCT(multiply_block)(const PRODUCT(product) * r, int begin, int end, int k,
                                    int depth) {
  const int rows = PRODUCT_ROWS, columns = PRODUCT(COLUMNS), N = r->N;
  const REAL *const left[] = {r->left.re, r->left.im, r->left.sum}, *const right[] = {r->right.re,
                                                                                      r->right.im,
                                                                                      r->right.sum};
  for (int which = 0; which < 3; which++)
    for (int j = 0; j < N; j += columns)
      for (int i = begin * rows; i < end * rows; i += rows) {
        if (r->is_upper && j + columns <= i)
          continue;
        const size_t at = (size_t)i * (size_t)r->ld + (size_t)j;
        PRODUCT(tile)
        (which, k == 0, depth, left[which] + (size_t)i * (size_t)N + (size_t)(k * rows),
         right[which] + (size_t)j * (size_t)N + (size_t)(k * columns), r->p.re + at, r->p.im + at,
         (size_t)r->ld);
      }
}

static void PRODUCT(multiply)(void *product, int part, int parts) {
  const PRODUCT(product) *r = product;
  const int panels = round_up(r->N, PRODUCT_ROWS) / PRODUCT_ROWS,
            blocks = round_up(r->N, PRODUCT_DEPTH) / PRODUCT_DEPTH,
            begin = share(r->is_upper, panels, part, parts),
            end = share(r->is_upper, panels, part + 1, parts);
  for (int b = 0; b < blocks; b++) {
    const int k = b * r->N / blocks, next = (b + 1) * r->N / blocks;
    for (int i = begin; i < end; i += PRODUCT_PANELS)
      PRODUCT(multiply_block)(r, i, least(i + PRODUCT_PANELS, end), k, next - k);
  }
}

/* P - P^*, which is [Q, X] for P = Q X because (Q X)^* = X Q; rows i .. of it */
static void PRODUCT(commutator_rows)(const PRODUCT(product) * product, int i, int rows) {
  const int N = product->N, ld = product->ld;
  const double unit = 1 / product->scale;
  const REAL *p_re = product->p.re, *p_im = product->p.im;
  double *re[TILE], *im[TILE]; /* entry (i + r, j) is at [j] */
  for (int r = 0; r < rows; r++) {
    const int row = cas_su_n_re(N, i + r, 0), at = (i + r) * ld;
    re[r] = product->bracket + row;
    im[r] = product->bracket + row + N * (N - 1) / 2;
    product->bracket[i + r] = 2 * unit * p_im[at + i + r];
    for (int j = i + r + 1; j < N; j++) {
      re[r][j] = unit * p_re[at + j];
      im[r][j] = unit * p_im[at + j];
    }
  }
  for (int j = i + 1; j < N; j++)
    for (int r = 0; r < least(rows, j - i); r++) {
      re[r][j] -= unit * p_re[j * ld + i + r];
      im[r][j] += unit * p_im[j * ld + i + r];
    }
}

static void PRODUCT(commutator)(void *product, int part, int parts) {
  const PRODUCT(product) *r = product;
  for (int i = part * TILE; i < r->N; i += parts * TILE)
    PRODUCT(commutator_rows)(r, i, least(TILE, r->N - i));
  if (r->sandwich)
    PRODUCT(pack_adjoint)(r, part, parts);
}

static void PRODUCT(write_sandwich)(void *product, int part, int parts) {
  const PRODUCT(product) *r = product;
  const int N = r->N;
  const double unit = 1 / r->scale;
  for (int i = part; i < N; i += parts) {
    double *re = r->sandwich + cas_su_n_re(N, i, 0), *im = re + N * (N - 1) / 2;
    const REAL *from_re = r->p.re + (size_t)i * (size_t)r->ld,
               *from_im = r->p.im + (size_t)i * (size_t)r->ld;
    r->sandwich[i] = unit * from_im[i];
    for (int j = i + 1; j < N; j++) {
      re[j] = unit * from_re[j];
      im[j] = unit * from_im[j];
    }
  }
}

/* bracket = P - P^* for P = Q X, and sandwich = Q P^* = Q X Q */
static void PRODUCT(run)(const cas_geometry *g, double scale, const double *q, const double *x,
                         double *bracket, double *sandwich) {
  PRODUCT(product) r = PRODUCT(open)(g, scale, q, x, bracket, sandwich);
  cas_threads_run(PRODUCT(pack_both), &r, 1);
  cas_threads_run(PRODUCT(multiply), &r, PRODUCT_PIECES);
  cas_threads_run(PRODUCT(commutator), &r, 1);
  if (!sandwich)
    return;
  r.is_upper = true;
  cas_threads_run(PRODUCT(multiply), &r, PRODUCT_PIECES);
  cas_threads_run(PRODUCT(write_sandwich), &r, 1);
}

#undef REAL
#undef VECTOR
#undef PRODUCT
