/* Files that are whole or not there: a temporary name, fsync, rename. */
#include "hdf5_impl.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

static cas_status fail_errno(cas_error *err, const char *path, const char *what) {
  return cas_fail(err, CAS_FILE_ERROR, "%s: %s: %s.", path, what, strerror(errno));
}

static char *with_suffix(const char *path, const char *suffix) {
  size_t n = strlen(path) + strlen(suffix) + 1;
  char *name = malloc(n);
  if (name)
    snprintf(name, n, "%s%s", path, suffix);
  return name;
}

char *cas_temporary_name(const char *path) { return with_suffix(path, ".tmp"); }

static char *directory_of(const char *path) {
  const char *slash = strrchr(path, '/');
  if (!slash)
    return strdup(".");
  return strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

bool cas_write_all(int fd, const void *data, size_t size) {
  const char *bytes = data;
  while (size > 0) {
    ssize_t n = write(fd, bytes, size);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return false;
    bytes += n;
    size -= (size_t)n;
  }
  return true;
}

static cas_status write_with(const char *path, int flags, const void *bytes, size_t size,
                             cas_error *err) {
  cas_status st = CAS_OK;
  int fd = open(path, O_WRONLY | O_CLOEXEC | flags, 0666);
  if (fd < 0)
    return fail_errno(err, path, flags & O_CREAT ? "cannot be created" : "cannot be opened");
  if (!cas_write_all(fd, bytes, size))
    st = fail_errno(err, path, "cannot be written");
  if (close(fd) && !st)
    st = fail_errno(err, path, "cannot be closed");
  return st;
}

cas_status cas_file_write(const char *path, const void *bytes, size_t size, cas_error *err) {
  return write_with(path, O_CREAT | O_TRUNC, bytes, size, err);
}

cas_status cas_file_append(const char *path, const void *bytes, size_t size, cas_error *err) {
  return write_with(path, O_APPEND, bytes, size, err);
}

cas_status cas_file_read(const char *path, size_t size, char **bytes, cas_error *err) {
  cas_status st = CAS_OK;
  *bytes = malloc(size + 1);
  if (!*bytes)
    return cas_fail(err, CAS_NO_MEMORY, "%s: no memory for its %zu bytes.", path, size);
  FILE *f = fopen(path, "rb");
  if (!f)
    st = fail_errno(err, path, "cannot be opened");
  else if (fread(*bytes, 1, size, f) != size)
    st = cas_fail(err, CAS_FILE_ERROR, "%s: cannot be read to its end.", path);
  if (f)
    fclose(f);
  if (st) {
    free(*bytes);
    *bytes = NULL;
  }
  return st;
}

static bool append_zeros(int fd, int64_t size) {
  static const char zeros[65536];
  if (lseek(fd, 0, SEEK_END) < 0)
    return false;
  for (; size > 0; size -= (int64_t)sizeof zeros)
    if (!cas_write_all(fd, zeros, size < (int64_t)sizeof zeros ? (size_t)size : sizeof zeros))
      return false;
  return true;
}

static bool reserve(int fd, int64_t extra, int64_t *bytes) {
  struct stat s;
  int failed;
  if (fstat(fd, &s))
    return false;
  *bytes = s.st_size + extra;
  do
    failed = fallocate(fd, 0, 0, s.st_size + extra);
  while (failed && errno == EINTR);
  if (failed && (errno == EOPNOTSUPP || errno == ENOSYS))
    return append_zeros(fd, extra);
  return !failed;
}

cas_status cas_file_reserve(const char *path, int64_t extra, cas_error *err) {
  int fd = open(path, O_RDWR | O_CLOEXEC);
  if (fd < 0)
    return fail_errno(err, path, "cannot be opened");
  cas_status st = CAS_OK;
  int64_t bytes = extra;
  if (!reserve(fd, extra, &bytes))
    st = cas_fail(err, CAS_FILE_ERROR, "%s: there is no room for its %lld bytes: %s.", path,
                  (long long)bytes, strerror(errno));
  if (close(fd) && !st)
    st = fail_errno(err, path, "cannot be closed");
  return st;
}

/* Some file systems cannot sync a directory and say EINVAL; nothing safer can be done there. */
static cas_status sync_path(const char *path, int flags, cas_error *err) {
  cas_status st = CAS_OK;
  int fd = open(path, flags | O_CLOEXEC);
  if (fd < 0)
    return fail_errno(err, path, "cannot be opened");
  if (fsync(fd) && !((flags & O_DIRECTORY) && errno == EINVAL))
    st = fail_errno(err, path, "cannot be brought to disk");
  if (close(fd) && !st)
    st = fail_errno(err, path, "cannot be closed");
  return st;
}

cas_status cas_file_sync(const char *path, cas_error *err) { return sync_path(path, O_RDWR, err); }

cas_status cas_file_commit(const char *temporary, const char *path, cas_error *err) {
  char *directory = directory_of(path);
  if (!directory)
    return cas_fail(err, CAS_NO_MEMORY, "%s: no memory for a file name.", path);
  cas_status st = sync_path(temporary, O_RDWR, err);
  if (!st && rename(temporary, path))
    st = fail_errno(err, path, "cannot be replaced");
  if (!st)
    st = sync_path(directory, O_RDONLY | O_DIRECTORY, err);
  free(directory);
  return st;
}

/* ---- before anything is computed ---- */

/* Neither a directory nor a device may be renamed over. */
static cas_status check_kind(const char *path, cas_error *err) {
  struct stat s;
  if (stat(path, &s))
    return errno == ENOENT || errno == ENOTDIR ? CAS_OK
                                               : fail_errno(err, path, "cannot be looked for");
  if (S_ISDIR(s.st_mode))
    return cas_fail(err, CAS_FILE_ERROR,
                    "%s: is a directory; the output must be the name of a file.", path);
  if (!S_ISREG(s.st_mode))
    return cas_fail(err, CAS_FILE_ERROR,
                    "%s: exists and is no regular file; choose another output.", path);
  return CAS_OK;
}

static cas_status check_directory(const char *path, const char *directory, cas_error *err) {
  struct stat s;
  if (stat(directory, &s))
    return cas_fail(err, CAS_FILE_ERROR, "%s: cannot be written: the directory '%s': %s.", path,
                    directory, strerror(errno));
  if (!S_ISDIR(s.st_mode))
    return cas_fail(err, CAS_FILE_ERROR, "%s: cannot be written: '%s' is not a directory.", path,
                    directory);
  return CAS_OK;
}

/* Only a real write finds a read-only or full file system. Nobody else uses the name. */
static cas_status probe(const char *path, char *template, cas_error *err) {
  static const char block[4096];
  int fd = mkstemp(template);
  if (fd < 0)
    return cas_fail(err, CAS_FILE_ERROR,
                    "%s: cannot be written: no file can be created beside it: %s.", path,
                    strerror(errno));
  cas_status st = CAS_OK;
  if (!cas_write_all(fd, block, sizeof block) || fsync(fd))
    st = fail_errno(err, path, "cannot be written");
  if (close(fd) && !st)
    st = fail_errno(err, path, "cannot be written");
  if (unlink(template) && !st)
    st = fail_errno(err, template, "cannot be removed");
  return st;
}

/* Bytes on disk that replacing this file would free first. */
static double reused(const char *temporary) {
  struct stat s;
  return stat(temporary, &s) ? 0 : (double)s.st_blocks * 512;
}

cas_status cas_output_room(const char *path, double bytes, double *room, cas_error *err) {
  char *directory = directory_of(path), *temporary = cas_temporary_name(path);
  struct statvfs s;
  cas_status st = CAS_OK;
  *room = INFINITY;
  if (!directory || !temporary)
    st = cas_fail(err, CAS_NO_MEMORY, "%s: no memory for a file name.", path);
  else if (!statvfs(directory, &s)) /* where nobody tells, writing will */
    *room = (double)s.f_bavail * (double)s.f_frsize + reused(temporary);
  if (!st && bytes > *room)
    st = cas_fail(err, CAS_FILE_ERROR,
                  "%s: needs %.0f bytes (%.3g GB), and its file system has %.3g GB free; record "
                  "less often, fewer paths or less of each, or choose another output.",
                  path, bytes, bytes / 1e9, *room / 1e9);
  free(temporary);
  free(directory);
  return st;
}

cas_status cas_output_check(const char *path, cas_error *err) {
  if (!path || !path[0])
    return cas_fail(err, CAS_FILE_ERROR, "The name of the output file is empty.");
  if (path[strlen(path) - 1] == '/')
    return cas_fail(err, CAS_FILE_ERROR,
                    "%s: is a directory; the output must be the name of a file.", path);
  char *directory = directory_of(path), *temporary = cas_temporary_name(path);
  char *template = with_suffix(path, ".XXXXXX");
  cas_status st;
  if (!directory || !temporary || !template)
    st = cas_fail(err, CAS_NO_MEMORY, "%s: no memory for a file name.", path);
  else
    st = check_directory(path, directory, err);
  if (!st)
    st = check_kind(path, err);
  if (!st)
    st = check_kind(temporary, err);
  if (!st)
    st = probe(path, template, err);
  free(template);
  free(temporary);
  free(directory);
  return st;
}

bool cas_same_file(const char *a, const char *b) {
  struct stat x, y;
  return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

cas_status cas_output_replaceable(const char *path, bool again, cas_error *err) {
  struct stat s;
  cas_error why = {0};
  if (stat(path, &s) || s.st_size == 0)
    return CAS_OK;
  cas_h5 h = cas_h5_begin(path, &why);
  hid_t file = cas_h5_open_checked(&h);
  bool ours = cas_h5_has_attribute(&h, file, "casimir_version");
  cas_h5_close_file(&h, file);
  bool damaged = again && H5Fis_hdf5(path) > 0;
  cas_status st = cas_h5_end(&h);
  if (st ? damaged : ours)
    return CAS_OK;
  return cas_fail(err, CAS_BAD_INPUT,
                  "%s%s Only results of casimir are replaced: remove it, or choose another output.",
                  st ? why.text : path, st ? "" : ": is not one of casimir's results.");
}
