/* Changes of the process by functions of users' files that results or the end of a run depend on,
   looked for after each block of paths, and before anything is written. */
#include "base/denormals.h"
#include "base/text.h"
#include "math/kernels/plugin.h"

#include <execinfo.h>
#include <fcntl.h>
#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FRAMES = 48, STANDARD = 3 };

/* As it was before the first function of a user's file was called. */
static struct {
  bool begun;
  struct stat directory;
  int directory_fd; /* -1: unknown */
  int descriptor;   /* which only somebody who closes all descriptors closes; -1: none */
  uint64_t mode;    /* of the arithmetic */
  int rounding;
  volatile sig_atomic_t forked, other_mode;
} before;

static bool called_by_user(void) {
  void *frame[FRAMES];
  const int n = backtrace(frame, FRAMES);
  for (int i = 0; i < n; i++)
    if (cas_plugin_file_of(frame[i]))
      return true;
  return false;
}

static void note_fork(void) { before.forked |= called_by_user(); }

/* The child would come back to the run, and write what its parent writes. */
static void end_child(void) {
  if (called_by_user())
    _exit(cas_exit_status(CAS_INTERNAL));
}

void cas_plugin_guard_begin(void) {
  void *first;
  if (before.begun)
    return;
  before.begun = true;
  (void)backtrace(&first, 1); /* loads what it needs, which is no time to do in a fork */
  before.directory_fd = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (before.directory_fd >= 0 && fstat(before.directory_fd, &before.directory))
    before.directory_fd = -1;
  before.descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC);
  before.mode = cas_denormals_mode();
  before.rounding = fegetround();
  (void)pthread_atfork(NULL, note_fork, end_child);
}

void cas_plugin_guard_other_mode(void) { before.other_mode = 1; }

/* A run with closed descriptors cannot tell that it fails: its ranks would wait for each other. */
static void check_descriptors(const char *files) {
  bool open = before.descriptor < 0 || fcntl(before.descriptor, F_GETFD) >= 0;
  for (int i = 0; i < STANDARD; i++)
    open &= fcntl(i, F_GETFD) >= 0;
  if (open)
    return;
  dprintf(STDERR_FILENO,
          "casimir: %s: one of its functions has closed descriptors of files that are not its own, "
          "and ended the program. The last checkpoint, if there is one, is kept.\n",
          files);
  _exit(cas_exit_status(CAS_INTERNAL));
}

static const char *find_change(void) {
  struct stat now;
  const bool moved =
      before.directory_fd >= 0 && (stat(".", &now) || now.st_ino != before.directory.st_ino ||
                                   now.st_dev != before.directory.st_dev);
  const bool arithmetic =
      before.other_mode || cas_denormals_mode() != before.mode || fegetround() != before.rounding;
  if (moved && fchdir(before.directory_fd))
    return "changes the current directory (chdir), to which there is no way back";
  if (arithmetic) {
    cas_denormals_restore(before.mode);
    fesetround(before.rounding);
  }
  const bool forked = before.forked;
  before.forked = before.other_mode = 0;
  return moved        ? "changes the current directory (chdir), which the names of files refer to"
         : arithmetic ? "changes the mode of floating-point arithmetic (such as the rounding, by "
                        "fesetround), by which all numbers would be others"
         : forked     ? "calls fork(), and its child would write the files of this run, too"
                      : NULL;
}

cas_status cas_plugin_guard(cas_error *err) {
  char files[600];
  if (!before.begun)
    return CAS_OK;
  cas_plugin_files(files, sizeof files);
  check_descriptors(files);
  const char *what = find_change();
  return what ? cas_fail(err, CAS_INTERNAL, "%s: one of its functions %s", files, what) : CAS_OK;
}
