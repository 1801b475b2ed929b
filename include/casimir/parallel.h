/** Agreement between ranks: agree before branching, so that no rank waits for one that has left. */
#ifndef CASIMIR_PARALLEL_H
#define CASIMIR_PARALLEL_H

#include <casimir/status.h>
#include <mpi.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Collective on comm. Returns on every rank the status of the lowest rank that failed, and
    that rank's message in `err`, or CAS_OK. `mine` and `err` are this rank's own. */
cas_status cas_agree(cas_status mine, MPI_Comm comm, cas_error *err) CAS_MUST_CHECK;

/** Collective on comm. Rank 0's bytes to everybody: *data of *size bytes, allocated on the other
   ranks with one zero byte behind the last. The caller frees. */
cas_status cas_broadcast(void **data, size_t *size, MPI_Comm comm, cas_error *err) CAS_MUST_CHECK;

#ifdef __cplusplus
}
#endif
#endif
