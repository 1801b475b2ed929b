/* Files that are whole or not there: a temporary name, fsync, rename. */
#include "files/safe_file.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

char *cas_file_beside(const char *path, const char *ending) {
  char *name;
  return asprintf(&name, "%s%s", path, ending) < 0 ? NULL : name;
}

char *cas_file_temporary_name(const char *path) { return cas_file_beside(path, ".tmp"); }

/* The text of a symbolic link, seen from the directory of `name`; NULL if it is none. */
static char *follow(const char *name) {
  char to[PATH_MAX], *target = NULL;
  ssize_t n = readlink(name, to, sizeof to - 1);
  const char *slash = strrchr(name, '/');
  if (n <= 0)
    return NULL;
  to[n] = '\0';
  if (to[0] == '/' || !slash)
    return strdup(to);
  return asprintf(&target, "%.*s%s", (int)(slash + 1 - name), name, to) < 0 ? NULL : target;
}

char *cas_file_link_target(const char *name) {
  const int most = 40; /* links, as the system has it */
  char *target = strdup(name), *next;
  for (int i = 0; target && i < most && (next = follow(target)); i++) {
    free(target);
    target = next;
  }
  return target;
}

static char *directory_of(const char *path) {
  const char *slash = strrchr(path, '/');
  if (!slash)
    return strdup(".");
  return strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

static cas_status write_and_close(int fd, const char *path, const void *bytes, size_t size,
                                  cas_error *err) {
  cas_status st = CAS_OK;
  if (!cas_io_write_all(fd, bytes, size))
    st = cas_file_fail(err, path, "cannot be written");
  return cas_file_close(fd, path, st, err);
}

/* Where the group cannot be kept, another one gets no permission in its place. */
static bool take_permissions(int fd, const char *like, mode_t also) {
  struct stat old, own;
  if (stat(like, &old) || !S_ISREG(old.st_mode))
    return true;
  if (fstat(fd, &own))
    return false;
  bool same_group = old.st_gid == own.st_gid || !fchown(fd, (uid_t)-1, old.st_gid);
  mode_t mode = (old.st_mode & 0777 & ~(same_group ? 0u : (mode_t)S_IRWXG)) | also;
  return (own.st_mode & 07777) == mode || !fchmod(fd, mode);
}

cas_status cas_file_write(const char *path, cas_leftover kind, const char *like, const void *bytes,
                          size_t size, cas_error *err) {
  CAS_CALL(cas_leftover_remove(path, kind, err));
  mode_t mode = access(like, F_OK) ? 0666 : S_IRUSR | S_IWUSR;
  int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
  if (fd < 0)
    return cas_file_fail(err, path, "cannot be created");
  cas_status st = CAS_OK;
  if (!take_permissions(fd, like, S_IRUSR | S_IWUSR))
    st = cas_file_fail(err, path, "cannot be given the permissions of what it is to replace");
  cas_status written = write_and_close(fd, path, bytes, size, err);
  st = st ? st : written;
  if (st)
    unlink(path);
  return st;
}

cas_status cas_file_append(const char *path, const void *bytes, size_t size, cas_error *err) {
  int fd = open(path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
  return fd < 0 ? cas_file_fail(err, path, "cannot be opened")
                : write_and_close(fd, path, bytes, size, err);
}

static bool reserve(int fd, int64_t extra, int64_t *bytes) {
  static const char zeros[65536];
  struct stat s;
  int failed;
  if (fstat(fd, &s))
    return false;
  *bytes = s.st_size + extra;
  do
    failed = fallocate(fd, 0, 0, s.st_size + extra);
  while (failed && errno == EINTR);
  if (!failed || (errno != EOPNOTSUPP && errno != ENOSYS))
    return !failed;
  bool written = lseek(fd, 0, SEEK_END) >= 0;
  for (; extra > 0 && written; extra -= (int64_t)sizeof zeros)
    written =
        cas_io_write_all(fd, zeros, extra < (int64_t)sizeof zeros ? (size_t)extra : sizeof zeros);
  return written;
}

cas_status cas_file_reserve(const char *path, int64_t extra, cas_error *err) {
  int fd = open(path, O_RDWR | O_CLOEXEC);
  if (fd < 0)
    return cas_file_fail(err, path, "cannot be opened");
  cas_status st = CAS_OK;
  int64_t bytes = extra;
  if (!reserve(fd, extra, &bytes))
    st = cas_fail(err, CAS_FILE_ERROR, "%s: there is no disk space for its %lld bytes: %s.", path,
                  (long long)bytes, strerror(errno));
  return cas_file_close(fd, path, st, err);
}

/* Some file systems cannot sync a directory and say EINVAL; nothing safer can be done there. like:
   NULL, or what the permissions are taken from */
static cas_status sync_path(const char *path, const char *like, int flags, cas_error *err) {
  cas_status st = CAS_OK;
  int fd = open(path, flags | O_CLOEXEC);
  if (fd < 0)
    return cas_file_fail(err, path, "cannot be opened");
  if (like && !take_permissions(fd, like, 0))
    st = cas_file_fail(err, path, "cannot be given the permissions of what it replaces");
  if (!st && fsync(fd) && !((flags & O_DIRECTORY) && errno == EINVAL))
    st = cas_file_fail(err, path, "cannot be brought to disk");
  return cas_file_close(fd, path, st, err);
}

cas_status cas_file_sync(const char *path, cas_error *err) {
  return sync_path(path, NULL, O_RDWR, err);
}

cas_status cas_file_commit(const char *temporary, const char *path, cas_error *err) {
  CAS_OWNED char *directory = directory_of(path);
  CAS_NEED(directory);
  CAS_CALL(sync_path(temporary, path, O_RDWR, err));
  if (rename(temporary, path))
    return cas_file_fail(err, path, "cannot be replaced");
  return sync_path(directory, NULL, O_RDONLY | O_DIRECTORY, err);
}

/* ---- before anything is computed ---- */

/* Neither a directory nor a device may be renamed over. */
static cas_status check_kind(const char *path, cas_error *err) {
  struct stat s;
  if (stat(path, &s))
    return errno == ENOENT || errno == ENOTDIR ? CAS_OK
                                               : cas_file_fail(err, path, "cannot be looked for");
  CAS_FAIL_IF(S_ISDIR(s.st_mode), CAS_FILE_ERROR,
              "%s: is a directory; the output must be the name of a file.", path);
  CAS_FAIL_IF(!S_ISREG(s.st_mode), CAS_FILE_ERROR,
              "%s: exists and is no regular file; choose another output.", path);
  return CAS_OK;
}

/* Of two runs that look at one output at the same time, one may remove what the other has made. */
static int create_probe(const char *path, cas_error *err) {
  int fd = -1;
  for (int i = 0; fd < 0 && i < 100; i++) {
    if (cas_leftover_remove(path, CAS_LEFTOVER_RESERVATION, err))
      return -1;
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (fd < 0 && errno != EEXIST)
      break;
  }
  if (fd < 0)
    (void)cas_file_fail(err, path, "cannot be written: no file can be created there");
  return fd;
}

/* Only a real write finds a read-only or full file system. */
static cas_status probe(const char *path, const char *name, cas_error *err) {
  static const char block[4096];
  int fd = create_probe(name, err);
  if (fd < 0)
    return CAS_FILE_ERROR;
  cas_status st = CAS_OK;
  if (!cas_io_write_all(fd, block, sizeof block) || fsync(fd))
    st = cas_file_fail(err, path, "cannot be written");
  if (close(fd) && !st)
    st = cas_file_fail(err, path, "cannot be written");
  if (unlink(name) && errno != ENOENT && !st)
    st = cas_file_fail(err, name, "cannot be removed");
  return st;
}

cas_status cas_file_check_space(const char *path, double bytes, double *space, cas_error *err) {
  CAS_OWNED char *directory = directory_of(path), *temporary = cas_file_temporary_name(path);
  struct statvfs s;
  struct stat old; /* whose blocks are freed before */
  *space = INFINITY;
  CAS_NEED(directory && temporary);
  if (!statvfs(directory, &s)) /* where nobody tells, writing will */
    *space = (double)s.f_bavail * (double)s.f_frsize +
             (stat(temporary, &old) ? 0 : (double)old.st_blocks * 512);
  CAS_FAIL_IF(bytes > *space, CAS_FILE_ERROR,
              "%s: needs %.0f bytes (%.3g GB), and its file system has %.3g GB free; record "
              "less often, fewer paths or less of each, or choose another output.",
              path, bytes, bytes / 1e9, *space / 1e9);
  return CAS_OK;
}

cas_status cas_file_probe(const char *path, cas_error *err) {
  struct stat s;
  CAS_FAIL_IF(!path || !path[0], CAS_FILE_ERROR, "The name of the output file is empty.");
  CAS_FAIL_IF(path[strlen(path) - 1] == '/', CAS_FILE_ERROR,
              "%s: is a directory; the output must be the name of a file.", path);
  CAS_OWNED char *directory = directory_of(path), *name = cas_file_beside(path, ".probe");
  CAS_NEED(directory && name);
  CAS_FAIL_IF(stat(directory, &s), CAS_FILE_ERROR, "%s: cannot be written: the directory '%s': %s.",
              path, directory, strerror(errno));
  CAS_FAIL_IF(!S_ISDIR(s.st_mode), CAS_FILE_ERROR,
              "%s: cannot be written: '%s' is not a directory.", path, directory);
  CAS_CALL(check_kind(path, err));
  return probe(path, name, err);
}

cas_status cas_file_check_output(const char *path, cas_error *err) {
  CAS_CALL(cas_file_probe(path, err));
  CAS_OWNED char *temporary = cas_file_temporary_name(path);
  return temporary ? cas_leftover_check(temporary, CAS_LEFTOVER_RESULTS, err) : cas_no_memory(err);
}

bool cas_file_present(const char *path) {
  struct stat s;
  return stat(path, &s) ? errno != ENOENT && errno != ENOTDIR : !S_ISREG(s.st_mode) || s.st_size;
}

bool cas_file_is_same(const char *a, const char *b) {
  struct stat x, y;
  return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}
