/* Runs that begin at a record of an earlier run. */
#ifndef CAS_CONTINUED_H
#define CAS_CONTINUED_H

#include "engine/study.h"

/** Where system.initial is a record of a results file of the same generator and seed, the noise of
    this run repeats that which led to the record: says so, or with random.stream: continue makes
    r->problem.noise_begin the step of the record. Refuses to go on with other streams or steps.
    Collective. */
cas_status cas_continued_find(cas_run_state *r, cas_error *err) CAS_MUST_CHECK;

#endif
