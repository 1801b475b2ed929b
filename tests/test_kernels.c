/* Every instruction set that runs here: elementary functions, streams, algebra and steps against
 * their definitions. */
#include "math/kernels/kernels.h"
#include "paths/noise/noise.h"
#include "paths/problem/problem.h"
#include "steps_fixture.h"

#include <Random123/threefry.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 4096, W = 64 };

TEST(uniforms_are_threefry) {
  double *u = numbers(N), *first = numbers(N);
  for (int k = 0; cas_kernels_list(k); k++) {
    cas_kernels_list(k)->threefry(12345, 1, 678, 90, N, u);
    for (int i = 0; i < N / 4; i++) {
      threefry4x64_key_t key = {{12345, 1, 0, 0}};
      threefry4x64_ctr_t counter = {{(uint64_t)i, 90, 678, 0}},
                         word = threefry4x64_R(13, counter, key);
      for (int w = 0; w < 4; w++)
        ck_assert(u[w * (N / 4) + i] == ((double)(word.v[w] >> 12) + 0.5) * 0x1p-52);
    }
    if (k == 0)
      memcpy(first, u, N * sizeof *u);
    ck_assert_int_eq(memcmp(first, u, N * sizeof *u), 0);
  }
  free(u);
  free(first);
}

/* Of paths across the lanes, and of one path, of which numbers beyond its noises are not counted. */
TEST_OVER(truncation_cuts_and_counts, 2) {
  const int noises = _i ? 19 : 3, lanes = _i ? 1 : W, n = noises * lanes;
  double *sum = numbers(3 * W), *dw = numbers(3 * W + 2), *clipped = numbers(W);
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
  free(sum);
  free(dw);
  free(clipped);
}

/* ---- steps, over the registries ---- */

static void bench_run(bench *b, int steps) { bench_run_with(b, steps, 4); }

static double largest_difference(const bench *a, const bench *b) {
  double most = 0;
  for (int i = 0; i < a->geometry.components * a->system->lanes; i++) {
    double d = fabs(a->x[i] - b->x[i]);
    if (!(d <= most))
      most = d;
  }
  return most;
}

/* Runs over the pairs of systems and schemes of an instruction set that fit. */
typedef struct {
  int kernels, system, scheme;
} pair;

static const cas_kernels *kernels_of(const pair *p) { return cas_kernels_list(p->kernels); }

/* the next one, from {0, 0, -1} on */
static bool next_pair(pair *p) {
  const cas_kernels *k = kernels_of(p);
  if (k->integrators[++p->scheme])
    return true;
  p->scheme = 0;
  if (k->systems[++p->system])
    return true;
  p->system = 0;
  return cas_kernels_list(++p->kernels) != NULL;
}

static bool open_pair(bench *b, const pair *p, double h, bool compensated) {
  return bench_open(b, kernels_of(p), p->system, p->scheme, h, compensated);
}

/* Every instruction set gives the first one's path to rounding. */
TEST(steps_agree) {
  for (pair p = {0, 0, -1}; next_pair(&p);) {
    bench reference, b;
    if (!bench_open(&reference, cas_kernels_list(0), p.system, p.scheme, 0x1p-6, false))
      continue;
    ck_assert(open_pair(&b, &p, 0x1p-6, false));
    bench_run(&reference, 100);
    bench_run(&b, 100);
    double d = largest_difference(&reference, &b);
    ck_assert_msg(isfinite(d) && d < 1e-13, "%s, %s, %s: differ by %g", kernels_of(&p)->name,
                  b.system->name, b.scheme->name, d);
    bench_close(&reference);
    bench_close(&b);
  }
}

/* The largest departure of a Casimir of any lane after `steps` steps, relative to the largest. */
static double departure(bench *b, int steps) {
  const cas_algebra *a = b->geometry.algebra;
  int n = a->casimirs(&b->geometry) * b->system->lanes;
  double *before = numbers((size_t)n), *after = numbers((size_t)n), largest = 0, most = 0;
  a->casimir(&b->geometry, b->system->lanes, b->x, before);
  bench_run(b, steps);
  a->casimir(&b->geometry, b->system->lanes, b->x, after);
  for (int i = 0; i < n; i++) {
    largest = fmax(largest, fabs(before[i]));
    if (!(fabs(after[i] - before[i]) <= most))
      most = fabs(after[i] - before[i]);
  }
  free(before);
  free(after);
  return most / largest;
}

/* Casimirs stay to rounding on every lane, whatever the noise, where the scheme says so, and
   nowhere else. */
TEST(steps_keep_casimirs) {
  for (pair p = {0, 0, -1}; next_pair(&p);) {
    bench b;
    if (!open_pair(&b, &p, 0x1p-5, true))
      continue;
    if (!b.geometry.algebra->casimirs) { /* momentum maps: test_cotangent.c */
      bench_close(&b);
      continue;
    }
    double drift = departure(&b, 1000);
    bool kept = cas_scheme_keeps_casimirs(b.scheme, b.geometry.algebra);
    ck_assert_msg(kept ? drift <= 1e-14 : drift > 1e-10, "%s, %s, %s: Casimirs drift by %g",
                  kernels_of(&p)->name, b.system->name, b.scheme->name, drift);
    for (int l = 0; l < b.system->lanes; l++)
      ck_assert(b.tally.not_converged[l] == 0 && b.tally.iterations[l] >= 1000);
    bench_close(&b);
  }
}

/* A NaN in one lane is seen as one, and disturbs no other lane. */
TEST(nan_stays_in_its_lane) {
  for (pair p = {0, 0, -1}; next_pair(&p);) {
    bench good, bad;
    if (!open_pair(&good, &p, 0x1p-6, false))
      continue;
    ck_assert(open_pair(&bad, &p, 0x1p-6, false));
    int W_ = good.system->lanes;
    bad.x[3] = NAN;
    bench_run(&good, 10);
    bench_run(&bad, 10);
    for (int i = 0; i < good.geometry.components * W_; i++)
      if (i % W_ == 3)
        ck_assert(!isfinite(bad.x[i]));
      else
        ck_assert_msg(fabs(good.x[i] - bad.x[i]) < 1e-14, "%s, %s, %s: lane %d was disturbed",
                      kernels_of(&p)->name, good.system->name, good.scheme->name, i % W_);
    ck_assert(bad.tally.iterations_max[0] < 100);
    bench_close(&good);
    bench_close(&bad);
  }
}

/* Whether a step solves an equation that takes more than one iteration. */
static bool iterates(const bench *b) {
  bool is_linear = b->scheme->discrete_momentum && b->geometry.algebra->properties & CAS_FLAT;
  return !b->scheme->is_explicit && !is_linear;
}

/* A lane that does not converge is counted, and it alone: without noise the state 0 needs one
 * iteration, the others more. */
TEST(failure_to_converge_is_counted) {
  for (pair p = {0, 0, -1}; next_pair(&p);) {
    bench b;
    if (!open_pair(&b, &p, 0x1p-6, false))
      continue;
    b.stepper.max_iterations = 1;
    for (int i = 0; i < b.geometry.components * b.system->lanes; i++)
      if (i % b.system->lanes != 5)
        b.x[i] = 0;
    bench_run_with(&b, 1, 0);
    for (int l = 0; l < b.system->lanes; l++)
      ck_assert_msg(b.tally.not_converged[l] == (l == 5 && iterates(&b)), "%s, %s: lane %d",
                    b.system->name, b.scheme->name, l);
    bench_close(&b);
  }
}

/* ---- normals of every instruction set against 80-bit arithmetic: relative to the number itself, also where a sine
   nearly vanishes, and out to the largest that uniforms of 53 bits give ---- */

enum { NORMALS = 1 << 16 };

static double u[NORMALS] __attribute__((aligned(64))), z[NORMALS] __attribute__((aligned(64)));

/* sin of v turns and `ahead` quarters; quarters come off exactly, as they would not in 2 pi v */
static long double sine_of_turns(double v, int ahead) {
  double quarters = nearbyint(4 * v);
  long double x = 2 * atanl(1) * (4 * v - quarters);
  switch (((int)quarters + ahead) % 4) {
  case 0:
    return sinl(x);
  case 1:
    return cosl(x);
  case 2:
    return -sinl(x);
  default:
    return -cosl(x);
  }
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

static void check_normals(const char *what) {
  for (int k = 0; cas_kernels_list(k); k++) {
    double worst = worst_normal(cas_kernels_list(k));
    ck_assert_msg(isfinite(worst) && worst <= 1e-15, "%s, %s: off by %g (relative)",
                  cas_kernels_list(k)->name, what, worst);
  }
}

TEST(normals) {
  cas_kernels_list(0)->threefry(1, 0, 3, 7, NORMALS, u);
  check_normals("body");
}

/* radii from 8.6 down to 1.5e-8, both ends in steps of a factor */
TEST(normals_of_tails) {
  cas_kernels_list(0)->threefry(2, 0, 3, 7, NORMALS, u);
  for (int i = 0; i < NORMALS / 2; i++)
    u[i] = i % 2 ? 1 - ldexp(1 + (i % 64) / 64.0, -53 + i % 52) : ldexp(1 + u[i], -53 + i % 53);
  check_normals("tails");
}

/* angles beside multiples of an eighth of a turn, where quarters change and sines vanish */
TEST(normals_of_turns) {
  cas_kernels_list(0)->threefry(3, 0, 3, 7, NORMALS, u);
  for (int i = 0; i < NORMALS / 2; i++) {
    double beside = (1 + i % 8) / 8.0, off = ldexp(1, -50 + i / 16 % 48);
    u[NORMALS / 2 + i] = i % 16 < 8 || beside == 1 ? beside - off : beside + off;
  }
  check_normals("turns");
}

RUN_TESTS
