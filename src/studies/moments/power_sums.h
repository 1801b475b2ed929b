/* Sums of the first four powers of departures from a fixed number, and the extremes, whose bits
   depend neither on the order of values nor on how they are divided: sums of whole numbers.

   This is the binned summation of Demmel and Nguyen ("Parallel reproducible summation", IEEE
   Transactions on Computers 64, 2015) with whole numbers as bins. A power of a departure is cut at
   the multiples of CAS_POWER_SUMS_BIN_BITS binary places into digits, each rounded to nearest, and
   of all digits the two highest are kept that the largest departure has. The extremes give the
   largest departure, and so the places of its digits. The error of each power is at most
   2^-CAS_POWER_SUMS_BIN_BITS of the largest, for every path. */
#ifndef CAS_POWER_SUMS_H
#define CAS_POWER_SUMS_H

#include <casimir/status.h>
#include <mpi.h>
#include <stdint.h>

enum { CAS_POWER_SUMS_POWERS = 4, CAS_POWER_SUMS_DIGITS = 2, CAS_POWER_SUMS_BIN_BITS = 40 };

/* Digits are at most 2^(CAS_POWER_SUMS_BIN_BITS - 1), and this number of them has a sum. */
#define CAS_POWER_SUMS_MOST ((INT64_C(1) << (63 - CAS_POWER_SUMS_BIN_BITS + 1)) - 1)

/* sum[k - 1] is of powers k, the higher digit first. Departures are from `shift`, the same in all
   that are merged. */
typedef struct {
  double shift, minimum, maximum; /* extremes: infinity and -infinity of no value */
  int64_t sum[CAS_POWER_SUMS_POWERS][CAS_POWER_SUMS_DIGITS];
} cas_power_sums;

/* Moments of n values: mk is the sum of k-th powers of departures from the mean, in units of
   2^(k scale). Only where n > 0 have the others a meaning. */
typedef struct {
  double n, mean, minimum, maximum;
  long double m2, m4;
  int scale;
} cas_central_moments;

void cas_power_sums_clear(cas_power_sums *s, double shift);
/** Adds a finite value. */
void cas_power_sums_add(cas_power_sums *s, double x);
void cas_power_sums_merge(cas_power_sums *s, const cas_power_sums *other);
/** Merges sum[n] of all ranks into out[n] of rank `to`; elsewhere out may be NULL. Collective. */
cas_status cas_power_sums_reduce(const cas_power_sums *sum, int64_t n, int to, MPI_Comm comm,
                                 cas_power_sums *out, cas_error *err) CAS_MUST_CHECK;
cas_central_moments cas_power_sums_moments(const cas_power_sums *s, int64_t n);

#endif
