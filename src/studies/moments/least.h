/* Numbers of which every rank may know some, and all ranks need the least of each. They are agreed
   on without waiting, on a communicator of their own. */
#ifndef CAS_LEAST_H
#define CAS_LEAST_H

#include <casimir/status.h>

#include <mpi.h>
#include <stdbool.h>

typedef struct {
  int numbers;
  /* [numbers] of this rank, infinity where it knows none; once known, those of all */
  double *value;
  MPI_Comm comm; /* own duplicate */
  MPI_Request request;
  bool begun, known;
} cas_least;

/** All infinite. Collective on comm; the caller frees *l even on failure, collectively too. */
cas_status cas_least_create(int numbers, MPI_Comm comm, cas_least *l,
                            cas_error *err) CAS_MUST_CHECK;
void cas_least_free(cas_least *l);
/** From here on this rank gives no values. Every rank has to begin. */
void cas_least_begin(cas_least *l);
/** Whether this rank knows the values of all, which have begun: 0 where none gave any. */
bool cas_least_is_known(cas_least *l);
/** Begins, and waits until this rank knows the values of all; calls `poll` meanwhile, unless it is
    NULL, which cannot fail. */
cas_status cas_least_await(cas_least *l, cas_status (*poll)(void *context, cas_error *err),
                           void *context, cas_error *err) CAS_MUST_CHECK;

#endif
