/** Results: what a study found, in memory and as an HDF5 file. */
#ifndef CASIMIR_RESULTS_H
#define CASIMIR_RESULTS_H

#include <casimir/statistics.h>
#include <mpi.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Counters by level, reference level last (index L). */
typedef struct {
  int levels;             /* L + 1 */
  int64_t *steps_taken;   /* lane steps, over all paths */
  int64_t *not_converged; /* steps whose fixed point did not reach the tolerance */
  int64_t *nan;           /* paths that became NaN or infinite */
  int64_t *clipped;       /* increments truncated at A_h */
  int64_t *iterations;    /* sum over steps_taken */
  int64_t *iterations_max;
  double casimir_drift_max; /* largest relative departure of a Casimir from its initial value */
  int64_t drift_path;
  int drift_level;
  int64_t failed_paths;      /* left out of every statistic */
  int64_t first_failed_path; /* -1: none */
  int first_failed_level;
} cas_health;

typedef struct {
  char *version, *commit, *configuration, *generator, *system, *integrator, *study, *kernels, *blas,
      *started;
  int64_t seed, paths;
  int ranks, lanes;
  double elapsed_seconds;
  double integrate_seconds;      /* the slowest rank's paths, */
  double integrate_seconds_mean; /* and the mean over ranks: the difference is spent waiting */
  double reduce_seconds; /* joining the statistics of all ranks; 0 where nothing is joined */
} cas_provenance;

/** Convergence studies and the health of every study. Owns everything it points to. */
typedef struct cas_results {
  cas_provenance provenance;
  int levels;     /* L; 0 for a trajectory */
  double *step;   /* [L+1] coarsest first, reference last */
  int64_t *steps; /* [L+1] */
  int curves;
  cas_curve *curve; /* strong ones first */
  cas_health health;
  bool complete; /* set by cas_results_read; a file that was written is complete */
} cas_results;

cas_status cas_health_init(cas_health *h, int levels, cas_error *err) CAS_MUST_CHECK;
void cas_health_free(cas_health *h);
void cas_results_free(cas_results *r);

/** Refuses an output path that cannot be written (directory missing, no permission, is a
   directory), before anything is computed. Not collective: rank 0. */
cas_status cas_output_check(const char *path, cas_error *err) CAS_MUST_CHECK;

/** Writes results for a study with levels. Rank 0 alone. Temporary file beside `path`, closed and
   checked, reopened and verified, fsync, rename, fsync of the directory. On failure the temporary
   is removed and the old file is intact. */
cas_status cas_results_write(const cas_results *r, const char *path, cas_error *err) CAS_MUST_CHECK;
/** Reads any results file of casimir (a trajectory has levels = 0, curves = 0). Refuses one that is
 * not complete. */
cas_status cas_results_read(const char *path, cas_results *r, cas_error *err) CAS_MUST_CHECK;
/** The tables of a study, as shown after a run. */
void cas_results_print(FILE *f, const cas_results *r);

/* ---- trajectories ---- */

typedef struct cas_trajectory_file cas_trajectory_file;

/** An axis of a dataset, besides those of time and paths. */
typedef struct {
  const char
      *name; /* of its dimension scale, one for all datasets of the file; NULL: it has none */
  const char *long_name, *unit;
  int length;
  const char *labels;        /* space separated, `length` of them; or NULL: */
  const double *coordinates; /* [length] */
} cas_file_axis;

/** What is recorded of every path at every recorded time. */
typedef struct {
  const char *name, *long_name, *unit;
  int axes; /* 0: a single number */
  cas_file_axis axis[2];
  bool is_complex;        /* each number is a pair (re, im), which no axis counts */
  const char *components; /* what the numbers are, for the attribute of this name; or NULL */
} cas_file_dataset;

typedef struct {
  int64_t records;    /* T, recorded times, the initial one included */
  const double *time; /* [T] */
  int64_t paths;      /* P; the path axis is dropped when P = 1 */
  int datasets;
  const cas_file_dataset *dataset; /* state, hamiltonian, casimir_departure, .. */
} cas_trajectory_layout;

/** Creates "<path>.tmp" with fixed-size datasets /trajectory/{time,DATASET}, dimension scales
   attached. Collective on comm. */
cas_status cas_trajectory_create(const char *path, const cas_trajectory_layout *layout,
                                 MPI_Comm comm, cas_trajectory_file **out,
                                 cas_error *err) CAS_MUST_CHECK;
/** Writes records [t0, t0+nt) of paths [p0, p0+np), each rank its own; ranks with nothing to write
   call with nt = 0 or np = 0. values[dataset]: [nt][np][numbers of it]. Collective: every rank
   returns the failure of any, and so does every later call. */
cas_status cas_trajectory_write(cas_trajectory_file *f, int64_t t0, int64_t nt, int64_t p0,
                                int64_t np, const double *const *values,
                                cas_error *err) CAS_MUST_CHECK;
/** Closes, adds provenance, levels and health (rank 0's `r`), verifies, syncs and renames. Refuses
   a trajectory of which not every record was written. Frees f in any case; on failure (or, on rank
   0, r == NULL: abandon) the temporary file is removed. f may be NULL. Collective. */
cas_status cas_trajectory_close(cas_trajectory_file *f, const cas_results *r,
                                cas_error *err) CAS_MUST_CHECK;

/** Reads a real (or compound r, i) dataset of any rank up to 4 as doubles, row by row. dims has its
   shape and *rank its rank; if *is_complex, each of its elements is a pair r, i in *values, which
   dims does not count. Not collective. Caller frees *values. */
cas_status cas_dataset_read(const char *file, const char *dataset, int *rank, int64_t dims[4],
                            bool *is_complex, double **values, cas_error *err) CAS_MUST_CHECK;

#ifdef __cplusplus
}
#endif
#endif
