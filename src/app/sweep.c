/* casimir sweep: many runs of one configuration in one job (run/sweep.c). */
#include "app/app.h"
#include "files/lock.h"
#include "results/sensitivity.h"

#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

enum {
  KEY_SET = 0x100,
  KEY_ZIP,
  KEY_POINT,
  KEY_GROUPS,
  KEY_DRY_RUN,
  KEY_RESUME,
  KEY_MAX_WALLTIME,
  KEY_WAIT,
  KEY_FORMAT,
  KEY_QUIET
};

typedef struct {
  const char *config;
  const char **set; /* [request.sets], into argv */
  bool quiet;
  cas_sweep_request request;
  cas_rows_format format;
  bool all; /* as fits: one table of all points */
} arguments;

static const struct argp_option option_list[] = {
    {"set", KEY_SET, "KEY=A,B,..", 0,
     "values of a key, one run each; of one value alone, for all runs; may be repeated", 0},
    {"zip", KEY_ZIP, NULL, 0,
     "combine the first values of all keys, then the second ones, .., instead of all combinations",
     0},
    {"output", 'o', "FILE", 0,
     "results: FILE-1.h5, FILE-2.h5, .. of FILE or FILE.h5, instead of output.file", 0},
    {"point", KEY_POINT, "I", 0, "this point alone, from 1 on, such as $SLURM_ARRAY_TASK_ID", 0},
    {"groups", KEY_GROUPS, "G", 0, "groups of ranks (default: a group for each point or rank)", 0},
    {"dry-run", KEY_DRY_RUN, NULL, 0, "check and list the points", 0},
    {"resume", KEY_RESUME, NULL, 0, "go on with points that are begun, skip those that are done",
     0},
    {"max-walltime", KEY_MAX_WALLTIME, "TIME", 0,
     "write checkpoints and leave with status 75 before this time is over", 0},
    CAS_APP_WAIT_OPTION(KEY_WAIT),
    {"format", KEY_FORMAT, "FORMAT", 0, cas_app_format_help, 0},
    {"long", CAS_TABLES_KEY_LONG, NULL, 0, "instead of one table, all tables of each point", 0},
    {"quiet", KEY_QUIET, NULL, 0, "no line for each point and no table", 0},
    {0}};

static error_t parse_count(const char *option, const char *text, int64_t *out,
                           struct argp_state *state) {
  char *end;
  errno = 0;
  *out = strtoll(text, &end, 10);
  if (!errno && !*end && isdigit((unsigned char)*text) && *out > 0)
    return 0;
  argp_error(state, "--%s: found '%.40s', must be 1 or more", option, text);
  return EINVAL;
}

static error_t parse(int key, char *argument, struct argp_state *state) {
  arguments *a = state->input;
  switch (key) {
  case KEY_SET:
    a->set[a->request.sets++] = argument;
    return 0;
  case KEY_ZIP:
    a->request.zip = true;
    return 0;
  case 'o':
    return cas_app_parse_output(argument, &a->request.output, state);
  case KEY_POINT:
    return parse_count("point", argument, &a->request.point, state);
  case KEY_GROUPS:
    return parse_count("groups", argument, &a->request.groups, state);
  case KEY_DRY_RUN:
    a->request.dry_run = true;
    return 0;
  case KEY_RESUME:
    a->request.resume = true;
    return 0;
  case KEY_MAX_WALLTIME:
    return cas_app_parse_time("max-walltime", argument, DBL_MIN, &a->request.max_walltime, state);
  case KEY_WAIT:
    return cas_app_parse_time("wait", argument, 0, &a->request.lock_wait, state);
  case KEY_FORMAT:
    return cas_app_parse_format(argument, &a->format, state);
  case CAS_TABLES_KEY_LONG:
    a->all = true;
    return 0;
  case KEY_QUIET:
    a->quiet = true;
    return 0;
  case ARGP_KEY_ARG:
    if (a->config)
      argp_error(state, "one configuration only, found '%s' too", argument);
    a->config = argument;
    return 0;
  case ARGP_KEY_END:
    if (!a->config)
      argp_error(state, "the configuration is missing");
    if (a->all && a->format != CAS_ROWS_TEXT)
      argp_error(state, "--long prints tables of text, without --format");
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp parser = {
    .options = option_list,
    .parser = parse,
    .args_doc = "CONFIG.yaml",
    .doc =
        "Run the study of a configuration for every value of some keys.\v"
        "The keys and values are those of --set and of the section `sweep:` of the configuration. "
        "A "
        "point that fails does not take others along; at the end their estimates are printed in "
        "one "
        "table, as `casimir report` does for several files. With --point every task of a job array "
        "does one point with the same command."};

/* seconds: that the point took; NaN: an earlier run had done it. */
static void say(void *arguments_, const char *point, cas_status st, const char *message,
                double seconds) {
  const arguments *a = arguments_;
  if (!st && (a->quiet || a->request.dry_run))
    return;
  if (st)
    fprintf(stderr, "casimir: %s: %s\n", point, message);
  else if (isnan(seconds))
    fprintf(stderr, "casimir: %s: was done before\n", point);
  else
    fprintf(stderr, "casimir: %s: done in %.3g s\n", point, seconds);
}

/* Whether a file has recorded paths, and no estimates. */
static cas_status find_recorded(const char *file, bool *recorded, cas_error *err) {
  cas_results r = {0};
  CAS_CALL(cas_results_read(file, &r, err));
  *recorded = r.tables == 0;
  cas_results_free(&r);
  return CAS_OK;
}

static cas_status print_estimates(const arguments *a, const cas_swept *s, const cas_listing *t,
                                  cas_error *err) {
  const char **file = calloc((size_t)s->points + 1, sizeof *file);
  int files = 0;
  if (!file)
    return cas_no_memory(err);
  for (int64_t i = 0; i < s->points; i++)
    if (s->point[i].status == CAS_OK || s->point[i].status == CAS_CHECK_FAILED)
      file[files++] = s->point[i].file;
  const bool text = a->format == CAS_ROWS_TEXT;
  bool recorded = false, differences = false;
  cas_status st = files > 0 ? find_recorded(file[0], &recorded, err) : CAS_OK;
  if (!st && recorded && (text || a->format == CAS_ROWS_CSV))
    st = cas_sensitivity_print(t->stream, a->format, file, files, text, &differences, err);
  if (!st && files > 0 && !differences)
    st = a->all ? cas_listing_files(t, file, files, true, err)
                : cas_rows_print(t->stream, a->format, file, files, err);
  if (!st && files > 0 && !recorded && text)
    st = cas_sensitivity_print(t->stream, a->format, file, files, true, &differences, err);
  free(file);
  return st;
}

static cas_status print(const arguments *a, const cas_swept *s, cas_error *err) {
  cas_listing tables;
  cas_error second = {0};
  cas_status st = CAS_OK;
  cas_listing_begin(&tables);
  if (tables.stream && a->request.dry_run) {
    for (int64_t i = 0; i < s->points; i++)
      fprintf(tables.stream, "%s: %s%s\n", s->point[i].name, s->point[i].file,
              s->point[i].begun && s->point[i].status ? ", which does not run" : "");
  } else if (tables.stream && !a->quiet)
    st = print_estimates(a, s, &tables, err);
  cas_status printed = cas_listing_end(&tables, st ? &second : err);
  return st ? st : printed;
}

static cas_status perform(arguments *a, int rank, cas_error *err) {
  cas_sweep_request *q = &a->request;
  cas_swept swept = {0};
  cas_error failed = {0};
  void *text = NULL;
  cas_status st = cas_app_configuration(a->config, &text, &q->size, err);
  if (!st) {
    q->text = text;
    q->name = a->config;
    q->set = a->set;
    q->done = say;
    q->done_context = a;
    q->notice = cas_app_notice;
    q->signals = cas_signals_poll;
    q->begins = cas_signals_begin;
    st = cas_sweep(q, MPI_COMM_WORLD, &swept, err);
    cas_status printed = rank == 0 && swept.points ? print(a, &swept, st ? &failed : err) : CAS_OK;
    printed = cas_agree(printed, MPI_COMM_WORLD, st ? &failed : err);
    st = st ? st : printed;
  }
  cas_swept_free(&swept);
  free(text);
  return st;
}

int cas_app_sweep(int argc, char **argv) {
  arguments a = {.set = calloc((size_t)argc, sizeof *a.set), .request.lock_wait = CAS_LOCK_SECONDS};
  cas_error err = {0};
  int rank, ranks;
  if (!a.set)
    return cas_app_error(&(cas_error){CAS_NO_MEMORY, "out of memory"});
  cas_app_parse(&parser, argc, argv, 0, &a);
  cas_launch_begin(&argc, &argv, true, &rank, &ranks);
  cas_status st = cas_launch_compare("sweep", argc, argv, false, &err);
  if (!st)
    st = cas_launch_check_alone(ranks, &err);
  if (!st)
    st = perform(&a, rank, &err);
  if (rank == 0 && st)
    cas_app_error(&err);
  free(a.set);
  cas_launch_finish();
  return cas_exit_status(st);
}
