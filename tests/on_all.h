/* Assertions of several ranks. */
#ifndef ON_ALL_H
#define ON_ALL_H

#include <casimir/parallel.h>
#include <stdbool.h>

/* Whether it holds on every rank. Ranks agree before they assert: one that leaves alone makes the
   others wait. Collective. */
static inline bool on_all(bool holds) {
  int mine = holds, all = 0;
  cas_allreduce(&mine, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  return all;
}

#endif
