/* The Ito drift of the noises (43) of Euler-Zeitlin. As <T, [X, T]> = 0, noise T = T_lm contributes
   w [[X, T], T] with w = (c_l <T_lm, X>)^2. With b the eigenvector on the m-th upper diagonal and
   B = B_lm, w+ and w- of T_lm and T_l,-m, and the matrices

       S = sum over l of (w+ + w-) b b^T,   D = sum over l of (w+ - w-) b b^T,

   all noises of one m together give X G + G X, where 2 G is the sum of D-weighted B^2 + B^T^2 less
   the sum of S-weighted B B^T + B^T B and so has entries of S and D on three diagonals, and

       S_ij X_(i+m,j+m) + S_(i-m,j-m) X_(i-m,j-m) - D_(i,j-m) X_(i+m,j-m) - D_(i-m,j) X_(i-m,j+m).

   S and D cost most, N^4/4 multiplications with all noises; products for each would take N^5. */
#include "systems/sphere/euler_zeitlin.h"

#include "base/lanes.h"
#include "math/algebra/su_n.h"

typedef cas_euler_zeitlin parameters;

/* [(row * columns + column) * lanes + lane], N x N but for S and D, which are (N-m) x (N-m) */
typedef struct {
  double *re, *im; /* X */
  double *s, *d, *g;
} arrays;

CAS_INLINE arrays unpack(int N, int lanes, const double *x, double *workspace) {
  const int size = N * N * lanes;
  arrays a = {workspace, workspace + size, workspace + 2 * size, workspace + 3 * size,
              workspace + 4 * size};
  for (int i = 0; i < N; i++)
    for (int j = i; j < N; j++)
      for (int l = 0; l < lanes; l++) {
        int above = (i * N + j) * lanes + l, below = (j * N + i) * lanes + l;
        a.re[above] = i == j ? 0 : x[cas_su_n_re(N, i, j) * lanes + l];
        a.re[below] = -a.re[above];
        a.im[above] = a.im[below] = x[(i == j ? i : cas_su_n_im(N, i, j)) * lanes + l];
      }
  memset(a.g, 0, (size_t)size * sizeof *a.g);
  return a;
}

/* w+ + w- and w+ - w-. On the main diagonal i B is i/2 (B + B^T), with w- of half the square. */
CAS_INLINE void find_weights(const parameters *p, int lanes, int l, int m, const double *b,
                             const arrays *a, double *sum, double *difference) {
  const int N = (int)p->fluid.N;
  const double c = p->fluid.bracket * p->fluid.amplitude / (l * (l + 1.0));
  double re[CAS_GROUP_LANES] = {0}, im[CAS_GROUP_LANES] = {0};
  for (int k = 0; k < N - m; k++)
    for (int lane = 0; lane < lanes; lane++) {
      int at = (k * N + k + m) * lanes + lane;
      re[lane] += b[k] * a->re[at];
      im[lane] += b[k] * a->im[at];
    }
  for (int lane = 0; lane < lanes; lane++) {
    double plus = 2 * c * c * re[lane] * re[lane],
           minus = (m ? 2 : 0.5) * c * c * im[lane] * im[lane];
    sum[lane] = plus + minus;
    difference[lane] = plus - minus;
  }
}

/* S and D of m, their upper halves */
CAS_INLINE void add_squares(const parameters *p, int lanes, int m, const arrays *a) {
  const int N = (int)p->fluid.N, n = N - m, lmin = (int)p->lmin;
  double b[CAS_HOPPE_YAU_MOST], sum[CAS_GROUP_LANES], difference[CAS_GROUP_LANES];
  memset(a->s, 0, (size_t)(n * n * lanes) * sizeof *a->s);
  memset(a->d, 0, (size_t)(n * n * lanes) * sizeof *a->d);
  for (int l = lmin > m ? lmin : m; l < N; l++) {
    cas_hoppe_yau_unfold(&p->harmonics, l, m, b);
    find_weights(p, lanes, l, m, b, a, sum, difference);
    for (int i = 0; i < n; i++) {
      double *restrict s = a->s + i * n * lanes, *restrict d = a->d + i * n * lanes;
      for (int j = i; j < n; j++)
        for (int lane = 0; lane < lanes; lane++) {
          s[j * lanes + lane] += sum[lane] * b[i] * b[j];
          d[j * lanes + lane] += difference[lane] * b[i] * b[j];
        }
    }
  }
}

/* On the main diagonal B^2 and B^T^2 are in one place. */
CAS_INLINE void add_to_g(int N, int lanes, int m, const arrays *a) {
  const int n = N - m;
  for (int i = 0; i < n; i++)
    for (int lane = 0; lane < lanes; lane++) {
      double s = 0.5 * a->s[(i * n + i) * lanes + lane];
      a->g[(i * N + i) * lanes + lane] -= s;
      a->g[((i + m) * N + i + m) * lanes + lane] -= s;
      if (i + m < n) {
        double d = 0.5 * a->d[(i * n + i + m) * lanes + lane];
        a->g[(i * N + i + 2 * m) * lanes + lane] += d;
        a->g[((i + 2 * m) * N + i) * lanes + lane] += d;
      }
    }
}

/* sum += sign times an entry of S or D times X_(k,l) */
CAS_INLINE void add_entry(int N, int lanes, double sign, const double *entry, const arrays *a,
                          int k, int l, double (*sum)[CAS_GROUP_LANES]) {
  const double *re = a->re + (k * N + l) * lanes, *im = a->im + (k * N + l) * lanes;
  for (int lane = 0; lane < lanes; lane++) {
    sum[0][lane] += sign * entry[lane] * re[lane];
    sum[1][lane] += sign * entry[lane] * im[lane];
  }
}

CAS_INLINE void put(int N, int lanes, int i, int j, double (*sum)[CAS_GROUP_LANES], double *out) {
  for (int lane = 0; lane < lanes; lane++) {
    out[(i == j ? i : cas_su_n_im(N, i, j)) * lanes + lane] += sum[1][lane];
    if (i != j)
      out[cas_su_n_re(N, i, j) * lanes + lane] += sum[0][lane];
  }
}

CAS_INLINE void add_shifted(int N, int lanes, int m, const arrays *a, double *out) {
  const int n = N - m;
  for (int i = 0; i < N; i++)
    for (int j = i; j < N; j++) {
      double sum[2][CAS_GROUP_LANES] = {{0}};
      int row = i < j - m ? i : j - m, column = i + j - m - row;
      if (j < n)
        add_entry(N, lanes, 1, a->s + (i * n + j) * lanes, a, i + m, j + m, sum);
      if (i >= m)
        add_entry(N, lanes, 1, a->s + ((i - m) * n + j - m) * lanes, a, i - m, j - m, sum);
      if (i < n && j >= m)
        add_entry(N, lanes, -1, a->d + (row * n + column) * lanes, a, i + m, j - m, sum);
      if (i >= m && j < n)
        add_entry(N, lanes, -1, a->d + ((i - m) * n + j) * lanes, a, i - m, j + m, sum);
      put(N, lanes, i, j, sum, out);
    }
}

/* out += G X + X G, row times row as X is skew-Hermitian and G symmetric */
CAS_INLINE void add_g(int N, int lanes, const arrays *a, double *out) {
  for (int i = 0; i < N; i++)
    for (int j = i; j < N; j++) {
      double sum[2][CAS_GROUP_LANES] = {{0}};
      for (int k = 0; k < N; k++)
        for (int lane = 0; lane < lanes; lane++) {
          int ik = (i * N + k) * lanes + lane, jk = (j * N + k) * lanes + lane;
          sum[0][lane] += a->g[jk] * a->re[ik] - a->g[ik] * a->re[jk];
          sum[1][lane] += a->g[jk] * a->im[ik] + a->g[ik] * a->im[jk];
        }
      put(N, lanes, i, j, sum, out);
    }
}

CAS_INLINE void ito(const parameters *p, int lanes, const double *x, double *workspace,
                    double *out) {
  const int N = (int)p->fluid.N;
  memset(out, 0, (size_t)(N * N * lanes) * sizeof *out);
  if (!cas_euler_zeitlin_modal(p))
    return;
  arrays a = unpack(N, lanes, x, workspace);
  for (int m = 0; m < N; m++) {
    add_squares(p, lanes, m, &a);
    add_to_g(N, lanes, m, &a);
    add_shifted(N, lanes, m, &a, out);
  }
  add_g(N, lanes, &a, out);
}

void CAS_ISA(cas_euler_zeitlin_ito)(const cas_stepper *s, const cas_vec *x_, cas_vec *out_) {
  const double *x = (const double *)x_;
  double *out = (double *)out_;
  if (s->geometry.algebra->one_path)
    ito(s->parameters, 1, x, s->geometry.scratch, out);
  else
    ito(s->parameters, CAS_GROUP_LANES, x, s->geometry.scratch, out);
}
