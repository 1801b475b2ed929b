/* Samples behind error curves, for tests of fits and verdicts. */
#ifndef FIT_FIXTURE_H
#define FIT_FIXTURE_H

#include "studies/curve.h"
#include "suite.h"

#include <math.h>
#include <string.h>

enum { LEVELS = 6, GROUPS = 64 };

#define assert_close(x, y, tolerance)                                                            \
  do {                                                                                           \
    double x_ = (x), y_ = (y);                                                                   \
    ck_assert_msg(isfinite(x_) && fabs(x_ - y_) <= (tolerance), "%s = %.17g, not %.17g", #x, x_, \
                  y_);                                                                           \
  } while (0)
#define assert_code(x, code)                                                       \
  ck_assert_msg(code_of((x).findings) == (code), "%s instead of %s: %s",           \
                cas_finding_names[code_of((x).findings)], cas_finding_names[code], \
                findings_text((x).findings))

/* ---- samples ---- */

typedef struct {
  cas_samples s;
  double step[LEVELS], count[GROUPS];
  double mean[GROUPS * LEVELS], m2[GROUPS * LEVELS];                        /* of errors */
  double between[GROUPS * (LEVELS - 1)], between_m2[GROUPS * (LEVELS - 1)]; /* of differences */
} sample_set;

/* 2^-7 .. 2^-12 against 2^-16, no path yet */
static inline sample_set begin(cas_error_kind kind) {
  sample_set t = {.s = {.kind = kind, .reference_step = ldexp(1, -16)}};
  for (int j = 0; j < LEVELS; j++)
    t.step[j] = ldexp(1, -7 - j);
  return t;
}

static inline void add_moments(double count, int n, const double *quantity, double *mean,
                               double *m2) {
  for (int j = 0; j < n; j++) {
    double d = quantity[j] - mean[j];
    mean[j] += d / count;
    m2[j] += d * (quantity[j] - mean[j]);
  }
}

/* error: against the reference [LEVELS]; difference: of neighbours [LEVELS - 1] */
static inline void add_path(sample_set *t, int path, const double *error,
                            const double *difference) {
  int g = path % GROUPS;
  t->count[g]++;
  add_moments(t->count[g], LEVELS, error, t->mean + g * LEVELS, t->m2 + g * LEVELS);
  add_moments(t->count[g], LEVELS - 1, difference, t->between + g * (LEVELS - 1),
              t->between_m2 + g * (LEVELS - 1));
}

/* Differences of neighbours follow from biases; of squares they are given as a half of each. */
static inline void differences_of(const sample_set *t, const double *error, double *difference) {
  for (int j = 0; j + 1 < LEVELS; j++)
    difference[j] = t->s.kind == CAS_WEAK ? error[j] - error[j + 1] : error[j] / 2;
}

/* Paths whose mean error is exactly `mean`, spread by +- `spread` in pairs within a group. */
static inline void add_pairs(sample_set *t, int paths, const double *mean, const double *spread) {
  double error[LEVELS], difference[LEVELS - 1];
  for (int p = 0; p < paths; p++) {
    for (int j = 0; j < LEVELS; j++)
      error[j] = mean[j] + (p / GROUPS % 2 ? -spread[j] : spread[j]);
    differences_of(t, error, difference);
    add_path(t, p, error, difference);
  }
}

/* c (h^q - h_ref^q) + next (h^(q+1) - h_ref^(q+1)); of squares c h^2p + next h^(2p+1) between
   neighbours. Relative spread 1/2. */
static inline void add_law(sample_set *t, double order, double c, double next) {
  double error[LEVELS], difference[LEVELS - 1], e = t->s.kind == CAS_STRONG ? 2 * order : order,
                                                r = t->s.reference_step;
  for (int path = 0; path < 2 * GROUPS; path++) {
    double factor = path / GROUPS % 2 ? 0.5 : 1.5;
    for (int j = 0; j < LEVELS; j++)
      error[j] = factor * (c * (pow(t->step[j], e) - pow(r, e)) +
                           next * (pow(t->step[j], e + 1) - pow(r, e + 1)));
    differences_of(t, error, difference);
    for (int j = 0; t->s.kind == CAS_STRONG && j + 1 < LEVELS; j++)
      difference[j] = factor * (c * pow(t->step[j], e) + next * pow(t->step[j], e + 1));
    add_path(t, path, error, difference);
  }
}

static inline void free_curve(void *curve) {
  cas_curve *c = curve;
  cas_field_columns_free((c->kind == CAS_STRONG ? cas_table_strong : cas_table_weak).columns, c);
  free(c);
}

/* Its arrays belong to the suite until the test ends. */
static inline cas_curve new_curve(cas_error_kind kind) {
  const cas_curve like = {.kind = kind, .levels = LEVELS};
  cas_curve *own = cas_table_new(kind == CAS_STRONG ? &cas_table_strong : &cas_table_weak, "sin2pi",
                                 NULL, &like, NULL);
  ck_assert_ptr_nonnull(own);
  suite_keep(own, free_curve);
  return *own;
}

static inline cas_status fit(sample_set *t, cas_curve *c, cas_error *err) {
  const cas_samples s = {.kind = t->s.kind,
                         .levels = LEVELS,
                         .groups = GROUPS,
                         .step = t->step,
                         .reference_step = t->s.reference_step,
                         .exact = t->s.exact,
                         .count = t->count,
                         .errors = {LEVELS, LEVELS, t->mean, t->m2},
                         .differences = {LEVELS - 1, LEVELS - 1, t->between, t->between_m2}};
  return cas_curve_fit(&s, c, err);
}

static inline cas_curve fitted(sample_set *t, double expected) {
  cas_curve c = new_curve(t->s.kind);
  double paths = 0;
  for (int g = 0; g < GROUPS; g++)
    paths += t->count[g];
  c.expected_order = expected;
  MUST(fit(t, &c, &err));
  c.rounding = 0;
  cas_curves_conclude(&(cas_curve *){&c}, 1, paths);
  return c;
}

/* No order, and this is why. */
static inline void assert_not_fitted(const cas_curve *c, cas_finding code) {
  const cas_law law = cas_laws_headline(&c->laws);
  ck_assert(c->laws.headline == CAS_LAWS);
  ck_assert(isnan(law.order) && isnan(law.low) && isnan(law.high));
  assert_code(*c, code);
}

/* ---- random numbers ---- */

static inline double uniform(uint64_t *state) { /* splitmix64, in (0, 1) */
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return ((double)((z ^ (z >> 31)) >> 11) + 0.5) * 0x1p-53;
}

static inline double normal(uint64_t *state) {
  double r = sqrt(-2 * log(uniform(state)));
  return r * cos(2 * acos(-1) * uniform(state));
}

#endif
