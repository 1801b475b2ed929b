/* su(N), skew-Hermitian N x N matrices, as N^2 real components: the imaginary parts of the
   diagonal, then the real and then the imaginary parts of the entries i < j, row by row. */
#ifndef CAS_SU_N_H
#define CAS_SU_N_H

/* number of the entry i < j among the entries above the diagonal */
static inline int cas_su_n_upper(int N, int i, int j) {
  return i * (2 * N - i - 1) / 2 + j - i - 1;
}

static inline int cas_su_n_re(int N, int i, int j) { return N + cas_su_n_upper(N, i, j); }

static inline int cas_su_n_im(int N, int i, int j) {
  return N + N * (N - 1) / 2 + cas_su_n_upper(N, i, j);
}

#endif
