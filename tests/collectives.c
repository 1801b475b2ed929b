/* A shared object that stands before MPI and lists the collective calls of every rank, in their
   order. MPI asks that all ranks call them in the same order on every communicator, blocking or
   not, and most libraries do not notice if one does not: messages then meet the wrong call, or the
   right one by luck. Preloaded into a program, it writes one file for each communicator and rank,
   COLLECTIVES/COMMUNICATOR.RANK; the files of a communicator must be equal. */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>

/* What a communicator is called, and how many were made from it. */
typedef struct {
  char name[200];
  int children;
  FILE *log;
} record;

static int key = MPI_KEYVAL_INVALID;

static record *attach(MPI_Comm comm, const char *name) {
  record *r = calloc(1, sizeof *r);
  char path[4096];
  int rank;
  if (!r)
    abort();
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  snprintf(r->name, sizeof r->name, "%s", name);
  snprintf(path, sizeof path, "%s/%s.%d", getenv("COLLECTIVES"), name, rank);
  r->log = fopen(path, "a");
  if (!r->log)
    abort();
  setvbuf(r->log, NULL, _IOLBF, 0);
  PMPI_Comm_set_attr(comm, key, r);
  return r;
}

/* The record of a communicator; NULL of one that has no name, such as MPI_COMM_SELF. */
static record *of(MPI_Comm comm) {
  record *r;
  int found, same;
  if (key == MPI_KEYVAL_INVALID)
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
  PMPI_Comm_get_attr(comm, key, (void *)&r, &found);
  if (found)
    return r;
  PMPI_Comm_compare(comm, MPI_COMM_WORLD, &same);
  return same == MPI_IDENT ? attach(comm, "world") : NULL;
}

static void note(const char *call, int count, MPI_Comm comm) {
  record *r = of(comm);
  if (r)
    fprintf(r->log, "%s %d\n", call, count);
}

static void name_child(MPI_Comm parent, MPI_Comm child) {
  record *r = of(parent);
  char name[sizeof r->name + 20];
  if (!r || child == MPI_COMM_NULL)
    return;
  snprintf(name, sizeof name, "%s-%d", r->name, r->children++);
  attach(child, name);
}

int MPI_Barrier(MPI_Comm comm) {
  note("Barrier", 0, comm);
  return PMPI_Barrier(comm);
}

int MPI_Ibarrier(MPI_Comm comm, MPI_Request *request) {
  note("Ibarrier", 0, comm);
  return PMPI_Ibarrier(comm, request);
}

int MPI_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  note("Bcast", count, comm);
  return PMPI_Bcast(data, count, type, root, comm);
}

int MPI_Ibcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm,
               MPI_Request *request) {
  note("Ibcast", count, comm);
  return PMPI_Ibcast(data, count, type, root, comm, request);
}

int MPI_Allreduce(const void *mine, void *all, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
  note("Allreduce", count, comm);
  return PMPI_Allreduce(mine, all, count, type, op, comm);
}

int MPI_Iallreduce(const void *mine, void *all, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm, MPI_Request *request) {
  note("Iallreduce", count, comm);
  return PMPI_Iallreduce(mine, all, count, type, op, comm, request);
}

int MPI_Reduce(const void *mine, void *all, int count, MPI_Datatype type, MPI_Op op, int root,
               MPI_Comm comm) {
  note("Reduce", count, comm);
  return PMPI_Reduce(mine, all, count, type, op, root, comm);
}

int MPI_Gather(const void *mine, int count, MPI_Datatype type, void *all, int counts,
               MPI_Datatype types, int root, MPI_Comm comm) {
  note("Gather", count, comm);
  return PMPI_Gather(mine, count, type, all, counts, types, root, comm);
}

int MPI_Gatherv(const void *mine, int count, MPI_Datatype type, void *all, const int counts[],
                const int at[], MPI_Datatype types, int root, MPI_Comm comm) {
  note("Gatherv", 0, comm); /* how much is a rank's own affair */
  return PMPI_Gatherv(mine, count, type, all, counts, at, types, root, comm);
}

int MPI_Alltoall(const void *mine, int count, MPI_Datatype type, void *all, int counts,
                 MPI_Datatype types, MPI_Comm comm) {
  note("Alltoall", count, comm);
  return PMPI_Alltoall(mine, count, type, all, counts, types, comm);
}

int MPI_Alltoallv(const void *mine, const int count[], const int from[], MPI_Datatype type,
                  void *all, const int counts[], const int at[], MPI_Datatype types,
                  MPI_Comm comm) {
  note("Alltoallv", 0, comm);
  return PMPI_Alltoallv(mine, count, from, type, all, counts, at, types, comm);
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *out) {
  note("Comm_dup", 0, comm);
  int code = PMPI_Comm_dup(comm, out);
  name_child(comm, *out);
  return code;
}

int MPI_Comm_split(MPI_Comm comm, int colour, int order, MPI_Comm *out) {
  note("Comm_split", 0, comm);
  int code = PMPI_Comm_split(comm, colour, order, out);
  name_child(comm, *out);
  return code;
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int order, MPI_Info info, MPI_Comm *out) {
  note("Comm_split_type", 0, comm);
  int code = PMPI_Comm_split_type(comm, type, order, info, out);
  name_child(comm, *out);
  return code;
}

int MPI_Comm_free(MPI_Comm *comm) {
  note("Comm_free", 0, *comm);
  return PMPI_Comm_free(comm);
}

int MPI_Win_allocate(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base,
                     MPI_Win *win) {
  note("Win_allocate", 0, comm);
  return PMPI_Win_allocate(size, unit, info, comm, base, win);
}

int MPI_Win_allocate_shared(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base,
                            MPI_Win *win) {
  note("Win_allocate_shared", 0, comm);
  return PMPI_Win_allocate_shared(size, unit, info, comm, base, win);
}
