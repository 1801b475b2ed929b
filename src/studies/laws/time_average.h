/* Averages over time and paths, as tables. */
#ifndef CAS_TIME_AVERAGE_H
#define CAS_TIME_AVERAGE_H

#include "studies/laws/batch_means.h"

#include <casimir/results.h>

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
