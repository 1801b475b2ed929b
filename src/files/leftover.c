#include "files/leftover.h"
#include "files/checkpoint.h"
#include "files/io.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>

enum { HEAD = 1 << 16, BLOCK = 4096 };

/* The first bytes of a file, and a zero. */
typedef struct {
  char bytes[HEAD + 1];
  size_t size; /* of what was read */
} head;

static bool read_head(int fd, head *h) {
  ssize_t n = 1;
  for (h->size = 0; n > 0 && h->size < HEAD; h->size += (size_t)n) {
    n = pread(fd, h->bytes + h->size, HEAD - h->size, (off_t)h->size);
    if (n < 0 && errno == EINTR)
      n = 1, h->size--; /* again */
    else if (n < 0)
      return false;
  }
  h->bytes[h->size] = '\0';
  return true;
}

/* Whether a file begins with the mark; a shorter one may be the beginning of it. */
static bool begins(const head *h, const char *mark) {
  size_t n = strlen(mark);
  return memcmp(h->bytes, mark, h->size < n ? h->size : n) == 0;
}

/* Whether its space was reserved and nothing written yet. */
static bool is_zero(const head *h) {
  for (size_t i = 0; i < h->size && i < BLOCK; i++)
    if (h->bytes[i])
      return false;
  return true;
}

static bool contains(const head *h, const char *mark) {
  return memmem(h->bytes, h->size, mark, strlen(mark));
}

static const char hdf5[] = "\x89HDF\r\n\x1a\n";

static bool is_figure(const head *h) {
  static const char *const marks[] = {"<?xml", "<svg", "<!DOCTYPE svg", "%PDF", "%!PS", "\x89PNG"};
  for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
    if (begins(h, marks[i]))
      return true;
  return false;
}

static bool is_lock(const head *h) {
  static const char mark[] = "process ";
  return begins(h, mark) && isdigit((unsigned char)h->bytes[strlen(mark)]);
}

static bool is_checkpoint(const head *h) { return h->size && begins(h, CAS_CHECKPOINT_MAGIC); }

/* Whether beside "<file>.tmp" there is "<file><ending>", with the content that a run gives it. */
static bool has(const char *path, const char *ending, bool (*is_own)(const head *h)) {
  char name[PATH_MAX];
  head h;
  size_t n = strlen(path) - strlen(".tmp");
  if (snprintf(name, sizeof name, "%.*s%s", (int)n, path, ending) >= (int)sizeof name)
    return false;
  CAS_OWNED_BY(cas_owned_descriptor)
  int fd = open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  return fd >= 0 && read_head(fd, &h) && is_own(&h);
}

/* Whether a lock or a checkpoint is there too: a run that was killed leaves the first, one that
   ended otherwise the second, and both had looked at this name before. */
static bool stands_beside_others(const char *path) {
  return has(path, ".lock", is_lock) || has(path, ".checkpoint", is_checkpoint) ||
         has(path, ".checkpoint.previous", is_checkpoint);
}

static bool is_film(const head *h) { return h->size >= 8 && memcmp(h->bytes + 4, "ftyp", 4) == 0; }

/* What a file of each kind begins with and what it contains, or how it is told; and what it is
   called where an output is to be replaced. */
static const struct {
  const char *name, *begins, *contains;
  bool (*is)(const head *h);
} kinds[] = {
    [CAS_LEFTOVER_RESULTS] = {.name = "file of a run"},
    [CAS_LEFTOVER_CHECKPOINT] = {"file of a run", .begins = CAS_CHECKPOINT_MAGIC},
    [CAS_LEFTOVER_FIGURE] = {"figure", .is = is_figure},
    [CAS_LEFTOVER_TEXT] = {"data or script of `casimir plot`", .begins = "# casimir "},
    [CAS_LEFTOVER_PAGE] = {"page of `casimir report`", .begins = "<!DOCTYPE html>\n<!-- casimir "},
    [CAS_LEFTOVER_FILM] = {"film", .is = is_film},
    [CAS_LEFTOVER_EXPORT] = {"file of `casimir export`", hdf5, .contains = "VTKHDF"},
    [CAS_LEFTOVER_COMPILED] = {"file of `casimir build`", "\177ELF", .contains = "casimir_plugin"},
    [CAS_LEFTOVER_LOCK] = {"file of a run", .is = is_lock},
    [CAS_LEFTOVER_RESERVATION] = {"file of a run", .is = is_zero}};

/* An empty file is of every kind. An attribute names casimir early in a file that has been closed
   once; HDF5 itself does not open what is half written without harm. */
static bool is_leftover(const head *h, const char *path, cas_leftover kind) {
  if (h->size == 0)
    return true;
  if (kind == CAS_LEFTOVER_RESULTS)
    return is_zero(h) ||
           (begins(h, hdf5) && (contains(h, "casimir_version") || stands_beside_others(path)));
  if (kinds[kind].is)
    return kinds[kind].is(h);
  return begins(h, kinds[kind].begins) &&
         (!kinds[kind].contains || contains(h, kinds[kind].contains));
}

static cas_status refuse(const char *path, const char *what, cas_error *err) {
  return cas_fail(err, CAS_FILE_ERROR,
                  "%s: %s, and a run needs this name for itself. Move it away, or choose another "
                  "output.",
                  path, what);
}

cas_status cas_leftover_check_open(int fd, const char *path, cas_leftover kind, cas_error *err) {
  struct stat s;
  head h;
  if (fstat(fd, &s))
    return cas_file_fail(err, path, "cannot be looked at");
  if (S_ISDIR(s.st_mode))
    return refuse(path, "is a directory", err);
  if (!S_ISREG(s.st_mode))
    return refuse(path, "is no regular file", err);
  if (!read_head(fd, &h))
    return cas_file_fail(err, path, "cannot be read");
  return is_leftover(&h, path, kind) ? CAS_OK : refuse(path, "is not of casimir", err);
}

/* *there: whether there is any file of this name. */
static cas_status check(const char *path, cas_leftover kind, bool *there, cas_error *err) {
  CAS_OWNED_BY(cas_owned_descriptor)
  int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  *there = fd >= 0;
  if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
    return CAS_OK;
  if (fd < 0 && errno == ELOOP)
    return refuse(path, "is a symbolic link", err);
  if (fd < 0)
    return cas_file_fail(err, path, "cannot be opened, to see what it is");
  return cas_leftover_check_open(fd, path, kind, err);
}

cas_status cas_leftover_check(const char *path, cas_leftover kind, cas_error *err) {
  bool there;
  return check(path, kind, &there, err);
}

/* A name that is on no file system is not unlinked: one that is read-only would refuse that. */
cas_status cas_leftover_remove(const char *path, cas_leftover kind, cas_error *err) {
  bool there;
  CAS_CALL(check(path, kind, &there, err));
  return there && unlink(path) && errno != ENOENT
             ? cas_file_fail(err, path, "is left of an earlier run and cannot be removed")
             : CAS_OK;
}

cas_status cas_leftover_check_output(const char *path, cas_leftover kind, cas_error *err) {
  head h;
  CAS_OWNED_BY(cas_owned_descriptor) int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
    return CAS_OK;
  if (fd < 0)
    return cas_file_fail(err, path, "is to be replaced, and cannot be opened");
  if (!read_head(fd, &h))
    return cas_file_fail(err, path, "cannot be read");
  CAS_FAIL_IF(
      !is_leftover(&h, path, kind), CAS_BAD_INPUT,
      "%s: is no %s, and only such files are replaced: remove it, or choose another output.", path,
      kinds[kind].name);
  return CAS_OK;
}
