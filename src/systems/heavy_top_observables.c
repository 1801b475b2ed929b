#include "systems/attitude.h"
#include "systems/components.h"
#include "systems/heavy_top.h"

typedef cas_heavy_top parameters;

CAS_COMPONENTS_FUNCTION(pi1, memcpy(out, x, (size_t)W * sizeof *x))
CAS_COMPONENTS_FUNCTION(pi2, pi1(p, W, x + W, out))
CAS_COMPONENTS_FUNCTION(pi3, pi1(p, W, x + 2 * W, out))
CAS_COMPONENTS_FUNCTION(gamma1, pi1(p, W, x + 3 * W, out))
CAS_COMPONENTS_FUNCTION(gamma2, pi1(p, W, x + 4 * W, out))
CAS_COMPONENTS_FUNCTION(gamma3, pi1(p, W, x + 5 * W, out))
CAS_COMPONENTS_FUNCTION(angular_momentum, memcpy(out, x, 3 * (size_t)W * sizeof *x))
CAS_COMPONENTS_FUNCTION(gamma_vector, angular_momentum(p, W, x + 3 * W, out))
CAS_COMPONENTS_FUNCTION(angular_velocity,
                        for (int i = 0; i < 3 * W; i++) out[i] = x[i] / p->inertia.value[i / W])
CAS_COMPONENTS_SINES(sin2pi, 6)

CAS_COMPONENTS_FUNCTION(kinetic_energy, cas_components_energy(3, 0.5, p->inertia.value, W, x, out))

CAS_COMPONENTS_SUM(potential_energy, CAS_COMPONENTS_ZERO, 3,
                   p->mga.value[i] * CAS_COMPONENTS_X(3 + i))
CAS_COMPONENTS_SUM(hamiltonian, kinetic_energy(p, W, x, out), 3,
                   p->mga.value[i] * CAS_COMPONENTS_X(3 + i))
CAS_COMPONENTS_FORMULA(gamma_squared, CAS_COMPONENTS_X(3) * CAS_COMPONENTS_X(3) +
                                          CAS_COMPONENTS_X(4) * CAS_COMPONENTS_X(4) +
                                          CAS_COMPONENTS_X(5) * CAS_COMPONENTS_X(5))
CAS_COMPONENTS_FORMULA(pi_dot_gamma, CAS_COMPONENTS_X(0) * CAS_COMPONENTS_X(3) +
                                         CAS_COMPONENTS_X(1) * CAS_COMPONENTS_X(4) +
                                         CAS_COMPONENTS_X(2) * CAS_COMPONENTS_X(5))
CAS_COMPONENTS_FORMULA(nutation,
                       atan2(hypot(CAS_COMPONENTS_X(3), CAS_COMPONENTS_X(4)), CAS_COMPONENTS_X(5)))

/* For I = (4 c, 4 c, c) and mga in the plane of the equal moments; turned so that mga is along the
   first axis it is w3 (w1^2 + w2^2) - |mga|/c w1 Gamma3. */
static void goryachev_chaplygin(const void *parameters_, int W, const double *x, double *out) {
  const parameters *p = parameters_;
  const double *inertia = p->inertia.value, *mga = p->mga.value;
  for (int l = 0; l < W; l++) {
    double w1 = x[l] / inertia[0], w2 = x[W + l] / inertia[1], w3 = x[2 * W + l] / inertia[2];
    out[l] = w3 * (w1 * w1 + w2 * w2) - (mga[0] * w1 + mga[1] * w2) / inertia[2] * x[5 * W + l];
  }
}

static const char *without_integral(const void *parameters_) {
  const parameters *p = parameters_;
  const double *inertia = p->inertia.value, *mga = p->mga.value;
  bool shaped = isfinite(inertia[0]) && inertia[0] == inertia[1] &&
                fabs(inertia[0] - 4 * inertia[2]) <= 1e-14 * inertia[0];
  if (!shaped)
    return "system.inertia is not of the form [4 c, 4 c, c]";
  return mga[2] == 0 ? NULL : "system.mga is not in the plane of the two equal moments, [a, b, 0]";
}

CAS_ATTITUDE_FUNCTIONS(6)

/* ---- on the coadjoint orbit, where |Gamma| is constant and Pi unbounded ---- */

CAS_COMPONENTS_RANGE(range_of_sin2pi, cas_components_symmetric_range(6, range))
CAS_COMPONENTS_RANGE(range_of_gamma, cas_components_range_on_sphere(3, x0 + 3, range))

static void range_of_potential(const void *parameters_, const double *x0, double range[2]) {
  double radius, weight;
  cas_components_norm(3, 1, x0 + 3, &radius);
  cas_components_norm(3, 1, ((const parameters *)parameters_)->mga.value, &weight);
  cas_components_symmetric_range(weight * radius, range);
}

CAS_COMPONENTS_RANGE(range_of_nutation, range[0] = 0; range[1] = M_PI)

#define MOMENTUM "inertia_unit time_unit^-1"
#define ENERGY "inertia_unit time_unit^-2"

const cas_functional CAS_ISA(cas_heavy_top_functionals)[] = {
    CAS_FUNCTIONAL(sin2pi, sin2pi, "1", "sum of sin(2 pi x_k) over the six components",
                   .range = range_of_sin2pi),
    CAS_FUNCTIONAL(pi1, pi1, MOMENTUM, "first component of the angular momentum Pi"),
    CAS_FUNCTIONAL(pi2, pi2, MOMENTUM, "second component of the angular momentum Pi"),
    CAS_FUNCTIONAL(pi3, pi3, MOMENTUM, "third component of the angular momentum Pi"),
    CAS_FUNCTIONAL(gamma1, gamma1, "1", "first component of the vertical Gamma",
                   .range = range_of_gamma),
    CAS_FUNCTIONAL(gamma2, gamma2, "1", "second component of the vertical Gamma",
                   .range = range_of_gamma),
    CAS_FUNCTIONAL(gamma3, gamma3, "1", "third component of the vertical Gamma",
                   .range = range_of_gamma),
    CAS_FUNCTIONAL(energy, hamiltonian, ENERGY, "H0 = 1/2 Pi.I^-1 Pi + mga.Gamma"),
    {0}};

const cas_functional CAS_ISA(cas_heavy_top_observables)[] = {
    CAS_FUNCTIONAL(hamiltonian, hamiltonian, ENERGY,
                   "H0 = 1/2 Pi.I^-1 Pi + mga.Gamma; constant without noise"),
    CAS_FUNCTIONAL(kinetic_energy, kinetic_energy, ENERGY, "1/2 Pi.I^-1 Pi"),
    CAS_FUNCTIONAL(potential_energy, potential_energy, ENERGY, "mga.Gamma",
                   .range = range_of_potential),
    CAS_FUNCTIONAL(gamma_squared, gamma_squared, "1", "|Gamma|^2, a Casimir: constant"),
    CAS_FUNCTIONAL(pi_dot_gamma, pi_dot_gamma, MOMENTUM,
                   "Pi.Gamma, the momentum about the vertical, a Casimir: constant"),
    CAS_FUNCTIONAL(angular_momentum, angular_momentum, MOMENTUM, "Pi, seen from the body",
                   .axes = cas_components_principal_axes),
    CAS_FUNCTIONAL(angular_velocity, angular_velocity, "time_unit^-1",
                   "I^-1 Pi, seen from the body", .axes = cas_components_principal_axes),
    CAS_FUNCTIONAL(gamma, gamma_vector, "1", "Gamma, the vertical seen from the body, on a sphere",
                   .axes = cas_components_principal_axes, .range = range_of_gamma),
    CAS_FUNCTIONAL(nutation, nutation, "1",
                   "angle between the third axis of the body and the vertical, in radians",
                   .range = range_of_nutation),
    CAS_ATTITUDE_ROWS("R Pi, the angular momentum seen from space, whose third number is constant. "
                      "With attitude: true"),
    CAS_FUNCTIONAL(goryachev_chaplygin, goryachev_chaplygin, "time_unit^-3",
                   "Goryachev and Chaplygin's integral for inertia [4 c, 4 c, c] and mga [a, b, "
                   "0], w3 (w1^2 + w2^2) - (a w1 + b w2)/c Gamma3 with w = I^-1 Pi; constant "
                   "without noise where Pi.Gamma = 0",
                   .undefined = without_integral),
    {0}};
