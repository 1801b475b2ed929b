/* Multilevel Monte Carlo: an expectation to a stated error, or for a stated cost. */
#ifndef CAS_MLMC_H
#define CAS_MLMC_H

#include "studies/multilevel/multilevel_run.h"

/** What a pilot has foreseen of an epsilon, and a checkpoint keeps. Zeroed: nothing yet. */
typedef struct {
  double work, seconds; /* of all cores; NaN if not measured */
  int64_t levels;       /* 0: nothing is foreseen */
  /* Of a budget in seconds: the work that rounds may do, and the work a second by which it was
     found; 0: not yet, rounds are for measuring it */
  double budget, speed;
} cas_mlmc_forecast;

/** The moments of all levels from the sums of all rounds, assessed. Rank 0. */
cas_status cas_mlmc_measure(const cas_multilevel_run *c, const cas_mlmc_aim *aim,
                            cas_summary *total, cas_mlmc **out, cas_error *err) CAS_MUST_CHECK;
/** Fills in what the pilot foresees of an epsilon. seconds: those of the processors of all ranks,
    by level. Rank 0. */
void cas_mlmc_foresee(const cas_mlmc_aim *aim, const cas_mlmc *m, const double *seconds,
                      cas_mlmc_forecast *f);
/** Turns a budget of `all` core seconds into f->budget, in work of three digits, once a sixteenth
    of them is measured or `now`; until then it is what the next round may take. Rank 0. */
void cas_mlmc_turn_into_work(const cas_mlmc *m, const double *seconds, double all, bool now,
                             cas_mlmc_forecast *f);
/** Fills *out, which takes over m. Rank 0. */
cas_status cas_mlmc_results(const cas_multilevel_run *c, cas_summary *total, const double *seconds,
                            const cas_mlmc_forecast *forecast, cas_mlmc *m, cas_results *out,
                            cas_error *err) CAS_MUST_CHECK;

#endif
