/* What a path costs at each step size by itself, counted and measured, as a table. */
#ifndef CAS_PATH_COST_H
#define CAS_PATH_COST_H

#include <casimir/results.h>

/** Arrays [L+1], the reference last. Counted evaluations are the same in every run; seconds are
    not, so the table is made where it is asked for alone. */
typedef struct {
  double *evaluations; /* of psi, or as much as flows of all parts, over all steps of a path */
  double *seconds;     /* of one core, noise included: the median of some measurements */
  double *seconds_low, *seconds_high; /* their quartiles */
  int levels;                         /* L, without the reference */
} cas_path_cost;

static inline cas_path_cost *cas_results_path_cost(const cas_results *r) {
  return (cas_path_cost *)cas_results_find(r, "path_cost");
}

#endif
