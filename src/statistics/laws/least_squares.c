/* Generalised least squares at a given exponent: with the Cholesky factor L of the covariance,
   whitened values L^-1 y are fitted by whitened columns L^-1 b(e), linear in the coefficients,
   through an orthogonal basis of the columns. */
#include "statistics/laws/least_squares.h"
#include "base/scratch.h"
#include "math/blas/cholesky.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The standard deviation, relative to a value, that is added to the value's own: no law and no
   covariance is known more exactly. */
#define RELATIVE_ERROR 1e-9

/* ---- basis functions ---- */

double cas_law_points_offset(const cas_law_points *p, int k) {
  return p->offset ? p->offset[k] : k;
}

/* The basis function ((h/g)^e - (f/g)^e) / e of a value, with its step h, its finer step f and the
   coarsest step g, smooth through e = 0; (h/g)^e if there are no finer steps. */
static double basis(const cas_window *w, int i, double e) {
  double power = exp(e * w->logarithm[i]), x = w->logarithm[w->n + i], u = -e * x;
  if (!w->p->finer)
    return power;
  return power * x * (fabs(u) < 1e-8 ? 1 + u / 2 : expm1(u) / u);
}

double cas_law_points_basis_scale(const cas_law_points *p, double e) {
  return pow(p->step[0], -e) * (p->finer ? 1 / e : 1);
}

/* ---- whitening ---- */

static void whiten(const cas_window *w, double *x) {
  if (w->factor)
    cas_cholesky_solve_lower(w->n, w->factor, x);
  else
    for (int i = 0; i < w->n; i++)
      x[i] /= fmax(fabs(w->p->value[w->first + i]), DBL_MIN);
}

static bool factorise(cas_window *w) {
  const cas_law_points *p = w->p;
  if (p->exact) {
    free(w->factor);
    w->factor = NULL;
    return true;
  }
  for (int i = 0; i < w->n; i++)
    for (int j = 0; j < w->n; j++)
      w->factor[i * w->n + j] = p->covariance[(w->first + i) * p->n + w->first + j];
  for (int i = 0; i < w->n; i++) {
    double least = fmax(p->rounding, RELATIVE_ERROR * fabs(p->value[w->first + i]));
    w->factor[i * w->n + i] += least * least;
  }
  return cas_cholesky(w->n, w->factor);
}

static bool is_fittable(const cas_window *w) {
  for (int i = 0; i < w->n; i++)
    if (!isfinite(w->p->value[w->first + i]))
      return false;
  for (int i = 0; i < w->n; i++)
    if (w->p->value[w->first + i] != 0)
      return true;
  return false;
}

bool cas_window_open(cas_window *w, const cas_law_points *p, int first, bool *usable) {
  size_t n = (size_t)(p->n - first) + 1; /* not 0, for malloc */
  *w = (cas_window){.p = p, .first = first, .n = p->n - first};
  w->factor = cas_scratch(n * n * sizeof(double));
  w->y = cas_scratch(n * sizeof(double));
  w->logarithm = cas_scratch(2 * n * sizeof(double));
  w->column = cas_scratch((2 * CAS_LAW_POWERS + 1) * n * sizeof(double));
  *usable = false;
  if (!w->factor || !w->y || !w->logarithm || !w->column)
    return false;
  for (int i = 0; i < w->n; i++) {
    double h = w->p->step[w->first + i];
    w->logarithm[i] = log(h / w->p->step[0]);
    w->logarithm[w->n + i] = w->p->finer ? log(h / w->p->finer[w->first + i]) : 0;
  }
  *usable = is_fittable(w) && factorise(w);
  if (*usable) {
    memcpy(w->y, p->value + first, (size_t)w->n * sizeof *w->y);
    whiten(w, w->y);
  }
  return true;
}

void cas_window_close(cas_window *w) {
  free(w->factor);
  free(w->y);
  free(w->logarithm);
  free(w->column);
}

/* ---- one exponent ---- */

static double dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += a[i] * b[i];
  return sum;
}

/* Removes the part along the unit vector q from x, and returns the size of this part. */
static double remove_part(int n, const double *q, double *x) {
  double size = dot(n, q, x);
  for (int i = 0; i < n; i++)
    x[i] -= size * q[i];
  return size;
}

typedef double triangle[CAS_LAW_POWERS][CAS_LAW_POWERS];

/* Least squares of y in the columns by modified Gram-Schmidt, twice; returns the squared residual.
   r: the upper triangular factor of the columns. work: [(terms + 1) n]. */
static double fit_columns(int n, int terms, const double *column, const double *y, double *c,
                          triangle r, double *work) {
  double *rest = work + terms * n;
  memset(r, 0, sizeof(triangle));
  memcpy(work, column, (size_t)(terms * n) * sizeof *work);
  memcpy(rest, y, (size_t)n * sizeof *rest);
  for (int k = 0; k < terms; k++) {
    double *q = work + k * n;
    for (int pass = 0; pass < 2; pass++)
      for (int m = 0; m < k; m++)
        r[m][k] += remove_part(n, work + m * n, q);
    r[k][k] = sqrt(dot(n, q, q));
    for (int i = 0; i < n; i++)
      q[i] /= r[k][k];
    c[k] = remove_part(n, q, rest);
  }
  for (int k = terms - 1; k >= 0; k--) {
    for (int m = k + 1; m < terms; m++)
      c[k] -= r[k][m] * c[m];
    c[k] /= r[k][k];
  }
  return dot(n, rest, rest);
}

/* The diagonal of (R^T R)^-1: squared lengths of the rows of R^-1. */
static void diagonal_of_inverse(int terms, triangle r, double *variance) {
  for (int k = 0; k < terms; k++)
    variance[k] = 0;
  for (int column = 0; column < terms; column++) {
    double x[CAS_LAW_POWERS] = {0};
    for (int k = column; k >= 0; k--) {
      x[k] = k == column;
      for (int m = k + 1; m <= column; m++)
        x[k] -= r[k][m] * x[m];
      x[k] /= r[k][k];
      variance[k] += x[k] * x[k];
    }
  }
}

/* Least squares where the first term is sign times the sum of the others at the finest step. */
static cas_solution tied(const cas_window *w, int terms, const double *ratio, double sign) {
  cas_solution s = {0};
  triangle r;
  int n = w->n;
  double *column = w->column + CAS_LAW_TERMS * n;
  for (int k = 1; k < terms; k++)
    for (int i = 0; i < n; i++)
      column[(k - 1) * n + i] = w->column[k * n + i] + sign * ratio[k] * w->column[i];
  s.chi2 = fit_columns(n, terms - 1, column, w->y, s.coefficient + 1, r,
                       column + (CAS_LAW_TERMS - 1) * n);
  for (int k = 1; k < terms; k++)
    s.coefficient[0] += sign * ratio[k] * s.coefficient[k];
  return s;
}

/* The share of the first term; *others: the sum of the others at the finest step, over the basis
   function of the first. */
static double share_of(const cas_solution *s, int terms, const double *ratio, double *others) {
  double sizes = fabs(s->coefficient[0]);
  *others = 0;
  for (int k = 1; k < terms; k++) {
    *others += s->coefficient[k] * ratio[k];
    sizes += fabs(s->coefficient[k] * ratio[k]);
  }
  return fabs(s->coefficient[0]) / sizes;
}

cas_solution cas_window_solve(const cas_window *w, int terms, double e) {
  const cas_law_points *p = w->p;
  cas_solution s = {0};
  double ratio[CAS_LAW_TERMS], others;
  triangle r;
  for (int k = 0; k < terms; k++) {
    double *column = w->column + k * w->n;
    for (int i = 0; i < w->n; i++)
      column[i] = basis(w, i, e + cas_law_points_offset(p, k));
    ratio[k] = column[w->n - 1] / basis(w, w->n - 1, e);
    whiten(w, column);
  }
  s.chi2 =
      fit_columns(w->n, terms, w->column, w->y, s.coefficient, r, w->column + CAS_LAW_TERMS * w->n);
  s.share = share_of(&s, terms, ratio, &others);
  if (p->leading && terms > 1 && fabs(s.coefficient[0]) < fabs(others)) {
    cas_solution plus = tied(w, terms, ratio, 1), minus = tied(w, terms, ratio, -1);
    s = plus.chi2 < minus.chi2 ? plus : minus;
    s.share = share_of(&s, terms, ratio, &others);
  }
  return s;
}

double cas_window_fit(const cas_window *w, int n, const double *exponent, double *coefficient,
                      double *variance) {
  double c[CAS_LAW_POWERS];
  triangle r;
  for (int k = 0; k < n; k++) {
    for (int i = 0; i < w->n; i++)
      w->column[k * w->n + i] = basis(w, i, exponent[k]);
    whiten(w, w->column + k * w->n);
  }
  const double chi2 = fit_columns(w->n, n, w->column, w->y, c, r, w->column + n * w->n);
  if (variance)
    diagonal_of_inverse(n, r, variance);
  for (int k = 0; k < n; k++) {
    const double scale = cas_law_points_basis_scale(w->p, exponent[k]);
    if (coefficient)
      coefficient[k] = c[k] * scale;
    if (variance)
      variance[k] *= scale * scale;
  }
  return chi2;
}

/* ---- errors of coefficients ---- */

/* The whitened derivative of the law by coefficient k, or by the exponent (k = terms). */
static void derivative(const cas_window *w, int terms, double e, const double *c, int k,
                       double *column) {
  const double difference = 1e-5;
  for (int i = 0; i < w->n; i++) {
    double sum = 0, x = e + cas_law_points_offset(w->p, k < terms ? k : 0);
    if (k < terms)
      sum = basis(w, i, x) / cas_law_points_basis_scale(w->p, x);
    for (int m = 0; k == terms && m < terms; m++)
      for (int side = -1; side < 2; side += 2) {
        x = e + cas_law_points_offset(w->p, m) + side * difference;
        sum +=
            side * c[m] * basis(w, i, x) / cas_law_points_basis_scale(w->p, x) / (2 * difference);
      }
    column[i] = sum;
  }
  whiten(w, column);
}

void cas_window_coefficient_variances(const cas_window *w, int terms, double e, const double *c,
                                      bool fixed, double *variance) {
  int n = w->n, m = terms + !fixed;
  double gram[(CAS_LAW_TERMS + 1) * (CAS_LAW_TERMS + 1)], norm[CAS_LAW_TERMS + 1];
  double *column = cas_scratch((size_t)(n * m) * sizeof *column);
  for (int k = 0; column && k < m; k++) {
    derivative(w, terms, e, c, k, column + k * n);
    norm[k] = sqrt(dot(n, column + k * n, column + k * n));
  }
  for (int k = 0; column && k < m; k++)
    for (int l = 0; l < m; l++)
      gram[k * m + l] = dot(n, column + k * n, column + l * n) / (norm[k] * norm[l]);
  bool inverted = column && cas_cholesky(m, gram);
  if (inverted)
    cas_cholesky_inverse(m, gram);
  for (int k = 0; k < terms; k++)
    variance[k] = inverted ? gram[k * m + k] / (norm[k] * norm[k]) : NAN;
  free(column);
}
