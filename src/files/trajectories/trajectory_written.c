/* Which records of a trajectory file were written, what they add up to, and whether that is what is
   in the file. Sums are of 64-bit words with their places (hash.h), so that it does not matter
   which rank writes, or reads back, which part. */
#include "base/hash.h"
#include "files/io.h"
#include "files/trajectories/trajectory_impl.h"
#include <casimir/parallel.h>
#include <errno.h>
#include <fcntl.h>

/* Makes one of two that are neighbours along the records or along the paths. */
static bool join(cas_stretch *a, const cas_stretch *b) {
  if (a->part != b->part || a->once != b->once)
    return false;
  if (a->path == b->path && a->paths == b->paths && a->record + a->records == b->record)
    a->records += b->records;
  else if (a->record == b->record && a->records == b->records && a->path + a->paths == b->path)
    a->paths += b->paths;
  else
    return false;
  return true;
}

/* Takes one out that has a neighbour, and makes *more the two together. */
static bool take_neighbour(cas_stretches *s, cas_stretch *more) {
  for (int i = s->n - 1; i >= 0; i--) {
    cas_stretch both = s->stretch[i];
    if (!join(&both, more)) {
      both = *more;
      if (!join(&both, &s->stretch[i]))
        continue;
    }
    *more = both;
    s->stretch[i] = s->stretch[--s->n];
    return true;
  }
  return false;
}

cas_status cas_stretches_add(cas_stretches *s, cas_stretch more, cas_error *err) {
  while (take_neighbour(s, &more))
    ;
  CAS_NEED(cas_owned_resize(&s->stretch, s->n + 1, sizeof more));
  s->stretch[s->n++] = more;
  return CAS_OK;
}

bool cas_stretch_fits(const cas_trajectory_file *f, const cas_stretch *s) {
  if (s->part < 0 || s->part >= f->parts || s->path < 0 || s->paths < 1 ||
      s->path > f->part[s->part].paths - s->paths || s->record < 0 || s->records < 1)
    return false;
  return s->once ? s->record == 0 && s->records == 1
                 : s->record <= f->part[s->part].records - s->records;
}

cas_status cas_stretches_gather(const cas_trajectory_file *f, cas_stretches *all, cas_error *err) {
  int bytes = f->written.n * (int)sizeof(cas_stretch), total = 0;
  size_t ranks = f->rank == 0 ? (size_t)f->ranks : 0;
  CAS_OWNED cas_stretch *found = NULL;
  CAS_OWNED int *count = calloc(2 * ranks + 1, sizeof *count);
  int *at = count + ranks;
  CAS_CALL(cas_agree(count ? CAS_OK : cas_no_memory(err), f->comm, err));
  MPI_Gather(&bytes, 1, MPI_INT, count, 1, MPI_INT, 0, f->comm);
  for (size_t k = 0; k < ranks; total += count[k++])
    at[k] = total;
  found = malloc((size_t)total + 1);
  CAS_CALL(cas_agree(found ? CAS_OK : cas_no_memory(err), f->comm, err));
  MPI_Gatherv(f->written.stretch, bytes, MPI_BYTE, found, count, at, MPI_BYTE, 0, f->comm);
  cas_status st = CAS_OK;
  for (int i = 0; !st && i < total / (int)sizeof *found; i++)
    st = cas_stretches_add(all, found[i], err);
  return cas_agree(st, f->comm, err);
}

uint64_t cas_recorded_at(const cas_trajectory_file *f, int dataset, int64_t record, int64_t path) {
  return f->where[dataset].offset + sizeof(double) *
                                        (uint64_t)(record * f->recorded[dataset].paths + path) *
                                        (uint64_t)f->recorded[dataset].doubles;
}

/* Adds the sums of this rank's share of the records of a stretch of one dataset. */
static bool sum_dataset(const cas_trajectory_file *f, int fd, const cas_stretch *s, int dataset,
                        uint64_t *sum) {
  int64_t first = s->record + s->records * f->rank / f->ranks,
          last = s->record + s->records * (f->rank + 1) / f->ranks;
  uint64_t row = sizeof(double) * (uint64_t)(s->paths * f->recorded[dataset].doubles);
  if (s->paths == f->recorded[dataset].paths)
    return cas_file_sum(fd, cas_recorded_at(f, dataset, first, 0),
                        cas_recorded_at(f, dataset, last, 0), sum);
  for (int64_t t = first; t < last; t++) {
    uint64_t at = cas_recorded_at(f, dataset, t, s->path);
    if (!cas_file_sum(fd, at, at + row, sum))
      return false;
  }
  return true;
}

static bool sum_stretches(const cas_trajectory_file *f, int fd, uint64_t *sum) {
  for (int i = 0; i < f->written.n; i++) {
    const cas_stretch *s = &f->written.stretch[i];
    const cas_trajectory_part *p = &f->part[s->part];
    int first = s->once ? p->often : 0, last = s->once ? p->datasets : p->often;
    for (int k = p->first + first; k < p->first + last; k++)
      if (!sum_dataset(f, fd, s, k, sum))
        return false;
  }
  return true;
}

static cas_status open_to_read(const cas_trajectory_file *f, int *fd, cas_error *err) {
  *fd = open(f->temporary, O_RDONLY | O_CLOEXEC);
  return *fd >= 0 ? CAS_OK
                  : cas_fail(err, CAS_FILE_ERROR, "%s: cannot be read back by rank %d: %s.",
                             f->temporary, f->rank, strerror(errno));
}

cas_status cas_trajectory_check_written(const cas_trajectory_file *f, cas_error *err) {
  CAS_OWNED_BY(cas_owned_descriptor) int fd = -1;
  uint64_t own = 0, sum = 0;
  cas_status st = open_to_read(f, &fd, err);
  if (!st && !sum_stretches(f, fd, &own))
    st = cas_file_fail(err, f->temporary, "cannot be read back");
  CAS_CALL(cas_agree(st, f->comm, err));
  cas_allreduce(&own, &sum, 1, MPI_UINT64_T, MPI_SUM, f->comm);
  return sum == f->sum ? CAS_OK
                       : cas_fail(err, CAS_FILE_ERROR,
                                  "%s: is damaged, or of another run: its records are not those "
                                  "that it had when the checkpoint was written. Put the file back "
                                  "that was there, or remove the checkpoint to begin anew.",
                                  f->temporary);
}

/* The sums of pieces [first, last) of all, which are this rank's share. */
static cas_status sum_pieces(const cas_trajectory_file *f, int64_t first, int64_t last,
                             uint64_t *sum, cas_error *err) {
  CAS_OWNED_BY(cas_owned_descriptor) int fd = -1;
  CAS_OWNED cas_extent *sorted = cas_trajectory_extents(f);
  CAS_NEED(sorted && sum);
  CAS_CALL(open_to_read(f, &fd, err));
  return cas_seal_sums(fd, f->datasets, sorted, first, last, sum + first)
             ? CAS_OK
             : cas_file_fail(err, f->temporary, "cannot be read back");
}

cas_status cas_trajectory_sums(const cas_trajectory_file *f, uint64_t **sum, cas_error *err) {
  const int64_t pieces = cas_seal_pieces(f->datasets, f->where),
                first = pieces * f->rank / f->ranks, last = pieces * (f->rank + 1) / f->ranks;
  uint64_t sums[2] = {f->sum, 0}; /* what all ranks have written, and what all have found */
  *sum = calloc((size_t)pieces + 1, sizeof **sum); /* 0 for pieces of other ranks */
  CAS_CALL(cas_agree(sum_pieces(f, first, last, *sum, err), f->comm, err));
  for (int64_t k = 0; k < pieces; k++)
    sums[1] += (*sum)[k];
  cas_allreduce(MPI_IN_PLACE, sums, 2, MPI_UINT64_T, MPI_SUM, f->comm);
  CAS_FAIL_IF(sums[0] != sums[1], CAS_FILE_ERROR,
              "%s: is damaged: what is in it is not what was written.", f->temporary);
  MPI_Reduce(f->rank ? *sum : MPI_IN_PLACE, *sum, (int)pieces, MPI_UINT64_T, MPI_SUM, 0, f->comm);
  return CAS_OK;
}
