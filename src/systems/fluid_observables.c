/* What is recorded of fluids: energy and enstrophy, H0 = norm/2 sum of omega_i^2/laplacian and norm
   sum of omega_i^2, their spectra and balances, maps, and traces of powers of the matrix. */
#include "systems/fluid.h"

#include "base/scratch.h"
#include "math/algebra/su_n.h"

extern const cas_algebra CAS_ISA(cas_algebra_su_n);

/* Coefficients of the vorticity that is seen, or of all X, for out[numbers * W]. The caller frees
   them. NULL: no memory */
static double *coefficients_of(const cas_fluid *f, bool seen, int numbers, int W, const double *x,
                               double *out) {
  const int n = cas_fluid_coefficients(f) * W;
  double *omega = cas_scratch_for(n, numbers * W, out);
  if (omega)
    f->surface->coefficients(f, W, x, omega);
  for (int i = 0; omega && seen && f->rest && i < n; i++)
    omega[i] -= f->rest[i / W];
  return omega;
}

/* ---- energy and enstrophy ---- */

static double square_of(const cas_fluid_level *v, int W, const double *omega) {
  double sum = 0;
  for (int i = v->begin; i < v->end; i++)
    sum += omega[i * W] * omega[i * W];
  return sum;
}

/* Energies or enstrophies of bands, or of all. */
static void add_squares(const cas_fluid *f, bool energy, bool by_band, int W, const double *omega,
                        double *out) {
  const double norm = f->surface->norm;
  memset(out, 0, (size_t)((by_band ? f->bands : 1) * W) * sizeof *out);
  for (const cas_fluid_level *v = f->level; v < f->level + f->levels; v++) {
    const double factor = energy ? 0.5 * norm / v->laplacian : norm;
    for (int l = 0; l < W; l++)
      out[(by_band ? v->band - 1 : 0) * W + l] += factor * square_of(v, W, omega + l);
  }
}

/* psi of omega where that is inverted, for out[numbers]; the caller frees it. NULL: no memory */
static double *inverse(const cas_fluid *f, int W, const double *omega, int numbers, double *out) {
  double *psi = cas_scratch_for(cas_fluid_coefficients(f) * W, numbers, out);
  if (psi)
    f->surface->invert(f, W, omega, psi);
  return psi;
}

/* Energies as products norm/2 omega psi, of bands or of all. */
static void add_products(const cas_fluid *f, bool by_band, int W, const double *omega,
                         double *out) {
  const int numbers = (by_band ? f->bands : 1) * W;
  CAS_OWNED double *psi = inverse(f, W, omega, numbers, out);
  if (psi)
    memset(out, 0, (size_t)numbers * sizeof *out);
  for (const cas_fluid_level *v = f->level; psi && v < f->level + f->levels; v++)
    for (int i = v->begin * W; i < v->end * W; i++)
      out[(by_band ? v->band - 1 : 0) * W + i % W] += 0.5 * f->surface->norm * omega[i] * psi[i];
}

static void energies(const cas_fluid *f, bool by_band, int W, const double *omega, double *out) {
  if (f->inverted)
    add_products(f, by_band, W, omega, out);
  else
    add_squares(f, true, by_band, W, omega, out);
}

/* Rates of change of energy or enstrophy by forcing (white: its mean), viscosity and friction. */
static void balance(const cas_fluid *f, bool of_energy, int W, const double *omega, double *out) {
  const cas_vectors *rows = &f->forcing.steady;
  const double norm = f->surface->norm, white = f->forcing.white.rate;
  const int kicks = CAS_ISA(cas_fluid_kicks)(f);
  memset(out, 0, CAS_FLUID_TERMS * (size_t)W * sizeof *out);
  for (int k = 0; k < rows->rows; k++) {
    const double *row = rows->value + 3 * k;
    const cas_fluid_place of = f->surface->find((int)f->N, row);
    for (int l = 0; l < W; l++)
      out[l] +=
          of.sign * row[2] * omega[of.at * W + l] * (of_energy ? norm / of.laplacian : 2 * norm);
  }
  for (const cas_fluid_level *v = f->level; v < f->level + f->levels; v++) {
    const double weight = of_energy ? norm / v->laplacian : 2 * norm,
                 viscous = cas_fluid_rate(f, v->laplacian) - f->damping.friction,
                 gained = cas_fluid_is_white(f, v) ? (v->end - v->begin) * white / kicks *
                                                         (of_energy ? 1 : 2 * v->laplacian)
                                                   : 0;
    for (int l = 0; l < W; l++) {
      const double square = square_of(v, W, omega + l);
      out[l] += gained;
      out[W + l] -= weight * viscous * square;
      out[2 * W + l] -= weight * f->damping.friction * square;
    }
  }
}

/* ---- maps ---- */

static int points(const cas_fluid *f) { return f->map[0] * f->map[1]; }

static void map_of(const cas_fluid *f, double (*factor)(const cas_fluid *, const cas_fluid_level *),
                   int W, const double *omega, double *out) {
  CAS_OWNED double *changed = cas_scratch_for(cas_fluid_coefficients(f) * W, points(f) * W, out);
  for (const cas_fluid_level *v = f->level; changed && v < f->level + f->levels; v++)
    for (int i = v->begin * W; i < v->end * W; i++)
      changed[i] = factor(f, v) * omega[i];
  if (changed)
    f->surface->map(f, W, changed, out);
}

static double inverse_of(const cas_fluid *f, const cas_fluid_level *v) {
  return f->surface->stream / v->laplacian;
}

static double is_low(const cas_fluid *f, const cas_fluid_level *v) { return v->band <= f->lowpass; }

static void stream_function(const cas_fluid *f, int W, const double *omega, double *out) {
  if (!f->inverted) {
    map_of(f, inverse_of, W, omega, out);
    return;
  }
  CAS_OWNED double *psi = inverse(f, W, omega, points(f) * W, out);
  for (int i = 0; psi && i < cas_fluid_coefficients(f) * W; i++)
    psi[i] *= f->surface->stream;
  if (psi)
    f->surface->map(f, W, psi, out);
}

/* ---- of states ---- */

/* A function of states, by one statement from coefficients `omega` of what is seen, or of all. */
#define OF_COEFFICIENTS(name, numbers, seen, statement)                                    \
  void CAS_ISA(cas_fluid_##name)(const void *fluid, int W, const double *x, double *out) { \
    const cas_fluid *f = fluid;                                                            \
    CAS_OWNED double *omega = coefficients_of(f, seen, numbers, W, x, out);                \
    if (omega)                                                                             \
      statement;                                                                           \
  }

OF_COEFFICIENTS(energy, 1, true, energies(f, false, W, omega, out))
OF_COEFFICIENTS(energy_spectrum, f->bands, true, energies(f, true, W, omega, out))
OF_COEFFICIENTS(enstrophy_spectrum, f->bands, true, add_squares(f, false, true, W, omega, out))
OF_COEFFICIENTS(energy_balance, CAS_FLUID_TERMS, true, balance(f, true, W, omega, out))
OF_COEFFICIENTS(enstrophy_balance, CAS_FLUID_TERMS, true, balance(f, false, W, omega, out))
OF_COEFFICIENTS(vorticity, points(f), true, f->surface->map(f, W, omega, out))
OF_COEFFICIENTS(absolute_vorticity, points(f), false, f->surface->map(f, W, omega, out))
OF_COEFFICIENTS(stream_function, points(f), true, stream_function(f, W, omega, out))
OF_COEFFICIENTS(lowpass, points(f), true, map_of(f, is_low, W, omega, out))

void CAS_ISA(cas_fluid_enstrophy)(const void *fluid, int W, const double *x, double *out) {
  CAS_ISA(cas_su_n_norm2)((int)((const cas_fluid *)fluid)->N, W, x, out);
}

/* ---- eigenvalues, of X/i times sqrt(mean) ---- */

static double mean_of(const cas_fluid *f) { return f->surface->is_mean ? (double)f->N : 1; }

void CAS_ISA(cas_fluid_eigenvalues)(const void *fluid, int W, const double *x, double *out) {
  const cas_fluid *f = fluid;
  const cas_geometry g = {.algebra = &CAS_ISA(cas_algebra_su_n), .n = (int)f->N, .factors = 1};
  g.algebra->casimir(&g, W, x, out);
  for (int i = 0; i < f->N * W; i++)
    out[i] *= sqrt(mean_of(f));
}

/* powers 2 .. 10, at most N */
static int traces(const cas_fluid *f) { return f->N < 10 ? (int)f->N - 1 : 9; }

static double trace_of(int N, int power, int W, const double *eigenvalue) {
  double sum = 0;
  for (int i = 0; i < N; i++) {
    double product = 1;
    for (int j = 0; j < power; j++)
      product *= eigenvalue[i * W];
    sum += product;
  }
  return sum;
}

void CAS_ISA(cas_fluid_traces)(const void *fluid, int W, const double *x, double *out) {
  const cas_fluid *f = fluid;
  const int N = (int)f->N;
  CAS_OWNED double *value = cas_scratch_for(N * W, traces(f) * W, out);
  if (value)
    CAS_ISA(cas_fluid_eigenvalues)(f, W, x, value);
  for (int k = 0; value && k < traces(f); k++)
    for (int l = 0; l < W; l++)
      out[k * W + l] = trace_of(N, k + 2, W, value + l) / mean_of(f);
}

/* ---- axes, ranges ---- */

int CAS_ISA(cas_fluid_along_balance)(const void *fluid CAS_UNUSED, cas_axis axis[2]) {
  axis[0] = (cas_axis){.name = "term",
                       .summary = "what changes it: forcing, viscosity, friction",
                       .unit = "1",
                       .length = CAS_FLUID_TERMS,
                       .labels = "input viscosity friction"};
  return 1;
}

static void powers(const void *fluid, double *out) {
  for (int i = 0; i < traces(fluid); i++)
    out[i] = i + 2;
}

int CAS_ISA(cas_fluid_along_powers)(const void *fluid, cas_axis axis[2]) {
  const cas_fluid *f = fluid;
  axis[0] = (cas_axis){.name = "power",
                       .summary = "power k",
                       .unit = "1",
                       .length = f->N ? traces(f) : 0,
                       .coordinates = powers};
  return 1;
}

int CAS_ISA(cas_fluid_along_eigenvalues)(const void *fluid, cas_axis axis[2]) {
  axis[0] = (cas_axis){.name = "eigenvalue",
                       .summary = "number of the eigenvalue, in ascending order",
                       .unit = "1",
                       .length = (int)((const cas_fluid *)fluid)->N};
  return 1;
}

const char *CAS_ISA(cas_fluid_no_balance)(const void *fluid) {
  return cas_fluid_acts(fluid) ? NULL : "there is no damping or forcing";
}

const char *CAS_ISA(cas_fluid_no_lowpass)(const void *fluid) {
  const cas_fluid *f = fluid;
  return f->lowpass ? NULL : f->surface->no_lowpass;
}

void CAS_ISA(cas_fluid_range_of_square)(const void *fluid, const double *x0, double range[2]) {
  range[0] = 0;
  CAS_ISA(cas_fluid_enstrophy)(fluid, 1, x0, &range[1]);
}

/* ---- numbers with indices ---- */

bool CAS_ISA(cas_fluid_is_band)(const void *fluid, const double index[2], char *right,
                                size_t size) {
  const cas_fluid *f = fluid;
  snprintf(right, size, "the first is not above the second, and both are from 1 to %s = %d",
           f->surface->highest, f->bands);
  return index[0] >= 1 && index[0] <= index[1] && index[1] <= f->bands;
}

static void of_bands(const cas_fluid *f, cas_fluid_function *spectrum, const double index[2], int W,
                     const double *x, double *out) {
  CAS_OWNED double *value = cas_scratch_for(f->bands * W, W, out);
  if (value)
    spectrum(f, W, x, value);
  for (int l = 0; value && l < W; l++) {
    out[l] = 0;
    for (int k = (int)index[0]; k <= index[1]; k++)
      out[l] += value[(k - 1) * W + l];
  }
}

void CAS_ISA(cas_fluid_energy_of)(const void *fluid, const double index[2], int W, const double *x,
                                  double *out) {
  of_bands(fluid, CAS_ISA(cas_fluid_energy_spectrum), index, W, x, out);
}

void CAS_ISA(cas_fluid_enstrophy_of)(const void *fluid, const double index[2], int W,
                                     const double *x, double *out) {
  of_bands(fluid, CAS_ISA(cas_fluid_enstrophy_spectrum), index, W, x, out);
}

void CAS_ISA(cas_fluid_vorticity_at)(const void *fluid, const double index[2], int W,
                                     const double *x, double *out) {
  const cas_fluid *f = fluid;
  CAS_OWNED double *omega = coefficients_of(f, true, 1, W, x, out);
  if (omega)
    f->surface->value(f, index, W, omega, out);
}
