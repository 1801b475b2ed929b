/* The two-dimensional Euler equations on the torus in Zeitlin's sine-bracket truncation on su(N), N
   odd, [LECG] section 6. With T_n = (i N/4 pi) J_n (sine_euler.h) and the stream function psi_n =
   omega_n/|n|^2,

       dW = [P dt + sum_k Xi_k o dW_k, W],   W = sum omega_n T_n,   P = sum psi_n T_n.

   Noise k has a mode m: Xi_k = amplitude (T_m + T_-m) where files hold omega_m, which is the stream
   function 2 amplitude cos(m.x), and amplitude (-i T_-m + i T_m), 2 amplitude sin(-m.x), where they
   hold omega_-m; or the sum of such waves. States are X = 4 pi/N^(3/2) W, so X has psi =
   -(N^(3/2)/(4 pi) h (-Lap)^-1 X + sum_k Xi_k dW_k). On a cyclic diagonal (-Lap)^-1 is a circulant,
   which is real and even because the modes with that n2 come in pairs n1, -n1. */
#include "systems/torus/sine_euler.h"

#include "base/lanes.h"
#include "math/algebra/su_n_path.h"
#include "systems/components.h"
#include "systems/dissipation.h"

/* up to MOST_ACROSS paths go across the lanes of a block, larger matrices fill vectors alone */
enum { LANES = CAS_SINE_EULER_LANES, MOST_ACROSS = 18, MOST_N = 511, NAME_SIZE = 18 };

typedef cas_sine_euler parameters;

static const cas_option options[] = {
    CAS_OPTION(cas_fluid, INT, N, .low = 3, .high = MOST_N,
               .help = "size of the matrices, odd; modes n with |n1|, |n2| <= (N-1)/2"),
    CAS_SECTION_OPTION("noise", 0, CAS_ISA(cas_sine_euler_noise_options),
                       "noise for modes of the stream function, or for sums of them"),
    CAS_DISSIPATION_SECTION(cas_fluid),
    {.type = CAS_INCLUDE, .section = CAS_ISA(cas_fluid_exchange_options)},
    CAS_OPTION(parameters, INT, grid, .fallback = "", .low = 2, .high = 4096,
               .help =
                   "number of points of vorticity maps along each axis; default 4N, at least 64"),
    CAS_OPTION(cas_fluid, INT, lowpass, .fallback = "", .low = 1, .high = MOST_N,
               .help = "highest shell |n| of the map vorticity_lowpass"),
    {0}};

/* ---- what is computed once ---- */

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
  CAS_REFUSE(c, N % 2 == 0, "system.N", "found %zu, must be odd: %zu or %zu", N, N - 1, N + 1);
  p->fluid.sized = cas_config_has(c, "study.refine");
  p->fluid.surface = &CAS_ISA(cas_sine_euler_torus);
  p->fluid.mean = (double)N;
  p->fluid.map[0] = p->fluid.map[1] = p->grid ? (int)p->grid : N < 16 ? 64 : 4 * (int)N;
  CAS_CALL(find_levels(&p->fluid, err));
  CAS_CALL(CAS_ISA(cas_sine_euler_noise_read)(c, p, err));
  CAS_CALL(CAS_ISA(cas_fluid_check_forcing)(c, &p->fluid, err));
  p->root = malloc(doubles(p) * sizeof *p->root);
  p->names = malloc(name_bytes(p));
  CAS_NEED(p->root && p->names);
  p->circulant = p->root + 2 * N;
  p->noise = p->circulant + (N / 2 + 1) * (N / 2 + 1);
  CAS_ISA(cas_sine_euler_roots)((int)N, p->root);
  find_circulants(p);
  for (int k = 0; k < p->fluid.waves; k++)
    CAS_ISA(cas_sine_euler_find_wave)
  (p, p->fluid.amplitude * p->fluid.wave[k].value, p->fluid.wave[k].i, p->fluid.wave[k].j,
   p->noise + 2 * N * (size_t)k);
  write_names(p, p->names);
  return CAS_OK;
}

/* ---- the gradient ---- */

CAS_COMPONENTS_GIVES(bool, one_path, p->fluid.N > MOST_ACROSS || p->fluid.sized)

/* the factor of (-Lap)^-1 X, then the components of the noise, if there is any */
CAS_COMPONENTS_GIVES(int, coefficients,
                     cas_sine_euler_noises(p) ? 1 + (int)(p->fluid.N * p->fluid.N) : 1)

static void prepare_sine_euler(const void *parameters_, int W, double h, const double *dw,
                               double *coef) {
  const parameters *p = parameters_;
  const int n = cas_sine_euler_noises(p), size = 2 * (int)p->fluid.N;
  double N = (double)p->fluid.N;
  for (int l = 0; l < W; l++)
    coef[l] = -h * N * sqrt(N) / (4 * M_PI);
  memset(coef + W, 0, (size_t)((coefficients(p) - 1) * W) * sizeof *coef);
  for (int k = 0; n && k < p->fluid.waves; k++)
    CAS_ISA(cas_sine_euler_add_wave)
  ((int)p->fluid.N, abs(p->fluid.wave[k].j), p->noise + k * size, W,
   dw + p->fluid.wave[k].noise * W, coef + W);
  for (int k = 0; k < p->brackets; k++)
    CAS_ISA(cas_sine_euler_add_wave)
  ((int)p->fluid.N, p->diagonal[k], p->bracket + (size_t)k * (size_t)size, W,
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

/* ---- bodies ---- */

CAS_NOT_INLINE void across_psi(const cas_stepper *s, cas_lanes c, const cas_vec *x, cas_vec *xi) {
  gradient(s->parameters, CAS_GROUP_LANES, c.stride, c.base, (const double *)x, s->geometry.scratch,
           (double *)xi);
}

CAS_NOT_INLINE void alone_psi(const cas_stepper *s, cas_lanes c, const cas_vec *x, cas_vec *xi) {
  gradient(s->parameters, 1, 1, c.base, (const double *)x, s->geometry.scratch, (double *)xi);
}

#define FLUID_ITO 0
#include "systems/fluid_bodies.h"

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

CAS_COMPONENTS_GIVES(const char *, components, p->names)

static void weights(const void *parameters_, double *drag, double *noise) {
  const int N = (int)((const parameters *)parameters_)->fluid.N;
  cas_dissipation_su_n(N, -N * sqrt(N) / (4 * M_PI), drag, noise);
}

/* The configuration numbers the noises. */
CAS_COMPONENTS_GIVES(int, first_noise, 0)

const cas_system CAS_ISA(cas_system_sine_euler) = {
    .name = "sine_euler",
    .summary = "two-dimensional Euler equations on the torus, truncated by Zeitlin's sine bracket "
               "on su(N)",
    .source = "Luesink, Ephrati, Cifani and Geurts, section 6; Zeitlin, Physica D 49 (1991)",
    .example = {.keys = "N: 3, initial: {random: {seed: 5, norm: 1}}",
                .noise = "noise: {amplitude: 0.5, modes: [[1, -1], [1, 1]]}",
                .commuting = "noise: {amplitude: 0.5, modes: [[1, -1]]}"},
    CAS_FLUID_SLOTS,
    .noises = cas_sine_euler_noises,
    .commuting = CAS_ISA(cas_sine_euler_commuting),
    .components = components,
    .indexed = CAS_ISA(cas_sine_euler_indexed),
    .state_axes = state_axes,
    .prepare = prepare_sine_euler,
    .by_coefficients = &(const cas_by_coefficients){0},
    .take_areas = CAS_ISA(cas_sine_euler_take_areas),
    .areas = CAS_ISA(cas_sine_euler_areas),
    .add_areas = CAS_ISA(cas_sine_euler_add_areas),
    .functionals = CAS_ISA(cas_sine_euler_functionals),
    .observables = CAS_ISA(cas_sine_euler_observables),
};
