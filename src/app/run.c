/* casimir run: every rank parses one command line and one configuration, and rank 0 speaks. */
#include "app/app.h"
#include "app/arguments.h"
#include "base/text.h"
#include "base/unchanged.h"
#include "files/results/result.h"
#include "language/config/keys.h"

#include <errno.h>

typedef struct {
  cas_arguments said;
  char *output; /* file of the results, as requested or configured */
  bool *filed;  /* [sets] whether the file of the configuration has the key, too */
} arguments;

static const cas_app_command run = {
    .command = CAS_APP_RUN,
    .least = 1,
    .most = 1,
    .missing = "the configuration is missing",
    .allowed = "one configuration only",
    .once = true,
    .names = "CONFIG.yaml",
    .doc = "Run the study that a configuration states.\v"
           "Tables go to standard output, progress to standard error, results to the HDF5 file "
           "that the configuration or --output names. `casimir describe` documents every key.\n\n"
           "SIGUSR1 writes a checkpoint. SIGUSR2, SIGTERM, SIGHUP, Ctrl-C and the time limit write "
           "a checkpoint and end the run with status 75; --resume continues it. A second Ctrl-C "
           "ends it at once. So do all of them before the first path."};

/* ---- the configuration: rank 0's bytes for all ---- */

static cas_status read_file(const char *name, void **text, size_t *size, cas_error *err) {
  enum { MOST = 16 << 20 };
  struct stat before = {0}, now = {0};
  CAS_OWNED_BY(cas_owned_stream) FILE *f = fopen(name, "r");
  CAS_FAIL_IF(!f, CAS_BAD_INPUT, "%s: %s", name, strerror(errno));
  *text = malloc(MOST + 1);
  (void)!fstat(fileno(f), &before);
  if (*text)
    *size = fread(*text, 1, MOST + 1, f);
  int failed = ferror(f) || fstat(fileno(f), &now) ? errno : 0;
  CAS_NEED(*text);
  CAS_FAIL_IF(failed, CAS_BAD_INPUT, "%s: %s", name, strerror(failed));
  CAS_FAIL_IF(S_ISREG(before.st_mode) && !cas_unchanged(&before, &now), CAS_BAD_INPUT,
              "%s: was changed while it was read", name);
  CAS_FAIL_IF(*size > MOST, CAS_BAD_INPUT, "%s: larger than %d MB, which is no configuration", name,
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

static bool same_key(const char *one, const char *other) {
  const char *a, *b;
  const size_t n = cas_config_key_of(one, &a);
  return n == cas_config_key_of(other, &b) && strncmp(a, b, n) == 0;
}

/* The number of the --set of this run whose key an assignment has; -1: none. */
static int find_set(const arguments *a, const char *assignment) {
  int i = a->said.sets - 1;
  while (i >= 0 && !same_key(a->said.set[i], assignment))
    i--;
  return i;
}

static cas_status load(arguments *a, cas_config **config, cas_error *err) {
  CAS_OWNED void *text;
  size_t size;
  cas_status st = cas_app_configuration(a->said.name[0], &text, &size, err);
  if (!st)
    st = cas_config_parse(text, size, a->said.name[0], config, err);
  /* which keys the file itself has, before any is set */
  if (!st && !(a->filed = calloc((size_t)a->said.sets + 1, sizeof *a->filed)))
    st = cas_no_memory(err);
  for (int i = 0; !st && i < a->said.sets; i++) {
    const char *key;
    const size_t n = cas_config_key_of(a->said.set[i], &key);
    CAS_OWNED char *path = strndup(key, n);
    a->filed[i] = path && cas_config_has(*config, path);
  }
  for (int i = 0; !st && i < a->said.sets; i++)
    st = cas_config_set(*config, a->said.set[i], err);
  return cas_agree(st, MPI_COMM_WORLD, err);
}

/* ---- progress ---- */

typedef struct {
  bool terminal;
  int round;       /* the present one: a study of several begins anew in each */
  double shown_at; /* seconds of this round */
  int tenths;      /* of this round, shown so far */
} progress;

typedef struct {
  char round[24], spent[32], left[32], rate[48];
} texts;

static void bar(progress *p, double share, double seconds, const texts *t) {
  enum { WIDTH = 30 };
  char text[WIDTH + 1];
  if (seconds - p->shown_at < 0.2 && share < 1)
    return;
  p->shown_at = seconds;
  for (int i = 0; i < WIDTH; i++)
    text[i] = i < share * WIDTH ? '#' : '.';
  text[WIDTH] = '\0';
  fprintf(stderr, "\r[%s] %s%5.1f%%  %s, %s left, %s\033[K%s", text, t->round, 100 * share,
          t->spent, t->left, t->rate, share >= 1 ? "\n" : "");
  fflush(stderr);
}

static void line(progress *p, double share, double seconds, const texts *t) {
  int tenths = (int)(share * 10 + 1e-9);
  if (tenths <= p->tenths || seconds < 1)
    return;
  p->tenths = tenths;
  fprintf(stderr, "casimir: %s%3d%% after %s, %s left, %s\n", t->round, tenths * 10, t->spent,
          t->left, t->rate);
}

/* Progress on standard error: a bar on a terminal, a line every 10% otherwise. */
static void show_progress(void *of, int round, double share, int64_t paths, double seconds) {
  progress *p = of;
  texts t = {0};
  if (ferror(stderr)) /* nobody reads it any more */
    return;
  if (round != p->round)
    *p = (progress){.terminal = p->terminal, .round = round};
  if (round > 1)
    snprintf(t.round, sizeof t.round, "round %d, ", round);
  cas_text_duration(t.spent, sizeof t.spent, seconds);
  cas_text_duration(t.left, sizeof t.left, seconds * (1 - share) / share);
  snprintf(t.rate, sizeof t.rate, "%.3g paths/s on all ranks", share * (double)paths / seconds);
  (p->terminal ? bar : line)(p, share, seconds, &t);
}

/* ---- the run ---- */

static cas_status run_configuration(arguments *a, int ranks, FILE *report, cas_results *results,
                                    cas_error *err) {
  CAS_OWNED_BY(cas_config_release) cas_config *config = NULL;
  progress shown = {.terminal = isatty(STDERR_FILENO)};
  CAS_CALL(cas_launch_check_alone(ranks, err));
  CAS_CALL(load(a, &config, err));
  cas_run_request q = cas_arguments_request(&a->said);
  q.report = report;
  q.only_path = a->said.only_path >= 0 ? &a->said.only_path : NULL;
  q.replicate = find_set(a, "random.seed=") >= 0;
  if (!a->said.quiet) {
    q.progress = show_progress;
    q.progress_context = &shown;
  }
  if (q.dry_run || q.only_path)
    cas_signals_restore_pipe();
  cas_status st = cas_run(config, &q, MPI_COMM_WORLD, results, err);
  const char *output = q.output ? q.output : cas_config_text(config, "output.file");
  a->output = output ? strdup(output) : NULL;
  return st;
}

/* ---- the command that would resolve more ---- */

/* The next assignment of an advice from *rest on, to be freed; NULL behind the last. */
static char *next_advised(const char **rest) {
  static const char option[] = "--set ";
  const char *begin = strstr(*rest, option);
  if (!begin)
    return NULL;
  begin += strlen(option);
  const bool quoted = *begin == '\'';
  begin += quoted;
  const size_t n = strcspn(begin, quoted ? "'" : " ");
  *rest = begin + n;
  return strndup(begin, n);
}

static void put_set(FILE *f, const char *assignment) {
  fputs(" --set ", f);
  cas_text_shell(f, assignment);
}

/* The command of this run with the advice of its result, each key once, and a file of its own; the
   caller frees it. NULL: there is no advice. */
static char *resolving_command(const arguments *a, const char *advice) {
  char *text = NULL, *next;
  size_t size;
  FILE *f = advice[0] ? open_memstream(&text, &size) : NULL;
  if (!f)
    return NULL;
  fputs("casimir run ", f);
  cas_text_shell(f, a->said.name[0]);
  for (int i = 0; i < a->said.sets; i++) { /* what the advice does not set itself */
    bool advised = false;
    for (const char *rest = advice; (next = next_advised(&rest)); free(next))
      advised |= same_key(a->said.set[i], next);
    if (!advised)
      put_set(f, a->said.set[i]);
  }
  for (const char *rest = advice; (next = next_advised(&rest)); free(next)) {
    const int given = find_set(a, next);
    const bool away = next[cas_text_stem(next, "=null")];
    if (!(away && given >= 0 && !a->filed[given])) /* what --set alone had given need not go */
      put_set(f, next);
  }
  if (a->output)
    cas_result_other_output(f, a->output);
  return cas_text_close(f, &text);
}

static int run_and_report(arguments *a, int rank, int ranks) {
  CAS_OWNED_BY(cas_results_free) cas_results results = {0};
  cas_listing tables;
  cas_error err = {0};
  (a->said.dry_run ? cas_listing_begin_at_once : cas_listing_begin)(&tables);
  cas_status st = run_configuration(a, ranks, tables.stream, &results, &err);
  bool written = (!st || st == CAS_CHECK_FAILED) && !a->said.dry_run && a->said.only_path < 0;
  if (rank == 0 && written && !a->said.quiet) {
    CAS_OWNED_BY(cas_frame_free) cas_frame own = {0};
    const cas_frame *result = cas_result_of(&results, &own, &(cas_error){0});
    CAS_OWNED char *resolving = result ? resolving_command(a, result->advice) : NULL;
    cas_listing_results(&tables, &results, a->said.all, a->output, resolving);
  }
  free(a->filed);
  free(a->output);
  st = cas_listing_end(&tables, st, &err);
  if (rank == 0 && st)
    cas_app_error(&err);
  cas_bcast(&st, sizeof st, MPI_BYTE, 0, MPI_COMM_WORLD);
  return cas_exit_status(st);
}

/* ---- the command line ---- */

/* argp writes to `stderr`, which glibc lets a program set; of all ranks one is to speak. */
static cas_status parse_arguments(int argc, char **argv, int rank, cas_arguments *a,
                                  cas_error *err) {
  FILE *const standard_error = stderr;
  CAS_OWNED char *said = NULL;
  size_t size;
  FILE *f = open_memstream(&said, &size);
  CAS_NEED(f);
  stderr = f;
  bool wrong = cas_arguments_parse(&run, argc, argv, ARGP_NO_EXIT | ARGP_NO_HELP, a) != 0;
  stderr = standard_error;
  fclose(f);
  char where[40] = "";
  if (rank > 0)
    snprintf(where, sizeof where, "casimir: on rank %d: ", rank);
  if (wrong) { /* cas_fail would write the ends of its lines as \n */
    err->status = CAS_BAD_INPUT;
    snprintf(err->text, sizeof err->text, "%s%s", where, said);
  }
  return wrong ? CAS_BAD_INPUT : CAS_OK;
}

/* Ranks that were given something else must not wait for each other, so they compare it first. */
static int run_on_all(int argc, char **argv, int rank, int ranks) {
  const bool help = cas_arguments_ask_for_help(argc, argv);
  arguments a = {0};
  cas_error err = {0};
  cas_status st = cas_launch_compare("run", argc, argv, help, &err);
  if (st && rank == 0)
    cas_app_error(&err);
  if (st)
    return cas_exit_status(st);
  if (help) {
    if (rank == 0)
      cas_arguments_help(&run, argv[0]);
    return EXIT_SUCCESS;
  }
  st = cas_agree(parse_arguments(argc, argv, rank, &a.said, &err), MPI_COMM_WORLD, &err);
  if (st && rank == 0)
    fputs(err.text, stderr);
  const int status = st ? cas_exit_status(st) : run_and_report(&a, rank, ranks);
  cas_arguments_free(&a.said);
  return status;
}

int cas_app_run(int argc, char **argv) {
  int rank, ranks;
  cas_launch_begin(&argc, &argv, true, &rank, &ranks);
  const int status = run_on_all(argc, argv, rank, ranks);
  cas_launch_finish();
  return status;
}
