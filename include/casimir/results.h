/** Results: what a study found, in memory and as an HDF5 file. */
#ifndef CASIMIR_RESULTS_H
#define CASIMIR_RESULTS_H

#include <casimir/statistics.h>
#include <mpi.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Why a path failed. */
typedef enum {
  CAS_FAILURE_NONE,
  CAS_FAILURE_NOT_CONVERGED, /* the fixed point of a step did not reach the tolerance */
  CAS_FAILURE_NAN            /* the state became NaN or infinite */
} cas_failure;

/** What becomes of paths that failed. */
typedef enum {
  CAS_ON_FAILURE_DROP, /* left out of every statistic, on all levels */
  CAS_ON_FAILURE_KEEP, /* those that did not converge count as they are; others are left out */
  CAS_ON_FAILURE_STOP  /* the first ends the run */
} cas_on_failure;

/** "drop", "keep", "stop", NULL: what configurations and files call them. */
extern const char *const cas_on_failure_names[];
/** "the fixed point did not converge", for messages. */
const char *cas_failure_text(cas_failure f);

enum { CAS_FAILED_NAMED = 16 };

/** How many failed paths are known by number. */
static inline int cas_failed_named(int64_t failed_paths) {
  return failed_paths < 0                  ? 0
         : failed_paths > CAS_FAILED_NAMED ? CAS_FAILED_NAMED
                                           : (int)failed_paths;
}

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
  int64_t failed_paths;
  int64_t first_failed_path; /* -1: none */
  /* the first of them in the order of their merging, which for paths of one kind is ascending */
  int64_t failed_path_numbers[CAS_FAILED_NAMED];
  int first_failed_level;
  int first_failed_cause; /* a cas_failure, on that level */
  int64_t noises;         /* normals that a step draws, of which some were clipped */
  int64_t left_out_paths; /* failed ones that no statistic has; the others count as they are */
  int on_failure;         /* a cas_on_failure */
} cas_health;

typedef struct {
  char *version, *commit, *configuration, *generator, *system, *integrator, *study, *kernels, *blas,
      *started;
  char *initial_hash, *noise_hash; /* of what was read from files; NULL: nothing was */
  int64_t seed, paths;
  int ranks, lanes;
  double elapsed_seconds;
  double integrate_seconds;      /* the slowest rank's paths, */
  double integrate_seconds_mean; /* and the mean over ranks: the difference is spent waiting */
  double reduce_seconds; /* joining the statistics of all ranks; 0 where nothing is joined */
  bool alone;            /* a file of one path, number `path` of `paths` */
  int64_t path;
} cas_provenance;

/** An axis of an observable, or of a dataset besides those of time and paths. */
typedef struct {
  const char
      *name; /* of its dimension scale, one for all datasets of the file; NULL: it has none */
  const char *long_name, *unit;
  int length;
  const char *labels;        /* space separated, `length` of them; or NULL: */
  const double *coordinates; /* [length]; or NULL: 1, 2, .. */
} cas_file_axis;

/** Numbers of a dataset: of a state, or what is recorded of every path, at every recorded time or
    once. */
typedef struct {
  const char *name, *long_name, *unit;
  int axes; /* 0: a single number */
  cas_file_axis axis[2];
  bool is_complex;        /* each number is a pair (re, im), which no axis counts */
  const char *components; /* what the numbers are, for the attribute of this name; or NULL */
  bool once;              /* of each path, not of each of its records; behind all that are */
} cas_file_dataset;

/** Statistics of one observable over all counted paths: at each of T times for each of its N
    numbers (row by row over its axes). Arrays [T][N] unless they say otherwise. */
typedef struct {
  char *name, *long_name, *unit;
  int axes; /* 0: a single number */
  cas_file_axis axis[2];
  int numbers; /* N, the product of the lengths */
  double *mean, *standard_error /* of the mean */, *variance /* divisor paths - 1 */;
  double *variance_standard_error; /* by the jackknife */
  double *minimum, *maximum;
  /* B equal bins from histogram_low on, each histogram_width wide, and the open ends beside them */
  int64_t *histogram; /* [T][N][B] */
  double *histogram_low, *histogram_width;
  int64_t *histogram_below, *histogram_above;
  /* [T][N][Q], and 95% intervals between order statistics, or from the lower edge of the bin of one to
     the upper edge of the bin of the other; infinite where no path lies beyond */
  double *quantile, *quantile_low, *quantile_high;
  /* most that failed paths can have moved any mean; 0 if none failed, NaN if nobody knows */
  double bias_bound;
} cas_ensemble_observable;

/** Statistics over time. A path that failed at any time is left out at every time. */
typedef struct {
  int records;  /* T */
  double *time; /* [T] */
  int quantiles;
  double *probability; /* [Q] */
  int bins;
  int64_t counted; /* paths behind every number */
  int64_t members; /* whole states in the file, of paths 0 .. members-1 */
  int exact;       /* 1: quantiles are order statistics; 0: from the bins, to a bin's width */
  int observables;
  cas_ensemble_observable *observable;
} cas_ensemble;

/** Convergence studies, ensembles, and the health of every study. Owns everything it points to. */
typedef struct cas_results {
  cas_provenance provenance;
  int levels;     /* L; 0 for a trajectory */
  double *step;   /* [L+1] coarsest first, reference last */
  int64_t *steps; /* [L+1] */
  int curves;
  cas_curve *curve;           /* strong ones first */
  cas_ensemble *ensemble;     /* NULL: the study is none */
  cas_multilevel *multilevel; /* NULL: levels are not coupled with their neighbours alone */
  cas_mlmc *mlmc;             /* NULL: the study is none; it has L + 1 levels */
  cas_health health;
  bool complete; /* set by cas_results_read; a file that was written is complete */
  /** What a longer run of the same study can go on from, in a form of its own; written to files,
      not read by cas_results_read. */
  void *restart;
  size_t restart_size;
  /** The state that all paths start from, by cas_results_start; written to files, not read by
      cas_results_read. */
  cas_file_dataset initial;
  double *initial_value; /* NULL: none */
} cas_results;

cas_status cas_health_init(cas_health *h, int levels, cas_error *err) CAS_MUST_CHECK;
void cas_health_free(cas_health *h);
void cas_results_free(cas_results *r);

/** Copies the state that all paths start from: the numbers of a dataset, and what they are. */
cas_status cas_results_start(cas_results *r, const cas_file_dataset *d, const double *value,
                             cas_error *err) CAS_MUST_CHECK;

/** Room for that many times, probabilities and observables; the rest by cas_ensemble_observe. */
cas_status cas_ensemble_create(int records, int quantiles, int bins, int observables,
                               cas_ensemble **out, cas_error *err) CAS_MUST_CHECK;
/** Names observable i, copies its axes, and makes room for its statistics. */
cas_status cas_ensemble_observe(cas_ensemble *e, int i, const char *name, const char *long_name,
                                const char *unit, int axes, const cas_file_axis *axis,
                                cas_error *err) CAS_MUST_CHECK;
void cas_ensemble_free(cas_ensemble *e);

/** Refuses an output path that cannot be written (directory missing, no permission, is a
   directory, another file has the name of its temporary file), before anything is computed. Not
   collective: rank 0. */
cas_status cas_output_check(const char *path, cas_error *err) CAS_MUST_CHECK;

/** Whether anything is there that a run would have to go on from or replace: an empty file is as
    good as none. What cannot be looked for may be there. */
bool cas_output_present(const char *path);

/** Refuses an output path at which there is something else than results of casimir, finished ones or
   not, or an empty file. again: damaged ones may be replaced too, because a checkpoint of them is
   there. Not collective: rank 0. */
cas_status cas_output_replaceable(const char *path, bool again, cas_error *err) CAS_MUST_CHECK;

/** Whether two names are of one file, through links too. */
bool cas_same_file(const char *a, const char *b);

/** Refuses an output of so many bytes for which its file system has no room; *room is what it has,
   INFINITY if nobody tells. Not collective: rank 0. */
cas_status cas_output_room(const char *path, double bytes, double *room,
                           cas_error *err) CAS_MUST_CHECK;

/** Writes results for a study with levels. Rank 0 alone. Temporary file beside `path`, closed and
   checked, reopened and verified, fsync, rename, fsync of the directory. On failure the temporary
   is removed and the old file is intact. */
cas_status cas_results_write(const cas_results *r, const char *path, cas_error *err) CAS_MUST_CHECK;
/** Reads any results file of casimir (a trajectory has levels = 0, curves = 0). Refuses one that is
 * not complete. */
cas_status cas_results_read(const char *path, cas_results *r, cas_error *err) CAS_MUST_CHECK;
/** Refuses a results file of which any byte is not what was written, numbers of trajectories and
   members too, which it reads from end to end. cas_results_read looks at all the rest, and
   cas_dataset_read at what it reads. A file without a seal passes. */
cas_status cas_results_check(const char *path, cas_error *err) CAS_MUST_CHECK;
/** Whether results of casimir that have lost their seal are read all the same, by all functions here;
   false until it is called. Not for several threads. */
void cas_unsealed_accept(bool accept);
/** The tables of a study, as shown after a run. */
void cas_results_print(FILE *f, const cas_results *r);

/* ---- trajectories ---- */

typedef struct cas_trajectory_file cas_trajectory_file;

typedef struct {
  bool members;       /* states of an ensemble, /ensemble/DATASET, instead of /trajectory/DATASET */
  int64_t records;    /* T, recorded times */
  const double *time; /* [T] */
  int64_t paths;      /* P; the path axis of trajectories is dropped when P = 1 */
  int datasets;
  const cas_file_dataset *dataset; /* state, hamiltonian, casimir_departure, .. */
  const char *group;               /* instead of "trajectory"; NULL: that */
  const char *role;                /* attribute of the group: what it holds; NULL: none */
  double step;                     /* attribute of the group: the step size; 0: none */
  const int64_t *only_path;        /* attribute `path` of the group; NULL: none */
  uint64_t identity; /* of the run, by which its unfinished file is known again; 0: none */
} cas_trajectory_layout;

/** Creates "<path>.tmp" with fixed-size datasets /trajectory/{time,DATASET}, dimension scales
   attached. Collective on comm. */
cas_status cas_trajectory_create(const char *path, const cas_trajectory_layout *layout,
                                 MPI_Comm comm, cas_trajectory_file **out,
                                 cas_error *err) CAS_MUST_CHECK;
/** The same with several groups, each with times of its own, of the same number of paths. */
cas_status cas_trajectory_create_groups(const char *path, int groups,
                                        const cas_trajectory_layout *layout, MPI_Comm comm,
                                        cas_trajectory_file **out, cas_error *err) CAS_MUST_CHECK;
/** Writes records [t0, t0+nt) of paths [p0, p0+np), each rank its own; ranks with nothing to write
   call with nt = 0 or np = 0. values[dataset]: [nt][np][numbers of it], for all but those that come
   once a path. Not collective: after a failure every later call of this rank fails too, and so does
   closing the file, on all ranks. */
cas_status cas_trajectory_write(cas_trajectory_file *f, int64_t t0, int64_t nt, int64_t p0,
                                int64_t np, const double *const *values,
                                cas_error *err) CAS_MUST_CHECK;
/** The same into one of several groups; its datasets alone. */
cas_status cas_trajectory_write_group(cas_trajectory_file *f, int group, int64_t t0, int64_t nt,
                                      int64_t p0, int64_t np, const double *const *values,
                                      cas_error *err) CAS_MUST_CHECK;
/** What comes once a path, of paths [p0, p0+np): values[i] of the i-th such dataset, [np][numbers of
   it]. Each path has to be written, once. As above, in a file of one group. */
cas_status cas_trajectory_write_once(cas_trajectory_file *f, int64_t p0, int64_t np,
                                     const double *const *values, cas_error *err) CAS_MUST_CHECK;
/** Closes, adds all that the results hold (rank 0's `r`), verifies, syncs and renames. Refuses
   a trajectory of which not every record was written. Frees f in any case; on failure (or, on rank
   0, r == NULL: abandon) the temporary file is removed, but for one that a checkpoint goes on from
   after a failure. f may be NULL. Collective. */
cas_status cas_trajectory_close(cas_trajectory_file *f, const cas_results *r,
                                cas_error *err) CAS_MUST_CHECK;

/** Reads a real (or compound r, i) dataset of any rank up to 4 as doubles, row by row. dims has its
   shape and *rank its rank; if *is_complex, each of its elements is a pair r, i in *values, which
   dims does not count. Not collective. Caller frees *values. */
cas_status cas_dataset_read(const char *file, const char *dataset, int *rank, int64_t dims[4],
                            bool *is_complex, double **values, cas_error *err) CAS_MUST_CHECK;

/** The same of records [first, first + count) alone, along the first axis; dims[0] is count. Refuses
   a dataset without an axis and records that it does not have. */
cas_status cas_dataset_read_records(const char *file, const char *dataset, int64_t first,
                                    int64_t count, int *rank, int64_t dims[4], bool *is_complex,
                                    double **values, cas_error *err) CAS_MUST_CHECK;

/** One dataset of a file, by what it says of itself. */
typedef struct {
  char *name; /* "/trajectory/hamiltonian" */
  int rank;   /* at most 4 */
  int64_t dims[4];
  bool is_complex;                      /* pairs r, i, which dims does not count */
  char *long_name, *units, *components; /* attributes; NULL where there is none */
} cas_dataset;

/** The datasets of a file that cas_dataset_read can read, by name. Owns everything it points to. */
typedef struct {
  int n;
  cas_dataset *dataset;
} cas_contents;

/** Of any HDF5 file, without reading its numbers. Not collective. Caller frees by
   cas_contents_free, which after a failure is not needed. */
cas_status cas_contents_read(const char *file, cas_contents *out, cas_error *err) CAS_MUST_CHECK;
void cas_contents_free(cas_contents *c);
/** NULL if there is no such dataset. */
const cas_dataset *cas_contents_find(const cas_contents *c, const char *name);

#ifdef __cplusplus
}
#endif
#endif
