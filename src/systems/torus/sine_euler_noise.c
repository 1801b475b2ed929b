/* The noise of the sine-bracket Euler equations: a Brownian motion for each mode, or for each sum
   of waves, the brackets of these, and the Ito drift. */
#include "systems/torus/sine_euler.h"

#include "base/lanes.h"
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

/* ---- the Ito drift, mode by mode ---- */

/* The real parts of the mode n, reduced to the box, before its imaginary parts, which are to be
   multiplied by the sign; mode 0 is not asked for. */
static const double *reduced_mode(int N, int lanes, int n1, int n2, const double *omega,
                                  double *sign) {
  const int r = N / 2;
  n1 = ((n1 + r) % N + N) % N - r;
  n2 = ((n2 + r) % N + N) % N - r;
  return omega + 2 * lanes * cas_sine_euler_find(N, n1, n2, sign);
}

/* out += factor times the mode n, or i times that */
static void add_mode(int N, int lanes, int n1, int n2, double factor, bool turned,
                     const double *omega, double *out) {
  double sign;
  const double *re = reduced_mode(N, lanes, n1, n2, omega, &sign), *im = re + lanes;
  for (int l = 0; l < lanes && !turned; l++) {
    out[l] += factor * re[l];
    out[lanes + l] += factor * sign * im[l];
  }
  for (int l = 0; l < lanes && turned; l++) {
    out[l] -= factor * sign * im[l];
    out[lanes + l] += factor * re[l];
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
      double s = p->fluid.amplitude * N / (2 * M_PI) * p->root[2 * cross + 1] * m->value;
      double *to = sum + 2 * lanes * cas_sine_euler_mode(N, n1, n2);
      if (cross == 0)
        continue;
      add_mode(N, lanes, n1, n2, -2 * s * s, false, omega, to);
      add_mode(N, lanes, n1 - 2 * m1, n2 - 2 * m2, sign * s * s, false, omega, to);
      add_mode(N, lanes, n1 + 2 * m1, n2 + 2 * m2, sign * s * s, false, omega, to);
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
      const double s = p->fluid.amplitude * N / (2 * M_PI) * p->root[2 * cross + 1] * m->value;
      double *to = sum + 2 * lanes * cas_sine_euler_mode(N, n1, n2);
      if (cross == 0)
        continue;
      add_mode(N, lanes, n1 - m->i, n2 - m->j, s, !cosine, omega, to);
      add_mode(N, lanes, n1 + m->i, n2 + m->j, cosine ? -s : s, !cosine, omega, to);
    }
}

/* sum over all noises of the second derivative along each; `out` serves as space for the first. */
CAS_INLINE void ito(const parameters *p, int lanes, const double *x, double *workspace,
                    double *out) {
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

void CAS_ISA(cas_sine_euler_ito)(const void *parameters_, bool one_path, const double *x,
                                 double *workspace, double *out) {
  if (one_path)
    ito(parameters_, 1, x, workspace, out);
  else
    ito(parameters_, CAS_GROUP_LANES, x, workspace, out);
}
