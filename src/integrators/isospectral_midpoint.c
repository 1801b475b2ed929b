#include "integrators/isospectral_midpoint.h"
#include "kernels.h"

#include <math.h>
#include <string.h>

static size_t work(const cas_geometry *g) {
  return 4 * (size_t)g->components * sizeof(cas_group) / sizeof(double);
}

static void step(const cas_stepper *s, double *x, double *carry, const double *coef,
                 double *work_space, cas_tally *tally) {
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

/* ---- one path by itself: the same iteration on plain arrays ---- */

static size_t padded(const cas_geometry *g) { return ((size_t)g->components + 7) / 8 * 8; }

static size_t path_work(const cas_geometry *g) { return 3 * padded(g); }

/* xt = next; the largest change, which a NaN does not count for, as in the lanes of a group */
static double replace(int n, const double *next, double *xt) {
  cas_vec most = {0};
  double largest = 0;
  int k = 0;
  for (; k + CAS_VL <= n; k += CAS_VL) {
    cas_vec to = cas_load(next + k);
    most = cas_vmax(cas_vabs(to - cas_load(xt + k)), most);
    cas_store(xt + k, to);
  }
  for (int i = 0; i < CAS_VL; i++)
    largest = most[i] > largest ? most[i] : largest;
  for (; k < n; k++) {
    double change = next[k] > xt[k] ? next[k] - xt[k] : xt[k] - next[k];
    largest = change > largest ? change : largest;
    xt[k] = next[k];
  }
  return largest;
}

/* X_{n+1} = X_n + 2 d, as cas_isospectral_advance */
static void advance(int n, const double *restrict d, double *restrict x, double *restrict carry) {
  for (int k = 0; !carry && k < n; k++)
    x[k] += 2.0 * d[k];
  for (int k = 0; carry && k < n; k++) {
    double y = 2.0 * d[k] - carry[k], sum = x[k] + y;
    carry[k] = (sum - x[k]) - y;
    x[k] = sum;
  }
}

static void path_step(const cas_stepper *s, double *x, double *carry, const double *coef,
                      double *work_space, cas_tally *tally) {
  const cas_geometry *g = &s->geometry;
  size_t size = padded(g), bytes = (size_t)g->components * sizeof(double);
  double *xt = work_space, *q = xt + size, *next = q + size, *room = next + size, change = INFINITY;
  int iterations = 0;
  memcpy(xt, x, bytes);
  while (change > s->tolerance && iterations < s->max_iterations) {
    s->system->path_half_psi(s->parameters, coef, xt, room, q);
    memcpy(next, x, bytes);
    g->algebra->path_midpoint_add(g, q, xt, next);
    change = replace(g->components, next, xt);
    iterations++;
  }
  s->system->path_half_psi(s->parameters, coef, xt, room, q);
  memset(next, 0, bytes);
  g->algebra->path_bracket_add(g, q, xt, next);
  advance(g->components, next, x, carry);
  tally->iterations[0] += iterations;
  tally->iterations_max[0] =
      iterations > tally->iterations_max[0] ? iterations : tally->iterations_max[0];
  tally->not_converged[0] += change > s->tolerance;
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
    .path_work = path_work,
    .path_step = path_step,
};
