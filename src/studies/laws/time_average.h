/* Averages over time and paths, as tables. */
#ifndef CAS_TIME_AVERAGE_H
#define CAS_TIME_AVERAGE_H

#include <casimir/results.h>

/** Moments over paths: means, and sums of squared deviations from them. */
typedef struct {
  int64_t paths;
  int batches;                    /* B of a path */
  double batch_time;              /* from the beginning of a batch to its end */
  const double *half, *half_m2;   /* [2B] of means over half batches */
  const double *batch, *batch_m2; /* [B] of means over batches */
  double mean, mean_m2;           /* of means over the whole window */
  double square;                  /* mean of (phi - centre)^2 */
  double centre;                  /* near phi, so that its variance keeps its digits */
} cas_batch_moments;

/** An estimate of E phi. Its interval, of 95%, is Student's: over paths where there are 32 or more,
    else over all batches of all paths. NaN where there is nothing to estimate it from. */
typedef struct {
  double mean, standard_error, low, high;
  double variance; /* of phi */
  /* the integral of the autocorrelation over all lags of both signs: a window of length T counts as
     T over it independent values. Its 95% interval is that of the variance of batch means */
  double autocorrelation_time, autocorrelation_low, autocorrelation_high;
  double effective_samples;
  double half_correlation; /* of the two halves of batches */
  /* whether batches may be too short to be independent: shorter than 5 times the upper end of the
     autocorrelation time (10 times with fewer than 16 of them over all paths), or with a
     correlation of halves above 0.1 by two of its standard errors */
  int short_batches;
} cas_time_mean;

cas_time_mean cas_batch_moments_estimate(const cas_batch_moments *m);

/** The average of one observable over a window of time and over paths, "time_average/NAME". */
typedef struct {
  char name[64], unit[64];
  double from, to;                           /* the window */
  int batches;                               /* B */
  int64_t counted;                           /* paths */
  double *end;                               /* [B] times at which batches end */
  double *batch_mean, *batch_standard_error; /* [B] over paths */
  cas_time_mean average;
  int path_groups;      /* G; 0: none */
  double *group_mean;   /* [G] over the window and over each group of paths; NaN for an empty one */
  int64_t *group_paths; /* [G] counted paths of each */
} cas_time_average;

#endif
