/* Starts the Python package, found beside the program, in a process group with what it starts. */
#include "app/app.h"
#include "app/arguments.h"
#include "files/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

enum { PATIENCE = 15 /* seconds from a signal that asks to one that does not */ };

/* ---- the package ---- */

bool cas_app_find(const char *const places[2], const char *mark, char program[PATH_MAX],
                  char found[PATH_MAX]) {
  const ssize_t n = readlink("/proc/self/exe", program, PATH_MAX - 1);
  program[n > 0 ? n : 0] = '\0';
  const char *slash = strrchr(program, '/');
  bool there = false;
  for (int i = 0; slash && !there && i < 2; i++) {
    char file[PATH_MAX];
    const int length = (int)(slash - program),
              all = snprintf(file, sizeof file, "%.*s/%s/%s", length, program, places[i], mark);
    there = all < PATH_MAX && access(file, R_OK) == 0;
    snprintf(found, PATH_MAX, "%.*s", all - (int)strlen(mark) - 1, file);
  }
  return there;
}

/* Sets CASIMIR too, by which the package finds the program. */
static cas_status find_package(char package[PATH_MAX], cas_error *err) {
  static const char *const places[] = {"share/casimir/python", CAS_PYTHON_INSTALLED};
  char program[PATH_MAX];
  CAS_FAIL_IF(!cas_app_find(places, "__main__.py", program, package), CAS_FILE_ERROR,
              "the Python package that draws is neither in %s nor in %s of the directory of %s; a "
              "program that is moved needs it beside itself: install casimir again with `cmake "
              "--install`, or copy src/python there",
              places[1], places[0], program);
  return setenv("CASIMIR", program, 1) ? cas_no_memory(err) : CAS_OK;
}

void cas_drawing_ask(cas_drawing *d, const char *key, const char *value) {
  char *text = NULL;
  if (d->n == CAS_DRAWING_MOST)
    cas_fail(&d->err, CAS_BAD_INPUT, "at most %d files and options are drawn at once",
             CAS_DRAWING_MOST);
  else if (asprintf(&text, "%s=%s", key, value) < 0)
    cas_no_memory(&d->err);
  else
    d->argument[d->n++] = text;
}

/* ---- the process ---- */

/* With `into` >= 0 it writes there, and says nothing else. In a process group of its own, so
   that Ctrl-C reaches this program alone, which then ends all of it. */
static int spawn(char **arguments, int into, pid_t *pid) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t pipes;
  sigemptyset(&pipes);
  sigaddset(&pipes, SIGPIPE);
  posix_spawn_file_actions_init(&actions); /* these four never fail on Linux */
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigdefault(&attributes, &pipes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  int error = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  if (!error && into >= 0)
    error = posix_spawn_file_actions_adddup2(&actions, into, 1);
  if (!error && into >= 0)
    error = posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  if (!error)
    error = posix_spawnp(pid, arguments[0], &actions, &attributes, arguments, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

/* Hands on what asks to leave, and insists after some seconds. The package ends what it has
   started: processes that draw frames, ended by others, would keep it waiting for their locks. */
static int wait_for(pid_t pid, bool *asked) {
  const struct timespec moment = {.tv_nsec = 2000000};
  int status = 0, waited = 0;
  for (pid_t ended; (ended = waitpid(pid, &status, WNOHANG)) != pid;) {
    if (ended < 0 && errno != EINTR)
      return -1;
    if (cas_signals_poll(NULL) & CAS_SIGNAL_LEAVE) {
      kill(*asked ? -pid : pid, *asked ? SIGKILL : SIGTERM);
      *asked = true;
    }
    if (*asked && ++waited > PATIENCE * 500)
      kill(-pid, SIGKILL);
    nanosleep(&moment, NULL);
  }
  kill(-pid, SIGKILL); /* what it has started and left behind */
  return status;
}

/* The package ends with statuses of casimir, and Python itself with 1 behind its message. */
static bool has_said_why(int status) {
#define CAS_STATUS_IS(name, value, code, text) status == code ||
  return CAS_STATUS_LIST(CAS_STATUS_IS) false;
#undef CAS_STATUS_IS
}

/* *exit_status: that the package has ended with, and has said why. */
static cas_status perform(cas_drawing *d, const char *package, const char *command, int into,
                          int *exit_status, cas_error *err) {
  const char *own = getenv("CASIMIR_PYTHON");
  char *arguments[CAS_DRAWING_MOST + 4] = {(char *)(own && *own ? own : "python3"), (char *)package,
                                           (char *)command};
  pid_t pid = 0;
  bool asked = false;
  for (int i = 0; i < d->n; i++)
    arguments[3 + i] = d->argument[i];
  const int error = spawn(arguments, into, &pid);
  CAS_FAIL_IF(error == ENOENT, CAS_INTERNAL,
              "%s was not found on the PATH; figures, films, pages and exports need Python 3 "
              "with matplotlib and h5py (Debian: apt-get install python3-matplotlib python3-h5py)",
              arguments[0]);
  const cas_status kind = error == EMFILE || error == ENFILE ? CAS_FILE_ERROR
                          : error == ENOMEM                  ? CAS_NO_MEMORY
                                                             : CAS_INTERNAL;
  CAS_FAIL_IF(error, kind, "cannot start %s: %s", arguments[0], strerror(error));
  const int status = wait_for(pid, &asked);
  if (WIFEXITED(status) && has_said_why(WEXITSTATUS(status))) {
    *exit_status = WEXITSTATUS(status);
    return CAS_OK;
  }
  CAS_FAIL_IF(WIFEXITED(status), CAS_INTERNAL, "%s, which draws, ended with status %d",
              arguments[0], WEXITSTATUS(status));
  CAS_FAIL_IF(asked, CAS_INTERRUPTED, "interrupted; %s, which draws, was ended", arguments[0]);
  return cas_fail(err, CAS_INTERNAL, "%s, which draws, was ended by signal %d", arguments[0],
                  WTERMSIG(status));
}

int cas_drawing_make(cas_drawing *d, const char *command, const char *output, cas_leftover kind) {
  cas_replacement r = {0};
  cas_error *err = &d->err;
  char package[PATH_MAX];
  int exit_status = EXIT_SUCCESS;
  const bool replaces = output && strcmp(output, "-") != 0;
  cas_status st = err->status ? err->status : find_package(package, err);
  if (!st && replaces)
    st = cas_replacement_begin(output, kind, &r, err);
  if (!st && output) {
    cas_drawing_ask(d, "into", replaces ? r.temporary : "-");
    st = err->status;
  }
  if (!st) {
    cas_signals_catch();
    st = perform(d, package, command, -1, &exit_status, err);
    cas_signals_restore();
  }
  /* The package has said why it failed. */
  cas_error said = {.status = CAS_INTERNAL};
  st = cas_replacement_end(&r, !st && exit_status ? CAS_INTERNAL : st, exit_status ? &said : err);
  if (err->status)
    exit_status = cas_app_error(err);
  while (d->n > 0)
    free(d->argument[--d->n]);
  return exit_status;
}

void cas_drawing_list(FILE *f, const char *what) {
  cas_drawing d = {0};
  cas_error err = {0};
  char package[PATH_MAX];
  CAS_OWNED_BY(cas_owned_stream) FILE *list = tmpfile();
  int status = EXIT_SUCCESS;
  if (list && !find_package(package, &err) &&
      !perform(&d, package, what, fileno(list), &status, &err) && status == EXIT_SUCCESS) {
    rewind(list);
    for (int c; (c = fgetc(list)) != EOF;)
      fputc(c, f);
  }
}
