/* Every instruction set that runs here: elementary functions, streams, algebra and steps against
 * their definitions. */
/* ranks: 1 */
#include "pass_fixture.h"

#include <Random123/threefry.h>

enum { N = 4096, W = 64 };

TEST(uniforms_are_threefry) {
  double *u = doubles(N);
  for (int k = 0; cas_kernels_list(k); k++) {
    cas_kernels_list(k)->threefry(12345, 1, 678, 90, N, u);
    for (int i = 0; i < N / 4; i++) {
      threefry4x64_key_t key = {{12345, 1, 0, 0}};
      threefry4x64_ctr_t counter = {{(uint64_t)i, 90, 678, 0}},
                         word = threefry4x64_R(13, counter, key);
      for (int w = 0; w < 4; w++)
        ck_assert(u[w * (N / 4) + i] == ((double)(word.v[w] >> 12) + 0.5) * 0x1p-52);
    }
  }
}

/* Of paths across the lanes, and of one path, whose numbers beyond its noises do not count. */
TEST_OVER(truncation_cuts_and_counts, 2) {
  const int noises = _i ? 19 : 3, lanes = _i ? 1 : W, n = noises * lanes;
  double *sum = doubles(3 * W), *dw = doubles(3 * W + 2), *clipped = doubles(W);
  for (int k = 0; cas_kernels_list(k); k++) {
    double cut = 0, counted = -10;
    for (int i = 0; i < 3 * W; i++)
      sum[i] = i % 7 - 3;
    memset(dw, 0, (3 * W + 2) * sizeof *dw);
    memset(clipped, 0, W * sizeof *clipped);
    clipped[0] = 10;
    cas_kernels_list(k)->truncate(noises, lanes, sum, 2.5, 0.5, dw, clipped);
    for (int i = 0; i < n; i++) {
      ck_assert(dw[i] == 0.5 * fmax(-2.5, fmin(2.5, sum[i])));
      cut += fabs(sum[i]) > 2.5;
    }
    for (int l = 0; l < lanes; l++)
      counted += clipped[l];
    ck_assert(cut == counted && cut > 0);
    ck_assert(dw[n] == 0 && dw[n + 1] == 0);
    sum[2] = sum[n - 1] = NAN;
    cas_kernels_list(k)->truncate(noises, lanes, sum, 2.5, 0.5, dw, clipped);
    ck_assert(isnan(dw[2]) && isnan(dw[n - 1]) && isfinite(dw[n - 2]) && isfinite(dw[3]));
  }
}

/* ---- steps, over the registries ---- */

/* Every instruction set gives the first one's path to rounding. */
static void check_agreement(const cas_system *s, const cas_integrator *i) {
  const cas_kernels *k = cas_kernels_get();
  one_pass *here = example_pass(s, i, "", 0x1p-6, 100);
  use_kernels(cas_kernels_list(0));
  one_pass *first = example_pass(s, i, "", 0x1p-6, 100);
  use_kernels(k);
  const double d = farthest(first, run_block(first), run_block(here));
  ck_assert_msg(d < 1e-13, "%s, %s, %s: differ by %g", k->name, s->name, i->name, d);
}

TEST(steps_agree) { each_pair(true, check_agreement); }

/* Casimirs stay to rounding on every lane, whatever the noise, by schemes that say so alone. */
static void check_casimirs(const cas_system *s, const cas_integrator *i) {
  if (is_cotangent(s)) /* momentum maps: test_cotangent.c */
    return;
  one_pass *o = example_pass(s, i, ", compensated: true", 0x1p-5, 1000);
  const cas_tally *t = &o->pass.level[0].tally;
  double *drift = doubles((size_t)o->problem.W), most = 0;
  run_block(o);
  cas_pass_departure(&o->pass, 0, drift);
  for (int l = 0; l < o->problem.W; l++) {
    most = fmax(most, drift[l]);
    ck_assert(isfinite(drift[l]) && t->not_converged[l] == 0 && t->iterations[l] >= 1000);
  }
  ck_assert_msg(
      cas_scheme_keeps_casimirs(i, o->problem.geometry.algebra) ? most <= 1e-14 : most > 1e-10,
      "%s, %s, %s: Casimirs drift by %g", cas_kernels_get()->name, s->name, i->name, most);
}

TEST(steps_keep_casimirs) { each_pair(true, check_casimirs); }

static cas_status spoil(void *context CAS_UNUSED, cas_pass *s, int64_t observation,
                        cas_error *err CAS_UNUSED) {
  if (observation == 0)
    s->level[0].x[3] = NAN;
  return CAS_OK;
}

/* A NaN in one lane is seen as one, and disturbs no other lane. */
static void check_nan(const cas_system *s, const cas_integrator *i) {
  one_pass *good = example_pass(s, i, "", 0x1p-6, 10), *bad = example_pass(s, i, "", 0x1p-6, 10);
  const double *x = run_block(good), *y = bad->pass.level[0].x;
  MUST(cas_pass_run(&bad->pass, 0, spoil, NULL, &err));
  for (size_t k = 0; k < block_size(good); k++)
    if (k % (size_t)s->blocks.lanes == 3)
      ck_assert(!isfinite(y[k]));
    else
      ck_assert_msg(fabs(x[k] - y[k]) < 1e-14, "%s, %s, %s: number %zu was disturbed",
                    cas_kernels_get()->name, s->name, i->name, k);
  ck_assert(bad->pass.level[0].tally.iterations_max[0] < 100);
}

TEST(nan_stays_in_its_lane) { each_pair(true, check_nan); }

/* A lane that does not converge is counted, and it alone: without noise the state 0 needs one
 * iteration, the others more, unless a step solves a linear equation. */
static void check_convergence(const cas_system *s, const cas_integrator *i) {
  one_pass *o = example_pass(s, i, "", 0x1p-6, 1);
  const bool is_linear = i->discrete_momentum && o->problem.geometry.algebra->properties & CAS_FLAT,
             iterates = !i->is_explicit && !is_linear;
  double *x = initial_block(o);
  o->pass.level[0].stepper.max_iterations = 1;
  for (size_t k = 0; k < block_size(o); k++)
    if (k % (size_t)s->blocks.lanes != 5)
      x[k] = 0;
  step_block(o, 0x1p-6, NULL, x);
  for (int l = 0; l < s->blocks.lanes; l++)
    ck_assert_msg(o->pass.level[0].tally.not_converged[l] == (l == 5 && iterates),
                  "%s, %s: lane %d", s->name, i->name, l);
}

TEST(failure_to_converge_is_counted) { each_pair(true, check_convergence); }

/* ---- normals of every instruction set against 80-bit arithmetic: relative to the number itself,
   also where a sine nearly vanishes, and out to the largest that uniforms of 53 bits give ---- */

enum { NORMALS = 1 << 16 };

static double u[NORMALS] __attribute__((aligned(64))), z[NORMALS] __attribute__((aligned(64)));

/* sin of v turns and `ahead` quarters; quarters come off exactly, as they would not in 2 pi v */
static long double sine_of_turns(double v, int ahead) {
  double quarters = nearbyint(4 * v);
  long double x = 2 * atanl(1) * (4 * v - quarters);
  const int quarter = ((int)quarters + ahead) % 4;
  const long double value = quarter % 2 ? cosl(x) : sinl(x);
  return quarter < 2 ? value : -value;
}

static double relative_to(double found, long double right) {
  return right == 0 ? fabs(found) : (double)fabsl((found - right) / right);
}

static double worst_normal(const cas_kernels *k) {
  double worst = 0;
  k->normals(NORMALS, u, z);
  for (int i = 0; i < NORMALS / 2; i++) {
    long double r = sqrtl(-2 * (u[i] < 0.5 ? logl(u[i]) : log1pl((long double)u[i] - 1)));
    worst = fmax(worst, relative_to(z[i], r * sine_of_turns(u[NORMALS / 2 + i], 1)));
    worst = fmax(worst, relative_to(z[NORMALS / 2 + i], r * sine_of_turns(u[NORMALS / 2 + i], 0)));
    ck_assert(isfinite(z[i]) && isfinite(z[NORMALS / 2 + i]));
  }
  return worst;
}

/* The body; tails, of radii from 8.6 down to 1.5e-8, both ends in steps of a factor; and turns
   beside multiples of an eighth of one, where quarters change and sines vanish. */
TEST_OVER(normals, 3) {
  static const char *const what[] = {"body", "tails", "turns"};
  cas_kernels_list(0)->threefry((uint64_t)_i + 1, 0, 3, 7, NORMALS, u);
  for (int i = 0; i < NORMALS / 2; i++) {
    const double beside = (1 + i % 8) / 8.0, off = ldexp(1, -50 + i / 16 % 48);
    if (_i == 1)
      u[i] = i % 2 ? 1 - ldexp(1 + (i % 64) / 64.0, -53 + i % 52) : ldexp(1 + u[i], -53 + i % 53);
    if (_i == 2)
      u[NORMALS / 2 + i] = i % 16 < 8 || beside == 1 ? beside - off : beside + off;
  }
  for (int k = 0; cas_kernels_list(k); k++) {
    const double worst = worst_normal(cas_kernels_list(k));
    ck_assert_msg(isfinite(worst) && worst <= 1e-15, "%s, %s: off by %g (relative)",
                  cas_kernels_list(k)->name, what[_i], worst);
  }
}

RUN_TESTS_WITH_MPI
