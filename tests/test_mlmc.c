/* Multilevel Monte Carlo: an exact law, cost, rounds, refusals; test_mlmc.sh has runs in pieces. */
/* ranks: 1 3 */
/* needs: sprng */
/* lane: slow */
#include "results_fixture.h"
#include "study_fixture.h"

/* ---- linear noise without a Hamiltonian: E x(t) = exp(-sigma^2 t) x(0) ---- */

#define BODY                                                                                     \
  "system: {name: rigid_body, inertia: [.inf, .inf, .inf], noise: {kind: linear, sigma: 0.8},\n" \
  "  initial: [0.6, 0, 0.8]}\n"

/* Such a study by its seed and the rest of its options. */
#define MLMC BODY "random: {seed: %d}\nstudy: {kind: mlmc, horizon: 0.5, coarsest_step: 1/16, %s}\n"

static cas_multilevel *run_body(int seed, const char *study) { return mlmc_of(MLMC, seed, study); }

/* The root-mean-square error of 100 estimates is epsilon, less what the bias leaves of its part;
   100 budgets are kept, and buy errors of the size that is told. */
TEST_OF_MANY_PATHS_OVER(errors_are_what_is_promised, on_one_rank(2)) {
  enum { SEEDS = 100 };
  const double exact = 0.6 * exp(-0.32);
  int within = 0, foreseen = 0, covered = 0;
  double square = 0;
  for (int seed = 1; seed <= SEEDS; seed++) {
    const cas_multilevel *m =
        run_body(seed, _i ? "budget: 1e6, functionals: [x1]" : "epsilon: 3e-3, functionals: [x1]");
    const cas_multilevel_estimate e = m->functional[0].estimate;
    const double error = (e.value - exact) / (_i ? e.total_error : 3e-3),
                 cost = m->predicted.work / m->total_work;
    within += fabs(error) < 3;
    covered += fabs(e.value - exact) < 2 * e.total_error;
    foreseen += cost > 1 / 1.3 && cost < 1.3;
    square += error * error;
    ck_assert(m->reached && e.total_error <= m->epsilon);
    if (_i) {
      ck_assert_msg(m->total_work > 0.95e6 && m->total_work <= 1e6, "%g", m->total_work);
      ck_assert(m->budget == 1e6 && isnan(m->speed) && isnan(cost) && m->levels <= 6);
      /* what 10^6 iterations of level 0 alone would leave, and a third more for the levels */
      ck_assert_msg(e.total_error < 1.33 * sqrt(0.15 / (1e6 / 24)), "%g", e.total_error);
    } else
      ck_assert(m->epsilon == 3e-3 && e.standard_error <= sqrt(0.75) * 3e-3 && e.bias <= 1.5e-3);
  }
  const double rms = sqrt(square / SEEDS);
  ck_assert_msg(covered >= 90, "%d of %d within 2 errors", covered, SEEDS);
  ck_assert_msg(_i || within >= 95, "%d of %d within 3 epsilon", within, SEEDS);
  ck_assert_msg(_i || foreseen >= 95, "%d of %d costs foreseen within 30%%", foreseen, SEEDS);
  ck_assert_msg(rms > (_i ? 0.75 : 0.6) && rms < 1.15, "root-mean-square error of %g", rms);
}

/* Errors by a scheme that is not symmetric, by steps of weak order 2, and by those with areas. */
TEST_OF_MANY_PATHS_OVER(errors_are_what_is_promised_by_other_schemes, on_one_rank(3)) {
  static const char *const scheme[] = {"name: heun", "weak_order: 2", "areas: 3"};
  enum { SEEDS = 40 };
  const double epsilon = 1e-2, exact = 0.6 * exp(-0.08);
  double square = 0;
  for (int seed = 1; seed <= SEEDS; seed++) {
    const cas_results *r = results_of(
        "system: {name: rigid_body, inertia: [.inf, .inf, .inf], noise: {kind: linear, sigma: "
        "0.4}, initial: [0.6, 0, 0.8]}\nintegrator: {%s}\nrandom: {seed: %d}\nstudy: {kind: mlmc, "
        "horizon: 0.5, coarsest_step: 1/8, epsilon: 1e-2, functionals: [x1]}\n",
        scheme[_i], seed);
    const cas_curve *f = &cas_results_mlmc(r)->functional[0];
    const double error = (f->estimate.value - exact) / epsilon;
    ck_assert(_i == 0 || f->expected_order == 3 - _i);
    square += error * error;
  }
  const double rms = sqrt(square / SEEDS);
  ck_assert_msg(rms <= 1, "%s: %g epsilon", scheme[_i], rms);
}

/* A budget in seconds is one in work, which the results state, and is repeated by that. */
TEST(seconds_become_work_once) {
  const cas_results *timed = results_of(MLMC, 1, "budget: 0.5s, functionals: [x1]");
  cas_multilevel *m = cas_results_mlmc(timed);
  ck_assert(m->budget_seconds == 0.5 && m->speed > 0 && m->total_work <= m->budget);
  ck_assert_msg(m->budget >= 0.5 * m->speed && m->budget <= 0.505 * m->speed, "%g, %g a second",
                m->budget, m->speed);
  const cas_results *stated =
      results_of(MLMC, 1, formatted("budget: %.3g, functionals: [x1]", m->budget));
  m->budget_seconds = m->speed = NAN;
  m->seconds = cas_results_mlmc(stated)->seconds;
  ck_assert(cas_tables_equal(timed, stated));
}

/* A probability that none of the pilot's paths has seen has an error all the same, as if one of
   them had, and more paths follow. */
TEST(an_event_that_is_not_seen_has_an_error) {
  for (int seed = 1; seed <= 4; seed++) {
    const cas_multilevel *m =
        run_body(seed, "epsilon: 1e-3, functionals: [{rare: \"x3 > 0.999999\"}]");
    ck_assert(m->functional[0].estimate.standard_error > 0 &&
              m->functional[0].estimate.standard_error <= 1e-3);
    for (int l = 0; l < m->levels; l++)
      ck_assert(m->functional[0].coupled.variance[l] > 0 && m->paths[l] > 512);
  }
}

/* Plain Monte Carlo of the finest step agrees with what the levels say of it. */
TEST_OF_MANY_PATHS_OVER(plain_paths, on_one_rank(1)) {
  const cas_results *r =
      results_of(MLMC, 1, "epsilon: 2e-3, functionals: [x1, x3], plain_paths: 20000");
  const cas_multilevel *m = cas_results_mlmc(r);
  int last = m->levels - 1;
  ck_assert(m->plain.paths == 20000 && m->functionals == 2);
  ck_assert_double_eq_tol(m->plain.path_work, m->fine_work[last], 0.02 * (m->fine_work[last]));
  for (int i = 0; i < 2; i++) {
    const cas_curve *f = &m->functional[i];
    double error = hypot(f->estimate.standard_error, f->estimate.plain.standard_error);
    ck_assert_double_eq_tol(f->estimate.plain.variance, f->coupled.fine.variance[0],
                            0.1 * (f->coupled.fine.variance[0]));
    ck_assert(fabs(f->estimate.value - f->estimate.plain.mean) < 4 * error);
  }
  double needed = m->functional[0].estimate.plain.variance / (0.75 * 4e-6);
  ck_assert_double_eq_tol(m->plain.work_measured, needed * m->plain.path_work,
                          1e-3 * (needed * m->plain.path_work));
  ck_assert_double_eq_tol(m->plain.work, m->plain.work_measured, 0.2 * (m->plain.work_measured));
  ck_assert(m->plain.seconds > 0 && m->seconds > 0 && m->predicted.seconds > 0);
  ck_assert(r->provenance.paths >= 20000 && r->health.failed_paths == 0);
}

/* Paths of this study are those of no other, nor do levels share any: their means differ. */
TEST(streams_are_its_own) {
  /* level 1 of the one and difference 1 of the other couple the same steps */
  const cas_curve *f =
      mlmc_of(BODY "study: {kind: mlmc, horizon: 0.5, coarsest_step: 1/32, epsilon: 1, "
                   "functionals: [x1], pilot_paths: 640, plain_paths: 640}\n")
          ->functional;
  const cas_curve *d =
      multilevel_of(BODY "study: {kind: weak_multilevel, horizon: 0.5, coarsest_step: 1/16, "
                         "levels: 2, functionals: [x1], paths: 640}\n")
          ->functional;
  const double mean[] = {f->coupled.fine.mean[0], f->coupled.fine.mean[1], f->coupled.fine.mean[2],
                         f->estimate.plain.mean,  f->mean.value[1],        f->mean.value[2],
                         d->mean.value[0],        d->mean.value[1],        d->coupled.fine.mean[0],
                         d->coupled.fine.mean[1]};
  for (size_t i = 0; i < sizeof mean / sizeof *mean; i++)
    for (size_t j = 0; j < i; j++)
      ck_assert(fabs(mean[i] - mean[j]) > 1e-7);
}

/* A pair of levels has one fine path, or two that are antithetic. */
TEST_OVER(couplings, 2) {
  const cas_multilevel *m = run_body(
      1, formatted("epsilon: 1, functionals: [x1], coupling: %s", _i ? "antithetic" : "adjacent"));
  const cas_curve *f = &m->functional[0];
  for (int l = 0; l < 3; l++) {
    ck_assert(m->paths[l] == 512 && m->steps[l] == (l ? 3 + 2 * _i : 2) * (4 << l));
    ck_assert((f->coupled.pair.mean[l] == f->difference.value[l]) == (l == 0 || !_i));
  }
}

TEST(rounds_are_recorded) {
  const cas_multilevel *m = run_body(1, "epsilon: 1e-3, functionals: [x1], pilot_paths: 100");
  ck_assert(m->rounds > 2 && m->levels > 3 && m->round[0] == 128 && m->round[3] == 0);
  for (int l = 0; l < m->levels; l++) {
    ck_assert_int_eq(m->round[(m->rounds - 1) * m->levels + l], m->paths[l]);
    for (int i = 1; i < m->rounds; i++)
      ck_assert(m->round[i * m->levels + l] >= m->round[(i - 1) * m->levels + l]);
  }
  /* levels, three scales of mlmc, health, result, orders, fits, the initial state */
  assert_all_described("results.h5", read_back("results.h5"), 2 + 3 + 17 + 8 + 23 + 18 + 2);
}

/* ---- what is not reached is no success ---- */

/* A pilot that takes more is seen before it runs, if its steps alone are more, or once it has. */
TEST(a_budget_below_the_pilot) {
  is_refused(0, "study.budget: found 65535, but the pilot takes work of 6.554e+04 at", MLMC, 1,
             "budget: 65535, functionals: [x1]");
  const cas_multilevel *m =
      cas_results_mlmc(run_to(CAS_CHECK_FAILED,
                              "budget = 6.554e+04 NOT KEPT: root-mean-square error \nthe work "
                              "exceeds study.budget: raise it",
                              MLMC, 1, "budget: 65536, functionals: [x1]"));
  ck_assert(!m->reached && m->rounds == 1 && m->total_work > m->budget);
  ck_assert(m->functional[0].estimate.total_error > 0);
  run_to(CAS_CHECK_FAILED, "budget = 1e-06 s of core time NOT KEPT: root-mean-square error ", MLMC,
         1, "budget: 0.000001s, functionals: [x1]");
}

TEST_OVER(epsilon_not_reached, 2) {
  static const char *const missed[][2] = {
      {"max_levels: 3", "the bias has more than its share on all levels: raise study.max_levels"},
      {"max_paths: 1000", "all the paths that study.max_paths allows: raise it"}};
  const cas_multilevel *m = cas_results_mlmc(
      run_to(CAS_CHECK_FAILED, formatted("epsilon = 0.001 NOT REACHED\n%s", missed[_i][1]), MLMC, 1,
             formatted("epsilon: 1e-3, functionals: [x1], %s", missed[_i][0])));
  ck_assert(!m->reached && m->levels == 3 && m->functional[0].estimate.total_error > 1e-3);
  const cas_results file = read_results("results.h5");
  ck_assert(cas_results_mlmc(&file) && !cas_results_mlmc(&file)->reached);
}

#define BESIDE "epsilon: 1, functionals: [x1], "

static const char *const refused[][2] = {
    {"epsilon: 0, functionals: [x1]", "study.epsilon: found 0, must be greater than 0"},
    {"epsilon: .nan, functionals: [x1]", "study.epsilon"},
    {"functionals: [x1]", "study: found neither epsilon nor budget, must have one"},
    {BESIDE "budget: 1e9",
     "study: found both epsilon and budget (--set study.epsilon=null takes it away)"},
    {"budget: 2x, functionals: [x1]", "study.budget: found '2x', must be a number greater than 0"},
    {"budget: 0, functionals: [x1]", "study.budget: found '0'"},
    {"budget: -1e9, functionals: [x1]", "study.budget: found '-1e9'"},
    {"budget: 0s, functionals: [x1]", "study.budget: found '0s'"},
    {"budget: .inf, functionals: [x1]", "study.budget: found '.inf'"},
    {"budget: .nan, functionals: [x1]", "study.budget: found '.nan'"},
    {"budget: [1e9], functionals: [x1]", "study.budget: found a list, must be text"},
    {"epsilon: 1, functionals: []", "study.functionals: is empty: name at least one"},
    {"epsilon: 1, functionals: [y1]", "study.functionals: found 'y1'"},
    {"epsilon: 1, functionals: [x1, x1]", "names 'x1' twice"},
    {BESIDE "min_levels: 1", "study.min_levels: found 1, must be between 2 and 31"},
    {BESIDE "max_levels: 32", "study.max_levels: found 32, must be between 2 and 31"},
    {BESIDE "min_levels: 5, max_levels: 4", "max_levels: found 4, must be at least min_levels, 5"},
    {BESIDE "max_paths: 100", "study.pilot_paths: found 512, must be at most max_paths, 100"},
    {BESIDE "max_paths: 15", "study.max_paths: found 15, must be between 16 and "},
    {BESIDE "pilot_paths: 15", "study.pilot_paths: found 15, must be between 16 and "},
    {BESIDE "theta: 1", "study.theta: found 1"},
    {BESIDE "theta: 0", "study.theta: found 0"},
    {BESIDE "coupling: reference", "study.coupling: found 'reference'"},
    {BESIDE "coarsest_steps: 8", "study: found both coarsest_steps and horizon"},
    {BESIDE "paths: 8", "study.paths"},
};

TEST_OVER(bad_options_are_refused, sizeof refused / sizeof *refused) {
  is_refused(4, refused[_i][1], MLMC, 1, refused[_i][0]);
}

TEST(more_paths_than_streams) {
  static const char *const study[] = {"mlmc, epsilon: 1, max_paths: 161281",
                                      "mlmc, epsilon: 1, plain_paths: 161281",
                                      "weak_multilevel, levels: 1, paths: 2097153"};
  for (int i = 0; i < 3; i++)
    is_refused(4, i < 2 ? "161280 paths a level only; threefry" : "2097152 paths a level only",
               BODY "random: {generator: sprng_lcg}\nstudy: {kind: %s, coarsest_step: 1/16, "
                    "horizon: 0.5, functionals: [x1]}\n",
               study[i]);
}

/* ---- other cases ---- */

/* Nothing is random: levels until the bias is small, no sampling error, second order. */
TEST(without_noise) {
  const cas_multilevel *m =
      mlmc_of("system: {name: rigid_body, inertia: [2, 1, 0.5],\n  noise: {kind: quadratic, "
              "sigma: 0}, initial: [0.36, 0.48, 0.8]}\nstudy: {kind: mlmc, coarsest_step: 1/8, "
              "horizon: 0.5, epsilon: 1e-6, functionals: [x1], pilot_paths: 16}\n");
  const cas_curve *f = &m->functional[0];
  ck_assert(f->estimate.standard_error == 0 && f->estimate.bias > 0 && f->estimate.bias <= 5e-7);
  const cas_law law = cas_laws_headline(&f->laws); /* p-values take random errors */
  ck_assert(m->levels > 5 && fabs(law.order - 2) < 0.05 && law.low == law.high);
  ck_assert(isnan(law.chi2) && isnan(law.p_value) && f->expected_order == 2);
}

TEST_OVER(every_system, on_one_rank(looks_for_accesses() ? 2 : count_systems())) {
  const cas_findings warnings = cas_finding_set(CAS_SUM_BROKEN) | cas_finding_set(CAS_OUTLIERS) |
                                cas_finding_set(CAS_NOT_ANTITHETIC) |
                                cas_finding_set(CAS_COST_OUTGROWS_VARIANCE);
  const char *name = cas_kernels_get()->systems[_i]->name;
  const study_case *c = study_case_of(name);
  const cas_results *r = results_of("system: %s\nstudy: {kind: mlmc, epsilon: %s, %s}\n", c->system,
                                    c->epsilon, c->study);
  const cas_multilevel *m = cas_results_mlmc(r);
  ck_assert(m->reached && r->health.failed_paths == 0 && r->health.casimir_drift_max < 1e-11);
  for (int f = 0; f < m->functionals; f++) {
    const cas_curve *p = &m->functional[f];
    ck_assert_msg((p->findings & warnings) == 0, "%s: %s", name, findings_text(p->findings));
    for (int l = 1; l < m->levels; l++) {
      ck_assert(p->estimate.consistency[l] >= 0 && p->estimate.consistency[l] < 1);
      ck_assert_msg(p->coupled.variance[l] < 0.5 * p->coupled.pair.variance[l] ||
                        cas_findings_have(p->findings, CAS_NOISES_COMMUTE),
                    "%s, level %d: %g, with one fine path %g", name, l, p->coupled.variance[l],
                    p->coupled.pair.variance[l]);
    }
  }
}

RUN_TESTS_WITH_MPI
