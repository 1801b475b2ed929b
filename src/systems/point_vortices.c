/* Stochastic point vortices on the unit sphere, on su(2)^n: [EJLL] section 6.3.
   H0 = -1/(4 pi) sum_{i<j} Gamma_i Gamma_j ln(1 - x_i.x_j), noises sigma x_ik e_k, k = 1, 2, 3,
   shared by all vortices: psi_i = h sum_{j != i} Gamma_j x_j / (4 pi (1 - x_i.x_j)) + sigma sum_k
   dW_k x_ik e_k. */
#include "kernels.h"
#include "lanes.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* 32 lanes: the states of four vortices on seven levels stay in the first-level cache */
enum { LANES = 32, MOST = 256, NAMES_SIZE = 8 * 3 * MOST, COEFFICIENTS = 4 };

static const double pi = 3.14159265358979323846;

typedef struct {
  cas_reals gamma;
  double sigma;
  char names[NAMES_SIZE];
} parameters;

static const cas_option noise_options[] = {
    {.key = "sigma",
     .type = CAS_REAL,
     .offset = offsetof(parameters, sigma),
     .fallback = "0",
     .high = DBL_MAX,
     .help = "amplitude of the three noises that all vortices share; 0: no noise"},
    {0}};

static const cas_option options[] = {
    {.key = "gamma",
     .type = CAS_REALS,
     .offset = offsetof(parameters, gamma),
     .help = "intensities of the vortices, as many as there are vortices"},
    {.key = "noise",
     .type = CAS_SECTION,
     .fallback = "",
     .section = noise_options,
     .help = "Hamiltonians of the noise"},
    {0}};

static void write_names(parameters *p) {
  int used = 0;
  for (int i = 1; i <= p->gamma.n; i++)
    for (int k = 1; k <= 3; k++)
      used += snprintf(p->names + used, sizeof p->names - (size_t)used, "%sx%d_%d", used ? " " : "",
                       i, k);
}

static cas_status check(const cas_config *c, void *parameters_, cas_error *err) {
  parameters *p = parameters_;
  if (p->gamma.n < 2)
    return cas_config_fail(
        c, err, "system.gamma",
        "found %d intensit%s, must be two or more: one vortex has no other to move it", p->gamma.n,
        p->gamma.n == 1 ? "y" : "ies");
  if (p->gamma.n > MOST)
    return cas_config_fail(c, err, "system.gamma", "found %d intensities, must be %d at most",
                           p->gamma.n, MOST);
  for (int i = 0; i < p->gamma.n; i++)
    if (p->gamma.value[i] == 0)
      return cas_config_fail(c, err, "system.gamma",
                             "vortex %d has intensity 0, must be another number", i + 1);
  write_names(p);
  return CAS_OK;
}

static void geometry(const void *parameters_, int *n, int *factors) {
  *n = 2;
  *factors = ((const parameters *)parameters_)->gamma.n;
}

static int noises(const void *parameters_) {
  return ((const parameters *)parameters_)->sigma > 0 ? 3 : 0;
}

static bool commuting(const void *parameters_) {
  return ((const parameters *)parameters_)->sigma == 0;
}

static const char *components(const void *parameters_) {
  return ((const parameters *)parameters_)->names;
}

/* uniform on the sphere; of another radius than 1 check_initial refuses it */
static void random_state(const void *parameters_, double norm, double *x) {
  int n = ((const parameters *)parameters_)->gamma.n;
  for (int i = 0; i < n; i++, x += 3) {
    double length = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    for (int k = 0; k < 3; k++)
      x[k] *= norm / length;
  }
}

static double distance(const double *a, const double *b) {
  return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

static cas_status check_initial(const cas_config *c, const void *parameters_, const double *x,
                                cas_error *err) {
  const double off_sphere = 1e-10,
               coincide = 1e-7; /* 1 - x_i.x_j is half the square of a distance */
  const double centre[3] = {0};
  int n = ((const parameters *)parameters_)->gamma.n;
  for (int i = 0; i < n; i++) {
    double r = distance(x + 3 * i, centre);
    if (!(fabs(r - 1) <= off_sphere))
      return cas_config_fail(c, err, "system.initial",
                             "vortex %d has norm %.12g, must lie on the unit sphere (to 1e-10)",
                             i + 1, r);
    for (int j = 0; j < i; j++)
      if (distance(x + 3 * i, x + 3 * j) <= coincide)
        return cas_config_fail(c, err, "system.initial",
                               "vortices %d and %d coincide, must lie further apart than 1e-7",
                               j + 1, i + 1);
  }
  return CAS_OK;
}

static int coefficients(const void *parameters_) {
  (void)parameters_;
  return COEFFICIENTS;
}

/* h/(8 pi), and sigma dW_k / 2 */
static void prepare(const void *parameters_, int W, double h, const double *dw, double *coef) {
  const parameters *p = parameters_;
  for (int l = 0; l < W; l++)
    coef[l] = h / (8 * pi);
  for (int i = 0; i < 3 * W; i++)
    coef[W + i] = p->sigma > 0 ? 0.5 * p->sigma * dw[i] : 0;
}

/* q_i += pull Gamma_j x_j, q_j += pull Gamma_i x_i with pull = h/(8 pi (1 - x_i.x_j)) */
CAS_INLINE void attract(double gamma_i, double gamma_j, cas_lanes coef, const cas_group *xi,
                        const cas_group *xj, cas_group *qi, cas_group *qj) {
  for (int u = 0; u < CAS_GROUP_VECTORS; u++) {
    cas_vec cosine = xi[0].v[u] * xj[0].v[u] + xi[1].v[u] * xj[1].v[u] + xi[2].v[u] * xj[2].v[u];
    cas_vec pull = cas_lanes_load(coef, 0, u) / (1.0 - cosine);
    for (int k = 0; k < 3; k++) {
      qi[k].v[u] += gamma_j * pull * xj[k].v[u];
      qj[k].v[u] += gamma_i * pull * xi[k].v[u];
    }
  }
}

static void half_psi(const void *parameters_, cas_lanes coef, const cas_group *x, cas_group *q) {
  const cas_reals *gamma = &((const parameters *)parameters_)->gamma;
  for (int i = 0; i < gamma->n; i++)
    for (int k = 0; k < 3; k++)
      for (int u = 0; u < CAS_GROUP_VECTORS; u++)
        q[3 * i + k].v[u] = cas_lanes_load(coef, 1 + k, u) * x[3 * i + k].v[u];
  for (int i = 0; i < gamma->n; i++)
    for (int j = i + 1; j < gamma->n; j++)
      attract(gamma->value[i], gamma->value[j], coef, x + 3 * i, x + 3 * j, q + 3 * i, q + 3 * j);
}

static void sin2pi(const void *parameters_, int W, const double *x, double *out) {
  int components_ = 3 * ((const parameters *)parameters_)->gamma.n;
  memset(out, 0, (size_t)W * sizeof *out);
  for (int k = 0; k < components_; k++)
    for (int l = 0; l < W; l++)
      out[l] += sin(2 * pi * x[k * W + l]);
}

static void hamiltonian(const void *parameters_, int W, const double *x, double *out) {
  const cas_reals *gamma = &((const parameters *)parameters_)->gamma;
  memset(out, 0, (size_t)W * sizeof *out);
  for (int i = 0; i < gamma->n; i++)
    for (int j = 0; j < i; j++)
      for (int l = 0; l < W; l++) {
        const double *a = x + 3 * i * W + l, *b = x + 3 * j * W + l;
        double cosine = a[0] * b[0] + a[W] * b[W] + a[2 * W] * b[2 * W];
        out[l] -= gamma->value[i] * gamma->value[j] * log(1 - cosine) / (4 * pi);
      }
}

static void moment(const void *parameters_, int k, int W, const double *x, double *out) {
  const cas_reals *gamma = &((const parameters *)parameters_)->gamma;
  memset(out, 0, (size_t)W * sizeof *out);
  for (int i = 0; i < gamma->n; i++)
    for (int l = 0; l < W; l++)
      out[l] += gamma->value[i] * x[(3 * i + k) * W + l];
}

static void moment_x1(const void *parameters_, int W, const double *x, double *out) {
  moment(parameters_, 0, W, x, out);
}

static void moment_x2(const void *parameters_, int W, const double *x, double *out) {
  moment(parameters_, 1, W, x, out);
}

static void moment_x3(const void *parameters_, int W, const double *x, double *out) {
  moment(parameters_, 2, W, x, out);
}

static void vorticity_moment(const void *parameters_, int W, const double *x, double *out) {
  double part[LANES], square[LANES] = {0};
  for (int k = 0; k < 3; k++) {
    moment(parameters_, k, W, x, part);
    for (int l = 0; l < W; l++)
      square[l] += part[l] * part[l];
  }
  for (int l = 0; l < W; l++)
    out[l] = sqrt(square[l]);
}

static const char energy_text[] =
    "H0 = -1/(4 pi) sum over i < j of Gamma_i Gamma_j ln(1 - x_i.x_j)";

static const cas_functional functionals[] = {
    {.name = "sin2pi",
     .summary = "sum of sin(2 pi x_ik) over vortices i and k = 1, 2, 3",
     .unit = "1",
     .value = sin2pi},
    {.name = "moment_x1",
     .summary = "first component of the centre of vorticity, sum of Gamma_i x_i",
     .unit = "1",
     .value = moment_x1},
    {.name = "moment_x2", .summary = "second component of it", .unit = "1", .value = moment_x2},
    {.name = "moment_x3", .summary = "third component of it", .unit = "1", .value = moment_x3},
    {.name = "energy", .summary = energy_text, .unit = "1", .value = hamiltonian},
    {0}};

static const cas_functional observables[] = {
    {.name = "hamiltonian", .summary = energy_text, .unit = "1", .value = hamiltonian},
    {.name = "vorticity_moment",
     .summary = "|sum of Gamma_i x_i|; constant without noise",
     .unit = "1",
     .value = vorticity_moment},
    {0}};

/* a row for each vortex */
static int shape(const void *parameters_, int64_t dims[3], bool *is_complex) {
  dims[0] = ((const parameters *)parameters_)->gamma.n;
  dims[1] = 3;
  *is_complex = false;
  return 2;
}

const cas_system CAS_ISA(cas_system_point_vortices) = {
    .name = "point_vortices",
    .summary = "point vortices on the sphere with noise shared by all",
    .source = "Ephrati, Jansson, Lang and Luesink, section 6.3",
    .options = options,
    .parameters_size = sizeof(parameters),
    .lanes = LANES,
    .check = check,
    .algebra = "su2",
    .geometry = geometry,
    .noises = noises,
    .commuting = commuting,
    .components = components,
    .shape = shape,
    .random = random_state,
    .check_initial = check_initial,
    .coefficients = coefficients,
    .prepare = prepare,
    .half_psi = half_psi,
    .functionals = functionals,
    .observables = observables,
};
