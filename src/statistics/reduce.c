#include "statistics/forest.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* inout = in joined by inout: `in` comes from lower ranks and may be another rank's send buffer, so
   it is left alone. An operation cannot return an error. */
static void join_one(const cas_forest *in, cas_forest *inout) {
  size_t size = cas_forest_size(in);
  cas_forest *both = malloc(size);
  if (!both)
    MPI_Abort(MPI_COMM_WORLD, cas_exit_status(CAS_NO_MEMORY));
  memcpy(both, in, size);
  cas_forest_join(both, inout);
  memcpy(inout, both, size);
  free(both);
}

/* one element is one whole forest */
static void join(void *in, void *inout, int *length, MPI_Datatype *type) {
  size_t size = cas_forest_size(in);
  (void)type;
  for (int i = 0; i < *length; i++)
    join_one((const cas_forest *)(void *)((char *)in + i * size),
             (cas_forest *)(void *)((char *)inout + i * size));
}

cas_status cas_forest_reduce(cas_forest *f, MPI_Comm comm, cas_error *err) {
  size_t size = cas_forest_size(f);
  int rank;
  MPI_Datatype type;
  MPI_Op op;
  if (size > INT_MAX)
    return cas_fail(err, CAS_INTERNAL, "a forest of %zu bytes is too large for one MPI message",
                    size);
  MPI_Comm_rank(comm, &rank);
  MPI_Type_contiguous((int)size, MPI_BYTE, &type);
  MPI_Type_commit(&type);
  MPI_Op_create(join, 0, &op);
  int code = MPI_Reduce(rank == 0 ? MPI_IN_PLACE : f, rank == 0 ? f : NULL, 1, type, op, 0, comm);
  MPI_Op_free(&op);
  MPI_Type_free(&type);
  return code == MPI_SUCCESS ? CAS_OK
                             : cas_fail(err, CAS_INTERNAL, "MPI_Reduce of the statistics failed");
}
