/* Moments of many quantities over the paths of all ranks: power sums of departures from the values
   of one path, which all ranks agree on without waiting, and which are summed over ranks in parts
   of quantities, so that no rank needs memory for more than its own. */
#ifndef CAS_MOMENTS_H
#define CAS_MOMENTS_H

#include "files/checkpoint.h"
#include "studies/moments/least.h"
#include "studies/moments/power_sums.h"

typedef struct {
  int64_t quantities;
  cas_least shift;     /* values of that path, which have to be known before any path is added */
  cas_power_sums *sum; /* [quantities] */
} cas_path_moments;

/** The most bytes that a rank holds of these quantities, 2^31 - 1 at most. */
size_t cas_path_moments_bytes(int64_t quantities);
/** Bytes of them in checkpoints. */
size_t cas_path_moments_stored_bytes(int64_t quantities);
/** Bytes of a part of this number of quantities, while it is summed. */
size_t cas_path_moments_part_bytes(int64_t quantities);
/** Collective on comm; the caller frees *m even on failure, collectively too. */
cas_status cas_path_moments_create(int64_t quantities, MPI_Comm comm, cas_path_moments *m,
                                   cas_error *err) CAS_MUST_CHECK;
void cas_path_moments_free(cas_path_moments *m);

/** Gives the values of the path that all departures are from, before this rank begins with the
    shift; whoever does gives the same. If none does, departures are from 0. */
void cas_path_moments_give(cas_path_moments *m, const double *value);
/** Adds a path with the finite numbers value[quantities]. */
void cas_path_moments_add(cas_path_moments *m, const double *value);

/** Sums n quantities from `first` on over all ranks into sum[n] of rank `to`; on the others sum may
    be NULL. Collective. */
cas_status cas_path_moments_sum(const cas_path_moments *m, int64_t first, int64_t n, int to,
                                cas_power_sums *sum, cas_error *err) CAS_MUST_CHECK;

/* ---- as bytes ---- */

/** Takes bytes one after another. */
typedef cas_status cas_path_moments_sink(void *context, const void *bytes, size_t size,
                                         cas_error *err);
/** Fills bytes one after another. */
typedef cas_status cas_path_moments_source(void *context, void *bytes, size_t size, cas_error *err);

/** Puts the sums of all ranks, which are ready, into the sink of rank 0:
    cas_path_moments_stored_bytes of them. Collective. */
cas_status cas_path_moments_put(const cas_path_moments *m, cas_path_moments_sink *sink,
                                void *context, cas_error *err) CAS_MUST_CHECK;
/** Takes over what was put, on one rank, before it begins. */
cas_status cas_path_moments_get(cas_path_moments *m, cas_path_moments_source *source, void *context,
                                cas_error *err) CAS_MUST_CHECK;
/** Merges the bytes `more` of other paths into those of all; false where departures are from the
    values of another path. */
bool cas_path_moments_merge(void *all, const void *more, int64_t quantities);

#endif
