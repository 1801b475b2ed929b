/* Functionals of whole paths: what they are by definition, at every step of every system and
   scheme, and what is known exactly of Brownian motion and of functions of the time. */
/* ranks: 1 2 */
/* needs: sprng */
#include "studies/laws/distribution.h"
#include "studies/laws/weak_times.h"
#include "study_fixture.h"

/* x1, x2 turn by the angle -s W(t), without error: the angle is 0.5 W. */
#define BROWNIAN                                                                                \
  "system: {name: rigid_body, inertia: [.inf, .inf, .inf], noise: {kind: linear, chi: [[0, 0, " \
  "0.5]]}, initial: [1, 0, 0]}\nrandom: {generator: threefry, seed: 7}\nintegrator: {name: "    \
  "munthe_kaas, truncation: 0}\n"
#define ANGLE "atan2(x2, x1)"

static const double deviation = 0.5;

static double above(double z) { return 0.5 * erfc(z / sqrt(2)); }

static void mean_is(const cas_results *r, const char *name, int level, double expected,
                    double error) {
  const double found = curve_named(r, name)->mean.value[level];
  ck_assert_msg(fabs(found - expected) <= 4.5 * error, "%s, level %d: %.6g, must be %.6g +- %.2g",
                name, level, found, expected, error);
}

/* ---- Brownian motion ---- */

/* The reflection principle, P(W has passed a by t) = 2 P(W(t) > a), on every level, because
   Brownian bridges between its steps are exact here; and at every step, by the time of passage. */
TEST_OVER(passages_of_brownian_motion, on_one_rank(1)) {
  const double n = 20000, level[] = {0.3, -0.5, 1};
  static const char *const at[] = {"0.25", "0.5", "0.75"};
  char list[1200] = "";
  for (int i = 0; i < 3; i++)
    cas_append(list, sizeof list,
               "{passed%d: \"passed(" ANGLE ", %g)\"}, {by%d: \"first_passage(" ANGLE
               ", %g) <= %s\"}, ",
               i, level[i], i, level[i], at[i]);
  const cas_results *r =
      results_of(BROWNIAN "study: {kind: weak, coarsest_step: 2^-2, coarsest_steps: 4, levels: 2, "
                          "reference: 4, paths: %.0f, functionals: [%s]}\n",
                 n, list);
  for (int i = 0; i < 3; i++)
    for (int l = 0; l <= 2; l++) {
      char name[20];
      double p = 2 * above(fabs(level[i]) / deviation);
      snprintf(name, sizeof name, "passed%d", i);
      mean_is(r, name, l, p, sqrt(p * (1 - p) / n));
      p = 2 * above(fabs(level[i]) / (deviation * sqrt(atof(at[i]))));
      snprintf(name, sizeof name, "by%d", i);
      mean_is(r, name, l, p, sqrt(p * (1 - p) / n));
    }
}

static double expected_maximum(int steps) {
  double most = 0;
  for (int k = 1; k <= steps; k++)
    most += sqrt((double)k / steps / (2 * 3.14159265358979)) / k;
  return deviation * most;
}

/* Sums of normals are seen at the steps alone: Spitzer's identity, E max = sum_k E (S_k)^+ / k. The
   trapezoidal rule is the mean of the integral given the steps, whose variance is h^2 T/12 less
   than T^3/3. The time above 0 has the mean T/2. */
TEST_OVER(sums_of_normals, on_one_rank(1)) {
  const double n = 20000;
  const cas_results *r =
      results_of(BROWNIAN "study: {kind: weak, coarsest_step: 2^-2, coarsest_steps: 4, levels: 2, "
                          "reference: 4, paths: %.0f, functionals: [{most: \"path_max(" ANGLE
                          ")\"}, {least: \"-path_min(" ANGLE ")\"}, {square: \"integral(" ANGLE
                          ")^2\"}, {up: \"time_above(" ANGLE ", 0)\"}]}\n",
                 n);
  for (int l = 0; l <= 2; l++) {
    const int steps = l < 2 ? 4 << l : 64;
    const double h = 1.0 / steps, square = 1.0 / 3 - h * h / 12;
    const double most = expected_maximum(steps);
    mean_is(r, "most", l, most, deviation * 0.61 / sqrt(n));
    mean_is(r, "least", l, most, deviation * 0.61 / sqrt(n));
    mean_is(r, "square", l, deviation * deviation * square,
            deviation * deviation * sqrt(2) * square / sqrt(n));
    mean_is(r, "up", l, 0.5, sqrt(0.125 / n));
  }
  /* maxima of paths with noise have order 1/2, of which the laws of errors do not know */
  ck_assert(isnan(curve_named(r, "most")->expected_order));
  ck_assert(curve_named(r, "square")->expected_order == 1);
}

/* Levels of a multilevel study have paths of their own, and the sum of their differences is the
   error of the coarsest step: none for passages, and for the maximum by Spitzer's identity. */
TEST(coupled_levels) {
  const cas_results *r =
      results_of("%s", BROWNIAN
                 "study: {kind: weak_multilevel, coarsest_step: 2^-2, coarsest_steps: 4, levels: "
                 "2, coupling: antithetic, paths: 20000, functionals: [{p: \"passed(" ANGLE
                 ", 0.3)\"}, {most: \"path_max(" ANGLE ")\"}]}\n");
  const cas_multilevel *m = cas_results_multilevel(r);
  ck_assert_int_eq(m->levels, 2);
  for (int l = 0; l < 2; l++) {
    const double lost = expected_maximum(4 << l) - expected_maximum(8 << l);
    const cas_curve *p = &m->functional[0], *most = &m->functional[1];
    ck_assert_msg(fabs(p->difference.value[l]) <= 4.5 * p->difference.standard_error[l],
                  "level %d: %g +- %g", l, p->difference.value[l], p->difference.standard_error[l]);
    ck_assert_msg(fabs(most->difference.value[l] - lost) <=
                          4.5 * most->difference.standard_error[l] &&
                      most->difference.standard_error[l] < 0.01,
                  "level %d: %g +- %g, must be %g", l, most->difference.value[l],
                  most->difference.standard_error[l], lost);
  }
}

/* Schemes know the noise of an expression; steps alone would see 0.035 and more less. */
TEST_OVER(passages_with_every_scheme, on_one_rank(1)) {
  const double n = 6000, p = 2 * above(1);
  for (const cas_integrator *const *i = cas_kernels_get()->integrators; *i; i++) {
    if (!fits(cas_system_find("rigid_body"), *i) || strcmp((*i)->name, "splitting") == 0)
      continue;
    const cas_results *r = results_of(
        "system: {name: rigid_body, inertia: [.inf, .inf, .inf], noise: {kind: linear, chi: [[0, "
        "0, 0.5]]}, initial: [1, 0, 0]}\nrandom: {generator: threefry, seed: 7}\n"
        "integrator: {name: %s, truncation: 4}\nstudy: {kind: weak, coarsest_step: 2^-5, "
        "coarsest_steps: 32, levels: 1, reference: 1, paths: %.0f, functionals: [{p: "
        "\"passed(" ANGLE ", 0.5)\"}]}\n",
        (*i)->name, n);
    mean_is(r, "p", 0, p, sqrt(p * (1 - p) / n));
    mean_is(r, "p", 1, p, sqrt(p * (1 - p) / n));
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
TEST_OVER(events_have_intervals, on_one_rank(7)) {
  static const char *const functionals[] = {"x1 > 0.9",
                                            "x1 >= 0.9",
                                            "passed(x2, 0.3)",
                                            "(x1 > 0.9)*(x2 < 0)",
                                            "x1",
                                            "(x1 > 0.9) + (x2 < 0)",
                                            "2*(x1 > 0.9)"};
  const cas_curve *c = curve_named(
      results_of(BROWNIAN "study: {kind: weak, coarsest_step: 2^-2, coarsest_steps: 4, levels: 1, "
                          "reference: 1, paths: 500, functionals: [{f: \"%s\"}]}\n",
                 functionals[_i]),
      "f");
  for (int l = 0; l <= 1; l++) {
    if (_i < 4)
      is_interval_of(c->mean.value[l], 500, 0.95, c->mean.low[l], c->mean.high[l]);
    else
      ck_assert(isnan(c->mean.low[l]) && isnan(c->mean.high[l]));
  }
}

/* Each time of an ensemble has its own: by the arcsine law a probability of 1/2 each. */
TEST_OVER(ensembles_have_intervals, on_one_rank(1)) {
  const cas_ensemble *e =
      ensemble_of("%s", BROWNIAN
                  "study: {kind: ensemble, step: 2^-3, steps: 8, times: [0.5, 1], paths: 3000, "
                  "observables: [x1, {up: x2 > 0}, {tau: \"first_passage(" ANGLE ", 0.2)\"}]}\n");
  const cas_ensemble_observable *up = &e->observable[1];
  ck_assert(!e->observable[0].probability && up->probability && !e->observable[2].probability);
  for (int t = 0; t < 2; t++) {
    is_interval_of(up->mean.value[t], 3000, 0.95, up->mean.low[t], up->mean.high[t]);
    ck_assert(up->mean.low[t] - 0.03 < 0.5 && 0.5 < up->mean.high[t] + 0.03);
  }
}

/* At each time, and on each level by its own paths; other functionals have none. */
TEST_OVER(times_and_levels_have_intervals, on_one_rank(1)) {
  const cas_results *r =
      results_of("%s", BROWNIAN
                 "study: {kind: weak_times, coarsest_step: 2^-2, coarsest_steps: 4, levels: 1, "
                 "reference: 1, times: [0.5, 1], paths: 500, functionals: [x1, {up: x2 > 0.1}]}\n");
  const cas_weak_times *w = cas_results_find(r, "weak_times/up"),
                       *other = cas_results_find(r, "weak_times/x1");
  for (int k = 0; k < 2; k++) {
    is_interval_of(w->mean.value[k], 500, 0.95, w->mean.low[k], w->mean.high[k]);
    ck_assert(isnan(other->mean.low[k]) && isnan(other->mean.high[k]));
  }
  r = results_of("%s",
                 BROWNIAN "study: {kind: weak_multilevel, coarsest_step: 2^-2, coarsest_steps: 4, "
                          "levels: 2, paths: 500, functionals: [x1, {up: x2 > 0.1}]}\n");
  const cas_multilevel *m = cas_results_multilevel(r);
  const cas_curve *c = curve_named(r, "up"), *d = &m->functional[1];
  for (int l = 0; l < 2; l++) {
    is_interval_of(d->mean.value[l], (double)m->paths[l], 0.95, d->mean.low[l], d->mean.high[l]);
    ck_assert(c->mean.low[l] == d->mean.low[l] && c->mean.high[l] == d->mean.high[l]);
    ck_assert(isnan(m->functional[0].mean.low[l]) && isnan(curve_named(r, "x1")->mean.low[l]));
  }
}

/* The share of paths outside the bins is wide enough for both of its step sizes together. */
TEST_OVER(shares_outside_of_bins_have_intervals, on_one_rank(1)) {
  const cas_results *r = results_of(
      "%s", BROWNIAN "study: {kind: law, coarsest_step: 2^-2, coarsest_steps: 4, levels: 1, "
                     "reference: 1, paths: 500, functionals: [x2], range: [-0.3, 0.4]}\n");
  const cas_distribution_table *t = cas_results_find(r, "law/x2");
  is_interval_of(t->outside, 500, 0.975, t->outside_low, t->outside_high);
  ck_assert(t->outside > 0.1);
}

/* Files say what is known of paths between steps. */
TEST(files_say_how_passages_are_seen) {
  static const char *const seen[][2] = {
      {"x1", NULL},
      {"integral(x1)", NULL},
      {"path_max(x1)", "extremes at the steps"},
      {"passed(x1, 0.3)", "passages by Brownian bridges between steps"},
      {"passed(path_min(x1), 0.3)",
       "passages by Brownian bridges between steps, extremes at the steps"}};
  for (size_t i = 0; i < sizeof seen / sizeof *seen; i++) {
    const cas_results *r =
        results_of(BROWNIAN "study: {kind: weak, coarsest_step: 2^-2, coarsest_steps: 2, levels: "
                            "1, reference: 1, paths: 10, functionals: [{f: \"%s\"}]}\n",
                   seen[i][0]);
    const char *text = r->provenance.monitoring;
    ck_assert_msg(seen[i][1] ? text && strcmp(text, seen[i][1]) == 0 : !text, "%s: %s", seen[i][0],
                  text ? text : "nothing");
  }
}

/* ---- functions of the time ---- */

/* Straight lines are followed without error at every level, also by functionals of functionals. */
static const struct {
  const char *functional;
  double value; /* at 2.5 */
} of_time[] = {{"path_max(t)", 2.5},
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
  const int n = sizeof of_time / sizeof *of_time;
  char list[2500] = "";
  for (int i = 0; i < n; i++)
    cas_append(list, sizeof list, "%s{f%d: \"%s\"}", i ? ", " : "", i, of_time[i].functional);
  const cas_results *r = results_of(
      "system: {name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: quadratic, sigma: 0.3}, "
      "initial: [0.36, 0.48, 0.8]}\nstudy: {kind: weak, coarsest_step: 2^-3, coarsest_steps: "
      "20, levels: 2, reference: 3, paths: 10, functionals: [%s]}\n",
      list);
  for (int i = 0; i < n; i++) {
    char name[20];
    snprintf(name, sizeof name, "f%d", i);
    for (int l = 0; l <= 2; l++)
      ck_assert_msg(fabs(curve_named(r, name)->mean.value[l] - of_time[i].value) <= 1e-13,
                    "%s is %.17g on level %d", of_time[i].functional,
                    curve_named(r, name)->mean.value[l], l);
  }
}

/* A symmetric body turns evenly about its axis: x1 = 0.6 cos(0.8 t). Errors of second order. */
TEST(second_order_without_noise) {
  const double rate = 0.8, T = 6, pi = 3.14159265358979;
  const double value[] = {0.6 * sin(rate * T) / rate, 2 * pi / 3 / rate, (T - pi / rate), -0.6};
  const cas_results *r = results_of(
      "%s", "system: {name: rigid_body, inertia: [1, 1, 0.5], initial: [0.6, 0, 0.8]}\n"
            "study: {kind: weak, coarsest_step: 0.1, coarsest_steps: 60, levels: 2, reference: 3, "
            "paths: 1, functionals: [{f0: integral(x1)}, {f1: \"first_passage(x1, -0.3)\"}, {f2: "
            "\"time_above(x1, 0)\"}, {f3: path_min(x1)}]}\n");
  for (int i = 0; i < 4; i++) {
    char name[20];
    snprintf(name, sizeof name, "f%d", i);
    const double *mean = curve_named(r, name)->mean.value, coarse = fabs(mean[0] - value[i]),
                 fine = fabs(mean[2] - value[i]); /* eighth the step */
    ck_assert_msg(coarse < 0.05 && fine < coarse / (i < 3 ? 30 : 4), "%s: errors %g and %g", name,
                  coarse, fine);
  }
}

/* ---- every system ---- */

/* Functionals by their definitions from the values at all steps. */
static void check_definitions(const char *name, const series *value, double h, double level) {
  static const char *const names[] = {"most", "least", "sum", "tau", "beyond"};
  series found[5];
  double most = value->value[0], least = most, sum = 0;
  for (int i = 0; i < 5; i++)
    found[i] = recorded_series(names[i]);
  for (int64_t k = 0; k < value->records; k++) {
    const double now = value->value[k], tau = found[3].value[k], time = (double)k * h;
    most = fmax(most, now);
    least = fmin(least, now);
    sum += k ? h * 0.5 * (value->value[k - 1] + now) : 0;
    ck_assert_msg(found[0].value[k] == most && found[1].value[k] == least, "%s, record %d", name,
                  (int)k);
    ck_assert_msg(fabs(found[2].value[k] - sum) <= 1e-12 * (fabs(sum) + 1), "%s: integral %g, %g",
                  name, found[2].value[k], sum);
    ck_assert_msg(tau >= 0 && tau <= time && (found[4].value[k] == 1 || tau == time),
                  "%s: passage at %g", name, tau);
    if ((most >= level) != (least >= level))
      ck_assert_msg(found[4].value[k] == 1, "%s has passed %g by record %d", name, level, (int)k);
  }
}

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

static void follow_hamiltonian(const cas_system *s, double level, const cas_integrator *i,
                               const char *more) {
  const char *value = s->observables[0].name;
  run_well(
      NULL,
      "system: {%s}\nintegrator: {name: %s%s}\nstudy: {kind: trajectory, step: 2^-6, steps: 12, "
      "observables: [%s, {most: path_max(%s)}, {least: path_min(%s)}, {sum: integral(%s)}, {tau: "
      "\"first_passage(%s, %.17g)\"}, {beyond: \"passed(%s, %.17g)\"}]}\n",
      example_of(s), i->name, more, value, value, value, value, value, level, value, level);
  series all = recorded_series(value);
  check_definitions(s->name, &all, 0x1p-6, level);
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

#define ONE_STUDY                                                                                  \
  BROWNIAN "study: {kind: weak, coarsest_step: 2^-2, coarsest_steps: 4, levels: 1, reference: 1, " \
           "paths: 20, functionals: [%s]}\n"

/* What is no number at one step is none of the whole path. */
TEST(no_number_fails) {
  static const char *const functionals[] = {"path_max(sqrt(t - 0.3))", "passed(sqrt(0.3 - t), 0)",
                                            "time_above(sqrt(t - 0.3), 5)"};
  for (int i = 0; i < 3; i++)
    run_to(CAS_CHECK_FAILED, "20 of 20 paths failed", ONE_STUDY,
           formatted("{f: \"%s\"}", functionals[i]));
}

static const char *const refused[][2] = {
    {"path_max(x1, x2)", "path_max has 2 arguments here, must have 1"},
    {"passed(x1)", "passed has 1 argument here, must have 2"},
    {"path_max(x4)", "there is no 'x4'; did you mean 'x1'?"},
    {"pathmax(x1)", "there is no 'pathmax'; did you mean 'path_max'?"},
    {"path_max", "there is no 'path_max'"},
};

TEST_OVER(what_is_wrong_is_said, sizeof refused / sizeof *refused) {
  is_refused(0, refused[_i][1], ONE_STUDY, formatted("{f: \"%s\"}", refused[_i][0]));
}

/* The names are those of functions only where a parenthesis follows. */
TEST(names_are_free) {
  const cas_results *r = results_of(ONE_STUDY, "{integral: x1}, {passed: integral(2)}");
  ck_assert(curve_named(r, "passed")->mean.value[0] == 2);
}

RUN_TESTS_WITH_MPI
