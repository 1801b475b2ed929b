/* No signal is lost, whenever it comes: at every instruction of a look at the signals. */
#include "app/app.h"
#include "suite.h"

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

/* `status` is that of a process that does this. */
#define CHILD(status, statement) \
  int status;                    \
  const pid_t child = fork();    \
  if (child == 0) {              \
    statement;                   \
  }                              \
  ck_assert_int_eq(waitpid(child, &status, 0), child)
#define ENDED_WITH(status, value) (WIFEXITED(status) && WEXITSTATUS(status) == (value))
#define KILLED_BY(status, number) (WIFSIGNALED(status) && WTERMSIG(status) == (number))

/* Looks twice, and stops before and after the first time. Its status is what it has seen. */
static void look(void) {
  unsigned signals;
  cas_signals_catch();
  ptrace(PTRACE_TRACEME, 0, NULL, NULL);
  raise(SIGSTOP);
  signals = cas_signals_poll(NULL);
  raise(SIGSTOP);
  signals |= cas_signals_poll(NULL);
  _exit((int)signals);
}

/* the signal that stopped it; 0: it has ended */
static int stopped_by(pid_t child, int *status) {
  ck_assert_int_eq(waitpid(child, status, 0), child);
  return WIFSTOPPED(*status) ? WSTOPSIG(*status) : 0;
}

static void go_on(pid_t child, int how, int number) {
  ck_assert_int_eq(ptrace(how, child, NULL, (void *)(intptr_t)number), 0);
}

/* Lets a look meet a signal after some instructions. What it has seen, or -1 if there are not as
   many. */
static int meet(int number, int instructions) {
  int status, reason = 0;
  pid_t child = fork();
  if (child == 0)
    look();
  ck_assert_int_eq(stopped_by(child, &status), SIGSTOP);
  for (int i = 0; i < instructions && reason != SIGSTOP; i++) {
    go_on(child, PTRACE_SINGLESTEP, 0);
    reason = stopped_by(child, &status);
  }
  bool ended = reason == SIGSTOP;
  go_on(child, PTRACE_CONT, number);
  while (stopped_by(child, &status) != 0)
    go_on(child, PTRACE_CONT, 0);
  return ended ? -1 : WEXITSTATUS(status);
}

TEST_OVER(every_signal_is_seen, 8) {
  const struct {
    int number, asked;
  } of[] = {{SIGUSR1, CAS_SIGNAL_SAVE},  {SIGUSR2, CAS_SIGNAL_LEAVE},  {SIGTERM, CAS_SIGNAL_LEAVE},
            {SIGINT, CAS_SIGNAL_LEAVE},  {SIGHUP, CAS_SIGNAL_LEAVE},   {SIGXCPU, CAS_SIGNAL_LEAVE},
            {SIGALRM, CAS_SIGNAL_LEAVE}, {SIGVTALRM, CAS_SIGNAL_LEAVE}};
  int seen, n = 0;
  for (; (seen = meet(of[_i].number, n)) >= 0; n++)
    ck_assert_msg(seen == of[_i].asked, "signal %d after %d instructions: %d", of[_i].number, n,
                  seen);
  ck_assert_int_ge(n, 10);
}

TEST(a_second_interrupt_ends_it) {
  CHILD(status, {
    cas_signals_catch();
    raise(SIGINT);
    raise(SIGINT);
    _exit(0);
  });
  ck_assert(KILLED_BY(status, SIGINT));
}

/* Before there is anything to save they end the program, and afterwards they are heard. */
TEST_OVER(what_has_not_begun_ends_at_once, 6) {
  const int number = (const int[]){SIGUSR2, SIGTERM, SIGINT, SIGHUP, SIGXCPU, SIGALRM}[_i];
  CHILD(status, {
    cas_signals_catch();
    cas_signals_leave_at_once();
    raise(SIGUSR1);
    cas_signals_begin(NULL);
    raise(number);
    if (cas_signals_poll(NULL) != (CAS_SIGNAL_SAVE | CAS_SIGNAL_LEAVE))
      _exit(1);
    cas_signals_catch();
    cas_signals_leave_at_once();
    raise(number);
    _exit(2);
  });
  ck_assert(ENDED_WITH(status, cas_exit_status(CAS_INTERRUPTED)));
}

/* as nohup has it, a shell for what runs in its background, and Python for what it starts */
TEST_OVER(what_is_ignored_stays_so, 6) {
  const int number = (const int[]){SIGINT, SIGHUP, SIGXCPU, SIGALRM, SIGVTALRM, SIGPIPE}[_i];
  CHILD(status, {
    signal(number, SIG_IGN);
    cas_signals_catch();
    raise(number);
    unsigned seen = cas_signals_poll(NULL);
    cas_signals_restore();
    raise(number);
    _exit((int)seen);
  });
  ck_assert(ENDED_WITH(status, 0));
}

/* A reader that is gone ends what saves nothing, as it ends every program, and no run. */
TEST_OVER(a_broken_pipe_ends_what_saves_nothing, 2) {
  CHILD(status, {
    cas_signals_catch();
    raise(SIGPIPE);
    if (_i == 1)
      cas_signals_restore();
    raise(SIGPIPE);
    _exit((int)cas_signals_poll(NULL));
  });
  ck_assert(_i ? KILLED_BY(status, SIGPIPE) : ENDED_WITH(status, 0));
}

/* in some containers */
static bool tracing_is_forbidden(void) {
  int status = 0;
  pid_t child = fork();
  if (child == 0)
    _exit(ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0);
  return waitpid(child, &status, 0) != child || status != 0;
}

int main(void) { return tracing_is_forbidden() ? 77 : suite_run(false); }
