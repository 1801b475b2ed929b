/* The stochastic Manakov system, a free rigid body in R^n: [EJLL] section 6.2. For each pair i < j
   H0 = sum x_ij^2 / I_ij, grad H_ij = sigma x_ij on the entries ij and ji. */
#include "algebra/so_n.h"
#include "algebra/so_n_constant.h"
#include "integrators/isospectral_midpoint.h"
#include "kernels.h"
#include "lanes.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 16 lanes: n = 10 has 45 components, and its matrices stay in the first-level cache */
enum { LANES = 16, NAMES_SIZE = 12288 };

typedef struct {
  int64_t n;
  cas_reals inertia;
  double sigma;
  char names[NAMES_SIZE];
} parameters;

static const cas_option noise_options[] = {
    {.key = "sigma",
     .type = CAS_REAL,
     .offset = offsetof(parameters, sigma),
     .fallback = "0",
     .high = DBL_MAX,
     .help = "amplitude: grad H_ij = sigma x_ij on the entries ij and ji, one noise for each i < "
             "j; 0: no noise"},
    {0}};

static const cas_option options[] = {
    {.key = "n",
     .type = CAS_INT,
     .offset = offsetof(parameters, n),
     .low = 2,
     .high = CAS_SO_N_MAX,
     .help = "size of the matrices: so(n)"},
    {.key = "inertia",
     .type = CAS_REALS,
     .offset = offsetof(parameters, inertia),
     .fallback = "",
     .open_low = true,
     .high = INFINITY,
     .help = "moments of inertia I_12 I_13 .. I_1n I_23 ..; default 1, 2, .., n(n-1)/2; .inf: no "
             "drift in that plane"},
    {.key = "noise",
     .type = CAS_SECTION,
     .fallback = "",
     .section = noise_options,
     .help = "Hamiltonians of the noise"},
    {0}};

static int dimension(const parameters *p) { return (int)(p->n * (p->n - 1) / 2); }

/* [EJLL] (36) */
static cas_status default_inertia(parameters *p, cas_error *err) {
  int n = dimension(p);
  p->inertia = (cas_reals){n, malloc((size_t)n * sizeof(double))};
  if (!p->inertia.value)
    return cas_fail(err, CAS_NO_MEMORY, "out of memory");
  for (int k = 0; k < n; k++)
    p->inertia.value[k] = k + 1;
  return CAS_OK;
}

/* i < j leaves no doubt where i ends */
static void write_names(parameters *p) {
  int used = 0;
  for (int i = 1; i <= p->n; i++)
    for (int j = i + 1; j <= p->n; j++)
      used += snprintf(p->names + used, sizeof p->names - (size_t)used, "%sx%d%d", used ? " " : "",
                       i, j);
}

static cas_status check(const cas_config *c, void *parameters_, cas_error *err) {
  parameters *p = parameters_;
  write_names(p);
  if (p->inertia.n == 0)
    return default_inertia(p, err);
  if (p->inertia.n != dimension(p))
    return cas_config_fail(
        c, err, "system.inertia",
        "found %d numbers, must be %d: one for each pair i < j of n = %d, row by row", p->inertia.n,
        dimension(p), (int)p->n);
  return CAS_OK;
}

static void geometry(const void *parameters_, int *n, int *factors) {
  *n = (int)((const parameters *)parameters_)->n;
  *factors = 1;
}

static int noises(const void *parameters_) {
  const parameters *p = parameters_;
  return p->sigma > 0 ? dimension(p) : 0;
}

static bool commuting(const void *parameters_) {
  const parameters *p = parameters_;
  return p->sigma == 0 || p->n == 2;
}

static const char *components(const void *parameters_) {
  return ((const parameters *)parameters_)->names;
}

/* uniform on the sphere of that Euclidean norm of the packed entries */
static void random_state(const void *parameters_, double norm, double *x) {
  int n = dimension(parameters_);
  double square = 0;
  for (int k = 0; k < n; k++)
    square += x[k] * x[k];
  for (int k = 0; k < n; k++)
    x[k] *= norm / sqrt(square);
}

static int coefficients(const void *parameters_) { return dimension(parameters_); }

/* Q_ij = -x_ij (h/I_ij + sigma dW_ij)/2 */
static void prepare(const void *parameters_, int W, double h, const double *dw, double *coef) {
  const parameters *p = parameters_;
  int n = dimension(p);
  cas_vec half_sigma = cas_splat(0.5 * p->sigma);
  for (int k = 0; k < n; k++) {
    cas_vec drift = cas_splat(-0.5 * h / p->inertia.value[k]);
    for (int i = k * W; i < (k + 1) * W; i += CAS_VL)
      cas_store(coef + i, p->sigma > 0 ? drift - half_sigma * cas_load(dw + i) : drift);
  }
}

static void half_psi(const void *parameters_, cas_lanes coef, const cas_group *x, cas_group *q) {
  int n = dimension(parameters_);
  for (int k = 0; k < n; k++)
    for (int u = 0; u < CAS_GROUP_VECTORS; u++)
      q[k].v[u] = cas_lanes_load(coef, k, u) * x[k].v[u];
}

/* n = 10 is that of [EJLL]; one vector of lanes at a time leaves more room in the first-level cache.
   Without instructions of three operands the unrolled products run out of registers. */
enum { FUSED_N = 10, FUSED_COMPONENTS = FUSED_N * (FUSED_N - 1) / 2 };

CAS_INLINE void products(const cas_stepper *s, cas_lanes coef, const cas_vec *x, cas_vec *q,
                         cas_vec *bracket, cas_vec *sandwich) {
  (void)s;
  for (int k = 0; k < FUSED_COMPONENTS; k++)
    q[k] = cas_lanes_load(coef, k, 0) * x[k];
  if (sandwich)
    cas_so_n_both(FUSED_N, q, x, bracket, sandwich);
  else
    cas_so_n_bracket(FUSED_N, q, x, bracket);
}

static void products_10(const cas_stepper *s, cas_lanes coef, const cas_vec *x, cas_vec *q,
                        cas_vec *bracket, cas_vec *sandwich) {
  products(s, coef, x, q, bracket, sandwich);
}

static void bracket_10(const cas_stepper *s, cas_lanes coef, const cas_vec *q, const cas_vec *x,
                       cas_vec *bracket) {
  (void)s, (void)coef;
  cas_so_n_bracket(FUSED_N, q, x, bracket);
}

static void fused_isospectral(const cas_stepper *s, double *x, double *carry, const double *coef,
                              double *work, cas_tally *tally) {
  const cas_isospectral_operations o = {.components = FUSED_COMPONENTS,
                                        .vectors = 1,
                                        .W = LANES,
                                        .products = products_10,
                                        .bracket = bracket_10};
  if (s->geometry.n == FUSED_N && CAS_VL > 2)
    cas_isospectral_block(&o, s, x, carry, coef, (cas_vec *)work, tally);
  else
    CAS_ISA(cas_integrator_isospectral_midpoint).step(s, x, carry, coef, work, tally);
}

static const cas_fused_step fused_steps[] = {{"isospectral_midpoint", fused_isospectral}, {0}};

static void sin2pi(const void *parameters_, int W, const double *x, double *out) {
  const double pi = 3.14159265358979323846;
  int n = dimension(parameters_);
  memset(out, 0, (size_t)W * sizeof *out);
  for (int k = 0; k < n; k++)
    for (int l = 0; l < W; l++)
      out[l] += sin(2 * pi * x[k * W + l]);
}

static void x12(const void *parameters_, int W, const double *x, double *out) {
  (void)parameters_;
  memcpy(out, x, (size_t)W * sizeof *x);
}

static void hamiltonian(const void *parameters_, int W, const double *x, double *out) {
  const parameters *p = parameters_;
  memset(out, 0, (size_t)W * sizeof *out);
  for (int k = 0; k < p->inertia.n; k++)
    for (int l = 0; l < W; l++)
      out[l] += x[k * W + l] * x[k * W + l] / p->inertia.value[k];
}

static void norm_of_state(const void *parameters_, int W, const double *x, double *out) {
  int n = dimension(parameters_);
  for (int l = 0; l < W; l++) {
    double square = 0;
    for (int k = 0; k < n; k++)
      square += x[k * W + l] * x[k * W + l];
    out[l] = sqrt(square);
  }
}

static void eigenvalue_max(const void *parameters_, int W, const double *x, double *out) {
  const parameters *p = parameters_;
  double mu[CAS_SO_N_MAX / 2];
  for (int l = 0; l < W; l++) {
    CAS_ISA(cas_so_n_spectrum)((int)p->n, W, x + l, mu);
    out[l] = mu[0];
  }
}

static void eigenvalues(const void *parameters_, int W, const double *x, double *out) {
  const parameters *p = parameters_;
  double mu[CAS_SO_N_MAX / 2];
  for (int l = 0; l < W; l++) {
    CAS_ISA(cas_so_n_spectrum)((int)p->n, W, x + l, mu);
    for (int k = 0; k < p->n / 2; k++)
      out[k * W + l] = mu[k];
  }
}

/* ---- on the sphere that the norm, a Casimir, keeps x on ---- */

static double square_of(const void *parameters_, const double *x0) {
  int n = dimension(parameters_);
  double square = 0;
  for (int k = 0; k < n; k++)
    square += x0[k] * x0[k];
  return square;
}

static void range_of_sin2pi(const void *parameters_, const double *x0, double range[2]) {
  (void)x0;
  range[1] = dimension(parameters_);
  range[0] = -range[1];
}

static void range_of_component(const void *parameters_, const double *x0, double range[2]) {
  range[1] = sqrt(square_of(parameters_, x0));
  range[0] = -range[1];
}

static void range_of_energy(const void *parameters_, const double *x0, double range[2]) {
  const cas_reals *inertia = &((const parameters *)parameters_)->inertia;
  double square = square_of(parameters_, x0);
  range[0] = INFINITY;
  range[1] = 0;
  for (int k = 0; k < inertia->n; k++) {
    range[0] = fmin(range[0], square / inertia->value[k]);
    range[1] = fmax(range[1], square / inertia->value[k]);
  }
}

static int eigenvalue_axis(const void *parameters_, cas_axis axis[2]) {
  axis[0] = (cas_axis){.name = "eigenvalue",
                       .summary = "number of the eigenvalue, largest modulus first",
                       .unit = "1",
                       .length = (int)((const parameters *)parameters_)->n / 2};
  return 1;
}

#define MOMENTUM "inertia_unit time_unit^-1"
#define ENERGY "inertia_unit time_unit^-2"

static const char energy_text[] = "H0 = sum over i < j of x_ij^2 / I_ij";

static const cas_functional functionals[] = {{.name = "sin2pi",
                                              .summary = "sum over i < j of sin(2 pi x_ij)",
                                              .unit = "1",
                                              .value = sin2pi,
                                              .range = range_of_sin2pi},
                                             {.name = "x12",
                                              .summary = "first component of the state",
                                              .unit = MOMENTUM,
                                              .value = x12,
                                              .range = range_of_component},
                                             {.name = "energy",
                                              .summary = energy_text,
                                              .unit = ENERGY,
                                              .value = hamiltonian,
                                              .range = range_of_energy},
                                             {0}};

static const cas_functional observables[] = {
    {.name = "hamiltonian",
     .summary = energy_text,
     .unit = ENERGY,
     .value = hamiltonian,
     .range = range_of_energy},
    {.name = "norm",
     .summary = "Euclidean norm of the entries i < j; constant",
     .unit = MOMENTUM,
     .value = norm_of_state},
    {.name = "eigenvalue_max",
     .summary = "largest modulus of an eigenvalue; constant",
     .unit = MOMENTUM,
     .value = eigenvalue_max},
    {.name = "eigenvalues",
     .summary = "mu_k of the eigenvalues +-i mu_k, largest first; constant",
     .unit = MOMENTUM,
     .value = eigenvalues,
     .axes = eigenvalue_axis},
    {0}};

const cas_system CAS_ISA(cas_system_manakov) = {
    .name = "manakov",
    .summary = "free rigid body in R^n (Manakov) with quadratic noise",
    .source = "Ephrati, Jansson, Lang and Luesink, section 6.2",
    .options = options,
    .parameters_size = sizeof(parameters),
    .lanes = LANES,
    .check = check,
    .algebra = "so_n",
    .geometry = geometry,
    .noises = noises,
    .commuting = commuting,
    .components = components,
    .unit = MOMENTUM,
    .random = random_state,
    .coefficients = coefficients,
    .prepare = prepare,
    .half_psi = half_psi,
    .functionals = functionals,
    .observables = observables,
    .fused = fused_steps,
};
