#include "studies/multilevel/level_moments.h"

#include <math.h>

cas_summary_shape cas_multilevel_shape(const cas_hierarchy *h) {
  return (cas_summary_shape){.quantities = CAS_MULTILEVEL_SHARED +
                                           CAS_MULTILEVEL_QUANTITIES * h->functionals.n,
                             .levels = h->steps.levels,
                             .groups = h->levels};
}

/* Fourth central moment over the squared second, from means of powers. Where the mean is so far
   larger than the deviation that no digits are left, NaN. */
static double kurtosis(const double *power, double variance) {
  const double lost = 1e3;
  double m = power[CAS_MULTILEVEL_Y], m2 = power[CAS_MULTILEVEL_Y2], m3 = power[CAS_MULTILEVEL_Y3],
         m4 = power[CAS_MULTILEVEL_Y4];
  if (!(variance > 0) || m * m > lost * lost * variance)
    return NAN;
  return (m4 - 4 * m * m3 + 6 * m * m * m2 - 3 * m * m * m * m) / (variance * variance);
}

void cas_level_moments_estimate(cas_summary_shape shape, cas_summary *total, int level,
                                int functional, cas_level_moments *m) {
  const double *group = cas_summary_group(shape, total, level);
  const double *mean = group + 1, *m2 = mean + shape.quantities, n = group[0];
  int at = CAS_MULTILEVEL_SHARED + CAS_MULTILEVEL_QUANTITIES * functional;
  double divisor = n > 1 ? n - 1 : NAN;
  *m = (cas_level_moments){.paths = n,
                           .iterations = mean[CAS_MULTILEVEL_ITERATIONS],
                           .fine_iterations = mean[CAS_MULTILEVEL_FINE_ITERATIONS]};
  m->mean = n > 0 ? mean[at + CAS_MULTILEVEL_Y] : NAN;
  m->variance = m2[at + CAS_MULTILEVEL_Y] / divisor;
  m->kurtosis = kurtosis(mean + at, n > 0 ? m2[at + CAS_MULTILEVEL_Y] / n : NAN);
  m->coarse_mean = n > 0 ? mean[at + CAS_MULTILEVEL_COARSE] : NAN;
  m->coarse_variance = m2[at + CAS_MULTILEVEL_COARSE] / divisor;
  m->fine_mean = n > 0 ? mean[at + CAS_MULTILEVEL_FINE] : NAN;
  m->fine_variance = m2[at + CAS_MULTILEVEL_FINE] / divisor;
  m->pair_mean = n > 0 ? mean[at + CAS_MULTILEVEL_PAIR] : NAN;
  m->pair_variance = m2[at + CAS_MULTILEVEL_PAIR] / divisor;
}
