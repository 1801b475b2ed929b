/* The stages of cas_run, of which cas_merge shares some. */
#ifndef CAS_RUN_H
#define CAS_RUN_H

#include "engine/study/study.h"

/** Reads a configuration; r borrows it and the request. The caller releases *r even on failure.
    Collective. */
cas_status cas_run_start(cas_run_state *r, const cas_config *c, const cas_run_request *q,
                         MPI_Comm comm, cas_error *err) CAS_MUST_CHECK;
/** Does what is left of the study and writes the results file. Collective. */
cas_status cas_run_compute(cas_run_state *r, cas_results *out, cas_error *err) CAS_MUST_CHECK;
void cas_run_release(cas_run_state *r);

/** Initialises MPI, until the process ends, if nobody has. */
cas_status cas_run_initialize(cas_error *err) CAS_MUST_CHECK;

enum { CAS_RUN_MERGED_KINDS = 400 };
/** The names of the studies whose runs can be merged, "strong, weak and .."; returns text. */
const char *cas_run_merged_kinds(char text[CAS_RUN_MERGED_KINDS]);

/** How many paths of a run are behind its partial results, and how many it is of. */
typedef struct {
  int64_t done, all;
} cas_partial;

/** Fills *out from the sums of paths that a checkpoint holds, in memory alone; CAS_CHECK_FAILED,
    with results, as a finished run has it. Refuses studies whose sums on the way are no results, by
    name. Initialises MPI if nobody has. The caller frees *out. */
cas_status cas_partial_read(const char *checkpoint, cas_partial *of, cas_results *out,
                            cas_error *err) CAS_MUST_CHECK;

/* ---- what a run takes, measured on a few of its steps (costs.c) ---- */

/** Processor seconds. */
typedef struct {
  double steps, records; /* of a block */
  double streams;        /* of all that a rank opens */
  double load;           /* how much longer it took by the clock */
} cas_costs;

/** Measures steps, and on rank 0 observations and streams. */
cas_status cas_costs_find(const cas_run_state *r, cas_costs *c, cas_error *err) CAS_MUST_CHECK;
/** Measures one path of a plan, without what is recorded of it. */
cas_status cas_costs_find_path(const cas_run_state *r, const cas_pass_plan *plan, cas_costs *c,
                               cas_error *err) CAS_MUST_CHECK;

/* ---- a run without its computation (preview.c) ---- */

/** Checks everything, measures a few steps and prints what would run. Collective. */
cas_status cas_preview_run(cas_run_state *r, cas_error *err) CAS_MUST_CHECK;
/** Integrates path request->only_path on rank 0 and prints its end on every level. Collective. */
cas_status cas_preview_path(cas_run_state *r, cas_error *err) CAS_MUST_CHECK;

/* ---- checks that all ranks are to do the same, and get the same bits (ranks.c) ---- */

/** Refuses ranks of another version, commit or build. Collective on comm. */
cas_status cas_ranks_compare_build(MPI_Comm comm, cas_error *err) CAS_MUST_CHECK;
/** Refuses ranks with another build, request, configuration or set of kernels, and says what
    differs. To be called before anything else that is collective. Collective. */
cas_status cas_ranks_compare_request(const cas_run_state *r, cas_error *err) CAS_MUST_CHECK;
/** Refuses ranks with another initial state, other normals to replay, or another BLAS where states
    come from its products. To be called when the study is prepared. Collective. */
cas_status cas_ranks_compare_prepared(const cas_run_state *r, cas_error *err) CAS_MUST_CHECK;

/* ---- a file of one path alone: what every level did at each of its steps (path_file.c) ---- */

typedef struct cas_path_recorder cas_path_recorder;

/** Begins to record this lane of a pass, which has not run yet, into `file`. Refuses a file that
    holds anything but a path alone, or belongs to an unfinished run. Rank 0, not collective. On
    failure *out is NULL. */
cas_status cas_path_file_record(cas_run_state *r, cas_pass *s, int64_t path, int lane,
                                const char *file, cas_path_recorder **out,
                                cas_error *err) CAS_MUST_CHECK;
/** Refuses a file that cas_path_file_record would refuse, and one for which there is no space,
    without writing. *bytes that it needs; *space: what its file system has. Rank 0 alone. */
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
