#include "math/harmonics/hoppe_yau.h"
#include "base/scratch.h"

/* The first n entries of the diagonal of -Lap on the m-th diagonal, and those beside them. */
static void tridiagonal(int N, int m, int n, double *diagonal, double *off) {
  double s = 0.5 * (N - 1);
  for (int k = 0; k < n; k++) {
    double a = s - k, b = a - m;
    diagonal[k] = 2 * (s * (s + 1) - a * b);
    off[k] = -sqrt((s * (s + 1) - a * (a - 1)) * (s * (s + 1) - b * (b - 1)));
  }
}

/* Vectors of SIDE degrees lie side by side: the divisions of one wait for each other, those of
   different ones do not. */
enum { SIDE = 8, LONGEST = CAS_HOPPE_YAU_MOST / 2 };
typedef double beside[LONGEST][SIDE];

static void find_next(const double *value, double diagonal, double below, double above,
                      const double *before, const double *now, double *restrict next) {
  for (int j = 0; j < SIDE; j++)
    next[j] = ((value[j] - diagonal) * now[j] - below * before[j]) / above;
}

/* Finds the vectors of degrees l .. l + SIDE - 1 by the three terms of a row of the matrix, from
   component 0, which is 1 before normalisation and so positive, to the middle, beyond which the
   vector is even or odd. Components that are small at the edge grow away from it, so that errors
   stay at rounding; underflow gives 0. Degrees above N - 1 get numbers that nobody reads. */
static void find_vectors(int N, int l, int m, const double *diagonal, const double *off, beside v) {
  const double huge = 0x1p+500;
  const int n = N - m, half = (n + 1) / 2;
  double value[SIDE];
  for (int j = 0; j < SIDE; j++) {
    const int degree = l + j < N ? l + j : N - 1;
    value[j] = degree * (degree + 1.0);
    v[0][j] = 1;
  }
  for (int k = 0; k + 1 < half; k++) {
    find_next(value, diagonal[k], k ? off[k - 1] : 0, off[k], v[k ? k - 1 : 0], v[k], v[k + 1]);
    double largest = 0;
    for (int j = 0; j < SIDE; j++)
      largest = fabs(v[k + 1][j]) > largest ? fabs(v[k + 1][j]) : largest;
    for (int j = 0; largest > huge && j < SIDE; j++)
      for (int i = fabs(v[k + 1][j]) > huge ? k + 1 : -1; i >= 0; i--)
        v[i][j] /= huge;
  }
  double square[SIDE] = {0}, length[SIDE];
  for (int j = (l + 1 - m) % 2; n % 2 && j < SIDE; j += 2)
    v[half - 1][j] = 0;
  for (int k = 0; k < half; k++)
    for (int j = 0; j < SIDE; j++)
      square[j] += (n % 2 && k == half - 1 ? 1 : 2) * v[k][j] * v[k][j];
  for (int j = 0; j < SIDE; j++)
    length[j] = sqrt(square[j]);
  for (int k = 0; k < half; k++)
    for (int j = 0; j < SIDE; j++)
      v[k][j] /= length[j];
}

static void copy(int N, int m, beside v, int j, double *row) {
  const int half = (N - m + 1) / 2;
  for (int k = 0; k < half; k++)
    row[k] = v[k][j];
  for (int k = half; k < cas_hoppe_yau_row(N, m); k++)
    row[k] = 0;
}

/* ---- creation ---- */

/* In doubles. */
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

/* Where the real parts of diagonal m begin in a packed state, or the imaginary ones; m = 0 has
   these alone. */
static int begin_of(int N, int m, int imaginary) {
  return m ? N + imaginary * (N * (N - 1) / 2) : 0;
}

static void factorise(cas_hoppe_yau *b, int m, bool singular, const double *diagonal,
                      const double *off) {
  const int N = b->N, n = N - m, begin = begin_of(N, m, 0);
  double pivot = diagonal[0];
  for (int k = 0; k < n; k++) {
    bool last = k + 1 == n;
    double below = last ? 0 : off[k] / pivot;
    b->lower[begin + cas_hoppe_yau_place(N, k, m)] = below;
    b->inverse[begin + cas_hoppe_yau_place(N, k, m)] = last && singular ? 0 : 1 / pivot;
    if (!last)
      pivot = diagonal[k + 1] - below * off[k];
  }
}

static bool is_kept(const cas_hoppe_yau *b, int l, int m) {
  return l >= cas_hoppe_yau_lowest(b, m) && l < b->end;
}

static void compute_beside(const cas_hoppe_yau *b, int l, int m, beside v) {
  double diagonal[LONGEST], off[LONGEST];
  tridiagonal(b->N, m, (b->N - m + 1) / 2, diagonal, off);
  find_vectors(b->N, l, m, diagonal, off, v);
}

/* The vectors of l .. l + SIDE - 1, as far as such degrees exist, from kept rows or computed. */
static void find_beside(const cas_hoppe_yau *b, int l, int m, beside v) {
  const int half = (b->N - m + 1) / 2, count = l + SIDE < b->N ? SIDE : b->N - l;
  if (is_kept(b, l, m) && is_kept(b, l + count - 1, m)) {
    for (int j = 0; j < SIDE; j++) {
      const double *row = cas_hoppe_yau_vector(b, l + (j < count ? j : 0), m, NULL);
      for (int k = 0; k < half; k++)
        v[k][j] = row[k];
    }
    return;
  }
  compute_beside(b, l, m, v);
}

const double *cas_hoppe_yau_vector(const cas_hoppe_yau *b, int l, int m, double *space) {
  if (is_kept(b, l, m))
    return b->half + b->first[m] +
           (size_t)(l - cas_hoppe_yau_lowest(b, m)) * (size_t)cas_hoppe_yau_row(b->N, m);
  beside v;
  find_beside(b, l, m, v);
  copy(b->N, m, v, 0, space);
  return space;
}

void cas_hoppe_yau_unfold(const cas_hoppe_yau *b, int l, int m, double *out) {
  const int n = b->N - m;
  double space[LONGEST + 8];
  const double *half = cas_hoppe_yau_vector(b, l, m, space);
  for (int k = 0; k < (n + 1) / 2; k++) {
    out[n - 1 - k] = (l - m) % 2 ? -half[k] : half[k];
    out[k] = half[k];
  }
}

void cas_hoppe_yau_add_lamb(double lamb, cas_hoppe_yau *b) {
  const double s = 0.5 * (b->N - 1);
  double diagonal[CAS_HOPPE_YAU_MOST], off[CAS_HOPPE_YAU_MOST];
  for (int m = 0; m < b->N; m++) {
    tridiagonal(b->N, m, b->N - m, diagonal, off);
    for (int k = 0; k < b->N - m; k++)
      diagonal[k] += lamb * (s - k - 0.5 * m) * (s - k - 0.5 * m) / (s * (s + 1));
    factorise(b, m, m == 0 && lamb == 0, diagonal, off);
  }
}

static void fill(cas_hoppe_yau *b) {
  beside v;
  cas_hoppe_yau_add_lamb(0, b);
  for (int m = 0; m < b->N; m++) {
    b->first[m] = rows_before(b, m);
    double *row = b->half + b->first[m];
    const int lowest = cas_hoppe_yau_lowest(b, m);
    for (int l = lowest; l < b->end; l++, row += cas_hoppe_yau_row(b->N, m)) {
      if ((l - lowest) % SIDE == 0)
        compute_beside(b, l, m, v);
      copy(b->N, m, v, (l - lowest) % SIDE, row);
    }
  }
}

cas_status cas_hoppe_yau_create(int N, int begin, int end, cas_hoppe_yau *b, cas_error *err) {
  const bool whole = N <= CAS_HOPPE_YAU_WHOLE;
  *b = (cas_hoppe_yau){.N = N, .begin = whole ? 0 : begin, .end = whole ? N : end};
  const size_t half = rows_before(b, N) * sizeof(double), bytes = cas_hoppe_yau_bytes(b);
  const double machine = cas_scratch_of_machine();
  CAS_FAIL_IF((double)bytes > machine, CAS_NO_MEMORY,
              "out of memory: the eigenvectors of the degrees %d to %d that N = %d keeps need "
              "%.3g GB, of %.3g GB that this machine has",
              b->begin, b->end - 1, N, (double)bytes / 1e9, machine / 1e9);
  b->half = aligned_alloc(64, half ? half : 64);
  b->first = calloc((size_t)N, sizeof *b->first);
  b->lower = calloc(packed(N), sizeof *b->lower);
  b->inverse = calloc(packed(N), sizeof *b->inverse);
  if (b->half && b->first && b->lower && b->inverse) {
    fill(b);
    return CAS_OK;
  }
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

/* Sums, at 0, and differences, at 1, of components equally far from the middle of a diagonal. */
typedef double folded[LONGEST][2];

static void fold(int N, int m, int imaginary, int stride, const double *x, folded f) {
  const int n = N - m;
  x += begin_of(N, m, imaginary) * stride;
  for (int k = 0; k < (n + 1) / 2; k++) {
    const double near = x[cas_hoppe_yau_place(N, k, m) * stride],
                 far = x[cas_hoppe_yau_place(N, n - 1 - k, m) * stride];
    bool middle = k == n - 1 - k;
    f[k][0] = middle ? near : near + far;
    f[k][1] = middle ? 0 : near - far;
  }
}

/* omega[part][l - m] = <B_lm, diagonal> */
static void analyse(const cas_hoppe_yau *b, int m, int stride, const double *x,
                    double omega[2][CAS_HOPPE_YAU_MOST]) {
  folded f[2];
  beside v;
  const int n = b->N - m, parts = m ? 2 : 1;
  for (int part = 0; part < parts; part++)
    fold(b->N, m, part, stride, x, f[part]);
  for (int i = 0; i < n; i += SIDE) {
    find_beside(b, m + i, m, v);
    for (int part = 0; part < parts; part++) {
      double sum[SIDE] = {0};
      for (int k = 0; k < (n + 1) / 2; k++)
        for (int j = 0; j < SIDE; j++)
          sum[j] += v[k][j] * f[part][k][j % 2];
      for (int j = 0; j < SIDE && i + j < n; j++)
        omega[part][i + j] = sum[j];
    }
  }
}

/* Number of degrees from i on, at most SIDE, up to the last whose coefficient is not 0. */
static int count_needed(int n, int i, int parts, double omega[2][CAS_HOPPE_YAU_MOST]) {
  int needed = 0;
  for (int part = 0; part < parts; part++)
    for (int j = needed; j < SIDE && i + j < n; j++)
      if (omega[part][i + j] != 0)
        needed = j + 1;
  return needed;
}

/* diagonal = sum over l of omega[part][l - m] B_lm, left alone if all are 0 */
static void synthesise(const cas_hoppe_yau *b, int m, double omega[2][CAS_HOPPE_YAU_MOST],
                       double *x) {
  folded f[2];
  beside v;
  const int N = b->N, n = N - m, half = (n + 1) / 2, parts = m ? 2 : 1;
  bool any = false;
  for (int part = 0; part < parts; part++)
    memset(f[part], 0, (size_t)half * sizeof *f[part]);
  for (int i = 0; i < n; i += SIDE) {
    const int needed = count_needed(n, i, parts, omega);
    any |= needed > 0;
    if (needed)
      find_beside(b, m + i, m, v);
    for (int part = 0; part < parts; part++)
      for (int k = 0; needed && k < half; k++)
        for (int j = 0; j < needed; j++)
          f[part][k][j % 2] += omega[part][i + j] * v[k][j];
  }
  for (int part = 0; any && part < parts; part++)
    for (int k = 0; k < half; k++) {
      double *diagonal = x + begin_of(N, m, part);
      diagonal[cas_hoppe_yau_place(N, n - 1 - k, m)] = f[part][k][0] - f[part][k][1];
      diagonal[cas_hoppe_yau_place(N, k, m)] = f[part][k][0] + f[part][k][1];
    }
}

void cas_hoppe_yau_coefficients(const cas_hoppe_yau *b, int stride, const double *x,
                                double *omega) {
  double part[2][CAS_HOPPE_YAU_MOST];
  for (int m = 0; m < b->N; m++) {
    analyse(b, m, stride, x, part);
    for (int l = m ? m : 1; l < b->N; l++) {
      omega[cas_hoppe_yau_mode(l, m) * stride] = (m ? sqrt(2) : 1) * part[0][l - m];
      if (m)
        omega[cas_hoppe_yau_mode(l, -m) * stride] = sqrt(2) * part[1][l - m];
    }
  }
}

double cas_hoppe_yau_coefficient(const cas_hoppe_yau *b, int stride, const double *x, int l,
                                 int m) {
  const int order = m < 0 ? -m : m;
  double space[LONGEST + 8], sum = 0;
  folded f;
  fold(b->N, order, m < 0, stride, x, f);
  const double *row = cas_hoppe_yau_vector(b, l, order, space);
  for (int k = 0; k < (b->N - order + 1) / 2; k++)
    sum += row[k] * f[k][(l - order) % 2];
  return (m ? sqrt(2) : 1) * sum;
}

void cas_hoppe_yau_state(const cas_hoppe_yau *b, const double *omega, double *x) {
  double part[2][CAS_HOPPE_YAU_MOST];
  part[0][0] = part[1][0] = 0;
  memset(x, 0, (size_t)b->N * (size_t)b->N * sizeof *x);
  for (int m = 0; m < b->N; m++) {
    for (int l = m ? m : 1; l < b->N; l++) {
      part[0][l - m] = (m ? sqrt(0.5) : 1) * omega[cas_hoppe_yau_mode(l, m)];
      part[1][l - m] = sqrt(0.5) * omega[cas_hoppe_yau_mode(l, -m)];
    }
    synthesise(b, m, part, x);
  }
}

double cas_hoppe_yau_physical_bracket(int N) {
  double n = N, pi = acos(-1);
  return sqrt(n * (n * n - 1) / (16 * pi));
}
