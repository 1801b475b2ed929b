#include "integrators/continuation.h"

enum {
  MOST_DEPTH = 48,      /* vectors of GMRES */
  MOST_CORRECTIONS = 8, /* of Newton's method, back to the curve */
  /* Linear equations of the first try, and more of them for each number of x. The try ends there,
     as a step that was too long may have led to a closed curve, on which there is no solution. */
  PATIENCE = 128,
  PATIENCE_EACH = 8
};

/* Differences of F are taken over this part of the size. */
#define APART 0x1p-23
/* Parts of a right side at which GMRES ends, and beyond which it has failed. */
#define LEFT 0x1p-10
#define TOO_MUCH 0.25
/* Lengths relative to the size: of the first step, the longest, and the shortest. */
#define FIRST_STEP 0.125
#define LONGEST_STEP 0.5
#define SHORTEST_STEP 0x1p-32
/* In lengths of a step: how far its point may be from the curve, beyond which it may end on another
   one, and how near it ends. CONTRACTS: bound of a correction relative to the one before. */
#define FAR 0.25
#define NEAR 0x1p-14
#define CONTRACTS 0.125
/* How far a is from the start, relative to the size: what is special about a start, such as a
   symmetry, is not about a. Another try begins farther away. */
#define ASIDE 0x1p-5

/* The curve at a point p = (x / size, s), with F there and a relative to the size. */
typedef struct {
  cas_continuation *c;
  double *p, *f, *start, *tangent;
  double *from;                  /* the point before */
  double *last, *right, *change; /* of linear equations: last row, right side and solution */
  double *basis;                 /* [depth + 1] by which they are solved */
  int depth;
} curve;

enum { VECTORS = 9 }; /* of these, with one of the basis */

static double dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += a[i] * b[i];
  return sum;
}

static void add(int n, double factor, const double *a, double *b) {
  for (int i = 0; i < n; i++)
    b[i] += factor * a[i];
}

static double largest(int n, const double *a) {
  double most = 0;
  for (int i = 0; i < n; i++)
    most = fabs(a[i]) <= most ? most : fabs(a[i]); /* NaN stays */
  return most;
}

/* f = F(p + by v), relative to the size */
static void image_at(const curve *g, double by, const double *v, double *f) {
  cas_continuation *c = g->c;
  for (int i = 0; i < c->n; i++)
    c->x[i * c->stride] = c->size * (g->p[i] + (v ? by * v[i] : 0));
  c->evaluate(c->of);
  for (int i = 0; i < c->n; i++)
    f[i] = c->image[i * c->stride] / c->size;
}

/* ---- linear equations ---- */

/* out = (the derivative of H at p along v, last . v) */
static void derivative(const curve *g, const double *v, double *out) {
  const int n = g->c->n;
  const double most = largest(n, v), s = g->p[n];
  memset(out, 0, (size_t)n * sizeof *out);
  if (most != 0) {
    const double by = APART / most;
    image_at(g, by, v, out);
    for (int i = 0; i < n; i++)
      out[i] = (out[i] - g->f[i]) / by;
    g->c->steep = fmax(g->c->steep, largest(n, out) / most);
  }
  for (int i = 0; i < n; i++)
    out[i] = v[i] - s * out[i] - v[n] * (g->f[i] - g->start[i]);
  out[n] = dot(n + 1, g->last, v);
}

/* change = what `derivative` takes to `right`, by GMRES (Y. Saad and M. H. Schultz, SIAM Journal on
   Scientific and Statistical Computing 7, 1986). Returns whether little of `right` is left. */
static bool solve(const curve *g) {
  const int n = g->c->n + 1;
  double r[MOST_DEPTH][MOST_DEPTH], cosine[MOST_DEPTH], sine[MOST_DEPTH], left[MOST_DEPTH + 1];
  const double whole = sqrt(dot(n, g->right, g->right));
  int k = 0;
  g->c->iterations++;
  left[0] = whole;
  memset(g->change, 0, (size_t)n * sizeof *g->change);
  for (int i = 0; i < n; i++)
    g->basis[i] = whole > 0 ? g->right[i] / whole : 0;
  while (k < g->depth && fabs(left[k]) > LEFT * whole) {
    double *next = g->basis + (k + 1) * n;
    derivative(g, g->basis + k * n, next);
    for (int j = 0; j <= k; j++) {
      r[j][k] = dot(n, next, g->basis + j * n);
      add(n, -r[j][k], g->basis + j * n, next);
    }
    const double length = sqrt(dot(n, next, next));
    for (int i = 0; length > 0 && i < n; i++)
      next[i] /= length;
    for (int j = 0; j < k; j++) {
      const double above = r[j][k];
      r[j][k] = cosine[j] * above + sine[j] * r[j + 1][k];
      r[j + 1][k] = cosine[j] * r[j + 1][k] - sine[j] * above;
    }
    const double both = hypot(r[k][k], length);
    cosine[k] = r[k][k] / both;
    sine[k] = length / both;
    r[k][k] = both;
    left[k + 1] = -sine[k] * left[k];
    left[k] *= cosine[k];
    k++;
  }
  const bool solved = fabs(left[k]) <= TOO_MUCH * whole;
  for (int j = k - 1; j >= 0; j--) {
    for (int i = j + 1; i < k; i++)
      left[j] -= r[j][i] * left[i];
    left[j] /= r[j][j];
    add(n, left[j], g->basis + j * n, g->change);
  }
  return solved;
}

/* Corrects p. Returns the largest number of the correction, or infinity without one. */
static double correct(const curve *g) {
  const int n = g->c->n;
  for (int i = 0; i < n; i++)
    g->right[i] = g->p[n] * g->f[i] + (1 - g->p[n]) * g->start[i] - g->p[i];
  g->right[n] = 0;
  if (!solve(g))
    return INFINITY;
  add(n + 1, 1, g->change, g->p);
  image_at(g, 0, NULL, g->f);
  return largest(n + 1, g->change);
}

/* ---- the way ---- */

/* Back to the curve, across the tangent, after a step of a length. */
static bool return_to_curve(const curve *g, double length) {
  double before = length, now;
  memcpy(g->last, g->tangent, (size_t)(g->c->n + 1) * sizeof *g->last);
  for (int i = 0; i < MOST_CORRECTIONS; i++) {
    now = correct(g);
    if (now <= NEAR * length)
      return true;
    if (!(now <= (i ? CONTRACTS : FAR) * before))
      return false;
    before = now;
  }
  return false;
}

/* x = F(x) from p with s = 1, as exactly as rounding allows. */
static bool finish(const curve *g) {
  const int n = g->c->n;
  double before = INFINITY;
  memset(g->last, 0, (size_t)(n + 1) * sizeof *g->last);
  g->last[n] = 1;
  for (;;) {
    double now = 0;
    for (int i = 0; i < n; i++)
      now = fabs(g->p[i] - g->f[i]) <= now ? now : fabs(g->p[i] - g->f[i]);
    if (now <= g->c->rounding * fmax(1, g->c->steep) && !(now < 0.5 * before))
      return true;
    if (!(now < before) || g->c->iterations >= g->c->most)
      return false;
    before = now;
    g->c->steep = 0;
    if (!(correct(g) < 1))
      return false;
  }
}

/* The tangent at p, in the direction of the one before it. */
static bool turn_on(const curve *g) {
  const int n = g->c->n + 1;
  memcpy(g->last, g->tangent, (size_t)n * sizeof *g->last);
  memset(g->right, 0, (size_t)n * sizeof *g->right);
  g->right[n - 1] = 1;
  if (!solve(g))
    return false;
  const double length = sqrt(dot(n, g->change, g->change));
  for (int i = 0; i < n; i++)
    g->tangent[i] = g->change[i] / length;
  return true;
}

/* Moves p to the next point of the curve, or to s = 1 if that is passed. Returns the length of the
   step, 0 without one. */
static double go(const curve *g, double length) {
  const int n = g->c->n;
  double *from = g->from;
  memcpy(from, g->p, (size_t)(n + 1) * sizeof *from);
  for (; length >= SHORTEST_STEP && g->c->iterations < g->c->most; length /= 2) {
    for (int i = 0; i <= n; i++)
      g->p[i] = from[i] + length * g->tangent[i];
    image_at(g, 0, NULL, g->f);
    if (!return_to_curve(g, length))
      continue;
    if (g->p[n] < 1)
      return length;
    const double share = (1 - from[n]) / (g->p[n] - from[n]);
    for (int i = 0; i < n; i++)
      g->p[i] = from[i] + share * (g->p[i] - from[i]);
    g->p[n] = 1;
    image_at(g, 0, NULL, g->f);
    if (finish(g))
      return length;
  }
  return 0;
}

/* Whether the curve from p, with s = 0, leads to s = 1. */
static bool follow(const curve *g) {
  const int n = g->c->n;
  double length = FIRST_STEP;
  memset(g->tangent, 0, (size_t)n * sizeof *g->tangent);
  g->tangent[n] = 1;
  image_at(g, 0, NULL, g->f);
  while (turn_on(g) && (length = go(g, length)) > 0) {
    if (g->p[n] == 1)
      return true;
    if (g->p[n] < 0)
      return false;
    length = fmin(2 * length, LONGEST_STEP);
  }
  return false;
}

bool CAS_ISA(cas_continuation_run)(cas_continuation *c) {
  const int n = c->n, most = c->most, long_as = n + 1, room = c->doubles / long_as - VECTORS;
  curve g = {.c = c, .depth = room < long_as ? room : long_as};
  double **const vector[VECTORS] = {&g.p,    &g.f,     &g.start,  &g.tangent, &g.from,
                                    &g.last, &g.right, &g.change, &g.basis};
  for (int i = 0; i < VECTORS; i++)
    *vector[i] = c->memory + i * long_as;
  g.depth = g.depth < MOST_DEPTH ? g.depth : MOST_DEPTH;
  const double unit = sqrt(n);
  c->size *= unit;
  c->rounding /= unit;
  for (int tries = 1; c->iterations < most; tries++) {
    const int patience = c->iterations + tries * (PATIENCE + PATIENCE_EACH * n);
    c->most = patience < most ? patience : most;
    for (int i = 0; i < n; i++) {
      g.start[i] = c->start[i * c->stride] / c->size +
                   tries * ASIDE / unit * sin(tries * (i + 1.0) * (i + 1.0));
      g.p[i] = g.start[i];
    }
    g.p[n] = 0;
    if (follow(&g))
      return true;
  }
  for (int i = 0; i < n; i++)
    c->x[i * c->stride] = c->start[i * c->stride];
  return false;
}
