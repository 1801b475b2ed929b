/* Numbers as kernels take them, for tests. */
#ifndef NUMBERS_H
#define NUMBERS_H

#include "suite.h"

#include <string.h>

/* n zeros, and zeros to the end of the cache line behind them; the suite frees them. */
static inline double *doubles(size_t n) {
  const size_t bytes = (n * sizeof(double) / 64 + 1) * 64;
  double *p = aligned_alloc(64, bytes);
  ck_assert_ptr_nonnull(p);
  suite_keep(p, free);
  return memset(p, 0, bytes);
}

#endif
