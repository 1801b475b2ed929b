/* A file of one path alone: what every level did at each of its steps. */
#ifndef CAS_PATH_FILE_H
#define CAS_PATH_FILE_H

#include "engine/study/study.h"

typedef struct cas_path_recorder cas_path_recorder;

/** Begins to record this lane of a pass, which has not run yet, into `file`. Refuses a file that
    holds anything but a path alone, or belongs to an unfinished run. Rank 0, not collective. On
    failure *out is NULL. */
cas_status cas_path_file_record(cas_run_state *r, cas_pass *s, int64_t path, int lane,
                                const char *file, cas_path_recorder **out,
                                cas_error *err) CAS_MUST_CHECK;
/** Refuses a file that cas_path_file_record would refuse, and one for which there is no space,
    without writing anything. *bytes that it needs; *space: what its file system has. Rank 0,
    not collective. */
cas_status cas_path_file_check(cas_run_state *r, const cas_pass_plan *plan, const char *file,
                               double *bytes, double *space, cas_error *err) CAS_MUST_CHECK;
/** The observer of the pass: records the initial state of all levels; further states are recorded
    step by step, by the hook `stepped`. */
cas_status cas_path_file_observe(void *recorder, cas_pass *s, int64_t observation, cas_error *err);
/** Adds the health of the pass, completes the file and puts it in place; or, where the pass ended
    with a failure `st`, removes the file and returns st. Frees the recorder, which may be NULL. */
cas_status cas_path_file_close(cas_path_recorder *recorder, const cas_pass *s, cas_status st,
                               cas_error *err) CAS_MUST_CHECK;

#endif
