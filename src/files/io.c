#include "files/io.h"

#include <errno.h>

typedef enum { WRITE, WRITE_AT, READ_AT } call;

static bool transfer(call what, int fd, char *bytes, size_t size, uint64_t offset) {
  while (size > 0) {
    const ssize_t n = what == WRITE      ? write(fd, bytes, size)
                      : what == WRITE_AT ? pwrite(fd, bytes, size, (off_t)offset)
                                         : pread(fd, bytes, size, (off_t)offset);
    if (n < 0 && errno == EINTR)
      continue;
    if (n == 0 && what == READ_AT) /* after a short write the next one tells the reason */
      errno = EIO;
    if (n < 0 || (n == 0 && what == READ_AT))
      return false;
    bytes += n;
    offset += (uint64_t)n;
    size -= (size_t)n;
  }
  return true;
}

bool cas_io_write_all(int fd, const void *bytes, size_t size) {
  return transfer(WRITE, fd, (char *)bytes, size, 0);
}

bool cas_io_write_at(int fd, const void *bytes, size_t size, uint64_t offset) {
  return transfer(WRITE_AT, fd, (char *)bytes, size, offset);
}

bool cas_io_read_at(int fd, void *bytes, size_t size, uint64_t offset) {
  return transfer(READ_AT, fd, bytes, size, offset);
}

cas_status cas_file_fail(cas_error *err, const char *path, const char *what) {
  return cas_fail(err, CAS_FILE_ERROR, "%s: %s: %s.", path, what, strerror(errno));
}

cas_status cas_file_close(int fd, const char *path, cas_status st, cas_error *err) {
  return close(fd) && !st ? cas_file_fail(err, path, "cannot be closed") : st;
}
