/* A disk that slides and turns on a plane in a periodic potential, the ballistic pendulum of [BRO]
   figure 1.3 at a uniform temperature: with the position x of its centre and the angle theta,

       H0 = p_x^2/2 + p_theta^2/(2 s) + amplitude (1 - cos x)

   One friction and one noise act on the point of contact, whose velocity is u = p_x + p_theta/s:
   the force is -friction u, the noise's function sigma (x + theta). */
#include "math/geometry/ornstein_uhlenbeck.h"
#include "math/geometry/vector_space.h"
#include "math/kernels/kernels.h"
#include "systems/components.h"

enum { LANES = 64, V = CAS_GROUP_VECTORS };

typedef struct {
  double amplitude, s, friction, temperature;
  double sigma;     /* as given; infinite: of the temperature */
  double noise;     /* amplitude */
  double metric[2]; /* 1 and s */
} parameters;

static const cas_option noise_options[] = {
    CAS_OPTION(parameters, REAL, sigma, .fallback = ".inf", .high = INFINITY,
               .help = "amplitude of the random force; .inf: sqrt(2 friction temperature)"),
    {0}};

static const cas_option options[] = {
    CAS_OPTION(parameters, REAL, amplitude, .fallback = "1",
               .help = "of the potential, amplitude (1 - cos x); 0: none"),
    CAS_OPTION(parameters, REAL, s, .fallback = "0.5", .open_low = true, .high = DBL_MAX,
               .help = "moment of inertia; mass and radius are 1"),
    CAS_OPTION(parameters, REAL, friction, .fallback = "0", .high = DBL_MAX,
               .help = "force on the point of contact = -this times its velocity"),
    CAS_OPTION(parameters, REAL, temperature, .fallback = "0", .high = DBL_MAX,
               .help = "k T; the default amplitude of the noise follows from it and the friction"),
    CAS_SECTION_OPTION("noise", 0, noise_options, "random force on the point of contact"),
    {0}};

static cas_status check(const cas_config *c CAS_UNUSED, void *parameters_,
                        cas_error *err CAS_UNUSED) {
  parameters *p = parameters_;
  p->noise = cas_ornstein_uhlenbeck_amplitude(p->sigma, p->friction, p->temperature);
  p->metric[0] = 1;
  p->metric[1] = p->s;
  return CAS_OK;
}

CAS_COMPONENTS_GIVES(int, noises, p->noise > 0)

/* Let go away from the bottom. */
static void initial(const void *parameters_ CAS_UNUSED, double *x) {
  memset(x, 0, 4 * sizeof *x);
  x[0] = 1;
}

/* x between -pi and pi, by rejection, theta = 0. */
static const char *draw_gibbs(const void *parameters_, cas_draws *d, double *x) {
  const parameters *p = parameters_;
  const double depth = fabs(p->amplitude) / p->temperature;
  if (!(p->temperature > 0))
    return "the temperature is 0";
  if (depth > 100)
    return "the potential is that deep beside the temperature that states by rejection would take "
           "long";
  do
    x[0] = M_PI * (2 * cas_draw_uniform(d) - 1);
  while (!(cas_draw_uniform(d) < exp(p->amplitude * cos(x[0]) / p->temperature - depth)));
  x[1] = 0;
  x[2] = sqrt(p->temperature) * cas_draw_normal(d);
  x[3] = sqrt(p->temperature * p->s) * cas_draw_normal(d);
  return NULL;
}

static const cas_initial_distribution laws[] = {
    {.name = "gibbs",
     .summary = "equilibrium at the temperature, with density exp(-H0/kT) of x modulo 2 pi",
     .source = "Bou-Rabee and Owhadi, section 5",
     .draw = draw_gibbs},
    {0}};

static void prepare_sliding_disk(const void *parameters_, int W, double h CAS_UNUSED,
                                 const double *dw, double *coef) {
  const parameters *p = parameters_;
  for (int l = 0; p->noise > 0 && l < W; l++)
    coef[l] = p->noise * dw[l];
}

static const double *disk_metric(const cas_stepper *s) {
  return ((const parameters *)s->parameters)->metric;
}

CAS_INLINE void disk_kick(const cas_stepper *s, cas_lanes c, double h, bool noise, const cas_vec *z,
                          cas_vec *m) {
  const parameters *p = s->parameters;
  for (int u = 0; u < V; u++) {
    for (int l = 0; l < CAS_VL; l++)
      m[u][l] -= h * p->amplitude * sin(z[u][l]);
    if (!noise || p->noise == 0)
      continue;
    cas_vec impulse = cas_lanes_load(c, 0, u);
    m[u] += impulse;
    m[V + u] += impulse;
  }
}

CAS_INLINE void disk_drag(const cas_stepper *s, double h, const cas_vec *z CAS_UNUSED,
                          const cas_vec *v, cas_vec *m) {
  const double friction = ((const parameters *)s->parameters)->friction;
  for (int u = 0; u < V; u++) {
    cas_vec impulse = h * friction * (v[u] + v[V + u]);
    m[u] -= impulse;
    m[V + u] -= impulse;
  }
}

/* u is an Ornstein-Uhlenbeck process, du = (1 + 1/s) (-friction u dt + sigma dW). */
CAS_INLINE void disk_thermostat(const cas_stepper *s, cas_lanes c, double h,
                                const cas_vec *z CAS_UNUSED, cas_vec *v CAS_UNUSED, cas_vec *m) {
  const parameters *p = s->parameters;
  const double ease = 1 + 1 / p->s;
  const cas_ornstein_uhlenbeck flow = cas_ornstein_uhlenbeck_of(p->friction * ease, h);
  for (int u = 0; u < V; u++) {
    cas_vec impulse = (flow.decay - 1) / ease * (m[u] + m[V + u] / p->s);
    if (p->noise > 0)
      impulse += flow.noise * cas_lanes_load(c, 0, u);
    m[u] += impulse;
    m[V + u] += impulse;
  }
}

#define SYS disk
#define SYS_ALGEBRA cas_vector_space
#define SYS_COMPONENTS 4
#define SYS_LANES LANES
#include "integrators/steps.h"

CAS_COMPONENTS_GIVES(const cas_body *, body, &disk_body)

CAS_COMPONENTS_FUNCTION(kinetic_energy, cas_components_energy(2, 0.5, p->metric, W, x + 2 * W, out))

CAS_COMPONENTS_SUM(hamiltonian, kinetic_energy(p, W, x, out), 1, (1 - cos(x[l])) * p->amplitude)
CAS_COMPONENTS_FORMULA(contact_squared, pow(CAS_COMPONENTS_X(2) + CAS_COMPONENTS_X(3) / p->s, 2))
CAS_COMPONENTS_FORMULA(displacement_squared, x[l] * x[l])
CAS_COMPONENTS_FORMULA(difference, CAS_COMPONENTS_X(2) - CAS_COMPONENTS_X(3))

/* Friction and noise act on both momenta alike, the potential on one. */
CAS_COMPONENTS_GIVES(int, momenta, p->amplitude == 0)

static void momentum(const void *parameters_, double h CAS_UNUSED, int W, const double *x,
                     double *out) {
  difference(parameters_, W, x, out);
}

#define ENERGY "mass_unit radius_unit^2 time_unit^-2"

static const cas_functional functionals[] = {
    CAS_FUNCTIONAL(energy, hamiltonian, ENERGY, "H0"),
    CAS_FUNCTIONAL(contact_squared, contact_squared, "radius_unit^2 time_unit^-2",
                   "square of the velocity of the point of contact; kT (1 + 1/s) at equilibrium"),
    CAS_FUNCTIONAL(displacement_squared, displacement_squared, "radius_unit^2", "x^2"),
    {0}};

static const cas_functional observables[] = {
    CAS_FUNCTIONAL(hamiltonian, hamiltonian, ENERGY, "H0, the energy without noise"),
    CAS_FUNCTIONAL(kinetic_energy, kinetic_energy, ENERGY,
                   "of sliding and of turning; kT at equilibrium"),
    CAS_FUNCTIONAL(momentum_difference, difference, "mass_unit radius_unit time_unit^-1",
                   "p_x - p_theta; constant without a potential"),
    {0}};

const cas_system CAS_ISA(cas_system_sliding_disk) = {
    .name = "sliding_disk",
    .summary = "a disk that slides and turns in a periodic potential, with friction and noise at "
               "its point of contact",
    .source = "Bou-Rabee and Owhadi, figure 1.3",
    .example = {.keys = "friction: 0.1, initial: [0.5, -0.2, 0.8, 0.3]", .noise = "temperature: 1"},
    CAS_COMPONENTS_SLOTS,
    .space.n = 2,
    .noise.always_commuting = true,
    .state.names = "x theta p_x p_theta",
    .state.unit = "each_in_its_own_unit",
    .initial.state = initial,
    .initial.distributions = laws,
    .psi.doubles = 1,
    .psi.prepare = prepare_sliding_disk,
    .momenta.number = momenta,
    .momenta.value = momentum,
    .functionals = functionals,
    .observables = observables,
};
