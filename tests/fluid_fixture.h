/* What fluids are tested for alike: friction, balances, and numbers of the last record. */
#ifndef FLUID_FIXTURE_H
#define FLUID_FIXTURE_H

#include "study_fixture.h"

#include <math.h>

/* Number i of the last record of an observable. */
static inline double last_of(const char *name, int64_t i) {
  series s = recorded_series(name);
  ck_assert(i < s.numbers);
  double last = s.value[(s.records - 1) * s.numbers + i];
  free(s.value);
  return last;
}

static inline void assert_near(double found, double wanted, double error, const char *what) {
  ck_assert_msg(fabs(found - wanted) <= error, "%s: %.17g, must be %.17g", what, found, wanted);
}

/* Friction alone scales every Casimir: the drift is that from what Casimirs should be. */
static inline void assert_friction_scales_casimirs(const char *name, int N, const char *rest,
                                                   double bound) {
  const double friction = 0.3;
  cas_results r;
  run_well(&r,
           "system: {name: %s, N: %d, damping: {friction: %g}, %s}\nstudy: {kind: trajectory, "
           "step: 2^-6, steps: 64, observables: [casimir_departure]}\n",
           name, N, friction, rest);
  ck_assert_msg(r.health.casimir_drift_max <= bound, "drift %g", r.health.casimir_drift_max);
  ck_assert(!r.provenance.casimirs);
  assert_near(last_of("casimir_departure", 0), 1 - exp(-friction), bound, "departure");
  cas_results_free(&r);
}

/* What the terms of a balance, integrated by the trapezoidal rule, leave of the change of the sum
   of a spectrum. */
static inline double left_over(const char *spectrum, const char *balance, double h) {
  series s = recorded_series(spectrum), b = recorded_series(balance);
  const int64_t last = s.records - 1;
  double rest = 0;
  for (int64_t i = 0; i < s.numbers; i++)
    rest += s.value[last * s.numbers + i] - s.value[i];
  ck_assert_int_eq(b.numbers, 3);
  for (int64_t r = 0; r < s.records; r++)
    for (int i = 0; i < 3; i++) {
      double rate = b.value[r * 3 + i];
      ck_assert_msg(rate != 0, "%s, term %d of record %d is 0", balance, i, (int)r);
      rest -= (r == 0 || r == last ? 0.5 : 1) * h * rate;
    }
  free(s.value);
  free(b.value);
  return fabs(rest);
}

#endif
