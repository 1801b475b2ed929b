#include "app/app.h"
#include "base/name_list.h"
#include "base/text.h"
#include "math/blas/blas.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>

static const struct {
  const char *name, *summary;
  int (*run)(int argc, char **argv);
} commands[] = {
    {"run", "run the study that a configuration states", cas_app_run},
    {"describe", "systems, integrators, generators, studies, observables, and their keys",
     cas_app_describe},
    {"plot", "draw a picture of a results file", cas_app_plot},
    {"export", "write what a results file holds for ParaView", cas_app_export},
    {"evaluate", "compute an observable of states, for other programs", cas_app_evaluate},
    {"sweep", "run the study for every value of some keys", cas_app_sweep},
    {"merge", "merge runs with different paths or seeds into one results file", cas_app_merge},
    {"build", "compile a system or a scheme of your own into a file for configurations",
     cas_app_build},
    {"report", "print the tables of results files", cas_app_report},
    {NULL, NULL, NULL}};

/* Examples, of which the manual page consists too: tests/test_manual.sh looks whether their options
   exist. */
static const char examples[] =
    "  casimir run study.yaml --dry-run                   what would run, how long, in what "
    "memory\n"
    "  casimir run study.yaml --set study.paths=100000    with another value of a key\n"
    "  mpirun -n 8 casimir run study.yaml --resume        on 8 cores; goes on where it was "
    "stopped\n"
    "  casimir run study.yaml --only-path 17              one path alone, such as one that failed\n"
    "  casimir report study.h5                            tables; of several files one table\n"
    "  casimir report study.h5 --html study.html          verdicts, figures, tables as a page\n"
    "  casimir plot study.h5 --output study.pdf           the figure\n"
    "  casimir sweep study.yaml --set system.noise.sigma=0.1,0.2 --output sigma.h5\n"
    "                                                     sigma-1.h5, sigma-2.h5: a run for each\n"
    "  casimir report sigma-*.h5 --format csv             all estimates, for other programs\n"
    "  casimir merge a.h5 b.h5 --output both.h5           runs of other seeds or paths as one\n"
    "  casimir describe rigid_body                        keys and observables of a system\n"
    "  casimir build --template system >mine.c            a system of your own\n";

static void help(FILE *f) {
  fprintf(f, "Usage: casimir COMMAND [ARGUMENTS]\n"
             "Ensembles and convergence studies of stochastic Lie-Poisson systems.\n\n");
  for (int i = 0; commands[i].name; i++)
    fprintf(f, "  casimir %-10s %s\n", commands[i].name, commands[i].summary);
  fprintf(f,
          "  casimir --version  version, commit, compiler, MPI, HDF5, BLAS, kernels\n"
          "  casimir help COMMAND\n\n"
          "Run it bare (one process), under `mpirun -n P casimir run ...`, or under srun.\n\n"
          "Examples:\n%s\n"
          "Exit status:\n",
          examples);
#define CAS_STATUS_HELP(name, value, code, text) fprintf(f, "  %2d  %s\n", code, text);
  CAS_STATUS_LIST(CAS_STATUS_HELP)
#undef CAS_STATUS_HELP
}

/* Help is as wide as the terminal, or as COLUMNS says, but no wider than can be read. */
static void set_help_width(void) {
  const char *columns = getenv("COLUMNS");
  struct winsize window = {0};
  int width = columns ? (int)strtol(columns, NULL, 10) : 0;
  if (width <= 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0)
    width = window.ws_col;
  if (width <= 0)
    return;
  char format[32];
  width = width < 60 ? 60 : width > 100 ? 100 : width;
  snprintf(format, sizeof format, "rmargin=%d", width - 1);
  setenv("ARGP_HELP_FMT", format, false);
}

/* `help COMMAND` and `COMMAND -h` become `COMMAND --help`. */
static void spell_help(int argc, char **argv) {
  static char long_option[] = "--help";
  if (argc == 3 && strcmp(argv[1], "help") == 0) {
    argv[1] = argv[2];
    argv[2] = long_option;
  } else if (argc == 3 && strcmp(argv[2], "-h") == 0) {
    argv[2] = long_option;
  }
}

static int perform(int argc, char **argv) {
  if (argc < 2) {
    help(stderr);
    return cas_exit_status(CAS_BAD_INPUT);
  }
  spell_help(argc, argv);
  set_help_width();
  if (cas_name_list_find((const char *[]){"--help", "-h", "help", NULL}, argv[1]) >= 0) {
    help(stdout);
    return EXIT_SUCCESS;
  }
  if (cas_name_list_find((const char *[]){"--version", "-V", "version", NULL}, argv[1]) >= 0) {
    cas_print_version(stdout);
    return EXIT_SUCCESS;
  }
  const char *names[sizeof commands / sizeof *commands];
  for (int i = 0; (names[i] = commands[i].name); i++)
    if (strcmp(commands[i].name, argv[1]) == 0) {
      char name[64];
      snprintf(name, sizeof name, "casimir %s", argv[1]);
      argv[1] = name;
      return commands[i].run(argc - 1, argv + 1);
    }
  const char *near = cas_nearest(argv[1], names);
  char shown[80];
  cas_text_show(shown, sizeof shown, argv[1]);
  fprintf(stderr, "casimir: unknown command '%.60s'", shown);
  if (near)
    fprintf(stderr, "; did you mean '%s'?", near);
  fprintf(stderr, " (casimir --help lists them)\n");
  return cas_exit_status(CAS_BAD_INPUT);
}

/* Several processes that a launcher started agree on what they are to do, and rank 0 does it. One
   that knows nothing of MPI would leave ranks that wait for it waiting. */
static int agree_on_command(int argc, char **argv, bool *mine) {
  int rank;
  cas_error err = {0};
  MPI_Init(NULL, NULL);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  cas_status st = cas_launch_compare(argc > 1 ? argv[1] : "none", argc - 1, argv + 1, false, &err);
  if (st && rank == 0)
    cas_app_error(&err);
  MPI_Finalize();
  *mine = rank == 0;
  return cas_exit_status(st);
}

/* ---- standard streams ---- */

static void check_written(int status, void *none CAS_UNUSED) {
  static const cas_error err = {CAS_FILE_ERROR, "standard output could not be written"};
  if (status == EXIT_SUCCESS && (fflush(stdout) == EOF || ferror(stdout)))
    _exit(cas_app_error(&err));
}

/* In the place of a standard stream that is closed it opens one that cannot be read or written:
   otherwise the next file would take its number, and results would get its text. A command that
   would end with success, but could not write to standard output, ends with CAS_FILE_ERROR, whoever
   wrote there. */
static void prepare_streams(void) {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
    if (fcntl(stream, F_GETFD) < 0)
      (void)!open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  on_exit(check_written, NULL);
}

/* ---- one thread for OpenBLAS, and an end that comes ---- */

/* OpenBLAS starts a thread for every processor that the program may use, before main, and waits for
   all of them when the program ends. Each wants memory of its own: one that gets none (ulimit -v)
   looks for some for ever, and the program never ends. Its number of threads follows the processors
   that it is allowed, whatever OPENBLAS_NUM_THREADS says, so there is one of them while libraries
   are loaded. */
static cpu_set_t allowed[8]; /* 8192 processors */
static bool restricted;

static void use_one_processor(void) {
  cpu_set_t one[8];
  int here = sched_getcpu();
  if (here < 0 || sched_getaffinity(0, sizeof allowed, allowed) != 0)
    return;
  CPU_ZERO_S(sizeof one, one);
  CPU_SET_S((size_t)here, sizeof one, one);
  restricted = sched_setaffinity(0, sizeof one, one) == 0;
}

/* What a program has here runs before the constructors of all its libraries. */
__attribute__((section(".preinit_array"),
               used)) static void (*const before_libraries)(void) = use_one_processor;

/* The constructors of a program run after the constructors of its libraries. */
__attribute__((constructor)) static void use_all_processors(void) {
  if (restricted)
    sched_setaffinity(0, sizeof allowed, allowed);
}

static volatile sig_atomic_t final_status;

static void end_now(int number CAS_UNUSED) { _exit(final_status); }

/* The last thing before main returns: flushes all streams, and has the program end with that status
   even where the destructor of a library does not return. */
static void end_in_time(int status) {
  const unsigned patience = 10; /* seconds; destructors take milliseconds */
  sigset_t alarm_alone;
  sigemptyset(&alarm_alone);
  sigaddset(&alarm_alone, SIGALRM);
  fflush(NULL);
  final_status = status;
  signal(SIGALRM, end_now);
  sigprocmask(SIG_UNBLOCK, &alarm_alone, NULL);
  alarm(patience);
}

int main(int argc, char **argv) {
  CAS_LOCALE_OF_C; /* whatever a library or a file of the user's sets */
  static const char *const of_all_ranks[] = {"run", "sweep", "merge", NULL};
  const bool run = argc > 1 && cas_name_list_find(of_all_ranks, argv[1]) >= 0;
  bool mine = true;
  prepare_streams();
  cas_blas_choose(argv);
  signal(SIGXFSZ, SIG_IGN); /* writes beyond the limit of a file's size fail instead */
  int status = !run && cas_launch_several() ? agree_on_command(argc, argv, &mine) : EXIT_SUCCESS;
  if (status == EXIT_SUCCESS && mine)
    status = perform(argc, argv);
  end_in_time(status);
  return status;
}
