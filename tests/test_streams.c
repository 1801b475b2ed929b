/* The production streams across blocks: what would be seen if neighbouring streams were correlated.
   The multiplicative lagged Fibonacci family of SPRNG fails both tests without its warm-up. */
/* lane: slow */
#include "paths/noise/noise.h"
#include "repetitions.h"
#include "suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const char *generator;
  int streams; /* fewer where opening one is slow */
} family;

static const family families[] = {{"sprng_mlfg", 1000000}, {"threefry", 1000000},
                                  {"sprng_lfg", 5000},     {"sprng_lcg", 4000},
                                  {"sprng_lcg64", 1000},   {"sprng_cmrg", 1000}};

static const cas_generator *find(const char *name) {
  const cas_generator *const *g = cas_generator_list();
  while (strcmp((*g)->name, name) != 0)
    g++;
  return *g;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* the first uniform of each stream of that purpose */
static double *first_draws(const cas_generator *g, int purpose, int streams) {
  _Alignas(64) double u[CAS_NOISE_DRAW];
  double *first = malloc((size_t)streams * sizeof *first);
  ck_assert_ptr_nonnull(first);
  for (int b = 0; b < streams; b++) {
    cas_stream s = {.generator = g, .seed = 1, .purpose = purpose, .block = b};
    MUST(g->open(&s, &err));
    g->uniforms(&s, 0, CAS_NOISE_DRAW, u);
    if (g->close)
      g->close(&s);
    first[b] = u[0];
    ck_assert(u[0] > 0 && u[0] < 1);
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
  double sum = 0, sigma_product = neighbours(first, first + 1, n - 1);
  for (int b = 0; b < n; b++)
    sum += first[b] - 0.5;
  double sigma_sum = sum / sqrt(n / 12.0);
  ck_assert_msg(fabs(sigma_sum) < 4, "%s: mean of first draws off by %.1f sigma", name, sigma_sum);
  ck_assert_msg(fabs(sigma_product) < 4, "%s: neighbours correlated by %.1f sigma", name,
                sigma_product);
  qsort(first, (size_t)n, sizeof *first, ascending);
  int same = 0;
  for (int b = 0; b + 1 < n; b++)
    same += first[b] == first[b + 1];
  ck_assert_msg(same == 0, "%s: %d of %d first draws equal another stream's", name, same, n);
}

/* Where opening takes longer the higher the number, purposes share low numbers: their streams are
   as far from each other as those of one purpose, and as soon open. */
TEST_OVER(first_draws_are_independent, sizeof families / sizeof *families) {
  static const int purpose[] = {CAS_PURPOSE_PATHS, CAS_PURPOSE_MULTILEVEL, CAS_PURPOSE_MLMC};
  const family *f = &families[_i];
  const cas_generator *g = find(f->generator);
  if (g->missing)
    return;
  int streams = repetitions(f->streams), n = streams < 4000 ? streams : 4000;
  double *first[3], *all = malloc(3 * (size_t)n * sizeof *all);
  ck_assert_ptr_nonnull(all);
  for (int i = 0; i < 3; i++) {
    first[i] = first_draws(g, purpose[i], i ? n : streams);
    memcpy(all + i * n, first[i], (size_t)n * sizeof *all);
  }
  for (int i = 0; i < 3; i++) {
    double sigma = neighbours(first[i], first[(i + 1) % 3], n);
    ck_assert_msg(fabs(sigma) < 4, "%s: purposes %d and %d correlated by %.1f sigma", f->generator,
                  purpose[i], purpose[(i + 1) % 3], sigma);
  }
  check_draws(f->generator, all, 3 * n);
  check_draws(f->generator, first[0], streams);
  for (int i = 0; i < 3; i++)
    free(first[i]);
  free(all);
}

/* Purposes, seeds, blocks and steps each give other numbers, and the same ones the same. */
TEST_OVER(streams_are_functions_of_their_names, sizeof families / sizeof *families) {
  const family *f = &families[_i];
  const cas_generator *g = find(f->generator);
  if (g->missing)
    return;
  _Alignas(64) double u[5][2 * CAS_NOISE_DRAW];
  cas_stream s[5] = {{g, 1, CAS_PURPOSE_PATHS, 5, NULL},
                     {g, 1, CAS_PURPOSE_PATHS, 5, NULL},
                     {g, 2, CAS_PURPOSE_PATHS, 5, NULL},
                     {g, 1, CAS_PURPOSE_PATHS, 6, NULL},
                     {g, 1, CAS_PURPOSE_INITIAL_STATES, 5, NULL}};
  int last = g->blocks > 1000000 && g->close
                 ? 4
                 : 5; /* a purpose's first stream is slow to open in some families */
  for (int i = 0; i < last; i++) {
    MUST(g->open(&s[i], &err));
    g->uniforms(&s[i], 0, CAS_NOISE_DRAW, u[i]);
    g->uniforms(&s[i], 1, CAS_NOISE_DRAW, u[i] + CAS_NOISE_DRAW);
    if (g->close)
      g->close(&s[i]);
  }
  for (int k = 0; k < 2 * CAS_NOISE_DRAW; k++) {
    ck_assert(u[0][k] == u[1][k]);
    for (int i = 2; i < last; i++)
      ck_assert_msg(u[0][k] != u[i][k], "%s: draw %d of streams 0 and %d", f->generator, k, i);
  }
  for (int k = 0; k < CAS_NOISE_DRAW; k++)
    ck_assert(u[0][k] != u[0][CAS_NOISE_DRAW + k]);
}

RUN_TESTS
