/* Averages over a long time at several steps: of a harmonic oscillator at a temperature, whose
   invariant law is known for every step of both schemes, and with it the bias and its order. */
/* ranks: 1 2 */
#include "files/results/table.h"
#include "repetitions.h"
#include "study_fixture.h"

#include <math.h>

enum { LEVELS = 4 };

static const double kappa = 1.5, drag = 0.5, kT = 0.8;

static const char study[] =
    "system: {name: langevin, positions: [q], potential: 1.5*q^2/2, friction: 0.5, temperature: "
    "0.8, initial: [0.7, 0]}\n"
    "integrator: {name: %s}\nrandom: {generator: threefry, seed: %d}\n"
    "study: {kind: invariant, coarsest_step: 1, horizon: 48, from: 16, levels: 4, paths: %d, "
    "functionals: [{square: p_q^2}, {potential: 1.5*q^2}]%s}\noutput: {file: results.h5}\n";

/* E p^2 and E kappa q^2 at the step h: for variational_euler kT/D and kT (1 - h c/2)/D with D = 1 -
   h c/2 - h^2 kappa/4, for baoab kT (1 - h^2 kappa/4) and kT. */
static double exact_mean(bool baoab, bool momentum, double h) {
  const double less = 1 - h * drag / 2, D = less - h * h * kappa / 4;
  if (baoab)
    return momentum ? kT * (1 - h * h * kappa / 4) : kT;
  return momentum ? kT / D : kT * less / D;
}

/* Errors are those of laws at both steps, or at one against the exact mean; intervals cover. */
static void errors_cover(bool baoab, const char *exact) {
  const int n = repetitions(40);
  double squares = 0;
  int outside = 0;
  for (int seed = 1; seed <= n; seed++) {
    const cas_results *r =
        results_of(study, baoab ? "baoab" : "variational_euler", seed, 256, exact);
    for (int momentum = 0; momentum < 2; momentum++) {
      const cas_curve *c = cas_results_find(r, momentum ? "weak/square" : "weak/potential");
      ck_assert(c && c->levels == LEVELS && c->average_from == 16);
      ck_assert_int_eq(c->averaged, *exact ? 2 : 1);
      for (int l = 0; l < LEVELS; l++) {
        const double reference = *exact ? kT : exact_mean(baoab, momentum, ldexp(1, -LEVELS));
        const double z =
            (c->error.value[l] - exact_mean(baoab, momentum, ldexp(1, -l)) + reference) /
            c->error.standard_error[l];
        ck_assert(fabs(c->error.value[l] - c->mean.value[l] +
                       (*exact ? kT : c->mean.value[LEVELS])) < 1e-12);
        squares += z * z;
        outside += !(fabs(z) <= 1.97);
      }
    }
  }
  const double all = 2 * LEVELS * n;
  printf("%s%s: mean square %.3f, outside %d of %g\n", baoab ? "baoab" : "variational_euler", exact,
         squares / all, outside, all);
  /* levels share their paths, so that there are about n independent errors of each functional */
  ck_assert(fabs(squares / all - 1) < 4 * sqrt(2.0 / (2 * n)));
  ck_assert(outside < all * (0.05 + 4 * sqrt(0.05 * 0.95 / (2 * n))));
}

TEST_OF_MANY_PATHS_OVER(biases_are_those_of_the_schemes, on_one_rank(1)) {
  errors_cover(true, "");
  errors_cover(true, ", exact: [0.8, 0.8]");
}

/* baoab has the bias kT h^2 kappa/4 of E p^2 alone, so that the interval of one power covers 2. */
TEST_OF_MANY_PATHS_OVER(orders_cover, on_one_rank(1)) {
  const int n = repetitions(40);
  int covered = 0, accepted = 0;
  for (int seed = 1; seed <= n; seed++) {
    const cas_results *r = results_of(study, "baoab", 100 + seed, 1024, ", exact: [0.8, 0.8]");
    const cas_curve *c = cas_results_find(r, "weak/square");
    const cas_law *law = &c->laws.law[CAS_LAW_POWER];
    covered += law->low <= 2 && 2 <= law->high;
    accepted += law->p_value > 0.01;
    if (seed == 1)
      printf("order %.3f [%.3f, %.3f]\n", law->order, law->low, law->high);
  }
  printf("orders covered %d, accepted %d of %d\n", covered, accepted, n);
  ck_assert(covered >= n * (0.95 - 4 * sqrt(0.05 * 0.95 / n)) && accepted >= 0.8 * n);
}

TEST(what_is_refused) {
  static const char *const cases[][2] = {
      {"from: 16, functionals: [x1, x2], exact: [0.8]", "must be one for each"},
      {"from: 48, functionals: [x1]", "study.from"},
      {"from: 0.3, functionals: [x1]", "no whole number of steps of 2^0"},
      {"from: 16, functionals: [{m: path_max(x1)}]", "whole paths"},
      {"from: 16, functionals: [{m: integral(x1)}]", "whole paths"},
      {"from: 16, functionals: [{m: \"passed(x1, 0.5)\"}]", "whole paths"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    is_refused(0, cases[i][1],
               "system: {name: rigid_body, inertia: [2, 1, 0.5]}\nintegrator: {truncation: 0}\n"
               "random: {generator: threefry}\nstudy: {kind: invariant, coarsest_step: 1, horizon: "
               "48, levels: 2, paths: 1, %s}\n",
               cases[i][0]);
}

RUN_TESTS_WITH_MPI
