/* The matrices that states of an algebra stand for, for tests; [n][n] in a row. */
#ifndef MATRICES_H
#define MATRICES_H

#include "math/kernels/kernels.h"
#include "suite.h"

#include <complex.h>
#include <string.h>

#undef I

typedef double complex entry;

static const entry i_unit = (entry)_Complex_I;

/* A matrix of zeros, which the suite frees. */
static inline entry *matrix(int n) {
  entry *m = calloc((size_t)(n * n), sizeof *m);
  ck_assert_ptr_nonnull(m);
  suite_keep(m, free);
  return m;
}

/* Rows of the matrices of a factor of a state, of algebras of this n. */
static inline int rows_of(const char *algebra, int n) {
  return strcmp(algebra, "su2") == 0 ? 2 : strcmp(algebra, "so3") == 0 ? 3 : n;
}

/* The matrix of numbers of a factor that are `stride` apart: antisymmetric, or skew-Hermitian. */
static inline void unpack(const char *algebra, int n, int stride, const double *x, entry *m) {
  if (strcmp(algebra, "su2") == 0) { /* -(i/2) x.(Pauli matrices) */
    const entry pauli[4] = {x[2 * stride], x[0] - i_unit * x[stride], x[0] + i_unit * x[stride],
                            -x[2 * stride]};
    for (int i = 0; i < 4; i++)
      m[i] = -0.5 * i_unit * pauli[i];
    return;
  }
  if (strcmp(algebra, "so3") == 0) {
    const double minor[3] = {-x[2 * stride], x[stride], -x[0]};
    unpack("so_n", 3, 1, minor, m);
    return;
  }
  const bool real = strcmp(algebra, "so_n") == 0;
  const int pairs = n * (n - 1) / 2;
  for (int i = 0, k = 0; i < n; i++) {
    m[i * n + i] = real ? 0 : i_unit * x[i * stride];
    for (int j = i + 1; j < n; j++, k++) {
      m[i * n + j] =
          real ? x[k * stride] : x[(n + k) * stride] + i_unit * x[(n + pairs + k) * stride];
      m[j * n + i] = -conj(m[i * n + j]);
    }
  }
}

/* The numbers of a factor that has this matrix. */
static inline void pack(const char *algebra, int n, const entry *m, double *x) {
  if (strcmp(algebra, "su2") == 0) {
    x[0] = -2 * cimag(m[1]);
    x[1] = -2 * creal(m[1]);
    x[2] = -2 * cimag(m[0]);
  } else if (strcmp(algebra, "so3") == 0) {
    x[0] = creal(m[7]);
    x[1] = creal(m[2]);
    x[2] = creal(m[3]);
  } else {
    const bool real = strcmp(algebra, "so_n") == 0;
    const int pairs = n * (n - 1) / 2;
    for (int i = 0, k = 0; i < n; i++) {
      if (!real)
        x[i] = cimag(m[i * n + i]);
      for (int j = i + 1; j < n; j++, k++) {
        x[real ? k : n + k] = creal(m[i * n + j]);
        if (!real)
          x[n + pairs + k] = cimag(m[i * n + j]);
      }
    }
  }
}

/* out = a b + sign b a, without the function for infinities that C calls for a product of complex
   numbers; out is none of them. */
static inline void both_products(int n, const entry *a, const entry *b, double sign, entry *out) {
  memset(out, 0, (size_t)(n * n) * sizeof *out);
  for (int side = 0; side < (sign == 0 ? 1 : 2); side++)
    for (int i = 0; i < n; i++)
      for (int k = 0; k < n; k++) {
        const entry left = side ? sign * b[i * n + k] : a[i * n + k];
        const double re = creal(left), im = cimag(left),
                     *from = (const double *)((side ? a : b) + k * n);
        double *to = (double *)(out + i * n);
        for (int j = 0; j < 2 * n; j += 2) {
          to[j] += re * from[j] - im * from[j + 1];
          to[j + 1] += re * from[j + 1] + im * from[j];
        }
      }
}

static inline void multiply(int n, const entry *a, const entry *b, entry *out) {
  both_products(n, a, b, 0, out);
}

/* out = a b - b a */
static inline void commutator(int n, const entry *a, const entry *b, entry *out) {
  both_products(n, a, b, -1, out);
}

/* J_a of spin (n - 1)/2, whose eigenvalues of a = 2 fall along the diagonal. */
static inline entry *spin(int n, int a) {
  const double s = 0.5 * (n - 1);
  entry *j = matrix(n);
  for (int k = 0; k < n; k++) {
    const double m = s - k, up = 0.5 * sqrt(s * (s + 1) - m * (m - 1));
    if (a == 2)
      j[k * n + k] = m;
    if (a < 2 && k + 1 < n) {
      j[k * n + k + 1] = a == 0 ? up : -i_unit * up;
      j[(k + 1) * n + k] = conj(j[k * n + k + 1]);
    }
  }
  return j;
}

#endif
