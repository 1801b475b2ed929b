/* Tests with MPI around them, without forks because MPI does not survive them. */
#ifndef SUITE_MPI_H
#define SUITE_MPI_H

#include "suite.h"

#include <mpi.h>

/* n on one rank, else 0: how often a test runs whose numbers several ranks have to the last bit of
   one, as test_same_bits.c has it of every study. */
static inline int on_one_rank(int n) {
  int ranks;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  return ranks == 1 ? n : 0;
}

static inline int suite_run_with_mpi(void) {
  MPI_Init(NULL, NULL);
  int failed = suite_run(true);
  MPI_Finalize();
  return failed;
}

#define RUN_TESTS_WITH_MPI \
  int main(void) { return suite_run_with_mpi(); }

#endif
