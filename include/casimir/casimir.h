/** The public interface of libcasimir: read a configuration, run the study it states, use the
   results.

        cas_config_parse(text, length, "run.yaml", &config, &err);
        cas_run(config, &(cas_run_request){0}, MPI_COMM_WORLD, &results, &err);
        cas_results_print(stdout, &results);

    A path is a function of (configuration, seed, path index) alone, and statistics are bitwise the
   same on any number of ranks. MPI must be initialised by the caller. */
#ifndef CASIMIR_H
#define CASIMIR_H

#include <casimir/config.h>
#include <casimir/parallel.h>
#include <casimir/results.h>
#include <casimir/statistics.h>
#include <casimir/status.h>
#include <casimir/trajectory.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Signals to a run from outside. */
enum {
  CAS_SIGNAL_SAVE = 1, /* write a checkpoint and continue */
  CAS_SIGNAL_LEAVE = 2 /* write a checkpoint and return CAS_INTERRUPTED */
};

/** How a run is done; zeroed, the whole study, as configured. The configuration defines what is
    computed. */
typedef struct {
  const char *output; /* results file, overrides output.file; NULL: as configured */
  bool in_memory;     /* the results are in *out alone: there is no file, whatever `output` and
                                output.file say, no checkpoint, and nothing to resume */
  const char *configuration; /* the file that it was read from, not to be replaced; NULL: none */
  bool dry_run;              /* check everything and describe the run, compute nothing */
  /* integrate this path alone and report it, and write all its steps to `output` if that is not
     NULL; NULL: the whole study */
  const int64_t *only_path;
  FILE *report; /* rank 0: where dry runs and single paths are described; NULL: nowhere */
  /** Called on rank 0 several times a second: the share of a round that is done, as if ranks were
      equally fast, of how many paths, and seconds since it began. Rounds, from 1 on, are those of
      studies that add paths as they go; others have one, 0. NULL: never */
  void (*progress)(void *context, int round, double share, int64_t paths, double seconds);
  void *progress_context; /* first argument of progress */
  bool resume;         /* continue from a checkpoint or a finished shorter run, if there is one */
  double max_walltime; /* seconds from the call until a checkpoint is written and CAS_INTERRUPTED
                          returned; 0: no limit */
  double lock_wait;    /* seconds to wait for another run that writes the same output, such as one
                          whose launcher was killed and whose ranks are still ending; 0: none */
  /** Called on every rank several times a second: returns CAS_SIGNAL_SAVE | CAS_SIGNAL_LEAVE, each
      once. A signal to one rank is a signal to all. NULL: none */
  unsigned (*signals)(void *context);
  /** Called once on every rank, when all is read and checked and work begins: before,
      there is nothing that a signal could save. Not of dry runs and single paths. NULL: never */
  void (*begins)(void *context);
  void *signals_context; /* first argument of signals and begins */
  /** Called on rank 0 with a line about checkpoints. NULL: never */
  void (*notice)(void *context, const char *text);
  void *notice_context; /* first argument of notice */
  bool replicate; /* random.seed is chosen for this run, one of several: a notice tells if all of
                     them begin at the same random states */
} cas_run_request;

/** Runs the study of `c`, writes the results file (unless dry_run or only_path), and fills *out on
   rank 0 (zeroed on the others). Collective on comm: every rank passes the same configuration and
   request, and gets the same status and message. CAS_CHECK_FAILED: the study was done and written,
   but paths failed or Casimirs drifted; *err says which, *out is filled. On other failures *out is
   empty and no file was left behind but, with CAS_INTERRUPTED and CAS_STOPPED, the checkpoint
   "<output>.checkpoint"; in_memory leaves none. The caller frees *out by cas_results_free. */
cas_status cas_run(const cas_config *c, const cas_run_request *q, MPI_Comm comm, cas_results *out,
                   cas_error *err) CAS_MUST_CHECK;

/* ---- parameter sweeps ---- */

/** How a sweep is done: the study of a configuration for every value of some keys. */
typedef struct {
  const char *text; /* the configuration as YAML; its section `sweep:` has keys and values, too */
  size_t size;      /* bytes of it */
  /** How each point is run. output: FILE or FILE.h5, with results FILE-1.h5, FILE-2.h5, .. in its
      place; max_walltime: of all points together; in_memory, only_path and report: not to be set */
  cas_run_request run;
  const char *const *set; /* [sets] further "KEY=A,B,..", of one value alone for all runs */
  int sets;               /* their number */
  bool zip;               /* first values together, then second ones, ..: not all combinations */
  int64_t point;          /* this point alone, from 1 on; 0: all */
  int64_t groups;         /* of ranks, each of which does one point after another; 0: as many as
                          there are points, or ranks */
  /** Called on one rank for each point when it is over: its name ("point 2 of 3: study.paths=100"),
      its status and message, and the seconds that it took, NaN if an earlier run had done it. NULL:
      never */
  void (*done)(void *context, const char *point, cas_status st, const char *message,
               double seconds);
  void *done_context; /* first argument of done */
} cas_sweep_request;

/** A point of a sweep. */
typedef struct {
  char *name, *file; /* "point 2 of 3: study.paths=100"; its results */
  bool begun;        /* false: it was left for a later run */
  cas_status status; /* of its run; CAS_INTERRUPTED if it was not begun */
} cas_swept_point;

/** All points of a sweep. */
typedef struct {
  int64_t points;         /* their number */
  cas_swept_point *point; /* [points] */
} cas_swept;

/** Runs the study for every point, each by a group of ranks of comm. Collective: every rank passes
    the same request and gets the same status and points. CAS_OK: all points are done. Otherwise
    CAS_INTERRUPTED if one was interrupted or not begun, or the status of the first that failed; a
    point that fails does not take others along. The caller frees *out by cas_swept_free, after
    failures too. */
cas_status cas_sweep(const cas_sweep_request *q, MPI_Comm comm, cas_swept *out,
                     cas_error *err) CAS_MUST_CHECK;
/** Frees names and files of points. */
void cas_swept_free(cas_swept *s);

/* ---- from any language: only pointers, numbers and texts ---- */

/** A study that was run in memory: its status, its message and its results. */
typedef struct cas_computation cas_computation;

/** Runs the study that YAML text states, as cas_run does in_memory. comm: NULL is MPI_COMM_WORLD,
    for which MPI is initialised, and finalised when the process ends, if nobody has initialised it.
    Collective: every rank passes the same text. NULL if memory ran out; every other failure is told
    by status and message. The caller frees by cas_computation_free. */
cas_computation *cas_compute(const char *yaml, const MPI_Comm *comm);
/** Frees a computation and its results; NULL is allowed. */
void cas_computation_free(cas_computation *c);
/** As cas_run returned it; with CAS_OK and CAS_CHECK_FAILED there are results, on rank 0. */
cas_status cas_computation_status(const cas_computation *c);
/** What was wrong; "" if nothing was. */
const char *cas_computation_message(const cas_computation *c);
/** The results, owned by the computation; zeroed if there are none. */
const cas_results *cas_computation_results(const cas_computation *c);
/** The numbers that a results file would hold under `name` (docs/files.md): of a dataset, as
    "strong/error", or of an attribute of a group or a dataset, as "strong/order"; a dataset counts
    first. out[0..n): at most `capacity` of them, row by row, complex ones as pairs (re, im).
    Returns how many there are, with capacity 0 too; -1: no numbers have this name. */
int cas_computation_numbers(const cas_computation *c, const char *name, int capacity, double *out);
/** The shape of the numbers; returns their rank, 0 of a single number, at most 4; -1: no numbers
    have this name. Pairs are not counted. */
int cas_computation_shape(const cas_computation *c, const char *name, int64_t dims[4]);
/** The text of an attribute, as "strong/verdict", cut to size - 1 characters and ended by a zero
    byte. Returns its length; -1: no text has this name. */
int cas_computation_text(const cas_computation *c, const char *name, int size, char *out);

/** Merges the results of runs of one configuration, of disjoint ranges of paths (study.first_path)
    or of disjoint seeds, into one results file, and fills *out, which the caller frees. Merged
    results of one seed are bit for bit the results of one run of all paths. CAS_BAD_INPUT:
    overlapping or missing paths, configurations that differ in more, which the message names, or
    studies that keep no sums. Called on one process, with MPI initialised. */
cas_status cas_merge(const char *const *file, int files, const char *output, cas_results *out,
                     cas_error *err) CAS_MUST_CHECK;

/** Documents the entries of the registries, from the tables that check configurations. what: NULL
   (their names), "all", "systems", "integrators", "generators", "studies", "observables", "keys",
   one entry's name, or a file of `casimir build`, whose name ends in .so. CAS_BAD_INPUT if there is
   no such thing. */
cas_status cas_describe(FILE *f, const char *what, cas_error *err) CAS_MUST_CHECK;

/** Version, commit, compiler, libraries and kernels, a line each. */
void cas_print_version(FILE *f);
/** The version, as in "0.2.0". */
const char *cas_version(void);

#ifdef __cplusplus
}
#endif
#endif
