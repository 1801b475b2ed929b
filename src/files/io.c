#include "files/io.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

bool cas_io_write_all(int fd, const void *bytes, size_t size) {
  const char *from = bytes;
  while (size > 0) {
    ssize_t n = write(fd, from, size);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return false;
    from += n;
    size -= (size_t)n; /* after a short write the next one tells the reason */
  }
  return true;
}

bool cas_io_write_at(int fd, const void *bytes, size_t size, uint64_t offset) {
  const char *from = bytes;
  while (size > 0) {
    ssize_t n = pwrite(fd, from, size, (off_t)offset);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return false;
    from += n;
    offset += (uint64_t)n;
    size -= (size_t)n;
  }
  return true;
}

bool cas_io_read_at(int fd, void *bytes, size_t size, uint64_t offset) {
  char *to = bytes;
  while (size > 0) {
    ssize_t n = pread(fd, to, size, (off_t)offset);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0) {
      errno = n ? errno : EIO;
      return false;
    }
    to += n;
    offset += (uint64_t)n;
    size -= (size_t)n;
  }
  return true;
}

cas_status cas_file_fail(cas_error *err, const char *path, const char *what) {
  return cas_fail(err, CAS_FILE_ERROR, "%s: %s: %s.", path, what, strerror(errno));
}

cas_status cas_file_close(int fd, const char *path, cas_status st, cas_error *err) {
  return close(fd) && !st ? cas_file_fail(err, path, "cannot be closed") : st;
}
