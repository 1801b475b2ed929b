/* Checks that all ranks are to do the same, and get the same bits. */
#ifndef CAS_RANKS_H
#define CAS_RANKS_H

#include "engine/study/study.h"

/** Refuses ranks of another version, commit or build. Collective on comm. */
cas_status cas_ranks_compare_build(MPI_Comm comm, cas_error *err) CAS_MUST_CHECK;
/** Refuses ranks with another build, request, configuration or set of kernels, and says what
    differs. To be called before anything else that is collective. Collective. */
cas_status cas_ranks_compare_request(const cas_run_state *r, cas_error *err) CAS_MUST_CHECK;
/** Refuses ranks with another initial state, other normals to replay, or another BLAS where states
    come from its products. To be called when the study is prepared. Collective. */
cas_status cas_ranks_compare_prepared(const cas_run_state *r, cas_error *err) CAS_MUST_CHECK;

#endif
