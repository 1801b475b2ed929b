/* Unfinished trajectory files, from which runs go on. The data stay where they are; all other
   bytes, which HDF5 needs to find them, are few: checkpoints have them and put them back. */
#include "files/io.h"
#include "files/trajectories/trajectory_impl.h"
#include <casimir/parallel.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

static const char section_name[] = "file";

/* The section: this, where the data of each dataset lie, which of them were written, then all other
   bytes in ascending order. */
typedef struct {
  uint64_t size; /* of the file */
  uint64_t sum;  /* of what was written */
  int64_t stretches;
} file_head;

/* ---- the bytes outside of the data ---- */

typedef enum { READ, WRITE } direction;

static bool transfer_range(int fd, direction d, char **bytes, uint64_t from, uint64_t to) {
  size_t size = from < to ? (size_t)(to - from) : 0;
  bool whole =
      d == WRITE ? cas_io_write_at(fd, *bytes, size, from) : cas_io_read_at(fd, *bytes, size, from);
  *bytes += size;
  return whole;
}

static bool transfer_frame(int fd, direction d, const cas_trajectory_file *f,
                           const cas_extent *sorted, uint64_t size, char *bytes) {
  uint64_t at = 0;
  for (int k = 0; k < f->datasets; k++) {
    if (!transfer_range(fd, d, &bytes, at, sorted[k].offset))
      return false;
    at = sorted[k].offset + sorted[k].length;
  }
  return transfer_range(fd, d, &bytes, at, size);
}

static uint64_t frame_size(const cas_trajectory_file *f, uint64_t size) {
  for (int k = 0; k < f->datasets; k++)
    size -= f->where[k].length;
  return size;
}

/* ---- into a checkpoint ---- */

/* The number of bytes of a section in front of the frame. */
static size_t head_size(const cas_trajectory_file *f, int64_t stretches) {
  return sizeof(file_head) + (size_t)f->datasets * sizeof *f->where +
         (size_t)stretches * sizeof(cas_stretch);
}

static char *put_head(const cas_trajectory_file *f, const file_head *head,
                      const cas_stretches *written, char *to) {
  const size_t stretches = (size_t)written->n * sizeof *written->stretch;
  to = mempcpy(to, head, sizeof *head);
  to = mempcpy(to, f->where, (size_t)f->datasets * sizeof *f->where);
  return stretches ? mempcpy(to, written->stretch, stretches) : to;
}

static cas_status store_on_one(const cas_trajectory_file *f, const cas_stretches *written,
                               uint64_t sum, cas_sections *s, cas_error *err) {
  struct stat st;
  CAS_OWNED_BY(cas_owned_descriptor) int fd = open(f->temporary, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return cas_file_fail(err, f->temporary, "cannot be read");
  if (fstat(fd, &st))
    return cas_file_fail(err, f->temporary, "its size is unknown");
  const file_head head = {(uint64_t)st.st_size, sum, written->n};
  size_t size = head_size(f, written->n) + frame_size(f, head.size);
  CAS_OWNED cas_extent *sorted = cas_trajectory_extents(f);
  char *bytes = sorted ? cas_sections_add(s, section_name, size, err) : NULL;
  CAS_NEED(bytes);
  return transfer_frame(fd, READ, f, sorted, head.size, put_head(f, &head, written, bytes))
             ? CAS_OK
             : cas_file_fail(err, f->temporary, "cannot be read");
}

static void free_stretches(cas_stretches *s) { free(s->stretch); }

cas_status cas_trajectory_store(cas_trajectory_file *f, cas_sections *s, cas_error *err) {
  CAS_OWNED_BY(free_stretches) cas_stretches written = {0};
  uint64_t sum = 0;
  cas_status st = CAS_OK;
  if (f->failure.status)
    st = cas_fail(err, f->failure.status, "%s", f->failure.text);
  else if (fsync(f->fd))
    st = cas_file_fail(err, f->temporary, "cannot be brought to disk");
  CAS_CALL(cas_agree(st, f->comm, err));
  f->known = true;
  MPI_Reduce(&f->sum, &sum, 1, MPI_UINT64_T, MPI_SUM, 0, f->comm);
  st = cas_stretches_gather(f, &written, err);
  if (!st && f->rank == 0)
    st = store_on_one(f, &written, sum, s, err);
  return cas_agree(st, f->comm, err);
}

/* ---- back from it ---- */

static bool take_extents(cas_trajectory_file *f, const char *from) {
  memcpy(f->where, from, (size_t)f->datasets * sizeof *f->where);
  for (int k = 0; k < f->datasets; k++) {
    uint64_t size = sizeof(double) * (f->recorded[k].is_complex ? 2 : 1);
    for (int i = 0; i < f->recorded[k].rank; i++)
      size *= f->recorded[k].dims[i];
    if (f->where[k].length != size)
      return false;
  }
  return true;
}

static bool take_stretches(cas_trajectory_file *f, const char *from, int64_t n) {
  for (int64_t i = 0; i < n; i++, from += sizeof(cas_stretch)) {
    cas_stretch s;
    memcpy(&s, from, sizeof s);
    if (!cas_stretch_fits(f, &s) || cas_stretches_add(&f->written, s, NULL))
      return false;
  }
  return true;
}

/* The section has to be of a file of this layout; *frame: what follows its head. */
static bool take_section(cas_trajectory_file *f, const cas_sections *s, file_head *head,
                         char **frame) {
  cas_section from;
  if (!cas_sections_find(s, section_name, &from) || from.size < head_size(f, 0))
    return false;
  char *bytes = (char *)from.bytes;
  memcpy(head, bytes, sizeof *head);
  int64_t most = (int64_t)((from.size - head_size(f, 0)) / sizeof(cas_stretch));
  if (head->stretches < 0 || head->stretches > most)
    return false;
  *frame = bytes + head_size(f, head->stretches);
  f->sum = head->sum;
  return take_extents(f, bytes + sizeof *head) &&
         take_stretches(f, bytes + head_size(f, 0), head->stretches) &&
         from.size == head_size(f, head->stretches) + frame_size(f, head->size);
}

/* Another run's file has its own mark, unless HDF5 has written over it at the end. */
static cas_status check_mark(const cas_trajectory_file *f, int fd, const file_head *head,
                             const char *frame, cas_error *err) {
  cas_run_mark mine, found;
  if (frame_size(f, head->size) < sizeof mine)
    return CAS_OK;
  memcpy(&mine, frame + frame_size(f, head->size) - sizeof mine, sizeof mine);
  ssize_t n = pread(fd, &found, sizeof found, (off_t)(head->size - sizeof found));
  CAS_FAIL_IF(n == sizeof found && mine.magic == cas_trajectory_run_magic &&
                  found.magic == cas_trajectory_run_magic && found.run != mine.run,
              CAS_FILE_ERROR,
              "%s: belongs to another run than the checkpoint. Put the file back that was "
              "there, or remove the checkpoint to begin anew.",
              f->temporary);
  return CAS_OK;
}

static cas_status check_file(const cas_trajectory_file *f, int fd, const file_head *head,
                             const char *frame, cas_error *err) {
  struct stat st;
  uint64_t end = 0;
  for (int k = 0; k < f->datasets; k++)
    if (f->where[k].offset + f->where[k].length > end)
      end = f->where[k].offset + f->where[k].length;
  CAS_FAIL_IF(fstat(fd, &st) || (uint64_t)st.st_size < end, CAS_FILE_ERROR,
              "%s: is shorter than when the checkpoint was written. Remove the checkpoint "
              "to begin anew.",
              f->temporary);
  return check_mark(f, fd, head, frame, err);
}

static cas_status put_frame_back(const cas_trajectory_file *f, int fd, const file_head *head,
                                 char *frame, cas_error *err) {
  CAS_OWNED cas_extent *sorted = cas_trajectory_extents(f);
  CAS_NEED(sorted);
  if (!transfer_frame(fd, WRITE, f, sorted, head->size, frame) || ftruncate(fd, (off_t)head->size))
    return cas_file_fail(err, f->temporary, "cannot be written");
  return CAS_OK;
}

/* Nothing of the file is changed before it is known to be the right one. */
static cas_status restore(const cas_trajectory_file *f, int fd, const file_head *head, char *frame,
                          cas_error *err) {
  const bool root = f->rank == 0;
  CAS_CALL(cas_agree(root ? check_file(f, fd, head, frame, err) : CAS_OK, f->comm, err));
  CAS_CALL(cas_trajectory_check_written(f, err));
  return cas_agree(root ? put_frame_back(f, fd, head, frame, err) : CAS_OK, f->comm, err);
}

cas_status cas_trajectory_restore(cas_trajectory_file *f, const cas_sections *s, cas_error *err) {
  file_head head = {0};
  char *frame = NULL;
  int fd = -1;
  cas_status st = CAS_OK;
  if (!take_section(f, s, &head, &frame))
    st = cas_fail(err, CAS_FILE_ERROR,
                  "%s: its checkpoint is of other records. Remove the checkpoint to begin anew.",
                  f->path);
  else if (f->rank == 0 && (fd = open(f->temporary, O_RDWR | O_NOFOLLOW | O_CLOEXEC)) < 0)
    st = cas_fail(err, CAS_FILE_ERROR,
                  "%s: holds the records so far and cannot be opened: %s. Remove the checkpoint to "
                  "begin anew.",
                  f->temporary, strerror(errno));
  st = cas_agree(st, f->comm, err);
  if (!st)
    st = restore(f, fd, &head, frame, err);
  if (fd >= 0)
    st = cas_file_close(fd, f->temporary, st, err);
  if (f->rank > 0) {
    f->written.n = 0;
    f->sum = 0;
  }
  return cas_agree(st, f->comm, err);
}
