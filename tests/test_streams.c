/* The production streams across blocks: what would be seen if neighbouring streams were correlated.
   The multiplicative lagged Fibonacci family of SPRNG fails them without its warm-up. */
/* lane: slow */
#include "base/count.h"
#include "numbers.h"
#include "paths/noise/noise.h"
#include "statistics/histogram.h"

#include <math.h>

/* Those of every generator, fewer where opening one is slow, or slower the higher its number. */
static int streams_of(const cas_generator *g) {
  const int most = g->ascending ? 1000 : strcmp(g->name, "sprng_lfg") ? 1000000 : 5000;
  return (int)cas_count_least(all_or(repetitions(most), 2000), g->blocks);
}

/* One uniform of each stream of that seed and purpose. */
static double *draws_of(const cas_generator *g, int seed, int purpose, int draw, int streams) {
  _Alignas(64) double u[CAS_NOISE_DRAW];
  double *found = doubles((size_t)streams);
  for (int b = 0; b < streams; b++) {
    cas_stream s = {.generator = g, .seed = seed, .purpose = purpose, .block = b};
    MUST(g->open(&s, &err));
    for (int step = 0; step <= draw / CAS_NOISE_DRAW; step++)
      g->uniforms(&s, step, CAS_NOISE_DRAW, u);
    if (s.handle && g->close)
      g->close(&s);
    found[b] = u[draw % CAS_NOISE_DRAW];
    ck_assert(found[b] > 0 && found[b] < 1);
  }
  return found;
}

static double neighbours(const double *x, const double *y, int n) {
  double product = 0;
  for (int b = 0; b < n; b++)
    product += (x[b] - 0.5) * (y[b] - 0.5);
  return product / sqrt(n / 144.0);
}

static void check_draws(const char *name, double *first, int n) {
  double sum = 0, product = neighbours(first, first + 1, n - 1);
  for (int b = 0; b < n; b++)
    sum += (first[b] - 0.5) / sqrt(n / 12.0);
  ck_assert_msg(fabs(sum) < 4, "%s: mean of draws off by %.1f sigma", name, sum);
  ck_assert_msg(fabs(product) < 4, "%s: neighbours correlated by %.1f sigma", name, product);
  cas_histogram_sort(first, (size_t)n);
  for (int b = 0; b + 1 < n; b++)
    ck_assert_msg(first[b] != first[b + 1], "%s: two draws are %.17g", name, first[b]);
}

/* Purposes and seeds have streams of their own, and the first draw of a stream tells nothing about
   the next one and the next step. Where opening takes longer the higher the number, purposes share
   low numbers: their streams are as far apart as those of one purpose, and as soon open. */
static void has_independent_draws(const cas_generator *g) {
  static const struct {
    int seed, purpose, draw;
  } of[] = {{1, CAS_PURPOSE_PATHS, 0}, {1, CAS_PURPOSE_MULTILEVEL, 0},
            {1, CAS_PURPOSE_MLMC, 0},  {1, CAS_PURPOSE_PATHS, CAS_NOISE_DRAW},
            {1, CAS_PURPOSE_PATHS, 1}, {2, CAS_PURPOSE_PATHS, 0}};
  enum { SETS = sizeof of / sizeof *of };
  const int streams = streams_of(g), n = streams < 4000 ? streams : 4000;
  double *draws[SETS], *all = doubles(SETS * (size_t)n);
  for (int i = 0; i < SETS; i++) {
    draws[i] = draws_of(g, of[i].seed, of[i].purpose, of[i].draw, i ? n : streams);
    memcpy(all + i * n, draws[i], (size_t)n * sizeof *all);
  }
  for (int i = 0; i < SETS; i++)
    for (int j = 0; j < i; j++) {
      const double sigma = neighbours(draws[i], draws[j], n);
      ck_assert_msg(fabs(sigma) < 4, "%s, sets %d and %d: %.1f sigma", g->name, i, j, sigma);
    }
  check_draws(g->name, all, SETS * n);
  check_draws(g->name, draws[0], streams);
}

TEST(draws_of_every_generator_are_independent) {
  for (const cas_generator *const *g = cas_generator_list(); *g; g++)
    if (!(*g)->replayed && !(*g)->missing)
      has_independent_draws(*g);
}

RUN_TESTS
