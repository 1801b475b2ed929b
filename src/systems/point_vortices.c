/* Stochastic point vortices on the unit sphere, on su(2)^n: [EJLL] section 6.3.
   H0 = -1/(4 pi) sum_{i<j} Gamma_i Gamma_j ln(1 - x_i.x_j), noises sigma x_ik e_k, k = 1, 2, 3,
   shared by all vortices: -psi_i = h sum_{j != i} Gamma_j x_j / (4 pi (1 - x_i.x_j)) + sigma sum_k
   dW_k x_ik e_k. */
#include "base/lanes.h"
#include "math/algebra/su2.h"
#include "math/kernels/kernels.h"
#include "systems/axes.h"
#include "systems/components.h"
#include "systems/dissipation.h"

/* 32 lanes: the states of four vortices on seven levels stay in the first-level cache */
enum { LANES = 32, MOST = 256, NAMES_SIZE = 8 * 3 * MOST, V = CAS_GROUP_VECTORS };

typedef struct {
  cas_reals gamma;
  double sigma;
  cas_dissipation dissipation;
  bool areas; /* steps have Levy's areas */
  char names[NAMES_SIZE];
  char *pairs; /* "1-2 1-3 .. 2-3 .." */
} parameters;

static const cas_option noise_options[] = {
    CAS_OPTION(parameters, REAL, sigma, .fallback = "0", .high = DBL_MAX,
               .help =
                   "amplitude of the three noises, which are common to all vortices; 0: no noise"),
    {0}};

static const cas_option options[] = {
    CAS_OPTION(parameters, REALS, gamma, .help = "intensities, one for each vortex"),
    CAS_SECTION_OPTION("noise", 0, noise_options, "Hamiltonians of the noise"),
    CAS_DISSIPATION_SECTION(parameters),
    {0}};

static int pairs(const parameters *p) { return p->gamma.n * (p->gamma.n - 1) / 2; }

static bool write_pairs(parameters *p) {
  size_t size = 8 * (size_t)pairs(p), used = 0;
  p->pairs = malloc(size);
  for (int i = 1; p->pairs && i <= p->gamma.n; i++)
    for (int j = i + 1; j <= p->gamma.n; j++)
      used += (size_t)snprintf(p->pairs + used, size - used, "%s%d-%d", used ? " " : "", i, j);
  return p->pairs;
}

static void release(void *parameters_) { free(((parameters *)parameters_)->pairs); }

static cas_status check(const cas_config *c, void *parameters_, cas_error *err) {
  parameters *p = parameters_;
  CAS_REFUSE(c, p->gamma.n < 2, "system.gamma",
             "found %d intensit%s, must be two or more: one vortex has no other to move it",
             p->gamma.n, p->gamma.n == 1 ? "y" : "ies");
  CAS_REFUSE(c, p->gamma.n > MOST, "system.gamma", "found %d intensities, must be %d at most",
             p->gamma.n, MOST);
  for (int i = 0; i < p->gamma.n; i++)
    CAS_REFUSE(c, p->gamma.value[i] == 0, "system.gamma",
               "vortex %d has intensity 0, must be another number", i + 1);
  for (int i = 1; i <= p->gamma.n; i++)
    for (int k = 1; k <= 3; k++)
      cas_append(p->names, sizeof p->names, "%sx%d_%d", *p->names ? " " : "", i, k);
  return write_pairs(p) ? CAS_OK : cas_no_memory(err);
}

CAS_COMPONENTS_GEOMETRY(2, p->gamma.n)
CAS_COMPONENTS_GIVES(int, noises, p->sigma > 0 ? 3 : 0)
CAS_COMPONENTS_GIVES(bool, commuting, p->sigma == 0)
CAS_COMPONENTS_GIVES(const char *, components, p->names)

/* uniform on the sphere; of another radius than 1 check_initial refuses it */
static void random_state(const void *parameters_, double norm, double *x) {
  int n = ((const parameters *)parameters_)->gamma.n;
  for (int i = 0; i < n; i++)
    cas_components_scale_to_norm(3, norm, x + 3 * i);
}

static double square_of_distance(int W, const double *a, const double *b) {
  double square = 0;
  for (int k = 0; k < 3 * W; k += W)
    square += (a[k] - b[k]) * (a[k] - b[k]);
  return square;
}

static cas_status check_initial(const cas_config *c, const void *parameters_, const double *x,
                                cas_error *err) {
  const double off_sphere = 1e-10,
               coincide = 1e-7; /* 1 - x_i.x_j is half the square of a distance */
  int n = ((const parameters *)parameters_)->gamma.n;
  for (int i = 0; i < n; i++) {
    double r = cas_components_length(x + 3 * i);
    CAS_REFUSE(c, !(fabs(r - 1) <= off_sphere), "system.initial",
               "vortex %d has norm %.12g, must lie on the unit sphere (to 1e-10)", i + 1, r);
    for (int j = 0; j < i; j++)
      CAS_REFUSE(c, sqrt(square_of_distance(1, x + 3 * i, x + 3 * j)) <= coincide, "system.initial",
                 "vortices %d and %d coincide, must lie further apart than 1e-7", j + 1, i + 1);
  }
  return CAS_OK;
}

CAS_COMPONENTS_TAKE_AREAS
CAS_COMPONENTS_GIVES(int, areas, noises(p) ? 1 : 0)

static void add_areas(const void *parameters_, int W, const double *v, const double *w,
                      double *area) {
  if (noises(parameters_))
    cas_components_add_area_of_squares(W, v, w, area);
}

/* Coefficients: -h/(4 pi), -sigma dW_k, by areas the factor of grad x_1 x_2 x_3, intensities. */
enum { PULL, NOISE, AREA = 4, GAMMA };

CAS_COMPONENTS_GIVES(int, coefficients, GAMMA + p->gamma.n)

CAS_INLINE void prepare_point_vortices_of(const parameters *p, const double *number, int W,
                                          double h, const double *dw, double *coef) {
  const bool noisy = p->sigma > 0;
  for (int l = 0; l < W; l++) {
    const double sigma = cas_components_number(number, 0, W, l, p->sigma);
    coef[l] = -h / (4 * M_PI);
    for (int k = 0; k < 3; k++)
      coef[(NOISE + k) * W + l] = noisy ? -sigma * dw[k * W + l] : 0;
    coef[AREA * W + l] = p->areas && noisy ? sigma * sigma * dw[3 * W + l] : 0;
  }
  for (int i = 0; i < p->gamma.n; i++)
    for (int l = 0; l < W; l++)
      coef[(GAMMA + i) * W + l] = cas_components_number(number, 1 + i, W, l, p->gamma.value[i]);
}

CAS_COMPONENTS_PREPARE(prepare_point_vortices)

CAS_COMPONENTS_GIVES(int, numbers, 1 + p->gamma.n)

static void pack_numbers(const void *parameters_, int W, double *number) {
  const parameters *p = parameters_;
  number[0] = p->sigma;
  for (int i = 0; i < p->gamma.n; i++)
    number[(1 + i) * W] = p->gamma.value[i];
}

/* xi_i += pull Gamma_j x_j, xi_j += pull Gamma_i x_i with pull = -h/(4 pi (1 - x_i.x_j)). Midpoints
   are off the sphere, where 1 - x_i.x_j is not half the square of the distance. */
CAS_INLINE void attract(int i, int j, cas_lanes c, const cas_vec *x, cas_vec *psi) {
  const cas_vec *xi = x + 3 * i * V, *xj = x + 3 * j * V;
  cas_vec *psi_i = psi + 3 * i * V, *psi_j = psi + 3 * j * V;
  for (int u = 0; u < V; u++) {
    cas_vec cosine = xi[u] * xj[u] + xi[V + u] * xj[V + u] + xi[2 * V + u] * xj[2 * V + u];
    cas_vec pull = cas_lanes_load(c, PULL, u) / (1.0 - cosine);
    for (int k = 0; k < 3; k++) {
      psi_i[k * V + u] += cas_lanes_load(c, GAMMA + j, u) * pull * xj[k * V + u];
      psi_j[k * V + u] += cas_lanes_load(c, GAMMA + i, u) * pull * xi[k * V + u];
    }
  }
}

CAS_NOT_INLINE void vortices_psi(const cas_stepper *s, cas_lanes c, const cas_vec *x, cas_vec *xi) {
  const int n = s->geometry.factors;
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 3; k++)
      for (int u = 0; u < V; u++)
        xi[(3 * i + k) * V + u] = cas_lanes_load(c, NOISE + k, u) * x[(3 * i + k) * V + u];
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++)
      attract(i, j, c, x, xi);
}

CAS_INLINE void with_areas_psi(const cas_stepper *s, cas_lanes c, const cas_vec *x, cas_vec *xi) {
  vortices_psi(s, c, x, xi);
  for (int i = 0; i < s->geometry.factors; i++)
    for (int k = 0; k < 3; k++)
      for (int u = 0; u < V; u++) {
        int a = (3 * i + (k + 1) % 3) * V + u, b = (3 * i + (k + 2) % 3) * V + u;
        xi[(3 * i + k) * V + u] += cas_lanes_load(c, AREA, u) * (x[a] * x[b]);
      }
}

CAS_INLINE void vortices_ito(const cas_stepper *s, const cas_vec *x, cas_vec *out) {
  cas_axes_ito_of_squares(s->geometry.factors, V, ((const parameters *)s->parameters)->sigma, x,
                          out);
}

/* A pair turns about its moment Gamma_i x_i + Gamma_j x_j, which is constant. */
CAS_INLINE void pair_flow(int i, int j, cas_lanes c, double scale, cas_vec *x, cas_vec *d) {
  cas_vec *xi = x + 3 * i * V, *xj = x + 3 * j * V, *di = d + 3 * i * V, *dj = d + 3 * j * V;
  for (int u = 0; u < V; u++) {
    cas_vec moment[3], square = {0}, t = {0}; /* on the sphere 2 (1 - x_i.x_j), with all digits */
    for (int k = 0; k < 3; k++)
      square += (xi[k * V + u] - xj[k * V + u]) * (xi[k * V + u] - xj[k * V + u]);
    cas_vec pull = 2 * scale * cas_lanes_load(c, PULL, u) / square;
    for (int k = 0; k < 3; k++) {
      moment[k] = pull * (cas_lanes_load(c, GAMMA + i, u) * xi[k * V + u] +
                          cas_lanes_load(c, GAMMA + j, u) * xj[k * V + u]);
      t += moment[k] * moment[k];
    }
    cas_rotation turn = cas_rotation_of(t);
    cas_turn_vector(turn, V, moment, xi + u, di + u);
    cas_turn_vector(turn, V, moment, xj + u, dj + u);
  }
}

CAS_NOT_INLINE void vortices_flow(const cas_stepper *s, cas_lanes c, int part, double scale,
                                  cas_vec *x, cas_vec *d) {
  const int n = s->geometry.factors;
  if (part < 3) {
    for (int i = 0; i < n; i++)
      cas_rotation_axis_flow(V, 1, part, c, NOISE + part, scale, x + 3 * i * V, d + 3 * i * V);
    return;
  }
  int i = 0, j = part - 2;
  while (j >= n)
    i++, j += i + 1 - n;
  pair_flow(i, j, c, scale, x, d);
}

#define BODIES_ALGEBRA cas_su2
#define BODIES_LANES LANES

#define SYS vortices
#define SYS_FLOWS 1
#define SYS_PARTS(s) (3 + pairs((s)->parameters))
#define SYS_ITO 1
#include "integrators/steps.h"

#define SYS with_areas
#include "integrators/steps.h"

#define SYS damped
#define SYS_GRADIENT vortices_psi
#include "integrators/steps.h"

static const cas_body *body(const void *parameters_) {
  if (cas_dissipation_given(&((const parameters *)parameters_)->dissipation))
    return &damped_body;
  return ((const parameters *)parameters_)->areas ? &with_areas_body : &vortices_body;
}

CAS_COMPONENTS_SINES(sin2pi, 3 * p->gamma.n)

/* 1 - x_i.x_j as half the square of the distance, which keeps digits where vortices are close */
static void hamiltonian(const void *parameters_, int W, const double *x, double *out) {
  const cas_reals *gamma = &((const parameters *)parameters_)->gamma;
  memset(out, 0, (size_t)W * sizeof *out);
  for (int i = 0; i < gamma->n; i++)
    for (int j = 0; j < i; j++)
      for (int l = 0; l < W; l++)
        out[l] -= gamma->value[i] * gamma->value[j] / (4 * M_PI) *
                  log(0.5 * square_of_distance(W, x + 3 * i * W + l, x + 3 * j * W + l));
}

CAS_COMPONENTS_SUM(moment_x, CAS_COMPONENTS_ZERO, p->gamma.n,
                   p->gamma.value[i] * CAS_COMPONENTS_X(3 * i))
CAS_COMPONENTS_FUNCTION(moment_y, moment_x(p, W, x + W, out))
CAS_COMPONENTS_FUNCTION(moment_z, moment_x(p, W, x + 2 * W, out))
CAS_COMPONENTS_FUNCTION(moment, for (int k = 0; k < 3; k++) moment_x(p, W, x + k * W, out + k * W))
CAS_COMPONENTS_FUNCTION(moment_norm, double m[3 * LANES]; moment(p, W, x, m);
                        cas_components_norm(3, W, m, out))

static double total(const cas_reals *gamma, bool of_sizes) {
  double sum = 0;
  for (int i = 0; i < gamma->n; i++)
    sum += of_sizes ? fabs(gamma->value[i]) : gamma->value[i];
  return sum;
}

/* The sum is 0 to rounding, as is 0.1 + 0.2 - 0.3. */
CAS_COMPONENTS_GIVES(const char *, no_centre,
                     fabs(total(&p->gamma, false)) <= 1e-14 * total(&p->gamma, true)
                         ? "the intensities gamma sum to 0"
                         : NULL)

CAS_COMPONENTS_FUNCTION(centre_of_vorticity, const double sum = total(&p->gamma, false);
                        moment(p, W, x, out); for (int i = 0; i < 3 * W; i++) out[i] /= sum)

#define DIRECTION \
  .name = "direction", .summary = "direction in space", .unit = "1", .length = 3, .labels = "x y z"

CAS_COMPONENTS_AXIS(directions, DIRECTION)

/* straight through the sphere */
static void distance_of_pairs(const void *parameters_, int W, const double *x, double *out) {
  int n = ((const parameters *)parameters_)->gamma.n;
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++, out += W)
      for (int l = 0; l < W; l++)
        out[l] = sqrt(square_of_distance(W, x + 3 * i * W + l, x + 3 * j * W + l));
}

/* ---- on the product of unit spheres ---- */

CAS_COMPONENTS_RANGE(range_of_sin2pi, cas_components_symmetric_range(3.0 * p->gamma.n, range))
CAS_COMPONENTS_RANGE(range_of_moment, cas_components_symmetric_range(total(&p->gamma, true), range))

CAS_COMPONENTS_AXIS(pair_axis, .name = "pair", .summary = "pair of vortices, numbered from 1",
                    .unit = "1", .length = pairs(p), .labels = p->pairs)

/* the radius of the sphere is 1, which leaves the unit of time alone */
#define MOMENT "time_unit^-1"
#define ENERGY "time_unit^-2"

static const char energy_text[] =
    "H0 = -1/(4 pi) sum over i < j of Gamma_i Gamma_j ln(1 - x_i.x_j)";

static const cas_functional functionals[] = {
    CAS_FUNCTIONAL(sin2pi, sin2pi, "1", "sum of sin(2 pi x_ik) over vortices i and k = 1, 2, 3",
                   .range = range_of_sin2pi),
    CAS_FUNCTIONAL(moment_x, moment_x, MOMENT, "first component of the moment, sum of Gamma_i x_i",
                   .range = range_of_moment),
    CAS_FUNCTIONAL(moment_y, moment_y, MOMENT, "second component of the moment, sum of Gamma_i x_i",
                   .range = range_of_moment),
    CAS_FUNCTIONAL(moment_z, moment_z, MOMENT, "third component of the moment, sum of Gamma_i x_i",
                   .range = range_of_moment),
    CAS_FUNCTIONAL(energy, hamiltonian, ENERGY, energy_text),
    {0}};

static const cas_functional observables[] = {
    CAS_FUNCTIONAL(hamiltonian, hamiltonian, ENERGY, energy_text),
    CAS_FUNCTIONAL(moment, moment, MOMENT, "sum of Gamma_i x_i; constant without noise",
                   .axes = directions, .range = range_of_moment),
    CAS_FUNCTIONAL(moment_norm, moment_norm, MOMENT, "|sum of Gamma_i x_i|"),
    CAS_FUNCTIONAL(centre_of_vorticity, centre_of_vorticity, "1",
                   "sum of Gamma_i x_i over sum of Gamma_i, which must not be 0",
                   .axes = directions, .undefined = no_centre),
    CAS_FUNCTIONAL(distance, distance_of_pairs, "1", "|x_i - x_j| of every pair",
                   .axes = pair_axis),
    {0}};

static int shape(const void *parameters_, int64_t dims[3], bool *is_complex) {
  dims[0] = ((const parameters *)parameters_)->gamma.n;
  dims[1] = 3;
  *is_complex = false;
  return 2;
}

static int state_axes(const void *parameters_, cas_axis axis[2]) {
  axis[0] = (cas_axis){.name = "vortex",
                       .summary = "number of the vortex",
                       .unit = "1",
                       .length = ((const parameters *)parameters_)->gamma.n};
  axis[1] = (cas_axis){DIRECTION};
  return 2;
}

/* Directions of dissipation lack the factor -1/Gamma_i of the bracket, which psi has. */
static void weights(const void *parameters_, double *drag, double *noise CAS_UNUSED) {
  const cas_reals *gamma = &((const parameters *)parameters_)->gamma;
  for (int k = 0; k < 3 * gamma->n; k++)
    drag[k] = -gamma->value[k / 3];
}

const cas_system CAS_ISA(cas_system_point_vortices) = {
    .name = "point_vortices",
    .summary = "point vortices on the sphere, with noise common to all vortices",
    .source = "Ephrati, Jansson, Lang and Luesink, section 6.3",
    .example =
        {.keys =
             "gamma: [1, 2, -1], initial: [[0.6, 0, 0.8], [0.48, 0.6, -0.64], [-0.36, -0.8, 0.48]]",
         .noise = "noise: {sigma: 0.1}"},
    CAS_COMPONENTS_SLOTS,
    .parameters.release = release,
    .space.geometry = geometry,
    .noise.commuting = commuting,
    .state.components = components,
    .state.shape = shape,
    .state.axes = state_axes,
    .state.unit = "1",
    .initial.random = random_state,
    .initial.check = check_initial,
    .psi.coefficients = coefficients,
    CAS_COMPONENTS_BY_NUMBERS(prepare_point_vortices),
    CAS_COMPONENTS_AREAS,
    .dissipated = &(const cas_dissipated){.offset = offsetof(parameters, dissipation),
                                          .weights = weights},
    .functionals = functionals,
    .observables = observables,
};
