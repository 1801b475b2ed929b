/* Studies without noise, where one path tells all, and noises that are none or commute. */
/* ranks: 1 */
/* needs: sprng */
#include "array_fixture.h"
#include "study_fixture.h"

#include <float.h>

static const cas_results *run_noise(const char *noise, int paths) {
  const cas_results *r = results_of(
      "system: {name: rigid_body, inertia: [2, 1, 0.5], noise: %s, initial: [0.36, 0.48, 0.8]}\n"
      "study: {kind: convergence, coarsest_step: 2^-3, coarsest_steps: 2, levels: 4, reference: 8, "
      "paths: %d, functionals: [sin2pi, x1]}\n",
      noise, paths);
  ck_assert_int_eq(cas_results_curves(r), 5);
  return r;
}

TEST(one_path_tells_all) {
  const cas_results *one = run_noise("{kind: quadratic, sigma: 0}", 1),
                    *many = run_noise("{kind: quadratic, sigma: 0}", 200);
  for (int i = 0; i < cas_results_curves(one); i++) {
    const cas_curve *a = cas_results_curve(one, i), *b = cas_results_curve(many, i);
    for (int j = 0; j < a->levels; j++) {
      ck_assert(a->error.standard_error[j] == 0 && b->error.standard_error[j] == 0);
      ck_assert(a->resolved[j] && b->resolved[j] && a->error.value[j] != 0);
      /* states of size 1, which a compiler may have different lanes round differently */
      ck_assert(fabs(a->error.value[j] - b->error.value[j]) <= 64 * DBL_EPSILON);
    }
    for (int j = 0; a->mean.value && j <= a->levels; j++)
      ck_assert(a->mean.standard_error[j] == 0 && b->mean.standard_error[j] == 0);
    const cas_law law = cas_laws_headline(&a->laws);
    ck_assert(a->expected_order == 2 && fabs(law.order - 2) < 0.02);
    ck_assert(law.low == law.order && law.high == law.order);
    ck_assert_msg(a->findings == cas_finding_set(CAS_CONSISTENT), "%s", findings_text(a->findings));
    ck_assert_uint_eq(a->findings, b->findings);
  }
}

/* What nothing disturbs differs from the reference as a bias does: by C (h^p - h_ref^p), strongly
   too, near the reference as well. */
TEST(strong_errors_are_biases) {
  const cas_results *r =
      results_of("system: {name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: none}}\n"
                 "study: {kind: strong, coarsest_step: 2^-5, coarsest_steps: 8, levels: 4, "
                 "reference: 4, paths: 1}\n");
  const cas_curve *c = cas_results_curve(r, 0);
  const cas_law fitted = cas_laws_headline(&c->laws);
  ck_assert_msg(c->kind == CAS_STRONG && fabs(fitted.order - 2) < 0.01, "%g", fitted.order);
  for (int j = 0; j < c->levels; j++) {
    double law = cas_law_value(&fitted, 1, r->step[j], r->step[c->levels]);
    ck_assert_msg(fabs(law / c->error.value[j] - 1) < 0.002, "level %d: %g, by the law %g", j,
                  c->error.value[j], law);
    if (j + 2 < c->levels)
      ck_assert_msg(fabs(c->difference_order.value[j] - 2) < 0.01, "%g",
                    c->difference_order.value[j]);
  }
}

/* Casimirs are kept: their errors are rounding on all levels, and no order is made of it. */
TEST_OVER(rounding_has_no_order, 2) {
  const cas_curve *c = cas_results_curve(
      results_of("system: {name: euler_zeitlin, N: 4, noise: {amplitude: %s, lmin: 1}, initial: "
                 "{random: {seed: 7, norm: 1}}}\nstudy: {kind: weak, coarsest_step: 2^-3, "
                 "coarsest_steps: 4, levels: 4, reference: 6, functionals: [enstrophy], paths: "
                 "50}\n",
                 _i ? "0.3" : "0"),
      0);
  for (int j = 0; j < c->levels; j++)
    ck_assert_msg(fabs(c->error.value[j]) < 1e-14 && !c->resolved[j], "%g", c->error.value[j]);
  ck_assert_uint_eq(c->findings, cas_finding_set(CAS_ALL_ROUNDING));
}

/* With noise one path has no standard error, and says so. */
TEST(one_path_with_noise_tells_nothing) {
  const cas_results *r = run_noise("{kind: quadratic, sigma: 0.1}", 1);
  const cas_curve *c = cas_results_curve(r, 0);
  ck_assert(isnan(c->error.standard_error[0]) && !c->resolved[0]);
  ck_assert(isnan(cas_results_curve(r, 4)->mean.standard_error[0]));
  ck_assert_uint_eq(c->findings, cas_finding_set(CAS_TOO_FEW_PATHS));
}

#define BODY "rigid_body, inertia: [2, 1, 0.5], noise: {"
#define TOP "heavy_top, inertia: [4, 2, 1], mga: [0, 0, 1], noise: {"

static const struct {
  const char *system;
  double order; /* strong, by theory */
  int noises;
} kinds[] = {
    {BODY "kind: none", 2, 0},
    {BODY "kind: linear, sigma: 0", 2, 0},
    {BODY "kind: linear, chi: [[0, 0, 0]]", 2, 0},
    {BODY "kind: linear, chi: [[0, 0, 0], [0, 0, 0]]", 2, 0},
    {BODY "kind: linear, chi: [[0.1, 0, 0]]", 1, 1},
    {BODY "kind: linear, chi: [[0, 0, 0], [0.1, 0, 0]]", 1, 2},
    {BODY "kind: linear, chi: [[0.1, 0.2, 0.3], [-0.3, -0.6, -0.9]]", 1, 2},
    {BODY "kind: linear, chi: [[0.1, 0.2, 0.3], [0.3, 0.6, 0.900001]]", 0.5, 2},
    {BODY "kind: linear, chi: [[0.1, 0, 0], [0, 0, 0], [0, 0.1, 0]]", 0.5, 3},
    {TOP "", 2, 0},
    {TOP "pi: [[0, 0, 0]], square: [0]", 2, 0},
    {TOP "pi: [[0.1, 0, 0]]", 1, 1},
    {TOP "gamma: [[0, 0, 0.1], [0.2, 0, 0], [0, 0.1, 0]]", 1, 3},
    {TOP "square: [0.1, 0.2]", 1, 2},
    {TOP "square: [0.1], pi: [[0, 0.1, 0.2]], gamma: [[0.1, 0, 0]]", 1, 1},
    {TOP "pi: [[0.1, 0.2, 0.3], [-0.3, -0.6, -0.9], [0, 0, 0]]", 1, 3},
    {TOP "pi: [[0.1, 0.2, 0.3], [0.3, 0.6, 0.900001]]", 0.5, 2},
    /* the same noise twice: pi_1 x gamma_2 = pi_2 x gamma_1 although neither is 0 */
    {TOP "pi: [[0.1, 0, 0.2], [0.3, 0, 0.6]], gamma: [[0, 0.2, 0], [0, 0.6, 0]]", 1, 2},
    {TOP "pi: [[0.1, 0, 0.2], [0.3, 0, 0.6]], gamma: [[0, 0.2, 0], [0, 0.5, 0]]", 0.5, 2},
    {TOP "pi: [[0, 0, 0.1], [0, 0, 0]], gamma: [[0, 0, 0], [0, 0, 0.1]]", 1, 2},
    {TOP "pi: [[0, 0, 0.1], [0, 0, 0]], gamma: [[0, 0, 0], [0, 0.1, 0]]", 0.5, 2},
    {TOP "square: [0.1, 0], pi: [[0, 0, 0], [0.1, 0, 0]]", 1, 2},
    {TOP "square: [0.1, 0], gamma: [[0, 0, 0], [0.1, 0, 0]]", 0.5, 2},
    {TOP "square: [0.1, 0.3], gamma: [[0.1, 0, 0], [0.3, 0, 0]]", 1, 2},
};

TEST_OVER(noises_and_their_orders, sizeof kinds / sizeof *kinds) {
  cas_results r;
  run_well(&r,
           "system: {name: %s}}\nintegrator: {name: munthe_kaas}\n"
           "study: {kind: strong, coarsest_step: 2^-5, coarsest_steps: 2, levels: 3, reference: 5, "
           "paths: 10}\n",
           kinds[_i].system);
  ck_assert_msg(cas_results_curve(&r, 0)->expected_order == kinds[_i].order, "%s: order %g",
                kinds[_i].system, cas_results_curve(&r, 0)->expected_order);
  ck_assert_int_eq(r.health.noises, kinds[_i].noises);
}

/* Normals that an amplitude of 0 leaves unread may be replayed, however many columns they have. */
TEST(replayed_normals_without_noise) {
  static const char *const generators[] = {"generator: threefry, seed: 1",
                                           "generator: replay, file: unread.h5"};
  const double unread[8] = {1, -1, 1, -1, 1, -1, 1, -1};
  series s[2];
  write_array("unread.h5", "zeta", 2, (const hsize_t[]){4, 2}, unread);
  for (int i = 0; i < 2; i++) {
    run_well(NULL,
             "system: {name: sliding_disk, friction: 0.1, temperature: 0}\nrandom: {%s}\n"
             "study: {kind: trajectory, step: 2^-3, steps: 4}\n",
             generators[i]);
    s[i] = recorded_series("state");
  }
  ck_assert(s[0].records == 5 && same_series(&s[0], &s[1]));
}

RUN_TESTS_WITH_MPI
