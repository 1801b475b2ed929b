/* Copies the records of a finished file into the file of a longer run of the same paths. */
#include "files/hdf5/dataset.h"
#include "files/trajectories/trajectory_impl.h"
#include <casimir/parallel.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Some datasets of the finished file: all that have records, or all that come once a path. */
typedef struct {
  cas_trajectory_file *to;
  int first, n; /* of to->recorded */
  bool once;
  cas_open_dataset *from; /* [n] */
  double **values;        /* [n] of some records of some paths */
} source;

enum { DOUBLES = 1 << 20 }; /* held at a time, if a record of one path is not more */

static int64_t doubles_of(const source *s) {
  int64_t sum = 0;
  for (int k = 0; k < s->n; k++)
    sum += s->to->recorded[s->first + k].doubles;
  return sum;
}

static cas_status open_datasets(const source *s, cas_error *err) {
  for (int k = 0; k < s->n; k++) {
    char name[200];
    snprintf(name, sizeof name, "/%s/%s", s->to->part->group, s->to->recorded[s->first + k].name);
    CAS_CALL(cas_dataset_open(s->to->path, name, &s->from[k], err));
    CAS_FAIL_IF(s->from[k].shape.rank != s->to->recorded[s->first + k].rank, CAS_FILE_ERROR,
                "%s: '%s' has another shape than this run gives it.", s->to->path, name);
  }
  return CAS_OK;
}

/* Axes of a dataset: of records, unless it comes once, of paths, unless there is one, and
   others. */
static cas_status read_part(const source *s, int k, int64_t record, int64_t records, int64_t path,
                            int64_t paths, cas_error *err) {
  const cas_open_dataset *d = &s->from[k];
  const cas_trajectory_file *f = s->to;
  int64_t first[4] = {0}, count[4];
  int axis = 0;
  memcpy(count, d->shape.dims, sizeof count);
  if (!s->once) {
    first[axis] = record;
    count[axis++] = records;
  }
  if (f->part->paths > 1 || f->place->always) {
    first[axis] = path;
    count[axis] = paths;
  }
  return cas_dataset_read_part(d, first, count, s->values[k], err);
}

static cas_status copy_part(const source *s, int64_t record, int64_t records, int64_t path,
                            int64_t paths, cas_error *err) {
  const double *const *values = (const double *const *)s->values;
  for (int k = 0; k < s->n; k++)
    CAS_CALL(read_part(s, k, record, records, path, paths, err));
  return s->once ? cas_trajectory_write_once(s->to, path, paths, values, err)
                 : cas_trajectory_write(s->to, record, records, path, paths, values, err);
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

static cas_status copy_all(const source *s, cas_error *err) {
  const int64_t some = DOUBLES / doubles_of(s) + 1, all = s->to->part->paths,
                records = s->once ? 1 : s->from[0].shape.dims[0], wide = least(all, some),
                many = least(records, some / wide + 1);
  for (int k = 0; k < s->n; k++) {
    size_t doubles = (size_t)(wide * many * s->to->recorded[s->first + k].doubles);
    CAS_NEED((s->values[k] = malloc(doubles * sizeof(double))));
  }
  for (int64_t p = 0; p < all; p += wide)
    for (int64_t t = 0; t < records; t += many)
      CAS_CALL(copy_part(s, t, least(many, records - t), p, least(wide, all - p), err));
  return CAS_OK;
}

static cas_status copy_datasets(cas_trajectory_file *f, bool once, cas_error *err) {
  const cas_trajectory_part *p = f->part;
  source s = {.to = f,
              .first = p->first + (once ? p->often : 0),
              .n = once ? p->datasets - p->often : p->often,
              .once = once};
  if (s.n == 0)
    return CAS_OK;
  s.from = calloc((size_t)s.n, sizeof *s.from);
  s.values = calloc((size_t)s.n, sizeof *s.values);
  cas_status st = s.from && s.values ? open_datasets(&s, err) : cas_no_memory(err);
  if (!st)
    st = copy_all(&s, err);
  for (int k = 0; k < s.n && s.from && s.values; k++) {
    cas_dataset_close(&s.from[k]);
    free(s.values[k]);
  }
  free(s.from);
  free(s.values);
  return st;
}

cas_status cas_trajectory_copy(cas_trajectory_file *f, bool once, cas_error *err) {
  cas_status st = CAS_OK;
  if (f->rank == 0) {
    st = copy_datasets(f, false, err);
    if (!st && once)
      st = copy_datasets(f, true, err);
  }
  return cas_agree(st, f->comm, err);
}
