/* Langevin equations whose potential and friction are expressions of the positions,

       dq = v dt,  dp = -grad U dt - c(q) v dt + (2 c(q) kT)^(1/2) dW,  p_k = m_k v_k,

   with the invariant density exp(-H0/kT), H0 = sum p_k^2/(2 m_k) + U. */
#include "config/place.h"
#include "expressions/hamiltonian.h"
#include "geometry/ornstein_uhlenbeck.h"
#include "geometry/vector_space.h"
#include "kernels/kernels.h"
#include "systems/components.h"
#include "systems/written/parameters.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = CAS_PROGRAM_BLOCK_LANES, V = CAS_GROUP_VECTORS, MOST = 64 };

typedef struct {
  cas_strings positions;
  cas_reals mass;
  cas_formulas parameters;
  char *potential, *friction;
  double temperature;
  /* what is made of them */
  const char **position; /* NULL-terminated */
  cas_constants constants;
  cas_hamiltonians h; /* of the positions alone; the Hamiltonian is U */
  cas_program forces, drag, value;
  double *metric; /* masses */
  char *names;
} parameters;

static const cas_option options[] = {
    CAS_OPTION(parameters, STRINGS, positions, .help = "names of the positions, such as [x, y]"),
    CAS_OPTION(parameters, REALS, mass, .fallback = "", .open_low = true, .high = DBL_MAX,
               .help = "masses, one for each position; default 1"),
    CAS_OPTION(parameters, FORMULAS, parameters, .fallback = "",
               .help = "{name: number, or expression of parameters listed before it, ..}"),
    CAS_OPTION(parameters, STRING, potential, .help = "expression of U in the positions"),
    CAS_OPTION(parameters, STRING, friction, .fallback = "",
               .help = "number, or expression c of the positions: the force -c times the velocity; "
                       "default 0"),
    CAS_OPTION(parameters, REAL, temperature, .fallback = "0", .high = DBL_MAX,
               .help = "k T, with which noise follows from the friction; 0: no noise"),
    {0}};

/* ---- what is configured ---- */

static cas_status check_positions(const cas_config *c, const parameters *p, cas_error *err) {
  const int n = p->positions.n;
  if (n < 1 || n > MOST)
    return cas_config_fail(c, err, "system.positions",
                           "found %d names, must be from 1 to %d, such as [x, y]", n, (int)MOST);
  for (int i = 0; i < n; i++) {
    const char *name = p->positions.value[i], *bad = cas_expression_bad_name(name);
    if (bad)
      return cas_config_fail(c, err, "system.positions", "found '%.40s', %s", name, bad);
    for (int j = 0; j < i; j++)
      if (strcmp(name, p->positions.value[j]) == 0)
        return cas_config_fail(c, err, "system.positions", "names '%s' twice", name);
  }
  if (p->mass.n && p->mass.n != n)
    return cas_config_fail(c, err, "system.mass", "found %d, must be %d, one for each position",
                           p->mass.n, n);
  return CAS_OK;
}

/* x y p_x p_y */
static cas_status write_names(parameters *p, cas_error *err) {
  const int n = p->positions.n;
  size_t size;
  FILE *f = open_memstream(&p->names, &size);
  p->position = calloc((size_t)n + 1, sizeof *p->position);
  p->metric = calloc((size_t)n, sizeof *p->metric);
  for (int i = 0; f && i < 2 * n; i++)
    fprintf(f, "%s%s%s", i ? " " : "", i < n ? "" : "p_", p->positions.value[i % n]);
  if (!f || fclose(f) || !p->position || !p->metric)
    return cas_no_memory(err);
  for (int i = 0; i < n; i++) {
    p->position[i] = p->positions.value[i];
    p->metric[i] = p->mass.n ? p->mass.value[i] : 1;
  }
  return CAS_OK;
}

/* ---- expressions ---- */

static cas_status too_large(const cas_config *c, cas_error *err) {
  if (errno == ENOMEM)
    return cas_no_memory(err);
  return cas_config_fail(c, err, "system", "the expressions are too large");
}

static cas_status read_one(const cas_config *c, const char *path, const char *text, parameters *p,
                           int *root, cas_error *err) {
  const cas_scope scope = {.variable = p->position,
                           .constant = (const char *const *)p->constants.name,
                           .value = p->constants.value};
  cas_complaint e;
  if (cas_expression_read(text, &scope, &p->h.list, root, &e))
    return CAS_OK;
  return e.no_memory ? cas_no_memory(err) : cas_config_fail_at(c, err, path, e.at, "%s", e.text);
}

static cas_status read_expressions(const cas_config *c, parameters *p, int *friction,
                                   cas_error *err) {
  double number = 0;
  p->h.components = p->positions.n;
  p->h.hamiltonian = calloc(1, sizeof *p->h.hamiltonian);
  if (!p->h.hamiltonian)
    return cas_no_memory(err);
  CAS_CALL(read_one(c, "system.potential", p->potential, p, &p->h.hamiltonian[0], err));
  CAS_CALL(read_one(c, "system.friction", p->friction ? p->friction : "0", p, friction, err));
  if (cas_operations_is_number(&p->h.list, *friction, &number) && !(number >= 0))
    return cas_config_fail(c, err, "system.friction", "found %g, must not be negative", number);
  return CAS_OK;
}

static cas_status check(const cas_config *c, void *parameters_, cas_error *err) {
  parameters *p = parameters_;
  int friction;
  errno = 0;
  CAS_CALL(check_positions(c, p, err));
  CAS_CALL(write_names(p, err));
  CAS_CALL(CAS_ISA(cas_parameters_read)(c, &p->parameters, p->position, &p->constants, err));
  CAS_CALL(read_expressions(c, p, &friction, err));
  if (!cas_hamiltonians_derive(&p->h) ||
      !cas_hamiltonians_state_program(&p->h, p->h.components, p->h.gradient, CAS_GROUP_LANES,
                                      &p->forces) ||
      !cas_hamiltonians_state_program(&p->h, 1, &friction, CAS_GROUP_LANES, &p->drag) ||
      !cas_hamiltonians_state_program(&p->h, 1, p->h.hamiltonian, LANES, &p->value))
    return too_large(c, err);
  return CAS_OK;
}

static void release(void *parameters_) {
  parameters *p = parameters_;
  CAS_ISA(cas_parameters_free)(&p->constants);
  cas_hamiltonians_free(&p->h);
  cas_program_free(&p->forces);
  cas_program_free(&p->drag);
  cas_program_free(&p->value);
  free(p->position);
  free(p->metric);
  free(p->names);
}

static size_t bytes(const void *parameters_) {
  const parameters *p = parameters_;
  return cas_program_bytes(&p->forces) + cas_program_bytes(&p->drag) +
         cas_program_bytes(&p->value) +
         (size_t)p->h.list.capacity * (sizeof(cas_operation) + 3 * sizeof(int));
}

static const cas_constants *constants(const void *parameters_) {
  return &((const parameters *)parameters_)->constants;
}

static void geometry(const void *parameters_, int *n, int *factors) {
  *n = ((const parameters *)parameters_)->positions.n;
  *factors = 1;
}

static int noises(const void *parameters_) {
  const parameters *p = parameters_;
  return p->temperature > 0 && p->friction ? p->positions.n : 0;
}

static bool commuting(const void *parameters_ CAS_UNUSED) { return true; }

static const char *components(const void *parameters_) {
  return ((const parameters *)parameters_)->names;
}

static void random_state(const void *parameters_, double norm, double *x) {
  cas_components_scale_to_norm(2 * ((const parameters *)parameters_)->positions.n, norm, x);
}

/* ---- steps ---- */

static int coefficients(const void *parameters_) {
  const int n = noises(parameters_);
  return n > 0 ? n : 1;
}

static void prepare_langevin(const void *parameters_, int W, double h CAS_UNUSED, const double *dw,
                             double *coef) {
  memcpy(coef, dw, (size_t)(noises(parameters_) * W) * sizeof *coef);
}

static const double *written_metric(const cas_stepper *s) {
  return ((const parameters *)s->parameters)->metric;
}

CAS_INLINE void run(const cas_program *program, const cas_vec *z, cas_vec *out) {
  const double *const array[CAS_PROGRAM_ARRAYS] = {[CAS_PROGRAM_IN_RESULT] = (double *)(void *)out,
                                                   [CAS_PROGRAM_IN_FIRST] =
                                                       (const double *)(const void *)z};
  CAS_ISA(cas_program_run)(program, array);
}

/* A negative friction has no noise: where paths begin it is refused, and those that come there later
   fail. */
static cas_status check_at(const cas_config *c, void *parameters_, const double *x,
                           cas_error *err) {
  const parameters *p = parameters_;
  cas_vec z[MOST * V], friction[V];
  for (int i = 0; i < p->positions.n * V; i++)
    z[i] = cas_vec_splat(x[i / V]);
  run(&p->drag, z, friction);
  return friction[0][0] >= 0 ? CAS_OK
                             : cas_config_fail(c, err, "system.friction",
                                               "is %.6g at the initial state, must not be negative "
                                               "wherever paths come",
                                               friction[0][0]);
}

/* (2 c kT)^(1/2) */
CAS_INLINE cas_vec amplitude(double temperature, cas_vec friction) {
  cas_vec a = 2 * temperature * friction;
  for (int l = 0; l < CAS_VL; l++)
    a[l] = sqrt(a[l]);
  return a;
}

CAS_INLINE void written_kick(const cas_stepper *s, cas_lanes c, double h, bool noise,
                             const cas_vec *z, cas_vec *m) {
  const parameters *p = s->parameters;
  const int n = s->geometry.n;
  cas_vec slope[MOST * V], friction[V];
  run(&p->forces, z, slope);
  for (int i = 0; i < n * V; i++)
    m[i] -= h * slope[i];
  if (!noise || s->noises == 0)
    return;
  run(&p->drag, z, friction);
  for (int u = 0; u < V; u++) {
    const cas_vec a = amplitude(p->temperature, friction[u]);
    for (int k = 0; k < n; k++)
      m[k * V + u] += a * cas_lanes_load(c, k, u);
  }
}

CAS_INLINE void written_drag(const cas_stepper *s, double h, const cas_vec *z, const cas_vec *v,
                             cas_vec *m) {
  const parameters *p = s->parameters;
  cas_vec friction[V];
  if (!p->friction)
    return;
  run(&p->drag, z, friction);
  for (int k = 0; k < s->geometry.n; k++)
    for (int u = 0; u < V; u++)
      m[k * V + u] -= h * friction[u] * v[k * V + u];
}

/* The velocity of every momentum is an Ornstein-Uhlenbeck process of its own. */
CAS_INLINE void written_thermostat(const cas_stepper *s, cas_lanes c, double h, const cas_vec *z,
                                   cas_vec *v CAS_UNUSED, cas_vec *m) {
  const parameters *p = s->parameters;
  cas_vec friction[V];
  if (!p->friction)
    return;
  run(&p->drag, z, friction);
  for (int k = 0; k < s->geometry.n; k++)
    for (int u = 0; u < V; u++) {
      cas_vec decay = {0}, noise = {0};
      for (int l = 0; l < CAS_VL; l++) {
        const cas_ornstein_uhlenbeck flow =
            cas_ornstein_uhlenbeck_of(friction[u][l] / p->metric[k], h);
        decay[l] = flow.decay;
        noise[l] = flow.noise;
      }
      m[k * V + u] *= decay;
      if (s->noises > 0)
        m[k * V + u] += noise * amplitude(p->temperature, friction[u]) * cas_lanes_load(c, k, u);
    }
}

#define SYS written
#define SYS_ALGEBRA cas_vector_space
#define SYS_LANES LANES
#include "integrators/steps.h"

static const cas_body *body(const void *parameters_ CAS_UNUSED) { return &written_body; }

/* ---- observables ---- */

static void potential_energy(const void *parameters_, int W, const double *x, double *out) {
  CAS_ISA(cas_program_rows)(&((const parameters *)parameters_)->value, W, x, out);
}

static void kinetic_energy(const void *parameters_, int W, const double *x, double *out) {
  const parameters *p = parameters_;
  const int n = p->positions.n;
  memset(out, 0, (size_t)W * sizeof *out);
  for (int k = 0; k < n; k++)
    for (int l = 0; l < W; l++)
      out[l] += x[(n + k) * W + l] * x[(n + k) * W + l] / (2 * p->metric[k]);
}

static void hamiltonian(const void *parameters_, int W, const double *x, double *out) {
  double kinetic[LANES];
  kinetic_energy(parameters_, W, x, kinetic);
  potential_energy(parameters_, W, x, out);
  for (int l = 0; l < W; l++)
    out[l] += kinetic[l];
}

static void mean_kinetic_energy(const void *parameters_, int W, const double *x, double *out) {
  kinetic_energy(parameters_, W, x, out);
  for (int l = 0; l < W; l++)
    out[l] *= 2.0 / ((const parameters *)parameters_)->positions.n;
}

#define ENERGY "energy_unit"

static const cas_functional functionals[] = {
    CAS_FUNCTIONAL(energy, hamiltonian, ENERGY, "H0"),
    CAS_FUNCTIONAL(kinetic_temperature, mean_kinetic_energy, ENERGY,
                   "twice the kinetic energy over the number of positions; kT at equilibrium"),
    {0}};

static const cas_functional observables[] = {
    CAS_FUNCTIONAL(hamiltonian, hamiltonian, ENERGY, "H0, the energy without friction and noise"),
    CAS_FUNCTIONAL(kinetic_energy, kinetic_energy, ENERGY, "sum of p_k^2/(2 m_k)"),
    CAS_FUNCTIONAL(potential_energy, potential_energy, ENERGY, "U"),
    {0}};

const cas_system CAS_ISA(cas_system_langevin) = {
    .name = "langevin",
    .summary = "positions and momenta with a potential and friction of one's own, as expressions, "
               "at a temperature",
    .source = "the configuration; Bou-Rabee and Owhadi, section 5",
    .example = {.keys = "positions: [x, y], mass: [1, 2], potential: \"(x^2 - 1)^2/4 + y^2 + "
                        "0.3*x*y\", friction: \"0.5 + 0.2*x^2\", initial: [0.5, -0.2, 0.8, 0.3]",
                .noise = "temperature: 0.5"},
    .options = options,
    .parameters_size = sizeof(parameters),
    .lanes = LANES,
    .check = check,
    .check_at = check_at,
    .release = release,
    .bytes = bytes,
    .body = body,
    .geometry = geometry,
    .noises = noises,
    .commuting = commuting,
    .components = components,
    .unit = "each_in_its_own_unit",
    .random = random_state,
    .coefficients = coefficients,
    .prepare = prepare_langevin,
    .functionals = functionals,
    .observables = observables,
    .constants = constants,
};
