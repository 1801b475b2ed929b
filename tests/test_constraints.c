/* Constraints of positions as expressions: they hold to rounding, paths are those of systems that
   are written in other ways. test_gibbs.c has averages over long times. */
/* ranks: 1 */
#include "files/results/table.h"
#include "study_fixture.h"

#include <math.h>

/* ---- paths ---- */

/* Schemes that keep constraints, with the schemes that they are without. */
static const struct {
  const char *tied, *free;
} schemes[] = {{"variational_euler", "variational_euler"}, {"geodesic_baoab", "baoab"}};
enum { SCHEMES = sizeof schemes / sizeof *schemes };

static series record(const char *system, const char *scheme, double h, int steps) {
  const cas_results *r = results_of(
      "system: {%s}\nintegrator: {name: %s}\nrandom: {generator: threefry}\nstudy: {kind: "
      "trajectory, step: %.17g, steps: %d, paths: 3, observables: [hamiltonian]}\n",
      system, scheme, h, steps);
  ck_assert_int_eq(r->health.failed_paths, 0);
  return recorded_series("state");
}

/* A pendulum on a circle of radius 2 with mass 3 against its angle, without noise. The chord of a
   step is shorter than its arc by a part of order h^2, and nothing else of the discrete actions
   differs, so that paths differ by a quarter with half the step. */
TEST_OVER(a_pendulum_is_that_of_its_angle, SCHEMES) {
  double differ[2];
  for (int j = 0; j < 2; j++) {
    const double h = ldexp(1, -7 - j);
    const int steps = 256 << j;
    series a = record("name: langevin, positions: [x, y], mass: [3, 3], constraints: [x^2 + y^2 - "
                      "4], potential: 3*y, friction: 0.3, initial: [2, 0, 0, 1.5]",
                      schemes[_i].tied, h, steps),
           b = record("name: langevin, positions: [a], mass: [12], potential: 6*sin(a), friction: "
                      "1.2, initial: [0, 3]",
                      schemes[_i].free, h, steps);
    ck_assert(a.records == steps + 1 && b.records == steps + 1 && a.numbers == 12 &&
              b.numbers == 6);
    const double *x = a.value + steps * 12, angle = b.value[steps * 6];
    differ[j] = hypot(x[0] - 2 * cos(angle), x[1] - 2 * sin(angle));
  }
  printf("differ by %.3e, %.3e\n", differ[0], differ[1]);
  ck_assert(differ[0] < 1e-4 && differ[0] > 1e-7);
  ck_assert_msg(fabs(differ[0] / differ[1] - 4) < 0.2, "%g", differ[0] / differ[1]);
}

/* ---- what holds, and orders ---- */

#define SPHERE                                                                                     \
  "system: {name: langevin, positions: [x, y, z], constraints: [x^2 + y^2 + z^2 - 1], potential: " \
  "2*z, friction: 0.5 + 0.2*x^2, temperature: 1, initial: [0.6, 0, 0.8, 0.8, 0.3, "                \
  "-0.6]}\nrandom: {generator: threefry, seed: %d}\n"

#define SCHEME "integrator: {name: %s}\n"

/* Positions lie on the sphere and momenta along it, with every step, to a few roundings. */
TEST_OVER(constraints_hold_to_rounding, SCHEMES) {
  const cas_results *r = results_of(
      SPHERE SCHEME "study: {kind: convergence, coarsest_step: 2^-3, horizon: 8, levels: 3, "
                    "reference: 4, paths: 64, functionals: [{off: \"path_max(abs(x^2 + y^2 + "
                    "z^2 - 1))\"}, {leads: \"path_max(abs(x*p_x + y*p_y + z*p_z))\"}]}\n",
      1, schemes[_i].tied);
  ck_assert_int_eq(r->health.failed_paths, 0);
  for (int k = 0; k < 2; k++) {
    const cas_curve *c = cas_results_find(r, k ? "weak/leads" : "weak/off");
    for (int l = 0; l <= c->levels; l++)
      ck_assert_msg(c->mean.value[l] < 4e-15, "%s, level %d: %g", c->name, l, c->mean.value[l]);
  }
}

/* Strong order 1, as without constraints. */
TEST_OF_MANY_PATHS_OVER(the_order_is_one, SCHEMES) {
  const int seeds = repetitions(10);
  int covered = 0;
  for (int seed = 1; seed <= seeds; seed++) {
    const cas_results *r = results_of(
        SPHERE SCHEME "study: {kind: strong, coarsest_step: 2^-4, horizon: 1, levels: 5, "
                      "reference: 7, paths: 1000}\n",
        seed, schemes[_i].tied);
    const cas_curve *c = cas_results_curve(r, 0);
    const double order = log2(c->error.value[0] / c->error.value[3]) / 3;
    ck_assert_msg(order > 0.85, "errors fall like h^%g", order);
    covered += cas_findings_have(c->findings, CAS_CONSISTENT);
  }
  ck_assert_msg(covered >= least_count(seeds, 0.95, 2e-2), "%d of %d", covered, seeds);
}

/* On an ellipse with two masses and a friction that is strong, so that the projection of the flow
   of friction and noise is tested as well: errors fall by 4 within 4 of their standard errors. */
TEST_OF_MANY_PATHS(weak_errors_are_of_order_two) {
  const cas_results *r = results_of(
      "system: {name: langevin, positions: [x, y], mass: [1, 3], constraints: [x^2/4 + "
      "y^2 - 1], potential: 8*x, friction: 4, temperature: 0.2, initial: [0, 1, 0.5, 0]}\n"
      "integrator: {name: geodesic_baoab}\nrandom: {generator: threefry}\nstudy: {kind: "
      "weak, coarsest_step: 2^-3, horizon: 1, levels: 3, reference: 4, paths: 10000, "
      "functionals: [{mean: 1*x}, {square: x^2}]}\n");
  for (int k = 0; k < 2; k++) {
    const cas_curve *c = cas_results_find(r, k ? "weak/square" : "weak/mean");
    for (int l = 0; l < 2; l++) {
      /* the reference has an error of its own, 4^(l - 4) of that of level l */
      const double right = (1 - pow(4, l - 4)) / (1 - pow(4, l - 3)) * 4,
                   ratio = c->error.value[l] / c->error.value[l + 1],
                   deviation =
                       ratio * hypot(c->error.standard_error[l] / c->error.value[l],
                                     c->error.standard_error[l + 1] / c->error.value[l + 1]);
      printf("%s: %.3f +- %.3f, expected %.3f\n", c->name, ratio, deviation, right);
      ck_assert(deviation < 0.25);
      ck_assert_msg(fabs(ratio - right) < 4 * deviation, "%s: errors fall by %g +- %g", c->name,
                    ratio, deviation);
    }
  }
}

/* ---- refusals ---- */

TEST(what_is_wrong_is_refused) {
  static const struct {
    const char *keys, *why;
  } cases[] = {
      {"constraints: [x^2 + y^2 - 1], initial: [1, 0.1, 0, 0]", "must be 0 to 1e-10"},
      {"constraints: [x^2 + y^2 - 1], initial: [1, 0, 0.2, 0]", "changes at the rate 0.4"},
      {"constraints: [x^2 - 1, y - 2], initial: [1, 2, 0, 0]", "fewer than the 2 positions"},
      {"constraints: [(x - 1)^2], initial: [1, 2, 0, 0]", "not independent"},
      {"constraints: [x^2 +], initial: [1, 0, 0, 0]", "system.constraints[0]"},
      {"constraints: [2 - 2], initial: [1, 0, 0, 0]", "must depend on the positions"},
      {"constraints: [x^2 + y^2 - 1], initial: [1, 0, 0, 0]}\nintegrator: {name: baoab",
       "without constraints (those that fit: variational_euler, constrained_variational_euler, "
       "geodesic_baoab)"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    is_refused(
        0, cases[i].why,
        "system: {name: langevin, positions: [x, y], potential: x, friction: 1, %s}\nrandom: "
        "{generator: threefry}\nstudy: {kind: trajectory, step: 2^-4, steps: 4, paths: 1}\n",
        cases[i].keys);
}

RUN_TESTS_WITH_MPI
