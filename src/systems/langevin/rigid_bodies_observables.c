/* Observables, momentum maps and equilibrium of rigid bodies. */
#include "systems/langevin/rigid_bodies.h"

#include "systems/attitude.h"
#include "systems/components.h"

typedef cas_rigid_bodies parameters;

enum { P = CAS_RIGID_MOTIONS_P, R = CAS_RIGID_MOTIONS_R, PI = CAS_RIGID_MOTIONS_PI };

/* Number k of the row of one body of one lane. */
#define Y(k) y[(k)*W]

/* Adds to sum[] what body number b has of something, Y(k) being its row. */
typedef void adder(const parameters *p, double h, int b, int W, const double *y, double *sum);

static const double *body_of(const double *x, int W, int body, int lane) {
  return x + (size_t)body * CAS_RIGID_MOTIONS_STATE * (size_t)W + lane;
}

CAS_INLINE void add_bodies(adder *add, const parameters *p, double h, int W, const double *x,
                           int lane, double *sum) {
  for (int b = 0; b < p->mass.n; b++)
    add(p, h, b, W, body_of(x, W, b, lane), sum);
}

CAS_INLINE double sum_of(adder *add, const parameters *p, int W, const double *x, int lane) {
  double sum = 0;
  add_bodies(add, p, 0, W, x, lane, &sum);
  return sum;
}

static void row(const double *y, int W, int first, double out[3]) {
  for (int k = 0; k < 3; k++)
    out[k] = Y(first + k);
}

/* R^T pi */
static void turn_back(const double *y, int W, double seen[3]) {
  for (int k = 0; k < 3; k++) {
    seen[k] = 0;
    for (int a = 0; a < 3; a++)
      seen[k] += Y(R + 3 * a + k) * Y(PI + a);
  }
}

/* ---- energies ---- */

#define ADDER(name)                                                                              \
  static void name(const parameters *p CAS_UNUSED, double h CAS_UNUSED, int b CAS_UNUSED, int W, \
                   const double *y, double *sum)

ADDER(translation) {
  *sum += (Y(P) * Y(P) + Y(P + 1) * Y(P + 1) + Y(P + 2) * Y(P + 2)) / (2 * p->mass.value[b]);
}

ADDER(rotation) {
  double seen[3];
  turn_back(y, W, seen);
  for (int k = 0; k < 3; k++)
    *sum += seen[k] * seen[k] / (2 * p->inertia.value[3 * b + k]);
}

ADDER(squares) {
  for (int k = 0; k < 3; k++)
    *sum += pow(Y(k), 2);
}

/* Of the axes R e_3 with the field. */
ADDER(along_field) {
  for (int k = 0; k < 3; k++)
    *sum += p->field.value[k] * Y(R + 3 * k + 2);
}

ADDER(upright) { *sum += Y(R + 8) / p->mass.n; }

static double attraction_of(const parameters *p, int W, const double *x, int lane) {
  double sum = 0;
  for (int i = 0; i < p->mass.n; i++)
    for (int j = 0; j < i; j++) {
      const double *y = body_of(x, W, i, lane), *z = body_of(x, W, j, lane);
      double square = 0, along = 0;
      for (int k = 0; k < 3; k++) {
        square += pow(Y(k) - z[k * W], 2);
        along += Y(R + 3 * k + 2) * z[(R + 3 * k + 2) * W];
      }
      sum -= p->epsilon * exp(-square / (2 * p->range * p->range)) * along;
    }
  return sum;
}

static double interaction_of(const parameters *p, int W, const double *x, int lane) {
  return attraction_of(p, W, x, lane) - sum_of(along_field, p, W, x, lane);
}

static double field_of(const parameters *p) {
  return p->field.n == 3 ? hypot(hypot(p->field.value[0], p->field.value[1]), p->field.value[2])
                         : 0;
}

#define SUM(of) sum_of(of, p, W, x, l)

CAS_COMPONENTS_FORMULA(translational_energy, SUM(translation))
CAS_COMPONENTS_FORMULA(rotational_energy, SUM(rotation))
CAS_COMPONENTS_FORMULA(kinetic_energy, SUM(translation) + SUM(rotation))
CAS_COMPONENTS_FORMULA(trap_energy, p->trap / 2 * SUM(squares))
CAS_COMPONENTS_FORMULA(hamiltonian, SUM(translation) + SUM(rotation) + p->trap / 2 * SUM(squares) -
                                        SUM(along_field) + attraction_of(p, W, x, l))
/* Along the third direction where there is no field. */
CAS_COMPONENTS_FUNCTION(alignment, const double field = field_of(p);
                        for (int l = 0; l < W; l++)
                            out[l] = field > 0 ? SUM(along_field) / (field * p->mass.n)
                                               : SUM(upright))

/* ---- momenta ---- */

ADDER(momenta) {
  for (int k = 0; k < 3; k++)
    sum[k] += Y(P + k);
}

/* x_i x p_i + m_i with m = pi - h/2 omega x pi + h^2/4 (omega.pi) omega */
ADDER(angular_momenta) {
  double place[3], momentum[3], pi[3], seen[3], w[3] = {0}, orbital[3], turned[3], along = 0;
  row(y, W, 0, place);
  row(y, W, P, momentum);
  cas_components_cross(place, momentum, orbital);
  row(y, W, PI, pi);
  turn_back(y, W, seen);
  for (int a = 0; a < 3; a++) {
    for (int k = 0; k < 3; k++)
      w[a] += Y(R + 3 * a + k) * seen[k] / p->inertia.value[3 * b + k];
    along += w[a] * pi[a];
  }
  cas_components_cross(w, pi, turned);
  for (int k = 0; k < 3; k++)
    sum[k] += orbital[k] + pi[k] - h / 2 * turned[k] + h * h / 4 * along * w[k];
}

CAS_INLINE void sum_up(adder *add, const parameters *p, int W, const double *x, double *out) {
  for (int l = 0; l < W; l++) {
    double sum[3] = {0};
    add_bodies(add, p, 0, W, x, l, sum);
    for (int k = 0; k < 3; k++)
      out[k * W + l] = sum[k];
  }
}

CAS_COMPONENTS_FUNCTION(momentum, sum_up(momenta, p, W, x, out))
CAS_COMPONENTS_FUNCTION(angular_momentum, sum_up(angular_momenta, p, W, x, out))

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
    double sum[3] = {0}, J[3] = {0}, *to = out + l;
    add_bodies(momenta, p, h, W, x, l, sum);
    add_bodies(angular_momenta, p, h, W, x, l, J);
    for (int k = 0; k < 3 && p->trap == 0; k++, to += W)
      *to = sum[k];
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

/* Equilibrium without field and attraction. */
static void draw_free(const parameters *p, cas_draws *d, double *x) {
  for (int b = 0; b < p->mass.n; b++) {
    double *y = x + b * CAS_RIGID_MOTIONS_STATE, seen[3], q[4];
    for (int k = 0; k < 3; k++) {
      y[k] = sqrt(p->temperature / p->trap) * cas_draw_normal(d);
      y[P + k] = sqrt(p->temperature * p->mass.value[b]) * cas_draw_normal(d);
      seen[k] = sqrt(p->temperature * p->inertia.value[3 * b + k]) * cas_draw_normal(d);
    }
    for (int k = 0; k < 4; k++)
      q[k] = cas_draw_normal(d);
    CAS_ISA(cas_attitude_normalise)(q);
    CAS_ISA(cas_attitude).unpack(q, y + R);
    for (int a = 0; a < 3; a++) {
      const double *row = y + R + 3 * a;
      y[PI + a] = row[0] * seen[0] + row[1] * seen[1] + row[2] * seen[2];
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
