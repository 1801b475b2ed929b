/* Studies of one summary: some numbers of every path are averaged, and everything follows from the
   averages. Memory, blocks in progress, failed paths, checkpoints and files are the same for
   all; cas_study.sums says what a study adds. */
#ifndef CAS_SUMS_H
#define CAS_SUMS_H

#include "engine/study/study.h"

/** The sums over all paths. A run has them, on rank 0, while conclude() makes results of them. */
struct cas_sums {
  cas_summary *summary;
  cas_summary_shape shape;
};

/** Moments of the paths of a group that were counted: their number, mean[quantities],
    m2[quantities] (statistics/summary.h). */
const double *cas_sums_group(const cas_study_run *r, int group);
/** The number of paths that were counted, of a study with one group. */
int64_t cas_sums_paths(const cas_study_run *r);
/** The mean of a quantity over these paths; NaN if there are none. */
double cas_sums_mean(const cas_study_run *r, int quantity);
/** The standard error of that mean; NaN with fewer than two paths. */
double cas_sums_standard_error(const cas_study_run *r, int quantity);

/** The paths of each of r->path_groups, into paths[path_groups], and the mean of a quantity over
    each of them, into mean[path_groups]; NaN if there are none. */
void cas_sums_path_groups(const cas_study_run *r, int quantity, int64_t *paths, double *mean);

/** Integrates all paths, fills results by the study's `sums`, writes their file. Collective. */
cas_status cas_sums_run(cas_run_state *r, cas_results *out, cas_error *err) CAS_MUST_CHECK;

#endif
