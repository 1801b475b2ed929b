/* Distances of laws, as tables. */
#ifndef CAS_DISTRIBUTION_H
#define CAS_DISTRIBUTION_H

#include "studies/laws/distribution_distance.h"

/** The law of a functional phi at the horizon, "law/NAME": for each of L step sizes its distance
    from that of the reference, on the same Brownian paths; and of all L + 1 from the law of phi
    where states are uniform on the orbit, NaN unless asked for. Distances are of distribution
    functions at the edges of `bins` equal bins from `low` to `high`. Intervals of 95% are those of
    cas_distance. */
typedef struct {
  char name[64], unit[64];
  int levels; /* L */
  int bins;
  double low, high;
  double outside; /* largest share of paths, over steps, that the bins do not hold */
  double outside_low, outside_high; /* its 95% interval: those of all steps hold together with that
                                       (Clopper, Pearson; Bonferroni) */
  int64_t counted;                  /* paths */
  cas_intervals smirnov, wasserstein; /* [L] */
  double *p_value;                    /* [L] of equal laws, by smirnov */
  /* [L-1] of neighbouring Wasserstein distances; its interval, of at least 95%, is between the ends
     of their two 97.5% intervals */
  cas_intervals local_order;
  cas_intervals uniform_smirnov, uniform_wasserstein; /* [L+1] */
  double *uniform_p_value;                            /* [L+1] */
} cas_distribution_table;

#endif
