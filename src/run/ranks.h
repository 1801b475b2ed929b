/* Whether all ranks are to do the same and get the same bits. */
#ifndef CAS_RANKS_H
#define CAS_RANKS_H

#include "engine/study.h"

/** Before anything else that is collective: refuses ranks of other builds, requests, configurations or
    kernels, by name. Collective. */
cas_status cas_ranks_compare_request(const cas_run_state *r, cas_error *err) CAS_MUST_CHECK;
/** When the study is prepared: refuses ranks whose initial state, or BLAS where states come from its
    products, is another. Collective. */
cas_status cas_ranks_compare_prepared(const cas_run_state *r, cas_error *err) CAS_MUST_CHECK;

#endif
