/* ranks: 1 2 3 */
/* What ranks hold is compared, and named where it differs. */
#include "on_all.h"
#include "suite_mpi.h"

#include <string.h>

RANK_AND_RANKS

/* The last of several ranks alone has `other`, which is refused everywhere so; "": accepted. */
static void compare(const char *first, const char *other, const char *text) {
  cas_error err = {0};
  char expected[1000];
  const cas_status st = cas_compare_ranks(rank > 0 && rank == ranks - 1 ? other : first,
                                          "Do it again.", MPI_COMM_WORLD, &err);
  snprintf(expected, sizeof expected, ranks > 1 ? text : "", ranks - 1);
  const bool right = st == (*expected ? CAS_BAD_INPUT : CAS_OK) && strcmp(err.text, expected) == 0;
  if (!right)
    fprintf(stderr, "rank %d: '%s', must be '%s'\n", rank, err.text, expected);
  ck_assert(on_all(right));
}

/* test_ranks_differ.sh has values that differ or are not given. */
static const char *const values[][3] = {
    {"", "", ""},
    {"c: \na: 1\nb: 2\n", "b: 2\na: 1\nc: \n", ""},
    {"a: \n", "a: 1\n", "ranks differ: a is empty on rank 0 and 1 on rank %d. Do it again."},
    {"a: 1\nb: 1\nc: 1\nd: 1\n", "a: 2\nb: 1\nc: 1\nd: 1\ne: 1\n",
     "ranks differ: a is 1 on rank 0 and 2 on rank %1$d; e is not given on rank 0 and 1 on rank "
     "%1$d. Do it again."},
    {"a: 1\nb: 1\nc: 1\nd: 1\n", "a: 2\nb: 2\nc: 2\nd: 2\n",
     "ranks differ: a is 1 on rank 0 and 2 on rank %1$d; b is 1 on rank 0 and 2 on rank %1$d; c is "
     "1 on rank 0 and 2 on rank %1$d; and more. Do it again."},
};

TEST_OVER(values_are_compared, sizeof values / sizeof *values) {
  compare(values[_i][0], values[_i][1], values[_i][2]);
}

/* Of a long value the place that differs is shown, and no half of a character. */
TEST(long_values) {
  char first[4000] = "a: ", other[4000];
  for (int i = 0; i < 1000; i++)
    strcat(first, "\xC3\xA4");
  strcpy(other, first);
  strcat(first, "x\n");
  strcat(other, "y\n");
  compare(first, other,
          "ranks differ: a is ...\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4"
          "\xC3\xA4x on rank 0 and ...\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4"
          "\xC3\xA4\xC3\xA4y on rank %d. Do it again.");
}

/* One rank without memory is an error of all. */
TEST(no_memory) {
  ck_assert(on_all(cas_compare_ranks(rank == ranks - 1 ? NULL : "a: 1\n", "", MPI_COMM_WORLD,
                                     NULL) == CAS_NO_MEMORY));
}

RUN_TESTS_WITH_MPI
