/* Counts: conversion of real numbers, the lesser of two. */
#ifndef CAS_COUNT_H
#define CAS_COUNT_H

#include <stdbool.h>
#include <stdint.h>

/** The whole part of x. False, and *out unchanged, for NaN, negative numbers and those beyond
    `most`, whose conversion C leaves undefined. */
static inline bool cas_count_whole(double x, int64_t most, int64_t *out) {
  if (!(x >= 0 && x < 0x1p63 && (int64_t)x <= most))
    return false;
  *out = (int64_t)x;
  return true;
}

/** The whole part of x, or 0 where x is negative, and `most` where it is larger or NaN. */
static inline int64_t cas_count_clamped(double x, int64_t most) {
  int64_t n = x < 0 ? 0 : most;
  (void)cas_count_whole(x, most, &n);
  return n;
}

/** The lesser of two. */
static inline int64_t cas_count_least(int64_t a, int64_t b) { return a < b ? a : b; }

#endif
