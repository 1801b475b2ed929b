/* The datasets of a trajectory file, laid out and completed by one rank. */
#include "files/safe_file.h"
#include "files/trajectories/trajectory_impl.h"
#include "version.h"

enum { METADATA_BYTES = 1 << 18 };

/* ---- creation ---- */

/* All space is claimed at once, in one run of bytes, and never filled: every value is written. */
static hid_t fixed_storage(cas_h5 *h) {
  if (h->status)
    return H5I_INVALID_HID;
  hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  if (creation < 0 || H5Pset_layout(creation, H5D_CONTIGUOUS) < 0 ||
      H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY) < 0 ||
      H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER) < 0)
    cas_h5_fail(h, "cannot prepare a dataset");
  return creation;
}

static hid_t put_path_numbers(cas_h5 *h, hid_t group, const cas_trajectory_layout *l,
                              const cas_trajectory_place *place) {
  if (h->status || l->bare || (l->paths == 1 && !place->always))
    return H5I_INVALID_HID;
  CAS_OWNED int64_t *path = malloc((size_t)l->paths * sizeof *path);
  if (!path) {
    cas_h5_no_memory(h);
    return H5I_INVALID_HID;
  }
  for (int64_t p = 0; p < l->paths; p++)
    path[p] = p;
  return cas_h5_put_scale(h, group, place->path, place->path_long_name, "1", H5T_STD_I64LE,
                          H5T_NATIVE_INT64, l->paths, path);
}

typedef struct {
  hid_t group, storage, time, path; /* negative: no times, or one path */
} canvas;

static void put_dataset(cas_h5 *h, const canvas *c, const cas_file_dataset *d,
                        const cas_recorded *r) {
  hid_t type = d->is_complex ? cas_h5_complex_file_type(h, c->group) : H5T_NATIVE_DOUBLE;
  hid_t dataset = cas_h5_dataset_create(h, c->group, d->name, type, r->rank, r->dims, c->storage);
  if (c->time < 0) {
    cas_h5_close(h, dataset);
    return;
  }
  if (!d->once)
    cas_h5_attach(h, dataset, d->name, 0, c->time);
  cas_h5_attach(h, dataset, d->name, !d->once, c->path);
  cas_h5_attach_axes(h, dataset, d->name, r->rank - d->axes, c->group, d->axes, d->axis);
  cas_h5_describe(h, dataset, d->long_name, d->unit);
  cas_h5_put_text(h, dataset, "components", d->components);
  cas_h5_close(h, dataset);
  if (d->is_complex)
    cas_h5_close(h, type);
}

/* Maps and their axes have second names in the root, where ParaView looks for them. */
static void link_maps(cas_h5 *h, hid_t file, const canvas *c, const cas_trajectory_layout *l,
                      const cas_trajectory_place *place) {
  for (int k = 0; k < l->datasets; k++) {
    const cas_file_dataset *d = &l->dataset[k];
    if (d->axes != 2 || strcmp(d->axis[0].unit, "degrees_north") ||
        strcmp(d->axis[1].unit, "degrees_east"))
      continue;
    cas_h5_link(h, c->group, file, "time");
    cas_h5_link(h, c->group, file, c->path >= 0 ? place->path : NULL);
    cas_h5_link(h, c->group, file, d->axis[0].name);
    cas_h5_link(h, c->group, file, d->axis[1].name);
    cas_h5_link(h, c->group, file, d->name);
  }
}

/* "path/level_0" within "path", which may be there */
static hid_t create_group(cas_h5 *h, hid_t file, const char *name) {
  const char *inner = strchr(name, '/');
  char outer[64];
  if (!inner)
    return cas_h5_group_create(h, file, name);
  snprintf(outer, sizeof outer, "%.*s", (int)(inner - name), name);
  CAS_OWNED_BY(cas_h5_release) const hid_t parent = cas_h5_group_at(h, file, outer);
  return cas_h5_group_create(h, parent, inner + 1);
}

static void put_layout(cas_h5 *h, hid_t file, const cas_trajectory_layout *l,
                       const cas_trajectory_file *f, const cas_trajectory_part *p) {
  CAS_OWNED_BY(cas_h5_release)
  const hid_t group = create_group(h, file, p->group), storage = fixed_storage(h);
  canvas c = {.group = group, .storage = storage, .time = H5I_INVALID_HID};
  cas_h5_put_text(h, c.group, "role", l->role);
  if (l->step > 0)
    cas_h5_put_attribute(h, c.group, "step", CAS_FIELD_REAL, &l->step);
  if (l->only_path)
    cas_h5_put_attribute(h, c.group, "path", CAS_FIELD_INT64, l->only_path);
  if (!l->bare)
    c.time = cas_h5_put_scale(h, group, "time", "time", "time_unit", H5T_IEEE_F64LE,
                              H5T_NATIVE_DOUBLE, l->records, l->time);
  c.path = put_path_numbers(h, c.group, l, f->place);
  for (int k = 0; k < l->datasets; k++)
    put_dataset(h, &c, &l->dataset[k], &f->recorded[p->first + k]);
  if (!l->bare)
    link_maps(h, file, &c, l, f->place);
  cas_h5_close(h, c.time);
  cas_h5_close(h, c.path);
}

/* The attribute that tells whose an unfinished file is; that of the results takes its place. */
static const char provisional[] = "casimir_version";

/* HDF5 crashes at the end of a process in which it could not flush a file. So it gets to write one
   only where a trial has shown space for all that it writes by itself. */
static cas_status try_space(cas_trajectory_file *f, const cas_trajectory_layout *l,
                            cas_error *err) {
  int64_t bytes = 0;
  for (int i = 0; i < f->parts; i++) {
    bytes += METADATA_BYTES + 8 * (l[i].records + l[i].paths);
    for (int k = 0; k < l[i].datasets; k++)
      bytes += cas_h5_scale_bytes(&l[i].dataset[k]);
  }
  cas_status st = cas_file_write(f->temporary, CAS_LEFTOVER_RESULTS, f->path, NULL, 0, err);
  f->made = !st;
  return st ? st : cas_file_reserve(f->temporary, bytes, err);
}

/* ---- where the data lie ---- */

static cas_extent check_dataset(cas_h5 *h, hid_t group, const cas_recorded *r) {
  hsize_t found[4];
  CAS_OWNED_BY(cas_h5_release) hid_t dataset = cas_h5_dataset_open(h, group, r->name);
  const int rank = cas_h5_shape(h, group, r->name, found);
  if (!h->status && (rank != r->rank || memcmp(found, r->dims, (size_t)rank * sizeof *found) ||
                     H5Dget_offset(dataset) == HADDR_UNDEF))
    cas_h5_refuse(h, "the dataset '%s' read back has another shape than was written", r->name);
  return h->status ? (cas_extent){0, 0}
                   : (cas_extent){H5Dget_offset(dataset), H5Dget_storage_size(dataset)};
}

/* Also sees that the shapes are right. */
static cas_status find_data(const cas_trajectory_file *f, cas_extent *where, cas_error *err) {
  cas_h5 h = cas_h5_begin(f->temporary, err);
  hid_t file = cas_h5_open(&h, H5F_ACC_RDONLY);
  for (int i = 0; i < f->parts; i++) {
    const cas_trajectory_part *p = &f->part[i];
    CAS_OWNED_BY(cas_h5_release) hid_t group = cas_h5_group_open(&h, file, p->group);
    for (int k = p->first; k < p->first + p->datasets; k++)
      where[k] = check_dataset(&h, group, &f->recorded[k]);
  }
  cas_h5_close_file(&h, file);
  return cas_h5_end(&h);
}

cas_status cas_trajectory_lay_out(cas_trajectory_file *f, const cas_trajectory_layout *l,
                                  cas_error *err) {
  CAS_FAIL_IF(l->records < 1 || l->paths < 1 || l->datasets < 1, CAS_INTERNAL,
              "%s: a trajectory of %lld records, %lld paths and %d datasets cannot be laid out.",
              f->path, (long long)l->records, (long long)l->paths, l->datasets);
  CAS_CALL(try_space(f, l, err));
  cas_h5 h = cas_h5_begin(f->temporary, err);
  CAS_OWNED_BY(cas_h5_release) hid_t access = cas_h5_access(&h);
  /* Raw data start on pages of the file system. */
  if (!h.status && H5Pset_alignment(access, 65536, 4096) < 0)
    cas_h5_fail(&h, "cannot align the data");
  hid_t file = cas_h5_create(&h, access);
  cas_h5_put_text(&h, file, provisional, CAS_VERSION);
  if (!h.status && H5Fflush(file, H5F_SCOPE_LOCAL) < 0)
    cas_h5_fail(&h, "cannot write the file");
  for (int i = 0; i < f->parts; i++)
    put_layout(&h, file, &l[i], f, &f->part[i]);
  cas_h5_close_file(&h, file);
  CAS_CALL(cas_h5_end(&h));
  CAS_CALL(cas_file_reserve(f->temporary, 0, err));
  const cas_run_mark mark = {cas_trajectory_run_magic, l->identity};
  if (l->identity)
    CAS_CALL(cas_file_append(f->temporary, &mark, sizeof mark, err));
  return find_data(f, f->where, err);
}

/* ---- completion ---- */

static int by_offset(const void *a, const void *b) {
  const cas_extent *x = a, *y = b;
  return (x->offset > y->offset) - (x->offset < y->offset);
}

cas_extent *cas_trajectory_extents(const cas_trajectory_file *f) {
  size_t n = (size_t)f->datasets;
  cas_extent *sorted = malloc(n * sizeof *sorted);
  if (sorted) {
    memcpy(sorted, f->where, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, by_offset);
  }
  return sorted;
}

/* The data must lie where they were written. */
static cas_status seal(const cas_trajectory_file *f, const uint64_t *sum, cas_error *err) {
  const size_t size = (size_t)f->datasets * sizeof *f->where;
  CAS_OWNED cas_extent *where = cas_trajectory_extents(f), *found = malloc(size);
  CAS_NEED(where && found);
  CAS_CALL(find_data(f, found, err));
  CAS_FAIL_IF(memcmp(found, f->where, size) != 0, CAS_INTERNAL, "%s: HDF5 has moved the data.",
              f->path);
  return cas_seal_append(f->temporary, f->datasets, where, sum, err);
}

cas_status cas_trajectory_complete(const cas_trajectory_file *f, const cas_results *r,
                                   const uint64_t *sum, cas_error *err) {
  const char *text = r->provenance.configuration;
  int64_t bytes = METADATA_BYTES + (text ? (int64_t)strlen(text) : 0);
  bytes += cas_tables_bytes(r) + cas_results_given_bytes(r) + (int64_t)r->restart_size;
  CAS_CALL(cas_file_reserve(f->temporary, bytes, err));
  cas_h5 h = cas_h5_begin(f->temporary, err);
  hid_t file = cas_h5_open(&h, H5F_ACC_RDWR);
  if (cas_h5_has_attribute(&h, file, provisional) && H5Adelete(file, provisional) < 0)
    cas_h5_fail(&h, "cannot complete the file");
  cas_results_put(&h, file, r);
  cas_results_put_complete(&h, file);
  cas_h5_close_file(&h, file);
  CAS_CALL(cas_h5_end(&h));
  CAS_CALL(seal(f, sum, err));
  CAS_CALL(cas_results_verify(r, f->temporary, err));
  return cas_file_commit(f->temporary, f->path, err);
}
