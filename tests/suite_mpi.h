/* Tests with MPI around them, without forks because MPI does not survive them. */
#ifndef SUITE_MPI_H
#define SUITE_MPI_H

#include "suite.h"

#include <mpi.h>

static inline int suite_run_with_mpi(void) {
  MPI_Init(NULL, NULL);
  int failed = suite_run(true);
  MPI_Finalize();
  return failed;
}

#define RUN_TESTS_WITH_MPI \
  int main(void) { return suite_run_with_mpi(); }

#endif
