/* Fixed points of maps that no iteration solves: bounded maps have one, and it is found. */
#include "integrators/continuation.h"
#include "suite.h"

#include <string.h>

bool cas_continuation_run_generic(cas_continuation *c);

enum { MOST_N = 40, STRIDE = 3, ROOM = 64 };

/* image = sin(W x + phases), W with random entries: the larger, the more solutions */
typedef struct {
  int n;
  double w[MOST_N][MOST_N], phase[MOST_N];
  double x[MOST_N * STRIDE], image[MOST_N * STRIDE], start[MOST_N * STRIDE];
} map;

static void sines(void *of) {
  map *m = of;
  for (int i = 0; i < m->n; i++) {
    double sum = m->phase[i];
    for (int j = 0; j < m->n; j++)
      sum += m->w[i][j] * m->x[j * STRIDE];
    m->image[i * STRIDE] = sin(sum);
  }
}

static void farther(void *of) {
  map *m = of;
  for (int i = 0; i < m->n; i++)
    m->image[i * STRIDE] = m->x[i * STRIDE] + 1;
}

static double uniform(unsigned *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return *seed / 4294967296.0;
}

static bool solve(map *m, void evaluate(void *), int vectors) {
  static double memory[ROOM * (MOST_N + 1)];
  cas_continuation c = {.n = m->n,
                        .stride = STRIDE,
                        .x = m->x,
                        .image = m->image,
                        .start = m->start,
                        .evaluate = evaluate,
                        .of = m,
                        .size = 1,
                        .rounding = 1e-13,
                        .memory = memory,
                        .doubles = vectors * (m->n + 1),
                        .most = 1000};
  memcpy(m->x, m->start, sizeof m->x);
  const bool solved = cas_continuation_run_generic(&c);
  ck_assert_int_le(c.iterations, 1000 + 1);
  return solved;
}

static const struct {
  int n, vectors, maps;
  double slope;
} kinds[] = {{1, ROOM, 1000, 3}, {1, 11, 1000, 30}, {2, ROOM, 1000, 10},
             {3, ROOM, 1000, 8}, {10, ROOM, 50, 3}, {40, ROOM, 5, 2}};

TEST_OVER(bounded_maps_have_fixed_points, sizeof kinds / sizeof *kinds) {
  static map m;
  unsigned seed = 7;
  for (int k = 0; k < kinds[_i].maps; k++) {
    m = (map){.n = kinds[_i].n};
    for (int i = 0; i < m.n; i++) {
      m.phase[i] = 6.3 * uniform(&seed);
      m.start[i * STRIDE] = uniform(&seed) - 0.5;
      for (int j = 0; j < m.n; j++)
        m.w[i][j] = kinds[_i].slope * (2 * uniform(&seed) - 1);
    }
    ck_assert_msg(solve(&m, sines, kinds[_i].vectors), "map %d has no solution", k);
    double x[MOST_N * STRIDE];
    memcpy(x, m.x, sizeof x);
    sines(&m);
    for (int i = 0; i < m.n; i++)
      ck_assert_msg(fabs(m.image[i * STRIDE] - x[i * STRIDE]) <= 1e-11, "map %d: %g", k,
                    m.image[i * STRIDE] - x[i * STRIDE]);
  }
}

TEST(what_has_no_fixed_point_is_left_at_its_start) {
  static map m = {.n = 3, .start = {[0] = 0.5, [STRIDE] = 0.25, [2 * STRIDE] = -1}};
  ck_assert(!solve(&m, farther, ROOM));
  ck_assert(m.x[0] == 0.5 && m.x[STRIDE] == 0.25 && m.x[2 * STRIDE] == -1);
}

RUN_TESTS
