/* What is recorded of Euler-Zeitlin. With coefficients omega_lm = <T_lm, X - F> and vorticity
   omega = sum of omega_lm Y_lm on the unit sphere: H0 = 1/2 sum of omega_lm^2/(l(l+1)) is the
   kinetic energy, Tr(X^* X) = sum of omega_lm^2 the integral of omega^2, and the integral of
   (x, y, z) omega the angular momentum. F, the Coriolis parameter, is 0 without rotation. */
#include "systems/sphere/euler_zeitlin.h"

#include "algebra/su_n.h"
#include "base/scratch.h"
#include "harmonics/sphere.h"
#include "systems/components.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef cas_euler_zeitlin parameters;

extern const cas_algebra CAS_ISA(cas_algebra_su_n);

/* ---- from the coefficients ---- */

/* `numbers` functions of the coefficients of one lane, stride W */
typedef void of_coefficients(const parameters *p, const double *omega, int W, double *out);

/* Of X less `rest` in (1, 0). */
static void by_lane_less(const parameters *p, double rest, of_coefficients *f, int numbers, int W,
                         const double *x, double *out) {
  double *omega = cas_scratch((size_t)(p->N * p->N) * sizeof *omega);
  for (int lane = 0; lane < W && !cas_cancelled(); lane++) {
    if (omega) {
      cas_hoppe_yau_coefficients(&p->harmonics, W, x + lane, omega);
      omega[cas_hoppe_yau_mode(1, 0)] -= rest;
      f(p, omega, W, out + lane);
    }
    for (int i = 0; !omega && i < numbers; i++)
      out[i * W + lane] = NAN;
  }
  free(omega);
}

/* Of the vorticity that is seen from the sphere. */
static void by_lane(const parameters *p, of_coefficients *f, int numbers, int W, const double *x,
                    double *out) {
  by_lane_less(p, cas_euler_zeitlin_coriolis(p), f, numbers, W, x, out);
}

/* out[(l - 1) * W] = sum over m of omega_lm^2 */
static void add_squares(const parameters *p, const double *omega, int W, double *out) {
  for (int l = 1; l < p->N; l++) {
    double sum = 0;
    for (int m = -l; m <= l; m++)
      sum += omega[cas_hoppe_yau_mode(l, m)] * omega[cas_hoppe_yau_mode(l, m)];
    out[(l - 1) * W] = sum;
  }
}

static void spectrum_of(const parameters *p, const double *omega, int W, double *out) {
  add_squares(p, omega, W, out);
  for (int l = 1; l < p->N; l++)
    out[(l - 1) * W] *= 0.5 / (l * (l + 1.0));
}

static void energy_of(const parameters *p, const double *omega, int W CAS_UNUSED, double *out) {
  double spectrum[CAS_HOPPE_YAU_MOST];
  spectrum_of(p, omega, 1, spectrum);
  *out = 0;
  for (int l = 1; l < p->N; l++)
    *out += spectrum[l - 1];
}

static void zonal1_of(const parameters *p CAS_UNUSED, const double *omega, int W CAS_UNUSED,
                      double *out) {
  *out = omega[cas_hoppe_yau_mode(1, 0)];
}

static void angular_momentum_of(const parameters *p CAS_UNUSED, const double *omega, int W,
                                double *out) {
  const double radius = sqrt(4 * acos(-1) / 3);
  static const int m[3] = {-1, 1, 0};
  for (int i = 0; i < 3; i++)
    out[i * W] = radius * omega[cas_hoppe_yau_mode(1, m[i])];
}

static void vorticity_of(const parameters *p, const double *omega, int W, double *out) {
  cas_sphere_synthesise((int)p->N, omega, (int)p->latitudes, 2 * (int)p->latitudes, W, out);
}

/* A map of factor[l] omega_lm. */
static void map_of_degrees(const parameters *p, const double *factor, const double *omega, int W,
                           double *out) {
  double *changed = cas_scratch((size_t)(p->N * p->N) * sizeof *changed);
  const int64_t points = 2 * p->latitudes * p->latitudes;
  for (int l = 1; changed && l < p->N; l++)
    for (int m = -l; m <= l; m++)
      changed[cas_hoppe_yau_mode(l, m)] = factor[l] * omega[cas_hoppe_yau_mode(l, m)];
  if (changed)
    vorticity_of(p, changed, W, out);
  for (int64_t i = 0; !changed && i < points; i++)
    out[i * W] = NAN;
  free(changed);
}

static void stream_function_of(const parameters *p, const double *omega, int W, double *out) {
  double factor[CAS_HOPPE_YAU_MOST];
  for (int l = 1; l < p->N; l++)
    factor[l] = -1 / (l * (l + 1.0));
  map_of_degrees(p, factor, omega, W, out);
}

static void lowpass_of(const parameters *p, const double *omega, int W, double *out) {
  double factor[CAS_HOPPE_YAU_MOST];
  for (int l = 1; l < p->N; l++)
    factor[l] = l <= p->lowpass;
  map_of_degrees(p, factor, omega, W, out);
}

/* The rates at which input, viscosity and friction change the energy, or the sum of omega_lm^2;
   white forcing by its mean. */
static void balance(const parameters *p, bool energy, const double *omega, int W, double *out) {
  const cas_vectors *rows = &p->forcing.steady;
  const cas_fluid_white *white = &p->forcing.white;
  double sum[CAS_FLUID_TERMS] = {0}; /* of the energy, or half of those of the squares */
  for (int i = 0; i < rows->rows; i++) {
    const double *row = rows->value + 3 * i;
    sum[0] += row[2] * omega[cas_hoppe_yau_mode((int)row[0], (int)row[1])] /
              (energy ? row[0] * (row[0] + 1) : 1);
  }
  for (int l = (int)white->lmin; white->rate > 0 && l <= white->lmax; l++)
    sum[0] += (2 * l + 1) * white->rate / cas_sphere_kicks(p) * (energy ? 1 : l * (l + 1.0));
  for (int l = 1; l < p->N; l++) {
    double square = 0;
    for (int m = -l; m <= l; m++)
      square += omega[cas_hoppe_yau_mode(l, m)] * omega[cas_hoppe_yau_mode(l, m)];
    square /= energy ? l * (l + 1.0) : 1;
    sum[1] -= (cas_sphere_rate(p, l) - p->damping.friction) * square;
    sum[2] -= p->damping.friction * square;
  }
  for (int i = 0; i < CAS_FLUID_TERMS; i++)
    out[i * W] = (energy ? 1 : 2) * sum[i];
}

static void energy_balance_of(const parameters *p, const double *omega, int W, double *out) {
  balance(p, true, omega, W, out);
}

static void enstrophy_balance_of(const parameters *p, const double *omega, int W, double *out) {
  balance(p, false, omega, W, out);
}

CAS_COMPONENTS_FUNCTION(energy_spectrum, by_lane(p, spectrum_of, (int)p->N - 1, W, x, out))
CAS_COMPONENTS_FUNCTION(enstrophy_spectrum, by_lane(p, add_squares, (int)p->N - 1, W, x, out))
CAS_COMPONENTS_FUNCTION(angular_momentum, by_lane(p, angular_momentum_of, 3, W, x, out))
CAS_COMPONENTS_FUNCTION(vorticity,
                        by_lane(p, vorticity_of, (int)(2 * p->latitudes * p->latitudes), W, x, out))
CAS_COMPONENTS_FUNCTION(stream_function, by_lane(p, stream_function_of,
                                                 (int)(2 * p->latitudes * p->latitudes), W, x, out))
CAS_COMPONENTS_FUNCTION(vorticity_lowpass,
                        by_lane(p, lowpass_of, (int)(2 * p->latitudes * p->latitudes), W, x, out))
CAS_COMPONENTS_FUNCTION(energy_balance, by_lane(p, energy_balance_of, CAS_FLUID_TERMS, W, x, out))
CAS_COMPONENTS_FUNCTION(enstrophy_balance,
                        by_lane(p, enstrophy_balance_of, CAS_FLUID_TERMS, W, x, out))
CAS_COMPONENTS_FUNCTION(vorticity_absolute,
                        by_lane_less(p, 0, vorticity_of, (int)(2 * p->latitudes * p->latitudes), W,
                                     x, out))

/* ---- from the packed state ---- */

CAS_COMPONENTS_FUNCTION(enstrophy, CAS_ISA(cas_su_n_norm2)((int)p->N, W, x, out))

/* out += sum over l of weight/(l(l+1)) <eigenvector l, diagonal>^2 for the diagonal of components
 * first, next(first), .., less `rest` in l = 1 */
static void add_energy(const parameters *p, int m, double weight, double rest,
                       int (*component)(int, int, int), int W, const double *x, double *out) {
  int N = (int)p->N, n = N - m;
  const double *basis = p->basis + cas_euler_zeitlin_basis(N, m);
  for (int i = m == 0; i < n; i++)
    for (int lane = 0; lane < W; lane++) {
      double w = 0;
      for (int k = 0; k < n; k++)
        w += basis[i * n + k] * x[component(N, k, k + m) * W + lane];
      w -= m + i == 1 ? rest : 0;
      out[lane] += weight / ((m + i) * (m + i + 1.0)) * w * w;
    }
}

static int diagonal_component(int N CAS_UNUSED, int i, int j CAS_UNUSED) { return i; }

/* H0 = 1/2 <X - F, -Lap^-1 (X - F)>; a coefficient off the diagonal is sqrt 2 times the product
   with B */
static void hamiltonian(const void *parameters_, int W, const double *x, double *out) {
  const parameters *p = parameters_;
  if (!p->basis) {
    by_lane(p, energy_of, 1, W, x, out);
    return;
  }
  memset(out, 0, (size_t)W * sizeof *out);
  add_energy(p, 0, 0.5, cas_euler_zeitlin_coriolis(p), diagonal_component, W, x, out);
  for (int m = 1; m < p->N; m++) {
    add_energy(p, m, 1, 0, cas_su_n_re, W, x, out);
    add_energy(p, m, 1, 0, cas_su_n_im, W, x, out);
  }
}

static void zonal1(const void *parameters_, int W, const double *x, double *out) {
  const parameters *p = parameters_;
  if (!p->basis) {
    by_lane(p, zonal1_of, 1, W, x, out);
    return;
  }
  for (int lane = 0; lane < W; lane++) {
    out[lane] = 0;
    for (int k = 0; k < p->N; k++)
      out[lane] += p->basis[p->N + k] * x[k * W + lane];
    out[lane] -= cas_euler_zeitlin_coriolis(p);
  }
}

static void zonal1_squared(const void *parameters_, int W, const double *x, double *out) {
  zonal1(parameters_, W, x, out);
  for (int lane = 0; lane < W; lane++)
    out[lane] *= out[lane];
}

/* of X/i, in ascending order */
static void eigenvalues(const void *parameters_, int W, const double *x, double *out) {
  const cas_geometry g = {.algebra = &CAS_ISA(cas_algebra_su_n),
                          .n = (int)((const parameters *)parameters_)->N,
                          .factors = 1};
  g.algebra->casimir(&g, W, x, out);
}

/* `numbers` functions of the eigenvalues of one lane, stride W */
typedef void of_eigenvalues(int N, int W, const double *eigenvalue, double *out);

static void by_eigenvalues(const parameters *p, of_eigenvalues *f, int numbers, int W,
                           const double *x, double *out) {
  const int N = (int)p->N;
  double *eigenvalue = cas_scratch((size_t)(N * W) * sizeof *eigenvalue);
  if (eigenvalue)
    eigenvalues(p, W, x, eigenvalue);
  for (int lane = 0; eigenvalue && lane < W; lane++)
    f(N, W, eigenvalue + lane, out + lane);
  for (int i = 0; !eigenvalue && i < numbers * W; i++)
    out[i] = NAN;
  free(eigenvalue);
}

static void largest(int N, int W, const double *eigenvalue, double *out) {
  *out = fmax(-eigenvalue[0], eigenvalue[(N - 1) * W]); /* ascending, so the first or the last */
}

CAS_COMPONENTS_FUNCTION(eigenvalue_max, by_eigenvalues(p, largest, 1, W, x, out))
CAS_COMPONENTS_FUNCTION(traces, by_eigenvalues(p, CAS_ISA(cas_fluid_traces_find),
                                               cas_fluid_traces((int)p->N), W, x, out))

/* ---- axes ---- */

static void degrees(const void *parameters_, double *out) {
  for (int l = 1; l < ((const parameters *)parameters_)->N; l++)
    out[l - 1] = l;
}

static void latitudes(const void *parameters_, double *out) {
  int rows = (int)((const parameters *)parameters_)->latitudes;
  for (int i = 0; i < rows; i++)
    out[i] = cas_sphere_latitude(rows, i);
}

static void longitudes(const void *parameters_, double *out) {
  int columns = 2 * (int)((const parameters *)parameters_)->latitudes;
  for (int j = 0; j < columns; j++)
    out[j] = cas_sphere_longitude(columns, j);
}

static int along_degree(const void *parameters_, cas_axis axis[2]) {
  axis[0] = (cas_axis){.name = "degree",
                       .summary = "degree l of spherical harmonics",
                       .unit = "1",
                       .length = (int)((const parameters *)parameters_)->N - 1,
                       .coordinates = degrees};
  return 1;
}

static int along_eigenvalues(const void *parameters_, cas_axis axis[2]) {
  axis[0] = cas_fluid_eigenvalue_axis((int)((const parameters *)parameters_)->N);
  return 1;
}

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
             : "system.lowpass, its highest degree, is not given";
}

static const char *no_balance(const void *parameters_) {
  const parameters *p = parameters_;
  return cas_fluid_no_balance(&p->damping, &p->forcing);
}

static int along_direction(const void *parameters_ CAS_UNUSED, cas_axis axis[2]) {
  axis[0] = (cas_axis){.name = "direction",
                       .summary = "direction; z is the axis of the poles",
                       .unit = "1",
                       .length = 3,
                       .labels = "x y z"};
  return 1;
}

static int along_sphere(const void *parameters_, cas_axis axis[2]) {
  int rows = (int)((const parameters *)parameters_)->latitudes;
  axis[0] = (cas_axis){.name = "latitude",
                       .summary = "latitude, centres of equal bands",
                       .unit = "degrees_north",
                       .length = rows,
                       .coordinates = latitudes};
  axis[1] = (cas_axis){.name = "longitude",
                       .summary = "longitude",
                       .unit = "degrees_east",
                       .length = 2 * rows,
                       .coordinates = longitudes};
  return 2;
}

/* ---- ranges where the enstrophy, a Casimir, has the value at x0 ---- */

/* The largest |X - F|^2 that there can be. */
static double most_square(const parameters *p, const double *x0) {
  double square;
  enstrophy(p, 1, x0, &square);
  return p->rotation != 0 ? pow(sqrt(square) + fabs(cas_euler_zeitlin_coriolis(p)), 2) : square;
}

static void range_of_energy(const void *parameters_, const double *x0, double range[2]) {
  const parameters *p = parameters_;
  double N = (double)p->N, square = most_square(p, x0);
  range[0] = p->rotation != 0 ? 0 : square / (2 * N * (N - 1));
  range[1] = square / 4;
}

static void range_of_square(const void *parameters_, const double *x0, double range[2]) {
  range[0] = 0;
  enstrophy(parameters_, 1, x0, &range[1]);
}

static void range_of_coefficient(const void *parameters_, const double *x0, double range[2]) {
  cas_components_symmetric_range(sqrt(most_square(parameters_, x0)), range);
}

static void range_of_coefficient_squared(const void *parameters_, const double *x0,
                                         double range[2]) {
  range[0] = 0;
  range[1] = most_square(parameters_, x0);
}

static void range_of_momentum(const void *parameters_, const double *x0, double range[2]) {
  cas_components_symmetric_range(sqrt(4 * acos(-1) / 3 * most_square(parameters_, x0)), range);
}

/* ---- tables ---- */

/* the radius of the sphere is 1, which leaves the unit of time alone */
#define RATE "time_unit^-1"
#define SQUARE "time_unit^-2"

#define SEEN "X - F, seen from the sphere"

static const char energy_text[] =
    "H0 = 1/2 <X - F, -Lap^-1 (X - F)>; F = 2 rotation sqrt(4 pi/3) T_10 is the vorticity of the "
    "sphere itself";

const cas_functional CAS_ISA(cas_euler_zeitlin_functionals)[] = {
    CAS_FUNCTIONAL(energy, hamiltonian, SQUARE, energy_text, .range = range_of_energy),
    CAS_FUNCTIONAL(enstrophy, enstrophy, SQUARE, "Tr(X^* X), a Casimir; X is absolute",
                   .range = range_of_square),
    CAS_FUNCTIONAL(zonal1, zonal1, RATE,
                   "coefficient of T_1,0 in " SEEN " (angular momentum about the axis)",
                   .range = range_of_coefficient),
    CAS_FUNCTIONAL(zonal1_squared, zonal1_squared, SQUARE, "square of zonal1, of X - F",
                   .range = range_of_coefficient_squared),
    {0}};

const cas_functional CAS_ISA(cas_euler_zeitlin_observables)[] = {
    CAS_FUNCTIONAL(hamiltonian, hamiltonian, SQUARE, energy_text, .range = range_of_energy),
    CAS_FUNCTIONAL(eigenvalue_max, eigenvalue_max, RATE, "largest modulus of an eigenvalue of X"),
    CAS_FUNCTIONAL(eigenvalues, eigenvalues, RATE,
                   "eigenvalues of X/i, in the place of values of the vorticity",
                   .axes = along_eigenvalues),
    CAS_FUNCTIONAL(traces, traces, "time_unit^-k",
                   "Tr (X/i)^k, k = 2 .. 10, at most N: in the place of moments of the vorticity",
                   .axes = along_powers),
    CAS_FUNCTIONAL(energy_balance, energy_balance, "time_unit^-3",
                   "rates at which forcing, viscosity and friction change H0, of X - F; white "
                   "forcing by its mean",
                   .axes = cas_fluid_along_balance, .undefined = no_balance),
    CAS_FUNCTIONAL(enstrophy_balance, enstrophy_balance, "time_unit^-3",
                   "rates at which they change the sum of omega_lm^2, of X - F",
                   .axes = cas_fluid_along_balance, .undefined = no_balance),
    CAS_FUNCTIONAL(angular_momentum, angular_momentum, RATE,
                   "integral of (x, y, z) times the vorticity " SEEN, .axes = along_direction,
                   .range = range_of_momentum),
    CAS_FUNCTIONAL(energy_spectrum, energy_spectrum, SQUARE,
                   "part of H0 in each degree l, of X - F", .axes = along_degree),
    CAS_FUNCTIONAL(enstrophy_spectrum, enstrophy_spectrum, SQUARE,
                   "sum over m of omega_lm^2 in each degree l, of X - F", .axes = along_degree),
    CAS_FUNCTIONAL(vorticity, vorticity, RATE,
                   "map of the vorticity " SEEN ": sum of <T_lm, X - F> Y_lm",
                   .axes = along_sphere),
    CAS_FUNCTIONAL(
        vorticity_lowpass, vorticity_lowpass, RATE,
        "map of the degrees l <= system.lowpass of X - F alone: large vortices in a rough field",
        .axes = along_sphere, .undefined = no_lowpass),
    CAS_FUNCTIONAL(stream_function, stream_function, RATE,
                   "map of Lap^-1 (X - F), the stream function of u = (-d/dlat, d/dlon/cos lat)",
                   .axes = along_sphere),
    CAS_FUNCTIONAL(vorticity_absolute, vorticity_absolute, RATE,
                   "map of the absolute vorticity, with the Coriolis parameter",
                   .axes = along_sphere),
    {0}};
