/* Exactly known cases and the orders that integrators declare, through whole studies. */
/* ranks: 1 */
/* needs: sprng */
/* lane: slow */
#include "paths/noise/noise.h"
#include "study_fixture.h"

/* H0 = 0, chi_k = sigma e_k: E x(t) = exp(-sigma^2 t) x0 with every generator, on every level. */
static void has_mean_of_linear_noise(const char *generator) {
  const double sigma = 0.8, x0[3] = {0.6, 0, 0.8};
  const cas_results *r =
      results_of("system: {name: rigid_body, inertia: [.inf, .inf, .inf], noise: {kind: linear, "
                 "sigma: 0.8}, initial: [0.6, 0, 0.8]}\n"
                 "random: {generator: %s}\n"
                 "study: {kind: weak, coarsest_step: 1/64, horizon: 0.5, levels: 1, reference: 1, "
                 "paths: 20000, functionals: [x1, x2, x3]}\n",
                 generator);
  for (int k = 0; k < 3; k++) {
    const cas_curve *c = curve_named(r, (const char *[]){"x1", "x2", "x3"}[k]);
    double d = fabs(c->mean.value[1] - exp(-sigma * sigma * 0.5) * x0[k]);
    ck_assert_msg(d < 4 * c->mean.standard_error[1], "%s: x%d off by %.2f standard errors",
                  generator, k + 1, d / c->mean.standard_error[1]);
    ck_assert(c->mean.standard_error[1] < 0.01);
  }
}

TEST_OF_MANY_PATHS(every_generator_has_the_mean_of_linear_noise) {
  for (const cas_generator *const *g = cas_generator_list(); *g; g++)
    if (!(*g)->replayed && !(*g)->missing)
      has_mean_of_linear_noise((*g)->name);
}

/* Without noise every integrator has the order that it declares, on every system that it fits. */
TEST_OF_MANY_PATHS(order_without_noise) {
  for (const cas_system *const *s = cas_kernels_get()->systems; *s; s++)
    for (const cas_integrator *const *i = cas_kernels_get()->integrators; *i; i++) {
      if (!fits(*s, *i))
        continue;
      const cas_results *r = results_of("system: {name: %s, %s}\nintegrator: {name: %s}\n"
                                        "study: {kind: strong, coarsest_step: 2^-4, "
                                        "coarsest_steps: 16, levels: 4, reference: 8, paths: 64}\n",
                                        (*s)->name, (*s)->example.keys, (*i)->name);
      const cas_curve *c = curve_named(r, "error");
      ck_assert(c->expected_order == (*i)->order);
      double order = cas_laws_headline(&c->laws).order;
      ck_assert_msg(fabs(order - (*i)->order) < 0.02, "%s, %s: order %g", (*s)->name, (*i)->name,
                    order);
    }
}

/* With its noises every pair has theory's strong order, and the solution of the reference. */
static void has_strong_order(const cas_system *system, const char *noise,
                             const cas_integrator *scheme, int paths, double width) {
  const cas_results *r =
      results_of("system: {name: %s, %s, %s}\n"
                 "integrator: {name: %s, truncation: 4}\n"
                 "random: {generator: threefry, seed: 5}\n"
                 "study: {kind: convergence, coarsest_step: 2^-7, coarsest_steps: 4, levels: 6, "
                 "reference: {level: 7, integrator: %s}, paths: %d, functionals: [%s]}\n",
                 system->name, system->example.keys, noise, scheme->name, reference_of(system),
                 paths, system->functionals[0].name);
  const cas_curve *c = curve_named(r, "error");
  const double order = c->expected_order;
  const cas_law law = cas_laws_headline(&c->laws);
  ck_assert_msg(law.low < order + 0.03 && law.high > order - 0.03 &&
                    fabs(law.order - order) < width / 4,
                "%s, %s: %s", system->name, scheme->name, findings_text(c->findings));
  ck_assert(law.high - law.low < width);
  ck_assert_msg(!system->momenta.number || fabs(law.order - order) < 0.06, "%s, %s: %s",
                system->name, scheme->name, findings_text(c->findings));
  for (int j = 0; j + 1 < 6; j++)
    ck_assert_msg(c->error.value[j] > 1.2 * c->error.value[j + 1], "%s, %s, level %d: %g, then %g",
                  system->name, scheme->name, j, c->error.value[j], c->error.value[j + 1]);
  for (int j = 0; j < 6; j++) {
    const double largest = curve_named(r, "error_sup")->error.value[j],
                 sum = curve_named(r, "error_increments")->error.value[j];
    ck_assert(largest >= c->error.value[j]);
    /* of four coarse steps: by the inequality of Cauchy and Schwarz, and that of the triangle */
    ck_assert_msg(largest <= 2 * sum * (1 + 1e-9) && sum <= 4 * largest, "%s, %s: %g, %g",
                  system->name, scheme->name, sum, largest);
  }
  ck_assert(r->health.failed_paths == 0);
  const bool kept = scheme->keeps & (CAS_KEEPS_CASIMIRS | CAS_KEEPS_MOMENTA);
  const double drift = r->health.casimir_drift_max;
  if (r->provenance.casimirs) /* forcing changes them */
    ck_assert(drift > 1e-6);
  else if (system->momenta.number)
    ck_assert(!kept || drift < 1e-12);
  else if (is_cotangent(system))
    ck_assert(drift == 0);
  else
    ck_assert((drift < 1e-12) == kept || scheme->keeps & CAS_KEEPS_QUADRATIC);
}

/* The schemes that fit a system, and their number. */
static int list_fitting(const cas_system *s, const cas_integrator **scheme) {
  int n = 0;
  for (const cas_integrator *const *i = cas_kernels_get()->integrators; *i; i++)
    if (fits(s, *i))
      scheme[n++] = *i;
  return n;
}

enum { SCHEMES = 40 };

/* Whether number `which` of n studies is one that a run of few repetitions makes, the first
   of which is number `first`: each system has other schemes then. Steps of all pairs of systems and
   schemes have the right local errors (tests/test_higher_order.c), and all schemes share what makes
   paths and errors of steps, so that a study is one of many that would see the same fault. */
static bool is_repeated(int which, int n, int first) {
  return (which + n - first % n) % n < repetitions(n);
}

/* Noises of fluids besides those of the examples, and white forcing beside noise. */
static const struct {
  const char *system, *noise;
} besides[] = {
    {"euler_zeitlin", "noise: {kind: transport, fields: [[1, 2, 1, 0.6], [1, 1, 0, 0.3], [2, 2, "
                      "-1, 0.6], [3, 1, 1, 0.5]]}"},
    {"euler_zeitlin", "rotation: 0.3, noise: {kind: transport, fields: [[1, 2, 1, 0.6], [2, 2, -1, "
                      "0.6], [3, 1, 1, 0.5]]}, damping: {viscosity: 0.05, friction: 0.1}, forcing: "
                      "{white: {lmin: 2, lmax: 2, rate: 0.5}}"},
    {"sine_euler",
     "noise: {amplitude: 0.5, fields: [[1, 1, -1, 1], [1, 0, 1, 0.5], [2, 1, 1, 1]]}, damping: "
     "{viscosity: 0.05}, forcing: {white: {lmin: 1, lmax: 1, rate: 0.2}}"},
};

/* With its noises every pair has the weak order of theory, 1 say: differences of expectations
   between neighbouring steps follow c1 h + c2 h^2 and shrink like it, and where c1 is much larger
   than its error and than what c2 adds, the fitted order is that. */
static void has_weak_order(const cas_system *system, const char *noise,
                           const cas_integrator *scheme, int paths) {
  const cas_results *r = results_of("system: {name: %s, %s, %s}\n"
                                    "integrator: {name: %s, truncation: 4}\n"
                                    "random: {generator: threefry, seed: 5}\n"
                                    "study: {kind: weak_multilevel, coarsest_step: 2^-4, "
                                    "coarsest_steps: 8, levels: 4, paths: %d, functionals: [%s]}\n",
                                    system->name, system->example.keys, noise, scheme->name, paths,
                                    system->functionals[0].name);
  const cas_curve *d = &cas_results_multilevel(r)->functional[0];
  const cas_law *theory = &d->laws.law[CAS_LAW_TWO_TERM_THEORY];
  const cas_law law = cas_laws_headline(&d->laws);
  double largest = 0;
  ck_assert_msg(theory->p_value > 1e-3, "%s, %s: %s", system->name, scheme->name,
                findings_text(d->findings));
  ck_assert(theory->order == scheme->weak_order);
  for (int l = 0; l < 3; l++)
    largest = fmax(largest, fabs(d->difference.value[l]));
  ck_assert_msg(fabs(d->difference.value[3]) < 0.5 * largest + 4 * d->difference.standard_error[3],
                "%s, %s: the last difference is %g, before %g", system->name, scheme->name,
                d->difference.value[3], largest);
  if (fabs(theory->coefficient[0]) > 20 * theory->coefficient_error[0] &&
      theory->leading_share > 0.75)
    ck_assert_msg(law.low < scheme->weak_order + 0.05 && law.high > scheme->weak_order - 0.05,
                  "%s, %s: %s", system->name, scheme->name, findings_text(d->findings));
}

/* Strong orders, then weak ones. */
TEST_OF_MANY_PATHS_OVER(orders_with_noise, 2 * count_systems()) {
  const int which = _i / 2;
  const cas_system *s = cas_kernels_get()->systems[which];
  const cas_integrator *scheme[SCHEMES];
  const int n = list_fitting(s, scheme);
  /* of order 1 are nearly all laws of momenta; resampled, few have the order 1/2 */
  const bool of_momenta = s->momenta.number != NULL;
  for (int i = 0; i < n; i++) {
    if (_i % 2 == 1 && is_repeated(i, n, which + repetitions(n)))
      has_weak_order(s, s->example.noise, scheme[i], 4000);
    if (_i % 2 == 1 || !is_repeated(i, n, which))
      continue;
    has_strong_order(s, s->example.noise, scheme[i], 3000, of_momenta ? 0.6 : 0.2);
    if (s->example.commuting)
      has_strong_order(s, s->example.commuting, scheme[i], 1000, of_momenta ? 0.6 : 0.5);
  }
}

/* Every second scheme that fits steps another noise, because noises reach a scheme by psi, which is
   alike for all. Strong orders, then weak ones. */
TEST_OF_MANY_PATHS_OVER(orders_with_other_noise, 2 * sizeof besides / sizeof *besides) {
  const int which = _i / 2;
  const cas_system *s = cas_system_find(besides[which].system);
  const cas_integrator *scheme[SCHEMES];
  const int all = list_fitting(s, scheme), n = (all + 1 - which % 2) / 2;
  for (int i = which % 2; i < all; i += 2)
    if (is_repeated(i / 2, n, which)) {
      if (_i % 2)
        has_weak_order(s, besides[which].noise, scheme[i], 400);
      else
        has_strong_order(s, besides[which].noise, scheme[i], 2000, 0.25);
    }
}

/* Means, their errors and numbers of paths against whole trajectories of the same paths, in several
   chunks: enough steps that a chunk is one block. */
TEST(every_path_counts) {
  enum { PATHS = 333, NAMES = 3 };
  static const char *const names[NAMES] = {"sin2pi", "x1", "energy"};
  const char *system = "system: {name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: quadratic, "
                       "sigma: 0.5}}\nrandom: {generator: threefry, seed: 3}\n";
  double mean[NAMES] = {0}, square[NAMES] = {0};
  run_well(NULL,
           "%sstudy: {kind: trajectory, step: 2^-12, steps: 4096, every: 4096, paths: %d, "
           "observables: [sin2pi, x1, energy]}\nintegrator: {compensated: false}\n",
           system, PATHS);
  for (int f = 0; f < NAMES; f++) {
    const series s = recorded_series(names[f]);
    const double *last = s.value + (s.records - 1) * PATHS;
    for (int p = 0; p < PATHS; p++)
      mean[f] += last[p] / PATHS;
    for (int p = 0; p < PATHS; p++)
      square[f] += (last[p] - mean[f]) * (last[p] - mean[f]);
  }
  cas_meet(MPI_COMM_WORLD);
  const cas_results *r = results_of(
      "%sstudy: {kind: convergence, coarsest_step: 2^-8, coarsest_steps: 256, levels: 2, "
      "reference: 4, paths: %d, functionals: [sin2pi, x1, energy]}\n",
      system, PATHS);
  for (int f = 0; f < NAMES; f++) {
    const double error = sqrt(square[f] / PATHS / (PATHS - 1));
    assert_near(curve_named(r, names[f])->mean.value[2], mean[f], 1e-13, names[f]);
    assert_near(curve_named(r, names[f])->mean.standard_error[2], error, 1e-9 * error, names[f]);
  }
  for (int j = 0; j < 3; j++)
    ck_assert_int_eq(r->health.steps_taken[j], PATHS * r->steps[j]);
  for (int j = 0; j < 2; j++)
    ck_assert(curve_named(r, "error_sup")->error.value[j] >
              1.01 * curve_named(r, "error")->error.value[j]);
}

/* The error d of a path after k coarse steps: a vector, whose length is the strong error. */
TEST_OVER(strong_errors_are_those_of_vectors, 2) {
  static const char *const names[] = {"x1", "x2", "x3"};
  double d[3], before[3] = {0}, sum = 0;
  for (int k = 1; k <= 4; k++) {
    const cas_results *r = results_of(
        "system: {name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: quadratic, sigma: 0.5}}\n"
        "study: {kind: convergence, coarsest_step: 2^-4, coarsest_steps: %d, levels: 2, reference: "
        "3, paths: 1, functionals: [x1, x2, x3]}\n",
        k);
    for (int i = 0; i < 3; i++) {
      d[i] = curve_named(r, names[i])->error.value[_i];
      sum += pow(d[i] - before[i], 2);
      before[i] = d[i];
    }
    const double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    assert_near(curve_named(r, "error")->error.value[_i], length, 1e-10 * length, "error");
    assert_near(curve_named(r, "error_increments")->error.value[_i], sqrt(sum), 1e-10 * sqrt(sum),
                "increments");
  }
}

RUN_TESTS_WITH_MPI
