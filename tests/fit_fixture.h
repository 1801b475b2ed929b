/* Samples behind error curves, for tests of fits and verdicts. */
#ifndef FIT_FIXTURE_H
#define FIT_FIXTURE_H

#include <casimir/statistics.h>

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS = 6, GROUPS = 64 };

#define assert_close(x, y, tolerance)                                                            \
  do {                                                                                           \
    double x_ = (x), y_ = (y);                                                                   \
    ck_assert_msg(isfinite(x_) && fabs(x_ - y_) <= (tolerance), "%s = %.17g, not %.17g", #x, x_, \
                  y_);                                                                           \
  } while (0)
#define assert_verdict(c, words) \
  ck_assert_msg(strstr((c).verdict, words), "'%s' does not say '%s'", (c).verdict, words)

/* ---- samples ---- */

typedef struct {
  cas_samples s;
  double step[LEVELS], count[GROUPS], mean[GROUPS * LEVELS], m2[GROUPS * LEVELS];
} sample_set;

/* 2^-7 .. 2^-12 against 2^-16, no path yet */
static inline void begin(sample_set *t, cas_error_kind kind) {
  memset(t, 0, sizeof *t);
  for (int j = 0; j < LEVELS; j++)
    t->step[j] = ldexp(1, -7 - j);
  t->s = (cas_samples){.kind = kind,
                       .levels = LEVELS,
                       .groups = GROUPS,
                       .step = t->step,
                       .reference_step = ldexp(1, -16),
                       .count = t->count,
                       .mean = t->mean,
                       .m2 = t->m2};
}

static inline void add_path(sample_set *t, int path, const double *quantity) {
  int g = path % GROUPS;

  t->count[g]++;
  for (int j = 0; j < LEVELS; j++) {
    double *mean = &t->mean[g * LEVELS + j], d = quantity[j] - *mean;

    *mean += d / t->count[g];
    t->m2[g * LEVELS + j] += d * (quantity[j] - *mean);
  }
}

/* `paths` paths whose quantity is exactly `mean` on average, spread by +- `spread` in pairs within
 * a group. */
static inline void add_pairs(sample_set *t, int paths, const double *mean, const double *spread) {
  double low[LEVELS], high[LEVELS];

  for (int j = 0; j < LEVELS; j++)
    low[j] = mean[j] - spread[j], high[j] = mean[j] + spread[j];
  for (int p = 0; p < paths; p++)
    add_path(t, p, p / GROUPS % 2 ? low : high);
}

/* error_j = law, relative spread 1/2 */
static inline void add_law(sample_set *t, double p, bool corrected, double constant) {
  double mean[LEVELS], spread[LEVELS], s = t->s.kind == CAS_STRONG ? 2 : 1, r = t->s.reference_step;

  for (int j = 0; j < LEVELS; j++) {
    mean[j] = pow(t->step[j], s * p) - (corrected ? pow(r, s * p) : 0);
    mean[j] *= t->s.kind == CAS_STRONG ? constant * constant : constant;
    spread[j] = mean[j] / 2;
  }
  add_pairs(t, 2 * GROUPS, mean, spread);
}

static inline cas_curve fitted(const sample_set *t, double expected) {
  cas_error err = {0};
  cas_curve c;

  ck_assert_msg(!cas_curve_init(&c, t->s.kind, "sin2pi", LEVELS, &err), "%s", err.text);
  c.expected_order = expected;
  ck_assert_msg(!cas_curve_fit(&t->s, &c, &err), "%s", err.text);
  ck_assert_uint_lt(strlen(c.verdict), sizeof c.verdict - 1);
  return c;
}

static inline void assert_not_fitted(const cas_curve *c) {
  ck_assert(isnan(c->raw.order) && isnan(c->raw.low) && isnan(c->raw.high));
  ck_assert(isnan(c->corrected.order) && isnan(c->corrected.low) && isnan(c->corrected.high));
}

/* Runs a suite of one test case. */
static inline int run_tests(const char *name, TCase *t) {
  Suite *suite = suite_create(name);
  tcase_set_timeout(t, 120);
  suite_add_tcase(suite, t);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}

#endif
