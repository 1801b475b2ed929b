/* Runs that begin at a record of an earlier run. */
#ifndef CAS_CONTINUED_H
#define CAS_CONTINUED_H

#include "engine/study/study.h"

/** Where system.initial is a record of a results file of the same generator and seed, the noise of
    this run repeats the noise before the record: says so, or with random.stream: continue sets
    r->problem.noise_begin to the step of the record and r->problem.ends to the states in which the
    paths of that run ended, if the record is its last one and its file has them; says so if not.
    Refuses to go on with other streams or steps.
    Collective. */
cas_status cas_continued_find(cas_run_state *r, cas_error *err) CAS_MUST_CHECK;

#endif
