/* The commands that need no MPI: describe, report. */
#include "app/app.h"
#include "app/drawing.h"
#include "files/checkpoint.h"
#include "files/safe_file.h"
#include "results/rows.h"
#include "results/sensitivity.h"
#include "run/partial.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { KEY_UNSEALED = 0x100, KEY_FORMAT, KEY_HTML, KEY_DIFFERENCES };

static const char unsealed_help[] = "read results of casimir also if their seal is missing";

typedef struct {
  const char *what;
} arguments;

static error_t one_argument(int key, char *argument, struct argp_state *state) {
  arguments *a = state->input;
  if (key == ARGP_KEY_ARG && !a->what)
    a->what = argument;
  else if (key == ARGP_KEY_ARG)
    argp_error(state, "one argument only, found '%s' too", argument);
  else
    return ARGP_ERR_UNKNOWN;
  return 0;
}

static int finish(cas_status st, const cas_error *err) {
  return st ? cas_app_error(err) : EXIT_SUCCESS;
}

int cas_app_describe(int argc, char **argv) {
  const struct argp parser = {
      .parser = one_argument,
      .args_doc = "[all | systems | integrators | schemes | generators | studies | observables | "
                  "keys | NAME "
                  "| FILE.so]",
      .doc = "What casimir knows, from the tables that check configurations: without an argument "
             "the names, with one what it says of them."};
  arguments a = {0};
  cas_listing tables;
  cas_error err = {0};
  cas_app_parse(&parser, argc, argv, 0, &a);
  cas_listing_begin(&tables);
  cas_faults_watch();
  cas_status st = tables.stream ? cas_describe(tables.stream, a.what, &err) : CAS_OK;
  cas_faults_leave();
  cas_status printed = cas_listing_end(&tables, &err);
  return finish(st ? st : printed, &err);
}

/* ---- report ---- */

typedef struct {
  const char **file; /* [files], into argv */
  int files;
  cas_rows_format format;
  const char *html; /* NULL: no page */
  bool differences, unsealed, all;
} report_arguments;

static error_t parse_report(int key, char *argument, struct argp_state *state) {
  report_arguments *a = state->input;
  switch (key) {
  case KEY_UNSEALED:
    a->unsealed = true;
    cas_unsealed_accept(true);
    return 0;
  case KEY_FORMAT:
    return cas_app_parse_format(argument, &a->format, state);
  case CAS_TABLES_KEY_LONG:
    a->all = true;
    return 0;
  case KEY_HTML:
    a->html = argument;
    return 0;
  case KEY_DIFFERENCES:
    a->differences = true;
    return 0;
  case ARGP_KEY_ARG:
    a->file[a->files++] = argument;
    return 0;
  case ARGP_KEY_END:
    if (a->files == 0)
      argp_error(state, "the results file is missing");
    if (a->html && (a->files > 1 || a->format != CAS_ROWS_TEXT))
      argp_error(state, "--html makes a page of one results file, without --format");
    if (a->differences &&
        (a->html || a->all || (a->format != CAS_ROWS_TEXT && a->format != CAS_ROWS_CSV)))
      argp_error(state, "--differences prints text, or with --format csv rows, and nothing else");
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

/* Looks at every byte of a file, and prints its tables where there is a listing for them. */
static cas_status check(const report_arguments *a, int i, const cas_listing *tables,
                        cas_error *err) {
  cas_results results = {0};
  cas_status st = cas_results_read(a->file[i], &results, err);
  if (!st)
    st = cas_results_check(a->file[i], err);
  if (!st && tables)
    cas_listing_results(tables, &results, a->all, a->file[i], NULL);
  cas_results_free(&results);
  return st;
}

static cas_status print_differences(const report_arguments *a, const cas_listing *l,
                                    cas_error *err) {
  bool any = false;
  CAS_CALL(cas_sensitivity_print(l->stream, a->format, a->file, a->files, false, &any, err));
  return any ? CAS_OK
             : cas_fail(err, CAS_BAD_INPUT,
                        "--differences: no two of these files are of the same paths, with one "
                        "number of `system` that differs; they need observables that are single "
                        "numbers, in recorded paths or with study.path_groups");
}

static bool has_magic(const char *file) {
  char magic[sizeof CAS_CHECKPOINT_MAGIC] = "";
  struct stat s;
  if (stat(file, &s) || !S_ISREG(s.st_mode)) /* a pipe would be waited for */
    return false;
  FILE *f = fopen(file, "rb");
  const bool whole = f && fread(magic, 1, sizeof magic - 1, f) == sizeof magic - 1;
  if (f)
    fclose(f);
  return whole && strcmp(magic, CAS_CHECKPOINT_MAGIC) == 0;
}

/* A run that is killed while it changes its checkpoint leaves the one before alone. */
static bool is_checkpoint(const char *file) {
  char previous[4096];
  snprintf(previous, sizeof previous, "%s.previous", file);
  return has_magic(file) || (access(file, F_OK) != 0 && has_magic(previous));
}

/* What the paths give that are done, marked in front and behind. */
static cas_status report_partial(const report_arguments *a, const cas_listing *l, cas_error *err) {
  cas_partial of;
  cas_results results;
  char partial[100];
  const bool json = a->format == CAS_ROWS_JSON;
  if (a->files > 1 || a->html || a->differences || (!json && a->format != CAS_ROWS_TEXT))
    return cas_fail(err, CAS_BAD_INPUT,
                    "%s: is the checkpoint of a run that is not finished, of which there are "
                    "tables, or estimates by --format json, of one file",
                    a->file[0]);
  cas_status st = cas_partial_read(a->file[0], &of, &results, err);
  if (st && st != CAS_CHECK_FAILED)
    return st;
  snprintf(partial, sizeof partial, "%lld of %lld paths", (long long)of.done, (long long)of.all);
  if (json && l->stream) {
    cas_error second = {0};
    const cas_status printed =
        cas_rows_print_partial(l->stream, a->file[0], partial, &results, st ? &second : err);
    st = st ? st : printed;
  } else if (l->stream) {
    fprintf(l->stream, "PARTIAL: %s, of a run that is not finished\n\n", partial);
    cas_listing_results(l, &results, a->all, NULL, NULL);
    fprintf(l->stream, "\nPARTIAL: %s, of a run that is not finished; no result\n", partial);
  }
  cas_results_free(&results);
  return st;
}

static cas_status report(const report_arguments *a, const cas_listing *l, cas_error *err) {
  for (int i = 0; i < a->files; i++)
    if (is_checkpoint(a->file[i]))
      return report_partial(a, l, err);
  bool tables = a->files == 1 && a->format == CAS_ROWS_TEXT && !a->differences;
  for (int i = 0; i < a->files; i++)
    CAS_CALL(check(a, i, tables ? l : NULL, err));
  if (tables || !l->stream)
    return CAS_OK;
  if (a->differences)
    return print_differences(a, l, err);
  return a->all && a->format == CAS_ROWS_TEXT
             ? cas_listing_files(l, a->file, a->files, true, err)
             : cas_rows_print(l->stream, a->format, a->file, a->files, err);
}

/* The page, by the package that draws; *exit_status is what it ended with. */
static cas_status make_page(const report_arguments *a, int *exit_status, cas_error *err) {
  cas_drawing d = {0};
  if (is_checkpoint(a->file[0])) /* which has no page */
    return report_partial(a, NULL, err);
  CAS_CALL(check(a, 0, NULL, err));
  if (cas_file_is_same(a->file[0], a->html))
    return cas_fail(err, CAS_BAD_INPUT, "%s is what is reported; give the page another name",
                    a->html);
  cas_drawing_ask(&d, "file", a->file[0]);
  if (a->unsealed)
    cas_drawing_ask(&d, "unsealed", "yes");
  *exit_status = cas_drawing_make(&d, "page", a->html, CAS_LEFTOVER_PAGE);
  return CAS_OK;
}

int cas_app_report(int argc, char **argv) {
  const struct argp_option options[] = {{"html", KEY_HTML, "PAGE", 0,
                                         "instead of tables on the screen, a page of HTML with "
                                         "tables, figures and configuration (-: to "
                                         "standard output)",
                                         0},
                                        {"format", KEY_FORMAT, "FORMAT", 0, cas_app_format_help, 0},
                                        {"differences", KEY_DIFFERENCES, NULL, 0,
                                         "differences of neighbouring runs of a sweep on the same "
                                         "paths, at all times",
                                         0},
                                        CAS_TABLES_OPTIONS,
                                        {"unsealed", KEY_UNSEALED, NULL, 0, unsealed_help, 0},
                                        {0}};
  const struct argp parser = {
      .options = options,
      .parser = parse_report,
      .args_doc = "RESULTS.h5 ..",
      .doc =
          "Print the tables of a results file, or the main estimates of several in one table, once "
          "every byte of them is known to be what was written."};
  report_arguments a = {.file = calloc((size_t)argc, sizeof *a.file)};
  cas_listing tables;
  cas_error err = {0};
  if (!a.file)
    return cas_app_error(&(cas_error){CAS_NO_MEMORY, "out of memory"});
  cas_app_parse(&parser, argc, argv, 0, &a);
  if (a.html) {
    int exit_status = EXIT_SUCCESS;
    cas_status made = make_page(&a, &exit_status, &err);
    free(a.file);
    return made ? cas_app_error(&err) : exit_status;
  }
  cas_listing_begin(&tables);
  cas_status st = report(&a, &tables, &err);
  cas_status printed = cas_listing_end(&tables, &err);
  free(a.file);
  return finish(st ? st : printed, &err);
}
