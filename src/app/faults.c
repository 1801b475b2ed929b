/* What a program says whose code ends it: by a fault, or by exit(), _exit() or quick_exit() in the
   middle of a run. Functions of users' files do this, and the status of exit(0) would be that of a
   run that is done. */
#include "app/app.h"
#include "math/kernels/plugin.h"

#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>

enum { FRAMES = 48, STACK = 1 << 16 };

static const struct {
  int number;
  const char *name; /* strsignal may allocate, which no handler may do */
} faults[] = {{SIGSEGV, "Segmentation fault"},
              {SIGBUS, "Bus error"},
              {SIGFPE, "Floating point exception"},
              {SIGILL, "Illegal instruction"},
              {SIGABRT, "Aborted"}};
enum { FAULTS = sizeof faults / sizeof *faults };

static struct sigaction before[FAULTS]; /* handlers of MPI, which show the stack */
static pid_t program;                   /* 0: nothing is watched; a process that it forks is not */

const char *cas_faults_file(void) {
  void *frame[FRAMES];
  const char *file = NULL;
  const int n = program == getpid() ? backtrace(frame, FRAMES) : 0;
  for (int i = 0; !file && i < n; i++)
    file = cas_plugin_file_of(frame[i]);
  return file;
}

void cas_faults_write(const char *const *part) {
  char text[1000];
  size_t n = 0;
  for (; *part; part++)
    for (const char *from = *part; *from && n < sizeof text; from++)
      text[n++] = *from;
  (void)!write(STDERR_FILENO, text, n);
}

/* Memory that one function spoils may end another one. */
static void say(const char *what, const char *file) {
  const char *any = file ? file : cas_plugin_file_of(NULL);
  cas_faults_write((const char *const[]){
      "casimir: ", what, " ended the program",
      file  ? ", in a function of "
      : any ? ", in no function of yours, but one of "
            : "",
      any ? any : "", any && !file ? " may have written beyond its arrays" : "",
      ". The last checkpoint, if there is one, is kept.\n", NULL});
}

/* Leaves the rest to the handler before: a fault is met again, where this one returns. */
static void on_fault(int number, siginfo_t *info, void *context CAS_UNUSED) {
  static volatile sig_atomic_t met;
  const char *name = "";
  for (int i = 0; i < FAULTS; i++)
    if (faults[i].number == number) {
      name = faults[i].name;
      sigaction(number, &before[i], NULL);
    }
  if (!met && program == getpid()) {
    met = 1;
    say(name, cas_faults_file());
  }
  if (info->si_code <= 0) /* sent, as by abort() */
    raise(number);
}

/* The status that an end in the middle of a run has. Statuses of MPI that say what went wrong stay
   as they are; those of a user's function could be any of casimir's own. */
static int judge(int status, const char *how) {
  const bool watched = program == getpid();
  const char *file = watched ? cas_faults_file() : NULL;
  if (!watched || (!file && status != EXIT_SUCCESS && status != EXIT_FAILURE))
    return status;
  cas_faults_leave();
  say(how, file);
  return cas_exit_status(CAS_INTERNAL);
}

static void end_as_judged(int status, const char *how) {
  const int judged = judge(status, how);
  if (judged != status)
    _exit(judged);
}

static void on_end(int status, void *none CAS_UNUSED) { end_as_judged(status, "exit()"); }

static void on_quick_end(void) { end_as_judged(EXIT_SUCCESS, "quick_exit()"); }

/* These run no handlers. Libraries and users' files find the functions of the program before those
   of the C library. */
static _Noreturn void end_at_once(int status) {
  const int judged = judge(status, "_exit()");
  for (;;)
    syscall(SYS_exit_group, judged);
}

__attribute__((visibility("default"))) void _exit(int status) { end_at_once(status); }

__attribute__((visibility("default"))) void _Exit(int status) { end_at_once(status); }

/* The end of the first thread alone, by pthread_exit(): the others would wait for it for ever. */
static void on_thread_end(void *program_of) {
  if (program_of && program == getpid()) {
    const char *any = cas_plugin_file_of(NULL);
    cas_faults_leave();
    say("pthread_exit()", any);
    syscall(SYS_exit_group, cas_exit_status(CAS_INTERNAL));
  }
}

void cas_faults_watch(void) {
  pthread_key_t key;
  if (!pthread_key_create(&key, on_thread_end))
    (void)pthread_setspecific(key, &program);
  static char stack[STACK]; /* for functions that have used up their own */
  void *first;
  (void)backtrace(&first, 1); /* loads what it needs, which no handler may do */
  (void)sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
  program = getpid();
  on_exit(on_end, NULL);
  at_quick_exit(on_quick_end);
  for (int i = 0; i < FAULTS; i++) {
    struct sigaction a = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&a.sa_mask);
    sigaction(faults[i].number, &a, &before[i]);
  }
}

void cas_faults_leave(void) { program = 0; }
