/* Who is asked by long computations whether they are still wanted (cas_look of casimir/extend.h). */
#ifndef CAS_LOOK_H
#define CAS_LOOK_H

#include <casimir/extend.h>

typedef struct {
  bool (*look)(void *context); /* NULL: nobody, and everything is wanted */
  void *context;
} cas_looker;

/** From now on this one is asked. Returns the one before, to be set again afterwards. */
cas_looker cas_look_set(cas_looker l);
/** Seconds of a clock that is no matter of MPI and costs some nanoseconds. CLOCK_BOOTTIME, because tests
    let this clock go as they like, and libraries go by CLOCK_MONOTONIC and its kin. */
double cas_look_clock(void);

#endif
