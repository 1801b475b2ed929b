/* The statistics of a range of chunks have the same bits however the range is divided, on any
 * number of ranks. */
/* ranks: 1 2 3 4 7 */
#include "statistics/reduce.h"
#include "study_fixture.h"

#include <math.h>

enum { QUANTITIES = 3, LEVELS = 2, PATHS = 10 };

static const cas_summary_shape shape = {QUANTITIES, LEVELS, CAS_GROUPS, 0};

static double noise(int64_t n) { return sin((double)(n * 7919 + 13)) * exp(sin((double)n)); }

/* chunk c holds the paths 10 c .. 10 c + 9 */
static void fill(int64_t c, cas_summary *s) {
  cas_summary_clear(shape, s);
  for (int64_t p = c * PATHS; p < (c + 1) * PATHS; p++) {
    double q[QUANTITIES] = {noise(3 * p), 1e3 + noise(3 * p + 1), 1e-9 * noise(3 * p + 2)};
    cas_summary_add(shape, s, (int)(p % CAS_GROUPS), q);
    cas_path_health *h = cas_summary_paths(s);
    if (h->drift_path < 0 || q[0] > h->drift) {
      h->drift = q[0];
      h->drift_path = p;
    }
    cas_summary_level(s, 1)->steps += p;
    cas_summary_level(s, 0)->iterations_max = c;
  }
}

static cas_sum_tree *range(int64_t first, int64_t next, int64_t chunks) {
  cas_sum_tree *f = cas_sum_tree_create(shape, first, chunks);
  cas_summary *s = malloc(cas_summary_size(shape));
  ck_assert(f && s);
  for (int64_t c = first; c < next; c++) {
    fill(c, s);
    cas_sum_tree_append(f, s);
  }
  free(s);
  return f;
}

static cas_summary *total(const cas_sum_tree *f) {
  cas_summary *s = malloc(cas_summary_size(shape));
  ck_assert_ptr_nonnull(s);
  cas_sum_tree_total(f, s);
  return s;
}

static void check_same(const cas_summary *a, const cas_summary *b) {
  ck_assert_int_eq(memcmp(a, b, cas_summary_size(shape)), 0);
}

START_TEST(any_division_gives_the_same_bits) {
  for (int64_t n = 1; n <= 40; n++) {
    cas_sum_tree *whole = range(0, n, n);
    cas_summary *expected = total(whole);
    for (int64_t a = 0; a <= n; a++)
      for (int64_t b = a; b <= n; b += 3) {
        cas_sum_tree *left = range(0, a, n), *middle = range(a, b, n), *right = range(b, n, n);
        cas_sum_tree_join(middle, right);
        cas_sum_tree_join(left, middle);
        ck_assert_int_eq(left->next, n);
        ck_assert_int_eq(left->nodes, whole->nodes);
        cas_summary *found = total(left);
        check_same(found, expected);
        free(found);
        free(left);
        free(middle);
        free(right);
      }
    free(expected);
    free(whole);
  }
}
END_TEST

START_TEST(ranks_give_the_same_bits) {
  int rank, size, same = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int64_t n = 1; n <= 200; n += 9) {
    cas_error err = {0};
    cas_sum_tree *mine = range(n * rank / size, n * (rank + 1) / size, n);
    ck_assert_int_eq(cas_sum_tree_reduce(mine, MPI_COMM_WORLD, &err), CAS_OK);
    if (rank == 0) {
      cas_sum_tree *whole = range(0, n, n);
      cas_summary *expected = total(whole), *found = total(mine);
      same &= memcmp(found, expected, cas_summary_size(shape)) == 0;
      free(expected);
      free(found);
      free(whole);
    }
    free(mine);
  }
  MPI_Bcast(&same, 1, MPI_INT, 0, MPI_COMM_WORLD);
  ck_assert_int_eq(same, 1);
}
END_TEST

START_TEST(moments_are_those_of_the_paths) {
  int64_t n = 13;
  cas_sum_tree *f = range(0, n, n);
  cas_summary *s = total(f);
  double all[1 + 2 * QUANTITIES] = {0};
  for (int g = 0; g < CAS_GROUPS; g++)
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
  free(f);
}
END_TEST

int main(void) {
  Suite *s = suite_create("tree");
  TCase *t = tcase_create("tree");
  tcase_set_timeout(t, 0);
  tcase_add_test(t, any_division_gives_the_same_bits);
  tcase_add_test(t, ranks_give_the_same_bits);
  tcase_add_test(t, moments_are_those_of_the_paths);
  suite_add_tcase(s, t);
  return run_suite_with_mpi(s);
}
