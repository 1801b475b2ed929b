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

/* matrices up to MOST_ACROSS have paths across the lanes of a block, larger ones fill vectors */
enum { LANES = CAS_SINE_EULER_LANES, MOST_ACROSS = 18, MOST_N = 511, NAME_SIZE = 18 };

typedef cas_sine_euler parameters;

static const cas_option noise_options[] = {
    CAS_OPTION(
        cas_fluid, REAL, amplitude, .fallback = "0", .high = DBL_MAX,
        .help = "of every mode of the noise, 0: no noise; of fields, default 1, a factor of all"),
    CAS_OPTION(
        parameters, VECTORS, modes, .fallback = "",
        .help =
            "rows [m1, m2], a Brownian motion each, in this order: the stream function is 2 "
            "amplitude cos(m.x) where m1 > 0, or m1 = 0 and m2 > 0, else 2 amplitude sin(-m.x)"),
    CAS_SECTION_OPTION(
        "fields", offsetof(cas_fluid, source), cas_array_options,
        "instead of modes, rows [k, m1, m2, a]: the stream function of noise k, counted from 1, is "
        "the sum of a times those of its modes; or a file of such rows, or of maps of stream "
        "functions, K x system.grid x system.grid, a row of x1 for each x2",
        .alone = "rows"),
    {0}};

static const cas_option options[] = {
    CAS_OPTION(cas_fluid, INT, N, .low = 3, .high = MOST_N,
               .help = "size of the matrices, odd; modes n with |n1|, |n2| <= (N-1)/2"),
    CAS_SECTION_OPTION("noise", 0, noise_options,
                       "noise for modes of the stream function, or for sums of them"),
    CAS_DISSIPATION_SECTION(cas_fluid),
    {.type = CAS_INCLUDE, .section = CAS_ISA(cas_fluid_exchange_options)},
    CAS_OPTION(parameters, INT, grid, .fallback = "", .low = 2, .high = 4096,
               .help =
                   "number of points of vorticity maps along each axis; default 4N, at least 64"),
    CAS_OPTION(cas_fluid, INT, lowpass, .fallback = "", .low = 1, .high = MOST_N,
               .help = "highest shell |n| of the map vorticity_lowpass"),
    {0}};

/* ---- noise ---- */

static cas_status from_modes(const cas_config *c, parameters *p, cas_error *err) {
  CAS_REFUSE(c, p->fluid.amplitude > 0 && p->modes.rows == 0, "system.noise",
             "'modes' is missing (a list such as [[1, -1], [1, 1]])");
  CAS_REFUSE(c, p->modes.rows && !cas_config_has(c, "system.noise.amplitude"), "system.noise",
             "'amplitude' is missing (amplitude of the noise, such as 0.2; 0: no noise)");
  CAS_REFUSE(c, p->modes.rows && p->modes.columns != 2, "system.noise.modes",
             "found rows of %d numbers, must be rows [m1, m2]", p->modes.columns);
  CAS_CALL(CAS_ISA(cas_fluid_add_waves)(&p->fluid, p->modes.rows, err));
  p->fluid.noises = p->modes.rows;
  for (int k = 0; k < p->modes.rows; k++) {
    const double *m = p->modes.value + 2 * k;
    cas_fluid_wave *wave = p->fluid.wave;
    char path[64];
    snprintf(path, sizeof path, "system.noise.modes[%d]", k);
    CAS_CALL(CAS_ISA(cas_fluid_check_mode)(c, &p->fluid, path, "", m, err));
    for (int i = 0; i < k; i++)
      CAS_REFUSE(c, wave[i].i == m[0] && wave[i].j == m[1], path,
                 "found [%g, %g], must be given once; row [%d] has it already", m[0], m[1], i);
    wave[k] = (cas_fluid_wave){k, (int)m[0], (int)m[1], .value = 1};
  }
  return CAS_OK;
}

static cas_status read_noise(const cas_config *c, parameters *p, cas_error *err) {
  cas_fluid *f = &p->fluid;
  if (!cas_fluid_has_fields(f)) {
    CAS_CALL(from_modes(c, p, err));
  } else {
    CAS_REFUSE(c, p->modes.rows, "system.noise",
               "found both 'modes' and 'fields'; must be one of them");
    if (!cas_config_has(c, "system.noise.amplitude"))
      f->amplitude = 1;
    CAS_CALL(CAS_ISA(cas_fluid_read_fields)(c, f, err));
  }
  if (f->amplitude == 0)
    f->waves = f->noises = 0;
  return CAS_OK;
}

/* The vector fields commute where the Xi_k do; [T_m, T_n] is a multiple of sin(2 pi m x n/N). */
static bool commuting(const void *parameters_) {
  const parameters *p = parameters_;
  for (int k = 0; k < p->fluid.waves; k++)
    for (int i = 0; i < k; i++) {
      const cas_fluid_wave *m = &p->fluid.wave[k], *n = &p->fluid.wave[i];
      if (m->noise != n->noise && (m->i * n->j - m->j * n->i) % (int)p->fluid.N != 0)
        return false;
    }
  return true;
}

/* A noise of that mode and amplitude: i N/(4 pi) amplitude w exp(i theta_j) on diagonal |m2|,
   theta_j = 2 pi n1 (2j + |m2|)/N, with n = m or -m and w = 1, -i or i as Xi has it; on the main
   diagonal m and -m add up to a real w exp(..) */
static void find_wave(const parameters *p, double amplitude, int m1, int m2, double *xi) {
  int N = (int)p->fluid.N;
  bool cosine = cas_sine_euler_held(m1, m2);
  int sign = m2 < 0 || (m2 == 0 && m1 < 0) ? -1 : 1, n1 = sign * m1, d = sign * m2;
  double factor = amplitude * N / (4 * M_PI), turned = cas_sine_euler_held(n1, d) ? -1 : 1;
  for (int j = 0; j < N; j++) {
    int at = ((n1 * (2 * j + d)) % N + N) % N;
    double c = p->root[2 * at], s = p->root[2 * at + 1];
    double re = cosine ? c : -turned * s, im = cosine ? s : turned * c;
    xi[j] = d ? -factor * im : 0;
    xi[N + j] = (d ? 1 : 2) * factor * re;
  }
}

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

void CAS_ISA(cas_sine_euler_field)(const cas_fluid *f, int k, double *x) {
  const parameters *p = (const void *)f;
  const double unit = 1;
  for (int i = 0; i < f->waves; i++)
    if (f->wave[i].noise == k)
      add_wave((int)f->N, abs(f->wave[i].j), p->noise + 2 * f->N * i, 1, &unit, x);
}

/* Of all waves; those of brackets of pairs have the amplitude already. */
static cas_status find_waves(parameters *p, cas_error *err) {
  const cas_fluid *f = &p->fluid;
  const int waves = f->waves + f->pair_waves;
  CAS_NEED(cas_owned_resize(&p->noise, 2 * f->N * waves + 1, sizeof *p->noise));
  for (int k = 0; k < waves; k++)
    find_wave(p, (k < f->waves ? f->amplitude : 1) * f->wave[k].value, f->wave[k].i, f->wave[k].j,
              p->noise + 2 * f->N * k);
  return CAS_OK;
}

/* ---- areas ---- */

/* Appends the wave of mode n, which need not be in the box, times `factor`: its cosine or sine. */
static void append_bracket(cas_fluid *f, int pair, double factor, bool cosine, int n1, int n2) {
  const int N = (int)f->N, r = N / 2;
  n1 = ((n1 + r) % N + N) % N - r;
  n2 = ((n2 + r) % N + N) % N - r;
  /* which of n and -n a noise is named by tells cosines from sines, which change sign */
  if (cas_sine_euler_held(n1, n2) != cosine) {
    n1 = -n1;
    n2 = -n2;
    factor *= cosine ? 1 : -1;
  }
  f->wave[f->waves + f->pair_waves++] = (cas_fluid_wave){f->noises + pair, n1, n2, factor};
}

/* With C_n = T_n + T_-n, S_n = i T_n - i T_-n and s = N/(2 pi) sin(2 pi m x n/N)

       [C_m, C_n] = s (C_(m+n) - C_(m-n)),   [C_m, S_n] = s (S_(m+n) + S_(m-n)),
       [S_m, S_n] = -s (C_(m+n) + C_(m-n)),  [S_m, C_n] = s (S_(m+n) - S_(m-n)) */
static void append_brackets(parameters *p, int pair, cas_fluid_wave m, cas_fluid_wave n) {
  cas_fluid *f = &p->fluid;
  const int N = (int)f->N, cross = ((m.i * n.j - m.j * n.i) % N + N) % N;
  const bool a = cas_sine_euler_held(m.i, m.j), b = cas_sine_euler_held(n.i, n.j);
  const double s =
      f->amplitude * f->amplitude * N / (2 * M_PI) * p->root[2 * cross + 1] * (m.value * n.value);
  append_bracket(f, pair, a || b ? -s : s, a == b, m.i + n.i, m.j + n.j);
  append_bracket(f, pair, b ? s : a ? -s : s, a == b, m.i - n.i, m.j - n.j);
}

static int pair_of(int n, int i, int j) { return i * n - i * (i + 1) / 2 + j - i - 1; }

static cas_status take_areas(const cas_config *c CAS_UNUSED, void *parameters_, cas_error *err) {
  parameters *p = parameters_;
  cas_fluid *f = &p->fluid;
  size_t waves = (size_t)f->waves + 1; /* one at least, to be allocated */
  for (int i = 0; i < f->waves; i++)
    for (int j = 0; j < i; j++)
      waves += f->wave[i].noise != f->wave[j].noise ? 2 : 0;
  CAS_NEED(cas_owned_resize(&f->wave, waves, sizeof *f->wave));
  for (int i = 0; i < f->waves; i++)
    for (int j = i + 1; j < f->waves; j++)
      if (f->wave[i].noise != f->wave[j].noise)
        append_brackets(p, pair_of(f->noises, f->wave[i].noise, f->wave[j].noise), f->wave[i],
                        f->wave[j]);
  return find_waves(p, err);
}

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

/* of `root` and `circulant` */
static size_t doubles(const parameters *p) {
  size_t N = (size_t)p->fluid.N, half = N / 2 + 1;
  return 2 * N + half * half;
}

static size_t name_bytes(const parameters *p) {
  return NAME_SIZE * (size_t)cas_sine_euler_modes(p);
}

CAS_COMPONENTS_GIVES(size_t, bytes,
                     (doubles(p) +
                      (size_t)(2 * p->fluid.N * (p->fluid.waves + p->fluid.pair_waves))) *
                             sizeof(double) +
                         name_bytes(p) + CAS_ISA(cas_fluid_bytes)(&p->fluid))

static void release(void *parameters_) {
  parameters *p = parameters_;
  free(p->root);
  free(p->noise);
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
  p->fluid.bracket = -(double)N * sqrt((double)N) / (4 * M_PI);
  p->fluid.map[0] = p->fluid.map[1] = p->grid ? (int)p->grid : N < 16 ? 64 : 4 * (int)N;
  CAS_CALL(find_levels(&p->fluid, err));
  CAS_CALL(read_noise(c, p, err));
  CAS_CALL(CAS_ISA(cas_fluid_check_forcing)(c, &p->fluid, err));
  p->root = malloc(doubles(p) * sizeof *p->root);
  p->names = malloc(name_bytes(p));
  CAS_NEED(p->root && p->names);
  p->circulant = p->root + 2 * N;
  CAS_ISA(cas_sine_euler_roots)((int)N, p->root);
  find_circulants(p);
  write_names(p, p->names);
  return find_waves(p, err);
}

/* ---- the gradient ---- */

CAS_COMPONENTS_GIVES(bool, one_path, p->fluid.N > MOST_ACROSS || p->fluid.sized)

/* the factor of (-Lap)^-1 X, then the components of the noise, if there is any */
CAS_COMPONENTS_GIVES(int, coefficients, p->fluid.noises ? 1 + (int)(p->fluid.N * p->fluid.N) : 1)

static void prepare_sine_euler(const void *parameters_, int W, double h, const double *dw,
                               double *coef) {
  const parameters *p = parameters_;
  const cas_fluid *f = &p->fluid;
  double N = (double)f->N;
  for (int l = 0; l < W; l++)
    coef[l] = -h * N * sqrt(N) / (4 * M_PI);
  memset(coef + W, 0, (size_t)((coefficients(p) - 1) * W) * sizeof *coef);
  for (int k = 0; k < f->waves + f->pair_waves; k++)
    add_wave((int)f->N, abs(f->wave[k].j), p->noise + 2 * f->N * k, W, dw + f->wave[k].noise * W,
             coef + W);
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

/* Coefficients are `stride` apart. workspace: that of the algebra, whose products need more. */
CAS_INLINE void gradient(const parameters *p, int lanes, int stride, const double *restrict coef,
                         const double *restrict x, double *restrict workspace,
                         double *restrict xi) {
  const int N = (int)p->fluid.N, r = N / 2;
  const size_t end = (size_t)(r * lanes) * sizeof *workspace;
  const bool noisy = p->fluid.amplitude > 0 && p->fluid.noises > 0;
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
  CAS_ISA(cas_sine_euler_torus).state(parameters_, state, x);
  return NULL;
}

static void unpack(const void *parameters_, const double *x, double *state) {
  CAS_ISA(cas_sine_euler_torus).coefficients(parameters_, 1, x, state);
}

CAS_COMPONENTS_GIVES(const char *, components, p->names)

/* The configuration numbers the noises. */
CAS_COMPONENTS_GIVES(int, first_noise, 0)
CAS_COMPONENTS_GIVES(int, noises, p->fluid.noises)

const cas_system CAS_ISA(cas_system_sine_euler) = {
    .name = "sine_euler",
    .summary = "two-dimensional Euler equations on the torus, truncated by Zeitlin's sine bracket "
               "on su(N)",
    .source = "Luesink, Ephrati, Cifani and Geurts, section 6; Zeitlin, Physica D 49 (1991)",
    .example = {.keys = "N: 3, initial: {random: {seed: 5, norm: 1}}",
                .noise = "noise: {amplitude: 0.5, modes: [[1, -1], [1, 1]]}",
                .commuting = "noise: {amplitude: 0.5, modes: [[1, -1]]}"},
    CAS_FLUID_SLOTS,
    .noise.take_areas = take_areas,
    .state.components = components,
    .state.unpack = unpack,
    .state.indexed = CAS_ISA(cas_sine_euler_indexed),
    .state.axes = state_axes,
    .psi.coefficients = coefficients,
    .psi.prepare = prepare_sine_euler,
    .psi.by_coefficients = &(const cas_by_coefficients){0},
    .functionals = CAS_ISA(cas_sine_euler_functionals),
    .observables = CAS_ISA(cas_sine_euler_observables),
};
