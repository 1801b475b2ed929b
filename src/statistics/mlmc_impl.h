/* Functions that the estimates and the verdicts of multilevel Monte Carlo share. Not installed. */
#ifndef CAS_MLMC_IMPL_H
#define CAS_MLMC_IMPL_H

#include <casimir/statistics.h>

/** The order by which the bias is extrapolated. */
double cas_mlmc_order(const cas_mlmc_functional *f);

#endif
