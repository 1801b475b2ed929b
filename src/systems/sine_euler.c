/* The two-dimensional Euler equations on the torus in Zeitlin's sine-bracket truncation on su(N), N
   odd, [LECG] section 6. With T_n = (i N/4 pi) J_n (sine_euler.h) and the stream function psi_n =
   omega_n/|n|^2,

       dW = [P dt + sum_k Xi_k o dW_k, W],   W = sum omega_n T_n,   P = sum psi_n T_n.

   Noise k has a mode m: Xi_k = amplitude (T_m + T_-m) where files hold omega_m, which is the stream
   function 2 amplitude cos(m.x), and amplitude (-i T_-m + i T_m), 2 amplitude sin(-m.x), where they
   hold omega_-m; or the sum of such waves. States are X = 4 pi/N^(3/2) W, so X has psi =
   -(N^(3/2)/(4 pi) h (-Lap)^-1 X + sum_k Xi_k dW_k). On a cyclic diagonal (-Lap)^-1 is a circulant,
   which is real and even because the modes with that n2 come in pairs n1, -n1. */
#include "systems/sine_euler.h"

#include "algebra/su_n_path.h"
#include "base/lanes.h"
#include "systems/components.h"
#include "systems/dissipation.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* up to MOST_ACROSS paths go across the lanes of a block, larger matrices fill vectors alone */
enum { LANES = CAS_SINE_EULER_LANES, MOST_ACROSS = 23, MOST_N = 511, NAME_SIZE = 18 };

typedef cas_sine_euler parameters;

static const double pi = 3.14159265358979323846;

static const cas_option options[] = {
    CAS_OPTION(cas_fluid, INT, N, .low = 3, .high = MOST_N,
               .help = "size of the matrices, odd; modes n with |n1|, |n2| <= (N-1)/2"),
    {.key = "noise",
     .type = CAS_SECTION,
     .fallback = "",
     .section = CAS_ISA(cas_sine_euler_noise_options),
     .help = "noise for modes of the stream function, or for sums of them"},
    CAS_DISSIPATION_SECTION(cas_fluid),
    {.type = CAS_INCLUDE, .section = CAS_ISA(cas_fluid_exchange_options)},
    CAS_OPTION(parameters, INT, grid, .fallback = "", .low = 2, .high = 4096,
               .help =
                   "number of points of vorticity maps along each axis; default 4N, at least 64"),
    CAS_OPTION(cas_fluid, INT, lowpass, .fallback = "", .low = 1, .high = MOST_N,
               .help = "highest shell |n| of the map vorticity_lowpass"),
    {0}};

/* ---- noise ---- */

/* Vector fields X -> [Xi_k, X] commute where the Xi_k do, and [T_m, T_n] is a multiple of
   sin(2 pi m x n/N). */
static bool commuting(const void *parameters_) {
  const parameters *p = parameters_;
  for (int k = 0; cas_sine_euler_noises(p) && k < p->fluid.waves; k++)
    for (int i = 0; i < k; i++) {
      const cas_fluid_wave *m = &p->fluid.wave[k], *n = &p->fluid.wave[i];
      if (m->noise != n->noise && (m->i * n->j - m->j * n->i) % (int)p->fluid.N != 0)
        return false;
    }
  return true;
}

/* ---- what is computed once ---- */

static void find_roots(parameters *p) {
  for (int k = 0; k < p->fluid.N; k++) {
    p->root[2 * k] = cos(2 * pi * k / (double)p->fluid.N);
    p->root[2 * k + 1] = sin(2 * pi * k / (double)p->fluid.N);
  }
}

/* C_d(k) = 1/N sum over n1 of exp(2 pi i 2 n1 k/N)/(n1^2 + d^2) */
static void find_circulants(parameters *p) {
  int N = (int)p->fluid.N, r = N / 2;
  double *c = p->circulant;
  for (int d = 0; d <= r; d++)
    for (int k = 0; k <= r; k++, c++) {
      *c = d ? 1.0 / (N * d * d) : 0;
      for (int n = 1; n <= r; n++)
        *c += 2 * p->root[4 * n * k % (2 * N)] / (N * (n * n + d * d));
    }
}

/* A noise of that mode and amplitude: i N/(4 pi) amplitude w exp(i theta_j) on diagonal |m2|,
   theta_j = 2 pi n1 (2j + |m2|)/N, with n = m or -m and w = 1, -i or i as Xi has it; on the main
   diagonal m and -m add up to a real w exp(..) */
static void find_wave(const parameters *p, double amplitude, int m1, int m2, double *xi) {
  int N = (int)p->fluid.N;
  bool cosine = cas_sine_euler_held(m1, m2);
  int sign = m2 < 0 || (m2 == 0 && m1 < 0) ? -1 : 1, n1 = sign * m1, d = sign * m2;
  double factor = amplitude * N / (4 * pi), turned = cas_sine_euler_held(n1, d) ? -1 : 1;
  for (int j = 0; j < N; j++) {
    int at = ((n1 * (2 * j + d)) % N + N) % N;
    double c = p->root[2 * at], s = p->root[2 * at + 1];
    double re = cosine ? c : -turned * s, im = cosine ? s : turned * c;
    xi[j] = d ? -factor * im : 0;
    xi[N + j] = (d ? 1 : 2) * factor * re;
  }
}

static void write_names(const parameters *p, char *name) {
  int r = (int)(p->fluid.N / 2);
  const char *between = "";
  for (int n1 = 0; n1 <= r; n1++)
    for (int n2 = n1 ? -r : 1; n2 <= r; n2++, between = " ")
      name += sprintf(name, "%somega(%d,%d)", between, n1, n2);
}

static size_t doubles(const parameters *p) {
  size_t N = (size_t)p->fluid.N, half = N / 2 + 1;
  return 2 * N + half * half + 2 * N * (size_t)p->fluid.waves;
}

static size_t name_bytes(const parameters *p) {
  return NAME_SIZE * (size_t)cas_sine_euler_modes(p);
}

static int areas(const void *parameters_) {
  const int n = cas_sine_euler_noises(parameters_);
  return n * (n - 1) / 2;
}

static size_t bytes(const void *parameters_) {
  const parameters *p = parameters_;
  return doubles(p) * sizeof(double) + name_bytes(p) + CAS_ISA(cas_fluid_bytes)(&p->fluid) +
         (size_t)p->brackets *
             (2 * (size_t)p->fluid.N * sizeof *p->bracket + 2 * sizeof *p->diagonal);
}

static void release(void *parameters_) {
  parameters *p = parameters_;
  free(p->root);
  free(p->bracket);
  free(p->diagonal);
  CAS_ISA(cas_fluid_free)(&p->fluid);
  free(p->names);
}

static cas_status find_levels(cas_fluid *f, cas_error *err) {
  const int r = (int)(f->N / 2);
  int mode = 0;
  f->bands = cas_sine_euler_shell(r, r);
  CAS_CALL(CAS_ISA(cas_fluid_add_levels)(f, cas_fluid_coefficients(f) / 2, err));
  for (int n1 = 0; n1 <= r; n1++)
    for (int n2 = n1 ? -r : 1; n2 <= r; n2++, mode++)
      f->level[mode] = (cas_fluid_level){2 * mode, 2 * mode + 2, cas_sine_euler_shell(n1, n2),
                                         n1 * n1 + n2 * n2};
  return CAS_OK;
}

static cas_status check(const cas_config *c, void *parameters_, cas_error *err) {
  parameters *p = parameters_;
  size_t N = (size_t)p->fluid.N;
  if (N % 2 == 0)
    return cas_config_fail(c, err, "system.N", "found %zu, must be odd: %zu or %zu", N, N - 1,
                           N + 1);
  if (p->grid == 0)
    p->grid = N < 16 ? 64 : 4 * p->fluid.N;
  p->fluid.surface = &CAS_ISA(cas_torus);
  p->fluid.mean = (double)N;
  p->fluid.map[0] = p->fluid.map[1] = (int)p->grid;
  CAS_CALL(find_levels(&p->fluid, err));
  CAS_CALL(CAS_ISA(cas_sine_euler_noise_read)(c, p, err));
  CAS_CALL(CAS_ISA(cas_fluid_check_forcing)(c, &p->fluid, err));
  p->root = malloc(doubles(p) * sizeof *p->root);
  p->names = malloc(name_bytes(p));
  if (!p->root || !p->names)
    return cas_no_memory(err);
  p->circulant = p->root + 2 * N;
  p->noise = p->circulant + (N / 2 + 1) * (N / 2 + 1);
  find_roots(p);
  find_circulants(p);
  for (int k = 0; k < p->fluid.waves; k++)
    find_wave(p, p->fluid.amplitude * p->fluid.wave[k].value, p->fluid.wave[k].i,
              p->fluid.wave[k].j, p->noise + 2 * N * (size_t)k);
  write_names(p, p->names);
  return CAS_OK;
}

/* ---- areas ---- */

/* The wave of mode n, which need not be in the box, times `factor`: its cosine or sine. */
static void find_bracket(const parameters *p, double factor, bool cosine, int n1, int n2,
                         int *diagonal, double *xi) {
  const int N = (int)p->fluid.N, r = N / 2;
  n1 = ((n1 + r) % N + N) % N - r;
  n2 = ((n2 + r) % N + N) % N - r;
  /* which of n and -n a noise is named by tells cosines from sines, which change sign */
  if (cas_sine_euler_held(n1, n2) != cosine) {
    n1 = -n1;
    n2 = -n2;
    factor *= cosine ? 1 : -1;
  }
  *diagonal = abs(n2);
  find_wave(p, factor, n1, n2, xi);
}

/* With C_n = T_n + T_-n, S_n = i T_n - i T_-n and s = N/(2 pi) sin(2 pi m x n/N)

       [C_m, C_n] = s (C_(m+n) - C_(m-n)),   [C_m, S_n] = s (S_(m+n) + S_(m-n)),
       [S_m, S_n] = -s (C_(m+n) + C_(m-n)),  [S_m, C_n] = s (S_(m+n) - S_(m-n)) */
static void find_brackets(parameters *p, const cas_fluid_wave *m, const cas_fluid_wave *n,
                          int *diagonal, double *xi) {
  const int N = (int)p->fluid.N, cross = ((m->i * n->j - m->j * n->i) % N + N) % N;
  const bool a = cas_sine_euler_held(m->i, m->j), b = cas_sine_euler_held(n->i, n->j);
  const double s = p->fluid.amplitude * p->fluid.amplitude * N / (2 * pi) * p->root[2 * cross + 1] *
                   (m->value * n->value);
  find_bracket(p, a || b ? -s : s, a == b, m->i + n->i, m->j + n->j, diagonal, xi);
  find_bracket(p, b ? s : a ? -s : s, a == b, m->i - n->i, m->j - n->j, diagonal + 1, xi + 2 * N);
}

/* The number of a pair i < j of noises, in the order of areas. */
static int pair_of(int n, int i, int j) { return i * n - i * (i + 1) / 2 + j - i - 1; }

static cas_status take_areas(const cas_config *c CAS_UNUSED, void *parameters_, cas_error *err) {
  parameters *p = parameters_;
  const int waves = cas_sine_euler_noises(p) ? p->fluid.waves : 0;
  const size_t N = (size_t)p->fluid.N;
  size_t pairs = 1; /* one at least, to be allocated */
  for (int i = 0; i < waves; i++)
    for (int j = 0; j < i; j++)
      pairs += p->fluid.wave[i].noise != p->fluid.wave[j].noise;
  p->bracket = malloc(4 * N * pairs * sizeof *p->bracket);
  p->diagonal = malloc(4 * pairs * sizeof *p->diagonal);
  if (!p->bracket || !p->diagonal)
    return cas_no_memory(err);
  p->pair = p->diagonal + 2 * pairs;
  for (int i = 0; i < waves; i++)
    for (int j = i + 1; j < waves; j++) {
      const int k = p->brackets;
      if (p->fluid.wave[i].noise == p->fluid.wave[j].noise)
        continue;
      find_brackets(p, &p->fluid.wave[i], &p->fluid.wave[j], p->diagonal + k,
                    p->bracket + 2 * N * (size_t)k);
      p->pair[k] = p->pair[k + 1] =
          pair_of(p->fluid.noises, p->fluid.wave[i].noise, p->fluid.wave[j].noise);
      p->brackets += 2;
    }
  return CAS_OK;
}

static void add_areas(const void *parameters_, int W, const double *v, const double *w,
                      double *area) {
  cas_components_add_areas_of_pairs(cas_sine_euler_noises(parameters_), W, v, w, area);
}

static int noises(const void *parameters_) { return cas_sine_euler_noises(parameters_); }

/* ---- the gradient ---- */

static bool one_path(const void *parameters_) {
  return ((const parameters *)parameters_)->fluid.N > MOST_ACROSS;
}

/* the factor of (-Lap)^-1 X, then the components of the noise, if there is any */
static int coefficients(const void *parameters_) {
  const parameters *p = parameters_;
  return cas_sine_euler_noises(p) ? 1 + (int)(p->fluid.N * p->fluid.N) : 1;
}

/* coef -= dw times what is on that diagonal */
static void add_wave(int N, int d, const double *xi, int W, const double *dw, double *coef) {
  const double *re = xi, *im = xi + N;
  for (int j = 0; j < N; j++) {
    cas_sine_euler_entry at = cas_sine_euler_entry_of(N, d, j);
    for (int l = 0; l < W; l++) {
      coef[at.re * W + l] -= at.sign * re[j] * dw[l];
      coef[at.im * W + l] -= im[j] * dw[l];
    }
  }
}

static void prepare_sine_euler(const void *parameters_, int W, double h, const double *dw,
                               double *coef) {
  const parameters *p = parameters_;
  const int n = cas_sine_euler_noises(p), size = 2 * (int)p->fluid.N;
  double N = (double)p->fluid.N;
  for (int l = 0; l < W; l++)
    coef[l] = -h * N * sqrt(N) / (4 * pi);
  memset(coef + W, 0, (size_t)((coefficients(p) - 1) * W) * sizeof *coef);
  for (int k = 0; n && k < p->fluid.waves; k++)
    add_wave((int)p->fluid.N, abs(p->fluid.wave[k].j), p->noise + k * size, W,
             dw + p->fluid.wave[k].noise * W, coef + W);
  for (int k = 0; k < p->brackets; k++)
    add_wave((int)p->fluid.N, p->diagonal[k], p->bracket + (size_t)k * (size_t)size, W,
             dw + (n + p->pair[k]) * W, coef + W);
}

/* a vector from anywhere */
typedef cas_vec loose_vec __attribute__((aligned(8)));

/* out_j = sum over |k| <= r of c_|k| in_(j+k) for `lanes` lanes of N entries; `in` has r further
   entries at either end; out is filled up to whole vectors */
CAS_INLINE void convolve(int N, int lanes, const double *c, const double *in, double *out) {
  for (int i = 0; i < N * lanes; i += 2 * CAS_VL) {
    const double *a = in + i, *b = a + CAS_VL;
    cas_vec sum[2] = {c[0] * *(const loose_vec *)a, c[0] * *(const loose_vec *)b};
    for (int k = 1; k <= N / 2; k++) {
      int step = k * lanes;
      sum[0] += c[k] * (*(const loose_vec *)(a + step) + *(const loose_vec *)(a - step));
      sum[1] += c[k] * (*(const loose_vec *)(b + step) + *(const loose_vec *)(b - step));
    }
    *(loose_vec *)(out + i) = sum[0];
    *(loose_vec *)(out + i + CAS_VL) = sum[1];
  }
}

/* psi of `lanes` lanes; coefficients are `stride` apart. workspace: that of the algebra, whose
   products need more than this does. */
CAS_INLINE void gradient(const parameters *p, int lanes, int stride, const double *restrict coef,
                         const double *restrict x, double *restrict workspace,
                         double *restrict xi) {
  const int N = (int)p->fluid.N, r = N / 2;
  const size_t end = (size_t)(r * lanes) * sizeof *workspace;
  const bool noisy = cas_sine_euler_noises(p) > 0;
  double *in = workspace + r * lanes, *out = in + (N + r) * lanes + 2 * CAS_VL;
  for (int d = 0; d <= r; d++)
    for (int imaginary = d == 0; imaginary < 2; imaginary++) {
      for (int j = 0; j < N; j++) {
        cas_sine_euler_entry at = cas_sine_euler_entry_of(N, d, j);
        double sign = imaginary ? 1 : at.sign;
        for (int l = 0; l < lanes; l++)
          in[j * lanes + l] = sign * x[(imaginary ? at.im : at.re) * lanes + l];
      }
      memcpy(workspace, in + (N - r) * lanes, end);
      memcpy(in + N * lanes, in, end);
      convolve(N, lanes, p->circulant + d * (r + 1), in, out);
      for (int j = 0; j < N; j++) {
        cas_sine_euler_entry at = cas_sine_euler_entry_of(N, d, j);
        int k = imaginary ? at.im : at.re;
        double sign = imaginary ? 1 : at.sign;
        const double *noise = coef + (1 + k) * stride;
        for (int l = 0; l < lanes; l++)
          xi[k * lanes + l] = sign * coef[l] * out[j * lanes + l] + (noisy ? noise[l] : 0);
      }
    }
}

/* ---- the Ito drift ---- */

/* The real parts of the mode n, reduced to the box, before its imaginary parts, which are to be
   multiplied by the sign; mode 0 is not asked for. */
static const double *reduced_mode(int N, int lanes, int n1, int n2, const double *omega,
                                  double *sign) {
  const int r = N / 2;
  n1 = ((n1 + r) % N + N) % N - r;
  n2 = ((n2 + r) % N + N) % N - r;
  return omega + 2 * lanes * cas_sine_euler_find(N, n1, n2, sign);
}

/* out += factor times the mode n */
static void add_mode(int N, int lanes, int n1, int n2, double factor, const double *omega,
                     double *out) {
  double sign;
  const double *re = reduced_mode(N, lanes, n1, n2, omega, &sign), *im = re + lanes;
  for (int l = 0; l < lanes; l++) {
    out[l] += factor * re[l];
    out[lanes + l] += factor * sign * im[l];
  }
}

/* With s = amplitude N/(2 pi) sin(2 pi m x n/N) a noise of one wave m contributes to mode n
   s^2 (+-(omega_(n-2m) + omega_(n+2m)) - 2 omega_n), plus for the cosine. */
static void add_ito(const parameters *p, const cas_fluid_wave *m, int lanes, const double *omega,
                    double *sum) {
  const int N = (int)p->fluid.N, r = N / 2, m1 = m->i, m2 = m->j;
  const double sign = cas_sine_euler_held(m1, m2) ? 1 : -1;
  for (int n1 = 0; n1 <= r; n1++)
    for (int n2 = n1 ? -r : 1; n2 <= r; n2++) {
      int cross = ((m1 * n2 - m2 * n1) % N + N) % N;
      double s = p->fluid.amplitude * N / (2 * pi) * p->root[2 * cross + 1] * m->value;
      double *to = sum + 2 * lanes * cas_sine_euler_mode(N, n1, n2);
      if (cross == 0)
        continue;
      add_mode(N, lanes, n1, n2, -2 * s * s, omega, to);
      add_mode(N, lanes, n1 - 2 * m1, n2 - 2 * m2, sign * s * s, omega, to);
      add_mode(N, lanes, n1 + 2 * m1, n2 + 2 * m2, sign * s * s, omega, to);
    }
}

/* out += factor i times the mode n */
static void add_turned(int N, int lanes, int n1, int n2, double factor, const double *omega,
                       double *out) {
  double sign;
  const double *re = reduced_mode(N, lanes, n1, n2, omega, &sign), *im = re + lanes;
  for (int l = 0; l < lanes; l++) {
    out[l] -= factor * sign * im[l];
    out[lanes + l] += factor * re[l];
  }
}

/* sum += the derivative of omega along a wave: s (omega_(n-m) - omega_(n+m)) for the cosine, s i
   (omega_(n-m) + omega_(n+m)) for the sine, up to a sign that all waves have in common. */
static void add_derivative(const parameters *p, const cas_fluid_wave *m, int lanes,
                           const double *omega, double *sum) {
  const int N = (int)p->fluid.N, r = N / 2;
  const bool cosine = cas_sine_euler_held(m->i, m->j);
  for (int n1 = 0; n1 <= r; n1++)
    for (int n2 = n1 ? -r : 1; n2 <= r; n2++) {
      const int cross = ((m->i * n2 - m->j * n1) % N + N) % N;
      const double s = p->fluid.amplitude * N / (2 * pi) * p->root[2 * cross + 1] * m->value;
      double *to = sum + 2 * lanes * cas_sine_euler_mode(N, n1, n2);
      if (cross == 0)
        continue;
      (cosine ? add_mode : add_turned)(N, lanes, n1 - m->i, n2 - m->j, s, omega, to);
      (cosine ? add_mode : add_turned)(N, lanes, n1 + m->i, n2 + m->j, cosine ? -s : s, omega, to);
    }
}

/* sum over all noises of the second derivative along each; `out` serves as space for the first. */
static void ito(const parameters *p, int lanes, const double *x, double *workspace, double *out) {
  const int numbers = 2 * cas_sine_euler_modes(p) * lanes,
            waves = cas_sine_euler_noises(p) ? p->fluid.waves : 0;
  double *omega = workspace, *sum = workspace + numbers;
  CAS_ISA(cas_sine_euler_modes_of)(p, lanes, x, omega);
  memset(sum, 0, (size_t)numbers * sizeof *sum);
  for (int first = 0, end; first < waves; first = end) {
    const cas_fluid_wave *w = p->fluid.wave;
    for (end = first + 1; end < waves && w[end].noise == w[first].noise; end++)
      continue;
    if (end == first + 1) {
      add_ito(p, &w[first], lanes, omega, sum);
      continue;
    }
    memset(out, 0, (size_t)numbers * sizeof *out);
    for (int k = first; k < end; k++)
      add_derivative(p, &w[k], lanes, omega, out);
    for (int k = first; k < end; k++)
      add_derivative(p, &w[k], lanes, out, sum);
  }
  CAS_ISA(cas_sine_euler_state_of)(p, lanes, sum, out);
}

/* ---- bodies ---- */

CAS_NOT_INLINE void across_psi(const cas_stepper *s, cas_lanes c, const cas_vec *x, cas_vec *xi) {
  gradient(s->parameters, CAS_GROUP_LANES, c.stride, c.base, (const double *)x, s->geometry.scratch,
           (double *)xi);
}

CAS_NOT_INLINE void across_ito(const cas_stepper *s, const cas_vec *x, cas_vec *out) {
  ito(s->parameters, CAS_GROUP_LANES, (const double *)x, s->geometry.scratch, (double *)out);
}

#define SYS across
#define SYS_ALGEBRA cas_su_n
#define SYS_LANES LANES
#define SYS_ITO 1
#include "integrators/steps.h"

CAS_NOT_INLINE void alone_psi(const cas_stepper *s, cas_lanes c, const cas_vec *x, cas_vec *xi) {
  gradient(s->parameters, 1, 1, c.base, (const double *)x, s->geometry.scratch, (double *)xi);
}

CAS_NOT_INLINE void alone_ito(const cas_stepper *s, const cas_vec *x, cas_vec *out) {
  ito(s->parameters, 1, (const double *)x, s->geometry.scratch, (double *)out);
}

#define SYS alone
#define SYS_ALGEBRA cas_su_n_path
#define SYS_ONE_PATH 1
#define SYS_ITO 1
#include "integrators/steps.h"

#define SYS damped
#define SYS_GRADIENT across_psi
#define SYS_ALGEBRA cas_su_n
#define SYS_LANES LANES
#include "integrators/steps.h"

#define SYS damped_alone
#define SYS_GRADIENT alone_psi
#define SYS_ALGEBRA cas_su_n_path
#define SYS_ONE_PATH 1
#include "integrators/steps.h"

static const cas_body *body(const void *parameters_) {
  return cas_dissipation_given(&((const cas_fluid *)parameters_)->dissipation) ? &damped_body
                                                                               : &across_body;
}

/* ---- states ---- */

static const cas_state_form forms[] = {
    {.name = "map",
     .noun = "map (system.grid x system.grid, a row of x1 for each x2)",
     .shape = CAS_ISA(cas_fluid_map_shape),
     .pack = CAS_ISA(cas_fluid_pack_map),
     .place = "modes with |n1|, |n2| <= (N-1)/2 and no mean"},
    {0}};

static int shape(const void *parameters_, int64_t dims[3], bool *is_complex) {
  dims[0] = cas_sine_euler_modes(parameters_);
  *is_complex = true;
  return 1;
}

static int state_axes(const void *parameters_, cas_axis axis[2]) {
  axis[0] = cas_sine_euler_mode_axis(parameters_);
  return 1;
}

static const char *pack(const void *parameters_, const double *state, double *x) {
  CAS_ISA(cas_sine_euler_state_of)(parameters_, 1, state, x);
  return NULL;
}

static void unpack(const void *parameters_, const double *x, double *state) {
  CAS_ISA(cas_sine_euler_modes_of)(parameters_, 1, x, state);
}

static cas_status band(const cas_config *c, const void *parameters_, int64_t lmin, int64_t lmax,
                       double *x, cas_error *err) {
  const cas_fluid *f = parameters_;
  if (lmin > f->bands || lmax > f->bands)
    return cas_config_fail(
        c, err, lmax > f->bands ? "system.initial.random.lmax" : "system.initial.random.lmin",
        "found %lld, must be at most %d, the highest shell |n| of N = %d",
        (long long)(lmax > f->bands ? lmax : lmin), f->bands, (int)f->N);
  return CAS_ISA(cas_fluid_keep_bands)(f, lmin, lmax, x, err);
}

static const char *components(const void *parameters_) {
  return ((const parameters *)parameters_)->names;
}

static void weights(const void *parameters_, double *drag, double *noise) {
  const int N = (int)((const parameters *)parameters_)->fluid.N;
  cas_dissipation_su_n(N, -N * sqrt(N) / (4 * pi), drag, noise);
}

const cas_system CAS_ISA(cas_system_sine_euler) = {
    .name = "sine_euler",
    .summary = "two-dimensional Euler equations on the torus, truncated by Zeitlin's sine bracket "
               "on su(N)",
    .source = "Luesink, Ephrati, Cifani and Geurts, section 6; Zeitlin, Physica D 49 (1991)",
    .example = {.keys = "N: 3, initial: {random: {seed: 5, norm: 1}}",
                .noise = "noise: {amplitude: 0.5, modes: [[1, -1], [1, 1]]}",
                .commuting = "noise: {amplitude: 0.5, modes: [[1, -1]]}"},
    .options = options,
    .parameters_size = sizeof(parameters),
    .lanes = LANES,
    .check = check,
    .release = release,
    .bytes = bytes,
    .body = body,
    .path_body = &alone_body,
    .geometry = CAS_ISA(cas_fluid_geometry),
    .noises = noises,
    .commuting = commuting,
    .components = components,
    .indexed = CAS_ISA(cas_sine_euler_indexed),
    .shape = shape,
    .state_axes = state_axes,
    .forms = forms,
    .remark = CAS_ISA(cas_fluid_remark),
    .unit = "time_unit^-1",
    .pack = pack,
    .unpack = unpack,
    .random = CAS_ISA(cas_fluid_random),
    .band = band,
    .coefficients = coefficients,
    .prepare = prepare_sine_euler,
    .take_areas = take_areas,
    .areas = areas,
    .add_areas = add_areas,
    .dissipated = &(const cas_dissipated){.offset = offsetof(cas_fluid, dissipation),
                                          .weights = weights,
                                          .path_body = &damped_alone_body},
    .exchange = &CAS_ISA(cas_fluid_exchange),
    .one_path = one_path,
    .functionals = CAS_ISA(cas_sine_euler_functionals),
    .observables = CAS_ISA(cas_sine_euler_observables),
};
