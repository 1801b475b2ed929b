/* Steps take denormal numbers as zero, and nothing else does: states of any size that leaves them
   their digits behave alike. */
/* ranks: 1 */
/* needs: sprng */
#include "base/denormals.h"
#include "pass_fixture.h"

#include <float.h>

enum { STEPS = 64, PARTS = 3 };

/* Whether the thread that calls computes with denormal numbers. */
static bool has_denormals(void) {
  volatile double least = DBL_MIN, half = least / 2;
  return half > 0 && half + half == least;
}

typedef struct {
  bool kept; /* at all observations */
  double x[PARTS];
} seen;

static cas_status observe(void *context, cas_pass *s, int64_t observation CAS_UNUSED,
                          cas_error *err CAS_UNUSED) {
  seen *o = context;
  o->kept &= has_denormals();
  for (int k = 0; k < PARTS; k++)
    o->x[k] = s->level[0].x[k * s->problem->W];
  return CAS_OK;
}

/* A path of a rigid body with linear noise that begins at 2^exponent (3, -2, 1). */
static seen run(const char *scheme, int exponent, int steps) {
  seen out = {.kept = true};
  one_pass *o = pass_of(
      0x1p-6, steps,
      "system: {name: rigid_body, inertia: [1, 2, 3], noise: {kind: linear, chi: [[0.5, 0, 0], [0, "
      "0.3, 0.2]]}, initial: [%.17g, %.17g, %.17g]}\nintegrator: {name: %s, compensated: true}\n",
      ldexp(3, exponent), ldexp(-2, exponent), ldexp(1, exponent), scheme);
  o->plan.grid = 1;
  MUST(cas_pass_run(&o->pass, 0, observe, &out, &err));
  ck_assert_msg(o->pass.level[0].tally.not_converged[0] == 0, "%s: steps failed", scheme);
  return out;
}

static const char *const schemes[] = {
    "isospectral_midpoint", "munthe_kaas", "implicit_midpoint", "implicit_trapezoid", "heun",
    "euler_maruyama",       "splitting"};
enum { SCHEMES = sizeof schemes / sizeof *schemes };

/* The noise is linear, and the drift of small states is below rounding: the steps of 2^k x are 2^k
   times those of x, bit by bit, and up to DBL_MIN a step where the changes lose digits below
   that. */
TEST_OVER(small_states_are_scaled, SCHEMES) {
  const int sizes[] = {-300, -900, -996};
  ck_assert(has_denormals());
  const seen first = run(schemes[_i], -200, STEPS);
  ck_assert_msg(first.kept && has_denormals(), "%s: none at observations or afterwards",
                schemes[_i]);
  for (int i = 0; i < 3; i++) {
    const seen o = run(schemes[_i], sizes[i], STEPS);
    const double bound = sizes[i] < -960 ? 64 * STEPS * DBL_MIN : 0;
    for (int k = 0; k < PARTS; k++) {
      double wanted = ldexp(first.x[k], sizes[i] + 200);
      ck_assert_msg(fabs(o.x[k] - wanted) <= bound && o.x[k] != 0, "%s, 2^%d: %a instead of %a",
                    schemes[_i], sizes[i], o.x[k], wanted);
    }
  }
}

/* A denormal number is zero after its first step, and has its digits until then. */
TEST_OVER(denormal_states_vanish, SCHEMES) {
  const seen before = run(schemes[_i], -1060, 0), after = run(schemes[_i], -1060, 1);
  ck_assert(before.x[0] == ldexp(3, -1060));
  for (int k = 0; k < PARTS; k++)
    ck_assert_msg(after.x[k] == 0, "%s: %a", schemes[_i], after.x[k]);
}

TEST(the_mode_is_restored) {
  const uint64_t outer = cas_denormals_flush(), inner = cas_denormals_flush();
  volatile double least = DBL_MIN, half = least / 2, big = DBL_MAX, nan = NAN;
  ck_assert(half == 0);
  ck_assert(isinf(2 * big) && isnan(nan + 1));
  cas_denormals_restore(inner);
  ck_assert(!has_denormals());
  cas_denormals_restore(outer);
  ck_assert(has_denormals());
}

RUN_TESTS_WITH_MPI
