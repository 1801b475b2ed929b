/* Signals only leave a mark here; ranks agree on what to do about it where they can. */
#include "app.h"

#include <signal.h>

static volatile sig_atomic_t save, leave;

static void on_save(int number) {
  (void)number;
  save = 1;
}

static void on_leave(int number) {
  (void)number;
  leave = 1;
}

void cas_signals_catch(void) {
  struct sigaction a = {.sa_handler = on_save, .sa_flags = SA_RESTART};
  sigemptyset(&a.sa_mask);
  sigaction(SIGUSR1, &a, NULL);
  a.sa_handler = on_leave;
  sigaction(SIGUSR2, &a, NULL);
  sigaction(SIGTERM, &a, NULL);
  signal(SIGXFSZ, SIG_IGN); /* a file size limit is an error of a write, with a message */
}

void cas_signals_obey(void) {
  signal(SIGUSR1, SIG_IGN);
  signal(SIGUSR2, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
}

/* Takes a mark away only if it was seen: a signal may come at any moment. */
static bool take(volatile sig_atomic_t *mark) {
  if (!*mark)
    return false;
  *mark = 0;
  return true;
}

unsigned cas_signals_wishes(void *context) {
  (void)context;
  return (take(&save) ? CAS_WISH_SAVE : 0) | (take(&leave) ? CAS_WISH_LEAVE : 0);
}
