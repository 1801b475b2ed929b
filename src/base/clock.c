#include "base/clock.h"

#include <time.h>

static cas_cancel_check current;

cas_cancel_check cas_cancel_check_set(cas_cancel_check l) {
  cas_cancel_check before = current;
  current = l;
  return before;
}

bool cas_cancelled(void) { return current.check && current.check(current.context); }

static double seconds_of(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double cas_clock_seconds(void) { return seconds_of(CLOCK_BOOTTIME); }

double cas_clock_processor(void) { return seconds_of(CLOCK_THREAD_CPUTIME_ID); }

double cas_clock_process(void) { return seconds_of(CLOCK_PROCESS_CPUTIME_ID); }
