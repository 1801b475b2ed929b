/* Trees of sums of chunks: none is counted twice, and damaged ones are refused. test_same_bits.c
   has that their order is no matter, test_ensemble.c that they are the sums of all paths. */
#include "statistics/sum_tree.h"
#include "suite.h"

static const cas_summary_shape shape = {.quantities = 3, .levels = 2, .groups = 1, .detailed = 1};

static void release_tree(void *t) {
  cas_sum_tree_free(t);
  free(t);
}

/* The sums of some chunks, which belong to the suite until the test ends. Chunk c has one path, with
   the values c, c + 1 and c + 2. */
static cas_sum_tree *range(int64_t first, int64_t next) {
  cas_sum_tree *t = calloc(1, sizeof *t);
  suite_keep(t, release_tree);
  t->shape = shape;
  cas_summary *s = malloc(cas_summary_size(shape));
  for (int64_t c = first; c < next; c++) {
    cas_summary_clear(shape, s);
    cas_summary_add(shape, s, 0, (double[]){(double)c, (double)c + 1, (double)c + 2});
    MUST(cas_sum_tree_add(t, c, s, &err));
  }
  free(s);
  return t;
}

static int64_t *pack(const cas_sum_tree *t, size_t *size) {
  *size = cas_sum_tree_packed_size(t);
  int64_t *packed = malloc(*size);
  ck_assert_ptr_nonnull(packed);
  suite_keep(packed, free);
  cas_sum_tree_pack(t, packed);
  return packed;
}

TEST(no_chunk_is_counted_twice) {
  cas_error err = {0};
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

RUN_TESTS
