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

/* From a terminal, unless they are ignored already: by nohup, or by a shell for its background. A second
   Ctrl-C ends the program at once. */
static const struct {
  int number, flags;
} of_terminal[] = {{SIGINT, SA_RESETHAND}, {SIGHUP, 0}, {0}};

static void handle(int number, void (*handler)(int), int flags) {
  struct sigaction a = {.sa_handler = handler, .sa_flags = SA_RESTART | flags};
  sigemptyset(&a.sa_mask);
  sigaction(number, &a, NULL);
}

static bool ignored(int number) {
  struct sigaction a;
  return sigaction(number, NULL, &a) == 0 && a.sa_handler == SIG_IGN;
}

void cas_signals_catch(void) {
  handle(SIGUSR1, on_save, 0);
  handle(SIGUSR2, on_leave, 0);
  handle(SIGTERM, on_leave, 0);
  for (int i = 0; of_terminal[i].number; i++)
    if (!ignored(of_terminal[i].number))
      handle(of_terminal[i].number, on_leave, of_terminal[i].flags);
  signal(SIGXFSZ, SIG_IGN); /* a file size limit is an error of a write, with a message */
}

void cas_signals_obey(void) {
  signal(SIGUSR1, SIG_IGN);
  signal(SIGUSR2, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
  for (int i = 0; of_terminal[i].number; i++)
    if (!ignored(of_terminal[i].number))
      signal(of_terminal[i].number, SIG_DFL);
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
