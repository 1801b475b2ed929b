/** The public interface of libcasimir: read a configuration, run the study it states, use the
   results.

        cas_config_parse(text, length, "run.yaml", &config, &err);
        cas_run(config, &(cas_run_request){.only_path = -1}, MPI_COMM_WORLD, &results, &err);
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
  CAS_SIGNAL_SAVE = 1, /* write a checkpoint and go on */
  CAS_SIGNAL_LEAVE = 2 /* write a checkpoint and leave with CAS_INTERRUPTED */
};

/** How a run is to be done; what is to be computed is the configuration's matter. */
typedef struct {
  const char *output;        /* results file, overrides output.file; NULL: as configured */
  const char *configuration; /* the file that it was read from, not to be replaced; NULL: none */
  bool dry_run;              /* check everything, say what would run, compute nothing */
  int64_t only_path;         /* integrate this path alone and report it, and write all its steps to
                         `output` if that is not NULL; -1: the whole study */
  FILE *report; /* rank 0: where dry runs and single paths are described; NULL: nowhere */
  /** Called on rank 0 several times a second: the share of all that is done, as if ranks were equally
      fast, of how many paths, and seconds since the start. NULL: never */
  void (*progress)(void *context, double share, int64_t paths, double seconds);
  void *progress_context;
  bool resume;         /* go on from a checkpoint or a finished shorter run, if there is one */
  double max_walltime; /* seconds from the call until a checkpoint is written and CAS_INTERRUPTED
                          returned; 0: no limit */
  /** Called on every rank several times a second: returns CAS_SIGNAL_SAVE | CAS_SIGNAL_LEAVE, each
      once. A signal to one rank is a signal to all. NULL: none */
  unsigned (*signals)(void *context);
  void *signals_context;
  /** Called on rank 0 with a line about checkpoints. NULL: never */
  void (*notice)(void *context, const char *text);
  void *notice_context;
} cas_run_request;

/** Runs the study of `c`, writes the results file (unless dry_run or only_path), and fills *out on
   rank 0 (zeroed on the others). Collective on comm: every rank passes the same configuration and
   request, and gets the same status and message. CAS_CHECK_FAILED: the study was done and written,
   but paths failed or Casimirs drifted; *err says which, *out is filled. On other failures *out is
   empty and no file was left behind but, with CAS_INTERRUPTED and CAS_STOPPED, the checkpoint
   "<output>.checkpoint". The caller frees *out by cas_results_free. */
cas_status cas_run(const cas_config *c, const cas_run_request *q, MPI_Comm comm, cas_results *out,
                   cas_error *err) CAS_MUST_CHECK;

/** Documents what the registries hold, from the tables that check configurations. what: NULL (an
   overview), "systems", "integrators", "generators", "studies", "observables", or one entry's name.
   CAS_BAD_INPUT if there is no such thing. */
cas_status cas_describe(FILE *f, const char *what, cas_error *err) CAS_MUST_CHECK;

/** Version, commit, compiler, libraries and kernels, a line each. */
void cas_print_version(FILE *f);
/** "0.1.0" */
const char *cas_version(void);

#ifdef __cplusplus
}
#endif
#endif
