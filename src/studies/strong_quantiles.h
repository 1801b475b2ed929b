/* The distribution of strong errors over paths, as a table. */
#ifndef CAS_STRONG_QUANTILES_H
#define CAS_STRONG_QUANTILES_H

#include <casimir/results.h>

/** Quantiles of |X_h - X_ref| at the horizon, for each of L step sizes and Q probabilities: arrays
    [L][Q], of orders [L-1][Q]. A quantile is read from bins whose edges are a factor 2^(1/32)
    apart, as if values were evenly spread over their logarithms in a bin. Its 95% interval lies
    between order statistics, moved outwards to the edges of their bins, and holds whatever the
    errors of paths that failed are; 0 and infinity where the sample or the bins do not reach
    further. */
typedef struct {
  double *probability; /* [Q] */
  int levels;          /* L, without the reference */
  int probabilities;   /* Q */
  char unit[64];       /* of the errors */
  int64_t counted;     /* paths behind every number */
  cas_intervals quantile;
  /* the order between neighbouring levels, log q(h) / q(h/r) over log r; its interval, of at least
     95%, is between the ends of the two 97.5% intervals of the quantiles */
  cas_intervals local_order;
} cas_strong_quantiles;

#endif
