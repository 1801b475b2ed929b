#include "integrators/isospectral_midpoint.h"
#include "kernels.h"

#include <math.h>
#include <string.h>

static size_t work(const cas_geometry *g) {
  return CAS_ISOSPECTRAL_ROOM * (size_t)g->components * sizeof(cas_group) / sizeof(double);
}

static void zero(int components, cas_group *a) { memset(a, 0, (size_t)components * sizeof *a); }

static void products(const cas_stepper *s, cas_lanes coef, const cas_vec *x_, cas_vec *q_,
                     cas_vec *bracket_, cas_vec *sandwich_) {
  const cas_geometry *g = &s->geometry;
  const cas_group *x = (const cas_group *)x_;
  cas_group *q = (cas_group *)q_, *bracket = (cas_group *)bracket_,
            *sandwich = (cas_group *)sandwich_;
  s->system->half_psi(s->parameters, coef, x, q);
  if (g->algebra->products) {
    g->algebra->products(g, q, x, bracket, sandwich);
    return;
  }
  zero(g->components, bracket);
  g->algebra->bracket_add(g, q, x, bracket);
  if (sandwich) {
    zero(g->components, sandwich);
    g->algebra->sandwich_add(g, q, x, sandwich);
  }
}

static void step(const cas_stepper *s, double *x, double *carry, const double *coef,
                 double *work_space, cas_tally *tally) {
  const cas_isospectral_operations o = {.components = s->geometry.components,
                                        .vectors = CAS_GROUP_VECTORS,
                                        .W = s->W,
                                        .products = products};
  cas_isospectral_block(&o, s, x, carry, coef, (cas_vec *)work_space, tally);
}

/* ---- one path by itself: the same iteration on plain arrays ---- */

static size_t padded(const cas_geometry *g) { return ((size_t)g->components + 7) / 8 * 8; }

static size_t path_work(const cas_geometry *g) { return 4 * padded(g); }

/* base = sandwich + xn, xt = base + bracket; the largest change, which a NaN does not count for, as
   in the lanes of a group */
static double whole(int n, const double *xn, const double *bracket, double *base, double *xt) {
  cas_vec most = {0};
  double largest = 0;
  int k = 0;
  for (; k + CAS_VL <= n; k += CAS_VL) {
    cas_vec sum = cas_load(xn + k) + cas_load(base + k), next = sum + cas_load(bracket + k);
    most = cas_vmax(cas_vabs(next - cas_load(xt + k)), most);
    cas_store(base + k, sum);
    cas_store(xt + k, next);
  }
  for (int i = 0; i < CAS_VL; i++)
    largest = most[i] > largest ? most[i] : largest;
  for (; k < n; k++) {
    double next = (base[k] += xn[k]) + bracket[k], change = fabs(next - xt[k]);
    largest = change > largest ? change : largest;
    xt[k] = next;
  }
  return largest;
}

static void half(int n, const double *restrict bracket, const double *restrict base,
                 double *restrict xt) {
  for (int k = 0; k < n; k++)
    xt[k] = base[k] + bracket[k];
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

/* as cas_isospectral_solve */
static void path_step(const cas_stepper *s, double *x, double *carry, const double *coef,
                      double *work_space, cas_tally *tally) {
  const cas_geometry *g = &s->geometry;
  size_t size = padded(g), bytes = (size_t)g->components * sizeof(double);
  double *xt = work_space, *q = xt + size, *bracket = q + size, *base = bracket + size,
         *room = base + size, change = INFINITY;
  int iterations = 0, last = s->max_iterations;
  bool is_half = last > 3;
  memcpy(xt, x, bytes);
  memcpy(base, x, bytes);
  while (iterations < last && (is_half || change > s->tolerance)) {
    s->system->path_half_psi(s->parameters, coef, xt, room, q);
    g->algebra->path_products(g, q, xt, bracket, is_half ? NULL : base);
    iterations++;
    if (is_half) {
      half(g->components, bracket, base, xt);
      change = INFINITY; /* not known: the next iteration is whole */
    } else {
      change = whole(g->components, x, bracket, base, xt);
    }
    is_half = !is_half && iterations + 1 < last && iterations < CAS_ISOSPECTRAL_QUICK &&
              (iterations < 4 || change > CAS_ISOSPECTRAL_NEAR * s->tolerance);
  }
  if (carry) {
    s->system->path_half_psi(s->parameters, coef, xt, room, q);
    g->algebra->path_products(g, q, xt, bracket, NULL);
  }
  advance(g->components, bracket, x, carry);
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
    .antithetic = true,
    .work = work,
    .step = step,
    .path_work = path_work,
    .path_step = path_step,
};
