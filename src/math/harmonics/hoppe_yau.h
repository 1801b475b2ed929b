/* The Hoppe-Yau Laplacian on su(N) and its eigenbasis, the quantised spherical harmonics T_lm,
   [EJLL] section 6.4. With s = (N-1)/2, -Lap acts on the m-th upper diagonal, entries (k, k+m), by
   a real symmetric tridiagonal matrix with the eigenvalues l(l+1), l = m .. N-1; B_lm is its unit
   eigenvector, positive in component k = 0, however small that is, as Y_lm is near the north pole.
   The three terms of each row give the vector from there. T_lm, l = 1 .. N-1, m = -l .. l, are
   skew-Hermitian and orthonormal in the Frobenius product:

       T_l0 = i B_l0,   T_lm = (B_lm - B_lm^T)/sqrt 2,   T_l,-m = i (B_lm + B_lm^T)/sqrt 2,   m > 0

   X = sum of omega_lm T_lm stands for the vorticity sum of omega_lm Y_lm on the unit sphere (see
   sphere.h), and the correspondence commutes with rotations: exp(-i alpha J_z) X exp(i alpha J_z)
   is the map turned eastward by alpha, row k = 0 lies at the north pole.

   States are packed as in math/algebra/su_n.h; `stride` is the distance of their components.
   Compiled once, for all instruction sets: what steps call is in
   systems/sphere/euler_zeitlin_path.c. */
#ifndef CAS_HOPPE_YAU_H
#define CAS_HOPPE_YAU_H

#include "math/algebra/su_n.h"

#include <casimir/status.h>

enum { CAS_HOPPE_YAU_MOST = 4096, CAS_HOPPE_YAU_WHOLE = 512 /* see cas_hoppe_yau_create */ };

typedef struct {
  int N;
  /* B_lm is even (l - m even) or odd under k -> N-m-1-k, so the components k < (N-m+1)/2 are
     enough: a row for each l from cas_hoppe_yau_lowest to `end` - 1, cas_hoppe_yau_row(N, m)
     doubles long and padded with 0, aligned to 64 bytes; first[m] is where the rows of m begin. */
  int begin, end;
  double *half;
  size_t *first;
  /* L D L^T = -Lap on every diagonal, in the places of the packed diagonal and real parts: lower =
     entry of L below (k, k+m), inverse = 1/D. m = 0 is singular: its last 1/D is 0. */
  double *lower, *inverse;
} cas_hoppe_yau;

/** Eigenvectors of the degrees begin .. end - 1 are kept, and of all degrees up to N =
   CAS_HOPPE_YAU_WHOLE. On failure nothing is left to free. */
cas_status cas_hoppe_yau_create(int N, int begin, int end, cas_hoppe_yau *b,
                                cas_error *err) CAS_MUST_CHECK;
void cas_hoppe_yau_free(cas_hoppe_yau *b);
/** Makes L D L^T that of -Lap + lamb z^2, lamb > 0, singular on no diagonal. z X means
    (Z X + X Z)/2 with the diagonal Z of (s - k)/sqrt(s (s + 1)), for which x^2 + y^2 + z^2 = 1. */
void cas_hoppe_yau_add_lamb(double lamb, cas_hoppe_yau *b);
/** Allocated bytes. */
size_t cas_hoppe_yau_bytes(const cas_hoppe_yau *b);

/** The row of (l, m), m >= 0: one that is kept, or computed into `space`, as long as a row. */
const double *cas_hoppe_yau_vector(const cas_hoppe_yau *b, int l, int m, double *space);
/** The whole eigenvector, N - m numbers. */
void cas_hoppe_yau_unfold(const cas_hoppe_yau *b, int l, int m, double *out);

/** The lowest degree of the rows of m that are kept. */
static inline int cas_hoppe_yau_lowest(const cas_hoppe_yau *b, int m) {
  return b->begin > m ? b->begin : m;
}

/** Length of a row of `half`. */
static inline int cas_hoppe_yau_row(int N, int m) { return ((N - m + 1) / 2 + 7) / 8 * 8; }

/** The place of (k, k+m) among the parts above the diagonal, or for m = 0 on the diagonal. */
static inline int cas_hoppe_yau_place(int N, int k, int m) {
  return m ? cas_su_n_upper(N, k, k + m) : k;
}

/** Number of (l, m) among all coefficients, l = 1 .. N-1 ascending and m = -l .. l. */
static inline int cas_hoppe_yau_mode(int l, int m) { return l * l - 1 + l + m; }

/** omega[cas_hoppe_yau_mode(l, m) * stride] = <T_lm, X>; a trace is left out. */
void cas_hoppe_yau_coefficients(const cas_hoppe_yau *b, int stride, const double *x, double *omega);
/** omega[cas_hoppe_yau_mode(l, m) * stride] alone. */
double cas_hoppe_yau_coefficient(const cas_hoppe_yau *b, int stride, const double *x, int l, int m);
/** x = the state with these coefficients. */
void cas_hoppe_yau_state(const cas_hoppe_yau *b, const double *omega, double *x);

/** The factor by which the bracket of su(N) becomes the Poisson bracket of the unit sphere,
   {x, y} = z: sqrt(N (N^2-1) / (16 pi)), from [T_1,-1, T_1,1] against {Y_1,-1, Y_1,1}. */
double cas_hoppe_yau_physical_bracket(int N);

#endif
