/* One problem at several sizes of its system, for levels with the same field and noise at each. */
#ifndef CAS_SIZES_H
#define CAS_SIZES_H

#include "paths/problem/problem.h"

enum { CAS_SIZES_MAX = 32 };

typedef struct cas_sizes {
  int n;
  int64_t size[CAS_SIZES_MAX]; /* ascending */
  /* Of each size, with blocks of one path; the last is the problem that has these sizes. The
     configurations of the others, and they themselves, are owned. */
  cas_problem *problem[CAS_SIZES_MAX];
  cas_config *config[CAS_SIZES_MAX];
} cas_sizes;

/** Gives a problem, whose size is the last of these, the other sizes; the configuration has them at
    `key`. compensated: as of cas_problem_create. Refuses sizes at which states or noises are not
    parts of the largest ones. Collective on comm. */
cas_status cas_sizes_create(const cas_config *c, const char *key, const cas_ints *sizes,
                            bool compensated, MPI_Comm comm, cas_problem *p,
                            cas_error *err) CAS_MUST_CHECK;
void cas_sizes_free(cas_sizes *s);
/** What an iteration at a size costs, of several relative to one at the smallest, as measured. */
double cas_sizes_cost(const cas_problem *p, int size);
/** What a step of a path at a size costs, in steps of small systems: 1 up to 25 components, and
    then, as products of N x N matrices, the number of components to the power 3/2. By the
    configuration alone, as the chunks that sums consist of depend on it. */
double cas_sizes_step_cost(const cas_problem *p, int size);

#endif
