#include <casimir/parallel.h>

#include <limits.h>
#include <stdlib.h>

cas_status cas_agree(cas_status mine, MPI_Comm comm, cas_error *err) {
  int rank, size, worst;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  int failed = mine ? rank : size;
  MPI_Allreduce(&failed, &worst, 1, MPI_INT, MPI_MIN, comm);
  if (worst == size)
    return CAS_OK;
  cas_error told = {.status = mine};
  if (err && rank == worst)
    told = *err;
  told.status = mine;
  MPI_Bcast(&told, sizeof told, MPI_BYTE, worst, comm);
  if (err)
    *err = told;
  return told.status;
}

cas_status cas_broadcast(void **data, size_t *size, MPI_Comm comm, cas_error *err) {
  int rank;
  cas_status st = CAS_OK;
  MPI_Comm_rank(comm, &rank);
  MPI_Bcast(size, sizeof *size, MPI_BYTE, 0, comm);
  if (rank > 0) {
    *data = calloc(*size + 1, 1);
    if (!*data)
      st = cas_fail(err, CAS_NO_MEMORY, "out of memory: %zu bytes of input", *size);
  }
  st = cas_agree(st, comm, err);
  for (size_t done = 0; !st && done < *size; done += INT_MAX) {
    size_t rest = *size - done;
    MPI_Bcast((char *)*data + done, rest < INT_MAX ? (int)rest : INT_MAX, MPI_BYTE, 0, comm);
  }
  return st;
}
