/* Error curves of studies: their tables, and what failed paths can have changed. */
#ifndef CAS_STUDY_CURVE_H
#define CAS_STUDY_CURVE_H

#include "engine/study.h"

/** Adds a curve to the results, which take over what it points to; after a failure too. */
cas_status cas_results_add_curve(cas_results *r, cas_curve *c, cas_error *err) CAS_MUST_CHECK;
/** Adds n curves of one array, after saying of each what that share of failed paths can have
    changed. Frees the array. */
cas_status cas_results_add_curves(const cas_run_state *run, double share, int n, cas_curve *curve,
                                  cas_results *out, cas_error *err) CAS_MUST_CHECK;

#endif
