/* Double-bracket dissipation: at every state it is what makes the Gibbs density invariant, it lowers
   the Hamiltonian and keeps the Casimirs, and averages are those of the Gibbs law. */
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
    {"lie_poisson", "algebra: so3, hamiltonian: \"x1^2/4 + x2^2/2 + x3^2\", initial: [0.36, 0.48, "
                    "0.8]"},
    {"lie_poisson", "algebra: se3, hamiltonian: \"Pi1^2/2 + Pi2^2 + Pi3^2/3 + Gamma3 + "
                    "0.2*Gamma1^2\", initial: [0.3, -0.4, 0.6, 0.36, 0.48, 0.8]"},
    {"lie_poisson", "algebra: so_n, n: 4, hamiltonian: \"x12^2 + x13*x24 + x34\", initial: "
                    "{random: {seed: 2, norm: 1}}"},
    {"lie_poisson", "algebra: su_n, N: 3, hamiltonian: \"d1*re12 + im23^2 - 0.3*d2\", initial: "
                    "{random: {seed: 3, norm: 1}}"},
    {"lie_poisson",
     "algebra: su2, factors: 2, hamiltonian: \"x1_1*x2_1 + x1_2*x2_2 + 0.5*x1_3*x2_3 + x1_3\", "
     "initial: {random: {seed: 4, norm: 1}}"},
    {"lie_poisson", "algebra: {structure_constants: [[1, 2, 3, 1], [2, 3, 1, 1], [3, 1, 2, -1]]}, "
                    "hamiltonian: \"x1^2 + x2*x3\", initial: [0.3, 0.4, 0.5]"},
    {"lie_poisson", "algebra: brackets, components: [x, y, z], brackets: {x y: x*y, y z: y*z, z x: "
                    "z*x}, casimirs: [x*y*z], hamiltonian: \"x + y^2 + z\", initial: [1, 1.2, "
                    "0.8]"},
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
    const cas_dissipated *dissipated = p->system->dissipated;
    const double beta = (dissipated->energy ? dissipated->energy(p->parameters.all) : 1) / 0.3;
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

/* Casimirs are kept by every scheme that says so, which runs check; and without noise the energy
   falls. */
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

/* ---- laws that are known ---- */

/* Means over the unit sphere with the density exp(-x.I^-1 x/(2 kT)). */
static double of_body(const double inertia[3], double kT, double (*phi)(const double *x)) {
  enum { POINTS = 400 };
  double sum = 0, all = 0;
  for (int i = 0; i < POINTS; i++)
    for (int j = 0; j < POINTS; j++) {
      const double z = (2 * i + 1.0) / POINTS - 1, angle = 2 * M_PI * (j + 0.5) / POINTS,
                   r = sqrt(1 - z * z), x[3] = {r * cos(angle), r * sin(angle), z};
      double energy = 0;
      for (int k = 0; k < 3; k++)
        energy += 0.5 * x[k] * x[k] / inertia[k];
      sum += phi(x) * exp(-energy / kT);
      all += exp(-energy / kT);
    }
  return sum / all;
}

static double square_of_x3(const double *x) { return x[2] * x[2]; }

static double energy_of_body(const double *x) {
  return x[0] * x[0] / 2 + x[1] * x[1] + 2 * x[2] * x[2];
}

/* ln of the integral of exp(-beta tr(C Y)) over all Y with these eigenvalues, up to a constant:
   Harish-Chandra. */
static double log_of_integral(double beta) {
  static const double c[3] = {1, 0, -0.5}, y[3] = {1, 0.2, -1.2};
  double m[3][3];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      m[i][j] = exp(-beta * c[i] * y[j]);
  const double determinant = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
                             m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                             m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
  return log(fabs(determinant)) - 3 * log(beta);
}

static double energy_of_su3(double kT) {
  const double by = 1e-4;
  return -(log_of_integral(1 / kT + by) - log_of_integral(1 / kT - by)) / (2 * by);
}

/* v^*(-i X)v of the unit vector v = (1, 1, i)/sqrt(3), and a Hamiltonian of it. */
#define ENTRY_OF_SU3 "((d1 + d2 + d3)/3 + 2/3*(im12 + re13 + re23))"
#define QUADRATIC_OF_SU3 "2*" ENTRY_OF_SU3 "^2 + 0.5*" ENTRY_OF_SU3

/* Its mean over the orbit of i diag(y) with the density exp(-H/kT): by a law of Haar the entry is
   the sum of y_k p_k with p uniform on the simplex. */
static double quadratic_energy_of_su3(double kT) {
  enum { POINTS = 2000 };
  double sum = 0, all = 0;
  for (int i = 0; i < POINTS; i++)
    for (int j = 0; j < POINTS - i; j++) {
      const double p = (i + 1. / 3) / POINTS, q = (j + 1. / 3) / POINTS,
                   entry = p + 0.2 * q - 1.2 * (1 - p - q), h = 2 * entry * entry + 0.5 * entry;
      sum += h * exp(-h / kT);
      all += exp(-h / kT);
    }
  return sum / all;
}

/* Two vortices of intensities 1 and 2: u = 1 - x_1.x_2 has the density u^a, a = 2/(4 pi kT). */
static double energy_of_vortices(double kT) {
  const double a = 2 / (4 * M_PI * kT);
  return -2 / (4 * M_PI) * (log(2) - 1 / (a + 1));
}

/* coth a - 1/a */
static double langevin(double a) { return 1 / tanh(a) - 1 / a; }

typedef struct {
  const char *system, *phi, *integrator;
  double exact, step, from, horizon;
} law_case;

enum { LAWS = 9 };

static void find_laws(law_case out[LAWS]) {
  static const double inertia[3] = {2, 1, 0.5};
  const char *body = "rigid_body, inertia: [2, 1, 0.5], initial: [0.36, 0.48, 0.8], dissipation: "
                     "{theta: 1, kT: 0.2}",
             *vortices = "point_vortices, gamma: [1, 2], initial: [[1, 0, 0], [0, 0.6, 0.8]], "
                         "dissipation: {theta: 4, kT: 0.08}",
             *top =
                 "heavy_top, inertia: [2, 2, 2], mga: [0, 0, 1], initial: [0.3, -0.4, 0.6, 0.36, "
                 "0.48, 0.8], dissipation: {theta: 1, kT: 0.5}",
             *su3 = "lie_poisson, algebra: su_n, N: 3, hamiltonian: d1 - d3/2, initial: [1, 0.2, "
                    "-1.2, 0, 0, 0, 0, 0, 0], dissipation: {theta: 1, kT: 0.5}",
             *quadratic = "lie_poisson, algebra: su_n, N: 3, hamiltonian: \"" QUADRATIC_OF_SU3
                          "\", initial: [1, 0.2, -1.2, 0, 0, 0, 0, 0, 0], dissipation: {theta: 1, "
                          "kT: 0.25}",
             *su2 = "lie_poisson, algebra: su2, hamiltonian: x1_3, initial: [0.6, 0, 0.8], "
                    "dissipation: {theta: 1, kT: 0.5}";
  const double along = 0.3 * 0.36 - 0.4 * 0.48 + 0.6 * 0.8,
               e = of_body(inertia, 0.2, energy_of_body), x3 = of_body(inertia, 0.2, square_of_x3);
  const law_case all[LAWS] = {
      {body, "energy", "isospectral_midpoint", e, 0x1p-6, 4, 16},
      {body, "{phi: x3^2}", "munthe_kaas", x3, 0x1p-6, 4, 16},
      {body, "energy", "implicit_midpoint", e, 0x1p-6, 4, 16},
      {vortices, "energy", "isospectral_midpoint", energy_of_vortices(0.08), 0x1p-6, 4, 16},
      {top, "{phi: Gamma3}", "munthe_kaas", -langevin(2), 0x1p-6, 4, 16},
      {top, "energy", "munthe_kaas", -langevin(2) + 0.5 + along * along / 4, 0x1p-6, 8, 24},
      {su3, "energy", "isospectral_midpoint", energy_of_su3(0.5), 0x1p-6, 4, 16},
      {su2, "energy", "isospectral_midpoint", -langevin(2), 0x1p-6, 4, 16},
      {quadratic, "energy", "isospectral_midpoint", quadratic_energy_of_su3(0.25), 0x1p-6, 4, 16}};
  memcpy(out, all, sizeof all);
}

/* Errors over their standard errors are standard normal over seeds: their squares have the mean 1,
   and about 5% exceed 2. */
TEST_OF_MANY_PATHS_OVER(averages_are_those_of_the_gibbs_law, LAWS) {
  law_case all[LAWS];
  const int seeds = repetitions(20);
  double squares = 0;
  int outside = 0;
  find_laws(all);
  const law_case *c = &all[_i];
  for (int seed = 1; seed <= seeds; seed++) {
    cas_results r;
    run_well(&r,
             "system: {name: %s}\nintegrator: {name: %s}\nrandom: {generator: threefry, seed: %d}\n"
             "study: {kind: time_average, step: %g, horizon: %g, from: %g, every: 8, batches: 4, "
             "paths: 64, observables: [%s]}\noutput: {file: results.h5}\n",
             c->system, c->integrator, seed, c->step, c->horizon, c->from, c->phi);
    const cas_time_average *a =
        cas_results_find(&r, c->phi[0] == '{' ? "time_average/phi" : "time_average/energy");
    ck_assert_ptr_nonnull(a);
    const double z = (a->average.mean - c->exact) / a->average.standard_error;
    squares += z * z;
    outside += !(a->average.low <= c->exact && c->exact <= a->average.high);
    if (seed == 1)
      printf("%s, %s: %.5f +- %.5f, exact %.5f\n", c->system, c->integrator, a->average.mean,
             a->average.standard_error, c->exact);
  }
  printf("  sum of squares %.3g of %d, outside %d\n", squares, seeds, outside);
  ck_assert_msg(is_chi_square(squares, seeds) && seeds - outside >= least_count(seeds, 0.95, 1e-3),
                "%g, %d", squares, outside);
}

/* ---- refusals ---- */

TEST(what_does_not_go_with_it_is_refused) {
  static const struct {
    const char *text, *why;
  } cases[] = {
      {"system: {name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: quadratic, sigma: 0.1}, "
       "dissipation: {theta: 1, kT: 1}}",
       "has noise of its own"},
      {"system: {name: rigid_body, inertia: [2, 1, 0.5], dissipation: {kT: 1}}",
       "'theta' is missing"},
      {"system: {name: rigid_body, inertia: [2, 1, 0.5], dissipation: {}}", "'theta' is missing"},
      {"system: {name: rigid_body, inertia: [2, 1, 0.5], dissipation: {theta: 0, kT: 1}}",
       "system.dissipation.theta: found 0, must be more than 0"},
      {"system: {name: rigid_body, inertia: [2, 1, 0.5], dissipation: {theta: 1, kT: 1}}\n"
       "integrator: {name: splitting}",
       "the flow of dissipation is not known exactly"},
      {"system: {name: rigid_body, inertia: [2, 1, 0.5], dissipation: {theta: 1, kT: 1}}\n"
       "integrator: {name: variational_midpoint}",
       "psi is not affine"},
      {"system: {name: rigid_body, inertia: [2, 1, 0.5], dissipation: {theta: 1, kT: 1}}\n"
       "integrator: {areas: 4}",
       "the noise of system.dissipation has none"},
      {"system: {name: sine_euler, N: 3, damping: {friction: 1}, initial: {random: {seed: 5, norm: "
       "1}}, dissipation: {theta: 1}}",
       "leave out damping and forcing"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    is_refused(0, cases[i].why,
               "%s\nrandom: {generator: threefry}\nstudy: {kind: time_average, step: "
               "2^-5, steps: 32, paths: 1, observables: [hamiltonian]}\noutput: "
               "{file: results.h5}\n",
               cases[i].text);
}

RUN_TESTS_WITH_MPI
