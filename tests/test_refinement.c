/* Levels whose steps are those of the next coarser level divided by any whole number: the
   increments of every level, exactly known errors, orders, and refusals. */
/* ranks: 1 2 3 */
/* needs: sprng */
#include "paths/pass.h"
#include "studies/laws/weak_times.h"
#include "studies/strong_quantiles.h"
#include "study_fixture.h"

#include <math.h>

/* ---- increments ---- */

enum { NOISES = 3, LANES = 64, INCREMENT = NOISES * LANES, STEPS_MOST = 64 };

/* The increments of all steps of all levels of a block, in the order in which they were taken. */
typedef struct {
  int steps[3];
  double dw[3][STEPS_MOST][INCREMENT];
} increments;

static void keep(void *context, cas_pass *s, int level) {
  increments *w = context;
  ck_assert_int_eq(s->problem->W, LANES);
  ck_assert_int_lt(w->steps[level], STEPS_MOST);
  memcpy(w->dw[level][w->steps[level]++], s->space.dw, sizeof *w->dw[level]);
}

static void take_increments(cas_pass_plan *plan, increments *w) {
  cas_config *config = configuration(
      "{system: {name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: quadratic, sigma: 0.1}}, "
      "integrator: {name: heun}, random: {generator: threefry}}");
  cas_problem p;
  cas_pass s;
  MUST(cas_problem_create(config, false, MPI_COMM_SELF, &p, &err));
  MUST(cas_pass_create(&p, plan, &s, &err));
  *w = (increments){0};
  s.stepped = keep;
  s.stepped_context = w;
  MUST(cas_pass_run(&s, 5, NULL, NULL, &err));
  cas_pass_free(&s);
  cas_problem_free(&p);
}

/* The sum of increments first, first + 1, .., first + n - 1 of a level whose steps are scaled by
   `scale`: normals are added up one after another, and then scaled. */
static double sum_of(double dw[][INCREMENT], int first, int n, double scale, int i) {
  double sum = 0;
  for (int k = first; k < first + n; k++)
    sum += dw[k][i] / scale;
  return scale * sum;
}

/* A step of a power of four has a square root that is a power of two: scaling is exact. */
TEST_OVER(coarse_increments_are_sums, 3) {
  static increments w;
  const int r = 2 + _i;
  const double h = 0x1p-8, scale = 0x1p-4;
  cas_pass_plan plan = {.levels = 3,
                        .h = {r * r * h, r * h, h},
                        .ratio = {r * r, r, 1},
                        .steps = 2 * r * r,
                        .grid = r * r};
  take_increments(&plan, &w);
  ck_assert(w.steps[0] == 2 && w.steps[1] == 2 * r && w.steps[2] == 2 * r * r);
  for (int i = 0; i < INCREMENT; i++)
    for (int level = 0; level < 2; level++)
      for (int n = 0; n < w.steps[level]; n++)
        ck_assert_msg(w.dw[level][n][i] == sum_of(w.dw[level + 1], n * r, r, scale, i),
                      "refinement %d, level %d, step %d: %.17g", r, level, n, w.dw[level][n][i]);
}

TEST_OVER(antithetic_increments_are_reversed, 6) {
  static increments w;
  const int r = 2 + _i;
  const double h = 0x1p-8, scale = 0x1p-4;
  cas_pass_plan plan = {.levels = 3,
                        .h = {r * h, h, h},
                        .ratio = {r, 1, 1},
                        .steps = 4 * r,
                        .grid = r,
                        .paired = true,
                        .twin = {[2] = CAS_PASS_TWIN_REVERSED}};
  take_increments(&plan, &w);
  ck_assert(w.steps[0] == 4 && w.steps[1] == 4 * r && w.steps[2] == 4 * r);
  for (int i = 0; i < INCREMENT; i++)
    for (int n = 0; n < 4; n++) {
      ck_assert(w.dw[0][n][i] == sum_of(w.dw[1], n * r, r, scale, i));
      for (int k = 0; k < r; k++)
        ck_assert(w.dw[2][n * r + k][i] == w.dw[1][n * r + r - 1 - k][i]);
    }
}

/* ---- exactly known errors ---- */

/* H0 = 0 and one linear noise: a step of Munthe-Kaas is a rotation by its increment, and all levels
   end where the Brownian motion does. */
TEST(one_linear_noise_has_no_error) {
  static const int refinement[] = {3, 5, 7};
  for (int k = 0; k < 3; k++) {
    cas_results r;
    run_well(&r,
             "system: {name: rigid_body, inertia: [.inf, .inf, .inf], noise: {kind: linear, chi: "
             "[[0.3, -0.4, 0.5]]}, initial: [0.6, 0, 0.8]}\n"
             "integrator: {name: munthe_kaas, truncation: 0}\n"
             "study: {kind: strong, coarsest_step: 1/5, horizon: 1.6, refinement: %d, levels: 3, "
             "reference: 3, paths: 64}\n",
             refinement[k]);
    const cas_curve *c = cas_results_curve(&r, 0);
    ck_assert(r.steps[0] == 8 && r.steps[1] == 8 * refinement[k]);
    for (int j = 0; j < c->levels; j++)
      ck_assert_msg(c->error.value[j] < 1e-13, "refinement %d, level %d: %g", refinement[k], j,
                    c->error.value[j]);
  }
}

static const char body[] = "system: {name: rigid_body, inertia: [2, 1, 0.6666666666666666], noise: "
                           "{kind: quadratic, sigma: 0.5}}\n"
                           "random: {generator: threefry}\n";

/* Steps h, h/4, h/16 are among h, h/2, .., h/16, and their paths the same ones. */
TEST(by_four_is_twice_by_two) {
  cas_results four, two;
  const char *rest = "kind: convergence, functionals: [sin2pi], coarsest_step: 2^-3, "
                     "coarsest_steps: 4, paths: 300";
  run_well(&four, "%sstudy: {refinement: 4, levels: 2, reference: 3, %s}\n", body, rest);
  run_well(&two, "%sstudy: {levels: 3, reference: 6, %s}\n", body, rest);
  for (int c = 0; c < 3; c++) {
    const cas_curve *a = cas_results_curve(&four, c), *b = cas_results_curve(&two, c);
    for (int j = 0; j < 2; j++)
      ck_assert_msg(fabs(a->error.value[j] - b->error.value[2 * j]) <= 1e-11,
                    "%s, level %d: %g and %g", a->name, j, a->error.value[j],
                    b->error.value[2 * j]);
  }
}

/* ---- orders ---- */

static const int refinements[] = {3, 5};

TEST_OF_MANY_PATHS_OVER(orders_do_not_depend_on_refinement, on_one_rank(2)) {
  cas_results r;
  run_well(&r,
           "%sstudy: {kind: strong, coarsest_step: 2^-4, coarsest_steps: 8, refinement: %d, "
           "levels: 4, reference: 4, paths: 2000}\n",
           body, refinements[_i]);
  const cas_curve *c = cas_results_curve(&r, 0);
  const cas_law law = cas_laws_headline(&c->laws);
  ck_assert_msg(law.low < 0.5 && law.high > 0.5 && fabs(law.order - 0.5) < 0.1, "order %g [%g, %g]",
                law.order, law.low, law.high);
  for (int j = 0; j < 3; j++)
    ck_assert_msg(fabs(c->local_order.value[j] - 0.5) < 0.1 + 4 * c->local_order.standard_error[j],
                  "level %d: %g +- %g", j, c->local_order.value[j],
                  c->local_order.standard_error[j]);
}

/* Paths with fine increments in reverse order have Levy areas of the other sign. */
TEST_OF_MANY_PATHS_OVER(reverse_order_is_antithetic, on_one_rank(2)) {
  cas_results r;
  run_well(&r,
           "%sstudy: {kind: weak_multilevel, functionals: [sin2pi], coarsest_step: 2^-5, "
           "coarsest_steps: 8, refinement: %d, levels: 4, paths: 4000}\n",
           body, refinements[_i]);
  const cas_curve *d = &cas_results_multilevel(&r)->functional[0];
  const cas_law law = cas_laws_headline(&d->laws);
  ck_assert_msg(fabs(d->coupled.variance_decay.order - 2) < 0.2, "%g",
                d->coupled.variance_decay.order);
  for (int l = 0; l < 2; l++)
    ck_assert_msg(fabs(d->coupled.local_decay[l] - 2) < 0.3, "level %d: %g", l,
                  d->coupled.local_decay[l]);
  ck_assert(!cas_findings_have(d->findings, CAS_NOT_ANTITHETIC));
  ck_assert_msg(law.low < 1 && law.high > 1, "order %g [%g, %g]", law.order, law.low, law.high);
}

/* Levels are added until the bias, extrapolated with the right ratio of steps, is small: the
   estimate is within four standard errors of one with a tenth of the error. */
TEST_OVER(multilevel_monte_carlo_reaches_epsilon, on_one_rank(1)) {
  static const char *const epsilon[] = {"4e-3, refinement: 3", "1e-3"};
  double estimate[2], error[2];
  for (int i = 0; i < 2; i++) {
    cas_results r;
    run_well(&r,
             "%sstudy: {kind: mlmc, functionals: [sin2pi], coarsest_step: 2^-3, coarsest_steps: "
             "4, max_levels: 10, epsilon: %s}\n",
             body, epsilon[i]);
    const cas_multilevel *m = cas_results_mlmc(&r);
    ck_assert(m->reached);
    estimate[i] = m->functional[0].estimate.value;
    error[i] = m->functional[0].estimate.total_error;
    for (int l = 1; l < m->levels; l++)
      ck_assert_msg(m->functional[0].estimate.consistency[l] < 1, "level %d: %g", l,
                    m->functional[0].estimate.consistency[l]);
  }
  ck_assert_msg(fabs(estimate[0] - estimate[1]) < 4 * hypot(error[0], error[1]),
                "%g +- %g and %g +- %g", estimate[0], error[0], estimate[1], error[1]);
}

/* Orders of other studies, in the same unit of step sizes: medians of strong errors, and suprema of
   weak ones, which without noise are those of a scheme of order 2. */
TEST_OF_MANY_PATHS_OVER(orders_of_other_studies, on_one_rank(1)) {
  cas_results r;
  run_well(&r,
           "%sstudy: {kind: strong_quantiles, quantiles: [0.5], coarsest_step: 2^-4, "
           "coarsest_steps: 8, refinement: 3, levels: 3, reference: 5, paths: 2000}\n",
           body);
  const cas_strong_quantiles *q = cas_results_find(&r, "strong_quantiles");
  for (int l = 0; l < 2; l++)
    ck_assert_msg(fabs(q->local_order.value[l] - 0.5) < 0.15, "level %d: %g", l,
                  q->local_order.value[l]);
  run_well(&r, "system: {name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: quadratic, sigma: "
               "0}}\nstudy: {kind: weak_times, functionals: [sin2pi], times: [0.5, 1], "
               "coarsest_step: 2^-4, coarsest_steps: 16, refinement: 3, levels: 3, reference: 6, "
               "paths: 1}\n");
  const cas_weak_times *w = cas_results_find(&r, "weak_times/sin2pi");
  for (int l = 0; l < 2; l++)
    ck_assert_msg(fabs(w->local_order.value[l] - 2) < 0.05, "level %d: %g", l,
                  w->local_order.value[l]);
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
