/* Where results may go. */
#ifndef CAS_OUTPUT_H
#define CAS_OUTPUT_H

#include "engine/study.h"

/** The name of the file that is meant: where that is a symbolic link, what it leads to, there or not.
    The caller frees; NULL without memory. */
char *cas_output_target(const char *name);
/** Refuses r->file if it cannot be written, or if that would replace what this run reads or what is
    no results file. Rank 0 alone. */
cas_status cas_output_allowed(const cas_run_state *r, cas_error *err) CAS_MUST_CHECK;
/** Keeps room for what is written when all is done, as "<file>.room". Rank 0 alone, with the lock. */
cas_status cas_output_reserve(cas_run_state *r, cas_error *err) CAS_MUST_CHECK;
/** Gives it back, if it is there; before that is written, and before a run ends. */
void cas_output_release(cas_run_state *r);

#endif
