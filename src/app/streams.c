/* Standard streams that are closed, or cannot be written. */
#include "app/app.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

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
