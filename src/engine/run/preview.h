/* A run without its computation: what it would do, and one of its paths alone. */
#ifndef CAS_PREVIEW_H
#define CAS_PREVIEW_H

#include "engine/study/study.h"

/** Checks everything, measures a few steps and prints what would run. Collective. */
cas_status cas_preview_run(cas_run_state *r, cas_error *err) CAS_MUST_CHECK;
/** Integrates path request->only_path on rank 0 and prints its end on every level. Collective. */
cas_status cas_preview_path(cas_run_state *r, cas_error *err) CAS_MUST_CHECK;

#endif
