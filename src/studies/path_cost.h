/* What a path costs at each step size by itself, counted and measured, as a table. */
#ifndef CAS_PATH_COST_H
#define CAS_PATH_COST_H

#include <casimir/results.h>

typedef struct cas_study_run cas_study_run;

/** The members of the option `path_cost` of a study. */
#define CAS_PATH_COST_OPTION                                                                \
  .fallback = "false",                                                                      \
  .help = "also measure the cost of a path at every step size, at the end of the run, for " \
          "casimir plot --picture work"

/** Arrays [L+1], the reference last. Counted evaluations are the same in every run; seconds are
    not, so the table is made where it is asked for alone. */
typedef struct {
  double *evaluations; /* of psi, or as much as flows of all parts, over all steps of a path */
  double *seconds;     /* of one core, noise included: the median of some measurements */
  double *seconds_low, *seconds_high; /* their quartiles */
  int levels;                         /* L, without the reference */
} cas_path_cost;

/** Measures every step size of the plan on this rank, for some hundredths of a second each, and
    adds a cas_path_cost to results whose health is there. */
cas_status cas_path_cost_add(const cas_study_run *r, cas_results *out,
                             cas_error *err) CAS_MUST_CHECK;

#endif
