/* Trajectory files that are left unfinished and gone on with. The data stay where they are; all other
   bytes, which HDF5 needs to find them, are few and go into the checkpoint, and come back from
   there whatever became of them. */
#include "checkpoint.h"
#include "trajectory_impl.h"
#include <casimir/parallel.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char section_name[] = "file";

/* the section: this, where the data of each dataset lie, then all other bytes in ascending order */
typedef struct {
  int64_t written; /* records of single paths, by all ranks */
  uint64_t size;   /* of the file */
} file_head;

/* ---- the bytes outside of the data ---- */

typedef ssize_t transfer(int fd, void *bytes, size_t n, off_t at);

static ssize_t write_there(int fd, void *bytes, size_t n, off_t at) {
  return pwrite(fd, bytes, n, at);
}

static bool transfer_range(int fd, transfer *t, char **bytes, uint64_t from, uint64_t to) {
  while (from < to) {
    ssize_t n = t(fd, *bytes, to - from, (off_t)from);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    *bytes += n;
    from += (uint64_t)n;
  }
  return true;
}

static bool transfer_frame(int fd, transfer *t, const cas_trajectory_file *f,
                           const cas_extent *sorted, uint64_t size, char *bytes) {
  uint64_t at = 0;
  for (int k = 0; k < f->datasets; k++) {
    if (!transfer_range(fd, t, &bytes, at, sorted[k].offset))
      return false;
    at = sorted[k].offset + sorted[k].length;
  }
  return transfer_range(fd, t, &bytes, at, size);
}

static uint64_t frame_size(const cas_trajectory_file *f, uint64_t size) {
  for (int k = 0; k < f->datasets; k++)
    size -= f->where[k].length;
  return size;
}

/* ---- into a checkpoint ---- */

static cas_status put_frame(const cas_trajectory_file *f, int fd, int64_t written, cas_sections *s,
                            cas_error *err) {
  struct stat st;
  if (fstat(fd, &st))
    return cas_fail(err, CAS_FILE_ERROR, "%s: its size is unknown: %s.", f->temporary,
                    strerror(errno));
  const file_head head = {written, (uint64_t)st.st_size};
  size_t extents = (size_t)f->datasets * sizeof *f->where,
         size = sizeof head + extents + frame_size(f, head.size);
  cas_extent *sorted = cas_trajectory_extents(f);
  char *bytes = malloc(size);
  cas_status status = CAS_OK;
  if (!sorted || !bytes)
    status = cas_fail(err, CAS_NO_MEMORY, "%s: no memory for its checkpoint.", f->path);
  else if (!transfer_frame(fd, pread, f, sorted, head.size, bytes + sizeof head + extents))
    status =
        cas_fail(err, CAS_FILE_ERROR, "%s: cannot be read: %s.", f->temporary, strerror(errno));
  if (!status) {
    memcpy(bytes, &head, sizeof head);
    memcpy(bytes + sizeof head, f->where, extents);
    status = cas_sections_put(s, section_name, bytes, size, err);
  }
  free(sorted);
  free(bytes);
  return status;
}

static cas_status store_on_one(const cas_trajectory_file *f, int64_t written, cas_sections *s,
                               cas_error *err) {
  int fd = open(f->temporary, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return cas_fail(err, CAS_FILE_ERROR, "%s: cannot be read: %s.", f->temporary, strerror(errno));
  cas_status st = put_frame(f, fd, written, s, err);
  close(fd);
  return st;
}

cas_status cas_trajectory_store(cas_trajectory_file *f, cas_sections *s, cas_error *err) {
  int64_t written = 0;
  cas_status st = CAS_OK;
  if (f->failure.status)
    st = cas_fail(err, f->failure.status, "%s", f->failure.text);
  else if (fsync(f->fd))
    st = cas_fail(err, CAS_FILE_ERROR, "%s: cannot be brought to disk: %s.", f->temporary,
                  strerror(errno));
  st = cas_agree(st, f->comm, err);
  if (st)
    return st;
  f->known = true;
  MPI_Reduce(&f->written, &written, 1, MPI_INT64_T, MPI_SUM, 0, f->comm);
  return cas_agree(f->rank == 0 ? store_on_one(f, written, s, err) : CAS_OK, f->comm, err);
}

/* ---- back from it ---- */

static uint64_t data_size(const cas_recorded *r) {
  uint64_t size = sizeof(double);
  for (int i = 0; i < r->rank; i++)
    size *= r->dims[i];
  return r->is_complex ? 2 * size : size;
}

/* The section has to be of a file of this layout. */
static bool take_extents(cas_trajectory_file *f, const cas_section *from, file_head *head) {
  size_t extents = (size_t)f->datasets * sizeof *f->where;
  if (from->size < sizeof *head + extents)
    return false;
  memcpy(head, from->bytes, sizeof *head);
  memcpy(f->where, (const char *)from->bytes + sizeof *head, extents);
  for (int k = 0; k < f->datasets; k++)
    if (f->where[k].length != data_size(&f->recorded[k]))
      return false;
  return from->size == sizeof *head + extents + frame_size(f, head->size);
}

static cas_status restore(const cas_trajectory_file *f, int fd, const file_head *head, char *frame,
                          cas_error *err) {
  struct stat st;
  cas_status status = CAS_OK;
  cas_extent *sorted = cas_trajectory_extents(f);
  if (!sorted)
    return cas_fail(err, CAS_NO_MEMORY, "%s: no memory to go on with it.", f->path);
  const cas_extent *last = &sorted[f->datasets - 1];
  if (fstat(fd, &st) || (uint64_t)st.st_size < last->offset + last->length)
    status = cas_fail(err, CAS_FILE_ERROR,
                      "%s: is shorter than when the checkpoint was written. Remove the checkpoint "
                      "to begin anew.",
                      f->temporary);
  else if (!transfer_frame(fd, write_there, f, sorted, head->size, frame) ||
           ftruncate(fd, (off_t)head->size))
    status =
        cas_fail(err, CAS_FILE_ERROR, "%s: cannot be written: %s.", f->temporary, strerror(errno));
  free(sorted);
  return status;
}

cas_status cas_trajectory_restore(cas_trajectory_file *f, const cas_sections *s, cas_error *err) {
  size_t at = 0;
  cas_section from;
  file_head head;
  if (!cas_sections_next(s, section_name, &at, &from) || !take_extents(f, &from, &head))
    return cas_fail(err, CAS_FILE_ERROR,
                    "%s: its checkpoint is of other records. Remove the checkpoint to begin anew.",
                    f->path);
  int fd = open(f->temporary, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0)
    return cas_fail(err, CAS_FILE_ERROR,
                    "%s: holds the records so far and cannot be opened: %s. Remove the checkpoint "
                    "to begin anew.",
                    f->temporary, strerror(errno));
  char *frame = (char *)from.bytes + sizeof head + (size_t)f->datasets * sizeof *f->where;
  cas_status st = restore(f, fd, &head, frame, err);
  f->written = head.written;
  if (close(fd) && !st)
    st = cas_fail(err, CAS_FILE_ERROR, "%s: cannot be closed: %s.", f->temporary, strerror(errno));
  return st;
}
