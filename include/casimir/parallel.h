/** Agreement between ranks. Ranks agree before they branch, so that no rank waits for one that has
    returned. */
#ifndef CASIMIR_PARALLEL_H
#define CASIMIR_PARALLEL_H

#include <casimir/status.h>
#include <mpi.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Waits until a request of MPI is complete, and sleeps meanwhile, because MPI may wait busily:
    ranks that have to wait leave their cores to ranks that work, also where there are more ranks
    than cores. */
void cas_wait(MPI_Request *request);
/** Waits in that way until every rank has come here. Before blocking collective calls of MPI to
    which ranks may come at different times. Collective on comm. */
void cas_meet(MPI_Comm comm);
/** MPI_Bcast that waits in that way; what it returns is MPI's. No blocking call of MPI meets it.
    Collective on comm. */
int cas_bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm);
/** MPI_Allreduce that waits in that way; what it returns is MPI's. No blocking call of MPI meets
    it. Collective on comm. */
int cas_allreduce(const void *mine, void *all, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm);

/** Collective on comm. Returns on every rank the status of the lowest rank that failed, and
    that rank's message in `err`, or CAS_OK. `mine` and `err` are this rank's own. This function,
    cas_bcast and cas_broadcast do nothing for MPI_COMM_SELF, before MPI_Init too. */
cas_status cas_agree(cas_status mine, MPI_Comm comm, cas_error *err) CAS_MUST_CHECK;

/** Collective on comm. Rank 0's bytes to everybody: *data of *size bytes, allocated on the other
   ranks with one zero byte behind the last. The caller frees. */
cas_status cas_broadcast(void **data, size_t *size, MPI_Comm comm, cas_error *err) CAS_MUST_CHECK;

/** Collective on comm. Whether all ranks hold the same: `mine` consists of lines "name: value",
    each name once; NULL stands for memory that ran out. If any differs from what rank 0 has, all
    get CAS_BAD_INPUT and a message with the names, the values and the ranks, and then the `remedy`
    of rank 0, a sentence. The order of the lines does not count. */
cas_status cas_compare_ranks(const char *mine, const char *remedy, MPI_Comm comm,
                             cas_error *err) CAS_MUST_CHECK;

#ifdef __cplusplus
}
#endif
#endif
