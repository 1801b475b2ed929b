/* Langevin equations whose potential and friction are expressions of the positions,

       dq = v dt,  dp = -grad U dt - c(q) v dt + (2 c(q) kT)^(1/2) dW,  p_k = m_k v_k,

   with the invariant density exp(-H0/kT), H0 = sum p_k^2/(2 m_k) + U; with constraints g(q) = 0 of
   the positions and forces along their gradients, too, on the manifold where these hold. */
#include "language/expressions/hamiltonian.h"
#include "math/blas/cholesky.h"
#include "math/geometry/constrained_space.h"
#include "math/geometry/ornstein_uhlenbeck.h"
#include "math/geometry/vector_space.h"
#include "math/kernels/kernels.h"
#include "systems/components.h"
#include "systems/written/expressions.h"

#include <errno.h>

enum { LANES = CAS_PROGRAM_BLOCK_LANES, V = CAS_GROUP_VECTORS, MOST = CAS_CONSTRAINTS_POSITIONS };

typedef struct {
  cas_strings positions;
  cas_reals mass;
  cas_formulas parameters;
  char *potential, *friction;
  cas_strings constraints;
  double temperature;
  /* what is made of them */
  const char **position; /* NULL-terminated */
  cas_constants constants;
  cas_hamiltonians h; /* of the positions alone; the Hamiltonian is U */
  cas_program forces, drag, value;
  cas_constraints tied; /* without: of 0 constraints */
  double *metric;       /* masses */
  char *names;
} parameters;

static const cas_option options[] = {
    CAS_OPTION(parameters, STRINGS, positions, .help = "names of the positions, such as [x, y]"),
    CAS_OPTION(parameters, REALS, mass, .fallback = "", .open_low = true, .high = DBL_MAX,
               .help = "masses, one for each position; default 1"),
    CAS_OPTION(parameters, FORMULAS, parameters, .fallback = "",
               .help = "{name: number, or expression of parameters listed before it, ..}"),
    CAS_OPTION(parameters, STRING, potential, .help = "expression of U in the positions"),
    CAS_OPTION(
        parameters, STRING, friction, .fallback = "",
        .help =
            "number, or expression c of the positions: the force -c times the velocity; default 0"),
    CAS_OPTION(parameters, STRINGS, constraints, .fallback = "",
               .help = "expressions of the positions that are 0 on every path, such as [x^2 + y^2 "
                       "- 1]; default: none"),
    CAS_OPTION(parameters, REAL, temperature, .fallback = "0", .high = DBL_MAX,
               .help = "k T, with which noise follows from the friction; 0: no noise"),
    {0}};

/* ---- what is configured ---- */

static cas_status check_positions(const cas_config *c, const parameters *p, cas_error *err) {
  const int n = p->positions.n;
  CAS_REFUSE(c, n < 1 || n > MOST, "system.positions",
             "found %d names, must be from 1 to %d, such as [x, y]", n, (int)MOST);
  CAS_CALL(CAS_ISA(cas_written_check_names)(c, "system.positions", &p->positions, err));
  CAS_REFUSE(c, p->mass.n && p->mass.n != n, "system.mass",
             "found %d, must be %d, one for each position", p->mass.n, n);
  CAS_REFUSE(
      c,
      p->constraints.n >= n || p->constraints.n > CAS_CONSTRAINTS_MOST ||
          p->constraints.n * n > CAS_CONSTRAINTS_SLOPES,
      "system.constraints",
      "found %d, must be fewer than the %d positions, at most %d, and have at most %d derivatives",
      p->constraints.n, n, (int)CAS_CONSTRAINTS_MOST, (int)CAS_CONSTRAINTS_SLOPES);
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

static cas_status read_one(const cas_config *c, const char *path, const char *text, parameters *p,
                           int *root, cas_error *err) {
  return CAS_ISA(cas_written_read)(c, path, text, p->position, &p->constants, &p->h.list, root,
                                   err);
}

static cas_status read_expressions(const cas_config *c, parameters *p, int *friction,
                                   cas_error *err) {
  double number = 0;
  p->h.components = p->positions.n;
  p->h.hamiltonian = calloc(1 + (size_t)p->constraints.n, sizeof *p->h.hamiltonian);
  CAS_NEED(p->h.hamiltonian);
  CAS_CALL(read_one(c, "system.potential", p->potential, p, &p->h.hamiltonian[0], err));
  CAS_CALL(read_one(c, "system.friction", p->friction ? p->friction : "0", p, friction, err));
  CAS_REFUSE(c, cas_operations_is_number(&p->h.list, *friction, &number) && !(number >= 0),
             "system.friction", "found %g, must not be negative", number);
  return CAS_OK;
}

/* Gradients of constraints are made as those of Hamiltonians. */
static cas_status read_constraints(const cas_config *c, parameters *p, cas_error *err) {
  const int constraints = p->constraints.n;
  char path[64];
  p->h.noises = constraints;
  p->tied.constraints = constraints;
  p->tied.metric = p->metric;
  for (int i = 0; i < constraints; i++) {
    snprintf(path, sizeof path, "system.constraints[%d]", i);
    CAS_CALL(read_one(c, path, p->constraints.value[i], p, &p->h.hamiltonian[1 + i], err));
    CAS_REFUSE(c, cas_hamiltonians_is_constant(&p->h, p->h.hamiltonian[1 + i]), path,
               "found '%.60s', must depend on the positions", p->constraints.value[i]);
  }
  return CAS_OK;
}

static bool make_constraints(parameters *p) {
  const int n = p->positions.n, constraints = p->constraints.n;
  int result[CAS_CONSTRAINTS_MOST + CAS_CONSTRAINTS_SLOPES];
  if (constraints == 0)
    return true;
  memcpy(result, p->h.hamiltonian + 1, (size_t)constraints * sizeof *result);
  memcpy(result + constraints, p->h.gradient + n, (size_t)(constraints * n) * sizeof *result);
  return cas_hamiltonians_state_program(&p->h, constraints * (1 + n), result, CAS_GROUP_LANES,
                                        &p->tied.values);
}

static cas_status check(const cas_config *c, void *parameters_, cas_error *err) {
  parameters *p = parameters_;
  int friction;
  errno = 0;
  CAS_CALL(check_positions(c, p, err));
  CAS_CALL(write_names(p, err));
  CAS_CALL(
      CAS_ISA(cas_written_read_parameters)(c, &p->parameters, p->position, &p->constants, err));
  CAS_CALL(read_expressions(c, p, &friction, err));
  CAS_CALL(read_constraints(c, p, err));
  if (!cas_hamiltonians_derive(&p->h) ||
      !cas_hamiltonians_state_program(&p->h, p->h.components, p->h.gradient, CAS_GROUP_LANES,
                                      &p->forces) ||
      !cas_hamiltonians_state_program(&p->h, 1, &friction, CAS_GROUP_LANES, &p->drag) ||
      !cas_hamiltonians_state_program(&p->h, 1, p->h.hamiltonian, LANES, &p->value) ||
      !make_constraints(p))
    return CAS_ISA(cas_written_too_large)(c, err);
  return CAS_OK;
}

static void release(void *parameters_) {
  parameters *p = parameters_;
  CAS_ISA(cas_written_free_parameters)(&p->constants);
  cas_hamiltonians_free(&p->h);
  cas_program_free(&p->forces);
  cas_program_free(&p->drag);
  cas_program_free(&p->value);
  cas_program_free(&p->tied.values);
  free(p->position);
  free(p->metric);
  free(p->names);
}

CAS_COMPONENTS_GIVES(size_t, bytes,
                     cas_program_bytes(&p->forces) + cas_program_bytes(&p->drag) +
                         cas_program_bytes(&p->value) + cas_program_bytes(&p->tied.values) +
                         (size_t)p->h.list.capacity * (sizeof(cas_operation) + 3 * sizeof(int)))
CAS_COMPONENTS_GIVES(const cas_constants *, constants, &p->constants)
CAS_COMPONENTS_GEOMETRY(p->positions.n, 1)
CAS_COMPONENTS_GIVES(int, noises, p->temperature > 0 && p->friction ? p->positions.n : 0)
CAS_COMPONENTS_GIVES(const char *, components, p->names)

static void random_state(const void *parameters_, double norm, double *x) {
  cas_components_scale_to_norm(2 * ((const parameters *)parameters_)->positions.n, norm, x);
}

/* ---- steps ---- */

CAS_COMPONENTS_GIVES(int, coefficients, noises(p) > 0 ? noises(p) : 1)

static void prepare_langevin(const void *parameters_, int W, double h CAS_UNUSED, const double *dw,
                             double *coef) {
  memcpy(coef, dw, (size_t)(noises(parameters_) * W) * sizeof *coef);
}

static const double *written_metric(const cas_stepper *s) {
  return ((const parameters *)s->parameters)->metric;
}

/* Whether gradients of constraints are independent: pivots of the matrix of their products. */
static bool independent(const parameters *p, const cas_geometry *g,
                        const cas_constraint_values *at) {
  const int n = p->tied.constraints;
  double a[CAS_CONSTRAINTS_MOST * CAS_CONSTRAINTS_MOST] = {0}, before[CAS_CONSTRAINTS_MOST];
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++)
      for (int k = 0; k < g->n; k++)
        a[j * n + i] += cas_constraints_slope(g, V, at, i, k, 0)[0] *
                        cas_constraints_slope(g, V, at, j, k, 0)[0] / p->metric[k];
    before[i] = a[i * n + i];
  }
  bool found = cas_cholesky(n, a);
  for (int i = 0; found && i < n; i++)
    found = pow(a[i * n + i], 2) > 1e-12 * before[i];
  return found;
}

static cas_status check_constraint(const cas_config *c, const parameters *p, const cas_geometry *g,
                                   const cas_constraint_values *at, int i, const double *x,
                                   cas_error *err) {
  double size = 0, rate = 0, rates = 0;
  const double value = at->value[i * V][0];
  for (int k = 0; k < g->n; k++) {
    const double slope = cas_constraints_slope(g, V, at, i, k, 0)[0];
    size += fabs(slope * x[k]);
    rate += slope * x[g->n + k] / p->metric[k];
    rates += fabs(slope * x[g->n + k] / p->metric[k]);
  }
  CAS_REFUSE(c, !(fabs(value) <= 1e-10 * size), "system.initial",
             "the constraint %.60s is %.6g there, must be 0 to 1e-10 of its terms",
             p->constraints.value[i], value);
  CAS_REFUSE(c, !(fabs(rate) <= 1e-10 * rates), "system.initial",
             "momenta lead off the constraint %.60s, which changes at the rate %.6g, must be 0",
             p->constraints.value[i], rate);
  return CAS_OK;
}

/* Negative friction has no noise: it is refused where paths begin, and paths that meet it fail. */
static cas_status check_initial(const cas_config *c, const void *parameters_, const double *x,
                                cas_error *err) {
  const parameters *p = parameters_;
  const cas_geometry g = {.n = p->positions.n, .table = &p->tied};
  cas_constraint_values at;
  cas_vec z[MOST * V], friction[V];
  for (int i = 0; i < g.n * V; i++)
    z[i] = cas_vec_splat(x[i / V]);
  CAS_ISA(cas_program_run)(&p->drag, z, NULL, friction);
  CAS_REFUSE(c, !(friction[0][0] >= 0), "system.friction",
             "is %.6g at the initial state, must not be negative wherever paths come",
             friction[0][0]);
  if (p->tied.constraints == 0)
    return CAS_OK;
  cas_constraints_evaluate(&g, z, &at);
  CAS_REFUSE(c, !independent(p, &g, &at), "system.constraints",
             "their gradients are not independent at the initial state");
  for (int i = 0; i < p->tied.constraints; i++)
    CAS_CALL(check_constraint(c, p, &g, &at, i, x, err));
  return CAS_OK;
}

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
  CAS_ISA(cas_program_run)(&p->forces, z, NULL, slope);
  for (int i = 0; i < n * V; i++)
    m[i] -= h * slope[i];
  if (!noise || s->noises == 0)
    return;
  CAS_ISA(cas_program_run)(&p->drag, z, NULL, friction);
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
  CAS_ISA(cas_program_run)(&p->drag, z, NULL, friction);
  for (int k = 0; k < s->geometry.n; k++)
    for (int u = 0; u < V; u++)
      m[k * V + u] -= h * friction[u] * v[k * V + u];
}

/* Every momentum is an Ornstein-Uhlenbeck process. Returns whether there is friction. */
CAS_INLINE bool heat(const cas_stepper *s, cas_lanes c, double h, const cas_vec *z, cas_vec *m,
                     cas_vec *decay_) {
  const parameters *p = s->parameters;
  cas_vec friction[V];
  if (!p->friction)
    return false;
  CAS_ISA(cas_program_run)(&p->drag, z, NULL, friction);
  for (int k = 0; k < s->geometry.n; k++)
    for (int u = 0; u < V; u++) {
      cas_vec decay = {0}, noise = {0};
      for (int l = 0; l < CAS_VL; l++) {
        const cas_ornstein_uhlenbeck flow =
            cas_ornstein_uhlenbeck_of(friction[u][l] / p->metric[k], h);
        decay[l] = flow.decay;
        noise[l] = flow.noise;
      }
      decay_[k * V + u] = decay;
      m[k * V + u] *= decay;
      if (s->noises > 0)
        m[k * V + u] += noise * amplitude(p->temperature, friction[u]) * cas_lanes_load(c, k, u);
    }
  return true;
}

CAS_INLINE void written_thermostat(const cas_stepper *s, cas_lanes c, double h, const cas_vec *z,
                                   cas_vec *v CAS_UNUSED, cas_vec *m) {
  cas_vec decay[MOST * V];
  heat(s, c, h, z, m, decay);
}

/* Friction and noise on the manifold: momenta p of decays D become D p + noise - (1 + D)/2 G^T mu,
   which is tangent. With D = (1 - a)/(1 + a) it is a step of the midpoint rule for the friction a,
   which keeps the Gaussian law of tangent momenta exactly (Lelievre, Rousset and Stoltz,
   Mathematics of Computation 81, 2012). With D = exp(-c h/mass) it is the exact flow where the
   constraints act on momenta of one decay, such as those of one mass; a projection without these
   weights keeps the law there alone, and would have a bias of order 1 elsewhere. */
CAS_INLINE void tied_thermostat(const cas_stepper *s, cas_lanes c, double h, const cas_vec *z,
                                cas_vec *v CAS_UNUSED, cas_vec *m) {
  const cas_geometry *g = &s->geometry;
  const int constraints = ((const parameters *)s->parameters)->tied.constraints;
  cas_vec decay[MOST * V];
  cas_constraint_values at, along;
  if (!heat(s, c, h, z, m, decay))
    return;
  cas_constraints_evaluate(g, z, &at);
  for (int i = 0; i < constraints; i++)
    for (int k = 0; k < g->n * V; k++) {
      const int slope = (constraints + i * g->n) * V + k;
      along.value[slope] = 0.5 * (1 + decay[k]) * at.value[slope];
    }
  for (int u = 0; u < V; u++)
    cas_constraints_project(g, V, u, &at, &along, m, m);
}

#define BODIES_LANES LANES

#define SYS written
#define SYS_ALGEBRA cas_vector_space
#include "integrators/steps.h"

/* The forces of `written`, on the manifold of the constraints. */
#define tied_metric written_metric
#define tied_kick written_kick
#define tied_drag written_drag
#define SYS tied
#define SYS_ALGEBRA cas_constrained_space
#include "integrators/steps.h"

CAS_COMPONENTS_GIVES(const cas_body *, body, p->constraints.n ? &tied_body : &written_body)
CAS_COMPONENTS_GIVES(const void *, table, &p->tied)

/* ---- observables ---- */

CAS_COMPONENTS_FUNCTION(potential_energy, CAS_ISA(cas_program_rows)(&p->value, W, x, out))
CAS_COMPONENTS_FUNCTION(kinetic_energy, cas_components_energy(p->positions.n, 0.5, p->metric, W,
                                                              x + p->positions.n * W, out))

CAS_COMPONENTS_FUNCTION(hamiltonian, double kinetic[LANES]; kinetic_energy(p, W, x, kinetic);
                        potential_energy(p, W, x, out);
                        for (int l = 0; l < W; l++) out[l] += kinetic[l])
CAS_COMPONENTS_FUNCTION(mean_kinetic_energy, kinetic_energy(p, W, x, out);
                        for (int l = 0; l < W; l++) out[l] *=
                        2.0 / (p->positions.n - p->constraints.n))

#define ENERGY "energy_unit"

static const cas_functional functionals[] = {
    CAS_FUNCTIONAL(energy, hamiltonian, ENERGY, "H0"),
    CAS_FUNCTIONAL(kinetic_temperature, mean_kinetic_energy, ENERGY,
                   "twice the kinetic energy over the number of positions less that of "
                   "constraints; kT at equilibrium"),
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
    CAS_COMPONENTS_SLOTS,
    .initial.check = check_initial,
    .parameters.release = release,
    .parameters.bytes = bytes,
    .space.table = table,
    .space.geometry = geometry,
    .noise.always_commuting = true,
    .state.components = components,
    .state.unit = "each_in_its_own_unit",
    .initial.random = random_state,
    .psi.coefficients = coefficients,
    .psi.prepare = prepare_langevin,
    .functionals = functionals,
    .observables = observables,
    .constants = constants,
};
