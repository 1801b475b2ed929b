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

/* A function of MPI, with its parameters, and how they are handed on; how much a rank of
   MPI_Gatherv and of MPI_Alltoallv sends is its own affair. */
#define RECORDED(name, count, parameters, arguments) \
  int MPI_##name parameters {                        \
    note(#name, count, comm);                        \
    return PMPI_##name arguments;                    \
  }
#define REDUCED const void *mine, void *all, int count, MPI_Datatype type, MPI_Op op

RECORDED(Barrier, 0, (MPI_Comm comm), (comm))
RECORDED(Ibarrier, 0, (MPI_Comm comm, MPI_Request *request), (comm, request))
RECORDED(Bcast, count, (void *data, int count, MPI_Datatype type, int root, MPI_Comm comm),
         (data, count, type, root, comm))
RECORDED(Ibcast, count,
         (void *data, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *request),
         (data, count, type, root, comm, request))
RECORDED(Allreduce, count, (REDUCED, MPI_Comm comm), (mine, all, count, type, op, comm))
RECORDED(Iallreduce, count, (REDUCED, MPI_Comm comm, MPI_Request *request),
         (mine, all, count, type, op, comm, request))
RECORDED(Reduce, count, (REDUCED, int root, MPI_Comm comm),
         (mine, all, count, type, op, root, comm))
RECORDED(Gather, count,
         (const void *mine, int count, MPI_Datatype type, void *all, int counts, MPI_Datatype types,
          int root, MPI_Comm comm),
         (mine, count, type, all, counts, types, root, comm))
RECORDED(Gatherv, 0,
         (const void *mine, int count, MPI_Datatype type, void *all, const int counts[],
          const int at[], MPI_Datatype types, int root, MPI_Comm comm),
         (mine, count, type, all, counts, at, types, root, comm))
RECORDED(Alltoall, count,
         (const void *mine, int count, MPI_Datatype type, void *all, int counts, MPI_Datatype types,
          MPI_Comm comm),
         (mine, count, type, all, counts, types, comm))
RECORDED(Alltoallv, 0,
         (const void *mine, const int count[], const int from[], MPI_Datatype type, void *all,
          const int counts[], const int at[], MPI_Datatype types, MPI_Comm comm),
         (mine, count, from, type, all, counts, at, types, comm))
RECORDED(Win_allocate, 0,
         (MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *win),
         (size, unit, info, comm, base, win))
RECORDED(Win_allocate_shared, 0,
         (MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *win),
         (size, unit, info, comm, base, win))

#define RECORDED_CHILD(name, parameters, arguments) \
  int MPI_##name parameters {                       \
    note(#name, 0, comm);                           \
    const int code = PMPI_##name arguments;         \
    name_child(comm, *out);                         \
    return code;                                    \
  }

RECORDED_CHILD(Comm_dup, (MPI_Comm comm, MPI_Comm *out), (comm, out))
RECORDED_CHILD(Comm_split, (MPI_Comm comm, int colour, int order, MPI_Comm *out),
               (comm, colour, order, out))
RECORDED_CHILD(Comm_split_type, (MPI_Comm comm, int type, int order, MPI_Info info, MPI_Comm *out),
               (comm, type, order, info, out))

int MPI_Comm_free(MPI_Comm *comm) {
  note("Comm_free", 0, *comm);
  return PMPI_Comm_free(comm);
}
