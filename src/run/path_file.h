/* One path alone as a file: what every level did at each of its steps. */
#ifndef CAS_PATH_H
#define CAS_PATH_H

#include "engine/study.h"

typedef struct cas_path_recorder cas_path_recorder;

/** What such files call their study. */
extern const char cas_path_study[];

/** Records this lane of the sweep, which has not begun, into `file`, from now on. Refuses a file that
    holds anything but a path alone, or belongs to an unfinished run. Not collective: rank 0. On
    failure *out is NULL. */
cas_status cas_path_record(cas_run_state *r, cas_sweep *s, int64_t path, int lane, const char *file,
                           cas_path_recorder **out, cas_error *err) CAS_MUST_CHECK;
/** Refuses what cas_path_record would refuse of the file, for which there must be room. *bytes that it
    needs; *room that its file system has. Nothing is written. Not collective: rank 0. */
cas_status cas_path_check(cas_run_state *r, const cas_sweep_plan *plan, const char *file,
                          double *bytes, double *room, cas_error *err) CAS_MUST_CHECK;
/** An observer, for the initial state of all levels; the sweep's hook sees to the rest. */
cas_status cas_path_observe(void *recorder, cas_sweep *s, int64_t observation, cas_error *err);
/** After the sweep: adds its health, completes the file and puts it in place; st: how the sweep
    ended, which a failed one returns after the file was thrown away. Frees the recorder, which may
    be NULL. */
cas_status cas_path_close(cas_path_recorder *recorder, const cas_sweep *s, cas_status st,
                          cas_error *err) CAS_MUST_CHECK;

#endif
