#include <casimir/parallel.h>

#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

/* Naps grow from 20 us to 1 ms, after as many looks as the fastest collective calls take. */
void cas_wait(MPI_Request *request) {
  const long longest = 1000000;
  int complete = 0;
  struct timespec nap = {0, 20000};
  for (int look = 1;; look++) {
    MPI_Test(request, &complete, MPI_STATUS_IGNORE);
    if (complete)
      return;
    if (look < 20) {
      sched_yield();
      continue;
    }
    nanosleep(&nap, NULL);
    nap.tv_nsec = nap.tv_nsec < longest / 2 ? 2 * nap.tv_nsec : longest;
  }
}

void cas_meet(MPI_Comm comm) {
  MPI_Request request;
  if (!MPI_Ibarrier(comm, &request))
    cas_wait(&request);
}

int cas_bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  if (comm == MPI_COMM_SELF)
    return MPI_SUCCESS;
  MPI_Request request;
  int code = MPI_Ibcast(data, count, type, root, comm, &request);
  if (!code)
    cas_wait(&request);
  return code;
}

int cas_allreduce(const void *mine, void *all, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
  MPI_Request request;
  int code = MPI_Iallreduce(mine, all, count, type, op, comm, &request);
  if (!code)
    cas_wait(&request);
  return code;
}

cas_status cas_agree(cas_status mine, MPI_Comm comm, cas_error *err) {
  if (comm == MPI_COMM_SELF)
    return mine;
  int rank, size, worst;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  int failed = mine ? rank : size;
  cas_allreduce(&failed, &worst, 1, MPI_INT, MPI_MIN, comm);
  if (worst == size)
    return CAS_OK;
  cas_error told = {.status = mine};
  if (err && rank == worst)
    told = *err;
  told.status = mine;
  cas_bcast(&told, sizeof told, MPI_BYTE, worst, comm);
  if (err)
    *err = told;
  return told.status;
}

cas_status cas_broadcast(void **data, size_t *size, MPI_Comm comm, cas_error *err) {
  int rank;
  cas_status st = CAS_OK;
  if (comm == MPI_COMM_SELF)
    return CAS_OK;
  MPI_Comm_rank(comm, &rank);
  cas_bcast(size, sizeof *size, MPI_BYTE, 0, comm);
  if (rank > 0) {
    *data = calloc(*size + 1, 1);
    if (!*data)
      st = cas_fail(err, CAS_NO_MEMORY, "out of memory: %zu bytes of input", *size);
  }
  st = cas_agree(st, comm, err);
  for (size_t done = 0; !st && done < *size; done += INT_MAX) {
    size_t rest = *size - done;
    cas_bcast((char *)*data + done, rest < INT_MAX ? (int)rest : INT_MAX, MPI_BYTE, 0, comm);
  }
  return st;
}
