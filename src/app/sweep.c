/* casimir sweep: many runs of one configuration in one job. Ranks form groups, each of which does
   one point after another, as it comes for them. */
#include "app/app.h"
#include "base/text.h"
#include "engine/shares.h"
#include "hdf5/hdf5_begin.h"
#include "run/points.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  KEY_SET = 0x100,
  KEY_ZIP,
  KEY_POINT,
  KEY_GROUPS,
  KEY_DRY_RUN,
  KEY_RESUME,
  KEY_MAX_WALLTIME,
  KEY_FORMAT,
  KEY_QUIET
};

typedef struct {
  const char *config, *output;
  const char **set; /* [sets], into argv */
  int sets;
  bool zip, dry_run, resume, quiet;
  int64_t point, groups; /* 0: all, and as many as there are points or ranks */
  double max_walltime;
  cas_rows_format format;
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
    {"format", KEY_FORMAT, "FORMAT", 0, cas_app_format_help, 0},
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

static error_t parse_time(const char *text, double *seconds, struct argp_state *state) {
  const char *wrong = cas_parse_duration(text, seconds);
  if (!wrong && *seconds > 0)
    return 0;
  argp_error(state, "--max-walltime: found '%.40s', %s", text,
             wrong ? wrong : "must be more than 0");
  return EINVAL;
}

static error_t parse(int key, char *argument, struct argp_state *state) {
  arguments *a = state->input;
  switch (key) {
  case KEY_SET:
    a->set[a->sets++] = argument;
    return 0;
  case KEY_ZIP:
    a->zip = true;
    return 0;
  case 'o':
    return cas_app_parse_output(argument, &a->output, state);
  case KEY_POINT:
    return parse_count("point", argument, &a->point, state);
  case KEY_GROUPS:
    return parse_count("groups", argument, &a->groups, state);
  case KEY_DRY_RUN:
    a->dry_run = true;
    return 0;
  case KEY_RESUME:
    a->resume = true;
    return 0;
  case KEY_MAX_WALLTIME:
    return parse_time(argument, &a->max_walltime, state);
  case KEY_FORMAT:
    return cas_app_parse_format(argument, &a->format, state);
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

/* ---- the points ---- */

typedef struct {
  const arguments *arguments;
  cas_points points;
  void *text; /* of the configuration, owned */
  size_t size;
  char *stem;  /* of the names of files, owned */
  int *status; /* [points], owned: a cas_status of those of this rank's group, -1 of others */
  double begun;
  MPI_Comm group; /* of ranks that do a point together */
  int rank, group_rank;
} sweep;

static char *file_of(const sweep *s, int64_t point) {
  char *name;
  int digits = snprintf(NULL, 0, "%lld", (long long)s->points.points);
  return asprintf(&name, "%s-%0*lld.h5", s->stem, digits, (long long)point + 1) < 0 ? NULL : name;
}

/* Sets what names the output as the assignments do: one name, whose files have the numbers of the
   points. */
static cas_status set_output(const cas_points *p, cas_config *c, cas_error *err) {
  for (int i = 0; i < p->keys; i++) {
    const cas_points_key *k = &p->key[i];
    char *assignment;
    if (strcmp(k->key, "output") != 0 && strcmp(k->key, "output.file") != 0)
      continue;
    if (k->values > 1)
      return cas_fail(err, CAS_BAD_INPUT,
                      "sweep: %s has %d values, must have one: the files of the points are "
                      "FILE-1.h5, FILE-2.h5, .. of one name FILE",
                      k->key, k->values);
    if (asprintf(&assignment, "%s=%s", k->key, k->value[0]) < 0)
      return cas_no_memory(err);
    cas_status st = cas_config_set(c, assignment, err);
    free(assignment);
    CAS_CALL(st);
  }
  return CAS_OK;
}

static cas_status find_stem(sweep *s, cas_config *c, cas_error *err) {
  static const char ending[] = ".h5";
  CAS_CALL(set_output(&s->points, c, err));
  const char *output =
      s->arguments->output ? s->arguments->output : cas_config_text(c, "output.file");
  if (!output)
    return cas_fail(err, CAS_BAD_INPUT,
                    "the output is missing: name it by --output FILE or output.file");
  size_t length = strlen(output), end = strlen(ending);
  if (length > end && strcmp(output + length - end, ending) == 0)
    length -= end;
  s->stem = strndup(output, length);
  return s->stem ? CAS_OK : cas_no_memory(err);
}

static cas_status find_points(sweep *s, cas_error *err) {
  const arguments *a = s->arguments;
  cas_config *c = NULL;
  cas_status st = cas_config_parse(s->text, s->size, a->config, &c, err);
  if (!st)
    st = cas_points_create(c, a->set, a->sets, a->zip, &s->points, err);
  if (!st)
    st = find_stem(s, c, err);
  cas_config_free(c);
  if (!st && a->point > s->points.points)
    st = cas_fail(err, CAS_BAD_INPUT, "--point: found %lld, but the sweep has %lld points",
                  (long long)a->point, (long long)s->points.points);
  return st;
}

static void describe(const sweep *s, int64_t point, char *text, size_t size) {
  int used =
      snprintf(text, size, "point %lld of %lld", (long long)point + 1, (long long)s->points.points);
  char values[800], shown[800];
  cas_points_describe(&s->points, point, values, sizeof values);
  cas_text_show(shown, sizeof shown, values);
  if (values[0])
    snprintf(text + used, size - (size_t)used, ": %s", shown);
}

/* What happened to a point, by the first rank of its group. seconds: that it took; NaN: an earlier
   run had done it. */
static void say(const sweep *s, int64_t point, cas_status st, const cas_error *err,
                double seconds) {
  char text[1000];
  if (s->group_rank > 0 || (!st && (s->arguments->quiet || s->arguments->dry_run)))
    return;
  describe(s, point, text, sizeof text);
  if (st)
    fprintf(stderr, "casimir: %s: %s\n", text, err->text);
  else if (isnan(seconds))
    fprintf(stderr, "casimir: %s: was done before\n", text);
  else
    fprintf(stderr, "casimir: %s: done in %.3g s\n", text, seconds);
}

/* Whether this is the first of several points whose noise has other seeds. */
static bool sweeps_seed(const sweep *s, int64_t point) {
  for (int i = 0; i < s->points.keys; i++)
    if (strcmp(s->points.key[i].key, "random.seed") == 0 && s->points.key[i].values > 1)
      return point == 0 || s->arguments->point;
  return false;
}

/* *before: an earlier run had done it; on the first rank of the group alone. */
static cas_status run_point(const sweep *s, int64_t point, bool *before, cas_error *err) {
  const arguments *a = s->arguments;
  cas_config *c = NULL;
  cas_results results = {0};
  double spent = MPI_Wtime() - s->begun;
  char *file = file_of(s, point);
  const bool replicate = sweeps_seed(s, point);
  cas_run_request request = {.configuration = a->config,
                             .output = file,
                             .dry_run = a->dry_run,
                             .resume = a->resume,
                             .max_walltime = a->max_walltime > 0 ? a->max_walltime - spent : 0,
                             .replicate = replicate,
                             .notice = replicate ? cas_app_notice : NULL,
                             .signals = cas_signals_poll,
                             .begins = cas_signals_begin};
  cas_status st =
      file ? cas_config_parse(s->text, s->size, a->config, &c, err) : cas_no_memory(err);
  if (!st && cas_config_has(c, "sweep"))
    st = cas_config_set(c, "sweep=null", err);
  if (!st)
    st = cas_points_set(&s->points, point, c, err);
  st = cas_agree(st, s->group, err);
  if (!st && a->max_walltime > 0 && request.max_walltime <= 0)
    st = cas_fail(err, CAS_INTERRUPTED, "not begun: --max-walltime is over");
  st = cas_agree(st, s->group, err);
  if (!st)
    st = cas_run(c, &request, s->group, &results, err);
  *before = results.complete; /* those of a file that was read */
  cas_results_free(&results);
  cas_config_free(c);
  free(file);
  return st;
}

static void do_point(sweep *s, int64_t point) {
  cas_error err = {0};
  double begun = MPI_Wtime();
  bool before = false;
  s->status[point] = run_point(s, point, &before, &err);
  say(s, point, s->status[point], &err, before ? NAN : MPI_Wtime() - begun);
}

/* The first ranks of groups come for points, and tell the others. */
static cas_status do_points(sweep *s, MPI_Comm leaders, cas_error *err) {
  cas_shares shares;
  cas_share share = {0};
  bool leads = s->group_rank == 0, left = false;
  cas_status st = leads ? cas_shares_begin(&shares, s->points.points, leaders, err) : CAS_OK;
  st = cas_agree(st, MPI_COMM_WORLD, err);
  while (!st && !left) {
    if (leads && !cas_shares_next(&shares, &share))
      share = (cas_share){0};
    cas_bcast(&share, sizeof share, MPI_BYTE, 0, s->group);
    if (share.first == share.next)
      break;
    for (int64_t i = share.first; i < share.next && !left; i++) {
      do_point(s, i);
      left = s->status[i] == CAS_INTERRUPTED;
    }
  }
  if (!st && leads)
    cas_shares_end(&shares);
  return st;
}

static cas_status form_groups(sweep *s, MPI_Comm *leaders, cas_error *err) {
  const arguments *a = s->arguments;
  int ranks;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int64_t points = a->point ? 1 : s->points.points, groups = a->groups ? a->groups : points;
  if (groups > ranks)
    groups = ranks;
  int colour = (int)(s->rank * groups / ranks);
  if (MPI_Comm_split(MPI_COMM_WORLD, colour, s->rank, &s->group))
    return cas_fail(err, CAS_INTERNAL, "MPI_Comm_split failed");
  MPI_Comm_rank(s->group, &s->group_rank);
  MPI_Comm_split(MPI_COMM_WORLD, s->group_rank == 0 ? 0 : MPI_UNDEFINED, s->rank, leaders);
  return CAS_OK;
}

static cas_status run_points(sweep *s, cas_error *err) {
  MPI_Comm leaders;
  CAS_CALL(form_groups(s, &leaders, err));
  cas_status st = CAS_OK;
  if (s->arguments->point)
    do_point(s, s->arguments->point - 1);
  else
    st = do_points(s, leaders, err);
  cas_allreduce(MPI_IN_PLACE, s->status, (int)s->points.points, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (leaders != MPI_COMM_NULL)
    MPI_Comm_free(&leaders);
  MPI_Comm_free(&s->group);
  return st;
}

/* ---- all ---- */

static bool is_done(int status) { return status == CAS_OK || status == CAS_CHECK_FAILED; }

static cas_status print_estimates(const sweep *s, FILE *f, cas_error *err) {
  const char **file = calloc((size_t)s->points.points, sizeof *file);
  char **owned = calloc((size_t)s->points.points, sizeof *owned);
  int files = 0;
  cas_status st = file && owned ? CAS_OK : cas_no_memory(err);
  for (int64_t i = 0; !st && i < s->points.points; i++)
    if (is_done(s->status[i])) {
      owned[files] = file_of(s, i);
      file[files] = owned[files];
      st = file[files++] ? CAS_OK : cas_no_memory(err);
    }
  if (!st && files > 0)
    st = cas_rows_print(f, s->arguments->format, file, files, err);
  for (int i = 0; i < files; i++)
    free(owned[i]);
  free(owned);
  free(file);
  return st;
}

static void list_points(const sweep *s, FILE *f) {
  char text[1000];
  for (int64_t i = 0; i < s->points.points; i++) {
    char *file = file_of(s, i);
    describe(s, i, text, sizeof text);
    fprintf(f, "%s: %s%s\n", text, file ? file : "?",
            s->status[i] > 0 ? ", which does not run" : "");
    free(file);
  }
}

/* An interrupted point, or one that was not begun for that, decides the status, so that a script
   goes on; otherwise the first that failed. */
static cas_status summary(const sweep *s, cas_error *err) {
  cas_status worst = CAS_OK;
  int64_t missing = 0;
  for (int64_t i = 0; i < s->points.points; i++) {
    if (s->arguments->point && i != s->arguments->point - 1)
      continue;
    cas_status st = s->status[i] < 0 ? CAS_INTERRUPTED : (cas_status)s->status[i];
    missing += st != CAS_OK;
    if (worst == CAS_OK || st == CAS_INTERRUPTED)
      worst = st;
  }
  if (missing == 0)
    return CAS_OK;
  return cas_fail(err, worst,
                  "%lld of %lld points are not done, or failed a check; the same command with "
                  "--resume does what is left",
                  (long long)missing, (long long)s->points.points);
}

static cas_status print(const sweep *s, cas_error *err) {
  cas_listing tables;
  cas_error second = {0};
  cas_status st = CAS_OK;
  cas_listing_begin(&tables);
  if (tables.stream && s->arguments->dry_run)
    list_points(s, tables.stream);
  else if (tables.stream && !s->arguments->quiet)
    st = print_estimates(s, tables.stream, err);
  cas_status printed = cas_listing_end(&tables, st ? &second : err);
  return st ? st : printed;
}

static cas_status perform(sweep *s, cas_error *err) {
  cas_status st = cas_app_configuration(s->arguments->config, &s->text, &s->size, err);
  if (!st)
    st = cas_agree(find_points(s, err), MPI_COMM_WORLD, err);
  if (st)
    return st;
  s->status = malloc((size_t)s->points.points * sizeof *s->status);
  st = cas_agree(s->status ? CAS_OK : cas_no_memory(err), MPI_COMM_WORLD, err);
  for (int64_t i = 0; !st && i < s->points.points; i++)
    s->status[i] = -1;
  if (!st)
    st = run_points(s, err);
  if (!st && s->rank == 0)
    st = print(s, err);
  st = cas_agree(st, MPI_COMM_WORLD, err);
  return st ? st : summary(s, err);
}

int cas_app_sweep(int argc, char **argv) {
  arguments a = {.set = calloc((size_t)argc, sizeof *a.set)};
  sweep s = {.arguments = &a};
  cas_error err = {0};
  int ranks;
  if (!a.set)
    return cas_app_error(&(cas_error){CAS_NO_MEMORY, "out of memory"});
  cas_app_parse(&parser, argc, argv, 0, &a);
  cas_launch_prepare();
  cas_signals_catch();
  cas_signals_leave_at_once();
  cas_hdf5_begin();
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &s.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  s.begun = MPI_Wtime();
  cas_status st = cas_launch_compare("sweep", argc, argv, false, &err);
  if (!st)
    st = cas_launch_check_alone(ranks, &err);
  if (!st)
    st = perform(&s, &err);
  if (s.rank == 0 && st)
    cas_app_error(&err);
  cas_points_free(&s.points);
  free(s.text);
  free(s.stem);
  free(s.status);
  free(a.set);
  MPI_Finalize();
  return cas_exit_status(st);
}
