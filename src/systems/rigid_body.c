/* The stochastic rigid body on so(3)*, [EJLL] section 6.1; linear (SALT) noise as in [GBW] section
   7 and [LECG] (14). H0 = x . I^-1 x, grad H0 = I^-1 x;  quadratic noise: grad H_k = sigma x_k e_k;
   linear: grad H_k = chi_k; square: H = sigma |x|^2, which turns the attitude alone. */
#include "math/algebra/so3.h"
#include "math/kernels/kernels.h"
#include "systems/attitude.h"
#include "systems/axes.h"
#include "systems/components.h"
#include "systems/dissipation.h"

/* vectors of lanes under way together: one waits for itself, four are more than registers hold */
enum { LANES = 64, V = CAS_GROUP_VECTORS };
enum { NONE, QUADRATIC, LINEAR, SQUARE };
/* where numbers begin that enter coefficients: the moments of inertia, sigma and the chi_k */
enum { SIGMA = 3, CHI };

typedef struct {
  cas_reals inertia;
  int kind;
  double sigma;
  cas_vectors chi;
  cas_dissipation dissipation;
  cas_damping damping;
  bool attitude;
  bool areas; /* steps have Levy's areas */
} parameters;

static const char *const kinds[] = {"none", "quadratic", "linear", "square", NULL};

static const cas_option noise_options[] = {
    CAS_OPTION(parameters, CHOICE, kind, .fallback = "none", .choices = kinds,
               .help = "quadratic: grad H_k = sigma x_k e_k, k = 1, 2, 3; linear: grad H_k = "
                       "chi_k; square: H_1 = sigma |x|^2, which turns the attitude alone"),
    CAS_OPTION(parameters, REAL, sigma, .fallback = "0", .high = DBL_MAX,
               .help = "amplitude; with kind linear and no chi: chi_k = sigma e_k"),
    CAS_OPTION(parameters, VECTORS, chi, .fallback = "",
               .help = "for kind linear: any number of vectors in R^3, one for each Brownian "
                       "motion; if all are zero there is no noise"),
    {0}};

static const cas_option options[] = {
    CAS_OPTION(parameters, REALS, inertia, .open_low = true, .high = INFINITY,
               .help = "three principal moments of inertia; .inf: no drift about that axis"),
    CAS_SECTION_OPTION("noise", 0, noise_options, "Hamiltonians of the noise"),
    CAS_DISSIPATION_SECTION(parameters),
    CAS_DAMPING_SECTION(parameters),
    CAS_OPTION(parameters, BOOL, attitude, .fallback = "false", .help = CAS_ATTITUDE_HELP),
    {0}};

static cas_status check_linear(const cas_config *c, parameters *p, cas_error *err) {
  CAS_REFUSE(c, p->chi.rows && p->sigma > 0, "system.noise",
             "kind linear takes either chi or sigma (chi_k = sigma e_k), not both");
  CAS_CALL(cas_components_check_vectors(c, "system.noise.chi", &p->chi, err));
  CAS_REFUSE(c, !p->chi.rows && !cas_config_has(c, "system.noise.sigma"), "system.noise",
             "kind linear needs chi (a list of vectors) or sigma (chi_k = sigma e_k)");
  if (p->chi.rows || p->sigma == 0)
    return CAS_OK;
  /* One amplitude becomes chi_k = sigma e_k, so that only chi is read afterwards. */
  p->chi = (cas_vectors){3, 3, calloc(9, sizeof(double))};
  CAS_NEED(p->chi.value);
  for (int k = 0; k < 3; k++)
    p->chi.value[4 * k] = p->sigma;
  p->sigma = 0;
  return CAS_OK;
}

static cas_status check(const cas_config *c, void *parameters_, cas_error *err) {
  parameters *p = parameters_;
  CAS_CALL(
      cas_components_check_three(c, "system.inertia", &p->inertia, " moments of inertia", err));
  CAS_REFUSE(c, p->kind != LINEAR && p->chi.rows, "system.noise.chi",
             "belongs to 'kind: linear', not to 'kind: %s'", kinds[p->kind]);
  CAS_REFUSE(c, p->kind == NONE && p->sigma > 0, "system.noise.sigma",
             "without a kind; add 'kind: quadratic', 'kind: linear' or 'kind: square'");
  CAS_REFUSE(c, p->kind == SQUARE && !p->attitude, "system.noise.kind",
             "found square, but |x|^2 is a Casimir: such noise turns the attitude alone; add "
             "'attitude: true' to the system");
  CAS_REFUSE(
      c, (p->kind == QUADRATIC || p->kind == SQUARE) && !cas_config_has(c, "system.noise.sigma"),
      "system.noise", "'sigma' is missing (amplitude of the noise, such as sigma: 0.1)");
  return p->kind == LINEAR ? check_linear(c, p, err) : CAS_OK;
}

static bool all_zero(const cas_vectors *chi) {
  for (int i = 0; i < 3 * chi->rows; i++)
    if (chi->value[i] != 0)
      return false;
  return true;
}

/* A zero vector keeps its Brownian motion, so that others keep theirs; zeros alone are no noise. */
static int noises(const void *parameters_) {
  const parameters *p = parameters_;
  if (p->kind == QUADRATIC)
    return p->sigma > 0 ? 3 : 0;
  if (p->kind == SQUARE)
    return p->sigma > 0;
  return p->kind == LINEAR && !all_zero(&p->chi) ? p->chi.rows : 0;
}

/* constant vector fields x -> chi x x commute where the chi are parallel */
static bool commuting(const void *parameters_) {
  const parameters *p = parameters_;
  if (p->kind == QUADRATIC)
    return p->sigma == 0;
  for (int i = 0; i < p->chi.rows; i++)
    for (int j = 0; j < i; j++)
      if (!cas_components_parallel(p->chi.value + 3 * i, p->chi.value + 3 * j))
        return false;
  return true;
}

CAS_COMPONENTS_GIVES(const cas_part *, part, p->attitude ? &CAS_ISA(cas_attitude) : NULL)

/* [EJLL] section 6.1 */
static void initial(const void *parameters_, double *x) {
  x[0] = sin(1.1);
  x[1] = 0;
  x[2] = cos(1.1);
  if (part(parameters_))
    part(parameters_)->fill(x + 3);
}

/* uniform on the sphere of radius norm, and among rotations */
static void random_state(const void *parameters_, double norm, double *x) {
  cas_components_scale_to_norm(3, norm, x);
  if (part(parameters_))
    CAS_ISA(cas_attitude_normalise)(x + 3);
}

CAS_COMPONENTS_GIVES(int, coefficients, p->kind == LINEAR ? 6 : 4)

CAS_COMPONENTS_TAKE_AREAS

/* Linear noise: sum_ij A_ij chi_i x chi_j / 2, one vector. */
CAS_COMPONENTS_GIVES(int, areas, !noises(p) || p->kind == SQUARE ? 0 : p->kind == LINEAR ? 3 : 1)

static void add_areas(const void *parameters_, int W, const double *v, const double *w,
                      double *area) {
  const parameters *p = parameters_;
  double a[3 * LANES], b[3 * LANES];
  if (p->kind == QUADRATIC) {
    cas_components_add_area_of_squares(W, v, w, area);
  } else if (p->kind == LINEAR) {
    cas_components_combine(p->chi.rows, p->chi.value, W, v, a);
    cas_components_combine(p->chi.rows, p->chi.value, W, w, b);
    cas_components_add_cross(W, 0.5, a, b, area);
  }
}

/* psi = a x + b, or a x + c (x_2 x_3, x_3 x_1, x_1 x_2) of quadratic noise with areas, with a_k =
   h/I_k + sigma dW_k, or 2 sigma dW_1 for all k by |x|^2, and b = sum_k chi_k dW_k, which only
   linear noise has */
CAS_INLINE void prepare_rigid_body_of(const parameters *p, const double *number, int W, double h,
                                      const double *dw, double *coef) {
  const int n = noises(p);
  const bool quadratic = p->kind == QUADRATIC && n, square = p->kind == SQUARE && n;
  double *b = coef + 3 * W;
  for (int k = 0; k < 3; k++)
    for (int l = 0; l < W; l++) {
      const double drift = h / cas_components_number(number, k, W, l, p->inertia.value[k]),
                   sigma = cas_components_number(number, SIGMA, W, l, p->sigma);
      coef[k * W + l] = quadratic ? drift + sigma * dw[k * W + l]
                        : square  ? drift + 2.0 * sigma * dw[l]
                                  : drift;
    }
  for (int l = 0; p->areas && quadratic && l < W; l++) {
    const double sigma = cas_components_number(number, SIGMA, W, l, p->sigma);
    coef[3 * W + l] = sigma * sigma * dw[3 * W + l];
  }
  if (p->kind != LINEAR)
    return;
  memset(b, 0, 3 * (size_t)W * sizeof *b);
  for (int j = 0; j < n; j++)
    for (int k = 0; k < 3; k++)
      for (int l = 0; l < W; l++)
        b[k * W + l] +=
            cas_components_number(number, CHI + 3 * j + k, W, l, p->chi.value[3 * j + k]) *
            dw[j * W + l];
  for (int i = 0; p->areas && n && i < 3 * W; i++)
    b[i] += dw[n * W + i];
}

CAS_COMPONENTS_PREPARE(prepare_rigid_body)

CAS_COMPONENTS_GIVES(int, numbers, CHI + 3 * p->chi.rows)

static void pack_numbers(const void *parameters_, int W, double *number) {
  const parameters *p = parameters_;
  for (int k = 0; k < 3; k++)
    number[k * W] = p->inertia.value[k];
  number[SIGMA * W] = p->sigma;
  for (int i = 0; i < 3 * p->chi.rows; i++)
    number[(CHI + i) * W] = p->chi.value[i];
}

CAS_INLINE void quadratic_psi(const cas_stepper *s CAS_UNUSED, cas_lanes c, const cas_vec *x,
                              cas_vec *xi) {
  for (int k = 0; k < 3; k++)
    for (int u = 0; u < V; u++)
      xi[k * V + u] = cas_lanes_load(c, k, u) * x[k * V + u];
}

/* [psi, x]_1 = (a_2 - a_3) x_2 x_3, and so on round */
CAS_INLINE void quadratic_psi_bracket(const cas_stepper *s CAS_UNUSED, cas_lanes c,
                                      const cas_vec *x, cas_vec *bracket) {
  for (int u = 0; u < V; u++)
    for (int k = 0; k < 3; k++) {
      int i = (k + 1) % 3, j = (k + 2) % 3;
      cas_vec d = cas_lanes_load(c, i, u) - cas_lanes_load(c, j, u);
      bracket[k * V + u] = d * (x[i * V + u] * x[j * V + u]);
    }
}

/* The Hamiltonian of areas is c x_1 x_2 x_3. */
CAS_INLINE void quadratic_areas_psi(const cas_stepper *s CAS_UNUSED, cas_lanes c, const cas_vec *x,
                                    cas_vec *xi) {
  for (int k = 0; k < 3; k++)
    for (int u = 0; u < V; u++) {
      int i = (k + 1) % 3, j = (k + 2) % 3;
      xi[k * V + u] = cas_lanes_load(c, k, u) * x[k * V + u] +
                      cas_lanes_load(c, 3, u) * (x[i * V + u] * x[j * V + u]);
    }
}

/* quadratic_psi_bracket with c x_1 (x_3^2 - x_2^2) besides, and so on round */
CAS_INLINE void quadratic_areas_psi_bracket(const cas_stepper *s CAS_UNUSED, cas_lanes c,
                                            const cas_vec *x, cas_vec *bracket) {
  for (int u = 0; u < V; u++) {
    cas_vec square[3];
    for (int k = 0; k < 3; k++)
      square[k] = x[k * V + u] * x[k * V + u];
    for (int k = 0; k < 3; k++) {
      int i = (k + 1) % 3, j = (k + 2) % 3;
      cas_vec d = cas_lanes_load(c, i, u) - cas_lanes_load(c, j, u),
              of_areas = cas_lanes_load(c, 3, u) * x[k * V + u];
      bracket[k * V + u] = d * (x[i * V + u] * x[j * V + u]) + of_areas * (square[j] - square[i]);
    }
  }
}

CAS_INLINE void quadratic_ito(const cas_stepper *s, const cas_vec *x, cas_vec *out) {
  cas_axes_ito_of_squares(1, V, ((const parameters *)s->parameters)->sigma, x, out);
}

CAS_INLINE void linear_flow_turn(const cas_stepper *s CAS_UNUSED, cas_lanes c, int part_,
                                 double scale, const cas_vec *x, cas_vec *xi) {
  if (part_ < 3) {
    cas_rotation_axis_turn(V, part_, c, part_, scale, x, xi);
    return;
  }
  for (int k = 0; k < 3; k++)
    for (int u = 0; u < V; u++)
      xi[k * V + u] = scale * cas_lanes_load(c, 3 + k, u);
}

#define BODIES_ALGEBRA cas_so3
#define BODIES_COMPONENTS 3
#define BODIES_LANES LANES

#define quadratic_flow cas_axes_flow
#define SYS quadratic
#define SYS_PSI_BRACKET 1
#define SYS_ITO 1
#define SYS_FLOWS 1
#define SYS_PARTS(s) 3
#define SYS_AFFINE 1
#include "integrators/steps.h"

#define SYS quadratic_areas
#define SYS_PSI_BRACKET 1
#include "integrators/steps.h"

#define turning_areas_psi quadratic_areas_psi
#define SYS turning_areas
#define SYS_ATTITUDE 1
#include "integrators/steps.h"

#define free_turning_psi quadratic_psi
#define free_turning_flow cas_axes_flow
#define free_turning_flow_turn linear_flow_turn
#define SYS free_turning
#define SYS_FLOWS 1
#define SYS_PARTS(s) 3
#define SYS_AFFINE 1
#define SYS_ATTITUDE 1
#include "integrators/steps.h"

static int linear_fields(const cas_stepper *s) {
  return ((const parameters *)s->parameters)->chi.rows;
}

CAS_INLINE void linear_field(const cas_stepper *s, int k, cas_vec *xi) {
  for (int i = 0; i < 3 * V; i++)
    xi[i] = cas_vec_splat(((const parameters *)s->parameters)->chi.value[3 * k + i / V]);
}

/* the three axes, and the linear noises together */
#define linear_psi cas_axes_psi
#define linear_flow cas_axes_flow
#define SYS linear
#define SYS_FIELDS 1
#define SYS_FLOWS 1
#define SYS_PARTS(s) 4
#define SYS_AFFINE 1
#include "integrators/steps.h"

#define linear_turning_psi cas_axes_psi
#define linear_turning_flow cas_axes_flow
#define linear_turning_flow_turn linear_flow_turn
#define SYS linear_turning
#define SYS_FLOWS 1
#define SYS_PARTS(s) 4
#define SYS_AFFINE 1
#define SYS_ATTITUDE 1
#include "integrators/steps.h"

#define SYS damped
#define SYS_GRADIENT quadratic_psi
#include "integrators/steps.h"

#define SYS damped_turning
#define SYS_GRADIENT quadratic_psi
#define SYS_ATTITUDE 1
#include "integrators/steps.h"

static const cas_body *body(const void *parameters_) {
  const parameters *p = parameters_;
  if (cas_dissipation_given(&p->dissipation))
    return p->attitude ? &damped_turning_body : &damped_body;
  if (p->areas && p->kind == QUADRATIC && noises(p))
    return p->attitude ? &turning_areas_body : &quadratic_areas_body;
  if (p->attitude)
    return p->kind == LINEAR ? &linear_turning_body : &free_turning_body;
  return p->kind == LINEAR ? &linear_body : &quadratic_body;
}

/* [EJLL] section 6.1, after their [9] */
CAS_COMPONENTS_SINES(sin2pi, 3)
CAS_COMPONENTS_FUNCTION(x1, memcpy(out, x, (size_t)W * sizeof *x))
CAS_COMPONENTS_FUNCTION(x2, x1(p, W, x + W, out))
CAS_COMPONENTS_FUNCTION(x3, x1(p, W, x + 2 * W, out))

CAS_COMPONENTS_FUNCTION(hamiltonian, cas_components_energy(3, 1, p->inertia.value, W, x, out))
CAS_COMPONENTS_FUNCTION(kinetic_energy, cas_components_energy(3, 0.5, p->inertia.value, W, x, out))
CAS_COMPONENTS_FUNCTION(norm_of_state, cas_components_norm(3, W, x, out))

/* ---- on the sphere |x| = |x0| ---- */

CAS_COMPONENTS_RANGE(range_of_sin2pi, cas_components_symmetric_range(3, range))
CAS_COMPONENTS_RANGE(range_of_component, cas_components_range_on_sphere(3, x0, range))

/* Archimedes: a coordinate of a uniform point of the sphere is uniform. */
static double law_of_component(const void *parameters_ CAS_UNUSED, const double *x0, double value) {
  const double radius = sqrt(x0[0] * x0[0] + x0[1] * x0[1] + x0[2] * x0[2]);
  if (!(fabs(value) < radius))
    return value >= radius;
  return (1 + value / radius) / 2;
}

CAS_COMPONENTS_RANGE(range_of_energy,
                     cas_components_range_of_energy(3, 1, p->inertia.value, x0, range))
CAS_COMPONENTS_RANGE(range_of_kinetic_energy,
                     cas_components_range_of_energy(3, 0.5, p->inertia.value, x0, range))

CAS_COMPONENTS_FUNCTION(angular_momentum, memcpy(out, x, 3 * (size_t)W * sizeof *x))
CAS_COMPONENTS_FUNCTION(angular_velocity,
                        for (int i = 0; i < 3 * W; i++) out[i] = x[i] / p->inertia.value[i / W])

CAS_ATTITUDE_FUNCTIONS(3)

#define MOMENTUM "inertia_unit time_unit^-1"
#define ENERGY "inertia_unit time_unit^-2"

static const cas_functional functionals[] = {
    CAS_FUNCTIONAL(sin2pi, sin2pi, "1", "sin(2 pi x1) + sin(2 pi x2) + sin(2 pi x3)",
                   .range = range_of_sin2pi),
    CAS_FUNCTIONAL(x1, x1, MOMENTUM, "first component of the angular momentum",
                   .range = range_of_component, .uniform_distribution = law_of_component),
    CAS_FUNCTIONAL(x2, x2, MOMENTUM, "second component of the angular momentum",
                   .range = range_of_component, .uniform_distribution = law_of_component),
    CAS_FUNCTIONAL(x3, x3, MOMENTUM, "third component of the angular momentum",
                   .range = range_of_component, .uniform_distribution = law_of_component),
    CAS_FUNCTIONAL(energy, hamiltonian, ENERGY, "H0 = x . I^-1 x", .range = range_of_energy),
    {0}};

static const cas_functional observables[] = {
    CAS_FUNCTIONAL(hamiltonian, hamiltonian, ENERGY, "H0 = x . I^-1 x, twice the kinetic energy",
                   .range = range_of_energy),
    CAS_FUNCTIONAL(kinetic_energy, kinetic_energy, ENERGY, "1/2 x . I^-1 x",
                   .range = range_of_kinetic_energy),
    CAS_FUNCTIONAL(norm, norm_of_state, MOMENTUM, "|x|, length of the angular momentum; constant"),
    CAS_FUNCTIONAL(angular_momentum, angular_momentum, MOMENTUM, "x, seen from the body",
                   .axes = cas_components_principal_axes, .range = range_of_component),
    CAS_FUNCTIONAL(angular_velocity, angular_velocity, "time_unit^-1", "I^-1 x, seen from the body",
                   .axes = cas_components_principal_axes),
    CAS_ATTITUDE_ROWS("R x, the angular momentum seen from space; constant. With attitude: true"),
    {0}};

CAS_DAMPING(parameters)

const cas_system CAS_ISA(cas_system_rigid_body) = {
    .name = "rigid_body",
    .summary = "free rigid body in R^3 with quadratic or linear (SALT) noise",
    .source = "Ephrati, Jansson, Lang and Luesink, section 6.1; Gay-Balmaz and Wu, section 7",
    .example = {.keys = "inertia: [2, 1, 0.6666666666666666], initial: [0.36, 0.48, 0.8]",
                .noise = "noise: {kind: quadratic, sigma: 0.1}",
                .commuting = "noise: {kind: linear, chi: [[0.3, -0.4, 0.5]]}"},
    CAS_COMPONENTS_SLOTS,
    .space.n = 3,
    .noise.commuting = commuting,
    .state.names = "x1 x2 x3",
    .space.part = part,
    .state.unit = MOMENTUM,
    .initial.state = initial,
    .initial.random = random_state,
    .psi.coefficients = coefficients,
    CAS_COMPONENTS_BY_NUMBERS(prepare_rigid_body),
    CAS_COMPONENTS_AREAS,
    .damping = damping_rate,
    .dissipated = &(const cas_dissipated){.offset = offsetof(parameters, dissipation)},
    .functionals = functionals,
    .observables = observables,
};
