#include "integrators/isospectral_midpoint.h"
#include "kernels.h"

static size_t work(const cas_geometry *g) {
  return 4 * (size_t)g->components * sizeof(cas_group) / sizeof(double);
}

static void step(const cas_stepper *s, double *x, double *carry, const double *coef, double *work_space,
                 cas_tally *tally) {
  const cas_isospectral_operations o = {
      .components = s->geometry.components,
      .W = s->W,
      .half_psi = s->system->half_psi,
      .bracket_add = s->geometry.algebra->bracket_add,
      .sandwich_add = s->geometry.algebra->sandwich_add,
      .midpoint_add = s->geometry.algebra->midpoint_add,
  };
  for (int first = 0; first < s->W; first += CAS_GROUP_LANES)
    cas_isospectral_group(&o, s, first, x, carry, coef, (cas_group *)work_space, tally);
}

const cas_integrator CAS_ISA(cas_integrator_isospectral_midpoint) = {
    .name = "isospectral_midpoint",
    .summary = "isospectral stochastic midpoint: implicit, keeps every Casimir",
    .source = "Ephrati, Jansson, Lang and Luesink, (26)",
    .needs = CAS_J_QUADRATIC,
    .strong_order = 0.5,
    .strong_order_commuting = 1.0,
    .weak_order = 1.0,
    .order = 2.0,
    .work = work,
    .step = step,
};
