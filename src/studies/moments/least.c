#include "studies/moments/least.h"

#include <casimir/parallel.h>

#include <math.h>
#include <stdlib.h>
#include <time.h>

cas_status cas_least_create(int numbers, MPI_Comm comm, cas_least *l, cas_error *err) {
  *l = (cas_least){.numbers = numbers,
                   .value = malloc(((size_t)numbers + 1) * sizeof *l->value),
                   .comm = MPI_COMM_NULL,
                   .request = MPI_REQUEST_NULL};
  for (int i = 0; l->value && i < numbers; i++)
    l->value[i] = INFINITY;
  cas_status st = cas_agree(l->value ? CAS_OK : cas_no_memory(err), comm, err);
  if (!st && MPI_Comm_dup(comm, &l->comm))
    st = cas_fail(err, CAS_INTERNAL, "MPI_Comm_dup failed");
  return st;
}

void cas_least_free(cas_least *l) {
  if (l->comm != MPI_COMM_NULL) {
    (void)!cas_least_await(l, NULL, NULL, NULL); /* no rank leaves while another waits for it */
    MPI_Comm_free(&l->comm);
  }
  free(l->value);
  *l = (cas_least){.comm = MPI_COMM_NULL};
}

void cas_least_begin(cas_least *l) {
  if (!l->begun)
    MPI_Iallreduce(MPI_IN_PLACE, l->value, l->numbers, MPI_DOUBLE, MPI_MIN, l->comm, &l->request);
  l->begun = true;
}

bool cas_least_is_known(cas_least *l) {
  int done = 0;
  if (l->begun && !l->known)
    MPI_Test(&l->request, &done, MPI_STATUS_IGNORE);
  for (int i = 0; done && i < l->numbers; i++)
    l->value[i] = isfinite(l->value[i]) ? l->value[i] : 0;
  l->known |= done;
  return l->known;
}

cas_status cas_least_await(cas_least *l, cas_status (*poll)(void *context, cas_error *err),
                           void *context, cas_error *err) {
  const struct timespec nap = {0, 1000000};
  cas_status st = CAS_OK;
  cas_least_begin(l);
  while (!st && !cas_least_is_known(l)) {
    if (poll)
      st = poll(context, err);
    nanosleep(&nap, NULL);
  }
  return st;
}
