/* Products of so(n), n <= 10 a constant: every index and sign is known to the compiler, which reads
   the packed entries where they are and leaves out what is zero. A bracket takes n (n-1) (n-2)
   fused multiply-adds, as few as its definition has. */
#ifndef CAS_SO_N_CONSTANT_H
#define CAS_SO_N_CONSTANT_H

#include "math/algebra/so_n.h"

/* a tile: its sums and three factors stay in 16 registers, and with 32 a larger one is slower */
enum { CAS_SO_N_ROWS = 2, CAS_SO_N_COLUMNS = 5 };

/* the entry (i, j), i != j, is a[place], and -a[place] for i > j */
CAS_INLINE int cas_so_n_place(int n, int i, int j) {
  return i < j ? cas_so_n_entry(n, i, j) : cas_so_n_entry(n, j, i);
}

typedef struct {
  cas_vec sum[CAS_SO_N_ROWS][CAS_SO_N_COLUMNS];
} cas_so_n_sums;

/* sums of a b, or -a b if `minus`, for rows i .. and columns j ..; upper: above the diagonal; full:
   a has all n x n entries, row by row */
CAS_INLINE void cas_so_n_multiply_add(int n, int i, int j, bool upper, bool minus, bool full,
                                      const cas_vec *a, const cas_vec *b, cas_so_n_sums *s) {
  CAS_SO_N_UNROLL for (int k = 0; k < n; k++) {
    CAS_SO_N_UNROLL for (int c = 0; c < CAS_SO_N_COLUMNS; c++) {
      if (j + c >= n || k == j + c)
        continue;
      cas_vec right = cas_vec_in_register(b[cas_so_n_place(n, k, j + c)]);
      CAS_SO_N_UNROLL for (int r = 0; r < CAS_SO_N_ROWS; r++) {
        if (i + r >= n || (!full && k == i + r) || (upper && i + r >= j + c))
          continue;
        cas_vec left = a[full ? (i + r) * n + k : cas_so_n_place(n, i + r, k)];
        if (((!full && k < i + r) != (j + c < k)) != minus)
          s->sum[r][c] -= left * right;
        else
          s->sum[r][c] += left * right;
      }
    }
  }
}

/* Sums above the diagonal, packed, or all of them. */
CAS_INLINE void cas_so_n_store(int n, int i, int j, bool upper, const cas_so_n_sums *s,
                               cas_vec *out) {
  CAS_SO_N_UNROLL for (int r = 0; r < CAS_SO_N_ROWS; r++) {
    CAS_SO_N_UNROLL for (int c = 0; c < CAS_SO_N_COLUMNS; c++) {
      if (i + r < (upper ? j + c : n) && j + c < n)
        out[upper ? cas_so_n_place(n, i + r, j + c) : (i + r) * n + j + c] = s->sum[r][c];
    }
  }
}

/* [a, b] above the diagonal */
CAS_INLINE void cas_so_n_bracket_tile(int n, int i, int j, const cas_vec *a, const cas_vec *b,
                                      cas_vec *bracket) {
  cas_so_n_sums s = {{{{0}}}};
  if (j >= n)
    return;
  cas_so_n_multiply_add(n, i, j, true, false, false, a, b, &s);
  cas_so_n_multiply_add(n, i, j, true, true, false, b, a, &s);
  cas_so_n_store(n, i, j, true, &s, bracket);
}

/* P = Q X or, with P as q and X = Q, P Q above the diagonal, antisymmetric for P = Q X */
CAS_INLINE void cas_so_n_product_tile(int n, int i, int j, bool upper, const cas_vec *q,
                                      const cas_vec *x, cas_vec *p) {
  cas_so_n_sums s = {{{{0}}}};
  if (j >= n)
    return;
  cas_so_n_multiply_add(n, i, j, upper, false, upper, q, x, &s);
  cas_so_n_store(n, i, j, upper, &s, p);
}

/* Tiles of a matrix, or of its part above the diagonal; neither a loop nor a pointer to a function:
   clang would unroll what is inside before it knows i and j. */
#define CAS_SO_N_BAND(n, i, j, tile, ...)              \
  do {                                                 \
    if ((i) < (n)) {                                   \
      tile(n, i, j, __VA_ARGS__);                      \
      tile(n, i, (j) + CAS_SO_N_COLUMNS, __VA_ARGS__); \
    }                                                  \
  } while (0)

#define CAS_SO_N_TILES(n, upper, tile, ...)                  \
  do {                                                       \
    CAS_SO_N_BAND(n, 8, (upper) ? 9 : 0, tile, __VA_ARGS__); \
    CAS_SO_N_BAND(n, 6, (upper) ? 7 : 0, tile, __VA_ARGS__); \
    CAS_SO_N_BAND(n, 4, (upper) ? 5 : 0, tile, __VA_ARGS__); \
    CAS_SO_N_BAND(n, 2, (upper) ? 3 : 0, tile, __VA_ARGS__); \
    CAS_SO_N_BAND(n, 0, (upper) ? 1 : 0, tile, __VA_ARGS__); \
  } while (0)

#if CAS_VL > \
    2 /* without instructions of three operands the unrolled products run out of registers */

/* so(10) is the algebra of [EJLL] section 6.2. One vector of lanes at a time leaves more room in
   the first-level cache, and functions of their own keep unrolled code from being compiled for
   every scheme. */

#define cas_so_n_10_NAME "so_n"
#define cas_so_n_10_SANDWICH 1
#define cas_so_n_10_cayley cas_so_n_cayley

CAS_NOT_INLINE void cas_so_n_10_bracket(const cas_geometry *g CAS_UNUSED, int V CAS_UNUSED,
                                        const cas_vec *q, const cas_vec *x, cas_vec *bracket) {
  CAS_SO_N_TILES(10, true, cas_so_n_bracket_tile, q, x, bracket);
}

/* bracket = [Q, X] = P - P^T with P = Q X, sandwich = Q X Q = P Q */
CAS_NOT_INLINE void cas_so_n_10_both(const cas_geometry *g CAS_UNUSED, int V CAS_UNUSED,
                                     const cas_vec *q, const cas_vec *x, cas_vec *bracket,
                                     cas_vec *sandwich) {
  enum { n = 10 };
  cas_vec p[n * n];
  CAS_SO_N_TILES(n, false, cas_so_n_product_tile, false, q, x, p);
  CAS_SO_N_TILES(n, true, cas_so_n_product_tile, true, p, q, sandwich);
  for (int i = 0, k = 0; i < n; i++)
    for (int j = i + 1; j < n; j++, k++)
      bracket[k] = p[i * n + j] - p[j * n + i];
}

CAS_INLINE void cas_so_n_10_coadjoint(const cas_geometry *g, int V, const cas_vec *xi,
                                      const cas_vec *mu, cas_vec *out) {
  cas_so_n_10_bracket(g, V, mu, xi, out);
}

#endif

#endif
