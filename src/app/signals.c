/* Signals only leave a mark here; ranks agree on what to do about it where they can. */
#include "app/app.h"

#include <signal.h>
#include <sys/resource.h>

static volatile sig_atomic_t save, leave, at_once;
static bool speaks;                 /* of all ranks one */
static volatile sig_atomic_t asked; /* to leave, at least once, since signals are caught */
static struct timespec asked_at;    /* for the first time */

enum {
  PATIENCE = 10, /* seconds until a run that does not leave says why */
  APART = 1      /* seconds: `timeout` and launchers send a signal twice in a moment */
};

/* What a user's function does is told by every rank, the rest by one. */
static void say(const char *before, const char *in_file, const char *otherwise, const char *after) {
  const char *file = cas_faults_file();
  if (file || speaks)
    cas_faults_write((const char *const[]){"casimir: ", before, file ? in_file : otherwise,
                                           file ? file : "", after, NULL});
}

static void end_now(int number) {
  say("a second signal ended the run", ", in a function of ", ", before it could be saved",
      ". The last checkpoint, if there is one, is kept.\n");
  cas_faults_leave();
  if (number != SIGINT)
    _exit(cas_exit_status(CAS_INTERRUPTED));
  signal(SIGINT, SIG_DFL);
  raise(SIGINT); /* shells end a loop of runs where Ctrl-C has ended one */
}

static bool insists(int number) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return number == SIGINT || now.tv_sec - asked_at.tv_sec > APART ||
         (now.tv_sec - asked_at.tv_sec == APART && now.tv_nsec >= asked_at.tv_nsec);
}

static void on_save(int number CAS_UNUSED) { save = 1; }

static void on_leave(int number) {
  static const char text[] = "casimir: interrupted; there was nothing to save.\n";
  if (at_once) {
    if (speaks)
      (void)!write(STDERR_FILENO, text, sizeof text - 1);
    cas_faults_leave();
    _exit(cas_exit_status(CAS_INTERRUPTED));
  }
  if (!asked) {
    clock_gettime(CLOCK_MONOTONIC, &asked_at);
    asked = 1;
    alarm(PATIENCE);
  } else if (number == SIGALRM) /* a step, or a checkpoint of a large ensemble, may take long */
    say("asked to end 10 s ago, and still ", "in a function of ", "at work",
        ". A second signal ends the run at once and keeps the last checkpoint, if there is one.\n");
  else if (number != SIGVTALRM && number != SIGXCPU && insists(number))
    end_now(number);
  leave = 1;
}

/* Unless they are ignored already: by nohup, by a shell for its background, or by whoever does not
   want to hear of a limit. The last three are time limits: of ulimit -t, and of timers that whoever
   started the program has set and that outlast exec; they may come again and again. */
static const int also_leave[] = {SIGINT, SIGHUP, SIGXCPU, SIGALRM, SIGVTALRM, 0};

static void (*pipe_before)(int) = SIG_DFL; /* what SIGPIPE did when the program started */

static void handle(int number, void (*handler)(int)) {
  struct sigaction a = {.sa_handler = handler, .sa_flags = SA_RESTART};
  sigemptyset(&a.sa_mask);
  sigaction(number, &a, NULL);
}

static bool ignored(int number) {
  struct sigaction a;
  return sigaction(number, NULL, &a) == 0 && a.sa_handler == SIG_IGN;
}

/* A limit of processor time whose warning comes with its end (`ulimit -t`) ends a process by
   SIGKILL: the warning, SIGXCPU, is made to come before, in time for a checkpoint. */
static void be_warned_of_time(void) {
  struct rlimit l;
  if (getrlimit(RLIMIT_CPU, &l) || l.rlim_max == RLIM_INFINITY || l.rlim_cur < l.rlim_max ||
      l.rlim_max < 2)
    return;
  l.rlim_cur = l.rlim_max - (l.rlim_max < 50 ? 1 + l.rlim_max / 10 : 5);
  (void)setrlimit(RLIMIT_CPU, &l); /* if not, the last checkpoint counts */
}

void cas_signals_catch(void) {
  /* MPI may be starting, so that the launcher tells which rank this is. */
  static const char *const ranks[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", NULL};
  bool first = true;
  for (const char *const *rank = ranks; *rank; rank++)
    first &= !getenv(*rank) || atoi(getenv(*rank)) == 0;
  speaks = first;
  asked = 0;
  be_warned_of_time();
  handle(SIGUSR1, on_save);
  handle(SIGUSR2, on_leave);
  handle(SIGTERM, on_leave);
  for (const int *number = also_leave; *number; number++)
    if (!ignored(*number))
      handle(*number, on_leave);
  /* A file size limit and a reader that is gone are errors of a write, and not the end of a run. */
  signal(SIGXFSZ, SIG_IGN);
  pipe_before = signal(SIGPIPE, SIG_IGN);
}

void cas_signals_restore(void) {
  if (asked)
    alarm(0);
  signal(SIGUSR1, SIG_IGN);
  signal(SIGUSR2, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
  cas_signals_restore_pipe();
  for (const int *number = also_leave; *number; number++)
    if (!ignored(*number))
      signal(*number, SIG_DFL);
}

void cas_signals_restore_pipe(void) { signal(SIGPIPE, pipe_before); }

void cas_signals_leave_at_once(void) { at_once = 1; }

void cas_signals_begin(void *context CAS_UNUSED) { at_once = 0; }

/* Resets a mark only if it was seen set, because a signal may come at any moment. */
static bool take(volatile sig_atomic_t *mark) {
  if (!*mark)
    return false;
  *mark = 0;
  return true;
}

unsigned cas_signals_poll(void *context CAS_UNUSED) {
  return (take(&save) ? CAS_SIGNAL_SAVE : 0) | (take(&leave) ? CAS_SIGNAL_LEAVE : 0);
}
