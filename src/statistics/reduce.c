#include "statistics/reduce.h"
#include "base/owned.h"

#include <casimir/parallel.h>

#include <limits.h>

/* How many nodes go to each rank and where they begin, how many come and where. */
typedef struct {
  int *sent, *sent_at, *come, *come_at;
} traffic;

/* Replaces the nodes of t by nodes that have their home on this rank. */
static cas_status exchange(cas_sum_tree *t, const traffic *x, int ranks, MPI_Comm comm,
                           cas_error *err) {
  size_t size = cas_sum_node_size(t->shape);
  int come = x->come_at[ranks - 1] + x->come[ranks - 1];
  CAS_OWNED char *out = malloc((size_t)t->nodes * size + 1), *in = malloc((size_t)come * size + 1);
  MPI_Datatype type;
  cas_status st = CAS_OK;
  CAS_CALL(cas_agree(out && in ? CAS_OK : cas_no_memory(err), comm, err));
  for (int i = 0; i < t->nodes; i++)
    memcpy(out + (size_t)i * size, t->node[i], size);
  cas_sum_tree_free(t);
  MPI_Type_contiguous((int)size, MPI_BYTE, &type);
  MPI_Type_commit(&type);
  if (MPI_Alltoallv(out, x->sent, x->sent_at, type, in, x->come, x->come_at, type, comm))
    st = cas_fail(err, CAS_INTERNAL, "MPI_Alltoallv of the statistics failed");
  MPI_Type_free(&type);
  for (int i = 0; !st && i < come; i++)
    st = cas_sum_tree_insert(t, (const void *)(in + (size_t)i * size), err);
  return cas_agree(st, comm, err);
}

/* Ranks are the homes of equal shares of chunks in order, so that neighbours meet and merge. */
static cas_status send_home(cas_sum_tree *t, int64_t chunks, int ranks, MPI_Comm comm,
                            cas_error *err) {
  size_t size = cas_sum_node_size(t->shape);
  CAS_FAIL_IF(size > INT_MAX, CAS_INTERNAL,
              "a summary of %zu bytes is too large for one MPI message", size);
  CAS_OWNED int *number = calloc(4 * (size_t)ranks, sizeof *number);
  CAS_CALL(cas_agree(number ? CAS_OK : cas_no_memory(err), comm, err));
  const traffic x = {number, number + ranks, number + 2 * ranks, number + 3 * ranks};
  for (int i = 0; i < t->nodes; i++) {
    const int64_t share = (chunks + ranks - 1) / ranks, home = t->node[i]->first / share;
    x.sent[home < ranks ? home : ranks - 1]++;
  }
  MPI_Alltoall(x.sent, 1, MPI_INT, x.come, 1, MPI_INT, comm);
  for (int k = 1; k < ranks; k++) {
    x.sent_at[k] = x.sent_at[k - 1] + x.sent[k - 1];
    x.come_at[k] = x.come_at[k - 1] + x.come[k - 1];
  }
  return exchange(t, &x, ranks, comm, err);
}

/* What another rank sends is received even after a failure, so that no rank waits for ever. */
static cas_status join_ranks(cas_sum_tree *t, MPI_Comm comm, cas_error *err) {
  enum { TAG = 3 };
  const int size = (int)cas_sum_node_size(t->shape);
  int rank, ranks;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  CAS_OWNED cas_sum_node *n = malloc((size_t)size);
  CAS_CALL(cas_agree(n ? CAS_OK : cas_no_memory(err), comm, err));
  cas_status st = CAS_OK;
  for (int d = 1; d < ranks; d *= 2) {
    int nodes = 0;
    if (rank & d) {
      MPI_Send(&t->nodes, 1, MPI_INT, rank - d, TAG, comm);
      for (int i = 0; i < t->nodes; i++)
        MPI_Send(t->node[i], size, MPI_BYTE, rank - d, TAG, comm);
      cas_sum_tree_free(t);
      break;
    }
    if (rank + d < ranks)
      MPI_Recv(&nodes, 1, MPI_INT, rank + d, TAG, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < nodes; i++) {
      MPI_Recv(n, size, MPI_BYTE, rank + d, TAG, comm, MPI_STATUS_IGNORE);
      st = st ? st : cas_sum_tree_insert(t, n, err);
    }
  }
  return cas_agree(st, comm, err);
}

cas_status cas_sum_tree_reduce(cas_sum_tree *t, int64_t chunks, MPI_Comm comm, cas_error *err) {
  int ranks;
  MPI_Comm_size(comm, &ranks);
  if (ranks == 1)
    return CAS_OK;
  CAS_CALL(send_home(t, chunks, ranks, comm, err));
  return join_ranks(t, comm, err);
}

cas_status cas_histogram_sum(const cas_histogram *h, int64_t *sum, MPI_Comm comm, cas_error *err) {
  const size_t most = 1 << 20, n = cas_histogram_counts(h);
  int rank;
  MPI_Comm_rank(comm, &rank);
  for (size_t done = 0; done < n; done += most) {
    const int some = (int)(n - done < most ? n - done : most);
    CAS_FAIL_IF(MPI_Reduce(rank == 0 && sum == h->count ? MPI_IN_PLACE : h->count + done,
                           rank == 0 ? sum + done : NULL, some, MPI_INT64_T, MPI_SUM, 0, comm),
                CAS_INTERNAL, "MPI_Reduce of the histograms failed");
  }
  return CAS_OK;
}
