/* Every implicit scheme solves the steps of states that grow and decay by orders of magnitude, and
   steps whose plain iteration does not contract; a step without a solution is told. */
/* ranks: 1 */
#include "pass_fixture.h"

/* ---- states that change by orders of magnitude ---- */

static const struct { double from, to; } changes[] = {{1e-9, 1}, {1, 1e3}, {1, 1e-9}};

/* Implicit scheme k for these brackets; NULL: there are no more. */
static const char *implicit_scheme(int k) {
  for (const cas_integrator *const *i = cas_kernels_get()->integrators; *i; i++)
    if (!(*i)->is_explicit && !((*i)->needs & CAS_SANDWICH) &&
        fits(cas_system_find("lie_poisson"), *i) && k-- == 0)
      return (*i)->name;
  return NULL;
}

#define BRACKETS \
  "system: {name: lie_poisson, algebra: brackets, components: [p, q], brackets: {q p: q}, "

/* dq = rate q dt: every step multiplies q by exp(a), or by (1 + a/2)/(1 - a/2), a = rate h. */
TEST_OVER(growth_and_decay_follow_their_law, sizeof changes / sizeof *changes) {
  const double from = changes[_i].from, to = changes[_i].to, rate = log(to / from) / 8,
               a = rate / 32, exact = from * exp(256 * a),
               rational = from * pow((1 + a / 2) / (1 - a / 2), 256),
               bound = 256 * 1e-15 * fmax(from, to);
  for (int k = 0; k < 3; k++) {
    run_well(NULL,
             BRACKETS "hamiltonian: \"%.17g*p\", initial: [0, %.17g]}\nintegrator: {name: %s}\n"
                      "study: {kind: trajectory, step: 2^-5, steps: 256}\n",
             rate, from, implicit_scheme(k));
    const double q = last_of("state", 1);
    ck_assert_msg(fmin(fabs(q - exact), fabs(q - rational)) <= bound, "%s: %g becomes %.17g",
                  implicit_scheme(k), from, q);
  }
  ck_assert_ptr_null(implicit_scheme(3));
}

/* With noise log q is normal, and no path is left out of its mean. */
TEST(means_of_growing_states_have_no_bias) {
  const int paths = all_or(512, 64);
  for (int k = 0; k < 3; k++) {
    run_well(NULL,
             BRACKETS "hamiltonian: 0.6*p, noise: [0.8*p], initial: [0, 1], observables: {l: "
                      "log(q)}}\nintegrator: {name: %s}\nrandom: {generator: threefry}\nstudy: "
                      "{kind: ensemble, step: 2^-5, steps: 256, every: 256, paths: %d, "
                      "observables: [l]}\n",
             implicit_scheme(k), paths);
    const double z = (last_of("/ensemble/l/mean", 0) - 0.6 * 8) / (0.8 * sqrt(8.0 / paths));
    ck_assert_msg(fabs(z) < 4, "%s: z = %g", implicit_scheme(k), z);
  }
}

/* White forcing from near rest and without friction: energy grows by its rate. Mode by mode it is a
   sum of squares, so that its standard error is below its mean times sqrt(2/paths). */
TEST(a_fluid_spins_up_from_rest) {
  const int paths = all_or(256, 64);
  int pairs = 0;
  for (const cas_system *const *s = cas_kernels_get()->systems; *s; s++)
    for (const cas_integrator *const *i = cas_kernels_get()->integrators; *i; i++) {
      if (!(*s)->exchange || (*i)->is_explicit || !fits(*s, *i))
        continue;
      run_well(NULL,
               "system: {name: %s, N: 5, forcing: {white: {lmin: 1, lmax: 2, rate: 0.1}}, initial: "
               "{random: {seed: 1, norm: 1e-9}}}\nintegrator: {name: %s}\nrandom: {generator: "
               "threefry}\nstudy: {kind: ensemble, step: 2^-5, steps: 128, every: 128, paths: %d, "
               "observables: [hamiltonian]}\n",
               (*s)->name, (*i)->name, paths);
      const double energy = last_of("/ensemble/hamiltonian/mean", 0);
      ck_assert_msg(fabs(energy / 0.4 - 1) < 4 * sqrt(2.0 / paths), "%s, %s: energy %g", (*s)->name,
                    (*i)->name, energy);
      pairs++;
    }
  ck_assert_int_ge(pairs, 8);
}

/* ---- every system, as if its paths had begun elsewhere ---- */

enum { STEPS = 24 };

/* The states of a block of the system's example after some steps, with tolerances for states of
   `factor` times the size. */
static const double *states_after(const cas_system *system, const cas_integrator *scheme,
                                  double factor, one_pass **out) {
  one_pass *o = *out = example_pass(system, scheme, "", 0x1p-6, STEPS);
  o->problem.initial.magnitude *= factor;
  const double *x = run_block(o);
  for (int lane = 0; lane < o->problem.W; lane++)
    ck_assert_msg(o->pass.level[0].tally.not_converged[lane] == 0, "%s, %s, %g: lane %d",
                  system->name, scheme->name, factor, lane);
  return x;
}

static int pairs;

static void check_elsewhere(const cas_system *s, const cas_integrator *i) {
  one_pass *o;
  if (i->is_explicit)
    return;
  const double *as_is = states_after(s, i, 1, &o);
  const double size = farthest(o, as_is, doubles(block_size(o)));
  for (double factor = 1e-9; factor < 1e4; factor *= 1e6) { /* 1e-9, 1e-3, 1e3 */
    const double most = farthest(o, states_after(s, i, factor, &o), as_is);
    ck_assert_msg(most <= STEPS * 1e-14 * fmax(1, factor) * size, "%s, %s, %g: %g", s->name,
                  i->name, factor, most);
  }
  pairs++;
}

TEST(every_system_may_outgrow_its_initial_state) {
  each_pair(false, check_elsewhere);
  ck_assert_int_ge(pairs, 30);
}

/* ---- steps that a plain iteration does not solve ---- */

TEST_OVER(large_noise_is_solved, 4) {
  static const char *const schemes[] = {"isospectral_midpoint", "munthe_kaas", "implicit_midpoint",
                                        "variational_midpoint"};
  for (double sigma = 0.5; sigma <= 8; sigma *= 2)
    for (int linear = 0; linear < 2; linear++)
      run_well(NULL,
               "system: {name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: %s, sigma: %g}, "
               "initial: [0.36, 0.48, 0.8]}\nintegrator: {name: %s, truncation: 0}\n"
               "random: {generator: threefry}\nstudy: {kind: ensemble, step: 1, steps: 16, every: "
               "16, paths: %d, observables: [hamiltonian]}\n",
               linear ? "linear" : "quadratic", sigma, schemes[_i], all_or(256, 64));
}

/* A spring of any stiffness: (1 + h^2 k) p' = p - h k q, q' = q + h p'. */
TEST(stiff_forces_are_solved) {
  for (double k = 1; k < 1e7; k *= 10) {
    double q = 0.3, p = -0.2;
    for (int n = 0; n < 16; n++) {
      p = (p - 0.25 * k * q) / (1 + 0.0625 * k);
      q += 0.25 * p;
    }
    run_well(NULL,
             "system: {name: langevin, positions: [x], potential: \"%.17g*x^2/2\", initial: [0.3, "
             "-0.2]}\nintegrator: {name: implicit_euler_maruyama}\nstudy: {kind: trajectory, step: "
             "2^-2, steps: 16}\n",
             k);
    const double last = last_of("state", 1);
    ck_assert_msg(fabs(last - p) <= 1e-12 * fmax(1, k), "k = %g: p = %.17g, not %.17g", k, last, p);
  }
}

/* dq = q^2 dt: D = h (q + D/2)^2 has no solution for 2 h q > 1. */
TEST(a_step_without_a_solution_is_told) {
  run_to(CAS_CHECK_FAILED, "did not converge",
         "system: {name: lie_poisson, algebra: brackets, components: [p, q], brackets: {q p: q^2}, "
         "hamiltonian: p, initial: [0, 1]}\nintegrator: {name: implicit_midpoint}\n"
         "study: {kind: trajectory, step: 0.6, steps: 1}\n");
}

RUN_TESTS_WITH_MPI
