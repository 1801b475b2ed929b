/* The production streams across blocks: what would be seen if neighbouring streams were correlated.
   The multiplicative lagged Fibonacci family of SPRNG fails both tests without its warm-up. */
/* lane: slow */
#include "math/kernels/kernels.h"
#include "numbers.h"
#include "paths/noise/noise.h"

#include <math.h>

typedef struct {
  const char *generator;
  int streams; /* fewer where opening one is slow */
} family;

static const family families[] = {{"sprng_mlfg", 1000000}, {"threefry", 1000000},
                                  {"sprng_lfg", 5000},     {"sprng_lcg", 4000},
                                  {"sprng_lcg64", 1000},   {"sprng_cmrg", 1000}};

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The first uniform of each stream of that seed and purpose; the first of the next step is another
   one. */
static double *first_draws(const cas_generator *g, int seed, int purpose, int streams) {
  _Alignas(64) double u[2 * CAS_NOISE_DRAW];
  double *first = doubles((size_t)streams);
  for (int b = 0; b < streams; b++) {
    cas_stream s = {.generator = g, .seed = seed, .purpose = purpose, .block = b};
    MUST(g->open(&s, &err));
    for (int step = 0; step < (b ? 1 : 2); step++)
      g->uniforms(&s, step, CAS_NOISE_DRAW, u + step * CAS_NOISE_DRAW);
    if (g->close)
      g->close(&s);
    first[b] = u[0];
    ck_assert(u[0] > 0 && u[0] < 1 && (b || u[0] != u[CAS_NOISE_DRAW]));
  }
  return first;
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
  ck_assert_msg(fabs(sum) < 4, "%s: mean of first draws off by %.1f sigma", name, sum);
  ck_assert_msg(fabs(product) < 4, "%s: neighbours correlated by %.1f sigma", name, product);
  qsort(first, (size_t)n, sizeof *first, ascending);
  for (int b = 0; b + 1 < n; b++)
    ck_assert_msg(first[b] != first[b + 1], "%s: two streams begin with %.17g", name, first[b]);
}

/* Purposes and seeds have streams of their own. Where opening takes longer the higher the number,
   purposes share low numbers: their streams are as far from each other as those of one purpose,
   and as soon open. */
TEST_OVER(first_draws_are_independent, sizeof families / sizeof *families) {
  static const struct {
    int seed;
    int purpose;
  } of[] = {{1, CAS_PURPOSE_PATHS},
            {1, CAS_PURPOSE_MULTILEVEL},
            {1, CAS_PURPOSE_MLMC},
            {2, CAS_PURPOSE_PATHS}};
  const family *f = &families[_i];
  const cas_generator *g = cas_kernels_find(cas_generator_list(), f->generator);
  if (g->missing)
    return;
  const int streams = all_or(repetitions(f->streams), 2000), n = streams < 4000 ? streams : 4000;
  double *first[4], *all = doubles(4 * (size_t)n);
  for (int i = 0; i < 4; i++) {
    first[i] = first_draws(g, of[i].seed, of[i].purpose, i ? n : streams);
    memcpy(all + i * n, first[i], (size_t)n * sizeof *all);
  }
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < i; j++) {
      const double sigma = neighbours(first[i], first[j], n);
      ck_assert_msg(fabs(sigma) < 4, "%s: families %d and %d correlated by %.1f sigma",
                    f->generator, i, j, sigma);
    }
  check_draws(f->generator, all, 4 * n);
  check_draws(f->generator, first[0], streams);
}

RUN_TESTS
