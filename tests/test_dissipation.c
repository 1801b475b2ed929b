/* Double-bracket dissipation: at every state it is what makes the Gibbs density invariant, it
   lowers the Hamiltonian and keeps the Casimirs. test_gibbs.c has averages over long times. */
/* ranks: 1 */
#include "files/results/table.h"
#include "pass_fixture.h"
#include "paths/problem/dissipation.h"
#include "studies/laws/time_average.h"

#include <math.h>

/* ---- every system that has it ---- */

/* Algebras of expressions, sizes whose blocks are single paths, and another unit of time. */
typedef struct {
  const char *system, *keys;
} system_case;

static const system_case further[] = {
    {"rigid_body", "inertia: [2, 1, 0.5], initial: [0.36, 0.48, 0.8], attitude: true"},
    {"euler_zeitlin", "N: 3, initial: {random: {seed: 1, norm: 3}}, time_unit: physical"},
    {"euler_zeitlin", "N: 25, rotation: 0.3, initial: {random: {seed: 1, norm: 3}}"},
    {"euler_zeitlin", "N: 5, rotation: 0.3, lamb: 20, topography: [[2, 1, 0.5], [3, -2, 0.4]], "
                      "initial: {random: {seed: 1, norm: 3}}"},
    {"sine_euler", "N: 25, initial: {random: {seed: 5, norm: 1}}"},
    {"lie_poisson",
     "algebra: so3, hamiltonian: \"x1^2/4 + x2^2/2 + x3^2\", initial: [0.36, 0.48, 0.8]"},
    {"lie_poisson", "algebra: se3, hamiltonian: \"Pi1^2/2 + Pi2^2 + Pi3^2/3 + Gamma3 + "
                    "0.2*Gamma1^2\", initial: [0.3, -0.4, 0.6, 0.36, 0.48, 0.8]"},
    {"lie_poisson", "algebra: so_n, n: 4, hamiltonian: \"x12^2 + x13*x24 + x34\", initial: "
                    "{random: {seed: 2, norm: 1}}"},
    {"lie_poisson", "algebra: su_n, N: 3, hamiltonian: \"d1*re12 + im23^2 - 0.3*d2\", initial: "
                    "{random: {seed: 3, norm: 1}}"},
    {"lie_poisson", "algebra: su2, factors: 2, hamiltonian: \"x1_1*x2_1 + x1_2*x2_2 + "
                    "0.5*x1_3*x2_3 + x1_3\", initial: {random: {seed: 4, norm: 1}}"},
    {"lie_poisson", "algebra: {structure_constants: [[1, 2, 3, 1], [2, 3, 1, 1], [3, 1, 2, -1]]}, "
                    "hamiltonian: \"x1^2 + x2*x3\", initial: [0.3, 0.4, 0.5]"},
    {"lie_poisson",
     "algebra: brackets, components: [x, y, z], brackets: {x y: x*y, y z: y*z, z x: z*x}, "
     "casimirs: [x*y*z], hamiltonian: \"x + y^2 + z\", initial: [1, 1.2, 0.8]"},
};
enum { FURTHER = sizeof further / sizeof *further, MOST_CASES = 40 };

/* Fills the cases and returns their number. */
static int find_cases(system_case out[MOST_CASES]) {
  int n = 0;
  for (const cas_system *const *s = cas_kernels_get()->systems; *s; s++)
    if ((*s)->dissipated)
      out[n++] = (system_case){(*s)->name, (*s)->example.keys};
  for (int i = 0; i < FURTHER; i++)
    out[n++] = further[i];
  return n;
}

/* ---- a problem and a pass of one step ---- */

static one_pass *open_problem(const char *system, const char *keys, const char *rest) {
  return pass_of(0x1p-6, 1, "{system: {name: %s, %s, %s}, random: {generator: threefry}}", system,
                 keys, rest);
}

/* psi of the first group of lanes at x, [components], in the time h with the increment 1 of noise
   k; k < 0: without noise */
static void psi_of(one_pass *o, double h, int k, const double *x, double *xi) {
  const cas_problem *p = &o->problem;
  const int n = p->geometry.components, lanes = p->body->lanes;
  double *state = doubles((size_t)(n * lanes)), *out = doubles((size_t)(n * lanes)),
         *dw = doubles((size_t)(p->W * (p->normals.noises + 1)));
  for (int i = 0; i < n * lanes; i++)
    state[i] = x[i / lanes];
  for (int l = 0; k >= 0 && l < p->W; l++)
    dw[k * p->W + l] = 1;
  cas_dissipation_prepare(p, h, dw, o->pass.level[0].coef);
  p->body->psi(&o->pass.level[0].stepper, o->pass.level[0].coef, state, out);
  for (int i = 0; i < n; i++)
    xi[i] = out[i * lanes];
}

/* out = ad*_xi x, [components] */
static void coadjoint(one_pass *o, const double *xi, const double *x, double *out) {
  cas_geometry g = o->pass.level[0].stepper.geometry;
  const int n = g.components, lanes = o->problem.body->lanes;
  double *a = doubles((size_t)(n * lanes)), *b = doubles((size_t)(n * lanes)),
         *c = doubles((size_t)(n * lanes));
  for (int i = 0; i < n * lanes; i++) {
    a[i] = xi[i / lanes];
    b[i] = x[i / lanes];
  }
  g.algebra->coadjoint(&g, a, b, c);
  for (int i = 0; i < n; i++)
    out[i] = c[i * lanes];
}

/* The derivative of the first observable at x along y, by differences of eighth order. */
static double slope(const one_pass *o, const double *x, const double *y) {
  static const double weight[4] = {4. / 5, -1. / 5, 4. / 105, -1. / 280};
  const cas_problem *p = &o->problem;
  const int n = p->components;
  const double by = 0x1p-6;
  double *at = doubles((size_t)(n * p->W)), *value = doubles((size_t)p->W), sum = 0;
  for (int k = 0; k < 8; k++) {
    const double step = (k % 2 ? -1 : 1) * (k / 2 + 1) * by;
    for (int i = 0; i < n * p->W; i++)
      at[i] = x[i / p->W] + (i / p->W < p->geometry.components ? step * y[i / p->W] : 0);
    p->system->observables[0].value(p->parameters.all, p->W, at, value);
    sum += (k % 2 ? -1 : 1) * weight[k / 2] * value[0] / by;
  }
  return sum;
}

/* The density exp(-beta H) is invariant where the drift of dissipation is -beta/2 sum_k (V_k H) V_k
   with the fields V_k of the noises: what psi has beyond that of the Hamiltonian. */
TEST(drift_is_that_of_the_gibbs_density) {
  system_case all[MOST_CASES];
  const int cases = find_cases(all);
  ck_assert_int_gt(cases, FURTHER + 5);
  for (int c = 0; c < cases; c++) {
    one_pass *o = open_problem(all[c].system, all[c].keys, "dissipation: {theta: 0.7, kT: 0.3}");
    const cas_problem *p = &o->problem;
    const int n = p->geometry.components;
    /* whether the first observable is twice the Hamiltonian whose gradient psi has */
    const bool twice =
        strcmp(all[c].system, "rigid_body") == 0 || strcmp(all[c].system, "manakov") == 0;
    const double beta = (twice ? 0.5 : 1) / 0.3;
    double *x = doubles((size_t)p->components), *with = doubles((size_t)n),
           *without = doubles((size_t)n), *v = doubles((size_t)n), *y = doubles((size_t)n),
           *expected = doubles((size_t)n), *none = doubles((size_t)n), most = 0, wrong = 0;
    ck_assert_int_eq(p->normals.noises, n);
    memcpy(x, p->initial.x0, (size_t)p->components * sizeof *x);
    psi_of(o, 1, -1, x, with);
    o->pass.level[0].stepper.dissipation.drag = none;
    psi_of(o, 1, -1, x, without);
    o->pass.level[0].stepper.dissipation.drag = p->dissipation.drag;
    for (int k = 0; k < n; k++) {
      psi_of(o, 0, k, x, v);
      coadjoint(o, v, x, y);
      const double along = slope(o, x, y);
      for (int i = 0; i < n; i++)
        expected[i] -= 0.5 * beta * along * v[i];
    }
    for (int i = 0; i < n; i++) {
      most = fmax(most, fabs(expected[i]));
      wrong = fmax(wrong, fabs(with[i] - without[i] - expected[i]));
    }
    ck_assert_msg(most > 1e-3 && wrong <= 1e-9 * most, "%s, %s: %g of %g", all[c].system,
                  all[c].keys, wrong, most);
    suite_forget();
  }
}

/* How fast theta takes energy from two waves, theta |{psi, omega}|^2, in closed form. On the torus
   the waves are (1, 0) and (1, 1), whose bracket has the modes +-(2, 1) and +-(0, 1) and the factor
   N/(2 pi) sin(2 pi/N). On the sphere they are a zonal one of degree 1, whose bracket is a turn for
   every N, and (5, 3). */
TEST_OVER(relaxation_does_not_depend_on_N, 8) {
  static const int N[] = {9, 17, 33, 65};
  const int torus = _i % 2, n = N[_i / 2];
  const double pi = acos(-1), theta = 0.7, a = 0.8, b = 0.5, s = n / (2 * pi) * sin(2 * pi / n),
               w = a * b * 3 * (0.5 - 1. / 30),
               rate = theta * (torus ? s * s * a * a * b * b : w * w * 3 / (4 * pi));
  char keys[200];
  snprintf(keys, sizeof keys,
           torus ? "N: %d, initial: {random: {seed: 1, norm: 1}}"
                 : "N: %d, time_unit: physical, initial: {coefficients: [[1, 0, %g], [5, 3, %g]]}",
           n, a, b);
  one_pass *o =
      open_problem(torus ? "sine_euler" : "euler_zeitlin", keys, "dissipation: {theta: 0.7}");
  const cas_problem *p = &o->problem;
  const size_t size = (size_t)p->components;
  double *x = doubles(size), *xi = doubles(size), *y = doubles(size), *modes = doubles(size);
  memcpy(x, p->initial.x0, size * sizeof *x);
  if (torus) { /* pairs of modes (0, 1) .., (1, -r) .. */
    modes[2 * (n - 1)] = a;
    modes[2 * n] = b;
    ck_assert_ptr_null(p->system->state.pack(p->parameters.all, modes, x));
  }
  psi_of(o, 1, -1, x, xi);
  coadjoint(o, xi, x, y);
  const double found = -slope(o, x, y);
  ck_assert_msg(fabs(found / rate - 1) <= 1e-9,
                "N = %d, %s: energy falls at the rate %.12g, not %.12g", n,
                torus ? "torus" : "sphere", found, rate);
}

/* Every scheme that says so keeps Casimirs, which runs check; without noise the energy falls. */
TEST(energy_falls_and_casimirs_stay) {
  system_case all[MOST_CASES];
  const int cases = find_cases(all);
  for (int c = 0; c < cases; c++) {
    double before[64];
    if (strstr(all[c].keys, "N: 25"))
      continue;
    one_pass *o = open_problem(all[c].system, all[c].keys, "dissipation: {theta: 0.5}");
    const cas_problem *p = &o->problem;
    p->system->observables[0].value(p->parameters.all, p->W, initial_block(o), before);
    for (const cas_integrator *const *i = cas_kernels_get()->integrators; *i; i++) {
      cas_results r;
      if (cas_scheme_misfit(p->body, *i))
        continue;
      run_well(&r,
               "system: {name: %s, %s, dissipation: {theta: 0.5}}\nintegrator: {name: %s}\n"
               "random: {generator: threefry}\nstudy: {kind: time_average, step: 2^-7, steps: 32, "
               "batches: 4, observables: [hamiltonian]}\noutput: {file: results.h5}\n",
               all[c].system, all[c].keys, (*i)->name);
      const cas_time_average *a = cas_results_find(&r, "time_average/hamiltonian");
      ck_assert_ptr_nonnull(a);
      ck_assert_msg(a->average.mean < before[0] && a->batch_mean[3] < a->batch_mean[0],
                    "%s, %s, %s: %g and %g, at first %g", all[c].system, all[c].keys, (*i)->name,
                    a->batch_mean[0], a->batch_mean[3], before[0]);
    }
    suite_forget();
  }
}

/* ---- refusals ---- */

#define BODY "name: rigid_body, inertia: [2, 1, 0.5]"
#define COOLED BODY ", dissipation: {theta: 1, kT: 1}"

static const char *const refused[][2] = {
    {BODY ", noise: {kind: quadratic, sigma: 0.1}, dissipation: {theta: 1, kT: 1}",
     "has noise of its own"},
    {BODY ", dissipation: {kT: 1}", "'theta' is missing"},
    {BODY ", dissipation: {}", "'theta' is missing"},
    {BODY ", dissipation: {theta: 0, kT: 1}",
     "system.dissipation.theta: found 0, must be more than 0"},
    {COOLED "}\nintegrator: {name: splitting", "the flow of dissipation is not known exactly"},
    {COOLED "}\nintegrator: {name: variational_midpoint", "psi is not affine"},
    {COOLED "}\nintegrator: {areas: 4", "the noise of system.dissipation has none"},
    {"name: sine_euler, N: 3, damping: {friction: 1}, initial: {random: {seed: 5, norm: 1}}, "
     "dissipation: {theta: 1}",
     "leave out damping and forcing"}};

TEST_OVER(what_does_not_go_with_it_is_refused, sizeof refused / sizeof *refused) {
  is_refused(0, refused[_i][1],
             "system: {%s}\nrandom: {generator: threefry}\nstudy: {kind: time_average, step: 2^-5, "
             "steps: 32, paths: 1, observables: [hamiltonian]}\n",
             refused[_i][0]);
}

RUN_TESTS_WITH_MPI
