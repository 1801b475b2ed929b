/* casimir merge: one process does the work, and others that a launcher started wait. */
#include "app/app.h"
#include "hdf5/hdf5_begin.h"

#include <stdlib.h>

enum { KEY_QUIET = 0x100 };

typedef struct {
  const char **file; /* [files], into argv */
  int files;
  const char *output;
  bool quiet;
  cas_tables_length length;
} arguments;

static error_t parse(int key, char *argument, struct argp_state *state) {
  arguments *a = state->input;
  switch (key) {
  case 'o':
    return cas_app_parse_output(argument, &a->output, state);
  case KEY_QUIET:
    a->quiet = true;
    return 0;
  case CAS_TABLES_KEY_BRIEF:
  case CAS_TABLES_KEY_LONG:
    a->length = key == CAS_TABLES_KEY_BRIEF ? CAS_TABLES_BRIEF : CAS_TABLES_LONG;
    return 0;
  case ARGP_KEY_ARG:
    a->file[a->files++] = argument;
    return 0;
  case ARGP_KEY_END:
    if (a->files == 0)
      argp_error(state, "the results files are missing");
    if (!a->output)
      argp_error(state, "--output FILE is missing: where the merged results go");
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static cas_status merge_and_report(const arguments *a, cas_error *err) {
  cas_results results = {0};
  cas_listing tables;
  cas_error second = {0};
  cas_listing_begin(&tables);
  cas_status st = cas_merge(a->file, a->files, a->output, &results, err);
  if ((!st || st == CAS_CHECK_FAILED) && !a->quiet)
    cas_listing_results(&tables, &results, a->length);
  cas_status printed = cas_listing_end(&tables, st ? &second : err);
  cas_results_free(&results);
  return st ? st : printed;
}

int cas_app_merge(int argc, char **argv) {
  const struct argp_option options[] = {{"output", 'o', "FILE", 0, "results file to write", 0},
                                        {"quiet", KEY_QUIET, NULL, 0, "no tables", 0},
                                        CAS_TABLES_OPTIONS,
                                        {0}};
  const struct argp parser = {
      .options = options,
      .parser = parse,
      .args_doc = "RESULTS.h5 ..",
      .doc =
          "Make one results file of runs that differ in their paths only: ranges of the paths of "
          "one seed (study.first_path), or runs with other seeds.\v"
          "Of one seed the result is bit for bit that of one run of all paths, and a run of more "
          "paths can go on from it. Studies strong, weak, convergence and strong_quantiles; "
          "ensembles without members, of one seed."};
  arguments a = {.file = calloc((size_t)argc, sizeof *a.file)};
  cas_error err = {0};
  int rank;
  if (!a.file)
    return cas_app_error(&(cas_error){CAS_NO_MEMORY, "out of memory"});
  cas_app_parse(&parser, argc, argv, 0, &a);
  cas_launch_prepare();
  cas_hdf5_begin();
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  cas_faults_watch();
  cas_status st = cas_launch_compare("merge", argc, argv, false, &err);
  if (!st && rank == 0)
    st = merge_and_report(&a, &err);
  if (rank == 0 && st)
    cas_app_error(&err);
  cas_bcast(&st, sizeof st, MPI_BYTE, 0, MPI_COMM_WORLD);
  cas_faults_leave();
  free(a.file);
  MPI_Finalize();
  return cas_exit_status(st);
}
