/* Signals only leave a mark here; ranks agree on what to do about it where they can. */
#include "app/app.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static volatile sig_atomic_t save, leave, at_once;
static bool speaks; /* of all ranks one */

static void on_save(int number CAS_UNUSED) { save = 1; }

static void on_leave(int number CAS_UNUSED) {
  static const char text[] = "casimir: interrupted; there was nothing to save.\n";
  if (at_once) {
    if (speaks)
      (void)!write(STDERR_FILENO, text, sizeof text - 1);
    _exit(cas_exit_status(CAS_INTERRUPTED));
  }
  leave = 1;
}

/* Unless they are ignored already: by nohup, by a shell for its background, or by whoever does not
   want to hear of a limit. A second Ctrl-C ends the program at once. The last three are time
   limits: of ulimit -t, and of timers that whoever started the program has set and that outlast
   exec. */
static const struct {
  int number, flags;
} also_leave[] = {{SIGINT, SA_RESETHAND}, {SIGHUP, 0},    {SIGXCPU, 0},
                  {SIGALRM, 0},           {SIGVTALRM, 0}, {0}};

static void (*pipe_before)(int) = SIG_DFL; /* what SIGPIPE did when the program started */

static void handle(int number, void (*handler)(int), int flags) {
  struct sigaction a = {.sa_handler = handler, .sa_flags = SA_RESTART | flags};
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
  be_warned_of_time();
  handle(SIGUSR1, on_save, 0);
  handle(SIGUSR2, on_leave, 0);
  handle(SIGTERM, on_leave, 0);
  for (int i = 0; also_leave[i].number; i++)
    if (!ignored(also_leave[i].number))
      handle(also_leave[i].number, on_leave, also_leave[i].flags);
  /* A file size limit and a reader that is gone are errors of a write, and not the end of a run. */
  signal(SIGXFSZ, SIG_IGN);
  pipe_before = signal(SIGPIPE, SIG_IGN);
}

void cas_signals_restore(void) {
  signal(SIGUSR1, SIG_IGN);
  signal(SIGUSR2, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
  cas_signals_restore_pipe();
  for (int i = 0; also_leave[i].number; i++)
    if (!ignored(also_leave[i].number))
      signal(also_leave[i].number, SIG_DFL);
}

void cas_signals_restore_pipe(void) { signal(SIGPIPE, pipe_before); }

/* MPI may be starting, so that the launcher tells which rank this is. */
void cas_signals_leave_at_once(void) {
  static const char *const ranks[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", NULL};
  speaks = true;
  for (const char *const *rank = ranks; *rank; rank++)
    speaks = speaks && (!getenv(*rank) || atoi(getenv(*rank)) == 0);
  at_once = 1;
}

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
