/* What all results have: where they come from, how they were computed, whether that went well. */
#ifndef CAS_OUTCOME_H
#define CAS_OUTCOME_H

#include "engine/study/study.h"

/** Fills provenance, steps, health and restart of *out from the run and its summary. Refuses a
    summary whose paths, counted and left out, are not all paths that were integrated. Rank 0. */
cas_status cas_outcome_fill(cas_run_state *r, cas_summary_shape shape, cas_summary *total,
                            cas_results *out, cas_error *err) CAS_MUST_CHECK;
/** Gives *out the uncertain parameters of the first paths, value[paths][numbers], or of the one
    path that the file is of, where `paths` is 0. */
cas_status cas_outcome_parameters(const cas_run_state *r, int64_t paths, const double *value,
                                  cas_results *out, cas_error *err) CAS_MUST_CHECK;
/** Replaces *out by the file, which has numbers of all ranks. Reads on rank 0, not collective. */
cas_status cas_outcome_read_back(const cas_run_state *r, cas_results *out,
                                 cas_error *err) CAS_MUST_CHECK;
/** CAS_CHECK_FAILED with a message if paths failed or Casimirs drifted too far. Rank 0. */
cas_status cas_outcome_verdict(const cas_run_state *r, const cas_results *out, cas_error *err);

#endif
