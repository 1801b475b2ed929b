/* casimir run: every rank parses the same command line and the same bytes of configuration, rank 0
 * alone speaks. */
#include "app/app.h"
#include "base/unchanged.h"
#include "files/lock.h"
#include "results/result.h"

#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  KEY_SET = 0x100,
  KEY_ONLY_PATH,
  KEY_DRY_RUN,
  KEY_QUIET,
  KEY_RESUME,
  KEY_MAX_WALLTIME,
  KEY_WAIT,
  KEY_UNSEALED
};

typedef struct {
  const char *config;
  char **set; /* [sets], into argv */
  int sets;
  bool quiet, help;
  bool all;
  int64_t only_path;
  int given[4];    /* single-valued options, as refuse_twice lists them */
  char *output;    /* file of the results, as requested or configured */
  bool written[2]; /* whether the configuration has the keys `removable` */
  cas_run_request request;
} arguments;

/* Keys that other studies do not have, which what is printed as an advice takes away. */
static const char *const removable[] = {"study.reference", "study.first_path", NULL};

static const struct argp_option options[] = {
    {"set", KEY_SET, "KEY=VALUE", 0,
     "override one value, such as study.paths=1000; null removes a key, such as coarsest_steps if "
     "a horizon is given instead; may be repeated",
     0},
    {"output", 'o', "FILE", 0, "results file, instead of output.file", 0},
    {"only-path", KEY_ONLY_PATH, "I", 0,
     "integrate only path I and print it on every level; with --output FILE write all its steps",
     0},
    {"dry-run", KEY_DRY_RUN, NULL, 0,
     "check everything and print what would run, with estimates of time and memory", 0},
    {"resume", KEY_RESUME, NULL, 0,
     "continue from FILE.checkpoint, or extend the finished FILE by more paths or steps; start if "
     "there is neither",
     0},
    {"max-walltime", KEY_MAX_WALLTIME, "TIME", 0,
     "write a checkpoint and end with status 75 before this time is over (90, 10min, 3h50m)", 0},
    CAS_APP_WAIT_OPTION(KEY_WAIT),
    {"unsealed", KEY_UNSEALED, NULL, 0,
     "read results of casimir also if their seal is missing, as initial state, as normals or for "
     "--resume",
     0},
    {"quiet", KEY_QUIET, NULL, 0, "no progress and no tables", 0},
    CAS_TABLES_OPTIONS,
    {0}};

static error_t parse_path(const char *text, arguments *a, struct argp_state *state) {
  char *end;
  errno = 0;
  long long value = strtoll(text, &end, 10);
  if (errno || *end || !isdigit((unsigned char)*text)) {
    argp_error(state, "--only-path: found '%.40s', must be the number of a path, 0 or more", text);
    return EINVAL;
  }
  a->only_path = value;
  a->request.only_path = &a->only_path;
  return 0;
}

/* Refuses an option that is given twice, as one of its values would be ignored. */
static error_t refuse_twice(int key, arguments *a, struct argp_state *state) {
  static const struct {
    int key;
    const char *name;
  } single[] = {{'o', "output"},
                {KEY_ONLY_PATH, "only-path"},
                {KEY_MAX_WALLTIME, "max-walltime"},
                {KEY_WAIT, "wait"},
                {0}};
  for (int i = 0; single[i].key; i++)
    if (single[i].key == key && a->given[i]++) {
      argp_error(state, "--%s is given twice", single[i].name);
      return EINVAL;
    }
  return 0;
}

static error_t parse(int key, char *argument, struct argp_state *state) {
  arguments *a = state->input;
  error_t twice = refuse_twice(key, a, state);
  if (twice)
    return twice;
  switch (key) {
  case KEY_SET:
    a->set[a->sets++] = argument;
    return 0;
  case 'o':
    return cas_app_parse_output(argument, &a->request.output, state);
  case KEY_ONLY_PATH:
    return parse_path(argument, a, state);
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
  case KEY_UNSEALED:
    cas_unsealed_accept(true);
    return 0;
  case KEY_QUIET:
    a->quiet = true;
    return 0;
  case CAS_TABLES_KEY_LONG:
    a->all = true;
    return 0;
  case ARGP_KEY_ARG:
    if (a->config) {
      argp_error(state, "one configuration only, found '%s' too", argument);
      return EINVAL;
    }
    a->config = argument;
    return 0;
  case ARGP_KEY_END:
    if (!a->config) {
      argp_error(state, "the configuration is missing");
      return EINVAL;
    }
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp parser = {
    .options = options,
    .parser = parse,
    .args_doc = "CONFIG.yaml",
    .doc = "Run the study that a configuration states.\v"
           "Tables go to standard output, progress to standard error, results to the HDF5 file "
           "that the configuration "
           "or --output names. `casimir describe` documents every key.\n\n"
           "SIGUSR1 writes a checkpoint. SIGUSR2, SIGTERM, SIGHUP, Ctrl-C and the time limit write "
           "a checkpoint and end the run with status 75; --resume continues it. A second Ctrl-C "
           "ends it at once. So do all of them before the first path."};

static bool asks_for_help(int argc, char **argv) {
  for (int i = 1; i < argc; i++)
    if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-?") == 0 ||
        strcmp(argv[i], "--usage") == 0)
      return true;
  return false;
}

/* ---- the configuration: rank 0's bytes for all ---- */

static cas_status read_file(const char *name, void **text, size_t *size, cas_error *err) {
  enum { MOST = 16 << 20 };
  struct stat before = {0}, now = {0};
  FILE *f = fopen(name, "r");
  if (!f)
    return cas_fail(err, CAS_BAD_INPUT, "%s: %s", name, strerror(errno));
  *text = malloc(MOST + 1);
  (void)!fstat(fileno(f), &before);
  if (*text)
    *size = fread(*text, 1, MOST + 1, f);
  int failed = ferror(f) || fstat(fileno(f), &now) ? errno : 0;
  fclose(f);
  if (!*text)
    return cas_no_memory(err);
  if (failed)
    return cas_fail(err, CAS_BAD_INPUT, "%s: %s", name, strerror(failed));
  if (S_ISREG(before.st_mode) && !cas_unchanged(&before, &now))
    return cas_fail(err, CAS_BAD_INPUT, "%s: was changed while it was read", name);
  if (*size > MOST)
    return cas_fail(err, CAS_BAD_INPUT, "%s: larger than %d MB, which is no configuration", name,
                    MOST >> 20);
  ((char *)*text)[*size] = '\0';
  return CAS_OK;
}

cas_status cas_app_configuration(const char *name, void **text, size_t *size, cas_error *err) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  *text = NULL;
  *size = 0;
  cas_status st = rank == 0 ? read_file(name, text, size, err) : CAS_OK;
  st = cas_agree(st, MPI_COMM_WORLD, err);
  return st ? st : cas_broadcast(text, size, MPI_COMM_WORLD, err);
}

static cas_status load(const arguments *a, cas_config **config, cas_error *err) {
  void *text;
  size_t size;
  cas_status st = cas_app_configuration(a->config, &text, &size, err);
  if (!st)
    st = cas_config_parse(text, size, a->config, config, err);
  for (int i = 0; !st && i < a->sets; i++)
    st = cas_config_set(*config, a->set[i], err);
  free(text);
  return cas_agree(st, MPI_COMM_WORLD, err);
}

/* Whether the seed of the noise is chosen beside the configuration, as for one of several
   samples. */
static bool sets_seed(const arguments *a) {
  static const char key[] = "random.seed=";
  for (int i = 0; i < a->sets; i++)
    if (strncmp(a->set[i], key, sizeof key - 1) == 0)
      return true;
  return false;
}

static cas_status run_configuration(arguments *a, int ranks, cas_results *results, cas_error *err) {
  cas_config *config = NULL;
  cas_progress progress = {.terminal = isatty(STDERR_FILENO)};
  cas_status st = cas_launch_check_alone(ranks, err);
  if (!st)
    st = load(a, &config, err);
  if (st) {
    cas_config_free(config);
    return st;
  }
  a->request.configuration = a->config;
  a->request.replicate = sets_seed(a);
  a->request.signals = cas_signals_poll;
  a->request.begins = cas_signals_begin;
  a->request.notice = cas_app_notice;
  if (!a->quiet) {
    a->request.progress = cas_progress_show;
    a->request.progress_context = &progress;
  }
  if (a->request.dry_run || a->request.only_path)
    cas_signals_restore_pipe();
  st = cas_run(config, &a->request, MPI_COMM_WORLD, results, err);
  const char *output =
      a->request.output ? a->request.output : cas_config_text(config, "output.file");
  for (int i = 0; removable[i]; i++)
    a->written[i] = cas_config_text(config, removable[i]) != NULL;
  a->output = output ? strdup(output) : NULL;
  cas_config_free(config);
  return st;
}

/* The command of this run as far as the configuration and what is set in it; the caller frees
   it. */
static char *command(const arguments *a, const cas_results *r) {
  char *text = NULL;
  size_t size;
  FILE *f = open_memstream(&text, &size);
  if (!f)
    return NULL;
  fprintf(f, "casimir run %s", a->config);
  for (int i = 0; i < a->sets; i++)
    if (strchr(a->set[i], '\''))
      fprintf(f, " --set \"%s\"", a->set[i]);
    else if (strpbrk(a->set[i], " []{}()*?\"$&|;<>#~!`\\"))
      fprintf(f, " --set '%s'", a->set[i]);
    else
      fprintf(f, " --set %s", a->set[i]);
  cas_error err;
  cas_frame own = {0};
  const cas_frame *result = cas_result_of(r, &own, &err);
  for (int i = 0; result && strstr(result->advice, "study.kind=") && removable[i]; i++)
    if (a->written[i])
      fprintf(f, " --set %s=null", removable[i]);
  cas_frame_free(&own);
  fclose(f);
  return text;
}

static int run_and_report(arguments *a, int rank, int ranks) {
  cas_results results = {0};
  cas_listing tables;
  cas_error err = {0}, second = {0};
  cas_listing_begin(&tables);
  a->request.report = tables.stream;
  cas_status st = run_configuration(a, ranks, &results, &err);
  bool written = (!st || st == CAS_CHECK_FAILED) && !a->request.dry_run && !a->request.only_path;
  char *run = command(a, &results);
  if (rank == 0 && written && !a->quiet)
    cas_listing_results(&tables, &results, a->all, a->output, run);
  free(run);
  free(a->output);
  cas_status printed = cas_listing_end(&tables, st ? &second : &err);
  st = st ? st : printed;
  if (rank == 0 && st)
    cas_app_error(&err);
  cas_bcast(&st, sizeof st, MPI_BYTE, 0, MPI_COMM_WORLD);
  cas_results_free(&results);
  return cas_exit_status(st);
}

/* ---- the command line ---- */

/* What argp says, it says to `stderr`, which glibc lets a program set; of all ranks one is to
   speak. */
static cas_status parse_arguments(int argc, char **argv, int rank, arguments *a, cas_error *err) {
  FILE *const standard_error = stderr;
  char *said = NULL;
  size_t size;
  FILE *f = open_memstream(&said, &size);
  if (!f)
    return cas_no_memory(err);
  stderr = f;
  bool wrong = cas_app_parse(&parser, argc, argv, ARGP_NO_EXIT | ARGP_NO_HELP, a) != 0;
  stderr = standard_error;
  fclose(f);
  char where[40] = "";
  if (rank > 0)
    snprintf(where, sizeof where, "casimir: on rank %d: ", rank);
  if (wrong) { /* cas_fail would write the ends of its lines as \n */
    err->status = CAS_BAD_INPUT;
    snprintf(err->text, sizeof err->text, "%s%s", where, said);
  }
  free(said);
  return wrong ? CAS_BAD_INPUT : CAS_OK;
}

/* Ranks that were given something else must not wait for each other, so they compare it first. */
static int run_on_all(int argc, char **argv, int rank, int ranks, arguments *a) {
  const bool help = asks_for_help(argc, argv);
  cas_error err = {0};
  cas_status st = cas_launch_compare("run", argc, argv, help, &err);
  if (st && rank == 0)
    cas_app_error(&err);
  if (st)
    return cas_exit_status(st);
  if (help) {
    if (rank == 0)
      argp_help(&parser, stdout, ARGP_HELP_STD_HELP & ~ARGP_HELP_EXIT_OK, argv[0]);
    return EXIT_SUCCESS;
  }
  st = cas_agree(parse_arguments(argc, argv, rank, a, &err), MPI_COMM_WORLD, &err);
  if (st && rank == 0)
    fputs(err.text, stderr);
  return st ? cas_exit_status(st) : run_and_report(a, rank, ranks);
}

int cas_app_run(int argc, char **argv) {
  arguments a = {.set = calloc((size_t)argc, sizeof *a.set), .request.lock_wait = CAS_LOCK_SECONDS};
  int rank, ranks;
  if (!a.set)
    return cas_app_error(&(cas_error){CAS_NO_MEMORY, "out of memory"});
  cas_launch_begin(&argc, &argv, true, &rank, &ranks);
  int status = run_on_all(argc, argv, rank, ranks, &a);
  free(a.set);
  cas_launch_finish();
  return status;
}
