/* Levels whose steps are those of the next coarser level divided by any whole number: exactly
   known errors, orders, and refusals. */
/* ranks: 1 2 3 */
/* needs: sprng */
#include "studies/laws/weak_times.h"
#include "studies/strong_quantiles.h"
#include "study_fixture.h"

/* H0 = 0 and linear noises about one axis: a step of Munthe-Kaas is a rotation by its increments,
   and all levels end where the Brownian motions do. */
TEST_OVER(noises_about_one_axis_have_no_error, 6) {
  const int refinement = 2 + _i;
  const cas_results *r = results_of(
      "system: {name: rigid_body, inertia: [.inf, .inf, .inf], noise: {kind: linear, chi: [[0.3, "
      "-0.4, 0.5], [-0.6, 0.8, -1], [0.15, -0.2, 0.25]]}, initial: [0.6, 0, 0.8]}\n"
      "integrator: {name: munthe_kaas, truncation: 0}\nstudy: {kind: strong, coarsest_step: 1/5, "
      "horizon: 1.6, refinement: %d, levels: 3, reference: 3, paths: 64}\n",
      refinement);
  ck_assert(r->steps[0] == 8 && r->steps[1] == 8 * refinement);
  ck_assert_int_eq(cas_results_curves(r), 3); /* at the horizon, suprema, of increments */
  for (int i = 0; i < 3; i++) {
    const cas_curve *c = cas_results_curve(r, i);
    for (int j = 0; j < c->levels; j++)
      assert_near(c->error.value[j], 0, 1e-13,
                  formatted("%s, refinement %d, level %d", c->name, refinement, j));
  }
}

static const char body[] = "system: {name: rigid_body, inertia: [2, 1, 0.6666666666666666], noise: "
                           "{kind: quadratic, sigma: 0.5}}\n"
                           "random: {generator: threefry}\n";

/* ---- orders ---- */

static void covers(const cas_curve *c, double order) {
  const cas_law law = cas_laws_headline(&c->laws);
  ck_assert_msg(law.low < order && law.high > order, "order %g [%g, %g]", law.order, law.low,
                law.high);
}

TEST_OF_MANY_PATHS_OVER(orders_do_not_depend_on_refinement, on_one_rank(2)) {
  const cas_results *r =
      results_of("%sstudy: {kind: strong, coarsest_step: 2^-4, coarsest_steps: 8, refinement: %d, "
                 "levels: 4, reference: 4, paths: 2000}\n",
                 body, _i ? 5 : 3);
  const cas_curve *c = cas_results_curve(r, 0);
  covers(c, 0.5);
  assert_near(cas_laws_headline(&c->laws).order, 0.5, 0.1, "order");
  for (int j = 0; j < 3; j++)
    assert_near(c->local_order.value[j], 0.5, 0.1 + 4 * c->local_order.standard_error[j],
                formatted("order of level %d", j));
}

/* Paths with fine increments in reverse order have Levy areas of the other sign. */
TEST_OF_MANY_PATHS_OVER(reverse_order_is_antithetic, on_one_rank(2)) {
  const cas_curve *d =
      &multilevel_of("%sstudy: {kind: weak_multilevel, functionals: [sin2pi], coarsest_step: 2^-5, "
                     "coarsest_steps: 8, refinement: %d, levels: 4, paths: 4000}\n",
                     body, _i ? 5 : 3)
           ->functional[0];
  assert_near(d->coupled.variance_decay.order, 2, 0.2, "decay of the variance");
  for (int l = 0; l < 2; l++)
    assert_near(d->coupled.local_decay[l], 2, 0.3, formatted("decay at level %d", l));
  ck_assert(!cas_findings_have(d->findings, CAS_NOT_ANTITHETIC));
  covers(d, 1);
}

/* Levels are added until the bias, extrapolated with the right ratio of steps, is small: the
   estimate is within four standard errors of one with a tenth of the error. */
TEST_OVER(multilevel_monte_carlo_reaches_epsilon, on_one_rank(1)) {
  static const char *const epsilon[] = {"4e-3, refinement: 3", "1e-3"};
  double estimate[2], error[2];
  for (int i = 0; i < 2; i++) {
    const cas_multilevel *m = mlmc_of("%sstudy: {kind: mlmc, functionals: [sin2pi], coarsest_step: "
                                      "2^-3, coarsest_steps: 4, max_levels: 10, epsilon: %s}\n",
                                      body, epsilon[i]);
    ck_assert(m->reached);
    estimate[i] = m->functional[0].estimate.value;
    error[i] = m->functional[0].estimate.total_error;
    for (int l = 1; l < m->levels; l++)
      ck_assert_msg(m->functional[0].estimate.consistency[l] < 1, "level %d: %g", l,
                    m->functional[0].estimate.consistency[l]);
  }
  assert_near(estimate[0], estimate[1], 4 * hypot(error[0], error[1]), "estimate");
}

/* Orders of other studies, in the same unit of step sizes: medians of strong errors, and suprema of
   weak ones, which without noise are those of a scheme of order 2. */
TEST_OF_MANY_PATHS_OVER(orders_of_other_studies, on_one_rank(1)) {
  const cas_strong_quantiles *q = cas_results_find(
      results_of("%sstudy: {kind: strong_quantiles, quantiles: [0.5], coarsest_step: 2^-4, "
                 "coarsest_steps: 8, refinement: 3, levels: 3, reference: 5, paths: 2000}\n",
                 body),
      "strong_quantiles");
  const cas_weak_times *w = cas_results_find(
      results_of("system: {name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: quadratic, sigma: "
                 "0}}\nstudy: {kind: weak_times, functionals: [sin2pi], times: [0.5, 1], "
                 "coarsest_step: 2^-4, coarsest_steps: 16, refinement: 3, levels: 3, reference: 6, "
                 "paths: 1}\n"),
      "weak_times/sin2pi");
  for (int l = 0; l < 2; l++) {
    assert_near(q->local_order.value[l], 0.5, 0.15, formatted("quantiles, level %d", l));
    assert_near(w->local_order.value[l], 2, 0.05, formatted("times, level %d", l));
  }
}

/* ---- refusals ---- */

TEST(what_cannot_be_divided_is_refused) {
  static const struct {
    const char *study, *message;
  } bad[] = {
      {"refinement: 1, coarsest_steps: 4, levels: 2, reference: 3", "refinement: found 1"},
      {"refinement: 2.5, coarsest_steps: 4, levels: 2, reference: 3", "refinement: found 2.5"},
      {"refinement: 10, coarsest_steps: 4, levels: 2, reference: 16",
       "refinement: found 10: one coarsest step has 10^16 steps of the reference, too many"},
      {"refinement: 3, coarsest_steps: 1000000000, levels: 2, reference: 20",
       "found 1000000000, too many steps of the reference; must be at most 40363"},
      {"refinement: 3, horizon: 0.3, levels: 2, reference: 3",
       "the nearest that are: 0.25 (2 steps) and 0.375 (3 steps)"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    is_refused(3, bad[i].message, "%sstudy: {kind: strong, coarsest_step: 2^-3, paths: 10, %s}\n",
               body, bad[i].study);
}

RUN_TESTS_WITH_MPI
