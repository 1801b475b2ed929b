#include "harmonics/hoppe_yau.h"
#include "algebra/su_n.h"
#include "base/scratch.h"
#include "blas/lapack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Diagonal and off-diagonal of -Lap on the m-th diagonal, N-m and N-m-1 numbers. */
static void tridiagonal(int N, int m, double *diagonal, double *off) {
  double s = 0.5 * (N - 1);
  for (int k = 0; k < N - m; k++) {
    double a = s - k, b = a - m;
    diagonal[k] = 2 * (s * (s + 1) - a * b);
    if (k + 1 < N - m)
      off[k] = -sqrt(s * (s + 1) - a * (a - 1)) * sqrt(s * (s + 1) - b * (b - 1));
  }
}

/* Gives an eigenvector its sign. By the oscillation theorem the components from k = 0 on have one
   sign up to the first zero, and the first extremum there is no small one; before it, components
   may be rounding errors only. */
static void fix_sign(int n, double *v) {
  double most = 0;
  int k = 0;
  for (int i = 0; i < n; i++)
    most = fmax(most, fabs(v[i]));
  while (fabs(v[k]) <= 1e-6 * most)
    k++;
  if (v[k] < 0)
    for (int i = 0; i < n; i++)
      v[i] = -v[i];
}

int cas_hoppe_yau_diagonal(int N, int m, double *values, double *vectors) {
  int n = N - m;
  double diagonal[CAS_HOPPE_YAU_MOST], off[CAS_HOPPE_YAU_MOST] = {0};
  tridiagonal(N, m, diagonal, off);
  /* each eigenvector is contiguous, which is what a row of the basis is */
  int info = cas_lapack_tridiagonal_vectors(n, diagonal, off, values, vectors);
  for (int i = 0; !info && i < n; i++)
    fix_sign(n, vectors + (size_t)i * (size_t)n);
  return info;
}

/* ---- creation ---- */

/* doubles of the rows of 0 .. m - 1 */
static size_t rows_before(const cas_hoppe_yau *b, int m) {
  size_t doubles = 0;
  for (int k = 0; k < m; k++) {
    const int rows = b->end - cas_hoppe_yau_lowest(b, k);
    doubles += (size_t)(rows > 0 ? rows : 0) * (size_t)cas_hoppe_yau_row(b->N, k);
  }
  return doubles;
}

static size_t packed(int N) { return (size_t)N * (size_t)(N + 1) / 2; }

size_t cas_hoppe_yau_bytes(const cas_hoppe_yau *b) {
  return (rows_before(b, b->N) + 2 * packed(b->N)) * sizeof(double) + (size_t)b->N * sizeof(size_t);
}

/* The place of (k, k+m) among the packed diagonal and real parts. */
static int place(int N, int k, int m) { return m ? cas_su_n_re(N, k, k + m) : k; }

static void factorise(cas_hoppe_yau *b, int m) {
  int N = b->N, n = N - m;
  double diagonal[CAS_HOPPE_YAU_MOST], off[CAS_HOPPE_YAU_MOST], pivot;
  tridiagonal(N, m, diagonal, off);
  pivot = diagonal[0];
  for (int k = 0; k < n; k++) {
    bool last = k + 1 == n;
    double below = last ? 0 : off[k] / pivot;
    b->lower[place(N, k, m)] = below;
    b->inverse[place(N, k, m)] = last && m == 0 ? 0 : 1 / pivot;
    if (!last)
      pivot = diagonal[k + 1] - below * off[k];
  }
}

/* Keeps the first half of each eigenvector, as even or odd as theory says. */
static void keep_half(cas_hoppe_yau *b, int m, const double *vectors) {
  int n = b->N - m, length = cas_hoppe_yau_row(b->N, m);
  for (int i = 0; i < n; i++) {
    const double *v = vectors + (size_t)i * (size_t)n;
    double *row = b->half + b->first[m] + (size_t)i * (size_t)length;
    for (int k = 0; k < (n + 1) / 2; k++)
      row[k] = 0.5 * (v[k] + (i % 2 ? -1 : 1) * v[n - 1 - k]);
  }
}

/* By the three terms of a row of the tridiagonal matrix, from the edge k = 0, where a component is
   small and grows, to the middle, beyond which it is even or odd. */
static void find_vector(int N, int l, int m, double *row) {
  const double huge = 0x1p+500, s = 0.5 * (N - 1), value = l * (l + 1.0);
  const int n = N - m, half = (n + 1) / 2;
  double off = 0, square = 0;
  memset(row, 0, (size_t)cas_hoppe_yau_row(N, m) * sizeof *row);
  row[0] = 1;
  for (int k = 0; k + 1 < half; k++) {
    const double a = s - k, b = a - m, diagonal = 2 * (s * (s + 1) - a * b),
                 before = off * (k ? row[k - 1] : 0);
    off = -sqrt((s * (s + 1) - a * (a - 1)) * (s * (s + 1) - b * (b - 1)));
    row[k + 1] = ((value - diagonal) * row[k] - before) / off;
    const double divisor = fabs(row[k + 1]) > huge ? huge : 1;
    for (int i = 0; divisor > 1 && i <= k + 1; i++)
      row[i] /= divisor;
  }
  if (n % 2 && (l - m) % 2)
    row[half - 1] = 0;
  for (int k = 0; k < half; k++)
    square += (n % 2 && k == half - 1 ? 1 : 2) * row[k] * row[k];
  for (int k = 0; k < half; k++)
    row[k] /= sqrt(square);
  fix_sign(half, row);
}

const double *cas_hoppe_yau_vector(const cas_hoppe_yau *b, int l, int m, double *space) {
  const size_t length = (size_t)cas_hoppe_yau_row(b->N, m);
  const int lowest = cas_hoppe_yau_lowest(b, m);
  if (l >= lowest && l < b->end)
    return b->half + b->first[m] + (size_t)(l - lowest) * length;
  find_vector(b->N, l, m, space);
  return space;
}

static void fill_kept(cas_hoppe_yau *b) {
  for (int m = 0; m < b->N; m++) {
    const int lowest = cas_hoppe_yau_lowest(b, m);
    b->first[m] = rows_before(b, m);
    for (int l = lowest; l < b->end; l++)
      find_vector(b->N, l, m,
                  b->half + b->first[m] +
                      (size_t)(l - lowest) * (size_t)cas_hoppe_yau_row(b->N, m));
    factorise(b, m);
  }
}

static cas_status fill_whole(cas_hoppe_yau *b, double *full, double *work, cas_error *err) {
  double values[CAS_HOPPE_YAU_WHOLE];
  for (int m = 0; m < b->N; m++) {
    size_t n = (size_t)(b->N - m);
    double *vectors = full ? full : work;
    const int failed = cas_hoppe_yau_diagonal(b->N, m, values, vectors);
    if (cas_scratch_is_missing())
      return cas_no_memory(err);
    if (failed)
      return cas_fail(err, CAS_INTERNAL, "LAPACK dstevr found no basis for N = %d, m = %d", b->N,
                      m);
    b->first[m] = rows_before(b, m);
    keep_half(b, m, vectors);
    factorise(b, m);
    full = full ? full + n * n : NULL;
  }
  return CAS_OK;
}

cas_status cas_hoppe_yau_create(int N, int begin, int end, double *full, cas_hoppe_yau *b,
                                cas_error *err) {
  const bool whole = N <= CAS_HOPPE_YAU_WHOLE;
  *b = (cas_hoppe_yau){.N = N, .begin = whole ? 0 : begin, .end = whole ? N : end};
  const size_t half = rows_before(b, N) * sizeof(double);
  double *work = malloc((size_t)N * (size_t)N * sizeof *work);
  *b = (cas_hoppe_yau){.N = N,
                       .begin = b->begin,
                       .end = b->end,
                       .half = aligned_alloc(64, half ? half : 64),
                       .first = calloc((size_t)N, sizeof *b->first),
                       .lower = calloc(packed(N), sizeof *b->lower),
                       .inverse = calloc(packed(N), sizeof *b->inverse)};
  cas_status st = CAS_OK;
  if (!work || !b->half || !b->first || !b->lower || !b->inverse)
    st = cas_fail(err, CAS_NO_MEMORY, "out of memory: the basis for N = %d needs %zu bytes", N,
                  cas_hoppe_yau_bytes(b));
  else
    memset(b->half, 0, half);
  if (!st && whole)
    st = fill_whole(b, full, work, err);
  else if (!st)
    fill_kept(b);
  free(work);
  if (st)
    cas_hoppe_yau_free(b);
  return st;
}

void cas_hoppe_yau_free(cas_hoppe_yau *b) {
  free(b->half);
  free(b->first);
  free(b->lower);
  free(b->inverse);
  *b = (cas_hoppe_yau){0};
}

/* ---- states and coefficients ---- */

/* The components along the m-th diagonal of one part: `next` gives the place of (k, k+m). */
typedef int component(int N, int i, int j);

static int on_diagonal(int N CAS_UNUSED, int i, int j CAS_UNUSED) { return i; }

/* Sums and differences of the components at equal distances from the middle of a diagonal. */
typedef struct {
  double even[CAS_HOPPE_YAU_MOST / 2], odd[CAS_HOPPE_YAU_MOST / 2];
} folded;

static void fold(const cas_hoppe_yau *b, int m, component *at, int stride, const double *x,
                 folded *f) {
  int N = b->N, n = N - m;
  for (int k = 0; k < (n + 1) / 2; k++) {
    double near = x[at(N, k, k + m) * stride], far = x[at(N, n - 1 - k, N - 1 - k) * stride];
    bool middle = k == n - 1 - k;
    f->even[k] = middle ? near : near + far;
    f->odd[k] = middle ? 0 : near - far;
  }
}

/* <B_lm, diagonal>, i = l - m */
static double project(const cas_hoppe_yau *b, int m, int i, const folded *f) {
  double space[CAS_HOPPE_YAU_MOST / 2 + 8], sum = 0;
  const double *row = cas_hoppe_yau_vector(b, m + i, m, space), *part = i % 2 ? f->odd : f->even;
  for (int k = 0; k < (b->N - m + 1) / 2; k++)
    sum += row[k] * part[k];
  return sum;
}

/* out[l - m] = <B_lm, diagonal> */
static void analyse(const cas_hoppe_yau *b, int m, component *at, int stride, const double *x,
                    double *out) {
  folded f;
  fold(b, m, at, stride, x, &f);
  for (int i = 0; i < b->N - m; i++)
    out[i] = project(b, m, i, &f);
}

/* diagonal = sum over l of w[l - m] B_lm */
static void synthesise(const cas_hoppe_yau *b, int m, component *at, const double *w, double *x) {
  const int N = b->N, n = N - m, half = (n + 1) / 2;
  double space[CAS_HOPPE_YAU_MOST / 2 + 8], part[2][CAS_HOPPE_YAU_MOST / 2];
  for (int k = 0; k < half; k++)
    part[0][k] = part[1][k] = 0;
  for (int i = 0; i < n; i++) {
    const double *row = w[i] != 0 ? cas_hoppe_yau_vector(b, m + i, m, space) : NULL;
    for (int k = 0; row && k < half; k++)
      part[i % 2][k] += w[i] * row[k];
  }
  for (int k = 0; k < half; k++) {
    x[at(N, n - 1 - k, N - 1 - k)] = part[0][k] - part[1][k];
    x[at(N, k, k + m)] = part[0][k] + part[1][k];
  }
}

void cas_hoppe_yau_coefficients(const cas_hoppe_yau *b, int stride, const double *x,
                                double *omega) {
  double re[CAS_HOPPE_YAU_MOST], im[CAS_HOPPE_YAU_MOST];
  analyse(b, 0, on_diagonal, stride, x, im);
  for (int l = 1; l < b->N; l++)
    omega[cas_hoppe_yau_mode(l, 0)] = im[l];
  for (int m = 1; m < b->N; m++) {
    analyse(b, m, cas_su_n_re, stride, x, re);
    analyse(b, m, cas_su_n_im, stride, x, im);
    for (int l = m; l < b->N; l++) {
      omega[cas_hoppe_yau_mode(l, m)] = sqrt(2) * re[l - m];
      omega[cas_hoppe_yau_mode(l, -m)] = sqrt(2) * im[l - m];
    }
  }
}

double cas_hoppe_yau_coefficient(const cas_hoppe_yau *b, int stride, const double *x, int l,
                                 int m) {
  const int order = m < 0 ? -m : m;
  folded f;
  fold(b, order, m > 0 ? cas_su_n_re : m < 0 ? cas_su_n_im : on_diagonal, stride, x, &f);
  return (m ? sqrt(2) : 1) * project(b, order, l - order, &f);
}

void cas_hoppe_yau_state(const cas_hoppe_yau *b, const double *omega, double *x) {
  double re[CAS_HOPPE_YAU_MOST], im[CAS_HOPPE_YAU_MOST] = {0};
  for (int l = 1; l < b->N; l++)
    im[l] = omega[cas_hoppe_yau_mode(l, 0)];
  synthesise(b, 0, on_diagonal, im, x);
  for (int m = 1; m < b->N; m++) {
    for (int l = m; l < b->N; l++) {
      re[l - m] = sqrt(0.5) * omega[cas_hoppe_yau_mode(l, m)];
      im[l - m] = sqrt(0.5) * omega[cas_hoppe_yau_mode(l, -m)];
    }
    synthesise(b, m, cas_su_n_re, re, x);
    synthesise(b, m, cas_su_n_im, im, x);
  }
}

double cas_hoppe_yau_physical_bracket(int N) {
  double n = N, pi = acos(-1);
  return sqrt(n * (n * n - 1) / (16 * pi));
}
