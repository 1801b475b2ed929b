/* Sums of the first four powers of departures from a fixed number, and the extremes, whose bits
   depend neither on the order in which values come nor on how they are divided: sums of whole
   numbers.

   This is the binned summation of Demmel and Nguyen ("Parallel reproducible summation", IEEE
   Transactions on Computers 64, 2015) with whole numbers as bins. A power of a departure is cut at
   the multiples of CAS_POWER_SUMS_BIN_BITS binary places into digits, each rounded to nearest, and
   of all digits the two highest are kept that the largest departure has. What the largest departure
   is follows from the extremes, so that a sum knows without further memory what its two digits
   stand for. The error of each power is at most 2^-CAS_POWER_SUMS_BIN_BITS of the largest, for
   every path. */
#ifndef CAS_POWER_SUMS_H
#define CAS_POWER_SUMS_H

#include <stdint.h>

enum { CAS_POWER_SUMS_POWERS = 4, CAS_POWER_SUMS_DIGITS = 2, CAS_POWER_SUMS_BIN_BITS = 40 };

/* Digits are at most 2^(CAS_POWER_SUMS_BIN_BITS - 1), and this number of them has a sum. */
#define CAS_POWER_SUMS_MOST ((INT64_C(1) << (63 - CAS_POWER_SUMS_BIN_BITS + 1)) - 1)

/* sum[k - 1] is of powers k, the higher digit first. Departures are from `shift`, which a caller
   keeps and which must be the same for all that are merged. */
typedef struct {
  double minimum, maximum; /* infinity and -infinity of no value */
  int64_t sum[CAS_POWER_SUMS_POWERS][CAS_POWER_SUMS_DIGITS];
} cas_power_sums;

/* Statistics of n values. A NaN where n is too small. */
typedef struct {
  double mean, standard_error, variance, variance_standard_error, minimum, maximum;
} cas_moment_values;

void cas_power_sums_clear(cas_power_sums *s);
/** Adds a finite value. */
void cas_power_sums_add(cas_power_sums *s, double shift, double x);
/** Extends the extremes, and makes the digits those of sums with these extremes. */
void cas_power_sums_widen(cas_power_sums *s, double shift, double minimum, double maximum);
void cas_power_sums_merge(cas_power_sums *s, double shift, const cas_power_sums *other);
cas_moment_values cas_power_sums_moments(const cas_power_sums *s, double shift, int64_t n);

#endif
