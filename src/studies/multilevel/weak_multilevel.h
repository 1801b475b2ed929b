/* Weak errors from differences of neighbouring step sizes. */
#ifndef CAS_WEAK_MULTILEVEL_H
#define CAS_WEAK_MULTILEVEL_H

#include "studies/multilevel/multilevel_run.h"

/** What is wanted of every difference of the first functional. */
typedef struct {
  double relative_error; /* 0: nothing, paths are as configured */
  int64_t max_paths;     /* of a level, in whole blocks */
  bool exact;            /* nothing is random */
} cas_multilevel_aim;

/** Paths that all levels should have next, in whole blocks; false: no more than they have. A level
    that no number of paths helps, because its paths fail or its difference is rounding, keeps those
    it has. Rank 0. */
bool cas_multilevel_choose(const cas_multilevel_run *c, const cas_multilevel_aim *aim,
                           cas_summary *total, int64_t paths[CAS_PLAN_LEVELS_MAX]);
/** Whether that was reached, or why not: relative_error, max_paths, reached and findings of *m.
    Rank 0. */
void cas_multilevel_conclude(const cas_multilevel_run *c, const cas_multilevel_aim *aim,
                             cas_summary *total, cas_multilevel *m);
/** Fills *out, weak errors included, from the sums of all levels. Rank 0. */
cas_status cas_multilevel_results(const cas_multilevel_run *c, const cas_multilevel_aim *aim,
                                  cas_summary *total, cas_results *out,
                                  cas_error *err) CAS_MUST_CHECK;

#endif
