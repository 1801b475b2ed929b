/* Modes of the sine-bracket Euler equations, and what is recorded of them. The vorticity on the
   torus of side 2 pi is the sum of omega_n exp(i n.x) over all modes n, and V = -i sqrt(N) X = sum
   of omega_n J_n the matrix that takes its place: (1/N) Tr V^p goes to the mean of its power p as N
   grows. */
#include "systems/sine_euler.h"

#include "base/scratch.h"
#include "systems/components.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef cas_sine_euler parameters;

static const double pi = 3.14159265358979323846;

extern const cas_algebra CAS_ISA(cas_algebra_su_n);

/* ---- modes of a state ---- */

/* cos and sin of theta_j = 2 pi n1 (2j + d)/N, over sqrt(N) */
static void find_phase(const parameters *p, int n1, int d, int j, double phase[2]) {
  int N = (int)p->N, at = n1 * (2 * j + d) % N;
  if (at < 0)
    at += N;
  for (int i = 0; i < 2; i++)
    phase[i] = p->root[2 * at + i] / sqrt((double)N);
}

/* re[W] and im[W]: omega_n = -i/sqrt(N) sum over j of X_(j,j+d) exp(-i theta_j), d = n2 >= 0, for
   sign -1 the conjugate */
static void find_mode(const parameters *p, int n1, int d, double sign, int W, const double *x,
                      double *re) {
  int N = (int)p->N;
  double phase[2], *im = re + W;
  memset(re, 0, 2 * (size_t)W * sizeof *re);
  for (int j = 0; j < N; j++) {
    cas_sine_euler_entry at = cas_sine_euler_entry_of(N, d, j);
    find_phase(p, n1, d, j, phase);
    for (int l = 0; l < W; l++) {
      double a = at.sign * x[at.re * W + l], b = x[at.im * W + l];
      re[l] += b * phase[0] - a * phase[1];
      im[l] -= sign * (a * phase[0] + b * phase[1]);
    }
  }
}

void CAS_ISA(cas_sine_euler_modes_of)(const cas_sine_euler *p, int W, const double *x,
                                      double *omega) {
  int r = (int)(p->N / 2);
  for (int d = 0; d <= r; d++)
    for (int n1 = d ? -r : 1; n1 <= r; n1++) {
      double sign; /* of a mode that files do not hold they have the conjugate, which is omega_-n */
      int mode = cas_sine_euler_find((int)p->N, n1, d, &sign);
      find_mode(p, n1, d, sign, W, x, omega + 2 * W * mode);
    }
}

/* entry j of diagonal d gains i/sqrt(N) omega_n exp(i theta_j), n2 = d, and on the main diagonal
   that of -n as well */
static void add_mode(const parameters *p, int n1, int d, int W, const double *omega, double *x) {
  int N = (int)p->N;
  double sign, times = d ? 1 : 2, phase[2];
  const double *re = omega + 2 * W * cas_sine_euler_find(N, n1, d, &sign), *im = re + W;
  for (int j = 0; j < N; j++) {
    cas_sine_euler_entry at = cas_sine_euler_entry_of(N, d, j);
    find_phase(p, n1, d, j, phase);
    for (int l = 0; l < W; l++) {
      double a = re[l], b = sign * im[l];
      x[at.re * W + l] -= at.sign * (a * phase[1] + b * phase[0]);
      x[at.im * W + l] += times * (a * phase[0] - b * phase[1]);
    }
  }
}

void CAS_ISA(cas_sine_euler_state_of)(const cas_sine_euler *p, int W, const double *omega,
                                      double *x) {
  int r = (int)(p->N / 2);
  memset(x, 0, (size_t)(p->N * p->N * W) * sizeof *x);
  for (int d = 0; d <= r; d++)
    for (int n1 = d ? -r : 1; n1 <= r; n1++)
      add_mode(p, n1, d, W, omega, x);
}

/* ---- functions of the modes ---- */

typedef void of_modes(const parameters *p, int W, const double *omega, double *out);

static void by_modes(const parameters *p, of_modes *f, int numbers, int W, const double *x,
                     double *out) {
  double *omega = cas_scratch(2 * (size_t)(cas_sine_euler_modes(p) * W) * sizeof *omega);
  if (omega) {
    CAS_ISA(cas_sine_euler_modes_of)(p, W, x, omega);
    f(p, W, omega, out);
  }
  for (int i = 0; !omega && i < numbers * W; i++)
    out[i] = NAN;
  free(omega);
}

static int shells(const parameters *p) {
  int r = (int)(p->N / 2);
  return cas_sine_euler_shell(r, r);
}

/* Adds |omega_n|^2 of every mode to the number of its shell, or to one number; over |n|^2 it is the
   energy of n and -n together, without, twice, their enstrophy. */
static void add_squares(const parameters *p, bool energy, bool by_shell, int W, const double *omega,
                        double *out) {
  int r = (int)(p->N / 2);
  memset(out, 0, (size_t)(by_shell ? shells(p) : 1) * (size_t)W * sizeof *out);
  for (int n1 = 0; n1 <= r; n1++)
    for (int n2 = n1 ? -r : 1; n2 <= r; n2++, omega += 2 * W) {
      double *to = out + (by_shell ? cas_sine_euler_shell(n1, n2) - 1 : 0) * W,
             weight = energy ? 1.0 / (n1 * n1 + n2 * n2) : 2;
      for (int l = 0; l < W; l++)
        to[l] += weight * (omega[l] * omega[l] + omega[W + l] * omega[W + l]);
    }
}

static void energy_of(const parameters *p, int W, const double *omega, double *out) {
  add_squares(p, true, false, W, omega, out);
}

static void energy_spectrum_of(const parameters *p, int W, const double *omega, double *out) {
  add_squares(p, true, true, W, omega, out);
}

static void enstrophy_spectrum_of(const parameters *p, int W, const double *omega, double *out) {
  add_squares(p, false, true, W, omega, out);
}

static void zonal_of(const parameters *p, int W, const double *omega, double *out) {
  memcpy(out, omega + 2 * W * cas_sine_euler_mode((int)p->N, 0, 1), (size_t)W * sizeof *out);
}

static void zonal_squared_of(const parameters *p, int W, const double *omega, double *out) {
  omega += 2 * W * cas_sine_euler_mode((int)p->N, 0, 1);
  for (int l = 0; l < W; l++)
    out[l] = omega[l] * omega[l] + omega[W + l] * omega[W + l];
}

/* The rates at which input, viscosity and friction change the energy, or the enstrophy; white
   forcing by its mean. */
static void balance(const parameters *p, bool energy, int W, const double *omega, double *out) {
  const cas_vectors *rows = &p->forcing.steady;
  const cas_fluid_white *white = &p->forcing.white;
  const int r = (int)(p->N / 2), kicks = CAS_ISA(cas_sine_euler_kicks)(p);
  memset(out, 0, CAS_FLUID_TERMS * (size_t)W * sizeof *out);
  for (int i = 0; i < rows->rows; i++) {
    const double *row = rows->value + 3 * i, square = row[0] * row[0] + row[1] * row[1];
    double sign;
    const double *of =
        omega + 2 * W * cas_sine_euler_find((int)p->N, (int)row[0], (int)row[1], &sign);
    for (int l = 0; l < W; l++)
      out[l] += sign * row[2] * of[l + (sign < 0 ? W : 0)] * (energy ? 2 / square : 4);
  }
  for (int n1 = 0; n1 <= r; n1++)
    for (int n2 = n1 ? -r : 1; n2 <= r; n2++, omega += 2 * W) {
      const double square = n1 * n1 + n2 * n2, weight = energy ? 2 / square : 4,
                   viscous = cas_fluid_rate(&p->damping, square) - p->damping.friction;
      const int shell = cas_sine_euler_shell(n1, n2);
      for (int l = 0; l < W; l++) {
        const double size = omega[l] * omega[l] + omega[W + l] * omega[W + l];
        out[l] += kicks && shell >= white->lmin && shell <= white->lmax
                      ? 2 * white->rate / kicks * (energy ? 1 : 2 * square)
                      : 0;
        out[W + l] -= weight * viscous * size;
        out[2 * W + l] -= weight * p->damping.friction * size;
      }
    }
}

static void energy_balance_of(const parameters *p, int W, const double *omega, double *out) {
  balance(p, true, W, omega, out);
}

static void enstrophy_balance_of(const parameters *p, int W, const double *omega, double *out) {
  balance(p, false, W, omega, out);
}

/* ---- maps ---- */

/* A map of factor(n) omega_n. */
static void map_of_modes(const parameters *p, double (*factor)(const parameters *, int, int), int W,
                         const double *omega, double *out) {
  const int r = (int)(p->N / 2), numbers = 2 * cas_sine_euler_modes(p) * W;
  double *changed = cas_scratch((size_t)numbers * sizeof *changed), *to = changed;
  for (int n1 = 0; changed && n1 <= r; n1++)
    for (int n2 = n1 ? -r : 1; n2 <= r; n2++)
      for (int i = 0; i < 2 * W; i++)
        *to++ = factor(p, n1, n2) * *omega++;
  if (changed)
    CAS_ISA(cas_sine_euler_map_of)(p, W, changed, out);
  for (int64_t i = 0; !changed && i < p->grid * p->grid * W; i++)
    out[i] = NAN;
  free(changed);
}

/* Of (-Lap)^-1, the stream function psi of sine_euler.c. */
static double inverse_of_mode(const parameters *p CAS_UNUSED, int n1, int n2) {
  return 1.0 / (n1 * n1 + n2 * n2);
}

static double is_low(const parameters *p, int n1, int n2) {
  return cas_sine_euler_shell(n1, n2) <= p->lowpass;
}

static void stream_function_of(const parameters *p, int W, const double *omega, double *out) {
  map_of_modes(p, inverse_of_mode, W, omega, out);
}

static void lowpass_of(const parameters *p, int W, const double *omega, double *out) {
  map_of_modes(p, is_low, W, omega, out);
}

/* ---- observables ---- */

CAS_COMPONENTS_FUNCTION(hamiltonian, by_modes(p, energy_of, 1, W, x, out))
CAS_COMPONENTS_FUNCTION(enstrophy, CAS_ISA(cas_su_n_norm2)((int)p->N, W, x, out))
CAS_COMPONENTS_FUNCTION(zonal, by_modes(p, zonal_of, 1, W, x, out))
CAS_COMPONENTS_FUNCTION(zonal_squared, by_modes(p, zonal_squared_of, 1, W, x, out))
CAS_COMPONENTS_FUNCTION(energy_spectrum, by_modes(p, energy_spectrum_of, shells(p), W, x, out))
CAS_COMPONENTS_FUNCTION(enstrophy_spectrum,
                        by_modes(p, enstrophy_spectrum_of, shells(p), W, x, out))
CAS_COMPONENTS_FUNCTION(energy_balance, by_modes(p, energy_balance_of, CAS_FLUID_TERMS, W, x, out))
CAS_COMPONENTS_FUNCTION(enstrophy_balance,
                        by_modes(p, enstrophy_balance_of, CAS_FLUID_TERMS, W, x, out))

static void map(const parameters *p, of_modes *f, int W, const double *x, double *out) {
  by_modes(p, f, (int)(p->grid * p->grid), W, x, out);
}

CAS_COMPONENTS_FUNCTION(vorticity, map(p, CAS_ISA(cas_sine_euler_map_of), W, x, out))
CAS_COMPONENTS_FUNCTION(stream_function, map(p, stream_function_of, W, x, out))
CAS_COMPONENTS_FUNCTION(vorticity_lowpass, map(p, lowpass_of, W, x, out))
CAS_COMPONENTS_FUNCTION(modes, CAS_ISA(cas_sine_euler_modes_of)(p, W, x, out))

/* of V, in ascending order */
static void eigenvalues(const void *parameters_, int W, const double *x, double *out) {
  int N = (int)((const parameters *)parameters_)->N;
  const cas_geometry g = {.algebra = &CAS_ISA(cas_algebra_su_n), .n = N, .factors = 1};
  g.algebra->casimir(&g, W, x, out);
  for (int i = 0; i < N * W; i++)
    out[i] *= sqrt(N);
}

static void cubic_casimir(const void *parameters_, int W, const double *x, double *out) {
  int N = (int)((const parameters *)parameters_)->N;
  double *value = cas_scratch((size_t)(N * W) * sizeof *value);
  if (value)
    eigenvalues(parameters_, W, x, value);
  for (int l = 0; l < W; l++) {
    out[l] = value ? 0 : NAN;
    for (int i = 0; value && i < N; i++)
      out[l] += value[i * W + l] * value[i * W + l] * value[i * W + l] / N;
  }
  free(value);
}

/* of V, over N */
static void traces(const void *parameters_, int W, const double *x, double *out) {
  const int N = (int)((const parameters *)parameters_)->N, n = cas_fluid_traces(N);
  double *value = cas_scratch((size_t)(N * W) * sizeof *value);
  if (value)
    eigenvalues(parameters_, W, x, value);
  for (int l = 0; value && l < W; l++)
    CAS_ISA(cas_fluid_traces_find)(N, W, value + l, out + l);
  for (int i = 0; i < n * W; i++)
    out[i] = value ? out[i] / N : NAN;
  free(value);
}

/* ---- axes ---- */

static void powers(const void *parameters_, double *out) {
  CAS_ISA(cas_fluid_powers)((int)((const parameters *)parameters_)->N, out);
}

static int along_powers(const void *parameters_, cas_axis axis[2]) {
  axis[0] = cas_fluid_power_axis((int)((const parameters *)parameters_)->N, powers);
  return 1;
}

static const char *no_lowpass(const void *parameters_) {
  return ((const parameters *)parameters_)->lowpass
             ? NULL
             : "system.lowpass, its highest shell, is not given";
}

static int along_modes(const void *parameters_, cas_axis axis[2]) {
  axis[0] = cas_sine_euler_mode_axis(parameters_);
  axis[1] = (cas_axis){.name = "part",
                       .summary = "real and imaginary part",
                       .unit = "1",
                       .length = 2,
                       .labels = "re im"};
  return 2;
}

static int along_eigenvalues(const void *parameters_, cas_axis axis[2]) {
  axis[0] = cas_fluid_eigenvalue_axis((int)((const parameters *)parameters_)->N);
  return 1;
}

static const char *no_balance(const void *parameters_) {
  const parameters *p = parameters_;
  return cas_fluid_no_balance(&p->damping, &p->forcing);
}

static int along_shells(const void *parameters_, cas_axis axis[2]) {
  axis[0] = (cas_axis){.name = "wavenumber",
                       .summary = "shell of modes n, the integer nearest to |n|",
                       .unit = "1",
                       .length = shells(parameters_)};
  return 1;
}

static void grid_points(const void *parameters_, double *out) {
  int points = (int)((const parameters *)parameters_)->grid;
  for (int i = 0; i < points; i++)
    out[i] = 2 * pi * i / points;
}

static int along_torus(const void *parameters_, cas_axis axis[2]) {
  for (int i = 0; i < 2; i++)
    axis[i] = (cas_axis){.name = i ? "x1" : "x2",
                         .summary = i ? "first coordinate on the torus, of period 2 pi"
                                      : "second coordinate on the torus, of period 2 pi",
                         .unit = "1",
                         .length = (int)((const parameters *)parameters_)->grid,
                         .coordinates = grid_points};
  return 2;
}

/* ---- ranges where the enstrophy, a Casimir, has the value at x0 ---- */

static void range_of_energy(const void *parameters_, const double *x0, double range[2]) {
  double r = (double)(((const parameters *)parameters_)->N / 2), square;
  enstrophy(parameters_, 1, x0, &square);
  range[0] = square / (4 * r * r);
  range[1] = square / 2;
}

static void range_of_enstrophy(const void *parameters_, const double *x0, double range[2]) {
  range[0] = 0;
  enstrophy(parameters_, 1, x0, &range[1]);
}

static void range_of_zonal_squared(const void *parameters_, const double *x0, double range[2]) {
  range_of_enstrophy(parameters_, x0, range);
  range[1] /= 2;
}

static void range_of_zonal(const void *parameters_, const double *x0, double range[2]) {
  range_of_zonal_squared(parameters_, x0, range);
  cas_components_symmetric_range(sqrt(range[1]), range);
}

/* ---- tables ---- */

/* the side of the torus is 2 pi, which leaves the unit of time alone */
#define RATE "time_unit^-1"
#define SQUARE "time_unit^-2"

static const char energy_text[] = "H0 = 1/2 sum over all modes of |omega_n|^2/|n|^2";

const cas_functional CAS_ISA(cas_sine_euler_functionals)[] = {
    CAS_FUNCTIONAL(energy, hamiltonian, SQUARE, energy_text, .range = range_of_energy),
    CAS_FUNCTIONAL(enstrophy, enstrophy, SQUARE, "sum over all modes of |omega_n|^2, a Casimir",
                   .range = range_of_enstrophy),
    CAS_FUNCTIONAL(zonal, zonal, RATE, "real part of omega_n, n = (0, 1)", .range = range_of_zonal),
    CAS_FUNCTIONAL(zonal_squared, zonal_squared, SQUARE, "|omega_n|^2, n = (0, 1)",
                   .range = range_of_zonal_squared),
    {0}};

const cas_functional CAS_ISA(cas_sine_euler_observables)[] = {
    CAS_FUNCTIONAL(hamiltonian, hamiltonian, SQUARE, energy_text, .range = range_of_energy),
    CAS_FUNCTIONAL(modes, modes, RATE, "omega_n", .axes = along_modes),
    CAS_FUNCTIONAL(
        eigenvalues, eigenvalues, RATE,
        "eigenvalues of V = sum of omega_n J_n, in the place of values of the vorticity; "
        "constant",
        .axes = along_eigenvalues),
    CAS_FUNCTIONAL(cubic_casimir, cubic_casimir, "time_unit^-3",
                   "Tr V^3/N, in the place of the mean of the vorticity's cube; constant"),
    CAS_FUNCTIONAL(
        traces, traces, "time_unit^-k",
        "Tr V^k/N, k = 2 .. 10, at most N: in the place of means of the vorticity's powers; "
        "constant",
        .axes = along_powers),
    CAS_FUNCTIONAL(energy_spectrum, energy_spectrum, SQUARE, "part of H0 in each shell |n|",
                   .axes = along_shells),
    CAS_FUNCTIONAL(enstrophy_spectrum, enstrophy_spectrum, SQUARE,
                   "part of the enstrophy in each shell |n|", .axes = along_shells),
    CAS_FUNCTIONAL(
        energy_balance, energy_balance, "time_unit^-3",
        "rates at which forcing, viscosity and friction change H0; white forcing by its mean",
        .axes = cas_fluid_along_balance, .undefined = no_balance),
    CAS_FUNCTIONAL(enstrophy_balance, enstrophy_balance, "time_unit^-3",
                   "rates at which they change the enstrophy", .axes = cas_fluid_along_balance,
                   .undefined = no_balance),
    CAS_FUNCTIONAL(vorticity, vorticity, RATE, "vorticity map, sum of omega_n exp(i n.x)",
                   .axes = along_torus),
    CAS_FUNCTIONAL(vorticity_lowpass, vorticity_lowpass, RATE,
                   "map of the shells |n| <= system.lowpass alone: large vortices in a rough field",
                   .axes = along_torus, .undefined = no_lowpass),
    CAS_FUNCTIONAL(stream_function, stream_function, RATE,
                   "map of (-Lap)^-1 of the vorticity, the stream function of u = (-d/dx2, d/dx1)",
                   .axes = along_torus),
    {0}};

/* ---- numbers with indices ---- */

static bool is_mode(const void *parameters_, const double index[2], char *right, size_t size) {
  const int r = (int)(((const parameters *)parameters_)->N / 2);
  snprintf(right, size, "n1 and n2 are from %d to %d, and not both 0", -r, r);
  return fabs(index[0]) <= r && fabs(index[1]) <= r && (index[0] != 0 || index[1] != 0);
}

/* part 0 or 1 of omega_n; omega_-n is the conjugate */
static void part_of_mode(const void *parameters_, const double index[2], int part, int W,
                         const double *x, double *out) {
  const int sign = index[1] < 0 ? -1 : 1;
  double omega[2 * CAS_SINE_EULER_LANES];
  find_mode(parameters_, sign * (int)index[0], sign * (int)index[1], sign, W, x, omega);
  memcpy(out, omega + part * W, (size_t)W * sizeof *out);
}

static void real_part(const void *parameters_, const double index[2], int W, const double *x,
                      double *out) {
  part_of_mode(parameters_, index, 0, W, x, out);
}

static void imaginary_part(const void *parameters_, const double index[2], int W, const double *x,
                           double *out) {
  part_of_mode(parameters_, index, 1, W, x, out);
}

/* ---- bands of shells, and points ---- */

static bool is_band(const void *parameters_, const double index[2], char *right, size_t size) {
  const int most = shells(parameters_);
  snprintf(right, size, "shells ascend from k1 to k2 and are from 1 to %d", most);
  return index[0] >= 1 && index[0] <= index[1] && index[1] <= most;
}

static void of_band(const void *parameters_, const double index[2], bool energy, int W,
                    const double *x, double *out) {
  const int n = shells(parameters_);
  double *spectrum = cas_scratch((size_t)(n * W) * sizeof *spectrum);
  if (spectrum)
    (energy ? energy_spectrum : enstrophy_spectrum)(parameters_, W, x, spectrum);
  for (int l = 0; l < W; l++) {
    out[l] = spectrum ? 0 : NAN;
    for (int k = (int)index[0]; spectrum && k <= index[1]; k++)
      out[l] += spectrum[(k - 1) * W + l];
  }
  free(spectrum);
}

static void energy_of_band(const void *p, const double index[2], int W, const double *x,
                           double *out) {
  of_band(p, index, true, W, x, out);
}

static void enstrophy_of_band(const void *p, const double index[2], int W, const double *x,
                              double *out) {
  of_band(p, index, false, W, x, out);
}

static bool is_point(const void *parameters_ CAS_UNUSED, const double index[2], char *right,
                     size_t size) {
  snprintf(right, size, "x1 and x2 are from -360 to 360 degrees, 360 being 2 pi");
  return fabs(index[0]) <= 360 && fabs(index[1]) <= 360;
}

static void vorticity_at(const void *parameters_, const double index[2], int W, const double *x,
                         double *out) {
  const parameters *p = parameters_;
  const int r = (int)(p->N / 2);
  double *omega = cas_scratch(2 * (size_t)(cas_sine_euler_modes(p) * W) * sizeof *omega);
  if (omega)
    CAS_ISA(cas_sine_euler_modes_of)(p, W, x, omega);
  for (int l = 0; l < W; l++) {
    const double *of = omega;
    out[l] = omega ? 0 : NAN;
    for (int n1 = 0; omega && n1 <= r; n1++)
      for (int n2 = n1 ? -r : 1; n2 <= r; n2++, of += 2 * W) {
        const double angle = (n1 * index[0] + n2 * index[1]) * pi / 180;
        out[l] += 2 * (of[l] * cos(angle) - of[W + l] * sin(angle));
      }
  }
  free(omega);
}

const cas_indexed CAS_ISA(cas_sine_euler_indexed)[] = {
    {.name = "re_omega(n1,n2)",
     .summary = "real part of omega_n, the mode n = (n1, n2)",
     .exists = is_mode,
     .value = real_part},
    {.name = "im_omega(n1,n2)",
     .summary = "imaginary part of omega_n",
     .exists = is_mode,
     .value = imaginary_part},
    {.name = "energy_of(k1,k2)",
     .summary = "part of H0 in the shells k1 .. k2",
     .exists = is_band,
     .value = energy_of_band},
    {.name = "enstrophy_of(k1,k2)",
     .summary = "part of the enstrophy in the shells k1 .. k2",
     .exists = is_band,
     .value = enstrophy_of_band},
    {.name = "vorticity_at(x1,x2)",
     .summary = "vorticity at a point, in degrees of which 360 are 2 pi, also fractions",
     .fractional = true,
     .exists = is_point,
     .value = vorticity_at},
    {0}};
