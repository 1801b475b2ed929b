/* Distances of laws that are known at the edges of bins: Kolmogorov and Smirnov's, the largest
   difference of distribution functions, and Wasserstein's of order 1, the area between them. */
#ifndef CAS_DISTRIBUTION_H
#define CAS_DISTRIBUTION_H

#include "statistics/summary.h"

/** F - G at K edges, as means over the paths of each jackknife group; both functions of one path
    may be of the same Brownian path, which only makes the differences of groups smaller. */
typedef struct {
  int edges;
  const double *edge;       /* [K] ascending */
  const double *count;      /* [CAS_SUMMARY_GROUPS] paths of each group (may be 0) */
  const double *difference; /* [CAS_SUMMARY_GROUPS][K] */
} cas_distribution_difference;

/** A distance, and its intervals of 95% and 97.5%. The sampling error of F - G has the distance
    d(noise) from 0, which by the triangle inequality is the most that the distance can be off; its
    quantile is that of the groups under random weights (multiplier bootstrap). Where all paths
    agree, so that groups have no noise, at most 3/n of the paths can differ (with 95%). Intervals
    cover at least what they say, and far more where the distance is large against its error. */
typedef struct {
  double value, low, high;
  double low_975, high_975;
  double p_value; /* of the hypothesis that both laws are the same */
} cas_distance;

/** Computes both distances; NaN without paths. Fails with CAS_NO_MEMORY alone. */
cas_status cas_distribution_distances(const cas_distribution_difference *d, cas_distance *smirnov,
                                      cas_distance *wasserstein, cas_error *err) CAS_MUST_CHECK;

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
