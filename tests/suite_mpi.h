/* Tests with MPI around them, without forks because MPI does not survive them. */
#ifndef SUITE_MPI_H
#define SUITE_MPI_H

#include "suite.h"

#include <mpi.h>

/* The number of this rank. */
static inline int rank_here(void) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

static inline int count_ranks(void) {
  int ranks;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  return ranks;
}

/* `rank` and `ranks` for all tests of a file. */
#define RANK_AND_RANKS           \
  static int rank, ranks;        \
  static void find_ranks(void) { \
    rank = rank_here();          \
    ranks = count_ranks();       \
  }                              \
  BEFORE_TESTS(find_ranks)

static inline bool is_root(void) { return rank_here() == 0; }

/* n on one rank, else 0: how often a test runs whose numbers several ranks have to the last bit of
   one, as test_same_bits.c has it of every study. */
static inline int on_one_rank(int n) { return count_ranks() == 1 ? n : 0; }

static inline int suite_run_with_mpi(void) {
  MPI_Init(NULL, NULL);
  int failed = suite_run(true);
  MPI_Finalize();
  return failed;
}

#define RUN_TESTS_WITH_MPI \
  int main(void) { return suite_run_with_mpi(); }

#endif
