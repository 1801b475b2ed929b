/* Sums of statistics over ranks. */
#ifndef CAS_REDUCE_H
#define CAS_REDUCE_H

#include "statistics/histogram.h"
#include "statistics/sum_tree.h"

#include <mpi.h>

/** Joins the trees of all ranks, which hold different ones of `chunks` chunks, in that of rank 0;
    the others are then empty. Collective on comm. */
cas_status cas_sum_tree_reduce(cas_sum_tree *t, int64_t chunks, MPI_Comm comm,
                               cas_error *err) CAS_MUST_CHECK;
/** Adds the counts of all ranks, which must have the same bins, into sum[cas_histogram_counts(h)]
    on rank 0, which may be h->count. On other ranks sum may be NULL. Collective on comm. */
cas_status cas_histogram_sum(const cas_histogram *h, int64_t *sum, MPI_Comm comm,
                             cas_error *err) CAS_MUST_CHECK;

#endif
