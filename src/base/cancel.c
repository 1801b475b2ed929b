#include "base/cancel.h"

#include <time.h>

static cas_cancel_check current;

cas_cancel_check cas_cancel_check_set(cas_cancel_check l) {
  cas_cancel_check before = current;
  current = l;
  return before;
}

bool cas_cancelled(void) { return current.check && current.check(current.context); }

double cas_clock_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_BOOTTIME, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
