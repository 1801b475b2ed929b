/* Functionals of whole paths: what they are by definition, at every step of every system and
   scheme, and what is known exactly of Brownian motion and of functions of the time. */
/* ranks: 1 2 */
/* needs: sprng */
#include "studies/laws/distribution.h"
#include "studies/laws/weak_times.h"
#include "study_fixture.h"

/* x1, x2 turn by the angle -s W(t), without error: the angle is 0.5 W. */
#define BODY                                                                                    \
  "system: {name: rigid_body, inertia: [.inf, .inf, .inf], noise: {kind: linear, chi: [[0, 0, " \
  "0.5]]}, initial: [1, 0, 0]}\nrandom: {generator: threefry, seed: 7}\n"
#define BROWNIAN BODY "integrator: {name: munthe_kaas, truncation: 0}\n"
#define ANGLE "atan2(x2, x1)"
#define WEAK(more)                                                                               \
  BROWNIAN "study: {kind: weak, coarsest_step: 2^-2, coarsest_steps: 4, " more ", functionals: " \
           "[%s]}\n"
#define MANY WEAK("levels: 2, reference: 4, paths: %d")
#define ONE_STUDY WEAK("levels: 1, reference: 1, paths: 500")

static int many(void) { return all_or(20000, 1000); }
static const double deviation = 0.5, pi = 3.14159265358979;

/* An expression, and what is known of it. */
typedef struct {
  const char *functional;
  double value;
} known;

/* They are f0, f1, .. of a study, and its curves 0, 1, .. */
static const char *list_of(const known *k, size_t n) {
  const char *list = "";
  for (size_t i = 0; i < n; i++)
    list = formatted("%s{f%d: \"%s\"}, ", list, (int)i, k[i].functional);
  return list;
}

#define LIST(array) list_of(array, sizeof array / sizeof *array)

/* P(0.5 |W(t)| > a) */
static double beyond(double a, double t) { return erfc(a / (deviation * sqrt(2 * t))); }

static void mean_is(const cas_results *r, int functional, int level, double expected,
                    double error) {
  const cas_curve *c = cas_results_curve(r, functional);
  ck_assert_msg(fabs(c->mean.value[level] - expected) <= 4.5 * error,
                "%s, level %d: %.6g, must be %.6g +- %.2g", c->name, level, c->mean.value[level],
                expected, error);
}

/* ---- Brownian motion ---- */

/* The reflection principle, P(W has passed a by t) = 2 P(W(t) > a), on every level, because
   Brownian bridges between its steps are exact here; and at every step, by the time of passage. */
TEST_OVER(passages_of_brownian_motion, on_one_rank(1)) {
  const known passage[] = {{"passed(" ANGLE ", 0.3)", beyond(0.3, 1)},
                           {"passed(" ANGLE ", -0.5)", beyond(0.5, 1)},
                           {"passed(" ANGLE ", 1)", beyond(1, 1)},
                           {"first_passage(" ANGLE ", 0.3) <= 0.25", beyond(0.3, 0.25)},
                           {"first_passage(" ANGLE ", -0.5) <= 0.5", beyond(0.5, 0.5)},
                           {"first_passage(" ANGLE ", 1) <= 0.75", beyond(1, 0.75)}};
  const cas_results *r = results_of(MANY, many(), LIST(passage));
  for (int i = 0; i < 6; i++)
    for (int l = 0; l <= 2; l++)
      mean_is(r, i, l, passage[i].value, sqrt(passage[i].value * (1 - passage[i].value) / many()));
}

static double expected_maximum(int steps) {
  double most = 0;
  for (int k = 1; k <= steps; k++)
    most += sqrt((double)k / steps / (2 * pi)) / k;
  return deviation * most;
}

/* Sums of normals are seen at the steps alone: Spitzer's identity, E max = sum_k E (S_k)^+ / k. The
   trapezoidal rule is the mean of the integral given the steps, whose variance is h^2 T/12 less
   than T^3/3. The time above 0 has the mean T/2. */
TEST_OVER(sums_of_normals, on_one_rank(1)) {
  const double n = many(), variance = deviation * deviation;
  const cas_results *r =
      results_of(MANY, many(),
                 "{most: \"path_max(" ANGLE ")\"}, {least: \"-path_min(" ANGLE
                 ")\"}, {square: \"integral(" ANGLE ")^2\"}, {up: \"time_above(" ANGLE ", 0)\"}");
  for (int l = 0; l <= 2; l++) {
    const int steps = l < 2 ? 4 << l : 64;
    const double square = variance * (1.0 / 3 - 1.0 / steps / steps / 12);
    mean_is(r, 0, l, expected_maximum(steps), deviation * 0.61 / sqrt(n));
    mean_is(r, 1, l, expected_maximum(steps), deviation * 0.61 / sqrt(n));
    mean_is(r, 2, l, square, sqrt(2) * square / sqrt(n));
    mean_is(r, 3, l, 0.5, sqrt(0.125 / n));
  }
  /* maxima of paths with noise have order 1/2, of which the laws of errors do not know */
  ck_assert(isnan(cas_results_curve(r, 0)->expected_order));
  ck_assert(cas_results_curve(r, 2)->expected_order == 1);
}

/* Levels of a multilevel study have paths of their own, and the sum of their differences is the
   error of the coarsest step: none for passages, and for the maximum by Spitzer's identity. */
TEST(coupled_levels) {
  const cas_multilevel *m = multilevel_of(
      "%s", BROWNIAN "study: {kind: weak_multilevel, coarsest_step: 2^-2, coarsest_steps: 4, "
                     "levels: 2, coupling: antithetic, paths: 20000, functionals: [{p: "
                     "\"passed(" ANGLE ", 0.3)\"}, {most: \"path_max(" ANGLE ")\"}]}\n");
  ck_assert_int_eq(m->levels, 2);
  for (int l = 0; l < 2; l++)
    for (int i = 0; i < 2; i++) {
      const double lost = i ? expected_maximum(4 << l) - expected_maximum(8 << l) : 0,
                   found = m->functional[i].difference.value[l],
                   error = m->functional[i].difference.standard_error[l];
      ck_assert_msg(fabs(found - lost) <= 4.5 * error && (i == 0 || error < 0.01),
                    "%s, level %d: %g +- %g, must be %g", m->functional[i].name, l, found, error,
                    lost);
    }
}

/* Schemes know the noise of an expression; steps alone would see 0.035 and more less. */
TEST_OVER(passages_with_every_scheme, on_one_rank(1)) {
  const double n = all_or(6000, 500), p = beyond(0.5, 1);
  for (const cas_integrator *const *i = cas_kernels_get()->integrators; *i; i++) {
    if (!fits(cas_system_find("rigid_body"), *i) || strcmp((*i)->name, "splitting") == 0)
      continue;
    const cas_results *r =
        results_of(BODY "integrator: {name: %s, truncation: 4}\nstudy: {kind: weak, coarsest_step: "
                        "2^-5, coarsest_steps: 32, levels: 1, reference: 1, paths: %.0f, "
                        "functionals: [{%s: \"passed(" ANGLE ", 0.5)\"}]}\n",
                   (*i)->name, n, (*i)->name);
    for (int l = 0; l <= 1; l++)
      mean_is(r, 0, l, p, sqrt(p * (1 - p) / n));
  }
}

/* ---- probabilities ---- */

static void is_interval_of(double mean, double paths, double level, double low, double high) {
  double expected[2];
  cas_probability_interval(llround(mean * paths), (int64_t)paths, level, &expected[0],
                           &expected[1]);
  ck_assert_msg(low == expected[0] && high == expected[1] && low < high, "P = %g of %g: [%g, %g]",
                mean, paths, low, high);
}

/* Means of what is 1 or 0 have intervals of counts, those of other functionals have none. */
static void have_intervals(const char *what, const cas_means *m, int n, double paths, bool have) {
  for (int i = 0; i < n; i++)
    if (have)
      is_interval_of(m->value[i], paths, 0.95, m->low[i], m->high[i]);
    else
      ck_assert_msg(isnan(m->low[i]) && isnan(m->high[i]), "%s", what);
}

TEST_OVER(events_have_intervals, on_one_rank(1)) {
  static const known events[] = {{"x1 > 0.9", true},
                                 {"x1 >= 0.9", true},
                                 {"passed(x2, 0.3)", true},
                                 {"(x1 > 0.9)*(x2 < 0)", true},
                                 {"x1", false},
                                 {"(x1 > 0.9) + (x2 < 0)", false},
                                 {"2*(x1 > 0.9)", false}};
  const cas_results *r = results_of(ONE_STUDY, LIST(events));
  for (int i = 0; i < 7; i++)
    have_intervals(events[i].functional, &cas_results_curve(r, i)->mean, 2, 500, events[i].value);
}

/* Each time of an ensemble has its own: by the arcsine law a probability of 1/2 each. */
TEST_OVER(ensembles_have_intervals, on_one_rank(1)) {
  const cas_ensemble *e =
      ensemble_of("%s", BROWNIAN
                  "study: {kind: ensemble, step: 2^-3, steps: 8, times: [0.5, 1], paths: 3000, "
                  "observables: [x1, {up: x2 > 0}, {tau: \"first_passage(" ANGLE ", 0.2)\"}]}\n");
  const cas_ensemble_observable *up = &e->observable[1];
  ck_assert(!e->observable[0].probability && up->probability && !e->observable[2].probability);
  have_intervals("x2 > 0", &up->mean, 2, 3000, true);
  for (int t = 0; t < 2; t++)
    ck_assert(up->mean.low[t] - 0.03 < 0.5 && 0.5 < up->mean.high[t] + 0.03);
}

/* At each time, and on each level by its own paths. The share of paths outside the bins is wide
   enough for both of its step sizes together. */
TEST_OVER(times_levels_and_shares_have_intervals, on_one_rank(1)) {
  static const char study[] = BROWNIAN "study: {coarsest_step: 2^-2, coarsest_steps: 4, paths: "
                                       "500, functionals: [x1, {up: x2 > 0.1}], %s}\n";
  const cas_results *r =
      results_of(study, "kind: weak_times, levels: 1, reference: 1, times: [0.5, 1]");
  const cas_weak_times *up = cas_results_find(r, "weak_times/up"),
                       *x1 = cas_results_find(r, "weak_times/x1");
  have_intervals("up", &up->mean, 2, 500, true);
  have_intervals("x1", &x1->mean, 2, 500, false);
  r = results_of(study, "kind: weak_multilevel, levels: 2");
  for (int i = 0; i < 2; i++) {
    have_intervals("level", &cas_results_multilevel(r)->functional[i].mean, 2, 500, i == 1);
    have_intervals("curve", &cas_results_curve(r, i)->mean, 2, 500, i == 1);
  }
  r = results_of(study, "kind: law, levels: 1, reference: 1, range: [-0.3, 0.4]");
  const cas_distribution_table *t = cas_results_find(r, "law/x1");
  is_interval_of(t->outside, 500, 0.975, t->outside_low, t->outside_high);
  ck_assert(t->outside > 0.1);
}

/* Files say what is known of paths between steps. */
TEST(files_say_how_passages_are_seen) {
  static const char *const seen[][2] = {
      {"x1", ""},
      {"integral(x1)", ""},
      {"path_max(x1)", "extremes at the steps"},
      {"passed(x1, 0.3)", "passages by Brownian bridges between steps"},
      {"passed(path_min(x1), 0.3)",
       "passages by Brownian bridges between steps, extremes at the steps"}};
  for (size_t i = 0; i < sizeof seen / sizeof *seen; i++) {
    const char *text =
        results_of(ONE_STUDY, formatted("{f: \"%s\"}", seen[i][0]))->provenance.monitoring;
    ck_assert_msg(text ? !strcmp(text, seen[i][1]) : !*seen[i][1], "%s: %s", seen[i][0], text);
  }
}

/* ---- functions of the time ---- */

/* Straight lines have no error at any level, nor functionals of functionals; values at 2.5. */
static const known of_time[] = {{"path_max(t)", 2.5},
                                {"path_min(1 - t)", -1.5},
                                {"integral(t)", 3.125},
                                {"integral(1)", 2.5},
                                {"path_mean(t)", 1.25},
                                {"path_max(path_mean(1 - t))", 1},
                                {"time_above(t, 0.3)", 2.2},
                                {"time_above(1, t)", 1},
                                {"first_passage(t, 0.3)", 0.3},
                                {"first_passage(0.3 - t, 0)", 0.3},
                                {"first_passage(t, 3)", 2.5},
                                {"first_passage(t, 0)", 0},
                                {"passed(t, 0.3)", 1},
                                {"passed(t, 3)", 0},
                                {"passed(0.3, t)", 1},
                                {"path_max(first_passage(t, 2) + 0*x1)", 2},
                                {"first_passage(integral(1), 1.5)", 1.5},
                                {"integral(path_max(t) - integral(1))", 0},
                                {"if(path_max(t) > 2, integral(t)/t, 7)", 1.25}};

TEST(functions_of_the_time) {
  const cas_results *r =
      results_of(STUDY_BODY "study: {kind: weak, coarsest_step: 2^-3, coarsest_steps: 20, levels: "
                            "2, reference: 3, paths: 10, functionals: [%s]}\n",
                 LIST(of_time));
  ck_assert_int_eq(cas_results_curves(r), sizeof of_time / sizeof *of_time);
  for (int i = 0; i < cas_results_curves(r); i++)
    for (int l = 0; l <= 2; l++)
      assert_near(cas_results_curve(r, i)->mean.value[l], of_time[i].value, 1e-13,
                  of_time[i].functional);
}

/* A symmetric body turns evenly about its axis: x1 = 0.6 cos(0.8 t). Errors of second order. */
TEST(second_order_without_noise) {
  const double rate = 0.8, T = 6;
  const known of_turn[] = {{"integral(x1)", 0.6 * sin(rate * T) / rate},
                           {"first_passage(x1, -0.3)", 2 * pi / 3 / rate},
                           {"time_above(x1, 0)", T - pi / rate},
                           {"path_min(x1)", -0.6}};
  const cas_results *r = results_of(
      "system: {name: rigid_body, inertia: [1, 1, 0.5], initial: [0.6, 0, 0.8]}\nstudy: {kind: "
      "weak, coarsest_step: 0.1, coarsest_steps: 60, levels: 2, reference: 3, paths: 1, "
      "functionals: [%s]}\n",
      LIST(of_turn));
  for (int i = 0; i < 4; i++) {
    const double *mean = cas_results_curve(r, i)->mean.value,
                 coarse = fabs(mean[0] - of_turn[i].value),
                 fine = fabs(mean[2] - of_turn[i].value); /* eighth the step */
    ck_assert_msg(coarse < 0.05 && fine < coarse / (i < 3 ? 30 : 4), "%s: errors %g and %g",
                  of_turn[i].functional, coarse, fine);
  }
}

/* ---- every system ---- */

/* A value that the Hamiltonian of a path passes within two steps. */
static double passed_by_hamiltonian(const cas_system *s) {
  const char *value = s->observables[0].name;
  run_well(NULL,
           "system: {%s}\nstudy: {kind: trajectory, step: 2^-6, steps: 2, observables: [%s]}\n",
           example_of(s), value);
  series before = recorded_series(value);
  cas_meet(MPI_COMM_WORLD);
  return before.value[0] + 0.5 * (before.value[1] - before.value[0]);
}

/* Functionals by their definitions from the values at all steps. */
static void follow_hamiltonian(const cas_system *s, double level, const cas_integrator *i,
                               const char *more) {
  static const char *const names[] = {"most", "least", "sum", "tau", "beyond"};
  const char *value = s->observables[0].name;
  run_well(
      NULL,
      "system: {%s}\nintegrator: {name: %s%s}\nstudy: {kind: trajectory, step: 2^-6, steps: 12, "
      "observables: [%s, {most: path_max(%s)}, {least: path_min(%s)}, {sum: integral(%s)}, {tau: "
      "\"first_passage(%s, %.17g)\"}, {beyond: \"passed(%s, %.17g)\"}]}\n",
      example_of(s), i->name, more, value, value, value, value, value, level, value, level);
  const series all = recorded_series(value);
  series found[5];
  double most = all.value[0], least = most, sum = 0;
  for (int k = 0; k < 5; k++)
    found[k] = recorded_series(names[k]);
  for (int k = 0; k <= 12; k++) {
    const double now = all.value[k], tau = found[3].value[k];
    const bool beyond = found[4].value[k] == 1;
    most = fmax(most, now);
    least = fmin(least, now);
    sum += k ? 0x1p-6 * 0.5 * (all.value[k - 1] + now) : 0;
    ck_assert_msg(found[0].value[k] == most && found[1].value[k] == least &&
                      fabs(found[2].value[k] - sum) <= 1e-12 * (fabs(sum) + 1) && tau >= 0 &&
                      tau <= k * 0x1p-6 && (beyond || tau == k * 0x1p-6) &&
                      (beyond || (most >= level) == (least >= level)),
                  "%s, %s%s, record %d: from %g to %g, integral %g, passage of %g at %g", s->name,
                  i->name, more, k, found[1].value[k], found[0].value[k], found[2].value[k], level,
                  tau);
  }
  cas_meet(MPI_COMM_WORLD);
}

TEST_OVER(every_system_and_scheme, on_one_rank(1)) {
  for (const cas_system *const *s = cas_kernels_get()->systems; *s; s++) {
    const double level = passed_by_hamiltonian(*s);
    for (const cas_integrator *const *i = cas_kernels_get()->integrators; *i; i++)
      if (fits(*s, *i))
        follow_hamiltonian(*s, level, *i, "");
  }
}

TEST(steps_with_further_normals) {
  const cas_system *body = cas_system_find("rigid_body");
  const cas_integrator *midpoint = cas_integrator_find("isospectral_midpoint");
  const double level = passed_by_hamiltonian(body);
  follow_hamiltonian(body, level, midpoint, ", weak_order: 2");
  follow_hamiltonian(body, level, midpoint, ", areas: 4");
}

/* ---- what is refused ---- */

/* What is no number at one step is none of the whole path. */
static const struct {
  const char *functional, *words;
  cas_status status;
} wrong[] = {
    {"path_max(sqrt(t - 0.3))", "500 of 500 paths failed", CAS_CHECK_FAILED},
    {"passed(sqrt(0.3 - t), 0)", "500 of 500 paths failed", CAS_CHECK_FAILED},
    {"time_above(sqrt(t - 0.3), 5)", "500 of 500 paths failed", CAS_CHECK_FAILED},
    {"path_max(x1, x2)", "path_max has 2 arguments here, must have 1", CAS_BAD_INPUT},
    {"passed(x1)", "passed has 1 argument here, must have 2", CAS_BAD_INPUT},
    {"path_max(x4)", "there is no 'x4'; did you mean 'x1'?", CAS_BAD_INPUT},
    {"pathmax(x1)", "there is no 'pathmax'; did you mean 'path_max'?", CAS_BAD_INPUT},
    {"path_max", "there is no 'path_max'", CAS_BAD_INPUT},
};

TEST_OVER(what_is_wrong_is_said, sizeof wrong / sizeof *wrong) {
  run_to(wrong[_i].status, wrong[_i].words, ONE_STUDY,
         formatted("{f: \"%s\"}", wrong[_i].functional));
}

/* The names are those of functions only where a parenthesis follows. */
TEST(names_are_free) {
  const cas_results *r = results_of(ONE_STUDY, "{integral: x1}, {passed: integral(2)}");
  ck_assert(curve_named(r, "passed")->mean.value[0] == 2);
}

RUN_TESTS_WITH_MPI
