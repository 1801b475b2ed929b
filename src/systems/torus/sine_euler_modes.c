/* Modes and maps of the sine-bracket Euler equations as fluids know them (fluid.h), and what is
   recorded of them. The vorticity on the torus of side 2 pi is the sum of omega_n exp(i n.x) over
   all modes n, and V = -i sqrt(N) X = sum of omega_n J_n the matrix that takes its place: (1/N) Tr
   V^p goes to the mean of its power p as N grows. */
#include "systems/torus/sine_euler.h"

#include "base/scratch.h"
#include "systems/components.h"

typedef cas_sine_euler parameters;

static const parameters *parameters_of(const cas_fluid *f) { return (const void *)f; }

/* ---- modes of a state ---- */

/* cos and sin of theta_j = 2 pi n1 (2j + d)/N, over sqrt(N) */
static void find_phase(const parameters *p, int n1, int d, int j, double phase[2]) {
  int N = (int)p->fluid.N, at = n1 * (2 * j + d) % N;
  if (at < 0)
    at += N;
  for (int i = 0; i < 2; i++)
    phase[i] = p->root[2 * at + i] / sqrt((double)N);
}

/* omega_n = -i/sqrt(N) sum over j of X_(j,j+d) exp(-i theta_j), d = n2 >= 0; sign -1: conjugate */
static void find_mode(const parameters *p, int n1, int d, double sign, int W, const double *x,
                      double *re) {
  int N = (int)p->fluid.N;
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

/* omega[(2 * mode + part) * W + lane] from x[component * W + lane], and back */
static void coefficients(const cas_fluid *f, int W, const double *x, double *omega) {
  const parameters *p = parameters_of(f);
  int r = (int)(p->fluid.N / 2);
  for (int d = 0; d <= r; d++)
    for (int n1 = d ? -r : 1; n1 <= r; n1++) {
      double sign; /* of modes that files do not hold they have the conjugate, omega_-n */
      int mode = cas_sine_euler_find((int)p->fluid.N, n1, d, &sign);
      find_mode(p, n1, d, sign, W, x, omega + 2 * W * mode);
    }
}

/* Entry j of diagonal d = n2 gains i/sqrt(N) omega_n exp(i theta_j); if d = 0 that of -n too. */
static void add_mode(const parameters *p, int n1, int d, int W, const double *omega, double *x) {
  int N = (int)p->fluid.N;
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

static void state_of(const parameters *p, int W, const double *omega, double *x) {
  int r = (int)(p->fluid.N / 2);
  memset(x, 0, (size_t)(p->fluid.N * p->fluid.N * W) * sizeof *x);
  for (int d = 0; d <= r; d++)
    for (int n1 = d ? -r : 1; n1 <= r; n1++)
      add_mode(p, n1, d, W, omega, x);
}

/* ---- the map ---- */

void CAS_ISA(cas_sine_euler_roots)(int n, double *root) {
  for (int k = 0; k < n; k++) {
    root[2 * k] = cos(2 * M_PI * k / n);
    root[2 * k + 1] = sin(2 * M_PI * k / n);
  }
}

/* a += factor exp(2 pi i k/points) b for complex numbers */
static void add_turned(const double *turn, int points, int k, const double b[2], double a[2]) {
  const double *t = turn + 2 * ((k % points + points) % points);
  a[0] += t[0] * b[0] - t[1] * b[1];
  a[1] += t[0] * b[1] + t[1] * b[0];
}

/* row: amplitudes of exp(i n1 x1), n1 = 0 .. r, at x2 = 2 pi i/points */
static void find_row(const parameters *p, const double *turn, int i, int lane, int W,
                     const double *omega, double *row) {
  int r = (int)(p->fluid.N / 2);
  memset(row, 0, 2 * (size_t)(r + 1) * sizeof *row);
  for (int n1 = 0; n1 <= r; n1++)
    for (int n2 = n1 ? -r : 1; n2 <= r; n2++, omega += 2 * W)
      add_turned(turn, p->fluid.map[0], n2 * i, (const double[2]){omega[lane], omega[W + lane]},
                 row + 2 * n1);
}

static void map_lane(const parameters *p, const double *turn, int lane, int W, const double *omega,
                     double *row, double *out) {
  int r = (int)(p->fluid.N / 2), points = p->fluid.map[0];
  for (int i = 0; i < points && !cas_cancelled(); i++) {
    find_row(p, turn, i, lane, W, omega, row);
    for (int j = 0; j < points; j++) {
      double sum[2] = {0};
      for (int n1 = 0; n1 <= r; n1++)
        add_turned(turn, points, n1 * j, row + 2 * n1, sum);
      out[(i * points + j) * W + lane] = 2 * sum[0];
    }
  }
}

static void map(const cas_fluid *f, int W, const double *omega, double *out) {
  const parameters *p = parameters_of(f);
  int points = p->fluid.map[0];
  CAS_OWNED double *turn = cas_scratch_for(2 * (points + p->fluid.N), points * points * W, out);
  if (turn)
    CAS_ISA(cas_sine_euler_roots)(points, turn);
  for (int l = 0; turn && l < W; l++)
    map_lane(p, turn, l, W, omega, turn + 2 * points, out);
}

/* ---- modes of a map ---- */

/* Coefficients of the trigonometric polynomial through the values; along: for each row of x1, the
   amplitude of exp(-i n1 x1). A mode of half the number of points cannot be told from its opposite;
   it is 0, as are higher ones. */
static void find_modes(const parameters *p, const double *turn, double *along, const double *map,
                       double *omega) {
  const int r = (int)(p->fluid.N / 2), points = p->fluid.map[0];
  for (int n1 = 0; n1 <= r; n1++) {
    memset(along, 0, 2 * (size_t)points * sizeof *along);
    for (int i = 0; i < points * points; i++)
      add_turned(turn, points, n1 * (i % points), (const double[2]){map[i], 0},
                 along + 2 * (i / points));
    for (int n2 = n1 ? -r : 1; n2 <= r; n2++, omega += 2) {
      omega[0] = omega[1] = 0;
      for (int i = 0; 2 * n1 < points && 2 * abs(n2) < points && i < points; i++)
        add_turned(turn, points, n2 * i, along + 2 * i, omega);
      omega[0] /= (double)points * points;
      omega[1] /= -(double)points * points;
    }
  }
}

/* By Parseval: the part of the norm of the map that is in no mode. */
static double left_out(const parameters *p, const double *map, bool has_mean, const double *omega) {
  const int64_t points = (int64_t)p->fluid.map[0] * p->fluid.map[1];
  double all = 0, kept = 0, mean = 0;
  for (int64_t i = 0; i < points && !has_mean; i++)
    mean += map[i] / (double)points;
  for (int64_t i = 0; i < points; i++)
    all += (map[i] - mean) * (map[i] - mean) / (double)points;
  for (int i = 0; i < 2 * cas_sine_euler_modes(p); i++)
    kept += 2 * omega[i] * omega[i];
  const double lost = 1 - kept / all;
  return all > 0 && lost > 1e-13 ? sqrt(lost) : 0; /* less is rounding of the difference */
}

static cas_status read_map(const cas_fluid *f, const double *map_, bool has_mean, double *omega,
                           double *lost, cas_error *err) {
  const parameters *p = parameters_of(f);
  const int points = p->fluid.map[0];
  CAS_OWNED double *turn = malloc(4 * (size_t)points * sizeof *turn);
  CAS_NEED(turn);
  CAS_ISA(cas_sine_euler_roots)(points, turn);
  find_modes(p, turn, turn + 2 * points, map_, omega);
  *lost = left_out(p, map_, has_mean, omega);
  return CAS_OK;
}

static void value(const cas_fluid *f, const double index[2], int W, const double *omega,
                  double *out) {
  const int r = (int)(f->N / 2);
  memset(out, 0, (size_t)W * sizeof *out);
  for (int n1 = 0; n1 <= r; n1++)
    for (int n2 = n1 ? -r : 1; n2 <= r; n2++, omega += 2 * W) {
      const double angle = (n1 * index[0] + n2 * index[1]) * M_PI / 180;
      for (int l = 0; l < W; l++)
        out[l] += 2 * (omega[l] * cos(angle) - omega[W + l] * sin(angle));
    }
}

/* ---- the surface ---- */

static bool is_mode(const cas_fluid *f, const char *name, const double *n, char *wrong,
                    size_t size) {
  const int r = (int)(f->N / 2);
  int used = snprintf(wrong, size, "found %s[%g, %g], must be ", name, n[0], n[1]);
  if (!cas_fluid_is_whole(n[0], -r, r) || !cas_fluid_is_whole(n[1], -r, r)) {
    snprintf(wrong + used, size - (size_t)used, "integers from %d to %d for N = %d", -r, r,
             (int)f->N);
    return false;
  }
  snprintf(wrong + used, size - (size_t)used,
           "a mode other than [0, 0], which the vorticity does not have");
  return n[0] != 0 || n[1] != 0;
}

/* The wave 2 cos(n.x), or 2 sin(-n.x): that of the imaginary part of omega_-n, sign changed. */
static cas_fluid_place find(int N, const double *n) {
  double sign;
  const int mode = cas_sine_euler_find(N, (int)n[0], (int)n[1], &sign);
  return (cas_fluid_place){2 * mode + (sign < 0), sign, n[0] * n[0] + n[1] * n[1]};
}

/* omega_n exp(i n.x) and its conjugate are Re omega_n 2 cos(n.x) - Im omega_n 2 sin(n.x). */
static cas_fluid_wave wave(int N, int noise, int i, double a) {
  const int r = N / 2, n1 = (i / 2 + 1 + r) / N, n2 = i / 2 + 1 - n1 * N;
  return i % 2 ? (cas_fluid_wave){noise, -n1, -n2, -a} : (cas_fluid_wave){noise, n1, n2, a};
}

static void state(const cas_fluid *f, const double *omega, double *x) {
  state_of(parameters_of(f), 1, omega, x);
}

static void change(const cas_fluid *f, int W, const double *scale, const double *gain, double *x,
                   double *workspace) {
  const int n = (int)(f->N * f->N) * W;
  double *omega = workspace, *by = workspace + n;
  coefficients(f, W, x, omega);
  for (int k = 0; k < f->levels; k++)
    for (int i = f->level[k].begin * W; i < f->level[k].end * W; i++)
      omega[i] = scale[k] * omega[i] + gain[i];
  state_of(parameters_of(f), W, omega, by);
  for (int i = 0; i < n; i++)
    x[i] += by[i];
}

static size_t change_size(const cas_fluid *f, int W) { return 2 * (size_t)(f->N * f->N * W); }

/* Modes by their squares max(|n1|, |n2|), and in each of them by n1 and n2. */
static int number(const cas_fluid *f, int i) {
  const int N = (int)f->N, mode = i / 2, n1 = (mode + 1 + N / 2) / N, n2 = mode + 1 - n1 * N,
            r = n1 > abs(n2) ? n1 : abs(n2), before = 2 * r * (r - 1),
            within = n1 == r   ? 3 * r - 1 + n2
                     : n1 == 0 ? 0
                               : 2 * n1 - (n2 < 0);
  return 2 * (before + within) + i % 2;
}

const cas_fluid_surface CAS_ISA(cas_sine_euler_torus) = {
    .highest = "the highest shell |n|",
    .most = "%d, the highest shell |n| of N = %d",
    .row = "k, m1, m2, a",
    .grid = "system.grid",
    .place = "modes with |n1|, |n2| <= (N-1)/2",
    .no_lowpass = "system.lowpass, its highest shell, is not given",
    .norm = 2,
    .is_mean = true,
    .stream = 1,
    .least = 1e-14,
    .is_mode = is_mode,
    .find = find,
    .wave = wave,
    .field = CAS_ISA(cas_sine_euler_field),
    .number = number,
    .coefficients = coefficients,
    .state = state,
    .map = map,
    .value = value,
    .read_map = read_map,
    .change = change,
    .change_size = change_size,
};

/* ---- functions of the modes ---- */

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

CAS_COMPONENTS_FUNCTION(zonal, real_part(p, (const double[2]){0, 1}, W, x, out))

static void zonal_squared(const void *parameters_, int W, const double *x, double *out) {
  double omega[2 * CAS_SINE_EULER_LANES];
  find_mode(parameters_, 0, 1, 1, W, x, omega);
  for (int l = 0; l < W; l++)
    out[l] = omega[l] * omega[l] + omega[W + l] * omega[W + l];
}

CAS_COMPONENTS_FUNCTION(modes, coefficients(&p->fluid, W, x, out))

static void cubic_casimir(const void *parameters_, int W, const double *x, double *out) {
  int N = (int)((const parameters *)parameters_)->fluid.N;
  CAS_OWNED double *value = cas_scratch_for(N * W, W, out);
  if (value)
    CAS_ISA(cas_fluid_eigenvalues)(parameters_, W, x, value);
  for (int l = 0; value && l < W; l++) {
    out[l] = 0;
    for (int i = 0; i < N; i++)
      out[l] += value[i * W + l] * value[i * W + l] * value[i * W + l] / N;
  }
}

/* ---- axes ---- */

static int along_modes(const void *parameters_, cas_axis axis[2]) {
  axis[0] = cas_sine_euler_mode_axis(parameters_);
  axis[1] = (cas_axis){.name = "part",
                       .summary = "real and imaginary part",
                       .unit = "1",
                       .length = 2,
                       .labels = "re im"};
  return 2;
}

CAS_COMPONENTS_AXIS(along_shells, .name = "wavenumber",
                    .summary = "shell of modes n, the integer nearest to |n|", .unit = "1",
                    .length = p->fluid.bands)

static void grid_points(const void *parameters_, double *out) {
  int points = ((const parameters *)parameters_)->fluid.map[0];
  for (int i = 0; i < points; i++)
    out[i] = 2 * M_PI * i / points;
}

static int along_torus(const void *parameters_, cas_axis axis[2]) {
  for (int i = 0; i < 2; i++)
    axis[i] = (cas_axis){.name = i ? "x1" : "x2",
                         .summary = i ? "first coordinate on the torus, of period 2 pi"
                                      : "second coordinate on the torus, of period 2 pi",
                         .unit = "1",
                         .length = ((const parameters *)parameters_)->fluid.map[0],
                         .coordinates = grid_points};
  return 2;
}

/* ---- ranges where the enstrophy, a Casimir, has the value at x0 ---- */

static void range_of_energy(const void *parameters_, const double *x0, double range[2]) {
  double r = (double)(((const parameters *)parameters_)->fluid.N / 2), square;
  CAS_ISA(cas_fluid_enstrophy)(parameters_, 1, x0, &square);
  range[0] = square / (4 * r * r);
  range[1] = square / 2;
}

CAS_COMPONENTS_RANGE(range_of_zonal_squared, CAS_ISA(cas_fluid_range_of_square)(p, x0, range);
                     range[1] /= 2)
CAS_COMPONENTS_RANGE(range_of_zonal, range_of_zonal_squared(p, x0, range);
                     cas_components_symmetric_range(sqrt(range[1]), range))

/* ---- tables ---- */

/* the side of the torus is 2 pi, which leaves the unit of time alone */
#define RATE "time_unit^-1"
#define SQUARE "time_unit^-2"

static const char energy_text[] = "H0 = 1/2 sum over all modes of |omega_n|^2/|n|^2";

const cas_functional CAS_ISA(cas_sine_euler_functionals)[] = {
    CAS_FUNCTIONAL(energy, CAS_ISA(cas_fluid_energy), SQUARE, energy_text,
                   .range = range_of_energy),
    CAS_FUNCTIONAL(enstrophy, CAS_ISA(cas_fluid_enstrophy), SQUARE,
                   "sum over all modes of |omega_n|^2, a Casimir",
                   .range = CAS_ISA(cas_fluid_range_of_square)),
    CAS_FUNCTIONAL(zonal, zonal, RATE, "real part of omega_n, n = (0, 1)", .range = range_of_zonal),
    CAS_FUNCTIONAL(zonal_squared, zonal_squared, SQUARE, "|omega_n|^2, n = (0, 1)",
                   .range = range_of_zonal_squared),
    {0}};

const cas_functional CAS_ISA(cas_sine_euler_observables)[] = {
    CAS_FUNCTIONAL(hamiltonian, CAS_ISA(cas_fluid_energy), SQUARE, energy_text,
                   .range = range_of_energy),
    CAS_FUNCTIONAL(modes, modes, RATE, "omega_n", .axes = along_modes),
    CAS_FUNCTIONAL(
        eigenvalues, CAS_ISA(cas_fluid_eigenvalues), RATE,
        "eigenvalues of V = sum of omega_n J_n, in the place of values of the vorticity; constant",
        .axes = CAS_ISA(cas_fluid_along_eigenvalues)),
    CAS_FUNCTIONAL(cubic_casimir, cubic_casimir, "time_unit^-3",
                   "Tr V^3/N, in the place of the mean of the vorticity's cube; constant"),
    CAS_FUNCTIONAL(traces, CAS_ISA(cas_fluid_traces), "time_unit^-k",
                   "Tr V^k/N, k = 2 .. 10, at most N: in the place of means of the vorticity's "
                   "powers; constant",
                   .axes = CAS_ISA(cas_fluid_along_powers)),
    CAS_FUNCTIONAL(energy_spectrum, CAS_ISA(cas_fluid_energy_spectrum), SQUARE,
                   "part of H0 in each shell |n|", .axes = along_shells),
    CAS_FUNCTIONAL(enstrophy_spectrum, CAS_ISA(cas_fluid_enstrophy_spectrum), SQUARE,
                   "part of the enstrophy in each shell |n|", .axes = along_shells),
    CAS_FUNCTIONAL(
        energy_balance, CAS_ISA(cas_fluid_energy_balance), "time_unit^-3",
        "rates at which forcing, viscosity and friction change H0; white forcing by its mean",
        .axes = CAS_ISA(cas_fluid_along_balance), .undefined = CAS_ISA(cas_fluid_no_balance)),
    CAS_FUNCTIONAL(enstrophy_balance, CAS_ISA(cas_fluid_enstrophy_balance), "time_unit^-3",
                   "rates at which they change the enstrophy",
                   .axes = CAS_ISA(cas_fluid_along_balance),
                   .undefined = CAS_ISA(cas_fluid_no_balance)),
    CAS_FUNCTIONAL(vorticity, CAS_ISA(cas_fluid_vorticity), RATE,
                   "vorticity map, sum of omega_n exp(i n.x)", .axes = along_torus),
    CAS_FUNCTIONAL(vorticity_lowpass, CAS_ISA(cas_fluid_lowpass), RATE,
                   "map of the shells |n| <= system.lowpass alone: large vortices in a rough field",
                   .axes = along_torus, .undefined = CAS_ISA(cas_fluid_no_lowpass)),
    CAS_FUNCTIONAL(stream_function, CAS_ISA(cas_fluid_stream_function), RATE,
                   "map of (-Lap)^-1 of the vorticity, the stream function of u = (-d/dx2, d/dx1)",
                   .axes = along_torus),
    {0}};

/* ---- numbers with indices ---- */

static bool is_index(const void *parameters_, const double index[2], char *right, size_t size) {
  const int r = (int)(((const parameters *)parameters_)->fluid.N / 2);
  snprintf(right, size, "n1 and n2 are from %d to %d, and not both 0", -r, r);
  return fabs(index[0]) <= r && fabs(index[1]) <= r && (index[0] != 0 || index[1] != 0);
}

static bool is_point(const void *parameters_ CAS_UNUSED, const double index[2], char *right,
                     size_t size) {
  snprintf(right, size, "x1 and x2 are from -360 to 360 degrees, 360 being 2 pi");
  return fabs(index[0]) <= 360 && fabs(index[1]) <= 360;
}

const cas_indexed CAS_ISA(cas_sine_euler_indexed)[] = {
    {.name = "re_omega(n1,n2)",
     .summary = "real part of omega_n, the mode n = (n1, n2)",
     .exists = is_index,
     .value = real_part},
    {.name = "im_omega(n1,n2)",
     .summary = "imaginary part of omega_n",
     .exists = is_index,
     .value = imaginary_part},
    {.name = "energy_of(k1,k2)",
     .summary = "part of H0 in the shells k1 .. k2",
     .exists = CAS_ISA(cas_fluid_is_band),
     .value = CAS_ISA(cas_fluid_energy_of)},
    {.name = "enstrophy_of(k1,k2)",
     .summary = "part of the enstrophy in the shells k1 .. k2",
     .exists = CAS_ISA(cas_fluid_is_band),
     .value = CAS_ISA(cas_fluid_enstrophy_of)},
    {.name = "vorticity_at(x1,x2)",
     .summary = "vorticity at a point, in degrees of which 360 are 2 pi, also fractions",
     .fractional = true,
     .exists = is_point,
     .value = CAS_ISA(cas_fluid_vorticity_at)},
    {0}};
