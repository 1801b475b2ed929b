/* What is recorded of Euler-Zeitlin. With coefficients omega_lm = <T_lm, X - F> and vorticity
   omega = sum of omega_lm Y_lm on the unit sphere: H0 = 1/2 sum of omega_lm^2/(l(l+1)) is the
   kinetic energy, Tr(X^* X) = sum of omega_lm^2 the integral of omega^2, and the integral of
   (x, y, z) omega the angular momentum. F, the Coriolis parameter and topography, is 0 without
   both; with lamb H0 = 1/2 <X - F, (-Lap + lamb z^2)^-1 (X - F)>. */
#include "systems/sphere/euler_zeitlin.h"

#include "base/scratch.h"
#include "math/algebra/su_n.h"
#include "math/harmonics/sphere.h"
#include "systems/components.h"

typedef cas_euler_zeitlin parameters;

/* ---- from the coefficients ---- */

static void coefficient(const void *parameters_, const double index[2], int W, const double *x,
                        double *out) {
  const parameters *p = parameters_;
  const double rest =
      p->fluid.rest ? p->fluid.rest[cas_hoppe_yau_mode((int)index[0], (int)index[1])] : 0;
  for (int l = 0; l < W; l++)
    out[l] =
        cas_hoppe_yau_coefficient(&p->harmonics, W, x + l, (int)index[0], (int)index[1]) - rest;
}

static void angular_momentum(const void *parameters_, int W, const double *x, double *out) {
  const double radius = sqrt(4 * acos(-1) / 3);
  static const double mode[3][2] = {{1, -1}, {1, 1}, {1, 0}};
  for (int i = 0; i < 3; i++)
    coefficient(parameters_, mode[i], W, x, out + i * W);
  for (int i = 0; i < 3 * W; i++)
    out[i] *= radius;
}

/* Without F by a solve, in N^2 operations; coefficients take N^3. */
static void hamiltonian(const void *parameters_, int W, const double *x, double *out) {
  const parameters *p = parameters_;
  const int N = (int)p->fluid.N, n = N * N;
  if (p->fluid.rest) {
    CAS_ISA(cas_fluid_energy)(p, W, x, out);
    return;
  }
  CAS_OWNED double *own = cas_scratch_for(2 * n, W, out);
  for (int lane = 0; own && lane < W; lane++) {
    double *psi = own + n;
    for (int k = 0; k < n; k++)
      own[k] = x[k * W + lane];
    CAS_ISA(cas_euler_zeitlin_path_invert)(p, 1, own, psi);
    out[lane] = 0;
    for (int k = 0; k < n; k++)
      out[lane] += (k < N ? 0.5 : 1) * own[k] * psi[k];
  }
}

CAS_COMPONENTS_FUNCTION(zonal1, coefficient(p, (const double[2]){1, 0}, W, x, out))

CAS_COMPONENTS_FUNCTION(zonal1_squared, zonal1(p, W, x, out);
                        for (int l = 0; l < W; l++) out[l] *= out[l])

/* Eigenvalues ascend: the largest modulus is of the first or the last. */
static void eigenvalue_max(const void *parameters_, int W, const double *x, double *out) {
  const int N = (int)((const cas_fluid *)parameters_)->N;
  CAS_OWNED double *value = cas_scratch_for(N * W, W, out);
  if (value)
    CAS_ISA(cas_fluid_eigenvalues)(parameters_, W, x, value);
  for (int l = 0; value && l < W; l++)
    out[l] = fmax(-value[l], value[(N - 1) * W + l]);
}

/* ---- axes ---- */

static void latitudes(const void *parameters_, double *out) {
  int rows = ((const parameters *)parameters_)->fluid.map[0];
  for (int i = 0; i < rows; i++)
    out[i] = cas_sphere_latitude(rows, i);
}

static void longitudes(const void *parameters_, double *out) {
  int columns = ((const parameters *)parameters_)->fluid.map[1];
  for (int j = 0; j < columns; j++)
    out[j] = cas_sphere_longitude(columns, j);
}

CAS_COMPONENTS_AXIS(along_degree, .name = "degree", .summary = "degree l of spherical harmonics",
                    .unit = "1", .length = (int)p->fluid.N - 1)

CAS_COMPONENTS_AXIS(along_direction, .name = "direction",
                    .summary = "direction; z is the axis of the poles", .unit = "1", .length = 3,
                    .labels = "x y z")

static int along_sphere(const void *parameters_, cas_axis axis[2]) {
  int rows = ((const parameters *)parameters_)->fluid.map[0];
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

/* An upper bound of |X - F|^2. */
static double most_square(const parameters *p, const double *x0) {
  double square;
  CAS_ISA(cas_fluid_enstrophy)(p, 1, x0, &square);
  double rest = 0;
  for (int i = 0; p->fluid.rest && i < cas_fluid_coefficients(&p->fluid); i++)
    rest += p->fluid.rest[i] * p->fluid.rest[i];
  return p->fluid.rest ? pow(sqrt(square) + sqrt(rest), 2) : square;
}

static void range_of_energy(const void *parameters_, const double *x0, double range[2]) {
  const parameters *p = parameters_;
  double N = (double)p->fluid.N, square = most_square(p, x0);
  range[0] = p->fluid.rest || p->lamb > 0 ? 0 : square / (2 * N * (N - 1));
  range[1] = square / 4;
}

CAS_COMPONENTS_RANGE(range_of_coefficient,
                     cas_components_symmetric_range(sqrt(most_square(p, x0)), range))

CAS_COMPONENTS_RANGE(range_of_coefficient_squared, range[0] = 0; range[1] = most_square(p, x0))
CAS_COMPONENTS_RANGE(range_of_momentum,
                     cas_components_symmetric_range(sqrt(4 * acos(-1) / 3 * most_square(p, x0)),
                                                    range))

/* ---- tables ---- */

/* the radius of the sphere is 1, which leaves the unit of time alone */
#define RATE "time_unit^-1"
#define SQUARE "time_unit^-2"

#define SEEN "X - F, seen from the sphere"

static const char energy_text[] =
    "H0 = 1/2 <X - F, -Lap^-1 (X - F)>, with lamb by (-Lap + lamb z^2)^-1; F = 2 rotation sqrt(4 "
    "pi/3) T_10 is the vorticity of the sphere itself, and topography is counted with it";

const cas_functional CAS_ISA(cas_euler_zeitlin_functionals)[] = {
    CAS_FUNCTIONAL(energy, hamiltonian, SQUARE, energy_text, .range = range_of_energy),
    CAS_FUNCTIONAL(enstrophy, CAS_ISA(cas_fluid_enstrophy), SQUARE,
                   "Tr(X^* X), a Casimir; X is absolute",
                   .range = CAS_ISA(cas_fluid_range_of_square)),
    CAS_FUNCTIONAL(zonal1, zonal1, RATE,
                   "coefficient of T_1,0 in " SEEN " (angular momentum about the axis)",
                   .range = range_of_coefficient),
    CAS_FUNCTIONAL(zonal1_squared, zonal1_squared, SQUARE, "square of zonal1, of X - F",
                   .range = range_of_coefficient_squared),
    {0}};

const cas_functional CAS_ISA(cas_euler_zeitlin_observables)[] = {
    CAS_FUNCTIONAL(hamiltonian, hamiltonian, SQUARE, energy_text, .range = range_of_energy),
    CAS_FUNCTIONAL(eigenvalue_max, eigenvalue_max, RATE, "largest modulus of an eigenvalue of X"),
    CAS_FUNCTIONAL(eigenvalues, CAS_ISA(cas_fluid_eigenvalues), RATE,
                   "eigenvalues of X/i, in the place of values of the vorticity",
                   .axes = CAS_ISA(cas_fluid_along_eigenvalues)),
    CAS_FUNCTIONAL(traces, CAS_ISA(cas_fluid_traces), "time_unit^-k",
                   "Tr (X/i)^k, k = 2 .. 10, at most N: in the place of moments of the vorticity",
                   .axes = CAS_ISA(cas_fluid_along_powers)),
    CAS_FUNCTIONAL(energy_balance, CAS_ISA(cas_fluid_energy_balance), "time_unit^-3",
                   "rates at which forcing, viscosity and friction change H0, of X - F; white "
                   "forcing by its mean",
                   .axes = CAS_ISA(cas_fluid_along_balance),
                   .undefined = CAS_ISA(cas_fluid_no_balance)),
    CAS_FUNCTIONAL(enstrophy_balance, CAS_ISA(cas_fluid_enstrophy_balance), "time_unit^-3",
                   "rates at which they change the sum of omega_lm^2, of X - F",
                   .axes = CAS_ISA(cas_fluid_along_balance),
                   .undefined = CAS_ISA(cas_fluid_no_balance)),
    CAS_FUNCTIONAL(angular_momentum, angular_momentum, RATE,
                   "integral of (x, y, z) times the vorticity " SEEN, .axes = along_direction,
                   .range = range_of_momentum),
    CAS_FUNCTIONAL(energy_spectrum, CAS_ISA(cas_fluid_energy_spectrum), SQUARE,
                   "part of H0 in each degree l, of X - F", .axes = along_degree),
    CAS_FUNCTIONAL(enstrophy_spectrum, CAS_ISA(cas_fluid_enstrophy_spectrum), SQUARE,
                   "sum over m of omega_lm^2 in each degree l, of X - F", .axes = along_degree),
    CAS_FUNCTIONAL(vorticity, CAS_ISA(cas_fluid_vorticity), RATE,
                   "map of the vorticity " SEEN ": sum of <T_lm, X - F> Y_lm",
                   .axes = along_sphere),
    CAS_FUNCTIONAL(
        vorticity_lowpass, CAS_ISA(cas_fluid_lowpass), RATE,
        "map of the degrees l <= system.lowpass of X - F alone: large vortices in a rough field",
        .axes = along_sphere, .undefined = CAS_ISA(cas_fluid_no_lowpass)),
    CAS_FUNCTIONAL(stream_function, CAS_ISA(cas_fluid_stream_function), RATE,
                   "map of Lap^-1 (X - F), the stream function of u = (-d/dlat, d/dlon/cos lat); "
                   "with lamb of (Lap - lamb z^2)^-1 without its mean",
                   .axes = along_sphere),
    CAS_FUNCTIONAL(vorticity_absolute, CAS_ISA(cas_fluid_absolute_vorticity), RATE,
                   "map of the absolute vorticity, with the Coriolis parameter",
                   .axes = along_sphere),
    {0}};

/* ---- numbers with indices ---- */

static bool is_entry(const void *parameters_, const double index[2], char *right, size_t size) {
  const int N = (int)((const parameters *)parameters_)->fluid.N;
  snprintf(right, size, "rows i and columns j are from 1 to N = %d", N);
  return index[0] >= 1 && index[0] <= N && index[1] >= 1 && index[1] <= N;
}

/* Entries below the diagonal are minus the conjugates of those above it. */
static void real_entry(const void *parameters_, const double index[2], int W, const double *x,
                       double *out) {
  const int N = (int)((const parameters *)parameters_)->fluid.N, i = (int)index[0] - 1,
            j = (int)index[1] - 1;
  const double *entry = x + W * (i == j ? 0 : cas_su_n_re(N, i < j ? i : j, i < j ? j : i)),
               sign = (i < j) - (i > j);
  for (int l = 0; l < W; l++)
    out[l] = sign * entry[l];
}

static void imaginary_entry(const void *parameters_, const double index[2], int W, const double *x,
                            double *out) {
  const int N = (int)((const parameters *)parameters_)->fluid.N, i = (int)index[0] - 1,
            j = (int)index[1] - 1;
  memcpy(out, x + W * (i == j ? i : cas_su_n_im(N, i < j ? i : j, i < j ? j : i)),
         (size_t)W * sizeof *out);
}

static bool is_harmonic(const void *parameters_, const double index[2], char *right, size_t size) {
  const int N = (int)((const parameters *)parameters_)->fluid.N;
  snprintf(right, size, "degrees l are from 1 to N - 1 = %d, orders m from -l to l", N - 1);
  return index[0] >= 1 && index[0] < N && index[1] >= -index[0] && index[1] <= index[0];
}

static bool is_point(const void *parameters_ CAS_UNUSED, const double index[2], char *right,
                     size_t size) {
  snprintf(right, size,
           "latitudes are from -90 to 90 degrees north, longitudes from -360 to 360 east");
  return fabs(index[0]) <= 90 && fabs(index[1]) <= 360;
}

const cas_indexed CAS_ISA(cas_euler_zeitlin_indexed)[] = {
    {.name = "re(i,j)",
     .summary = "real part of the entry in row i and column j, counted from 1",
     .exists = is_entry,
     .value = real_entry},
    {.name = "im(i,j)",
     .summary = "imaginary part of that entry",
     .exists = is_entry,
     .value = imaginary_entry},
    {.name = "coefficient(l,m)",
     .summary =
         "omega_lm = <T_lm, X - F>, degree l and order m of the vorticity seen from the sphere",
     .exists = is_harmonic,
     .value = coefficient},
    {.name = "energy_of(l1,l2)",
     .summary = "part of H0 in the degrees l1 .. l2, of X - F",
     .exists = CAS_ISA(cas_fluid_is_band),
     .value = CAS_ISA(cas_fluid_energy_of)},
    {.name = "enstrophy_of(l1,l2)",
     .summary = "sum of omega_lm^2 over the degrees l1 .. l2, of X - F",
     .exists = CAS_ISA(cas_fluid_is_band),
     .value = CAS_ISA(cas_fluid_enstrophy_of)},
    {.name = "vorticity_at(latitude,longitude)",
     .summary = "vorticity X - F at a point, in degrees north and degrees east, also fractions",
     .fractional = true,
     .exists = is_point,
     .value = CAS_ISA(cas_fluid_vorticity_at)},
    {0}};
