/* The noise of the sine-bracket Euler equations: a Brownian motion for each mode, or for each sum
   of waves, and the brackets of these. */
#include "systems/torus/sine_euler.h"

#include "systems/components.h"

typedef cas_sine_euler parameters;

const cas_option CAS_ISA(cas_sine_euler_noise_options)[] = {
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

static const double *row_of(const parameters *p, int k) { return p->modes.value + 2 * k; }

static cas_status check_mode(const cas_config *c, const parameters *p, int k, cas_error *err) {
  const double *m = row_of(p, k);
  char path[64], wrong[120];
  snprintf(path, sizeof path, "system.noise.modes[%d]", k);
  CAS_REFUSE(c, !p->fluid.surface->is_mode(&p->fluid, "", m, wrong, sizeof wrong), path, "%s",
             wrong);
  for (int i = 0; i < k; i++)
    CAS_REFUSE(c, row_of(p, i)[0] == m[0] && row_of(p, i)[1] == m[1], path,
               "found [%g, %g], must be given once; row [%d] has it already", m[0], m[1], i);
  return CAS_OK;
}

static cas_status from_modes(const cas_config *c, parameters *p, cas_error *err) {
  CAS_REFUSE(c, p->fluid.amplitude > 0 && p->modes.rows == 0, "system.noise",
             "'modes' is missing (a list such as [[1, -1], [1, 1]])");
  CAS_REFUSE(c, p->modes.rows && !cas_config_has(c, "system.noise.amplitude"), "system.noise",
             "'amplitude' is missing (amplitude of the noise, such as 0.2; 0: no noise)");
  CAS_REFUSE(c, p->modes.rows && p->modes.columns != 2, "system.noise.modes",
             "found rows of %d numbers, must be rows [m1, m2]", p->modes.columns);
  for (int k = 0; k < p->modes.rows; k++)
    CAS_CALL(check_mode(c, p, k, err));
  CAS_CALL(CAS_ISA(cas_fluid_add_waves)(&p->fluid, p->modes.rows, err));
  p->fluid.noises = p->modes.rows;
  for (int k = 0; k < p->modes.rows; k++)
    p->fluid.wave[k] = (cas_fluid_wave){k, (int)row_of(p, k)[0], (int)row_of(p, k)[1], .value = 1};
  return CAS_OK;
}

cas_status CAS_ISA(cas_sine_euler_noise_read)(const cas_config *c, cas_sine_euler *p,
                                              cas_error *err) {
  if (!cas_fluid_has_fields(&p->fluid))
    return from_modes(c, p, err);
  CAS_REFUSE(c, p->modes.rows, "system.noise",
             "found both 'modes' and 'fields'; must be one of them");
  if (!cas_config_has(c, "system.noise.amplitude"))
    p->fluid.amplitude = 1;
  return CAS_ISA(cas_fluid_read_fields)(c, &p->fluid, err);
}

/* ---- waves ---- */

/* Vector fields X -> [Xi_k, X] commute where the Xi_k do, and [T_m, T_n] is a multiple of
   sin(2 pi m x n/N). */
bool CAS_ISA(cas_sine_euler_commuting)(const void *parameters_) {
  const parameters *p = parameters_;
  for (int k = 0; cas_sine_euler_noises(p) && k < p->fluid.waves; k++)
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
void CAS_ISA(cas_sine_euler_find_wave)(const parameters *p, double amplitude, int m1, int m2,
                                       double *xi) {
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

void CAS_ISA(cas_sine_euler_add_wave)(int N, int d, const double *xi, int W, const double *dw,
                                      double *coef) {
  const double *re = xi, *im = xi + N;
  for (int j = 0; j < N; j++) {
    cas_sine_euler_entry at = cas_sine_euler_entry_of(N, d, j);
    for (int l = 0; l < W; l++) {
      coef[at.re * W + l] -= at.sign * re[j] * dw[l];
      coef[at.im * W + l] -= im[j] * dw[l];
    }
  }
}

/* ---- areas ---- */

int CAS_ISA(cas_sine_euler_areas)(const void *parameters_) {
  const int n = cas_sine_euler_noises(parameters_);
  return n * (n - 1) / 2;
}

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
  CAS_ISA(cas_sine_euler_find_wave)(p, factor, n1, n2, xi);
}

/* With C_n = T_n + T_-n, S_n = i T_n - i T_-n and s = N/(2 pi) sin(2 pi m x n/N)

       [C_m, C_n] = s (C_(m+n) - C_(m-n)),   [C_m, S_n] = s (S_(m+n) + S_(m-n)),
       [S_m, S_n] = -s (C_(m+n) + C_(m-n)),  [S_m, C_n] = s (S_(m+n) - S_(m-n)) */
static void find_brackets(parameters *p, const cas_fluid_wave *m, const cas_fluid_wave *n,
                          int *diagonal, double *xi) {
  const int N = (int)p->fluid.N, cross = ((m->i * n->j - m->j * n->i) % N + N) % N;
  const bool a = cas_sine_euler_held(m->i, m->j), b = cas_sine_euler_held(n->i, n->j);
  const double s = p->fluid.amplitude * p->fluid.amplitude * N / (2 * M_PI) *
                   p->root[2 * cross + 1] * (m->value * n->value);
  find_bracket(p, a || b ? -s : s, a == b, m->i + n->i, m->j + n->j, diagonal, xi);
  find_bracket(p, b ? s : a ? -s : s, a == b, m->i - n->i, m->j - n->j, diagonal + 1, xi + 2 * N);
}

/* The number of a pair i < j of noises, in the order of areas. */
static int pair_of(int n, int i, int j) { return i * n - i * (i + 1) / 2 + j - i - 1; }

cas_status CAS_ISA(cas_sine_euler_take_areas)(const cas_config *c CAS_UNUSED, void *parameters_,
                                              cas_error *err) {
  parameters *p = parameters_;
  const int waves = cas_sine_euler_noises(p) ? p->fluid.waves : 0;
  const size_t N = (size_t)p->fluid.N;
  size_t pairs = 1; /* one at least, to be allocated */
  for (int i = 0; i < waves; i++)
    for (int j = 0; j < i; j++)
      pairs += p->fluid.wave[i].noise != p->fluid.wave[j].noise;
  p->bracket = malloc(4 * N * pairs * sizeof *p->bracket);
  p->diagonal = malloc(4 * pairs * sizeof *p->diagonal);
  CAS_NEED(p->bracket && p->diagonal);
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

void CAS_ISA(cas_sine_euler_add_areas)(const void *parameters_, int W, const double *v,
                                       const double *w, double *area) {
  cas_components_add_areas_of_pairs(cas_sine_euler_noises(parameters_), W, v, w, area);
}
