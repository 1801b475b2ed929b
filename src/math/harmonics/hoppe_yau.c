#include "math/harmonics/hoppe_yau.h"
#include "math/algebra/su_n.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The first n entries of the diagonal of -Lap on the m-th diagonal, and those beside them. */
static void tridiagonal(int N, int m, int n, double *diagonal, double *off) {
  double s = 0.5 * (N - 1);
  for (int k = 0; k < n; k++) {
    double a = s - k, b = a - m;
    diagonal[k] = 2 * (s * (s + 1) - a * b);
    off[k] = -sqrt((s * (s + 1) - a * (a - 1)) * (s * (s + 1) - b * (b - 1)));
  }
}

/* By the three terms of a row of the tridiagonal matrix, from component 0, which is 1 before the
   vector gets its length and so has its sign without a rule, to the middle, beyond which the vector
   is even or odd. Components grow away from the edge wherever they are small there, so that errors
   stay at rounding; those below the smallest number become 0. */
static void find_vector(int N, int l, int m, const double *diagonal, const double *off,
                        double *row) {
  const double huge = 0x1p+500, value = l * (l + 1.0);
  const int n = N - m, half = (n + 1) / 2;
  double square = 0;
  memset(row, 0, (size_t)cas_hoppe_yau_row(N, m) * sizeof *row);
  row[0] = 1;
  for (int k = 0; k + 1 < half; k++) {
    const double before = k ? off[k - 1] * row[k - 1] : 0;
    row[k + 1] = ((value - diagonal[k]) * row[k] - before) / off[k];
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

static void factorise(cas_hoppe_yau *b, int m, bool singular, const double *diagonal,
                      const double *off) {
  int N = b->N, n = N - m;
  double pivot = diagonal[0];
  for (int k = 0; k < n; k++) {
    bool last = k + 1 == n;
    double below = last ? 0 : off[k] / pivot;
    b->lower[place(N, k, m)] = below;
    b->inverse[place(N, k, m)] = last && singular ? 0 : 1 / pivot;
    if (!last)
      pivot = diagonal[k + 1] - below * off[k];
  }
}

const double *cas_hoppe_yau_vector(const cas_hoppe_yau *b, int l, int m, double *space) {
  const size_t length = (size_t)cas_hoppe_yau_row(b->N, m);
  const int lowest = cas_hoppe_yau_lowest(b, m);
  if (l >= lowest && l < b->end)
    return b->half + b->first[m] + (size_t)(l - lowest) * length;
  double diagonal[CAS_HOPPE_YAU_MOST], off[CAS_HOPPE_YAU_MOST];
  tridiagonal(b->N, m, (b->N - m + 1) / 2, diagonal, off);
  find_vector(b->N, l, m, diagonal, off, space);
  return space;
}

void cas_hoppe_yau_unfold(const cas_hoppe_yau *b, int l, int m, double *out) {
  const int n = b->N - m;
  double space[CAS_HOPPE_YAU_MOST / 2 + 8];
  const double *half = cas_hoppe_yau_vector(b, l, m, space);
  for (int k = 0; k < (n + 1) / 2; k++) {
    out[n - 1 - k] = (l - m) % 2 ? -half[k] : half[k];
    out[k] = half[k];
  }
}

static void fill(cas_hoppe_yau *b) {
  double diagonal[CAS_HOPPE_YAU_MOST], off[CAS_HOPPE_YAU_MOST];
  for (int m = 0; m < b->N; m++) {
    tridiagonal(b->N, m, b->N - m, diagonal, off);
    factorise(b, m, m == 0, diagonal, off);
    b->first[m] = rows_before(b, m);
    double *row = b->half + b->first[m];
    for (int l = cas_hoppe_yau_lowest(b, m); l < b->end; l++, row += cas_hoppe_yau_row(b->N, m))
      find_vector(b->N, l, m, diagonal, off, row);
  }
}

void cas_hoppe_yau_add_lamb(double lamb, cas_hoppe_yau *b) {
  const double s = 0.5 * (b->N - 1);
  double diagonal[CAS_HOPPE_YAU_MOST], off[CAS_HOPPE_YAU_MOST];
  for (int m = 0; m < b->N; m++) {
    tridiagonal(b->N, m, b->N - m, diagonal, off);
    for (int k = 0; k < b->N - m; k++)
      diagonal[k] += lamb * (s - k - 0.5 * m) * (s - k - 0.5 * m) / (s * (s + 1));
    factorise(b, m, false, diagonal, off);
  }
}

cas_status cas_hoppe_yau_create(int N, int begin, int end, cas_hoppe_yau *b, cas_error *err) {
  const bool whole = N <= CAS_HOPPE_YAU_WHOLE;
  *b = (cas_hoppe_yau){.N = N, .begin = whole ? 0 : begin, .end = whole ? N : end};
  const size_t half = rows_before(b, N) * sizeof(double);
  b->half = aligned_alloc(64, half ? half : 64);
  b->first = calloc((size_t)N, sizeof *b->first);
  b->lower = calloc(packed(N), sizeof *b->lower);
  b->inverse = calloc(packed(N), sizeof *b->inverse);
  if (b->half && b->first && b->lower && b->inverse) {
    fill(b);
    return CAS_OK;
  }
  const size_t bytes = cas_hoppe_yau_bytes(b);
  cas_hoppe_yau_free(b);
  return cas_fail(err, CAS_NO_MEMORY, "out of memory: the basis for N = %d needs %zu bytes", N,
                  bytes);
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
