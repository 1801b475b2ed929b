#include "integrators/isospectral_midpoint.h"
#include "kernels/kernels.h"

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

static void bracket(const cas_stepper *s, cas_lanes coef, const cas_vec *q_, const cas_vec *x_,
                    cas_vec *bracket_) {
  const cas_geometry *g = &s->geometry;
  const cas_group *q = (const cas_group *)q_, *x = (const cas_group *)x_;
  cas_group *sum = (cas_group *)bracket_;
  (void)coef;
  if (g->algebra->products) {
    g->algebra->products(g, q, x, sum, NULL);
    return;
  }
  zero(g->components, sum);
  g->algebra->bracket_add(g, q, x, sum);
}

static void step(const cas_stepper *s, double *x, double *carry, const double *coef,
                 double *work_space, cas_tally *tally) {
  const cas_isospectral_operations o = {.components = s->geometry.components,
                                        .vectors = CAS_GROUP_VECTORS,
                                        .W = s->W,
                                        .products = products,
                                        .bracket = bracket};
  cas_isospectral_block(&o, s, x, carry, coef, (cas_vec *)work_space, tally);
}

/* ---- one path by itself: the same iteration on plain arrays ---- */

/* of so many components rounding errors average, and show a drift that would hide in few */
enum { PATH_SLOW = CAS_ISOSPECTRAL_QUICK };

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

/* xt = base + bracket, and the largest change */
static double half(int n, const double *restrict bracket, const double *restrict base,
                   double *restrict xt) {
  double largest = 0;
  for (int k = 0; k < n; k++) {
    double next = base[k] + bracket[k], change = fabs(next - xt[k]);
    largest = change > largest ? change : largest;
    xt[k] = next;
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

/* as cas_isospectral_lanes */
typedef struct {
  const cas_stepper *s;
  const double *coef, *xn;
  double *xt, *q, *bracket, *base, *room, change;
  int iterations;
  bool is_sure;
} lone_path;

static void iterate(lone_path *p, bool is_half) {
  const cas_stepper *s = p->s;
  const cas_geometry *g = &s->geometry;
  s->system->path_half_psi(s->parameters, p->coef, p->xt, p->room, p->q);
  g->algebra->path_products(g, p->q, p->xt, p->bracket, is_half ? NULL : p->base);
  p->change = is_half ? half(g->components, p->bracket, p->base, p->xt)
                      : whole(g->components, p->xn, p->bracket, p->base, p->xt);
  p->iterations++;
}

/* as cas_isospectral_solve: whether it converged */
static bool solve(lone_path *p) {
  double tolerance = p->s->tolerance;
  int last = p->s->max_iterations;
  for (int i = 0; last > 3 && i < 3; i++)
    iterate(p, i != 1);
  do {
    iterate(p, false);
    p->is_sure = p->iterations == 4 && p->change <= CAS_ISOSPECTRAL_SURE * tolerance;
    if (p->change <= tolerance)
      return true;
    if (p->iterations + 1 >= last || p->iterations >= CAS_ISOSPECTRAL_QUICK)
      continue;
    bool is_near = p->change <= CAS_ISOSPECTRAL_NEAR * tolerance;
    iterate(p, true);
    if (is_near && p->change <= tolerance)
      return true;
  } while (p->iterations < last);
  return false;
}

/* as cas_isospectral_finish */
static void finish(lone_path *p, bool compensated) {
  const cas_geometry *g = &p->s->geometry;
  int iterations = p->iterations,
      brackets = cas_isospectral_brackets(iterations, PATH_SLOW, p->is_sure, compensated);
  for (int i = 1; i < brackets; i++)
    iterate(p, true);
  if (brackets)
    g->algebra->path_products(g, p->q, p->xt, p->bracket, NULL);
  p->iterations = iterations;
}

static void path_step(const cas_stepper *s, double *x, double *carry, const double *coef,
                      double *work_space, cas_tally *tally) {
  size_t size = padded(&s->geometry), bytes = (size_t)s->geometry.components * sizeof(double);
  lone_path p = {.s = s,
                 .coef = coef,
                 .xn = x,
                 .xt = work_space,
                 .q = work_space + size,
                 .bracket = work_space + 2 * size,
                 .base = work_space + 3 * size,
                 .room = work_space + 4 * size};
  memcpy(p.xt, x, bytes);
  memcpy(p.base, x, bytes);
  bool converged = solve(&p);
  finish(&p, carry != NULL);
  advance(s->geometry.components, p.bracket, x, carry);
  tally->iterations[0] += p.iterations;
  tally->iterations_max[0] = fmax(tally->iterations_max[0], p.iterations);
  tally->not_converged[0] += !converged;
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
