/* Outputs that cannot be written are found before anything is. */
#include "files/safe_file.h"
#include "results_fixture.h"
#include "suite.h"
#include <errno.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>

static void assert_refused(const char *path, const char *words) {
  cas_error err = {0};
  ck_assert_int_eq(cas_file_check_output(path, &err), CAS_FILE_ERROR);
  assert_says(err, words);
}

TEST(unwritable_outputs_are_found) {
  char long_name[400] = "";
  memset(long_name, 'n', sizeof long_name - 1);
  write_bytes("file", "x", 1);
  ck_assert(!mkdir("directory", 0777) || errno == EEXIST);
  assert_refused("", "empty");
  assert_refused("nowhere/results.h5", "the directory 'nowhere': No such file or directory");
  assert_refused("file/results.h5", "'file' is not a directory");
  assert_refused("file/more/results.h5", "Not a directory");
  assert_refused("directory", "is a directory");
  assert_refused("directory/", "is a directory");
  assert_refused("/dev/null", "no regular file");
  assert_refused("/proc/results.h5", "cannot be written");
  assert_refused(long_name, "File name too long");
  ck_assert(!mkdir("blocked.h5.tmp", 0777) || errno == EEXIST);
  assert_refused("blocked.h5", "blocked.h5.tmp: is a directory");
}

TEST(writable_outputs_are_left_alone) {
  size_t n;
  ck_assert_int_eq(system("rm -rf fresh && mkdir fresh && printf old >fresh/old.h5"), 0);
  MUST(cas_file_check_output("fresh/new.h5", &err));
  MUST(cas_file_check_output("fresh/old.h5", &err));
  char *old = read_bytes("fresh/old.h5", &n);
  ck_assert(n == 3 && !memcmp(old, "old", 3));
  ck_assert_int_eq(system("test \"$(ls -A fresh)\" = old.h5"), 0);
}

/* Runs in a process of its own, whose disk is gone with it. It must not call Check. */
static void assert_child_passes(void (*body)(void)) {
  int status;
  fflush(NULL);
  pid_t pid = fork();
  if (pid == 0) {
    body();
    exit(0);
  }
  ck_assert(pid > 0 && waitpid(pid, &status, 0) == pid);
  ck_assert_msg(WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 77),
                "status %x", (unsigned)status);
  if (WEXITSTATUS(status) == 77)
    printf("no right to mount: not tried\n");
}

static void require(bool holds, const char *what) {
  if (holds)
    return;
  fprintf(stderr, "%s\n", what);
  _exit(99);
}

/* A tmpfs of its own for this process alone; gone with it. */
static void mount_tmpfs(const char *options, unsigned long flags) {
  if (mkdir("tmpfs", 0777) && errno != EEXIST)
    _exit(99);
  if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
      mount("tmpfs", "tmpfs", "tmpfs", flags, options))
    _exit(77);
}

static void require_refused(const char *words) {
  cas_error err = {0};
  require(cas_file_check_output("tmpfs/results.h5", &err) == CAS_FILE_ERROR, "accepted");
  require(strstr(err.text, words) != NULL, err.text);
}

static void check_read_only_disk(void) {
  mount_tmpfs("size=64k", MS_RDONLY);
  require_refused("Read-only file system");
}

static void check_full_disk(void) {
  char full[8192] = "";
  mount_tmpfs("size=8k", 0);
  require(store_bytes("tmpfs/other", full, sizeof full), "cannot fill the disk");
  require_refused("No space left on device");
  require(!system("test \"$(ls -A tmpfs)\" = other"), "something is left");
}

static void check_small_disk(void) {
  char block[16384] = "";
  cas_error err = {0};
  double space;
  mount_tmpfs("size=64k", 0);
  require(!cas_file_check_space("tmpfs/results.h5", 30000, &space, &err) && space == 65536,
          err.text);
  require(cas_file_check_space("tmpfs/results.h5", 70000, &space, &err) == CAS_FILE_ERROR,
          "accepted");
  require(strstr(err.text, "needs 70000 bytes") != NULL, err.text);
  require(store_bytes("tmpfs/other", block, sizeof block), "cannot use the disk");
  require(cas_file_check_space("tmpfs/results.h5", 60000, &space, &err) == CAS_FILE_ERROR,
          "accepted");
  require(!rename("tmpfs/other", "tmpfs/results.h5.tmp"), "cannot rename");
  require(!cas_file_check_space("tmpfs/results.h5", 60000, &space, &err), "not reused");
}

TEST(unwritable_disks_are_found) {
  assert_child_passes(check_read_only_disk);
  assert_child_passes(check_full_disk);
  assert_child_passes(check_small_disk);
}

RUN_TESTS
