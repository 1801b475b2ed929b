/* A chain of beads on rods that hangs from the origin, at a temperature, [BRO] section 5: with the
   places q_1, .., q_N, |q_i - q_{i-1}| = length,

       H0 = sum |p_i|^2/(2 mass) + mass gravity sum z_i,

   friction force v_i, and noises of two kinds: `isotropic`, sigma q_ia for each bead and direction,
   and `vertical`, sigma sum z_i. */
#include "math/geometry/ornstein_uhlenbeck.h"
#include "math/geometry/rods.h"
#include "math/kernels/kernels.h"
#include "systems/components.h"

enum { LANES = 16, V = CAS_GROUP_VECTORS, NAMES_SIZE = 6 * CAS_RODS_MOST * 6 };
enum { ISOTROPIC, VERTICAL };

typedef struct {
  int64_t N;
  double mass, length, gravity, friction, temperature;
  int kind;
  double sigma; /* as given; infinite: of the temperature */
  double noise; /* amplitude */
  double metric[3 * CAS_RODS_MOST + 1];
  char names[NAMES_SIZE];
} parameters;

static const char *const kinds[] = {"isotropic", "vertical", NULL};

static const cas_option noise_options[] = {
    CAS_OPTION(parameters, CHOICE, kind, .fallback = "isotropic", .choices = kinds,
               .help =
                   "isotropic: three random forces on each bead; vertical: one for all, upwards"),
    CAS_OPTION(parameters, REAL, sigma, .fallback = ".inf", .high = INFINITY,
               .help = "amplitude of the random forces; .inf: sqrt(2 friction temperature)"),
    {0}};

static const cas_option options[] = {
    CAS_OPTION(parameters, INT, N, .low = 1, .high = CAS_RODS_MOST, .help = "beads"),
    CAS_OPTION(parameters, REAL, mass, .fallback = "1", .open_low = true, .high = DBL_MAX,
               .help = "of a bead"),
    CAS_OPTION(parameters, REAL, length, .fallback = "1", .open_low = true, .high = DBL_MAX,
               .help = "of a rod"),
    CAS_OPTION(parameters, REAL, gravity, .fallback = "1", .help = "acceleration downwards"),
    CAS_OPTION(parameters, REAL, friction, .fallback = "0", .high = DBL_MAX,
               .help = "force on a bead = -this times its velocity"),
    CAS_OPTION(parameters, REAL, temperature, .fallback = "0", .high = DBL_MAX,
               .help = "k T; the default amplitude of the noise follows from it and the friction"),
    CAS_SECTION_OPTION("noise", 0, noise_options, "random forces"),
    {0}};

static cas_status check(const cas_config *c CAS_UNUSED, void *parameters_,
                        cas_error *err CAS_UNUSED) {
  parameters *p = parameters_;
  p->noise = cas_ornstein_uhlenbeck_amplitude(p->sigma, p->friction, p->temperature);
  for (int i = 0; i < 3 * p->N; i++)
    p->metric[i] = p->mass;
  p->metric[3 * p->N] = p->length;
  for (int part = 0; part < 2; part++)
    for (int i = 0; i < p->N; i++)
      for (int k = 0; k < 3; k++)
        cas_append(p->names, sizeof p->names, "%s%c%d_%d", *p->names ? " " : "", "qp"[part], k + 1,
                   i + 1);
  return CAS_OK;
}

CAS_COMPONENTS_GEOMETRY(3 * p->N, 1)
CAS_COMPONENTS_GIVES(int, noises, p->noise == 0 ? 0 : p->kind == VERTICAL ? 1 : 3 * (int)p->N)
CAS_COMPONENTS_GIVES(const char *, components, p->names)

/* Let go from a horizontal line. */
static void initial(const void *parameters_, double *x) {
  const parameters *p = parameters_;
  memset(x, 0, 6 * (size_t)p->N * sizeof *x);
  for (int i = 0; i < p->N; i++)
    x[3 * i] = (i + 1) * p->length;
}

/* Rod i of places or of momenta of one lane. */
static void rod_of(const double *x, int W, int i, double d[3]) {
  for (int k = 0; k < 3; k++)
    d[k] = x[(3 * i + k) * W] - (i ? x[(3 * (i - 1) + k) * W] : 0);
}

static cas_status check_initial(const cas_config *c, const void *parameters_, const double *x,
                                cas_error *err) {
  const parameters *p = parameters_;
  for (int i = 0; i < p->N; i++) {
    double d[3], v[3], square = 0, along = 0, size = 0;
    rod_of(x, 1, i, d);
    rod_of(x + 3 * p->N, 1, i, v);
    for (int k = 0; k < 3; k++) {
      square += d[k] * d[k];
      along += d[k] * v[k];
      size += v[k] * v[k];
    }
    CAS_REFUSE(c, !(fabs(sqrt(square) / p->length - 1) < 1e-10), "system.initial",
               "rod %d has length %.12g, must be %.12g to 1e-10", i + 1, sqrt(square), p->length);
    CAS_REFUSE(c, !(fabs(along) <= 1e-10 * p->length * sqrt(size)), "system.initial",
               "momenta lengthen rod %d: along it they differ by %.2g, must be 0", i + 1,
               along / p->length);
  }
  return CAS_OK;
}

CAS_COMPONENTS_GIVES(int, coefficients, noises(p) ? noises(p) : 1)

static void prepare_pendulum_chain(const void *parameters_, int W, double h CAS_UNUSED,
                                   const double *dw, double *coef) {
  const parameters *p = parameters_;
  for (int i = 0; i < noises(p) * W; i++)
    coef[i] = p->noise * dw[i];
}

static const double *chain_metric(const cas_stepper *s) {
  return ((const parameters *)s->parameters)->metric;
}

CAS_INLINE void chain_kick(const cas_stepper *s, cas_lanes c, double h, bool noise,
                           const cas_vec *z CAS_UNUSED, cas_vec *m) {
  const parameters *p = s->parameters;
  const bool is_noisy = noise && p->noise > 0;
  for (int i = 0; i < 3 * p->N; i++)
    for (int u = 0; u < V; u++) {
      if (i % 3 == 2)
        m[i * V + u] -= h * p->mass * p->gravity;
      if (is_noisy && p->kind == ISOTROPIC)
        m[i * V + u] += cas_lanes_load(c, i, u);
      else if (is_noisy && i % 3 == 2)
        m[i * V + u] += cas_lanes_load(c, 0, u);
    }
}

CAS_INLINE void chain_drag(const cas_stepper *s, double h, const cas_vec *z CAS_UNUSED,
                           const cas_vec *v, cas_vec *m) {
  const parameters *p = s->parameters;
  for (int i = 0; i < 3 * p->N * V; i++)
    m[i] -= h * p->friction * v[i];
}

/* All momenta decay at one rate, so that the following projection keeps the law of tangent ones. */
CAS_INLINE void chain_thermostat(const cas_stepper *s, cas_lanes c, double h,
                                 const cas_vec *z CAS_UNUSED, cas_vec *v CAS_UNUSED, cas_vec *m) {
  const parameters *p = s->parameters;
  const cas_ornstein_uhlenbeck flow = cas_ornstein_uhlenbeck_of(p->friction / p->mass, h);
  for (int i = 0; i < 3 * p->N; i++)
    for (int u = 0; u < V; u++) {
      m[i * V + u] *= flow.decay;
      if (p->noise > 0 && (p->kind == ISOTROPIC || i % 3 == 2))
        m[i * V + u] += flow.noise * cas_lanes_load(c, p->kind == ISOTROPIC ? i : 0, u);
    }
}

#define SYS chain
#define SYS_ALGEBRA cas_rods
#define SYS_LANES LANES
#include "integrators/steps.h"

CAS_COMPONENTS_GIVES(const cas_body *, body, &chain_body)

CAS_COMPONENTS_FUNCTION(kinetic_energy, cas_components_energy(3 * (int)p->N, 0.5, p->metric, W,
                                                              x + 3 * p->N * W, out))

CAS_COMPONENTS_SUM(height, CAS_COMPONENTS_ZERO, p->N, CAS_COMPONENTS_X(3 * i + 2) / (double)p->N)
CAS_COMPONENTS_SUM(hamiltonian, kinetic_energy(p, W, x, out), p->N,
                   p->mass * p->gravity * CAS_COMPONENTS_X(3 * i + 2))

static void stretch(const void *parameters_, int W, const double *x, double *out) {
  const parameters *p = parameters_;
  for (int l = 0; l < W; l++) {
    out[l] = 0;
    for (int i = 0; i < p->N; i++) {
      double d[3], square = 0;
      rod_of(x + l, W, i, d);
      for (int k = 0; k < 3; k++)
        square += d[k] * d[k];
      out[l] = fmax(out[l], fabs(sqrt(square) - p->length));
    }
  }
}

CAS_COMPONENTS_SUM(angular_momentum, const double *y = x + 3 * p->N * W;
                   CAS_COMPONENTS_ZERO, p->N,
                   CAS_COMPONENTS_X(3 * i) * y[(3 * i + 1) * W + l] -
                       CAS_COMPONENTS_X(3 * i + 1) * y[3 * i * W + l])

/* Forces upwards turn nothing about the vertical. */
CAS_COMPONENTS_GIVES(int, momenta, p->friction == 0 && (p->noise == 0 || p->kind == VERTICAL))

static void momentum(const void *parameters_, double h CAS_UNUSED, int W, const double *x,
                     double *out) {
  angular_momentum(parameters_, W, x, out);
}

#define ENERGY "energy_unit"

static const cas_functional functionals[] = {
    CAS_FUNCTIONAL(energy, hamiltonian, ENERGY, "H0"),
    CAS_FUNCTIONAL(height, height, "length_unit",
                   "mean height of the beads; length (1/a - coth a) for one bead at equilibrium, a "
                   "= mass gravity length/kT"),
    {0}};

static const cas_functional observables[] = {
    CAS_FUNCTIONAL(hamiltonian, hamiltonian, ENERGY, "H0, the energy without noise"),
    CAS_FUNCTIONAL(kinetic_energy, kinetic_energy, ENERGY,
                   "sum |p|^2/(2 mass); N kT at equilibrium"),
    CAS_FUNCTIONAL(stretch, stretch, "length_unit", "largest difference of a rod from its length"),
    CAS_FUNCTIONAL(angular_momentum, angular_momentum, "energy_unit time_unit",
                   "about the vertical"),
    {0}};

const cas_system CAS_ISA(cas_system_pendulum_chain) = {
    .name = "pendulum_chain",
    .summary = "beads on rods that hang from a point, with friction and thermal noise",
    .source = "Bou-Rabee and Owhadi, section 5",
    .example = {.keys = "N: 2, friction: 0.2, initial: [0.6, 0, -0.8, 0.6, 0.6, -1.6, 0.4, 0.5, "
                        "0.3, 0.1, 0.9, 0.6]",
                .noise = "temperature: 0.3"},
    CAS_COMPONENTS_SLOTS,
    .space.geometry = geometry,
    .noise.always_commuting = true,
    .state.components = components,
    .state.unit = "each_in_its_own_unit",
    .initial.state = initial,
    .initial.check = check_initial,
    .psi.coefficients = coefficients,
    .psi.prepare = prepare_pendulum_chain,
    .momenta.number = momenta,
    .momenta.value = momentum,
    .functionals = functionals,
    .observables = observables,
};
