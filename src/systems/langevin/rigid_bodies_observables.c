/* Observables, momentum maps and equilibrium of rigid bodies. */
#include "systems/langevin/rigid_bodies.h"

#include "systems/attitude.h"
#include "systems/components.h"

typedef cas_rigid_bodies parameters;

/* One body of one lane: number k of its row is y[k * W]. */
static const double *body_of(const double *x, int W, int body, int lane) {
  return x + (size_t)body * CAS_RIGID_MOTIONS_STATE * (size_t)W + lane;
}

static void row(const double *y, int W, int first, double out[3]) {
  for (int k = 0; k < 3; k++)
    out[k] = y[(first + k) * W];
}

/* n = R e_3 */
static void axis_of(const double *y, int W, double n[3]) {
  for (int k = 0; k < 3; k++)
    n[k] = y[(CAS_RIGID_MOTIONS_R + 3 * k + 2) * W];
}

/* R^T pi */
static void seen(const double *y, int W, double P[3]) {
  double pi[3];
  row(y, W, CAS_RIGID_MOTIONS_PI, pi);
  for (int k = 0; k < 3; k++) {
    P[k] = 0;
    for (int a = 0; a < 3; a++)
      P[k] += y[(CAS_RIGID_MOTIONS_R + 3 * a + k) * W] * pi[a];
  }
}

/* ---- energies ---- */

static double translation_of(const parameters *p, int W, const double *x, int lane) {
  double sum = 0;
  for (int b = 0; b < p->mass.n; b++) {
    double P[3];
    row(body_of(x, W, b, lane), W, CAS_RIGID_MOTIONS_P, P);
    sum += (P[0] * P[0] + P[1] * P[1] + P[2] * P[2]) / (2 * p->mass.value[b]);
  }
  return sum;
}

static double rotation_of(const parameters *p, int W, const double *x, int lane) {
  double sum = 0;
  for (int b = 0; b < p->mass.n; b++) {
    double P[3];
    seen(body_of(x, W, b, lane), W, P);
    for (int k = 0; k < 3; k++)
      sum += P[k] * P[k] / (2 * p->inertia.value[3 * b + k]);
  }
  return sum;
}

static double trap_of(const parameters *p, int W, const double *x, int lane) {
  double sum = 0;
  for (int b = 0; b < p->mass.n; b++)
    for (int k = 0; k < 3; k++)
      sum += pow(body_of(x, W, b, lane)[k * W], 2);
  return p->trap / 2 * sum;
}

static double alignment_of(const parameters *p, int W, const double *x, int lane) {
  double sum = 0, n[3];
  for (int b = 0; b < p->mass.n; b++) {
    axis_of(body_of(x, W, b, lane), W, n);
    for (int k = 0; k < 3; k++)
      sum += p->field.value[k] * n[k];
  }
  return sum;
}

static double attraction_of(const parameters *p, int W, const double *x, int lane) {
  double sum = 0;
  for (int i = 0; i < p->mass.n; i++)
    for (int j = 0; j < i; j++) {
      const double *y = body_of(x, W, i, lane), *z = body_of(x, W, j, lane);
      double square = 0, along = 0, n[3], m[3];
      axis_of(y, W, n);
      axis_of(z, W, m);
      for (int k = 0; k < 3; k++) {
        square += pow(y[k * W] - z[k * W], 2);
        along += n[k] * m[k];
      }
      sum -= p->epsilon * exp(-square / (2 * p->range * p->range)) * along;
    }
  return sum;
}

static double interaction_of(const parameters *p, int W, const double *x, int lane) {
  return attraction_of(p, W, x, lane) - alignment_of(p, W, x, lane);
}

#define OF_LANES(name, formula) \
  CAS_COMPONENTS_FUNCTION(name, for (int l = 0; l < W; l++) out[l] = formula)

OF_LANES(translational_energy, translation_of(p, W, x, l))
OF_LANES(rotational_energy, rotation_of(p, W, x, l))
OF_LANES(kinetic_energy, translation_of(p, W, x, l) + rotation_of(p, W, x, l))
OF_LANES(trap_energy, trap_of(p, W, x, l))
OF_LANES(hamiltonian, translation_of(p, W, x, l) + rotation_of(p, W, x, l) + trap_of(p, W, x, l) -
                          alignment_of(p, W, x, l) + attraction_of(p, W, x, l))

static double field_of(const parameters *p) {
  return p->field.n == 3 ? hypot(hypot(p->field.value[0], p->field.value[1]), p->field.value[2])
                         : 0;
}

/* Along the third direction where there is no field. */
static void alignment(const void *parameters_, int W, const double *x, double *out) {
  const parameters *p = parameters_;
  const double field = field_of(p);
  double n[3];
  for (int l = 0; l < W; l++) {
    out[l] = field > 0 ? alignment_of(p, W, x, l) / (field * p->mass.n) : 0;
    for (int b = 0; field == 0 && b < p->mass.n; b++) {
      axis_of(body_of(x, W, b, l), W, n);
      out[l] += n[2] / p->mass.n;
    }
  }
}

/* ---- momenta ---- */

static void add_momentum(const parameters *p, int W, const double *x, int lane, double P[3]) {
  for (int b = 0; b < p->mass.n; b++)
    for (int k = 0; k < 3; k++)
      P[k] += body_of(x, W, b, lane)[(CAS_RIGID_MOTIONS_P + k) * W];
}

/* Adds sum_i x_i x p_i + m_i with m = pi - h/2 omega x pi + h^2/4 (omega.pi) omega. */
static void add_angular_momentum(const parameters *p, double h, int W, const double *x, int lane,
                                 double J[3]) {
  for (int b = 0; b < p->mass.n; b++) {
    const double *y = body_of(x, W, b, lane);
    double place[3], P[3], pi[3], w[3] = {0}, orbital[3], turned[3], along = 0;
    row(y, W, 0, place);
    row(y, W, CAS_RIGID_MOTIONS_P, P);
    cas_components_cross(place, P, orbital);
    row(y, W, CAS_RIGID_MOTIONS_PI, pi);
    seen(y, W, P);
    for (int a = 0; a < 3; a++) {
      for (int k = 0; k < 3; k++)
        w[a] += y[(CAS_RIGID_MOTIONS_R + 3 * a + k) * W] * P[k] / p->inertia.value[3 * b + k];
      along += w[a] * pi[a];
    }
    cas_components_cross(w, pi, turned);
    for (int k = 0; k < 3; k++)
      J[k] += orbital[k] + pi[k] - h / 2 * turned[k] + h * h / 4 * along * w[k];
  }
}

static void sum_up(const parameters *p, bool angular, int W, const double *x, double *out) {
  for (int l = 0; l < W; l++) {
    double sum[3] = {0};
    if (angular)
      add_angular_momentum(p, 0, W, x, l, sum);
    else
      add_momentum(p, W, x, l, sum);
    for (int k = 0; k < 3; k++)
      out[k * W + l] = sum[k];
  }
}

CAS_COMPONENTS_FUNCTION(momentum, sum_up(p, false, W, x, out))
CAS_COMPONENTS_FUNCTION(angular_momentum, sum_up(p, true, W, x, out))

CAS_COMPONENTS_AXIS(directions, .name = "direction", .summary = "direction in space", .unit = "1",
                    .length = 3, .labels = "1 2 3")

/* ---- momentum maps that stay ---- */

/* Forces between pairs alone move and turn both bodies of a pair. */
static bool is_symmetric(const parameters *p) {
  const bool pairs = p->kind == CAS_RIGID_BODIES_NOISE_OF_PAIRS,
             is_free = p->friction.force == 0 && p->friction.torque == 0;
  return is_free && (pairs || (p->force == 0 && p->torque == 0));
}

/* P is kept without a trap; J without a field, and its component along a field. */
int CAS_ISA(cas_rigid_bodies_momenta)(const void *parameters_) {
  const parameters *p = parameters_;
  if (!is_symmetric(p))
    return 0;
  return (p->trap == 0 ? 3 : 0) + (field_of(p) > 0 ? 1 : 3);
}

void CAS_ISA(cas_rigid_bodies_momentum)(const void *parameters_, double h, int W, const double *x,
                                        double *out) {
  const parameters *p = parameters_;
  const double field = field_of(p);
  for (int l = 0; l < W; l++) {
    double P[3] = {0}, J[3] = {0}, *to = out + l;
    add_momentum(p, W, x, l, P);
    add_angular_momentum(p, h, W, x, l, J);
    for (int k = 0; k < 3 && p->trap == 0; k++, to += W)
      *to = P[k];
    for (int k = 0; k < 3 && field == 0; k++, to += W)
      *to = J[k];
    if (field > 0)
      *to =
          (J[0] * p->field.value[0] + J[1] * p->field.value[1] + J[2] * p->field.value[2]) / field;
  }
}

#define ENERGY "energy_unit"
#define ACTION "energy_unit time_unit"

const cas_functional CAS_ISA(cas_rigid_bodies_functionals)[] = {
    CAS_FUNCTIONAL(energy, hamiltonian, ENERGY, "H0"),
    CAS_FUNCTIONAL(translational_energy, translational_energy, ENERGY,
                   "sum |p|^2/(2 m); 3/2 kT a body at equilibrium"),
    CAS_FUNCTIONAL(rotational_energy, rotational_energy, ENERGY,
                   "sum pi.omega/2; 3/2 kT a body at equilibrium"),
    CAS_FUNCTIONAL(trap_energy, trap_energy, ENERGY,
                   "trap/2 sum |x|^2; 3/2 kT a body at equilibrium without attraction"),
    CAS_FUNCTIONAL(
        alignment, alignment, "1",
        "mean cosine of the angle between axis and field, or the third direction without "
        "one; coth a - 1/a with a = |field|/kT at equilibrium without attraction"),
    {0}};

const cas_functional CAS_ISA(cas_rigid_bodies_observables)[] = {
    CAS_FUNCTIONAL(hamiltonian, hamiltonian, ENERGY, "H0, the energy without noise"),
    CAS_FUNCTIONAL(kinetic_energy, kinetic_energy, ENERGY, "of motion and of turning"),
    CAS_FUNCTIONAL(momentum, momentum, "energy_unit time_unit length_unit^-1", "sum p",
                   .axes = directions),
    CAS_FUNCTIONAL(angular_momentum, angular_momentum, ACTION, "sum x x p + pi, in space",
                   .axes = directions),
    {0}};

/* ---- equilibrium: states with the density exp(-H0/kT) ---- */

static void draw_rotation(cas_draws *d, double *R) {
  double q[4];
  for (int k = 0; k < 4; k++)
    q[k] = cas_draw_normal(d);
  CAS_ISA(cas_attitude_random)(q);
  CAS_ISA(cas_attitude).unpack(q, R);
}

/* Equilibrium without field and attraction. */
static void draw_free(const parameters *p, cas_draws *d, double *x) {
  for (int b = 0; b < p->mass.n; b++) {
    double *y = x + b * CAS_RIGID_MOTIONS_STATE, seen[3];
    for (int k = 0; k < 3; k++) {
      y[k] = sqrt(p->temperature / p->trap) * cas_draw_normal(d);
      y[CAS_RIGID_MOTIONS_P + k] = sqrt(p->temperature * p->mass.value[b]) * cas_draw_normal(d);
      seen[k] = sqrt(p->temperature * p->inertia.value[3 * b + k]) * cas_draw_normal(d);
    }
    draw_rotation(d, y + CAS_RIGID_MOTIONS_R);
    for (int a = 0; a < 3; a++) {
      const double *row = y + CAS_RIGID_MOTIONS_R + 3 * a;
      y[CAS_RIGID_MOTIONS_PI + a] = row[0] * seen[0] + row[1] * seen[1] + row[2] * seen[2];
    }
  }
}

/* By rejection, with the least energy that field and attraction can have. */
static const char *draw_gibbs(const void *parameters_, cas_draws *d, double *x) {
  const parameters *p = parameters_;
  const double *f = p->field.value;
  const int bodies = p->mass.n;
  const double least = -bodies * sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]) -
                       fabs(p->epsilon) * bodies * (bodies - 1) / 2;
  if (!(p->temperature > 0))
    return "the temperature is 0";
  if (!(p->trap > 0))
    return "without a trap places have no equilibrium";
  if (-least > 12 * p->temperature)
    return "field and attraction are that large beside the temperature that states by rejection "
           "would take long";
  do
    draw_free(p, d, x);
  while (!(cas_draw_uniform(d) < exp((least - interaction_of(p, 1, x, 0)) / p->temperature)));
  return NULL;
}

const cas_initial_distribution CAS_ISA(cas_rigid_bodies_distributions)[] = {
    {.name = "gibbs",
     .summary = "equilibrium at the temperature, with density exp(-H0/kT)",
     .source = "Bou-Rabee and Owhadi, section 5",
     .draw = draw_gibbs},
    {0}};
