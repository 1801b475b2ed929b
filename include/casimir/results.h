/** Results: what a study found, in memory and as an HDF5 file. */
#ifndef CASIMIR_RESULTS_H
#define CASIMIR_RESULTS_H

#include <casimir/dataset.h>
#include <casimir/statistics.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Why a path failed. */
typedef enum {
  CAS_FAILURE_NONE,          /* it did not fail */
  CAS_FAILURE_NOT_CONVERGED, /* the fixed point of a step did not reach the tolerance */
  CAS_FAILURE_NAN,           /* the state became NaN or infinite */
  CAS_FAILURE_VALUE          /* a quantity computed from states became NaN or infinite */
} cas_failure;

/** How failed paths are treated. */
typedef enum {
  CAS_ON_FAILURE_DROP, /* left out of every statistic, on all levels */
  CAS_ON_FAILURE_KEEP, /* paths that did not converge count; others are left out */
  CAS_ON_FAILURE_STOP  /* the first ends the run */
} cas_on_failure;

/** Their names in configurations and files: "drop", "keep", "stop", NULL. */
extern const char *const cas_on_failure_names[];
/** "the fixed point did not converge", for messages. */
const char *cas_failure_text(cas_failure f);
/** The failure with the name of a quantity and a time, where known: "mean = integral(x1)/t
    is NaN or infinite at t = 0". Returns text. */
const char *cas_failure_describe(cas_failure f, const char *quantity, double time, char *text,
                                 size_t size);

enum {
  CAS_FAILED_NAMED = 16,    /* most failed paths that are known by number */
  CAS_FAILED_QUANTITY = 256 /* most bytes that name a quantity, the zero byte included */
};

/** How many failed paths are known by number. */
static inline int cas_failed_named(int64_t failed_paths) {
  return failed_paths < 0                  ? 0
         : failed_paths > CAS_FAILED_NAMED ? CAS_FAILED_NAMED
                                           : (int)failed_paths;
}

/** Counters by level, reference level last (index L). */
typedef struct {
  int levels;                /* L + 1 */
  int64_t *steps_taken;      /* lane steps, over all paths */
  int64_t *not_converged;    /* steps whose fixed point did not reach the tolerance */
  int64_t *second_method;    /* steps whose equation a first method did not solve */
  int64_t *nan;              /* paths that became NaN or infinite */
  int64_t *clipped;          /* increments truncated at A_h */
  int64_t *iterations;       /* sum over steps_taken */
  int64_t *iterations_max;   /* largest number of iterations of a step */
  double casimir_drift_max;  /* largest relative departure of a Casimir from its initial value */
  int64_t drift_path;        /* the path with the largest drift */
  int drift_level;           /* its level; L is the reference */
  int64_t failed_paths;      /* number of failed paths */
  int64_t first_failed_path; /* -1: none */
  /* the first of them in the order of their merging, which for paths of one kind is ascending */
  int64_t failed_path_numbers[CAS_FAILED_NAMED];
  int first_failed_level; /* the level on which that path failed */
  int first_failed_cause; /* a cas_failure, on that level */
  /* CAS_FAILURE_VALUE: what was NaN or infinite, "mean = integral(x1)/t", "" where it has no name,
     and when. */
  char first_failed_quantity[CAS_FAILED_QUANTITY];
  double first_failed_time; /* of CAS_FAILURE_VALUE */
  int64_t noises;         /* normals of a step: the number that `clipped` is to be compared with */
  int64_t left_out_paths; /* failed paths that are left out of all statistics */
  int on_failure;         /* a cas_on_failure */
} cas_health;

/** Whether failed paths are left out, so that estimates are not of the ensemble that was asked for:
    then text is "not valid: 3 of 100 paths failed and are left out", else "". */
bool cas_health_not_valid(const cas_health *h, int64_t paths, char *text, size_t size);

/** Uniforms of the streams of a block that a finest step takes; both 0: there are none, or it is
    not known, as of older files. */
typedef struct {
  int64_t noise, forcing; /* for noise, and for white forcing */
} cas_step_draws;

/** Times that a run took, in seconds. */
typedef struct {
  double elapsed;        /* the whole run */
  double integrate;      /* the slowest rank's paths, */
  double integrate_mean; /* and the mean over ranks: the difference is spent waiting */
  double reduce;         /* joining the statistics of all ranks; 0 where nothing is joined */
} cas_run_seconds;

/** What computed the results, from what, and when. */
typedef struct {
  struct {
    char *version, *commit; /* of the program */
  } casimir;                /* the program that ran */
  char *configuration;      /* effective, as YAML */
  /* The keys that the configuration had, without defaults, as cas_config_list writes them, each
     behind the end of a line. A run in memory knows them; NULL: not known, as of files. */
  char *given;
  char *generator, *system, *integrator, *study; /* names */
  char *reference_integrator; /* of the reference; NULL: the integrator of all levels */
  char *kernels, *blas;       /* instruction set, and library with its kernels */
  char *casimirs;   /* why they are not checked; NULL: they are, or the scheme does not keep them */
  char *monitoring; /* how passages and extremes of paths are seen between steps; NULL: none are */
  struct {
    char *initial, *noise; /* of initial states, and of noise */
  } hash;                  /* of what was read from files; NULL: nothing was */
  int64_t first_step;      /* of every stream, that step 0 took: 0 unless an earlier run goes on */
  cas_step_draws draws;    /* of its paths */
  double magnitude;        /* that tolerances were relative to; 0: not known, as of older files */
  int64_t seed, paths;     /* as configured */
  int ranks, lanes; /* MPI processes, 0 of a run that is not finished; and paths of a block */
  char *started;    /* time of the start, UTC */
  cas_run_seconds seconds; /* that it took */
  bool alone;              /* a file of one path, number `path` of `paths` */
  int64_t path;            /* its number */
} cas_provenance;

/** Statistics of one observable over all counted paths: at each of T times for each of its N
    numbers (row by row over its axes). Arrays [T][N] unless they say otherwise. */
typedef struct {
  char name[64], unit[64];   /* as in the file */
  char *long_name;           /* what `describe` says of it */
  int axes;                  /* 0: a single number */
  cas_file_axis axis[2];     /* the first `axes` of them */
  int numbers;               /* N, the product of the lengths */
  cas_means mean;            /* over the counted paths */
  bool probability;          /* the mean is one, of independent paths, and has intervals */
  cas_estimates variance;    /* divisor paths - 1; errors by the jackknife */
  double *minimum, *maximum; /* extremes */
  /** Paths by their number. */
  struct {
    int64_t *paths;         /* [T][N][B] in each of B equal bins */
    double *low, *width;    /* where the bins begin, and the width of each */
    int64_t *below, *above; /* paths below and above all bins */
  } histogram;
  /* [T][N][Q], and 95% intervals between order statistics, or from the lower edge of the bin of one
     to the upper edge of the bin of the other; infinite where no path lies beyond */
  cas_intervals quantile;
  double *group_mean;   /* [T][N][G] over each of G groups of paths; NaN for an empty one */
  int64_t *group_paths; /* [G] counted paths of each */
  /* upper bound on the change of any mean by failed paths; 0 if none failed, NaN if unknown */
  double bias_bound;
} cas_ensemble_observable;

/** Statistics over time. A path that failed at any time is left out at every time. */
typedef struct {
  int records;         /* T */
  double *time;        /* [T] */
  int quantiles;       /* Q */
  double *probability; /* [Q] of the quantiles */
  int bins;            /* B; 0: neither histograms nor quantiles */
  int path_groups;     /* G; 0: none */
  int64_t counted;     /* paths behind every number */
  int64_t members;     /* whole states in the file, of paths 0 .. members-1 */
  int exact;           /* 1: quantiles are order statistics; 0: from the bins, to a bin's width */
  bool apart;          /* arrays of observables are NULL, as the file holds them already */
  int observables;     /* their number */
  cas_ensemble_observable *observable; /* [observables] */
} cas_ensemble;

/** A table of results: a struct with the results of a study, and a kind with the names of its
    members in files and reports. */
typedef struct cas_table {
  const struct cas_table_kind *kind; /* names, units and axes of the members */
  void *object;                      /* of the kind's type */
  const struct cas_table *whole;     /* that a part belongs to; NULL: this is no part */
} cas_table;

/** Numbers that paths were given: one set for all of them, or one for each of the first paths.
    Written to files, not read by cas_results_read. */
typedef struct {
  cas_file_dataset dataset; /* describes one set */
  int64_t paths;            /* 0: one set for all */
  double *value;            /* NULL: none */
} cas_given;

/** What every study's results have, and its tables. Owns everything it points to. */
typedef struct cas_results {
  cas_provenance provenance; /* what computed them */
  int levels;                /* L; 0 for a trajectory */
  double *step;      /* [L+1] coarsest first, reference last; N^-2 where levels differ in N alone */
  double *time_step; /* [L+1] the step sizes where levels differ in N; else NULL */
  int64_t *size;     /* [L+1] N, where levels differ in it; else NULL */
  int64_t *steps;    /* [L+1] */
  int tables;        /* 0: paths are recorded, and nothing is averaged */
  cas_table *table;  /* [tables] */
  cas_health health; /* counters of steps and failures */
  bool complete;     /* Results were read from the file of an earlier run, which had ended. */
  /** Internal data from which a run with more paths continues; written to files, not read by
      cas_results_read. */
  void *restart;
  size_t restart_size;      /* bytes of restart */
  cas_given initial;        /* the initial state */
  cas_given parameters;     /* of single paths */
  struct cas_frame *result; /* what the file that they were read from concludes; NULL: none */
} cas_results;

/** The struct of a table by its place in the file, NULL if there is none: a cas_curve for
    "strong/error", "strong/error_sup" or "weak/NAME", a cas_multilevel for "weak_multilevel" and
    for "mlmc", of L + 1 levels, a cas_ensemble for "ensemble", and for these with "/NAME" behind
    what they have of one functional, a cas_curve, or observable. */
void *cas_results_find(const cas_results *r, const char *path);
/** The results of a weak_multilevel study; NULL for others. */
static inline cas_multilevel *cas_results_multilevel(const cas_results *r) {
  return (cas_multilevel *)cas_results_find(r, "weak_multilevel");
}
/** The results of an mlmc study; NULL for others. */
static inline cas_multilevel *cas_results_mlmc(const cas_results *r) {
  return (cas_multilevel *)cas_results_find(r, "mlmc");
}
/** The results of an ensemble study; NULL for others. */
static inline cas_ensemble *cas_results_ensemble(const cas_results *r) {
  return (cas_ensemble *)cas_results_find(r, "ensemble");
}
/** Steps of level 1 in one of level 0; 1 where there is no level 1. */
int64_t cas_results_refinement(const cas_results *r);
/** The N of a level of a study whose levels differ in it; else 0. */
int64_t cas_results_size(const cas_results *r, int level);
/** The number of error curves. */
int cas_results_curves(const cas_results *r);
/** The i-th error curve, strong ones first; NULL behind the last. */
cas_curve *cas_results_curve(const cas_results *r, int i);

/** Allocates counters for `levels` levels, all zero; the caller frees them by cas_health_free. */
cas_status cas_health_init(cas_health *h, int levels, cas_error *err) CAS_MUST_CHECK;
/** Frees the counters. */
void cas_health_free(cas_health *h);
/** Frees everything that the results own, and clears them. */
void cas_results_free(cas_results *r);

/** Adds an ensemble, owned by the results, with arrays of these sizes; see cas_ensemble_observe. */
cas_status cas_ensemble_create(cas_results *r, int records, int quantiles, int bins,
                               int observables, cas_ensemble **out, cas_error *err) CAS_MUST_CHECK;
/** Names observable i, copies its axes, and allocates its statistics. */
cas_status cas_ensemble_observe(cas_ensemble *e, int i, const char *name, const char *long_name,
                                const char *unit, int axes, const cas_file_axis *axis,
                                cas_error *err) CAS_MUST_CHECK;

/** Writes results for a study with levels. Rank 0 alone. Temporary file beside `path`, closed and
   checked, reopened and verified, fsync, rename, fsync of the directory. On failure the temporary
   is removed and the old file is intact. */
cas_status cas_results_write(const cas_results *r, const char *path, cas_error *err) CAS_MUST_CHECK;
/** Reads any results file (a trajectory has levels = 0, tables = 0); refuses incomplete ones. */
cas_status cas_results_read(const char *path, cas_results *r, cas_error *err) CAS_MUST_CHECK;
/** Refuses a results file with any byte that differs from what was written; it reads trajectories
    and members from end to end. cas_results_read checks all bytes but these, cas_dataset_read the
    dataset that it reads. A file without a seal passes. */
cas_status cas_results_check(const char *path, cas_error *err) CAS_MUST_CHECK;
/** Prints all tables of a study. */
void cas_results_print(FILE *f, const cas_results *r);
/** Prints what results say: one sentence, one table, whether paths failed, and where all of it is;
    of one path alone, which has no sentence, all tables. file: of the results; NULL: none.
    resolving: a command that would resolve what is not; NULL: options are printed. */
void cas_results_print_brief(FILE *f, const cas_results *r, const char *file,
                             const char *resolving);

#ifdef __cplusplus
}
#endif
#endif
