/* Seals: [except: offset, length]* [number of excepts] [bytes sealed] [FNV-1a] [magic], 64-bit
   words behind the data. */
#include "hash.h"
#include "hdf5_impl.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_EXCEPTIONS = 4096, BUFFER = 1 << 16 };

typedef struct {
  uint64_t exceptions, length, hash, magic;
} tail;

static const uint64_t magic = UINT64_C(0x316c616573736163); /* "casseal1" */

static bool read_exactly(int fd, void *out, size_t n, uint64_t offset) {
  char *to = out;
  while (n > 0) {
    ssize_t got = pread(fd, to, n, (off_t)offset);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0) {
      errno = got ? errno : EIO;
      return false;
    }
    to += got;
    offset += (uint64_t)got;
    n -= (size_t)got;
  }
  return true;
}

static bool hash_range(int fd, uint64_t from, uint64_t to, uint64_t *hash) {
  unsigned char buffer[BUFFER];
  while (from < to) {
    size_t n = to - from < BUFFER ? (size_t)(to - from) : BUFFER;
    if (!read_exactly(fd, buffer, n, from))
      return false;
    *hash = cas_hash(*hash, buffer, n);
    from += n;
  }
  return true;
}

/* The exceptions, their number and the length are part of what is sealed. */
static bool hash_file(int fd, uint64_t length, uint64_t n, const cas_extent *except,
                      uint64_t *hash) {
  uint64_t at = 0;
  *hash = CAS_HASH_START;
  for (uint64_t i = 0; i < n; i++) {
    if (!hash_range(fd, at, except[i].offset, hash))
      return false;
    at = except[i].offset + except[i].length;
  }
  if (!hash_range(fd, at, length, hash))
    return false;
  *hash = cas_hash(*hash, except, n * sizeof *except);
  *hash = cas_hash(*hash, &length, sizeof length);
  return true;
}

static bool extents_fit(uint64_t length, uint64_t n, const cas_extent *except) {
  uint64_t at = 0;
  for (uint64_t i = 0; i < n; i++) {
    if (except[i].offset < at || except[i].offset > length ||
        except[i].length > length - except[i].offset)
      return false;
    at = except[i].offset + except[i].length;
  }
  return true;
}

static cas_status seal(int fd, const char *path, int n, const cas_extent *except, cas_error *err) {
  off_t end = lseek(fd, 0, SEEK_END);
  tail t = {.exceptions = (uint64_t)n, .length = (uint64_t)end, .magic = magic};
  if (end < 0)
    return cas_fail(err, CAS_FILE_ERROR, "%s: its size is unknown: %s.", path, strerror(errno));
  if (n > MOST_EXCEPTIONS || !extents_fit(t.length, t.exceptions, except))
    return cas_fail(err, CAS_INTERNAL, "%s: its data do not lie where they should.", path);
  if (!hash_file(fd, t.length, t.exceptions, except, &t.hash))
    return cas_fail(err, CAS_FILE_ERROR, "%s: cannot be read back: %s.", path, strerror(errno));
  if (!cas_write_all(fd, except, (size_t)n * sizeof *except) || !cas_write_all(fd, &t, sizeof t))
    return cas_fail(err, CAS_FILE_ERROR, "%s: cannot be written: %s.", path, strerror(errno));
  return CAS_OK;
}

cas_status cas_seal_append(const char *path, int n, const cas_extent *except, cas_error *err) {
  int fd = open(path, O_RDWR | O_CLOEXEC);
  if (fd < 0)
    return cas_fail(err, CAS_FILE_ERROR, "%s: cannot be opened: %s.", path, strerror(errno));
  cas_status st = seal(fd, path, n, except, err);
  if (close(fd) && !st)
    st = cas_fail(err, CAS_FILE_ERROR, "%s: cannot be closed: %s.", path, strerror(errno));
  return st;
}

static cas_status refuse(const char *path, bool *damaged, cas_error *err) {
  if (damaged)
    *damaged = true;
  return cas_fail(err, CAS_FILE_ERROR,
                  "%s: is damaged: its bytes are not those that casimir wrote.", path);
}

static cas_status check_sealed(int fd, const char *path, uint64_t size, const tail *t,
                               bool *damaged, cas_error *err) {
  cas_extent except[64], *list = except;
  uint64_t bytes = t->exceptions * sizeof *except, hash = 0;
  cas_status st = CAS_OK;
  if (t->exceptions > MOST_EXCEPTIONS || t->length > size || t->length + bytes + sizeof *t != size)
    return refuse(path, damaged, err);
  if (t->exceptions > 64 && !(list = malloc(bytes)))
    return cas_fail(err, CAS_NO_MEMORY, "%s: no memory for its seal.", path);
  if (!read_exactly(fd, list, bytes, t->length))
    st = cas_fail(err, CAS_FILE_ERROR, "%s: cannot be read: %s.", path, strerror(errno));
  else if (!extents_fit(t->length, t->exceptions, list))
    st = refuse(path, damaged, err);
  else if (!hash_file(fd, t->length, t->exceptions, list, &hash))
    st = cas_fail(err, CAS_FILE_ERROR, "%s: cannot be read: %s.", path, strerror(errno));
  else if (hash != t->hash)
    st = refuse(path, damaged, err);
  if (list != except)
    free(list);
  return st;
}

/* sealed: the size of what is; NULL: a seal may be absent */
static cas_status check(int fd, const char *path, size_t *sealed, bool *damaged, cas_error *err) {
  struct stat s;
  tail t;
  if (fstat(fd, &s))
    return cas_fail(err, CAS_FILE_ERROR, "%s: cannot be read: %s.", path, strerror(errno));
  uint64_t size = (uint64_t)s.st_size;
  if (size < sizeof t)
    return sealed ? refuse(path, damaged, err) : CAS_OK;
  if (!read_exactly(fd, &t, sizeof t, size - sizeof t))
    return cas_fail(err, CAS_FILE_ERROR, "%s: cannot be read: %s.", path, strerror(errno));
  if (t.magic != magic)
    return sealed ? refuse(path, damaged, err) : CAS_OK;
  if (sealed)
    *sealed = (size_t)t.length;
  return check_sealed(fd, path, size, &t, damaged, err);
}

static cas_status open_and_check(const char *path, size_t *sealed, bool *damaged, cas_error *err) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return cas_fail(err, CAS_FILE_ERROR, "%s: cannot be read: %s.", path, strerror(errno));
  cas_status st = check(fd, path, sealed, damaged, err);
  if (close(fd) && !st)
    st = cas_fail(err, CAS_FILE_ERROR, "%s: cannot be closed: %s.", path, strerror(errno));
  return st;
}

cas_status cas_seal_check(const char *path, cas_error *err) {
  return open_and_check(path, NULL, NULL, err);
}

cas_status cas_seal_require(const char *path, size_t *size, bool *damaged, cas_error *err) {
  *damaged = false;
  return open_and_check(path, size, damaged, err);
}
