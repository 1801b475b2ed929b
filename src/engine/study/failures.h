/* Failed paths, in all studies alike: the key study.on_failure, the end of a run that stops at the
   first of them, and how much they can have changed a result. */
#ifndef CAS_FAILURES_H
#define CAS_FAILURES_H

#include "engine/study/study.h"

/** Reads study.on_failure, which every study has besides its own keys, into r->problem. */
cas_status cas_on_failure_read(cas_study_run *r, cas_error *err) CAS_MUST_CHECK;
/** The key, of a study: its value is an int, as r->problem has it. */
const cas_option *cas_on_failure_options(const cas_study *s);

/* ---- stopping ---- */

typedef struct {
  int64_t path; /* INT64_MAX: none */
  cas_pass_failure failure;
} cas_failed_path;

extern const cas_failed_path cas_failed_path_none;

/** The first failed path of lanes 0 .. active-1, whose paths begin at first_path. */
cas_failed_path cas_failed_path_of_lane(const cas_pass *s, int64_t first_path, int active);
/** Gives all ranks the failed path with the lowest number. Collective. */
void cas_failed_path_agree(cas_failed_path *p, MPI_Comm comm);
/** Returns CAS_STOPPED with a message: which path failed and why, what is saved and what to do.
    unsaved: why nothing could be saved, or NULL. */
cas_status cas_failed_path_stop(const cas_run_state *r, const cas_failed_path *p,
                                const char *unsaved, cas_error *err);

/** Writes where and why a path failed, and what may help: "at step size 2^-7 (the fixed point did
    not converge). See it alone ..". quantity: the title of the one that failed. Returns text. */
const char *cas_failed_path_text(const cas_study_run *r, const cas_failed_path *p,
                                 const char *quantity, char *text, size_t size);

/* ---- the first paths ---- */

/** Refuses an observable that is no number at the beginning on any path of the first block, lanes
    0 .. active-1: no step can mend it. */
cas_status cas_failures_check_start(const cas_study_run *r, const cas_pass *s, int active,
                                    cas_error *err) CAS_MUST_CHECK;
/** Says, once, that lanes 0 .. active-1 of a block have all failed, and what may help: a
    configuration of which the first paths fail has no results. */
void cas_failures_notice_all(const cas_run_state *r, const cas_pass *s, int64_t first_path,
                             int active, bool *said);

/* ---- what failed paths can have changed ---- */

/** The share of all paths that failed; NaN if paths count that have left their orbit: no bound. */
double cas_failures_share(const cas_study_run *r, const cas_health *h);
/** The largest possible share of failed paths on a level, where levels are independent and paths[l]
    paths of level l count. *of_sum: the share that bounds a sum over levels. */
double cas_failures_level_share(const cas_study_run *r, const cas_health *h, int levels,
                                const int64_t *paths, double *of_sum);
/** The most by which a share of failed paths can move the mean of the functional or observable
    `name`; NaN: it is not known. */
double cas_failures_mean_bound(const cas_study_run *r, double share, const char *name);
/** The most by which a share of failed paths can move means of differences of the functional `name`
    between levels, whose n estimates are given. */
double cas_failures_difference_bound(const cas_study_run *r, double share, const char *name,
                                     const double *difference, int n);
/** The square of the largest distance on the orbit of r->problem.initial.x0; NaN: not known. */
double cas_failures_orbit_diameter2(const cas_study_run *r);
/** What is found of every number of a study of which some paths failed. */
cas_findings cas_failures_find(const cas_health *h, int64_t paths);
/** Where paths are left out, no error is reached as asked for: clears *reached and its finding. */
void cas_failures_unreach(const cas_health *h, int *reached, cas_findings *findings);

#endif
