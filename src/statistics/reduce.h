/* Sums of statistics over ranks. */
#ifndef CAS_REDUCE_H
#define CAS_REDUCE_H

#include "statistics/forest.h"
#include "statistics/histogram.h"

#include <mpi.h>

/** Joins the forests of all ranks, which own neighbouring ranges in rank order, into rank 0's.
 * Collective on comm. */
cas_status cas_forest_reduce(cas_forest *f, MPI_Comm comm, cas_error *err) CAS_MUST_CHECK;
/** Adds the counts of all ranks, which have the same bins, into rank 0's. Collective on comm. */
cas_status cas_histogram_reduce(cas_histogram *h, MPI_Comm comm, cas_error *err) CAS_MUST_CHECK;
/** Adds them into rank 0's sum[quantities * bins + 2 * quantities]: all counts, those below, those
    above. Elsewhere sum may be NULL. */
cas_status cas_histogram_sum(const cas_histogram *h, int64_t *sum, MPI_Comm comm,
                             cas_error *err) CAS_MUST_CHECK;

#endif
