/* What sums an ensemble up: exact counts. test_ensemble.c has quantiles and their bounds. */
/* ranks: 1 2 3 4 7 */
#include "statistics/reduce.h"
#include "study_fixture.h"

#include <float.h>

enum { BINS = 32 };

static void release_histogram(void *h) {
  cas_histogram_free(h);
  free(h);
}

/* Belongs to the suite until the test ends. */
static cas_histogram *histogram(int quantities, int bins, const double *least,
                                const double *greatest) {
  cas_histogram *h = calloc(1, sizeof *h);
  MUST(cas_histogram_create(quantities, bins, h, &err));
  suite_keep(h, release_histogram);
  for (int i = 0; i < quantities; i++)
    cas_histogram_set_bins(h, i, least[i], greatest[i]);
  return h;
}

static void add(cas_histogram *h, double x) { cas_histogram_add(h, 1, &(const double *){&x}); }

TEST(bins_cover_the_pilot_twice) {
  const double least[] = {-1, 5, 0, 0.891, 1, -DBL_MAX, 1e-310},
               greatest[] = {3, 5, 0, nextafter(0.891, 1), -1, DBL_MAX, 2e-310};
  enum { N = sizeof least / sizeof *least };
  cas_histogram *h = histogram(N, BINS, least, greatest);
  ck_assert(h->low[0] == -3 && h->width[0] * BINS == 8);
  for (int i = 0; i < N; i++) {
    ck_assert(isfinite(h->low[i]) && isfinite(h->width[i]) && h->width[i] >= DBL_MIN);
    /* an edge is another number than the next */
    ck_assert(h->low[i] + h->width[i] > h->low[i]);
  }
  cas_histogram_add(h, 1, &(const double *){least});
  cas_histogram_add(h, 1, &(const double *){greatest});
  for (int i = 0; i < N; i++)
    ck_assert_msg(i == 4 || i == 5 || (h->below[i] == 0 && h->above[i] == 0), "%d", i);
}

/* More counts than go into one message, one of them beyond 2^31. */
TEST(many_counts_add_up) {
  enum { M = 20, B = 65536 };
  const int rank = rank_here(), ranks = count_ranks();
  const size_t n = (size_t)M * B;
  double least[M] = {0}, greatest[M] = {0};
  cas_error err = {0};
  cas_histogram *h = histogram(M, B, least, greatest);
  int64_t *sum = rank == 0 ? calloc(n + 2 * M, sizeof *sum) : NULL;
  for (size_t i = 0; i < n; i++)
    h->count[i] = (int64_t)(i % 1000) * (rank + 1);
  h->count[n - 1] = INT64_C(3000000000);
  for (int i = 0; i < M; i++) {
    h->below[i] = 7 * i;
    h->above[i] = rank;
  }
  ck_assert_int_eq(cas_histogram_sum(h, sum, MPI_COMM_WORLD, &err), CAS_OK);
  ck_assert_int_eq(h->count[999], 999 * (rank + 1));
  ck_assert_int_eq(cas_histogram_sum(h, h->count, MPI_COMM_WORLD, &err), CAS_OK);
  const int64_t all = ranks * (ranks + 1) / 2;
  int64_t wrong = 0;
  for (size_t i = 0; rank == 0 && i + 1 < n; i++)
    wrong += sum[i] != (int64_t)(i % 1000) * all;
  ck_assert_int_eq(wrong, 0);
  for (int i = 0; rank == 0 && i < M; i++)
    ck_assert(sum[n + i] == 7 * i * ranks && sum[n + M + i] == ranks * (ranks - 1) / 2);
  ck_assert(rank > 0 || (sum[n - 1] == ranks * INT64_C(3000000000) &&
                         memcmp(sum, h->count, (n + 2 * M) * sizeof *sum) == 0));
  free(sum);
}

/* A pilot that saw too little: what lies in the open ends is spread up to the extremes. */
TEST(quantiles_in_the_open_ends) {
  const double least[] = {0}, greatest[] = {1};
  cas_histogram *h = histogram(1, 4, least, greatest); /* [-0.5, 1.5) */
  for (int k = 0; k < 10; k++) {
    add(h, -10.5 + k);
    add(h, 1.5 + k);
    add(h, 0.5);
    add(h, 0.5);
  }
  ck_assert_int_eq(h->below[0], 10);
  ck_assert_int_eq(h->above[0], 10);
  ck_assert(fabs(cas_histogram_quantile(h, 0, 0.125, -10.5, 10.5) + 5.5) < 1e-14);
  ck_assert(fabs(cas_histogram_quantile(h, 0, 0.5, -10.5, 10.5) - 0.75) < 1e-14);
  ck_assert(fabs(cas_histogram_quantile(h, 0, 0.875, -10.5, 10.5) - 6) < 1e-14);
  ck_assert(cas_histogram_quantile(h, 0, 0, -10.5, 10.5) == -10.5);
  ck_assert(cas_histogram_quantile(h, 0, 1, -10.5, 10.5) == 10.5);
  for (int rank = 1; rank <= 40; rank++) {
    const double value = rank <= 10 ? rank - 11.5 : rank <= 30 ? 0.5 : rank - 29.5;
    double bounds[2];
    cas_histogram_bounds(h, 0, rank, -10.5, 10.5, bounds);
    ck_assert_msg(-10.5 <= bounds[0] && bounds[0] <= value && value <= bounds[1] &&
                      bounds[1] <= 10.5 && (value != 0.5 || bounds[1] - bounds[0] < 0.5 + 1e-13),
                  "rank %d: %g is not in [%g, %g]", rank, value, bounds[0], bounds[1]);
  }
}

RUN_TESTS_WITH_MPI
