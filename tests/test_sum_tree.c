/* The statistics of chunks have the same bits however the chunks are divided and in whatever order
 * they come, on any number of ranks. */
/* ranks: 1 2 3 4 7 */
#include "statistics/reduce.h"
#include "study_fixture.h"

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

static cas_sum_tree range(int64_t first, int64_t next) {
  cas_sum_tree t = {.shape = shape};
  for (int64_t c = first; c < next; c++)
    add(&t, c);
  return t;
}

/* Belongs to the suite until the test ends. */
static cas_summary *total(const cas_sum_tree *t) {
  cas_summary *s = malloc(cas_summary_size(shape));
  ck_assert_ptr_nonnull(s);
  suite_keep(s, free);
  cas_sum_tree_total(t, s);
  return s;
}

static void check_whole(const cas_sum_tree *t, const cas_sum_tree *whole) {
  ck_assert_int_eq(t->nodes, whole->nodes);
  ck_assert_int_eq(cas_sum_tree_chunks(t), cas_sum_tree_chunks(whole));
  ck_assert(memcmp(total(t), total(whole), cas_summary_size(shape)) == 0);
}

TEST_OVER(any_order_gives_the_same_bits, SHAPES) {
  shape = shapes[_i];
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
  shape = shapes[0];
  cas_sum_tree t = range(4, 11), again = range(7, 8), eight = range(0, 8);
  ck_assert(cas_sum_tree_join(&t, &again, &err) && strstr(err.text, "twice"));
  ck_assert(cas_sum_tree_join(&t, &eight, &err));
  ck_assert_int_eq(cas_sum_tree_chunks(&t), 7);
  cas_sum_tree_free(&t);
  cas_sum_tree_free(&again);
  cas_sum_tree_free(&eight);
}

/* Gaps stay gaps. */
TEST_OVER(a_packed_tree_comes_back, SHAPES) {
  shape = shapes[_i];
  cas_sum_tree t = range(3, 9), more = range(16, 20), back = {.shape = shape};
  MUST(cas_sum_tree_join(&t, &more, &err));
  size_t size = cas_sum_tree_packed_size(&t);
  void *packed = malloc(size);
  ck_assert_ptr_nonnull(packed);
  cas_sum_tree_pack(&t, packed);
  ck_assert_int_eq(cas_sum_tree_packed_chunks(packed, size, INT64_MAX), 10);
  MUST(cas_sum_tree_unpack(&back, packed, size, &err));
  ck_assert_int_eq(back.nodes, t.nodes);
  for (int i = 0; i < t.nodes; i++)
    ck_assert(memcmp(back.node[i], t.node[i], cas_sum_node_size(shape)) == 0);
  free(packed);
  cas_sum_tree_free(&t);
  cas_sum_tree_free(&more);
  cas_sum_tree_free(&back);
}

/* Gives every rank the tree of rank 0, which is not empty. */
static void share_tree(cas_sum_tree *t) {
  cas_error err = {0};
  const int rank = rank_here();
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
TEST_OVER(ranks_give_the_same_bits, SHAPES) {
  const int rank = rank_here(), size = count_ranks();
  shape = shapes[_i];
  for (int64_t n = 1; n <= 200; n += 9) {
    cas_sum_tree whole = range(0, n);
    for (int ranges = 0; ranges < 2; ranges++) {
      cas_sum_tree mine = {.shape = shape};
      for (int turn = 0; turn < 2; turn++) {
        for (int64_t c = n * turn / 2; c < n * (turn + 1) / 2; c++)
          if ((ranges ? c * size / n : c % size) == rank)
            add(&mine, c);
        MUST(cas_sum_tree_reduce(&mine, n, MPI_COMM_WORLD, &err));
        ck_assert(on_all(cas_sum_tree_chunks(&mine) == (rank == 0 ? n * (turn + 1) / 2 : 0)));
        if (turn == 1) {
          share_tree(&mine);
          check_whole(&mine, &whole);
        }
      }
      cas_sum_tree_free(&mine);
    }
    cas_sum_tree_free(&whole);
  }
}

RUN_TESTS_WITH_MPI
