/* Statistics of chunks have the same bits in any order, and are those of all paths; test_same_bits.c has
   them over ranks. */
#include "statistics/sum_tree.h"
#include "suite.h"

#include <math.h>
#include <string.h>

enum { QUANTITIES = 3, LEVELS = 2, PATHS = 10 };

/* Groups with means and squares, and one group with third and fourth powers and extremes. */
static const cas_summary_shape shapes[] = {
    {.quantities = QUANTITIES, .levels = LEVELS, .groups = CAS_SUMMARY_GROUPS},
    {.quantities = QUANTITIES, .levels = LEVELS, .groups = 1, .detailed = 1}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static cas_summary_shape shape;

static double noise(int64_t n) { return sin((double)(n * 7919 + 13)) * exp(sin((double)n)); }

/* Values of three scales. */
static double value(int64_t path, int i) {
  const double x = noise(3 * path + i);
  return i == 0 ? x : i == 1 ? 1e3 + x : 1e-120 * x;
}

/* Whether a path counts: every fifth chunk has none. */
static bool counts(int64_t path) { return path / PATHS % 5 != 2; }

/* Chunk c holds the paths 10 c .. 10 c + 9. */
static void fill(int64_t c, cas_summary *s) {
  cas_summary_clear(shape, s);
  for (int64_t p = c * PATHS; p < (c + 1) * PATHS && counts(p); p++) {
    const double q[QUANTITIES] = {value(p, 0), value(p, 1), value(p, 2)};
    cas_summary_add(shape, s, (int)(p % shape.groups), q);
    cas_path_health *h = cas_summary_paths(s);
    if (h->drift_path < 0 || q[0] > h->drift) {
      h->drift = q[0];
      h->drift_path = p;
    }
    cas_summary_level(s, 1)->steps += p;
    cas_summary_level(s, 0)->iterations_max = c;
  }
}

static void add(cas_sum_tree *t, int64_t chunk) {
  cas_summary *s = malloc(cas_summary_size(shape));
  ck_assert_ptr_nonnull(s);
  fill(chunk, s);
  MUST(cas_sum_tree_add(t, chunk, s, &err));
  free(s);
}

static void release_tree(void *t) {
  cas_sum_tree_free(t);
  free(t);
}

/* The sums of some chunks; trees and totals belong to the suite until the test ends. */
static cas_sum_tree *range(int64_t first, int64_t next) {
  cas_sum_tree *t = calloc(1, sizeof *t);
  ck_assert_ptr_nonnull(t);
  suite_keep(t, release_tree);
  t->shape = shape;
  for (int64_t c = first; c < next; c++)
    add(t, c);
  return t;
}

static cas_summary *total(const cas_sum_tree *t) {
  cas_summary *s = malloc(cas_summary_size(shape));
  ck_assert_ptr_nonnull(s);
  suite_keep(s, free);
  cas_sum_tree_total(t, s);
  return s;
}

static int64_t *pack(const cas_sum_tree *t, size_t *size) {
  *size = cas_sum_tree_packed_size(t);
  int64_t *packed = malloc(*size);
  ck_assert_ptr_nonnull(packed);
  suite_keep(packed, free);
  cas_sum_tree_pack(t, packed);
  return packed;
}

static bool same_sums(const cas_sum_tree *t, const cas_sum_tree *whole) {
  return t->nodes == whole->nodes && cas_sum_tree_chunks(t) == cas_sum_tree_chunks(whole) &&
         memcmp(total(t), total(whole), cas_summary_size(shape)) == 0;
}

TEST_OVER(any_order_gives_the_same_bits, SHAPES) {
  shape = shapes[_i];
  for (int64_t n = 1; n <= 64; n += 7) {
    const cas_sum_tree *whole = range(0, n);
    for (int64_t stride = 1; stride < 60; stride += 6) {
      cas_sum_tree *t = range(0, 0);
      for (int64_t first = 0; first < stride; first++)
        for (int64_t c = first; c < n; c += stride)
          add(t, n - 1 - c);
      ck_assert_msg(same_sums(t, whole), "%d chunks, stride %d", (int)n, (int)stride);
    }
  }
}

TEST(no_chunk_is_counted_twice) {
  cas_error err = {0};
  shape = shapes[0];
  cas_sum_tree *t = range(4, 11);
  ck_assert(cas_sum_tree_join(t, range(7, 8), &err) && strstr(err.text, "twice"));
  ck_assert(cas_sum_tree_join(t, range(0, 8), &err));
  ck_assert_int_eq(cas_sum_tree_chunks(t), 7);
}

/* ---- trees as checkpoints hold them ---- */

/* The number of chunks that come out of it; -1: refused. */
static int64_t unpacked(const int64_t *packed, size_t size) {
  cas_error err = {0};
  cas_sum_tree t = {.shape = shape};
  cas_status st = cas_sum_tree_unpack(&t, packed, size, &err);
  int64_t chunks = cas_sum_tree_chunks(&t);
  ck_assert(!st || st == CAS_FILE_ERROR);
  cas_sum_tree_free(&t);
  return st ? -1 : chunks;
}

enum { HEAD = 5 }; /* words: shape, capacity and nodes, first, next */

/* Only powers of two of chunks make one node; and every word of a tree set to what may hurt: it is
   refused, or it can be summed. */
TEST(damaged_trees_are_refused) {
  const int64_t evil[] = {0, 1, 3, -1, 1 << 20, INT64_MAX, INT64_MIN, (int64_t)1 << 62};
  size_t size;
  shape = shapes[1];
  int64_t *packed = pack(range(0, 2), &size);
  ck_assert(packed[HEAD + 1] == 2 && unpacked(packed, size) == 2);
  packed[HEAD + 1] = packed[HEAD - 1] = 3;
  ck_assert_int_eq(unpacked(packed, size), -1);
  packed = pack(range(0, 11), &size);
  int refused = 0;
  for (size_t w = 0; w < size / sizeof *packed; w++)
    for (size_t e = 0; e < sizeof evil / sizeof *evil; e++) {
      const int64_t old = packed[w];
      ck_assert_int_eq(cas_sum_tree_packed_chunks(packed, size, INT64_MAX), 11);
      packed[w] = evil[e];
      refused += unpacked(packed, size) < 0;
      (void)cas_sum_tree_packed_chunks(packed, size, INT64_MAX);
      packed[w] = old;
    }
  ck_assert_int_gt(refused, 20);
  ck_assert_int_eq(unpacked(packed, size), 11);
  ck_assert_int_eq(unpacked(packed, size - 8), -1);
  ck_assert_int_eq(unpacked(packed, 4), -1);
}

/* Moments, extremes, health: those of all paths that count, summed another way. */
TEST_OVER(moments_are_those_of_the_paths, SHAPES) {
  const int64_t chunks = 13, paths = chunks * PATHS;
  int64_t n = 0, steps = 0, drifts = -1;
  shape = shapes[_i];
  cas_summary *s = total(range(0, chunks));
  double merged[1 + 2 * QUANTITIES] = {0},
                        *all = shape.detailed ? cas_summary_group(shape, s, 0) : merged;
  for (int g = 0; !shape.detailed && g < CAS_SUMMARY_GROUPS; g++)
    cas_moments_merge(QUANTITIES, all, cas_summary_group(shape, s, g));
  for (int64_t p = 0; p < paths; p++)
    if (counts(p)) {
      n++;
      steps += p;
      drifts = drifts < 0 || value(p, 0) > value(drifts, 0) ? p : drifts;
    }
  ck_assert(all[0] == (double)n && cas_summary_paths(s)->drift_path == drifts);
  ck_assert_int_eq(cas_summary_level(s, 1)->steps, steps);
  ck_assert_int_eq(cas_summary_level(s, 0)->iterations_max, chunks - 2);
  for (int i = 0; i < QUANTITIES; i++) {
    long double mean = 0, power[5] = {0};
    double least = INFINITY, greatest = -INFINITY;
    for (int64_t p = 0; p < paths; p++)
      if (counts(p)) {
        mean += (long double)value(p, i) / n;
        least = fmin(least, value(p, i));
        greatest = fmax(greatest, value(p, i));
      }
    for (int64_t p = 0; p < paths; p++)
      for (int k = 2; k <= 4 && counts(p); k++)
        power[k] += powl(value(p, i) - mean, k);
    ck_assert(fabsl(all[1 + i] - mean) <= 1e-14L * fmaxl(fabsl(greatest), fabsl(least)));
    /* below 1e-308 there is no third or fourth power of the last */
    for (int k = 2; k <= (shape.detailed && i < 2 ? 4 : 2); k++)
      ck_assert(fabsl(all[1 + (k - 1) * QUANTITIES + i] - power[k]) <=
                1e-12L * sqrtl(k == 3 ? power[2] * power[4] : power[k] * power[k]));
    if (shape.detailed)
      ck_assert(all[1 + 4 * QUANTITIES + i] == least && all[1 + 5 * QUANTITIES + i] == greatest);
  }
}

RUN_TESTS
