/* gnuplot as a process. */
#include "present/figure/figure.h"
#include "present/figure/process.h"
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_SCRIPTS = 2, REFUSED = 64 /* the exit status by which a template refuses a request */ };

/* Commands come from a file instead of a pipe: a gnuplot that dies cannot take this process along
   by SIGPIPE. It reads them as a script, so that it ends at the first error. */
static int spawn(FILE *commands, const char *const *scripts, int drawing, FILE *messages,
                 pid_t *pid) {
  char *arguments[4 + MOST_SCRIPTS] = {"gnuplot", "-d", "/dev/stdin"};
  posix_spawn_file_actions_t actions;
  int error = posix_spawn_file_actions_init(&actions);
  for (int i = 0; i < MOST_SCRIPTS && scripts[i]; i++)
    arguments[3 + i] = (char *)scripts[i];
  if (error)
    return error;
  error = posix_spawn_file_actions_adddup2(&actions, fileno(commands), 0);
  if (!error)
    error = posix_spawn_file_actions_adddup2(&actions, fileno(messages), 2);
  if (!error)
    error = posix_spawn_file_actions_adddup2(&actions, drawing, 1);
  if (!error)
    error = posix_spawnp(pid, "gnuplot", &actions, NULL, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

void cas_process_messages(FILE *messages, char *text, size_t size) {
  size_t n, kept = 0;
  if (fseek(messages, -(long)(size - 1), SEEK_END))
    rewind(messages);
  n = fread(text, 1, size - 1, messages);
  for (size_t i = 0; i < n; i++)
    if (!isspace((unsigned char)text[i]) || (kept > 0 && text[kept - 1] != ' '))
      text[kept++] = isspace((unsigned char)text[i]) ? ' ' : text[i];
  text[kept - (kept > 0 && text[kept - 1] == ' ')] = '\0';
}

/* What a template says for itself, behind warnings of gnuplot. */
static const char *refusal_in(const char *text) {
  static const char mark[] = "REFUSED ";
  const char *found = strstr(text, mark);
  return found ? found + strlen(mark) : text;
}

static cas_status wait_for(pid_t pid, FILE *messages, cas_status blame, char *text, size_t size,
                           cas_error *err) {
  int status;
  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR)
      return cas_fail(err, CAS_INTERNAL, "gnuplot: %s", strerror(errno));
  cas_process_messages(messages, text, size);
  if (WIFSIGNALED(status))
    return cas_fail(err, CAS_INTERNAL, "gnuplot was killed by signal %d", WTERMSIG(status));
  if (WEXITSTATUS(status) == 127)
    return cas_fail(err, CAS_INTERNAL, "gnuplot could not be started");
  if (WEXITSTATUS(status) == REFUSED)
    return cas_fail(err, CAS_BAD_INPUT, "%s", refusal_in(text));
  if (WEXITSTATUS(status))
    return cas_fail(err, blame, "gnuplot failed with exit status %d: %s", WEXITSTATUS(status),
                    text);
  return CAS_OK;
}

static cas_status start(FILE *commands, const char *const *scripts, int drawing, FILE *messages,
                        pid_t *pid, cas_error *err) {
  int error = spawn(commands, scripts, drawing, messages, pid);
  if (error == ENOENT)
    return cas_fail(err, CAS_INTERNAL,
                    "gnuplot was not found on the PATH; figures need it (Debian: apt-get install "
                    "gnuplot-nox)");
  if (error)
    return cas_fail(err, CAS_INTERNAL, "cannot start gnuplot: %s", strerror(error));
  return CAS_OK;
}

/* All that comes, which is read to its end in any case; false without memory. */
static bool read_all(FILE *from, char **bytes, size_t *size) {
  FILE *to = open_memstream(bytes, size);
  char block[1 << 14];
  bool ok = to;
  size_t n;
  while ((n = fread(block, 1, sizeof block, from)) > 0)
    ok = ok && fwrite(block, 1, n, to) == n;
  return to && !fclose(to) && ok;
}

static bool is_whole(const char *bytes, size_t size, const char *ending) {
  size_t n = strlen(ending);
  while (size > 0 && isspace((unsigned char)bytes[size - 1]))
    size--;
  return size >= n && memcmp(bytes + size - n, ending, n) == 0;
}

/* gnuplot draws into a pipe: it has exit status 0 also where a disk was full. */
static cas_status run_gnuplot(FILE *commands, const char *const *scripts, cas_status blame,
                              FILE *messages, char **bytes, size_t *size, char *text,
                              size_t text_size, cas_error *err) {
  int ends[2];
  pid_t pid;
  FILE *from;
  bool ok;
  cas_status st;
  if (pipe2(ends, O_CLOEXEC))
    return cas_fail(err, CAS_INTERNAL, "cannot make a pipe for gnuplot: %s", strerror(errno));
  st = start(commands, scripts, ends[1], messages, &pid, err);
  close(ends[1]);
  from = fdopen(ends[0], "rb");
  ok = !st && from && read_all(from, bytes, size);
  if (from)
    fclose(from);
  else
    close(ends[0]);
  if (st)
    return st;
  st = wait_for(pid, messages, blame, text, text_size, err);
  return st || ok ? st : cas_no_memory(err);
}

cas_status cas_gnuplot_run(FILE *commands, const char *const *scripts, cas_status blame,
                           const char *ending, char **bytes, size_t *size, cas_error *err) {
  char text[500] = "";
  FILE *messages = tmpfile();
  cas_status st = CAS_OK;
  if (!messages || fflush(commands) || ferror(commands) || fseek(commands, 0, SEEK_SET))
    st = cas_fail(err, CAS_FILE_ERROR, "cannot write a temporary file for gnuplot: %s",
                  strerror(errno));
  if (!st)
    st = run_gnuplot(commands, scripts, blame, messages, bytes, size, text, sizeof text, err);
  if (!st && !is_whole(*bytes, *size, ending))
    st = cas_fail(err, CAS_FILE_ERROR, "gnuplot did not draw all of the figure: %s",
                  text[0] ? text : "no reason given");
  if (messages)
    fclose(messages);
  return st;
}
