/* casimir sweep: many runs of one configuration in one job (engine/run/sweep.c). */
#include "app/app.h"
#include "app/arguments.h"

#include <math.h>

static void check(const cas_arguments *a, struct argp_state *state) {
  if (a->all && a->format != CAS_ROWS_TEXT)
    argp_error(state, "--long prints tables of text, without --format");
}

static const cas_app_command sweep = {
    .command = CAS_APP_SWEEP,
    .least = 1,
    .most = 1,
    .missing = "the configuration is missing",
    .allowed = "one configuration only",
    .names = "CONFIG.yaml",
    .check = check,
    .doc = "Run the study of a configuration for every value of some keys.\vThe keys and values "
           "are those of --set and of the section `sweep:` of the configuration. A point that "
           "fails does not take others along; at the end their estimates are printed in one table, "
           "as `casimir report` does for several files. With --point every task of a job array "
           "does one point with the same command."};

/* seconds: that the point took; NaN: an earlier run had done it. */
static void say(void *arguments_, const char *point, cas_status st, const char *message,
                double seconds) {
  const cas_arguments *a = arguments_;
  if (!st && (a->quiet || a->dry_run))
    return;
  if (st)
    fprintf(stderr, "casimir: %s: %s\n", point, message);
  else if (isnan(seconds))
    fprintf(stderr, "casimir: %s: was done before\n", point);
  else
    fprintf(stderr, "casimir: %s: done in %.3g s\n", point, seconds);
}

static cas_status print_estimates(const cas_arguments *a, const cas_swept *s, const cas_listing *t,
                                  cas_error *err) {
  CAS_OWNED const char **file = calloc((size_t)s->points + 1, sizeof *file);
  int files = 0;
  CAS_NEED(file);
  for (int64_t i = 0; i < s->points; i++)
    if (s->point[i].status == CAS_OK || s->point[i].status == CAS_CHECK_FAILED)
      file[files++] = s->point[i].file;
  const bool text = a->format == CAS_ROWS_TEXT;
  bool differences = false;
  if (files == 0)
    return CAS_OK;
  CAS_OWNED_BY(cas_results_free) cas_results first = {0};
  CAS_CALL(cas_results_read(file[0], &first, err));
  const bool recorded = first.tables == 0; /* paths, and no estimates */
  if (recorded && (text || a->format == CAS_ROWS_CSV))
    CAS_CALL(cas_sensitivity_print(t->stream, a->format, file, files, text, &differences, err));
  if (!differences)
    CAS_CALL(a->all ? cas_listing_files(t, file, files, err)
                    : cas_rows_print(t->stream, a->format, file, files, err));
  if (!recorded && text)
    CAS_CALL(cas_sensitivity_print(t->stream, a->format, file, files, true, &differences, err));
  return CAS_OK;
}

static cas_status print(const cas_arguments *a, const cas_swept *s, cas_error *err) {
  cas_listing tables;
  cas_status st = CAS_OK;
  cas_listing_begin(&tables);
  if (tables.stream && a->dry_run) {
    for (int64_t i = 0; i < s->points; i++)
      fprintf(tables.stream, "%s: %s%s\n", s->point[i].name, s->point[i].file,
              s->point[i].begun && s->point[i].status ? ", which does not run" : "");
  } else if (tables.stream && !a->quiet)
    st = print_estimates(a, s, &tables, err);
  return cas_listing_end(&tables, st, err);
}

static cas_status perform(const cas_arguments *a, int rank, cas_error *err) {
  cas_sweep_request q = {.run = cas_arguments_request(a),
                         .set = a->set,
                         .sets = a->sets,
                         .zip = a->zip,
                         .point = a->point,
                         .groups = a->groups,
                         .done = say,
                         .done_context = (void *)a};
  CAS_OWNED_BY(cas_swept_free) cas_swept swept = {0};
  cas_error failed = {0};
  CAS_OWNED void *text = NULL;
  CAS_CALL(cas_app_configuration(a->name[0], &text, &q.size, err));
  q.text = text;
  cas_status st = cas_sweep(&q, MPI_COMM_WORLD, &swept, err);
  cas_status printed = rank == 0 && swept.points ? print(a, &swept, st ? &failed : err) : CAS_OK;
  printed = cas_agree(printed, MPI_COMM_WORLD, st ? &failed : err);
  return st ? st : printed;
}

int cas_app_sweep(int argc, char **argv) {
  CAS_OWNED_BY(cas_arguments_free) cas_arguments a;
  cas_error err = {0};
  int rank, ranks;
  cas_arguments_parse(&sweep, argc, argv, 0, &a);
  cas_launch_begin(&argc, &argv, true, &rank, &ranks);
  cas_status st = cas_launch_compare("sweep", argc, argv, false, &err);
  if (!st)
    st = cas_launch_check_alone(ranks, &err);
  if (!st)
    st = perform(&a, rank, &err);
  if (rank == 0 && st)
    cas_app_error(&err);
  cas_launch_finish();
  return cas_exit_status(st);
}
