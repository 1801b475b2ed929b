/* Multilevel Monte Carlo: an expectation to a stated error. */
#ifndef CAS_MLMC_H
#define CAS_MLMC_H

#include "studies/multilevel/multilevel_run.h"

/** What a pilot has foreseen, and a checkpoint keeps. Zeroed: nothing yet. */
typedef struct {
  double work, seconds; /* of all cores; NaN if not measured */
  int64_t levels;
} cas_mlmc_forecast;

/** The moments of all levels from the sums of all rounds, assessed. Rank 0. */
cas_status cas_mlmc_measure(const cas_multilevel_run *c, const cas_mlmc_aim *aim,
                            cas_summary *total, cas_mlmc **out, cas_error *err) CAS_MUST_CHECK;
/** What the pilot foresees; seconds: those of the processors of all ranks, by level. Rank 0. */
cas_mlmc_forecast cas_mlmc_foresee(const cas_multilevel_run *c, const cas_mlmc_aim *aim,
                                   const cas_mlmc *m, const double *seconds);
/** Fills *out, which takes over m. Rank 0. */
cas_status cas_mlmc_results(const cas_multilevel_run *c, cas_summary *total, const double *seconds,
                            const cas_mlmc_forecast *forecast, cas_mlmc *m, cas_results *out,
                            cas_error *err) CAS_MUST_CHECK;

#endif
