/* Rigid bodies in R^3 that attract and align each other, at a temperature, [BRO] section 6: with
   the axis n_i = R_i e_3 of each body,

       U = sum_i (trap/2 |x_i|^2 - field.n_i) - epsilon sum_{i<j} exp(-|x_i - x_j|^2/(2 range^2))
       n_i.n_j

   friction force v and torque omega, and noises of three kinds: `potential`, gamma = force x_ia and
   torque/sqrt 2 (R_i)_ab, whose torques have the covariance torque^2; `additive`, forces and
   torques in space of the same law, which are no gradients; `pair`, gamma = force exp(..) n_i.n_j
   for each pair. */
#include "systems/langevin/rigid_bodies.h"

#include "math/geometry/exponential.h"
#include "math/geometry/ornstein_uhlenbeck.h"
#include "systems/attitude.h"
#include "systems/components.h"

enum { LANES = 16, V = CAS_GROUP_VECTORS, MOST = 64, NAMES_SIZE = 18 * 8 };

typedef cas_rigid_bodies parameters;

/* ---- keys ---- */

static const char *const kinds[] = {"potential", "additive", "pair", NULL};

static const cas_option friction_options[] = {
    CAS_OPTION(cas_rigid_bodies_friction, REAL, force, .fallback = "0", .high = DBL_MAX,
               .help = "force = -this times the velocity"),
    CAS_OPTION(cas_rigid_bodies_friction, REAL, torque, .fallback = "0", .high = DBL_MAX,
               .help = "torque = -this times the angular velocity"),
    {0}};

static const cas_option noise_options[] = {
    CAS_OPTION(parameters, CHOICE, kind, .fallback = "potential", .choices = kinds,
               .help =
                   "potential: 12 a body, three forces and nine torques, which are gradients of "
                   "functions of place and attitude; additive: 6 a body, forces and torques in "
                   "space of the same law, which are not; pair: one for each pair, the gradient "
                   "of its attraction"),
    CAS_OPTION(parameters, REAL, sigma_force, .fallback = ".inf", .high = INFINITY,
               .help = "amplitude of forces, and of kind pair; .inf: sqrt(2 friction.force "
                       "temperature)"),
    CAS_OPTION(parameters, REAL, sigma_torque, .fallback = ".inf", .high = INFINITY,
               .help = "amplitude of random torques, not used by kind pair; .inf: sqrt(2 "
                       "friction.torque temperature)"),
    {0}};

static const cas_option options[] = {
    CAS_OPTION(parameters, REALS, mass, .open_low = true, .high = DBL_MAX,
               .help = "masses, one for each body"),
    CAS_OPTION(parameters, VECTORS, inertia, .open_low = true, .high = DBL_MAX,
               .help = "three principal moments of inertia of each body"),
    CAS_OPTION(parameters, REAL, trap, .fallback = "0", .high = DBL_MAX,
               .help = "stiffness of the harmonic trap around the origin"),
    CAS_OPTION(parameters, REALS, field, .fallback = "[0, 0, 0]",
               .help = "field with which the third principal axes align, three numbers"),
    CAS_OPTION(parameters, REAL, epsilon, .fallback = "0",
               .help = "depth of the attraction of a pair of bodies with one direction"),
    CAS_OPTION(parameters, REAL, range, .fallback = "1", .open_low = true, .high = DBL_MAX,
               .help = "range of the attraction"),
    CAS_SECTION_OPTION("friction", offsetof(parameters, friction), friction_options,
                       "of motion and of turning"),
    CAS_OPTION(parameters, REAL, temperature, .fallback = "0", .high = DBL_MAX,
               .help = "k T; the default amplitudes of the noise follow from it and the frictions"),
    CAS_SECTION_OPTION("noise", 0, noise_options, "random forces and torques"),
    {0}};

static void write_names(parameters *p) {
  static const char *const names[CAS_RIGID_MOTIONS_STATE] = {
      "x1",  "x2",  "x3",  "p1",  "p2",  "p3",  "R11", "R12", "R13",
      "R21", "R22", "R23", "R31", "R32", "R33", "pi1", "pi2", "pi3"};
  size_t size = NAMES_SIZE * (size_t)p->mass.n;
  for (int b = 0; b < p->mass.n; b++)
    for (int k = 0; k < CAS_RIGID_MOTIONS_STATE; k++)
      cas_append(p->names, size, "%s%s_%d", b || k ? " " : "", names[k], b + 1);
}

static cas_status check(const cas_config *c, void *parameters_, cas_error *err) {
  parameters *p = parameters_;
  CAS_REFUSE(c, p->mass.n < 1 || p->mass.n > MOST, "system.mass",
             "found %d masses, must be 1 to %d", p->mass.n, MOST);
  CAS_REFUSE(c, p->inertia.rows != p->mass.n || p->inertia.columns != 3, "system.inertia",
             "found %d lists of %d numbers, must be %d lists of 3 principal moments, "
             "one for each of the masses",
             p->inertia.rows, p->inertia.columns, p->mass.n);
  CAS_CALL(cas_components_check_three(c, "system.field", &p->field, "", err));
  p->force = cas_ornstein_uhlenbeck_amplitude(p->sigma_force, p->friction.force, p->temperature);
  p->torque = cas_ornstein_uhlenbeck_amplitude(p->sigma_torque, p->friction.torque, p->temperature);
  p->metric = malloc((size_t)p->mass.n * CAS_RIGID_MOTIONS_METRIC * sizeof *p->metric);
  p->names = calloc((size_t)p->mass.n, NAMES_SIZE);
  CAS_NEED(p->metric && p->names);
  for (int b = 0; b < p->mass.n; b++) {
    double *metric = p->metric + b * CAS_RIGID_MOTIONS_METRIC;
    metric[0] = p->mass.value[b];
    memcpy(metric + 1, p->inertia.value + 3 * b, 3 * sizeof *metric);
    for (int k = 0; k < 4; k++)
      metric[4 + k] = 1 / metric[k];
  }
  write_names(p);
  return CAS_OK;
}

static void release(void *parameters_) {
  parameters *p = parameters_;
  free(p->metric);
  free(p->names);
}

CAS_COMPONENTS_GIVES(size_t, bytes,
                     (size_t)p->mass.n *(CAS_RIGID_MOTIONS_METRIC * sizeof *p->metric + NAMES_SIZE))

CAS_COMPONENTS_GEOMETRY(3, p->mass.n)

static int noises(const void *parameters_) {
  const parameters *p = parameters_;
  int bodies = p->mass.n;
  if (p->kind == CAS_RIGID_BODIES_NOISE_OF_PAIRS)
    return p->force > 0 ? bodies * (bodies - 1) / 2 : 0;
  return p->force > 0 || p->torque > 0
             ? bodies * (p->kind == CAS_RIGID_BODIES_NOISE_OF_POTENTIALS ? 12 : 6)
             : 0;
}

CAS_COMPONENTS_GIVES(const char *, components, p->names)

/* Bodies in a row, upright, that turn about all of their axes. */
static void initial(const void *parameters_, double *x) {
  const parameters *p = parameters_;
  memset(x, 0, (size_t)p->mass.n * CAS_RIGID_MOTIONS_STATE * sizeof *x);
  for (int b = 0; b < p->mass.n; b++) {
    double *y = x + b * CAS_RIGID_MOTIONS_STATE;
    y[0] = p->range * b;
    y[CAS_RIGID_MOTIONS_R] = y[CAS_RIGID_MOTIONS_R + 4] = y[CAS_RIGID_MOTIONS_R + 8] = 1;
    memcpy(y + CAS_RIGID_MOTIONS_PI, p->inertia.value + 3 * b, 3 * sizeof *y);
  }
}

static cas_status check_initial(const cas_config *c, const void *parameters_, const double *x,
                                cas_error *err) {
  for (int b = 0; b < ((const parameters *)parameters_)->mass.n; b++) {
    double d =
        CAS_ISA(cas_attitude_departure)(x + b * CAS_RIGID_MOTIONS_STATE + CAS_RIGID_MOTIONS_R);
    CAS_REFUSE(c, !(d < 1e-10), "system.initial",
               "the attitude of body %d departs from a rotation by %.2g, must be "
               "orthonormal to 1e-10, its rows one after another",
               b + 1, d);
  }
  return CAS_OK;
}

/* ---- forces ---- */

CAS_COMPONENTS_GIVES(int, coefficients, noises(p) ? noises(p) : 1)

/* Three forces and then the torques of each body. */
static void prepare_rigid_bodies(const void *parameters_, int W, double h CAS_UNUSED,
                                 const double *dw, double *coef) {
  const parameters *p = parameters_;
  const int per_body = p->kind == CAS_RIGID_BODIES_NOISE_OF_POTENTIALS ? 12 : 6, n = noises(p);
  const double torque =
      p->kind == CAS_RIGID_BODIES_NOISE_OF_POTENTIALS ? p->torque / sqrt(2) : p->torque;
  for (int k = 0; k < n; k++) {
    double scale =
        p->kind == CAS_RIGID_BODIES_NOISE_OF_PAIRS || k % per_body < 3 ? p->force : torque;
    for (int l = 0; l < W; l++)
      coef[k * W + l] = scale * dw[k * W + l];
  }
}

static const double *bodies_metric(const cas_stepper *s) {
  return ((const parameters *)s->parameters)->metric;
}

/* The third column of R, whose rows are at r. */
CAS_INLINE cas_vec3 axis_of(const cas_vec *r) { return cas_vec3_take(3 * V, r + 2 * V); }

/* Adds `sign` times the torque, in space, to a momentum as the body sees it. */
CAS_INLINE void add_torque(double sign, const cas_vec *r, cas_vec3 torque, cas_vec *m) {
  cas_vec3 seen = cas_rigid_motions_to_body(V, r, torque);
  for (int k = 0; k < 3; k++)
    m[(3 + k) * V] += sign * seen.v[k];
}

/* Trap and field. */
CAS_INLINE void kick_alone(const parameters *p, double h, const cas_vec *y, cas_vec *m) {
  const cas_vec *r = y + CAS_RIGID_MOTIONS_R * V;
  const double *f = p->field.value;
  const cas_vec3 n = axis_of(r), torque = {{h * (n.v[1] * f[2] - n.v[2] * f[1]),
                                            h * (n.v[2] * f[0] - n.v[0] * f[2]),
                                            h * (n.v[0] * f[1] - n.v[1] * f[0])}};
  for (int k = 0; k < 3; k++)
    m[k * V] -= h * p->trap * y[k * V];
  add_torque(1, r, torque, m);
}

/* Noises from row `first` on. Torques of `potential` are sum_b f_b x z_b over columns of R and of
   the increments; the body sees sum_b e_b x R^T z_b. */
CAS_INLINE void kick_by_noise(int kind, cas_lanes c, int first, int u, const cas_vec *y,
                              cas_vec *m) {
  const cas_vec *r = y + CAS_RIGID_MOTIONS_R * V;
  for (int k = 0; k < 3; k++)
    m[k * V] += cas_lanes_load(c, first + k, u);
  if (kind == CAS_RIGID_BODIES_NOISE_ADDITIVE) {
    const cas_vec3 torque = {{cas_lanes_load(c, first + 3, u), cas_lanes_load(c, first + 4, u),
                              cas_lanes_load(c, first + 5, u)}};
    add_torque(1, r, torque, m);
    return;
  }
  for (int b = 0; b < 3; b++) {
    const int i = (b + 1) % 3, j = (b + 2) % 3;
    cas_vec3 z;
    for (int a = 0; a < 3; a++)
      z.v[a] = cas_lanes_load(c, first + 3 + 3 * a + b, u);
    z = cas_rigid_motions_to_body(V, r, z);
    m[(3 + i) * V] -= z.v[j];
    m[(3 + j) * V] += z.v[i];
  }
}

/* Force and torques of amplitude exp(-|d|^2/(2 range^2)) n_i.n_j, d = x_i - x_j. */
CAS_INLINE void kick_pair(double range, cas_vec amplitude_, const cas_vec *yi, const cas_vec *yj,
                          cas_vec *mi, cas_vec *mj) {
  const double scale = 1 / (range * range);
  const cas_vec3 d = cas_vec3_plus(cas_vec3_take(V, yi), -1, cas_vec3_take(V, yj)),
                 ni = axis_of(yi + CAS_RIGID_MOTIONS_R * V),
                 nj = axis_of(yj + CAS_RIGID_MOTIONS_R * V);
  cas_vec w = amplitude_ * cas_exponential(-0.5 * scale * cas_vec3_dot(d, d)),
          along = scale * w * cas_vec3_dot(ni, nj);
  cas_vec3 torque = cas_vec3_cross(ni, nj);
  for (int k = 0; k < 3; k++) {
    mi[k * V] -= along * d.v[k];
    mj[k * V] += along * d.v[k];
    torque.v[k] *= w;
  }
  add_torque(1, yi + CAS_RIGID_MOTIONS_R * V, torque, mi);
  add_torque(-1, yj + CAS_RIGID_MOTIONS_R * V, torque, mj);
}

CAS_INLINE void kick_pairs(const parameters *p, cas_lanes c, double h, bool noise, int u,
                           const cas_vec *z, cas_vec *m) {
  const int bodies = p->mass.n;
  for (int i = 0, pair = 0; i < bodies; i++)
    for (int j = i + 1; j < bodies; j++, pair++) {
      cas_vec a = cas_vec_splat(h * p->epsilon);
      if (noise)
        a += cas_lanes_load(c, pair, u);
      kick_pair(p->range, a, z + i * CAS_RIGID_MOTIONS_STATE * V + u,
                z + j * CAS_RIGID_MOTIONS_STATE * V + u, m + i * CAS_RIGID_MOTIONS_MOTION * V + u,
                m + j * CAS_RIGID_MOTIONS_MOTION * V + u);
    }
}

CAS_NOT_INLINE void bodies_kick(const cas_stepper *s, cas_lanes c, double h, bool noise,
                                const cas_vec *z, cas_vec *m) {
  const parameters *p = s->parameters;
  const bool is_noisy = noise && (p->force > 0 ||
                                  (p->torque > 0 && p->kind != CAS_RIGID_BODIES_NOISE_OF_PAIRS)),
             of_pairs = is_noisy && p->kind == CAS_RIGID_BODIES_NOISE_OF_PAIRS;
  const int per_body = p->kind == CAS_RIGID_BODIES_NOISE_OF_POTENTIALS ? 12 : 6;
  for (int u = 0; u < V; u++) {
    for (int b = 0; b < p->mass.n; b++) {
      const cas_vec *y = z + b * CAS_RIGID_MOTIONS_STATE * V + u;
      cas_vec *n = m + b * CAS_RIGID_MOTIONS_MOTION * V + u;
      if (h != 0)
        kick_alone(p, h, y, n);
      if (is_noisy && !of_pairs)
        kick_by_noise(p->kind, c, b * per_body, u, y, n);
    }
    if (of_pairs || h * p->epsilon != 0)
      kick_pairs(p, c, h, of_pairs, u, z, m);
  }
}

CAS_INLINE void bodies_drag(const cas_stepper *s, double h, const cas_vec *z CAS_UNUSED,
                            const cas_vec *v, cas_vec *m) {
  const parameters *p = s->parameters;
  for (int b = 0; b < p->mass.n; b++)
    for (int k = 0; k < CAS_RIGID_MOTIONS_MOTION; k++)
      for (int u = 0; u < V; u++) {
        int i = (b * CAS_RIGID_MOTIONS_MOTION + k) * V + u;
        m[i] -= h * (k < 3 ? p->friction.force : p->friction.torque) * v[i];
      }
}

/* Friction and noise are one Ornstein-Uhlenbeck process of each momentum, seen from the body, but
   noise of pairs acts between two halves of the friction. */
CAS_INLINE void bodies_thermostat(const cas_stepper *s, cas_lanes c, double h, const cas_vec *z,
                                  cas_vec *v, cas_vec *m) {
  const parameters *p = s->parameters;
  for (int i = 0; i < p->mass.n * CAS_RIGID_MOTIONS_MOTION * V; i++)
    v[i] = cas_vec_splat(0);
  bodies_kick(s, c, 0, true, z, v);
  for (int b = 0; b < p->mass.n; b++)
    for (int k = 0; k < CAS_RIGID_MOTIONS_MOTION; k++) {
      double friction = k < 3 ? p->friction.force : p->friction.torque,
             inertia = p->metric[b * CAS_RIGID_MOTIONS_METRIC + (k < 3 ? 0 : k - 2)];
      cas_ornstein_uhlenbeck flow = cas_ornstein_uhlenbeck_of(friction / inertia, h);
      double noise = p->kind == CAS_RIGID_BODIES_NOISE_OF_PAIRS ? sqrt(flow.decay) : flow.noise;
      for (int u = 0; u < V; u++) {
        int i = (b * CAS_RIGID_MOTIONS_MOTION + k) * V + u;
        m[i] = flow.decay * m[i] + noise * v[i];
      }
    }
}

#define SYS bodies
#define SYS_ALGEBRA cas_rigid_motions
#define SYS_LANES LANES
#include "integrators/steps.h"

CAS_COMPONENTS_GIVES(const cas_body *, body, &bodies_body)

const cas_system CAS_ISA(cas_system_rigid_bodies) = {
    .name = "rigid_bodies",
    .summary = "rigid bodies that attract and align each other, with friction and thermal noise",
    .source = "Bou-Rabee and Owhadi, section 6",
    .example =
        {.keys = "mass: [1, 2], inertia: [[0.5, 0.7, 0.9], [1, 1.2, 0.7]], epsilon: 1, range: 1.5, "
                 "initial: [[0.5, 0, 0.25, 0.3, -0.2, 0.5, 0.6, -0.8, 0, 0.8, 0.6, 0, 0, 0, 1, "
                 "0.8, 0.3, 0.7], [-0.25, 0.5, 0, 0.4, -0.3, 0.1, 1, 0, 0, 0, 0.8, -0.6, 0, 0.6, "
                 "0.8, 0.5, 0.6, 0.4]]",
         .noise = "noise: {kind: pair, sigma_force: 0.5}",
         .commuting = "trap: 1, field: [0, 0, 0.5], friction: {force: 0.5, torque: 0.2}, "
                      "temperature: 0.5"},
    CAS_COMPONENTS_SLOTS,
    .parameters.release = release,
    .parameters.bytes = bytes,
    .space.geometry = geometry,
    .noise.always_commuting = true, /* it depends on positions and moves momenta alone */
    .state.components = components,
    .state.unit = "each_in_its_own_unit",
    .initial.state = initial,
    .initial.distributions = CAS_ISA(cas_rigid_bodies_distributions),
    .initial.check = check_initial,
    .psi.coefficients = coefficients,
    .psi.prepare = prepare_rigid_bodies,
    .momenta.number = CAS_ISA(cas_rigid_bodies_momenta),
    .momenta.value = CAS_ISA(cas_rigid_bodies_momentum),
    .functionals = CAS_ISA(cas_rigid_bodies_functionals),
    .observables = CAS_ISA(cas_rigid_bodies_observables),
};
