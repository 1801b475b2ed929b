/* Euler-Zeitlin: the two-dimensional Euler equations on the sphere, quantised on su(N), [EJLL]
   section 6.4, (40)-(44). T_lm: orthonormal skew-Hermitian eigenbasis of the Hoppe-Yau Laplacian
   with eigenvalue -l(l+1), l = 1..N-1, m = -l..l. dX = [Lap^-1 X, X] dt + sum_{l >= lmin, m} [grad
   H_lm(X)^*, X] o dW^lm,  grad H_lm(X) = c_l <T_lm, X> T_lm with c_l = amplitude / (l(l+1)). With B
   the real unit eigenvector on the m-th upper diagonal, T_lm is (B - B^T)/sqrt 2 for m > 0, T_l,-m
   is i(B + B^T)/sqrt 2, and T_l0 is iB, so real and imaginary parts of each diagonal are
   transformed alone and Psi scales the coefficient (l, m) by -(h/(l(l+1)) + c_l dW_lm). */
#include "algebra/su_n.h"
#include "kernels.h"
#include "lanes.h"

#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 16, MOST_N = 128 };

typedef struct {
  int64_t N;
  double amplitude;
  int64_t lmin;
  double *basis; /* for m = 0, 1, ..: (N - m) x (N - m), row l - m holds the eigenvector of l */
} parameters;

static const cas_option noise_options[] = {{.key = "amplitude",
                                            .type = CAS_REAL,
                                            .offset = offsetof(parameters, amplitude),
                                            .fallback = "0",
                                            .high = DBL_MAX,
                                            .help = "c_l = amplitude / (l (l+1)); 0: no noise"},
                                           {.key = "lmin",
                                            .type = CAS_INT,
                                            .offset = offsetof(parameters, lmin),
                                            .fallback = "",
                                            .low = 1,
                                            .high = MOST_N,
                                            .help = "lowest degree l with noise; default N/2"},
                                           {0}};

static const cas_option options[] = {{.key = "N",
                                      .type = CAS_INT,
                                      .offset = offsetof(parameters, N),
                                      .low = 2,
                                      .high = MOST_N,
                                      .help = "size of the matrices; degrees l = 1 .. N-1"},
                                     {.key = "noise",
                                      .type = CAS_SECTION,
                                      .fallback = "",
                                      .section = noise_options,
                                      .help = "one noise for each (l, m), l >= lmin"},
                                     {0}};

/* ---- basis ---- */

static size_t basis_offset(int N, int m) {
  size_t offset = 0;
  for (int k = 0; k < m; k++)
    offset += (size_t)(N - k) * (size_t)(N - k);
  return offset;
}

/* Eigenvectors of minus the Laplacian on the m-th diagonal, a real symmetric tridiagonal matrix, by
 * ascending l. */
static int diagonal_basis(int N, int m, double *vectors) {
  int n = N - m, found;
  double s = 0.5 * (N - 1), diagonal[MOST_N], off[MOST_N], value[MOST_N];
  lapack_int support[2 * MOST_N];
  for (int k = 0; k < n; k++) {
    double a = s - k, b = a - m;
    diagonal[k] = 2 * (s * (s + 1) - a * b);
    off[k] = -sqrt(s * (s + 1) - a * (a - 1)) * sqrt(fmax(s * (s + 1) - b * (b - 1), 0));
  }
  /* column-major: each eigenvector is contiguous, which is what a row of the basis is */
  return LAPACKE_dstevr(LAPACK_COL_MAJOR, 'V', 'A', n, diagonal, off, 0, 0, 0, 0, 0, &found, value,
                        vectors, n, support);
}

static cas_status check(const cas_config *c, void *parameters_, cas_error *err) {
  parameters *p = parameters_;
  int N = (int)p->N;
  if (p->lmin == 0)
    p->lmin = N / 2;
  if (p->lmin >= N)
    return cas_config_fail(c, err, "system.noise.lmin", "found %lld, must be at most N - 1 = %d",
                           (long long)p->lmin, N - 1);
  p->basis = calloc(basis_offset(N, N), sizeof *p->basis);
  if (!p->basis)
    return cas_fail(err, CAS_NO_MEMORY, "out of memory");
  for (int m = 0; m < N; m++)
    if (diagonal_basis(N, m, p->basis + basis_offset(N, m)))
      return cas_fail(err, CAS_INTERNAL, "LAPACK dstevr found no basis for N = %d, m = %d", N, m);
  return CAS_OK;
}

static void release(void *parameters_) {
  parameters *p = parameters_;
  free(p->basis);
  p->basis = NULL;
}

static void geometry(const void *parameters_, int *n, int *factors) {
  *n = (int)((const parameters *)parameters_)->N;
  *factors = 1;
}

static int noises(const void *parameters_) {
  const parameters *p = parameters_;
  return p->amplitude > 0 ? (int)(p->N * p->N - p->lmin * p->lmin) : 0;
}

static bool commuting(const void *parameters_) { return noises(parameters_) < 2; }

/* ---- the gradient ---- */

static int coefficients(const void *parameters_) {
  const parameters *p = parameters_;
  return (int)(p->N * p->N - 1);
}

static int mode(int l, int m) { return l * l - 1 + l + m; }

static void prepare(const void *parameters_, int W, double h, const double *dw, double *coef) {
  const parameters *p = parameters_;
  int noisy = noises(p), first = (int)(p->lmin * p->lmin);
  for (int l = 1; l < p->N; l++)
    for (int m = -l; m <= l; m++) {
      int i = mode(l, m), k = l * l + l + m - first;
      double scale = -0.5 / (l * (l + 1.0));
      for (int lane = 0; lane < W; lane++)
        coef[i * W + lane] =
            scale * (h + (noisy && l >= p->lmin ? p->amplitude * dw[k * W + lane] : 0));
    }
}

/* one diagonal of real or imaginary parts: to the eigenvectors, scaled, and back */
static void transform(int n, const double *basis, const cas_group *const *x, cas_group *const *q,
                      int m, int sign, cas_lanes coef) {
  for (int k = 0; k < n; k++)
    for (int u = 0; u < CAS_GROUP_VECTORS; u++)
      q[k]->v[u] = cas_splat(0);
  for (int i = m == 0; i < n; i++) {
    const double *b = basis + i * n;
    for (int u = 0; u < CAS_GROUP_VECTORS; u++) {
      cas_vec w = {0};
      for (int k = 0; k < n; k++)
        w += b[k] * x[k]->v[u];
      w *= cas_lanes_load(coef, mode(m + i, sign * m), u);
      for (int k = 0; k < n; k++)
        q[k]->v[u] += b[k] * w;
    }
  }
}

static void half_psi(const void *parameters_, cas_lanes coef, const cas_group *x, cas_group *q) {
  const parameters *p = parameters_;
  int N = (int)p->N;
  const double *basis = p->basis;
  const cas_group *from[MOST_N];
  cas_group *to[MOST_N];
  for (int k = 0; k < N; k++)
    from[k] = x + k, to[k] = q + k;
  transform(N, basis, from, to, 0, 1, coef);
  for (int m = 1; m < N; m++) {
    basis += (N - m + 1) * (N - m + 1);
    for (int k = 0; k + m < N; k++)
      from[k] = x + cas_su_n_re(N, k, k + m), to[k] = q + cas_su_n_re(N, k, k + m);
    transform(N - m, basis, from, to, m, 1, coef);
    for (int k = 0; k + m < N; k++)
      from[k] = x + cas_su_n_im(N, k, k + m), to[k] = q + cas_su_n_im(N, k, k + m);
    transform(N - m, basis, from, to, m, -1, coef);
  }
}

/* ---- states ---- */

static int shape(const void *parameters_, int64_t dims[3], bool *is_complex) {
  dims[0] = dims[1] = ((const parameters *)parameters_)->N;
  *is_complex = true;
  return 2;
}

static void unpack(const void *parameters_, const double *x, double *state) {
  int N = (int)((const parameters *)parameters_)->N;
  for (int i = 0; i < N; i++) {
    state[2 * (i * N + i)] = 0;
    state[2 * (i * N + i) + 1] = x[i];
    for (int j = i + 1; j < N; j++) {
      state[2 * (i * N + j)] = x[cas_su_n_re(N, i, j)];
      state[2 * (j * N + i)] = -x[cas_su_n_re(N, i, j)];
      state[2 * (i * N + j) + 1] = state[2 * (j * N + i) + 1] = x[cas_su_n_im(N, i, j)];
    }
  }
}

static const char *pack(const void *parameters_, const double *state, double *x) {
  int N = (int)((const parameters *)parameters_)->N;
  double largest = 0, trace = 0;
  for (int i = 0; i < 2 * N * N; i++)
    largest = fmax(largest, fabs(state[i]));
  for (int i = 0; i < N; i++) {
    trace += state[2 * (i * N + i) + 1];
    x[i] = state[2 * (i * N + i) + 1];
    for (int j = i; j < N; j++) {
      const double *a = state + 2 * (i * N + j), *b = state + 2 * (j * N + i);
      if (!(fabs(a[0] + b[0]) <= 1e-12 * largest && fabs(a[1] - b[1]) <= 1e-12 * largest))
        return "is not skew-Hermitian";
      if (i < j) {
        x[cas_su_n_re(N, i, j)] = a[0];
        x[cas_su_n_im(N, i, j)] = a[1];
      }
    }
  }
  return fabs(trace) <= 1e-12 * N * largest ? NULL : "has a trace, which su(N) has not";
}

/* normals on all components, the trace removed, scaled to the Frobenius norm `norm` */
static void random_state(const void *parameters_, double norm, double *x) {
  int N = (int)((const parameters *)parameters_)->N;
  double trace = 0, square = 0;
  for (int i = 0; i < N; i++)
    trace += x[i];
  for (int i = 0; i < N; i++)
    x[i] = sqrt(2) * (x[i] - trace / N); /* off the diagonal a component stands for two entries */
  for (int k = 0; k < N * N; k++)
    square += (k < N ? 1 : 2) * x[k] * x[k];
  for (int k = 0; k < N * N; k++)
    x[k] *= norm / sqrt(square);
}

/* ---- functionals ---- */

static void enstrophy(const void *parameters_, int W, const double *x, double *out) {
  const parameters *p = parameters_;
  for (int lane = 0; lane < W; lane++) {
    out[lane] = 0;
    for (int k = 0; k < p->N * p->N; k++)
      out[lane] += (k < p->N ? 1 : 2) * x[k * W + lane] * x[k * W + lane];
  }
}

/* out += sum over l of weight/(l(l+1)) <eigenvector l, diagonal>^2 for the diagonal of components
 * first, next(first), .. */
static void add_energy(const parameters *p, int m, double weight, int (*component)(int, int, int),
                       int W, const double *x, double *out) {
  int N = (int)p->N, n = N - m;
  const double *basis = p->basis + basis_offset(N, m);
  for (int i = m == 0; i < n; i++)
    for (int lane = 0; lane < W; lane++) {
      double w = 0;
      for (int k = 0; k < n; k++)
        w += basis[i * n + k] * x[component(N, k, k + m) * W + lane];
      out[lane] += weight / ((m + i) * (m + i + 1.0)) * w * w;
    }
}

static int diagonal_component(int N, int i, int j) {
  (void)N, (void)j;
  return i;
}

/* H0 = 1/2 <X, -Lap^-1 X>; a coefficient off the diagonal is sqrt 2 times the product with B */
static void hamiltonian(const void *parameters_, int W, const double *x, double *out) {
  const parameters *p = parameters_;
  memset(out, 0, (size_t)W * sizeof *out);
  add_energy(p, 0, 0.5, diagonal_component, W, x, out);
  for (int m = 1; m < p->N; m++) {
    add_energy(p, m, 1, cas_su_n_re, W, x, out);
    add_energy(p, m, 1, cas_su_n_im, W, x, out);
  }
}

/* the coefficient (l, 0) */
static void zonal(const parameters *p, int l, int W, const double *x, double *out) {
  for (int lane = 0; lane < W; lane++) {
    out[lane] = 0;
    for (int k = 0; k < p->N; k++)
      out[lane] += p->basis[l * p->N + k] * x[k * W + lane];
  }
}

static void zonal1(const void *parameters_, int W, const double *x, double *out) {
  zonal(parameters_, 1, W, x, out);
}

/* squared, because the sign of an eigenvector is LAPACK's choice */
static void zonal1_squared(const void *parameters_, int W, const double *x, double *out) {
  zonal1(parameters_, W, x, out);
  for (int lane = 0; lane < W; lane++)
    out[lane] *= out[lane];
}

static const cas_functional functionals[] = {
    {.name = "energy", .summary = "H0 = 1/2 <X, -Lap^-1 X>", .unit = "1", .value = hamiltonian},
    {.name = "enstrophy", .summary = "Tr(X^* X), a Casimir", .unit = "1", .value = enstrophy},
    {.name = "zonal1_squared",
     .summary = "square of the coefficient of T_1,0 (angular momentum about the axis)",
     .unit = "1",
     .value = zonal1_squared},
    {0}};

static const cas_functional observables[] = {{.name = "hamiltonian",
                                              .summary = "H0 = 1/2 <X, -Lap^-1 X>",
                                              .unit = "1",
                                              .value = hamiltonian},
                                             {0}};

static const char *components(const void *parameters_) {
  (void)parameters_;
  return "N x N skew-Hermitian matrix";
}

const cas_system CAS_ISA(cas_system_euler_zeitlin) = {
    .name = "euler_zeitlin",
    .summary = "two-dimensional Euler equations on the sphere, quantised on su(N)",
    .source = "Ephrati, Jansson, Lang and Luesink, section 6.4, (40)-(44)",
    .options = options,
    .parameters_size = sizeof(parameters),
    .lanes = LANES,
    .check = check,
    .release = release,
    .algebra = "su_n",
    .geometry = geometry,
    .noises = noises,
    .commuting = commuting,
    .components = components,
    .shape = shape,
    .unit = "time_unit^-1",
    .pack = pack,
    .unpack = unpack,
    .random = random_state,
    .coefficients = coefficients,
    .prepare = prepare,
    .half_psi = half_psi,
    .functionals = functionals,
    .observables = observables,
};
