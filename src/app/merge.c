/* casimir merge: one process does the work, and others that a launcher started wait. */
#include "app/app.h"
#include "app/arguments.h"
#include "engine/run/run.h"

static void check(const cas_arguments *a, struct argp_state *state) {
  if (!a->output)
    argp_error(state, "--output FILE is missing: where the merged results go");
}

static cas_status merge_and_report(const cas_arguments *a, cas_error *err) {
  CAS_OWNED_BY(cas_results_free) cas_results results = {0};
  cas_listing tables;
  cas_listing_begin(&tables);
  cas_status st = cas_merge(a->name, a->names, a->output, &results, err);
  if ((!st || st == CAS_CHECK_FAILED) && !a->quiet)
    cas_listing_results(&tables, &results, a->all, a->output, NULL);
  return cas_listing_end(&tables, st, err);
}

int cas_app_merge(int argc, char **argv) {
  char kinds[CAS_RUN_MERGED_KINDS], doc[CAS_RUN_MERGED_KINDS + 500];
  snprintf(doc, sizeof doc,
           "Make one results file of runs that differ in their paths only: ranges of the paths of "
           "one seed (study.first_path), or runs with other seeds.\v"
           "Of one seed the result is bit for bit that of one run of all paths, and a run of more "
           "paths can go on from it. Studies %s; of ensemble those without members, of one seed.",
           cas_run_merged_kinds(kinds));
  const cas_app_command merge = {.command = CAS_APP_MERGE,
                                 .least = 1,
                                 .missing = "the results files are missing",
                                 .names = "RESULTS.h5 ..",
                                 .doc = doc,
                                 .check = check};
  CAS_OWNED_BY(cas_arguments_free) cas_arguments a;
  cas_error err = {0};
  int rank, ranks;
  cas_arguments_parse(&merge, argc, argv, 0, &a);
  cas_launch_begin(&argc, &argv, false, &rank, &ranks);
  cas_status st = cas_launch_compare("merge", argc, argv, false, &err);
  if (!st && rank == 0)
    st = merge_and_report(&a, &err);
  if (rank == 0 && st)
    cas_app_error(&err);
  cas_bcast(&st, sizeof st, MPI_BYTE, 0, MPI_COMM_WORLD);
  cas_launch_finish();
  return cas_exit_status(st);
}
