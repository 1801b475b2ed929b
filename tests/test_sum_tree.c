/* The statistics of chunks have the same bits however the chunks are divided and in whatever order
 * they come, on any number of ranks. */
/* ranks: 1 2 3 4 7 */
#include "statistics/reduce.h"
#include "study_fixture.h"

#include <math.h>

enum { QUANTITIES = 3, LEVELS = 2, PATHS = 10 };

static const cas_summary_shape shape = {
    .quantities = QUANTITIES, .levels = LEVELS, .groups = CAS_SUMMARY_GROUPS};

static double noise(int64_t n) { return sin((double)(n * 7919 + 13)) * exp(sin((double)n)); }

/* chunk c holds the paths 10 c .. 10 c + 9 */
static void fill(int64_t c, cas_summary *s) {
  cas_summary_clear(shape, s);
  for (int64_t p = c * PATHS; p < (c + 1) * PATHS; p++) {
    double q[QUANTITIES] = {noise(3 * p), 1e3 + noise(3 * p + 1), 1e-9 * noise(3 * p + 2)};
    cas_summary_add(shape, s, (int)(p % CAS_SUMMARY_GROUPS), q);
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
  cas_error err = {0};
  cas_summary *s = malloc(cas_summary_size(shape));
  ck_assert_ptr_nonnull(s);
  fill(chunk, s);
  ck_assert_msg(!cas_sum_tree_add(t, chunk, s, &err), "%s", err.text);
  free(s);
}

static cas_sum_tree range(int64_t first, int64_t next) {
  cas_sum_tree t = {.shape = shape};
  for (int64_t c = first; c < next; c++)
    add(&t, c);
  return t;
}

static cas_summary *total(const cas_sum_tree *t) {
  cas_summary *s = malloc(cas_summary_size(shape));
  ck_assert_ptr_nonnull(s);
  cas_sum_tree_total(t, s);
  return s;
}

static void check_same(const cas_summary *a, const cas_summary *b) {
  ck_assert_int_eq(memcmp(a, b, cas_summary_size(shape)), 0);
}

static void check_whole(const cas_sum_tree *t, const cas_sum_tree *whole) {
  cas_summary *expected = total(whole), *found = total(t);
  ck_assert_int_eq(t->nodes, whole->nodes);
  ck_assert_int_eq(cas_sum_tree_chunks(t), cas_sum_tree_chunks(whole));
  check_same(found, expected);
  free(expected);
  free(found);
}

TEST(any_division_gives_the_same_bits) {
  cas_error err = {0};
  for (int64_t n = 1; n <= 40; n += 3) {
    cas_sum_tree whole = range(0, n);
    for (int64_t a = 0; a <= n; a++)
      for (int64_t b = a; b <= n; b += 3) {
        cas_sum_tree left = range(0, a), middle = range(a, b), right = range(b, n);
        ck_assert(!cas_sum_tree_join(&right, &left, &err));
        ck_assert_int_eq(cas_sum_tree_chunks(&right), n - b + a);
        ck_assert(!cas_sum_tree_join(&middle, &right, &err));
        check_whole(&middle, &whole);
        cas_sum_tree_free(&left);
        cas_sum_tree_free(&middle);
        cas_sum_tree_free(&right);
      }
    cas_sum_tree_free(&whole);
  }
}

TEST(any_order_gives_the_same_bits) {
  for (int64_t n = 1; n <= 64; n += 7) {
    cas_sum_tree whole = range(0, n);
    for (int64_t stride = 1; stride < 60; stride += 6) {
      cas_sum_tree t = {.shape = shape};
      for (int64_t first = 0; first < stride; first++)
        for (int64_t c = first; c < n; c += stride)
          add(&t, n - 1 - c);
      check_whole(&t, &whole);
      cas_sum_tree_free(&t);
    }
    cas_sum_tree_free(&whole);
  }
}

TEST(no_chunk_is_counted_twice) {
  cas_error err = {0};
  cas_sum_tree t = range(4, 11), again = range(7, 8), eight = range(0, 8);
  ck_assert(cas_sum_tree_join(&t, &again, &err) && strstr(err.text, "twice"));
  ck_assert(cas_sum_tree_join(&t, &eight, &err));
  ck_assert_int_eq(cas_sum_tree_chunks(&t), 7);
  cas_sum_tree_free(&t);
  cas_sum_tree_free(&again);
  cas_sum_tree_free(&eight);
}

/* Gaps stay gaps. */
TEST(a_packed_tree_comes_back) {
  cas_error err = {0};
  cas_sum_tree t = range(3, 9), more = range(16, 20), back = {.shape = shape};
  ck_assert(!cas_sum_tree_join(&t, &more, &err));
  size_t size = cas_sum_tree_packed_size(&t);
  void *packed = malloc(size);
  ck_assert_ptr_nonnull(packed);
  cas_sum_tree_pack(&t, packed);
  ck_assert_int_eq(cas_sum_tree_packed_chunks(packed, size), 10);
  ck_assert(!cas_sum_tree_unpack(&back, packed, size, &err));
  ck_assert_int_eq(back.nodes, t.nodes);
  for (int i = 0; i < t.nodes; i++)
    ck_assert(memcmp(back.node[i], t.node[i], cas_sum_node_size(shape)) == 0);
  free(packed);
  cas_sum_tree_free(&t);
  cas_sum_tree_free(&more);
  cas_sum_tree_free(&back);
}

/* Gives every rank the tree of rank 0, which is not empty. */
static void share_tree(cas_sum_tree *t, int rank) {
  cas_error err = {0};
  size_t size = rank == 0 ? cas_sum_tree_packed_size(t) : 0;
  cas_bcast(&size, sizeof size, MPI_BYTE, 0, MPI_COMM_WORLD);
  void *packed = malloc(size);
  if (rank == 0)
    cas_sum_tree_pack(t, packed);
  cas_bcast(packed, (int)size, MPI_BYTE, 0, MPI_COMM_WORLD);
  cas_sum_tree_free(t);
  *t = (cas_sum_tree){.shape = shape};
  ck_assert(on_all(!cas_sum_tree_unpack(t, packed, size, &err)));
  free(packed);
}

/* Each rank has every so manieth chunk or a range, and a part is done that no rank has yet. */
TEST(ranks_give_the_same_bits) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int64_t n = 1; n <= 200; n += 9) {
    cas_sum_tree whole = range(0, n);
    for (int ranges = 0; ranges < 2; ranges++) {
      cas_error err = {0};
      cas_sum_tree mine = {.shape = shape}, all;
      for (int turn = 0; turn < 2; turn++) {
        for (int64_t c = n * turn / 2; c < n * (turn + 1) / 2; c++)
          if ((ranges ? c * size / n : c % size) == rank)
            add(&mine, c);
        ck_assert_msg(!cas_sum_tree_reduce(&mine, n, &all, MPI_COMM_WORLD, &err), "%s", err.text);
        ck_assert(on_all(cas_sum_tree_chunks(&all) == (rank == 0 ? n * (turn + 1) / 2 : 0)));
        if (turn == 1) {
          share_tree(&all, rank);
          check_whole(&all, &whole);
        }
        cas_sum_tree_free(&all);
      }
      cas_sum_tree_free(&mine);
    }
    cas_sum_tree_free(&whole);
  }
}

TEST(moments_are_those_of_the_paths) {
  int64_t n = 13;
  cas_sum_tree t = range(0, n);
  cas_summary *s = total(&t);
  double all[1 + 2 * QUANTITIES] = {0};
  for (int g = 0; g < CAS_SUMMARY_GROUPS; g++)
    cas_moments_merge(QUANTITIES, all, cas_summary_group(shape, s, g));
  ck_assert(all[0] == (double)(n * PATHS));
  for (int i = 0; i < QUANTITIES; i++) {
    long double mean = 0, m2 = 0,
                scale = i == 1   ? 1
                        : i == 0 ? 1
                                 : 1e-9L,
                shift = i == 1 ? 1e3L : 0;
    for (int64_t p = 0; p < n * PATHS; p++)
      mean += (shift + scale * noise(3 * p + i)) / (n * PATHS);
    for (int64_t p = 0; p < n * PATHS; p++)
      m2 += (shift + scale * noise(3 * p + i) - mean) * (shift + scale * noise(3 * p + i) - mean);
    ck_assert(fabsl(all[1 + i] - mean) <= 1e-13L * (fabsl(mean) + scale));
    ck_assert(fabsl(all[1 + QUANTITIES + i] - m2) <= 1e-10L * m2);
  }
  ck_assert_int_eq(cas_summary_level(s, 1)->steps, n * PATHS * (n * PATHS - 1) / 2);
  ck_assert_int_eq(cas_summary_level(s, 0)->iterations_max, n - 1);
  for (int64_t p = 0; p < n * PATHS; p++)
    ck_assert(noise(3 * p) <= cas_summary_paths(s)->drift);
  free(s);
  cas_sum_tree_free(&t);
}

RUN_TESTS_WITH_MPI
