/* Runs of work dealt out to ranks as they come for them, so that a slow rank does less. No rank is
   a master: ranks draw tickets from one counter by one-sided operations of MPI, and what a ticket
   stands for follows from its number. */
#ifndef CAS_SHARES_H
#define CAS_SHARES_H

#include <casimir/status.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* Items first .. next-1 of the work. */
typedef struct {
  int64_t first, next;
  int64_t before; /* items of all tickets of longer runs */
} cas_share;

/** The run of a ticket; false if all is dealt out before it. Tickets stand for ascending runs,
    `ranks` of one length after another: an eighth to a quarter of what is left for a rank, a power
    of two, at first, and one item at last. */
bool cas_share_of(int64_t items, int ranks, int64_t ticket, cas_share *out);

typedef struct {
  int64_t items;
  int ranks;
  int64_t own;     /* the next ticket, where this rank knows it without the counter */
  MPI_Comm comm;   /* of the ranks of the window */
  MPI_Win window;  /* of the counter on rank 0 */
  int64_t *shared; /* the counter, where all ranks are on one node */
  bool serves;     /* networks may need this rank for an operation on its counter */
} cas_shares;

/** Begins to distribute `items` items. Collective. */
cas_status cas_shares_begin(cas_shares *s, int64_t items, MPI_Comm comm,
                            cas_error *err) CAS_MUST_CHECK;
/** The next run for this rank, behind all that it has had; false: there is no more. */
bool cas_shares_next(cas_shares *s, cas_share *out);
/** Lets other ranks come to the counter, if that needs this rank. To be called within the work. */
void cas_shares_serve(cas_shares *s);
/** Collective. */
void cas_shares_end(cas_shares *s);

#endif
