/* The check behind cas_cancelled of casimir/extend.h, by which long computations may give up. */
#ifndef CAS_CLOCK_H
#define CAS_CLOCK_H

#include <casimir/extend.h>

typedef struct {
  bool (*check)(void *context); /* NULL: nothing is ever cancelled */
  void *context;
} cas_cancel_check;

/** Sets the check, and returns the one before, which the caller sets again afterwards. */
cas_cancel_check cas_cancel_check_set(cas_cancel_check l);
/** Seconds of a clock that costs some nanoseconds. It is CLOCK_BOOTTIME, which tests replace by one
    of their own; libraries use CLOCK_MONOTONIC. */
double cas_clock_seconds(void);
/** Seconds that a processor has given to this thread: time for others does not count. */
double cas_clock_processor(void);
/** Seconds that processors have given to all threads of this process. */
double cas_clock_process(void);

#endif
