/* Real numbers that are to be counts. */
#ifndef CAS_COUNT_H
#define CAS_COUNT_H

#include <stdbool.h>
#include <stdint.h>

/** The whole part of x. Refuses (false, *out as it was) NaN, negative numbers and those beyond
    `most`, of which a conversion would make any number at all. */
static inline bool cas_to_count(double x, int64_t most, int64_t *out) {
  if (!(x >= 0 && x < 0x1p63 && (int64_t)x <= most))
    return false;
  *out = (int64_t)x;
  return true;
}

/** The same of what is too large, or no number, being `most`, and of what is negative being 0. */
static inline int64_t cas_to_count_clamped(double x, int64_t most) {
  int64_t n = x < 0 ? 0 : most;
  (void)cas_to_count(x, most, &n);
  return n;
}

#endif
