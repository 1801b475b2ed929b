#include "statistics/reduce.h"
#include "base/owned.h"

#include <casimir/parallel.h>

#include <limits.h>

/* ---- trees: every node goes home ---- */

/* Ranks are the homes of equal shares of chunks in order, so that neighbours meet and merge. */
static int home_of(const cas_sum_node *n, int64_t chunks, int ranks) {
  int64_t share = (chunks + ranks - 1) / ranks, home = n->first / share;
  return home < ranks ? (int)home : ranks - 1;
}

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

static cas_status send_home(cas_sum_tree *t, int64_t chunks, MPI_Comm comm, cas_error *err) {
  size_t size = cas_sum_node_size(t->shape);
  int ranks;
  MPI_Comm_size(comm, &ranks);
  if (ranks == 1)
    return CAS_OK;
  CAS_FAIL_IF(size > INT_MAX, CAS_INTERNAL,
              "a summary of %zu bytes is too large for one MPI message", size);
  CAS_OWNED int *number = calloc(4 * (size_t)ranks, sizeof *number);
  CAS_CALL(cas_agree(number ? CAS_OK : cas_no_memory(err), comm, err));
  const traffic x = {number, number + ranks, number + 2 * ranks, number + 3 * ranks};
  for (int i = 0; i < t->nodes; i++)
    x.sent[home_of(t->node[i], chunks, ranks)]++;
  MPI_Alltoall(x.sent, 1, MPI_INT, x.come, 1, MPI_INT, comm);
  for (int k = 1; k < ranks; k++) {
    x.sent_at[k] = x.sent_at[k - 1] + x.sent[k - 1];
    x.come_at[k] = x.come_at[k - 1] + x.come[k - 1];
  }
  return exchange(t, &x, ranks, comm, err);
}

/* ---- trees: neighbours join along a binary tree of ranks ---- */

enum { TAG = 3, MESSAGE = 1 << 30 };

static void send_tree(const cas_sum_tree *t, int rank, MPI_Comm comm) {
  uint64_t size = cas_sum_tree_packed_size(t);
  CAS_OWNED char *packed = malloc(size);
  if (!packed)
    MPI_Abort(comm, cas_exit_status(CAS_NO_MEMORY));
  cas_sum_tree_pack(t, packed);
  MPI_Send(&size, 1, MPI_UINT64_T, rank, TAG, comm);
  for (uint64_t at = 0; at < size; at += MESSAGE)
    MPI_Send(packed + at, size - at < MESSAGE ? (int)(size - at) : MESSAGE, MPI_BYTE, rank, TAG,
             comm);
}

/* What another rank sends is received even after a failure, so that no rank waits for ever. */
static cas_status receive_tree(cas_sum_tree *t, int rank, MPI_Comm comm, cas_error *err) {
  uint64_t size;
  MPI_Recv(&size, 1, MPI_UINT64_T, rank, TAG, comm, MPI_STATUS_IGNORE);
  CAS_OWNED char *packed = malloc(size);
  if (!packed)
    MPI_Abort(comm, cas_exit_status(CAS_NO_MEMORY));
  for (uint64_t at = 0; at < size; at += MESSAGE)
    MPI_Recv(packed + at, size - at < MESSAGE ? (int)(size - at) : MESSAGE, MPI_BYTE, rank, TAG,
             comm, MPI_STATUS_IGNORE);
  return cas_sum_tree_unpack(t, packed, size, err);
}

static cas_status join_ranks(cas_sum_tree *all, MPI_Comm comm, cas_error *err) {
  int rank, ranks;
  cas_status st = CAS_OK;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  for (int d = 1; d < ranks; d *= 2) {
    if (rank & d) {
      send_tree(all, rank - d, comm);
      cas_sum_tree_free(all);
      break;
    }
    if (rank + d < ranks) {
      cas_status joined = receive_tree(all, rank + d, comm, err);
      st = st ? st : joined;
    }
  }
  return cas_agree(st, comm, err);
}

cas_status cas_sum_tree_reduce(cas_sum_tree *t, int64_t chunks, cas_sum_tree *all, MPI_Comm comm,
                               cas_error *err) {
  *all = (cas_sum_tree){.shape = t->shape};
  cas_status st = send_home(t, chunks, comm, err);
  if (!st)
    st = cas_agree(cas_sum_tree_join(all, t, err), comm, err);
  return st ? st : join_ranks(all, comm, err);
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
