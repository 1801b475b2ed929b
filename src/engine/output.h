/* Where results may go, and the space for them. */
#ifndef CAS_OUTPUT_H
#define CAS_OUTPUT_H

#include "engine/study/study.h"

/** Refuses r->file if it cannot be written, or if that would replace what this run reads or what is
    no results file. Rank 0 alone. */
cas_status cas_output_allowed(const cas_run_state *r, cas_error *err) CAS_MUST_CHECK;
/** As cas_output_allowed, on all ranks, where there is a file. Collective. */
cas_status cas_output_agree_allowed(const cas_run_state *r, cas_error *err) CAS_MUST_CHECK;
/** Refuses a file for which its file system has no space. *bytes that it needs, 0 if they are few;
    *space that is free, INFINITY if that is unknown. Collective. */
cas_status cas_output_check_space(const cas_run_state *r, double *bytes, double *space,
                                  cas_error *err) CAS_MUST_CHECK;
/** Reserves disk space for what is written at the end, as "<file>.reserved".
    Rank 0 alone, with the lock. */
cas_status cas_output_reserve(cas_run_state *r, cas_error *err) CAS_MUST_CHECK;
/** Writes the results file, where there is one. Rank 0 alone. */
cas_status cas_output_write(const cas_run_state *r, const cas_results *out,
                            cas_error *err) CAS_MUST_CHECK;
/** Writes the results file, and once more when `extend` has added tables: the file stays complete
    if that is interrupted. extend NULL: nothing is added. Rank 0 alone. */
cas_status cas_output_write_and_extend(const cas_run_state *r, cas_study_extension *extend,
                                       cas_results *out, cas_error *err) CAS_MUST_CHECK;
/** Frees the reserved space, if any: before the results are written, and before a run ends. */
void cas_output_release(cas_run_state *r);

#endif
