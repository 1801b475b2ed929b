/* What is particular to a scheme: exactly known cases, what it keeps and what it does not, and
   pairs that do not fit. */
/* ranks: 1 2 */
/* needs: sprng */
#include "pass_fixture.h"
#include "studies/path_cost.h"

#include <math.h>

/* ---- exactly known cases ---- */

/* Steps of Munthe-Kaas are exact for one linear noise and for noises that commute, without drift.
   On the torus the drift of a tiny vorticity is not seen; (1, 2) x (2, -1) is -5, a multiple of N.
   */
#define ONE_NOISE                                                                             \
  "rigid_body, inertia: [.inf, .inf, .inf], noise: {kind: linear, chi: [[0.3, -0.4, 0.5]]}, " \
  "initial: [0.6, 0, 0.8]"
#define TINY(modes)                                         \
  "sine_euler, N: 5, noise: {amplitude: 0.2, modes: " modes \
  "}, initial: {random: {seed: 1, norm: 1e-100}}"

static const struct {
  const char *system, *scheme;
  double size;
  bool exact;
} without_drift[] = {{ONE_NOISE, "munthe_kaas", 1, true},
                     {ONE_NOISE, "implicit_midpoint", 1, false},
                     {TINY("[[1, 2], [-1, -2], [2, -1]]"), "munthe_kaas", 1e-100, true},
                     {TINY("[[1, 2], [-1, -2], [2, -1]]"), "implicit_midpoint", 1e-100, false},
                     {TINY("[[1, 2], [1, 1]]"), "munthe_kaas", 1e-100, false}};

TEST_OVER(noises_that_commute_are_exact, sizeof without_drift / sizeof *without_drift) {
  double most = 0;
  const cas_results *r =
      results_of("system: {name: %s}\nintegrator: {name: %s, truncation: 0}\nstudy: {kind: strong, "
                 "coarsest_step: 2^-2, coarsest_steps: 8, levels: 4, reference: 6, paths: 64}\n",
                 without_drift[_i].system, without_drift[_i].scheme);
  const cas_curve *c = cas_results_curve(r, 0);
  for (int j = 0; j < c->levels; j++)
    most = fmax(most, c->error.value[j] / without_drift[_i].size);
  ck_assert_msg(without_drift[_i].exact ? most < 1e-13 : most > 1e-4, "%s, %s: off by %g",
                without_drift[_i].system, without_drift[_i].scheme, most);
}

/* ---- references of their own scheme ---- */

static const cas_curve *run_against(const char *scheme, cas_results *r) {
  run_well(r,
           "system: {name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: quadratic, sigma: "
           "0.3}}\nrandom: {generator: threefry}\nintegrator: {name: %s}\nstudy: {kind: weak, "
           "coarsest_step: 2^-4, coarsest_steps: 4, levels: 2, reference: {level: 5, integrator: "
           "munthe_kaas}, paths: 200, functionals: [energy], path_cost: true}\n",
           scheme);
  return cas_results_curve(r, 0);
}

/* Whatever scheme is measured, a reference of Munthe-Kaas gives the bits of its own study. */
TEST(references_do_not_depend_on_the_scheme) {
  cas_results same, r;
  const cas_curve *wanted = run_against("munthe_kaas", &same), *c;
  for (const cas_integrator *const *i = cas_kernels_get()->integrators; *i; i++) {
    if (!fits(cas_system_find("rigid_body"), *i))
      continue;
    c = run_against((*i)->name, &r);
    ck_assert_msg(c->mean.value[2] == wanted->mean.value[2], "%s", (*i)->name);
    ck_assert((c->mean.value[1] == wanted->mean.value[1]) ==
              (strcmp((*i)->name, "munthe_kaas") == 0));
    const cas_path_cost *cost = cas_results_find(&r, "path_cost");
    for (int l = 0; l <= 2; l++)
      ck_assert(cost->evaluations[l] >= (double)r.steps[l] && cost->seconds_low[l] > 0 &&
                cost->seconds_low[l] <= cost->seconds[l] &&
                cost->seconds[l] <= cost->seconds_high[l]);
    if (strcmp((*i)->name, "heun") == 0)
      ck_assert(cost->evaluations[0] == 8 && cost->evaluations[1] == 16 &&
                cost->evaluations[2] > 2 * 128);
  }
}

/* Without noise the order is that of the levels' scheme, whatever the reference's. */
TEST(orders_against_another_scheme_without_noise) {
  const cas_results *r = results_of(
      "system: {name: rigid_body, inertia: [2, 1, 0.5], initial: [0.36, 0.48, 0.8]}\nintegrator: "
      "{name: heun}\nstudy: {kind: convergence, coarsest_step: 2^-4, coarsest_steps: 8, levels: 4, "
      "reference: {level: 10, integrator: munthe_kaas}, paths: 1, functionals: [x1]}\n");
  for (int i = 0; i < cas_results_curves(r); i++) {
    const cas_curve *c = cas_results_curve(r, i);
    ck_assert_msg(fabs(cas_laws_headline(&c->laws).order - 2) < 0.02, "%s: %s", c->name,
                  findings_text(c->findings));
    ck_assert(isnan(c->extrapolated.value));
  }
}

/* ---- Poisson maps ---- */

/* x[j]: the images of n states x, [n][components], by a step of size h with given increments. */
static void step_states(one_pass *o, double h, int n, double *x) {
  const int W = o->problem.W, K = o->problem.geometry.components;
  double rows[64], *block = doubles(block_size(o));
  for (int k = 0; k < 64; k++)
    rows[k] = 2 * sin(1 + 2.4 * k);
  ck_assert_int_le(o->problem.normals.noises, 64);
  for (int first = 0; first < n; first += W) {
    for (int l = 0; l < W; l++)
      for (int i = 0; i < K; i++)
        block[i * W + l] = x[(first + l < n ? first + l : first) * K + i];
    step_block(o, h, rows, block);
    for (int l = 0; l < W && first + l < n; l++)
      for (int i = 0; i < K; i++)
        x[(first + l) * K + i] = block[i * W + l];
  }
}

/* The bracket of point vortices is that of each sphere over its vortex's intensity, gamma. */
static double intensity(const cas_system *s, int factor) {
  char *list = strstr(s->example.keys, "gamma: [");
  double gamma = 1;
  if (list)
    for (list += strlen("gamma: ["); factor >= 0; factor--, list++)
      gamma = strtod(list, &list);
  return gamma;
}

/* J[i * n + j] = {x_i, x_j} up to one sign, by the coadjoint action of the gradient of x_j in the
   norm of the algebra's distance */
static void poisson_tensor(const cas_system *s, const cas_geometry *g, int lanes, const double *x,
                           double *tensor) {
  const int n = g->components;
  const size_t size = (size_t)(n * lanes + 16);
  double *xi = doubles(size), *mu = doubles(size), *out = doubles(size), *zero = doubles(size);
  for (int i = 0; i < n * lanes; i++)
    mu[i] = x[i / lanes];
  for (int j = 0; j < n; j++) {
    double unit[1];
    memset(xi, 0, size * sizeof *xi);
    xi[j] = 1;
    g->algebra->distance2(g, 1, xi, zero, unit);
    xi[j] = 0;
    for (int l = 0; l < lanes; l++)
      xi[j * lanes + l] = 1 / unit[0];
    g->algebra->coadjoint(g, xi, mu, out);
    for (int i = 0; i < n; i++)
      tensor[i * n + j] = out[i * lanes] / intensity(s, i / (n / g->factors));
  }
}

/* |D J(x) D^T - J(Phi(x))|, the largest entry, of a step Phi of size h whose derivative D comes
   from central differences of eighth order; options: further ones of the scheme */
static double departure_from_poisson(const cas_system *system, const char *scheme,
                                     const char *options, double h) {
  enum { POINTS = 8 };
  static const double at[POINTS] = {1, -1, 2, -2, 3, -3, 4, -4},
                      weight[POINTS] = {4. / 5,   -4. / 5,   -1. / 5,   1. / 5,
                                        4. / 105, -4. / 105, -1. / 280, 1. / 280};
  const double by = 0x1p-7;
  one_pass *o = example_pass(system, cas_integrator_find(scheme), options, h, 1);
  const cas_problem *p = &o->problem;
  const int n = p->geometry.components, lanes = p->body->lanes;
  const size_t entries = (size_t)(n * n);
  double *x = doubles((size_t)(POINTS * n + 1) * (size_t)n), *derivative = doubles(entries),
         *before = doubles(entries), *after = doubles(entries), most = 0;
  cas_geometry g = p->geometry;
  g.scratch = o->pass.level[0].stepper.geometry.scratch;
  poisson_tensor(system, &g, lanes, p->initial.x0, before);
  for (int j = 0; j <= POINTS * n; j++)
    for (int i = 0; i < n; i++)
      x[j * n + i] =
          p->initial.x0[i] + (j / POINTS == i && j < POINTS * n ? by * at[j % POINTS] : 0);
  step_states(o, h, POINTS * n + 1, x);
  poisson_tensor(system, &g, lanes, x + POINTS * n * n, after);
  for (int j = 0; j < POINTS * n; j++)
    for (int i = 0; i < n; i++)
      derivative[i * n + j / POINTS] += weight[j % POINTS] / by * x[j * n + i];
  for (int a = 0; a < n; a++)
    for (int b = 0; b < n; b++) {
      double pushed = 0;
      for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
          pushed += derivative[a * n + i] * before[i * n + j] * derivative[b * n + j];
      double d = fabs(pushed - after[a * n + b]);
      most = d > most || isnan(d) ? d : most;
    }
  return most;
}

static void check_poisson(const cas_system *s, const cas_integrator *i) {
  if (!(body_of(s)->features & CAS_COADJOINT))
    return;
  const double departure = departure_from_poisson(s, i->name, "", 0.25);
  ck_assert_msg(i->keeps & CAS_KEEPS_POISSON ? departure < 1e-8 : departure > 1e-6, "%s, %s: %g",
                s->name, i->name, departure);
}

TEST(poisson_maps_are_those_that_say_so) { each_pair(false, check_poisson); }

/* One form of the variational midpoint is a Poisson map with either retraction, one is none. */
TEST(one_variational_midpoint_is_a_poisson_map) {
  static const char *const systems[] = {"rigid_body", "heavy_top"},
                           *const options[] = {"", ", retraction: exp",
                                               ", variant: energy_momentum"};
  for (int i = 0; i < 6; i++) {
    const double departure = departure_from_poisson(cas_system_find(systems[i / 3]),
                                                    "variational_midpoint", options[i % 3], 0.4);
    ck_assert_msg(i % 3 < 2 ? departure < 1e-12 : departure > 1e-5, "%s%s: %g", systems[i / 3],
                  options[i % 3], departure);
  }
}

/* ---- what is refused ---- */

#define BODY "name: rigid_body, inertia: [2, 1, 0.5]"
#define PATH "trajectory, step: 2^-4, steps: 5"

static const struct {
  const char *system, *integrator, *study, *why;
} misfits[] = {
    {"name: euler_zeitlin, N: 5, initial: {random: {seed: 1, norm: 1}}", "name: splitting", PATH,
     "splitting does not fit system euler_zeitlin: it needs exact flows"},
    {BODY ", noise: {kind: quadratic, sigma: 0.1}", "name: splitting, areas: 4", PATH,
     "integrator.areas: splitting does not fit system rigid_body with areas: brackets of the "
     "noises' Hamiltonians are of a higher degree than it takes (those that fit: "},
    {BODY, "name: heun, tolerance: 1e-12", PATH,
     "integrator.tolerance: heun is an explicit scheme: it solves no equation and has no "
     "tolerance; must be absent (--set integrator.tolerance=null takes it away)"},
    {BODY, "max_iterations: 5, name: euler_maruyama", PATH,
     "integrator.max_iterations: euler_maruyama is an explicit scheme: it solves no equation"},
    {"name: heavy_top, inertia: [2, 1, 0.5], mga: [0, 0, 1]", "name: heun",
     "strong, coarsest_step: 2^-4, coarsest_steps: 5, levels: 1, paths: 1, reference: {level: 4, "
     "integrator: isospectral_midpoint}",
     "study.reference.integrator: isospectral_midpoint does not fit"},
    {BODY, "name: heun",
     "strong, coarsest_step: 4, coarsest_steps: 5, levels: 1, paths: 1, reference: {level: 2, "
     "integrator: munthe_kaas}",
     "the reference step is 1, must be less than 1"},
    {BODY, "name: variational_midpoint, retraction: exp, variant: energy_momentum", PATH,
     "integrator.retraction: found exp, must be cayley"},
    {BODY, "name: isospectral_midpoint, retraction: exp", PATH, "retraction"},
    {"name: manakov, n: 5, initial: {random: {seed: 1, norm: 1}}", "name: variational_midpoint",
     PATH, "it needs a body that rotates in R^3"},
    {BODY, "name: variational_euler", PATH,
     "variational_euler does not fit system rigid_body: it needs positions and momenta"},
    {"name: pendulum_chain, N: 2", "name: baoab", PATH,
     "baoab does not fit system pendulum_chain: it needs positions and momenta without constraints "
     "(those that fit: variational_euler, constrained_variational_euler, geodesic_baoab)"},
    {"name: sliding_disk", "name: constrained_variational_euler", PATH,
     "it needs positions that are constrained"},
    {"name: sliding_disk", "name: munthe_kaas", PATH,
     "munthe_kaas does not fit system sliding_disk: it needs a Lie-Poisson equation"},
    {BODY ", noise: {kind: quadratic, sigma: 0.1}", "areas: 2",
     "weak_multilevel, functionals: [x1], coarsest_step: 2^-4, coarsest_steps: 2, levels: 2, "
     "paths: 64, coupling: antithetic",
     "must be adjacent"},
    {BODY, "name: huen", PATH, "heun"},
};

TEST_OVER(misfits_and_foreign_options_are_refused, sizeof misfits / sizeof *misfits) {
  is_refused(0, misfits[_i].why, "system: {%s}\nintegrator: {%s}\nstudy: {kind: %s}\n",
             misfits[_i].system, misfits[_i].integrator, misfits[_i].study);
}

/* A scheme that keeps no Casimirs reports its drift, which fails a run only where the configuration
   bounds it. */
TEST(declared_drift_is_no_failure) {
  static const char text[] =
      "system: {name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: quadratic, sigma: "
      "0.3}}\nintegrator: {%s}\nstudy: {kind: strong, coarsest_step: 2^-5, "
      "coarsest_steps: 8, levels: 2, reference: %s, paths: 64}\n";
  ck_assert(results_of(text, "name: heun", "3")->health.casimir_drift_max > 1e-8);
  ck_assert(results_of(text, "", "{level: 3, integrator: heun}")->health.casimir_drift_max > 1e-9);
  run_to(CAS_CHECK_FAILED, "", text, "name: heun, casimir_tolerance: 1e-10", "3");
  /* One that keeps them fails by itself, where its fixed point is loose. */
  const cas_results *loose = run_to(
      CAS_CHECK_FAILED, "integrator.casimir_tolerance = 1.00e-10. A smaller integrator.tolerance",
      "system: {name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: quadratic, sigma: 0.5}}\n"
      "integrator: {tolerance: 1e-5}\nstudy: {kind: strong, coarsest_step: 2^-6, "
      "coarsest_steps: 8, levels: 2, reference: 3, paths: 64}\n");
  ck_assert(loose->health.casimir_drift_max > 1e-10 && loose->health.drift_path >= 0);
}

RUN_TESTS_WITH_MPI
