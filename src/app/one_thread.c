/* One thread for OpenBLAS, and an end that comes.
 *
 * OpenBLAS starts a thread for every processor that the program may use, before main, and waits for
 * all of them when the program ends. Each wants memory of its own: one that gets none (ulimit -v)
 * looks for some for ever, and the program never ends. Its number of threads follows the processors
 * that it is allowed, whatever OPENBLAS_NUM_THREADS says, so there is one of them while libraries
 * are loaded. */
#include "app/app.h"

#include <sched.h>
#include <signal.h>

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

void cas_launch_end(int status) {
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
