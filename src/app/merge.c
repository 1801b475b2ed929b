/* casimir merge: one process does the work, and others that a launcher started wait. */
#include "app/app.h"
#include "run/run.h"

#include <stdio.h>
#include <stdlib.h>

enum { KEY_QUIET = 0x100 };

typedef struct {
  const char **file; /* [files], into argv */
  int files;
  const char *output;
  bool quiet;
  bool all;
} arguments;

static error_t parse(int key, char *argument, struct argp_state *state) {
  arguments *a = state->input;
  switch (key) {
  case 'o':
    return cas_app_parse_output(argument, &a->output, state);
  case KEY_QUIET:
    a->quiet = true;
    return 0;
  case CAS_TABLES_KEY_LONG:
    a->all = true;
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
    cas_listing_results(&tables, &results, a->all, a->output, NULL);
  cas_status printed = cas_listing_end(&tables, st ? &second : err);
  cas_results_free(&results);
  return st ? st : printed;
}

int cas_app_merge(int argc, char **argv) {
  char kinds[CAS_RUN_MERGED_KINDS], doc[CAS_RUN_MERGED_KINDS + 500];
  snprintf(doc, sizeof doc,
           "Make one results file of runs that differ in their paths only: ranges of the paths of "
           "one seed (study.first_path), or runs with other seeds.\v"
           "Of one seed the result is bit for bit that of one run of all paths, and a run of more "
           "paths can go on from it. Studies %s; of ensemble those without members, of one seed.",
           cas_run_merged_kinds(kinds));
  const struct argp_option options[] = {{"output", 'o', "FILE", 0, "results file to write", 0},
                                        {"quiet", KEY_QUIET, NULL, 0, "no tables", 0},
                                        CAS_TABLES_OPTIONS,
                                        {0}};
  const struct argp parser = {
      .options = options, .parser = parse, .args_doc = "RESULTS.h5 ..", .doc = doc};
  arguments a = {.file = calloc((size_t)argc, sizeof *a.file)};
  cas_error err = {0};
  int rank, ranks;
  if (!a.file)
    return cas_app_error(&(cas_error){CAS_NO_MEMORY, "out of memory"});
  cas_app_parse(&parser, argc, argv, 0, &a);
  cas_launch_begin(&argc, &argv, false, &rank, &ranks);
  cas_status st = cas_launch_compare("merge", argc, argv, false, &err);
  if (!st && rank == 0)
    st = merge_and_report(&a, &err);
  if (rank == 0 && st)
    cas_app_error(&err);
  cas_bcast(&st, sizeof st, MPI_BYTE, 0, MPI_COMM_WORLD);
  free(a.file);
  cas_launch_finish();
  return cas_exit_status(st);
}
