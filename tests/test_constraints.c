/* Constraints of positions as expressions: they hold to rounding, paths are those of systems that
   are written in other ways, and averages are those of the Gibbs law on the manifold. */
/* ranks: 1 */
#include "files/results/table.h"
#include "studies/laws/time_average.h"
#include "study_fixture.h"

#include <math.h>

/* ---- paths ---- */

/* Schemes that keep constraints, with the schemes that they are without. */
static const struct {
  const char *tied, *free;
} schemes[] = {{"variational_euler", "variational_euler"}, {"geodesic_baoab", "baoab"}};
enum { SCHEMES = sizeof schemes / sizeof *schemes };

static series record(const char *system, const char *scheme, double h, int steps) {
  cas_results r;
  run_well(&r,
           "system: {%s}\nintegrator: {name: %s}\nrandom: {generator: "
           "threefry}\nstudy: {kind: trajectory, step: %.17g, steps: %d, paths: 3, observables: "
           "[hamiltonian]}\n",
           system, scheme, h, steps);
  ck_assert_int_eq(r.health.failed_paths, 0);
  return recorded_series("state");
}

#define CHAIN                                                              \
  "friction: 0.2, initial: [0.6, 0, -0.8, 0.6, 0.6, -1.6, 0.4, 0.5, 0.3, " \
  "0.1, 0.9, 0.6]"

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

#define SPHERE                                                                            \
  "system: {name: langevin, positions: [x, y, z], constraints: [x^2 + y^2 + z^2 - 1], "   \
  "potential: 2*z, friction: 0.5 + 0.2*x^2, temperature: 1, initial: [0.6, 0, 0.8, 0.8, " \
  "0.3, -0.6]}\nrandom: {generator: threefry, seed: %d}\n"

#define SCHEME "integrator: {name: %s}\n"

/* Positions lie on the sphere and momenta along it, with every step, to a few roundings. */
TEST_OVER(constraints_hold_to_rounding, SCHEMES) {
  cas_results r;
  run_well(&r,
           SPHERE SCHEME "study: {kind: convergence, coarsest_step: 2^-3, horizon: 8, "
                         "levels: 3, reference: 4, paths: 64, functionals: [{off: "
                         "\"path_max(abs(x^2 + y^2 + z^2 - 1))\"}, {leads: "
                         "\"path_max(abs(x*p_x + y*p_y + z*p_z))\"}]}\n",
           1, schemes[_i].tied);
  ck_assert_int_eq(r.health.failed_paths, 0);
  for (int k = 0; k < 2; k++) {
    const cas_curve *c = cas_results_find(&r, k ? "weak/leads" : "weak/off");
    for (int l = 0; l <= c->levels; l++)
      ck_assert_msg(c->mean.value[l] < 4e-15, "%s, level %d: %g", c->name, l, c->mean.value[l]);
  }
}

/* Strong order 1, as without constraints. */
TEST_OF_MANY_PATHS_OVER(the_order_is_one, SCHEMES) {
  const int seeds = repetitions(10);
  int covered = 0;
  for (int seed = 1; seed <= seeds; seed++) {
    cas_results r;
    run_well(&r,
             SPHERE SCHEME "study: {kind: strong, coarsest_step: 2^-4, horizon: 1, "
                           "levels: 5, reference: 7, paths: 1000}\n",
             seed, schemes[_i].tied);
    const cas_curve *c = cas_results_curve(&r, 0);
    const double order = log2(c->error.value[0] / c->error.value[3]) / 3;
    ck_assert_msg(order > 0.85, "errors fall like h^%g", order);
    covered += cas_findings_have(c->findings, CAS_CONSISTENT);
  }
  ck_assert_msg(covered >= least_count(seeds, 0.95, 2e-2), "%d of %d", covered, seeds);
}

/* On an ellipse with two masses and a friction that is strong, so that the projection of the flow
   of friction and noise is tested as well: errors fall by 4 within 4 of their standard errors. */
TEST_OF_MANY_PATHS(weak_errors_are_of_order_two) {
  cas_results r;
  run_well(&r,
           "system: {name: langevin, positions: [x, y], mass: [1, 3], constraints: [x^2/4 + y^2 - "
           "1], potential: 8*x, friction: 4, temperature: 0.2, initial: [0, 1, 0.5, 0]}\n"
           "integrator: {name: geodesic_baoab}\nrandom: {generator: threefry}\nstudy: {kind: weak, "
           "coarsest_step: 2^-3, horizon: 1, levels: 3, reference: 4, paths: 10000, functionals: "
           "[{mean: 1*x}, {square: x^2}]}\n");
  for (int k = 0; k < 2; k++) {
    const cas_curve *c = cas_results_find(&r, k ? "weak/square" : "weak/mean");
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

/* ---- Gibbs laws on manifolds ---- */

/* E x^2 on the ellipse x^2/4 + y^2 = 1 of masses 1 and 2, with the potential x: the density
   exp(-x/kT) by the length that the masses measure. */
static double square_on_ellipse(double kT) {
  enum { POINTS = 4000 };
  double sum = 0, all = 0;
  for (int i = 0; i < POINTS; i++) {
    const double a = 2 * M_PI * i / POINTS, x = 2 * cos(a),
                 length = sqrt(4 * sin(a) * sin(a) + 2 * cos(a) * cos(a)),
                 weight = exp(-x / kT) * length;
    sum += weight * x * x;
    all += weight;
  }
  return sum / all;
}

/* Errors over standard errors are standard normal, and steps are so short that their bias is a
   small part of these. */
TEST_OF_MANY_PATHS_OVER(averages_are_those_of_the_gibbs_law, 3 * SCHEMES) {
  const int k = _i % 3;
  static const char *const systems[] = {
      "positions: [x, y, z], constraints: [x^2 + y^2 + z^2 - 1], potential: 2*z, friction: 1 + "
      "x^2, "
      "temperature: 1, initial: [0.6, 0, 0.8, 0, 0, 0]",
      "positions: [x, y, z], constraints: [x^2 + y^2 + z^2 - 1], potential: 2*z, friction: 1, "
      "temperature: 1, initial: [0.6, 0, 0.8, 0, 0, 0]",
      "positions: [x, y], mass: [1, 2], constraints: [x^2/4 + y^2 - 1], potential: x, friction: 1, "
      "temperature: 0.8, initial: [2, 0, 0, 0]"};
  static const char *const phi[] = {"z", "kinetic_temperature", "x^2"};
  const double exact[] = {0.5 - 1 / tanh(2), 1, square_on_ellipse(0.8)};
  const int seeds = repetitions(20);
  double squares = 0;
  for (int seed = 1; seed <= seeds; seed++) {
    cas_results r;
    run_well(&r,
             "system: {name: langevin, %s}\n" SCHEME
             "random: {generator: threefry, seed: %d}\nstudy: {kind: time_average, "
             "step: 2^-7, horizon: 24, from: 8, "
             "every: 16, batches: 4, paths: 64, observables: [{phi: \"%s\"}]}\n",
             systems[k], schemes[_i / 3].tied, seed, phi[k]);
    const cas_time_average *a = cas_results_find(&r, "time_average/phi");
    const double z = (a->average.mean - exact[k]) / a->average.standard_error;
    squares += z * z;
    if (seed == 1)
      printf("%s of %s: %.4f +- %.4f, exact %.4f\n", phi[k], schemes[_i / 3].tied, a->average.mean,
             a->average.standard_error, exact[k]);
  }
  printf("  sum of squares %.3g of %d\n", squares, seeds);
  ck_assert_msg(is_chi_square(squares, seeds), "%g of %d", squares, seeds);
}

/* A step keeps a Gibbs law exactly, of whatever size it is, where there is no potential: free
   motion on a plane, with momenta of several masses, and on a sphere of one. With the friction of
   the former a projection after the flow without constraints would be off by 3 percent. */
TEST_OF_MANY_PATHS_OVER(long_steps_keep_the_law_of_momenta, 2) {
  static const char *const systems[] = {
      "positions: [x, y, z], mass: [0.5, 1, 4], constraints: [x + y + z], potential: 0*x, "
      "friction: "
      "2, temperature: 0.7, initial: [0, 0, 0, 0, 0, 0]",
      "positions: [x, y, z], constraints: [x^2 + y^2 + z^2 - 1], potential: 0*x, friction: 1, "
      "temperature: 0.7, initial: [0, 0, 1, 0, 0, 0]"};
  const double h[] = {0.5, 0.25};
  cas_results r;
  run_well(&r,
           "system: {name: langevin, %s}\nintegrator: {name: geodesic_baoab}\nrandom: {generator: "
           "threefry}\nstudy: {kind: time_average, step: %g, horizon: 520, from: 8, batches: 8, "
           "paths: 256, observables: [kinetic_temperature]}\n",
           systems[_i], h[_i]);
  const cas_time_average *a = cas_results_find(&r, "time_average/kinetic_temperature");
  const double z = (a->average.mean - 0.7) / a->average.standard_error;
  printf("kinetic temperature %.5f +- %.5f\n", a->average.mean, a->average.standard_error);
  ck_assert(a->average.standard_error < 0.7 * 0.004);
  ck_assert_msg(fabs(z) < 4, "off by %.1f standard errors", z);
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
        "system: {name: langevin, positions: [x, y], potential: x, friction: 1, "
        "%s}\nrandom: {generator: threefry}\nstudy: {kind: trajectory, step: 2^-4, steps: 4, "
        "paths: 1}\n",
        cases[i].keys);
}

RUN_TESTS_WITH_MPI
