/* Differences between neighbouring runs on the same paths: their intervals cover the exact
   difference, and are far narrower than those of differences of means. */
/* ranks: 1 */
#include "results/sensitivity.h"
#include "study_fixture.h"

#include <math.h>

enum { SEEDS = 60 };

/* x1 = cos(a t + 0.3 W(t)), exactly in every step */
#define TURNING                                                                                  \
  "system: {name: lie_poisson, parameters: {a: %g, s: 0.3}, hamiltonian: a*x3, noise: [s*x3], "  \
  "initial: [1, 0, 0]}\nintegrator: {name: munthe_kaas}\nrandom: {generator: threefry, seed: "   \
  "%d}\nstudy: {kind: trajectory, step: 2^-2, steps: 4, paths: 128, state: false, observables: " \
  "[x1]}\n"

typedef struct {
  int calls;
  cas_sensitivity last;
} found;

static void take(void *context, const cas_sensitivity *s) {
  found *f = context;
  f->calls++;
  f->last = *s;
}

static const char *const files[] = {"a.h5", "b.h5", "c.h5"};

static found measure(int n) {
  found f = {0};
  cas_error err = {0};
  ck_assert_msg(!cas_sensitivity_visit(files, n, true, take, &f, &err), "%s", err.text);
  return f;
}

static double exact(double a) { return cos(a) * exp(-0.045); }

TEST_OF_MANY_PATHS(intervals_cover_the_exact_difference) {
  const double from = 1.2, to = 1.25, truth = exact(to) - exact(from);
  int covered = 0;
  for (int seed = 1; seed <= SEEDS; seed++) {
    run_well(NULL, TURNING, from, seed);
    keep_as("a.h5");
    run_well(NULL, TURNING, to, seed);
    keep_as("b.h5");
    const found f = measure(2);
    ck_assert_int_eq(f.calls, 1);
    ck_assert(f.last.paths == 128 && f.last.from == from && f.last.to == to && f.last.time == 1);
    covered += fabs(f.last.difference - truth) <= 1.96 * f.last.standard_error;
    /* the deviation of x1 is 0.27, that of its difference 0.004 */
    ck_assert(f.last.standard_error > 0.0001 && f.last.standard_error < 0.001);
  }
  ck_assert_msg(covered >= 51, "%d of %d", covered, SEEDS); /* less has a probability of 0.1% */
}

/* Of three values the ends are no neighbours; other seeds are no same paths. */
TEST(neighbours_have_the_same_paths) {
  const double a[] = {1, 1.2, 1.1};
  for (int i = 0; i < 3; i++) {
    run_well(NULL, TURNING, a[i], 1);
    keep_as(files[i]);
  }
  ck_assert_int_eq(measure(3).calls, 2);
  run_well(NULL, TURNING, a[1], 2);
  keep_as("b.h5");
  ck_assert_int_eq(measure(2).calls, 0);
  run_well(NULL, TURNING, a[0], 2);
  keep_as("a.h5");
  ck_assert_int_eq(measure(3).calls, 1);
}

RUN_TESTS_WITH_MPI
