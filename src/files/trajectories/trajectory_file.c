/* Trajectories of many paths, written by all ranks. One rank lays the HDF5 file out before and
   completes it after; in between each rank writes its values by plain writes to the places that
   HDF5 has set apart for them. Collective writes through HDF5 and MPI-IO would do the same, but
   with Open MPI 4.1 a failing write is reported as done, closing the file then hangs, and
   MPI_Finalize crashes. */
#include "base/count.h"
#include "base/hash.h"
#include "base/text.h"
#include "files/hdf5/dataset.h"
#include "files/safe_file.h"
#include "files/trajectories/trajectory_impl.h"
#include <casimir/parallel.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

static cas_status mpi_failed(cas_error *err, const char *path, const char *call) {
  return cas_fail(err, CAS_INTERNAL, "%s: %s failed.", path, call);
}

/* ---- the handle ---- */

static void free_handle(cas_trajectory_file *f) {
  for (int k = 0; f->recorded && k < f->datasets; k++)
    free(f->recorded[k].name);
  for (int i = 0; f->part && i < f->parts; i++)
    free(f->part[i].group);
  free(f->part);
  free(f->recorded);
  free(f->where);
  free(f->written.stretch);
  free(f->temporary);
  free(f->path);
  free(f);
}

static const cas_trajectory_place trajectory = {"trajectory", "path", "index of the path", false},
                                  members = {"ensemble", "member", "index of the member's path",
                                             true};

static bool copy_shape(const cas_trajectory_file *f, const cas_trajectory_layout *l,
                       const cas_file_dataset *d, cas_recorded *r) {
  r->paths = l->paths;
  if (!d->once)
    r->dims[r->rank++] = (hsize_t)l->records;
  if (!l->bare && (l->paths > 1 || f->place->always))
    r->dims[r->rank++] = (hsize_t)l->paths;
  r->doubles = d->is_complex ? 2 : 1;
  for (int i = 0; i < d->axes; i++) {
    r->dims[r->rank++] = (hsize_t)d->axis[i].length;
    r->doubles *= d->axis[i].length;
  }
  r->is_complex = d->is_complex;
  r->once = d->once;
  r->name = strdup(d->name);
  return r->name;
}

static bool copy_part(cas_trajectory_file *f, const cas_trajectory_layout *l,
                      cas_trajectory_part *p) {
  *p = (cas_trajectory_part){.group = strdup(l->group ? l->group : f->place->group),
                             .records = l->records,
                             .paths = l->paths,
                             .first = f->datasets,
                             .datasets = l->datasets};
  while (p->often < l->datasets && !l->dataset[p->often].once)
    p->often++;
  for (int k = 0; p->group && k < l->datasets; k++, f->datasets++)
    if (!copy_shape(f, l, &l->dataset[k], &f->recorded[f->datasets]))
      return false;
  return p->group;
}

static bool copy_parts(cas_trajectory_file *f, int parts, const cas_trajectory_layout *l) {
  size_t n = 1;
  for (int i = 0; i < parts; i++)
    n += (size_t)l[i].datasets;
  f->part = calloc((size_t)parts, sizeof *f->part);
  f->recorded = calloc(n, sizeof *f->recorded);
  f->where = calloc(n, sizeof *f->where);
  if (!f->part || !f->recorded || !f->where)
    return false;
  f->parts = parts;
  for (int i = 0; i < parts; i++)
    if (!copy_part(f, &l[i], &f->part[i]))
      return false;
  return true;
}

static cas_trajectory_file *new_handle(const char *path, int parts, const cas_trajectory_layout *l,
                                       cas_error *err) {
  cas_trajectory_file *f = calloc(1, sizeof *f);
  if (f) {
    *f = (cas_trajectory_file){.comm = MPI_COMM_NULL, .fd = -1};
    f->place = l->members ? &members : &trajectory;
    f->path = strdup(path);
    f->temporary = cas_file_temporary_name(path);
    if (f->path && f->temporary && copy_parts(f, parts, l))
      return f;
    free_handle(f);
  }
  (void)cas_no_memory(err);
  return NULL;
}

/* ---- creation ---- */

/* From the communicator to a file that all ranks have open. */
static cas_status begin(cas_trajectory_file *f, const cas_trajectory_layout *l,
                        const cas_sections *from, MPI_Comm comm, cas_error *err) {
  if (MPI_Comm_dup(comm, &f->comm) || MPI_Comm_rank(f->comm, &f->rank) ||
      MPI_Comm_size(f->comm, &f->ranks))
    return mpi_failed(err, f->path, "MPI_Comm_dup");
  if (f->known) {
    CAS_CALL(cas_trajectory_restore(f, from, err));
  } else {
    CAS_CALL(cas_agree(f->rank == 0 ? cas_trajectory_lay_out(f, l, err) : CAS_OK, f->comm, err));
    if (cas_bcast(f->where, f->datasets * (int)sizeof *f->where, MPI_BYTE, 0, f->comm))
      return mpi_failed(err, f->path, "MPI_Bcast");
  }
  cas_status st = CAS_OK;
  f->fd = open(f->temporary, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
  if (f->fd < 0)
    st = cas_fail(err, CAS_FILE_ERROR,
                  "%s: made by rank 0, cannot be opened by rank %d: %s. All ranks need the same "
                  "file system.",
                  f->temporary, f->rank, strerror(errno));
  return cas_agree(st, f->comm, err);
}

/* Network file systems report some failed writes only when a file is synchronised and closed. */
static cas_status sync_and_close(cas_trajectory_file *f, cas_error *err) {
  const int synced = fsync(f->fd) ? errno : 0, closed = close(f->fd) ? errno : 0;
  f->fd = -1;
  CAS_FAIL_IF(synced || closed, CAS_FILE_ERROR, "%s: cannot be brought to disk: %s.", f->temporary,
              strerror(synced ? synced : closed));
  return CAS_OK;
}

/* keep: the temporary file was renamed, or a run will go on with it. */
static void release(cas_trajectory_file *f, bool keep) {
  if (!f)
    return;
  if (f->fd >= 0)
    close(f->fd); /* thrown away: nothing that fails here matters */
  if (f->comm != MPI_COMM_NULL) {
    if (!keep && f->rank == 0 && (f->made || f->known))
      unlink(f->temporary);
    if (!keep) /* no rank goes on while the temporary file is still to be seen */
      cas_meet(f->comm);
    MPI_Comm_free(&f->comm);
  }
  free_handle(f);
}

static cas_status report(cas_error *err, const cas_error *found) {
  return found->status ? cas_fail(err, found->status, "%s", found->text) : CAS_OK;
}

cas_status cas_trajectory_resume(const char *path, int groups, const cas_trajectory_layout *layout,
                                 const cas_sections *from, MPI_Comm comm, cas_trajectory_file **out,
                                 cas_error *err) {
  cas_error found = {.status = CAS_OK};
  *out = NULL;
  cas_trajectory_file *f = new_handle(path, groups, layout, &found);
  cas_status st = cas_agree(found.status, comm, &found);
  if (!st) {
    f->known = from->size > 0;
    st = begin(f, layout, from, comm, &found);
  }
  if (st)
    release(f, f && f->known);
  else
    *out = f;
  return report(err, &found);
}

cas_status cas_trajectory_create_groups(const char *path, int groups,
                                        const cas_trajectory_layout *layout, MPI_Comm comm,
                                        cas_trajectory_file **out, cas_error *err) {
  return cas_trajectory_resume(path, groups, layout, &(cas_sections){0}, comm, out, err);
}

/* ---- writing ---- */

static cas_status check_inside(const cas_trajectory_file *f, const cas_stretch *s, cas_error *err) {
  const cas_trajectory_part *p = &f->part[s->part];
  CAS_FAIL_IF(!cas_stretch_fits(f, s), CAS_INTERNAL,
              "%s: %lld records from %lld of %lld paths from %lld do not lie in the trajectory "
              "of %lld records and %lld paths.",
              f->path, (long long)s->records, (long long)s->record, (long long)s->paths,
              (long long)s->path, (long long)p->records, (long long)p->paths);
  return CAS_OK;
}

static cas_status write_failed(const cas_trajectory_file *f, const cas_trajectory_part *p, int k,
                               int reason, cas_error *err) {
  struct stat s = {0};
  fstat(f->fd, &s);
  return cas_fail(err, CAS_FILE_ERROR, "%s: cannot write '%s/%s': %s. The file needs %lld bytes.",
                  f->temporary, p->group, f->recorded[k].name, strerror(reason),
                  (long long)s.st_size);
}

static bool write_and_sum(cas_trajectory_file *f, const char *bytes, uint64_t size,
                          uint64_t offset) {
  f->sum += cas_hash_sum(offset, bytes, size);
  return cas_io_write_at(f->fd, bytes, size, offset);
}

/* Values of a record are one run of bytes; with all paths, values of several records are, too. */
static bool write_dataset(cas_trajectory_file *f, int k, const cas_stretch *s,
                          const double *values) {
  uint64_t row = sizeof(double) * (uint64_t)(s->paths * f->recorded[k].doubles);
  const char *bytes = (const char *)values;
  if (s->paths == f->recorded[k].paths)
    return write_and_sum(f, bytes, (uint64_t)s->records * row,
                         cas_recorded_at(f, k, s->record, s->path));
  for (int64_t t = 0; t < s->records; t++, bytes += row)
    if (!write_and_sum(f, bytes, row, cas_recorded_at(f, k, s->record + t, s->path)))
      return false;
  return true;
}

/* Writes the datasets of a group that have records, or the ones that come once a path. */
static cas_status write_stretch(cas_trajectory_file *f, cas_stretch s, const double *const *values,
                                cas_error *err) {
  const cas_trajectory_part *p = &f->part[s.part];
  const int from = s.once ? p->often : 0, to = s.once ? p->datasets : p->often;
  if (s.records == 0 || s.paths == 0)
    return CAS_OK;
  CAS_CALL(check_inside(f, &s, err));
  for (int k = from; k < to; k++)
    if (!write_dataset(f, p->first + k, &s, values[k - from]))
      return write_failed(f, p, p->first + k, errno, err);
  return cas_stretches_add(&f->written, s, err);
}

/* Writes unless an earlier call has failed, whose failure this one has then too. */
static cas_status write_values(cas_trajectory_file *f, cas_stretch s, const double *const *values,
                               cas_error *err) {
  if (!f->failure.status)
    (void)!write_stretch(f, s, values, &f->failure);
  return report(err, &f->failure);
}

cas_status cas_trajectory_write_group(cas_trajectory_file *f, int group, int64_t t0, int64_t nt,
                                      int64_t p0, int64_t np, const double *const *values,
                                      cas_error *err) {
  return write_values(f, (cas_stretch){group, false, p0, np, t0, nt}, values, err);
}

cas_status cas_trajectory_write_once(cas_trajectory_file *f, int64_t p0, int64_t np,
                                     const double *const *values, cas_error *err) {
  return write_values(f, (cas_stretch){0, true, p0, np, 0, 1}, values, err);
}

cas_status cas_trajectory_write(cas_trajectory_file *f, int64_t t0, int64_t nt, int64_t p0,
                                int64_t np, const double *const *values, cas_error *err) {
  return cas_trajectory_write_group(f, 0, t0, nt, p0, np, values, err);
}

/* ---- from the finished file of a shorter run ---- */

/* Axes of a dataset: records, unless it comes once; paths, unless there is one; and others. */
static cas_status copy_stretch(cas_trajectory_file *f, int k, const cas_open_dataset *d,
                               const cas_stretch *s, double *values, cas_error *err) {
  int64_t first[4] = {0}, count[4];
  int axis = 0;
  memcpy(count, d->shape.dims, sizeof count);
  if (!s->once) {
    first[axis] = s->record;
    count[axis++] = s->records;
  }
  if (f->part->paths > 1 || f->place->always) {
    first[axis] = s->path;
    count[axis] = s->paths;
  }
  CAS_CALL(cas_dataset_read_part(d, first, count, values, err));
  return write_dataset(f, k, s, values) ? CAS_OK : write_failed(f, f->part, k, errno, err);
}

/* all: what is copied. */
static cas_status copy_dataset(cas_trajectory_file *f, int k, cas_stretch *all, cas_error *err) {
  enum { DOUBLES = 1 << 20 }; /* held at a time, if a record of one path is not more */
  const cas_recorded *r = &f->recorded[k];
  CAS_OWNED_BY(cas_dataset_close) cas_open_dataset d = {0};
  char name[200];
  snprintf(name, sizeof name, "/%s/%s", f->part->group, r->name);
  CAS_CALL(cas_dataset_open(f->path, name, &d, err));
  CAS_FAIL_IF(d.shape.rank != r->rank, CAS_FILE_ERROR,
              "%s: '%s' has another shape than this run gives it.", f->path, name);
  *all = (cas_stretch){0, r->once, 0, r->paths, 0, r->once ? 1 : d.shape.dims[0]};
  CAS_CALL(check_inside(f, all, err));
  const int64_t some = DOUBLES / r->doubles + 1, paths = cas_count_least(all->paths, some),
                records = cas_count_least(all->records, some / paths + 1);
  CAS_OWNED double *values = malloc((size_t)(paths * records * r->doubles) * sizeof *values);
  CAS_NEED(values);
  for (int64_t p = 0; p < all->paths; p += paths)
    for (int64_t t = 0; t < all->records; t += records)
      CAS_CALL(copy_stretch(f, k, &d,
                            &(cas_stretch){0, r->once, p, cas_count_least(paths, all->paths - p), t,
                                           cas_count_least(records, all->records - t)},
                            values, err));
  return CAS_OK;
}

static cas_status copy_datasets(cas_trajectory_file *f, bool once, cas_error *err) {
  const cas_trajectory_part *p = f->part;
  const int first = once ? p->often : 0, end = once ? p->datasets : p->often;
  cas_stretch s = {0};
  for (int k = first; k < end; k++)
    CAS_CALL(copy_dataset(f, p->first + k, &s, err));
  return first == end ? CAS_OK : cas_stretches_add(&f->written, s, err);
}

cas_status cas_trajectory_copy(cas_trajectory_file *f, bool once, cas_error *err) {
  cas_status st = f->rank == 0 ? copy_datasets(f, false, err) : CAS_OK;
  if (!st && f->rank == 0 && once)
    st = copy_datasets(f, true, err);
  return cas_agree(st, f->comm, err);
}

/* ---- closing ---- */

/* Space that nobody wrote reads as zeros, which would look like data. */
static cas_status check_written(const cas_trajectory_file *f, cas_error *err) {
  int64_t own = 0, total = 0, all = 0;
  for (int i = 0; i < f->written.n; i++)
    own += f->written.stretch[i].records * f->written.stretch[i].paths;
  for (int i = 0; i < f->parts; i++)
    all += (f->part[i].records + (f->part[i].often < f->part[i].datasets)) * f->part[i].paths;
  if (cas_allreduce(&own, &total, 1, MPI_INT64_T, MPI_SUM, f->comm))
    return mpi_failed(err, f->path, "MPI_Allreduce");
  CAS_FAIL_IF(total != all, CAS_INTERNAL, "%s: %lld states were written, of %lld.", f->path,
              (long long)total, (long long)all);
  return CAS_OK;
}

static cas_status complete(cas_trajectory_file *f, const cas_results *r, cas_error *err) {
  CAS_OWNED uint64_t *sum = NULL;
  CAS_CALL(cas_agree(check_written(f, err), f->comm, err));
  CAS_CALL(cas_agree(sync_and_close(f, err), f->comm, err));
  CAS_CALL(cas_agree(cas_trajectory_sums(f, &sum, err), f->comm, err));
  return cas_agree(f->rank == 0 ? cas_trajectory_complete(f, r, sum, err) : CAS_OK, f->comm, err);
}

cas_status cas_trajectory_close(cas_trajectory_file *f, const cas_results *r, cas_error *err) {
  CAS_LOCALE_OF_C;
  if (!f)
    return CAS_OK;
  int keep = r != NULL;
  cas_error found = f->failure;
  if (cas_bcast(&keep, 1, MPI_INT, 0, f->comm))
    (void)mpi_failed(&found, f->path, "MPI_Bcast");
  if (!keep)
    found.status = CAS_OK; /* abandoned on purpose: nothing is asked for, so nothing can fail */
  else if (!cas_agree(found.status, f->comm, &found))
    (void)!complete(f, r, &found);
  release(f, keep && (!found.status || f->known));
  return report(err, &found);
}

void cas_trajectory_suspend(cas_trajectory_file *f) { release(f, true); }
