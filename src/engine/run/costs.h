/* What a run takes, measured on a few of its steps. */
#ifndef CAS_COSTS_H
#define CAS_COSTS_H

#include "engine/study/study.h"

/** Processor seconds. */
typedef struct {
  double steps, records; /* of a block */
  double streams;        /* of all that a rank opens */
  double load;           /* how much longer it took by the clock */
} cas_costs;

/** Measures steps, and on rank 0 observations and streams. */
cas_status cas_costs_find(const cas_run_state *r, cas_costs *c, cas_error *err) CAS_MUST_CHECK;
/** Measures one path of a plan, without what is recorded of it. */
cas_status cas_costs_find_path(const cas_run_state *r, const cas_pass_plan *plan, cas_costs *c,
                               cas_error *err) CAS_MUST_CHECK;

#endif
