#include "engine/shares.h"

#include <casimir/parallel.h>

bool cas_share_of(int64_t items, int ranks, int64_t ticket, cas_share *out) {
  int64_t at = 0, length = 1;
  while (length <= items / ranks / 8)
    length *= 2;
  for (; at < items; at += ranks * length, ticket -= ranks) {
    while (length > 1 && length > (items - at) / ranks / 4)
      length /= 2;
    if (ticket < ranks)
      break;
  }
  int64_t first = at + ticket * length;
  if (at >= items || first >= items)
    return false;
  *out = (cas_share){first, first + length < items ? first + length : items, at};
  return true;
}

/* On one node the counter lies in shared memory, where the processor adds to it and nobody waits
   for the rank that it belongs to, even if that is stopped; with MPICH's own operations they would.
   Over a network the hardware does the same, or, where it cannot, that rank whenever it calls
   MPI. */
static int create_window(cas_shares *s, int rank, MPI_Comm comm, int64_t **counter) {
  const MPI_Aint size = rank == 0 ? sizeof **counter : 0;
  int on_node;
  cas_meet(comm);
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &s->comm);
  MPI_Comm_size(s->comm, &on_node);
  int one_node = on_node == s->ranks;
  cas_allreduce(MPI_IN_PLACE, &one_node, 1, MPI_INT, MPI_MIN, comm);
  if (one_node) {
    MPI_Aint bytes;
    int unit;
    return MPI_Win_allocate_shared(size, sizeof **counter, MPI_INFO_NULL, s->comm, counter,
                                   &s->window) ||
           MPI_Win_shared_query(s->window, 0, &bytes, &unit, &s->shared);
  }
  MPI_Comm_free(&s->comm);
  MPI_Comm_dup(comm, &s->comm);
  s->serves = rank == 0;
  return MPI_Win_allocate(size, sizeof **counter, MPI_INFO_NULL, s->comm, counter, &s->window);
}

/* The first ticket of a rank has its number, so that not all come for one at once. */
cas_status cas_shares_begin(cas_shares *s, int64_t items, MPI_Comm comm, cas_error *err) {
  int64_t *counter;
  int rank;
  MPI_Comm_rank(comm, &rank);
  *s = (cas_shares){.items = items, .own = rank};
  MPI_Comm_size(comm, &s->ranks);
  if (s->ranks == 1)
    return CAS_OK;
  CAS_FAIL_IF(create_window(s, rank, comm, &counter), CAS_INTERNAL,
              "MPI could not make a window for the counter of shares");
  MPI_Win_lock_all(MPI_MODE_NOCHECK, s->window);
  if (rank == 0)
    *counter = s->ranks;
  MPI_Win_sync(s->window);
  cas_meet(comm);
  return CAS_OK;
}

static int64_t draw_ticket(cas_shares *s) {
  const int64_t one = 1;
  int64_t ticket;
  if (s->shared)
    return __atomic_fetch_add(s->shared, one, __ATOMIC_SEQ_CST);
  MPI_Fetch_and_op(&one, &ticket, MPI_INT64_T, 0, 0, MPI_SUM, s->window);
  MPI_Win_flush(0, s->window);
  return ticket;
}

bool cas_shares_next(cas_shares *s, cas_share *out) {
  int64_t ticket = s->own >= 0 ? s->own : draw_ticket(s);
  s->own = s->ranks == 1 ? ticket + 1 : -1;
  return cas_share_of(s->items, s->ranks, ticket, out);
}

void cas_shares_serve(cas_shares *s) {
  int any;
  if (s->serves)
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, s->comm, &any, MPI_STATUS_IGNORE);
}

void cas_shares_end(cas_shares *s) {
  if (s->ranks == 1)
    return;
  MPI_Win_unlock_all(s->window);
  cas_meet(s->comm);
  MPI_Win_free(&s->window);
  MPI_Comm_free(&s->comm);
}
