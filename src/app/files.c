/* Commands on files that exist: describe, report, merge. */
#include "app/app.h"
#include "app/arguments.h"
#include "engine/run/run.h"
#include "files/safe_file.h"

#include <sys/stat.h>

static const cas_app_command describe = {
    .command = CAS_APP_DESCRIBE,
    .most = 1,
    .allowed = "one argument only",
    .names = "[all | systems | integrators | schemes | generators | studies | observables | "
             "keys | results | NAME | FILE.so]",
    .doc = "What casimir knows, from the tables that check configurations: without an argument the "
           "names, with one what it says of them."};

int cas_app_describe(int argc, char **argv) {
  CAS_OWNED_BY(cas_arguments_free) cas_arguments a;
  cas_listing tables;
  cas_error err = {0};
  cas_arguments_parse(&describe, argc, argv, 0, &a);
  cas_listing_begin(&tables);
  cas_faults_watch();
  cas_status st = tables.stream ? cas_describe(tables.stream, a.name[0], &err) : CAS_OK;
  cas_faults_leave();
  return cas_listing_end(&tables, st, &err) ? cas_app_error(&err) : EXIT_SUCCESS;
}

/* ---- report ---- */

static void check_report(const cas_arguments *a, struct argp_state *state) {
  const bool text = a->format == CAS_ROWS_TEXT;
  if (a->html && (a->names > 1 || !text))
    argp_error(state, "--html makes a page of one results file, without --format");
  if (a->differences && (a->html || a->all || !(text || a->format == CAS_ROWS_CSV)))
    argp_error(state, "--differences prints text, or with --format csv rows, and nothing else");
}

/* Looks at every byte of a file, and prints its tables where there is a listing for them. */
static cas_status check(const cas_arguments *a, int i, const cas_listing *tables, cas_error *err) {
  CAS_OWNED_BY(cas_results_free) cas_results results = {0};
  CAS_CALL(cas_results_read(a->name[i], &results, err));
  CAS_CALL(cas_results_check(a->name[i], err));
  if (tables)
    cas_listing_results(tables, &results, a->all, a->name[i], NULL);
  return CAS_OK;
}

/* A pipe would be waited for, and an empty file passes for one of any kind. */
static bool has_magic(const char *file) {
  struct stat s;
  cas_error other = {0};
  return stat(file, &s) == 0 && S_ISREG(s.st_mode) && s.st_size > 0 &&
         !cas_leftover_check_output(file, CAS_LEFTOVER_CHECKPOINT, &other);
}

/* A run that is killed while it replaces its checkpoint leaves "<file>.previous" alone. */
static bool is_checkpoint(const char *file) {
  char previous[4096];
  snprintf(previous, sizeof previous, "%s.previous", file);
  return has_magic(file) || (access(file, F_OK) != 0 && has_magic(previous));
}

/* Prints the tables of the paths that are done, marked as partial before and after them. */
static cas_status report_partial(const cas_arguments *a, const cas_listing *l, cas_error *err) {
  cas_partial of;
  CAS_OWNED_BY(cas_results_free) cas_results results = {0};
  char partial[100];
  const bool json = a->format == CAS_ROWS_JSON;
  CAS_FAIL_IF(a->names > 1 || a->html || a->differences || (!json && a->format != CAS_ROWS_TEXT),
              CAS_BAD_INPUT,
              "%s: is the checkpoint of a run that is not finished, of which there are "
              "tables, or estimates by --format json, of one file",
              a->name[0]);
  cas_status st = cas_partial_read(a->name[0], &of, &results, err);
  if (st && st != CAS_CHECK_FAILED)
    return st;
  snprintf(partial, sizeof partial, "%lld of %lld paths", (long long)of.done, (long long)of.all);
  if (json && l->stream) {
    cas_error second = {0};
    const cas_status printed =
        cas_rows_print_partial(l->stream, a->name[0], partial, &results, st ? &second : err);
    st = st ? st : printed;
  } else if (l->stream) {
    const double share = 100 * (double)of.done / (double)of.all;
    fprintf(l->stream, "PARTIAL: %s, %.3g%% of a run that is not finished\n\n", partial, share);
    cas_listing_results(l, &results, a->all, NULL, NULL);
    fprintf(l->stream, "\nPARTIAL: %s, %.3g%% of a run that is not finished; no result\n", partial,
            share);
  }
  return st;
}

static cas_status report(const cas_arguments *a, const cas_listing *l, cas_error *err) {
  for (int i = 0; i < a->names; i++)
    if (is_checkpoint(a->name[i]))
      return report_partial(a, l, err);
  bool tables = a->names == 1 && a->format == CAS_ROWS_TEXT && !a->differences;
  for (int i = 0; i < a->names; i++)
    CAS_CALL(check(a, i, tables ? l : NULL, err));
  if (tables || !l->stream)
    return CAS_OK;
  if (a->differences) {
    bool any = false;
    CAS_CALL(cas_sensitivity_print(l->stream, a->format, a->name, a->names, false, &any, err));
    CAS_FAIL_IF(!any, CAS_BAD_INPUT,
                "--differences: no two of these files are of the same paths, with one number of "
                "`system` that differs; they need observables that are single numbers, in recorded "
                "paths or with study.path_groups");
    return CAS_OK;
  }
  return a->all && a->format == CAS_ROWS_TEXT
             ? cas_listing_files(l, a->name, a->names, err)
             : cas_rows_print(l->stream, a->format, a->name, a->names, err);
}

/* The page, by the package that draws; returns the exit status. */
static int make_page(cas_arguments *a, cas_error *err) {
  cas_status st = is_checkpoint(a->name[0]) ? report_partial(a, NULL, err) /* which has no page */
                                            : check(a, 0, NULL, err);
  if (!st && cas_file_is_same(a->name[0], a->html))
    st =
        cas_fail(err, CAS_BAD_INPUT, "%s is what is reported; give the page another name", a->html);
  if (st)
    return cas_app_error(err);
  cas_drawing_ask(&a->drawing, "file", a->name[0]);
  if (a->unsealed)
    cas_drawing_ask(&a->drawing, "unsealed", "yes");
  return cas_drawing_make(&a->drawing, "page", a->html, CAS_LEFTOVER_PAGE);
}

static const cas_app_command command_of_report = {
    .command = CAS_APP_REPORT,
    .least = 1,
    .missing = "the results file is missing",
    .names = "RESULTS.h5 ..",
    .check = check_report,
    .doc = "Print the tables of a results file, or the main estimates of several in one table, "
           "once every byte of them is known to be what was written."};

int cas_app_report(int argc, char **argv) {
  CAS_OWNED_BY(cas_arguments_free) cas_arguments a;
  cas_error err = {0};
  cas_listing tables;
  cas_arguments_parse(&command_of_report, argc, argv, 0, &a);
  if (a.html)
    return make_page(&a, &err);
  cas_listing_begin(&tables);
  cas_status st = report(&a, &tables, &err);
  return cas_listing_end(&tables, st, &err) ? cas_app_error(&err) : EXIT_SUCCESS;
}

/* ---- merge ---- */

static void check_merge(const cas_arguments *a, struct argp_state *state) {
  if (!a->output)
    argp_error(state, "--output FILE is missing: where the merged results go");
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
                                 .check = check_merge};
  CAS_OWNED_BY(cas_arguments_free) cas_arguments a;
  cas_error err = {0};
  int rank, ranks;
  cas_arguments_parse(&merge, argc, argv, 0, &a);
  cas_launch_begin(&argc, &argv, false, &rank, &ranks);
  cas_status st = cas_launch_compare("merge", argc, argv, false, &err);
  if (!st && rank == 0) { /* others that a launcher started wait */
    CAS_OWNED_BY(cas_results_free) cas_results results = {0};
    cas_listing tables;
    cas_listing_begin(&tables);
    st = cas_merge(a.name, a.names, a.output, &results, &err);
    if ((!st || st == CAS_CHECK_FAILED) && !a.quiet)
      cas_listing_results(&tables, &results, a.all, a.output, NULL);
    st = cas_listing_end(&tables, st, &err);
  }
  if (rank == 0 && st)
    cas_app_error(&err);
  cas_bcast(&st, sizeof st, MPI_BYTE, 0, MPI_COMM_WORLD);
  cas_launch_finish();
  return cas_exit_status(st);
}
