/* Standard streams: what all commands say, and streams that are closed, or cannot be written. */
#include "app/app.h"

#include <fcntl.h>

int cas_app_error(const cas_error *err) {
  fprintf(stderr, "casimir: %s\n", err->text[0] ? err->text : cas_status_text(err->status));
  return cas_exit_status(err->status);
}

void cas_app_notice(void *context CAS_UNUSED, const char *text) {
  fprintf(stderr, "casimir: %s\n", text);
}

static void check_written(int status, void *none CAS_UNUSED) {
  static const cas_error err = {CAS_FILE_ERROR, "standard output could not be written"};
  if (status == EXIT_SUCCESS && (fflush(stdout) == EOF || ferror(stdout)))
    _exit(cas_app_error(&err));
}

void cas_streams_prepare(void) {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
    if (fcntl(stream, F_GETFD) < 0)
      (void)!open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  on_exit(check_written, NULL);
}
