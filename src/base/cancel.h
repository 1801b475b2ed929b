/* Who is asked by long computations whether they are still wanted (cas_cancelled of casimir/extend.h). */
#ifndef CAS_CANCEL_H
#define CAS_CANCEL_H

#include <casimir/extend.h>

typedef struct {
  bool (*check)(void *context); /* NULL: nobody, and everything is wanted */
  void *context;
} cas_cancel_check;

/** From now on this one is asked. Returns the one before, to be set again afterwards. */
cas_cancel_check cas_cancel_check_set(cas_cancel_check l);
/** Seconds of a clock that is no matter of MPI and costs some nanoseconds. CLOCK_BOOTTIME, because tests
    let this clock go as they like, and libraries go by CLOCK_MONOTONIC and its kin. */
double cas_clock_seconds(void);

#endif
