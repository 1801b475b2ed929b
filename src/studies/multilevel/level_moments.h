/* Quantities of a path of a level, and the moments of a level from their sums. */
#ifndef CAS_LEVEL_MOMENTS_H
#define CAS_LEVEL_MOMENTS_H

#include "studies/multilevel/hierarchy.h"

/* A summary holds the quantities of a path: the shared ones, */
enum {
  CAS_MULTILEVEL_ITERATIONS,      /* of all that is coupled */
  CAS_MULTILEVEL_FINE_ITERATIONS, /* of one path of step h */
  CAS_MULTILEVEL_SHARED
};
/* And then those of each functional. There are powers of Y, because of every quantity a summary
   holds two moments only. */
enum {
  CAS_MULTILEVEL_Y,
  CAS_MULTILEVEL_Y2,
  CAS_MULTILEVEL_Y3,
  CAS_MULTILEVEL_Y4,
  CAS_MULTILEVEL_COARSE, /* phi(X_rh), r the refinement; 0 without a coarse step */
  CAS_MULTILEVEL_FINE,   /* phi(X_h) of one path */
  CAS_MULTILEVEL_PAIR,   /* the difference of these two */
  CAS_MULTILEVEL_QUANTITIES
};

/** The shape of a summary, of which group k is level k. */
cas_summary_shape cas_multilevel_shape(const cas_hierarchy *h);

/** Moments of a functional on a level; NaN where there are too few paths. */
typedef struct {
  double paths;                       /* that count */
  double iterations, fine_iterations; /* of a path, and of its path of the finer step alone */
  double mean, variance, kurtosis;    /* of Y */
  double coarse_mean, coarse_variance, fine_mean, fine_variance;
  double pair_mean, pair_variance; /* of phi(X_rh) - phi(X_h) with one fine path */
} cas_level_moments;

void cas_level_moments_estimate(cas_summary_shape shape, cas_summary *total, int level,
                                int functional, cas_level_moments *m);

#endif
