#include "statistics/reduce.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- trees ---- */

/* Replaces inout by in joined by inout. `in` comes from lower ranks and may be another rank's send
   buffer, so it is not changed. An operation cannot return an error. */
static void join_one(const cas_sum_tree *in, cas_sum_tree *inout) {
  size_t size = cas_sum_tree_size(in);
  cas_sum_tree *both = malloc(size);
  if (!both)
    MPI_Abort(MPI_COMM_WORLD, cas_exit_status(CAS_NO_MEMORY));
  memcpy(both, in, size);
  cas_sum_tree_join(both, inout);
  memcpy(inout, both, size);
  free(both);
}

/* The operation on trees, of which an element is one. */
static void join(void *in, void *inout, int *length, MPI_Datatype *type) {
  size_t size = cas_sum_tree_size(in);
  (void)type;
  for (int i = 0; i < *length; i++)
    join_one((const cas_sum_tree *)(void *)((char *)in + i * size),
             (cas_sum_tree *)(void *)((char *)inout + i * size));
}

cas_status cas_sum_tree_reduce(cas_sum_tree *f, MPI_Comm comm, cas_error *err) {
  size_t size = cas_sum_tree_size(f);
  int rank;
  MPI_Datatype type;
  MPI_Op op;
  if (size > INT_MAX)
    return cas_fail(err, CAS_INTERNAL, "a tree of %zu bytes is too large for one MPI message",
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

/* ---- histograms ---- */

/* Adds up counts in messages of limited size. sum is NULL but on rank 0, where it may be `count`. */
static int add_up(const int64_t *count, size_t n, int64_t *sum, MPI_Comm comm) {
  const size_t most = 1 << 20;
  int code = MPI_SUCCESS;
  for (size_t done = 0; done < n && code == MPI_SUCCESS; done += most) {
    int some = (int)(n - done < most ? n - done : most);
    code = MPI_Reduce(sum == count ? MPI_IN_PLACE : count + done, sum ? sum + done : NULL, some,
                      MPI_INT64_T, MPI_SUM, 0, comm);
  }
  return code;
}

static cas_status add_all(const cas_histogram *h, int64_t *count, int64_t *below, int64_t *above,
                          MPI_Comm comm, cas_error *err) {
  size_t m = (size_t)h->quantities;
  if (add_up(h->count, m * (size_t)h->bins, count, comm) || add_up(h->below, m, below, comm) ||
      add_up(h->above, m, above, comm))
    return cas_fail(err, CAS_INTERNAL, "MPI_Reduce of the histograms failed");
  return CAS_OK;
}

cas_status cas_histogram_reduce(cas_histogram *h, MPI_Comm comm, cas_error *err) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  return rank == 0 ? add_all(h, h->count, h->below, h->above, comm, err)
                   : add_all(h, NULL, NULL, NULL, comm, err);
}

cas_status cas_histogram_sum(const cas_histogram *h, int64_t *sum, MPI_Comm comm, cas_error *err) {
  size_t m = (size_t)h->quantities, n = m * (size_t)h->bins;
  int rank;
  MPI_Comm_rank(comm, &rank);
  return rank == 0 ? add_all(h, sum, sum + n, sum + n + m, comm, err)
                   : add_all(h, NULL, NULL, NULL, comm, err);
}
