/* The datasets of a trajectory file, laid out and completed by one rank. */
#include "trajectory_impl.h"
#include <hdf5_hl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM_FOR_METADATA = 1 << 18 };

/* ---- names of components ---- */

static void free_names(char **name, int n) {
  for (int i = 0; name && i < n; i++)
    free(name[i]);
  free(name);
}

/* Splits at spaces; NULL unless there are exactly n. */
static char **split_names(const char *text, int n) {
  char **name = calloc((size_t)n + 1, sizeof *name);
  int found = 0;
  for (const char *p = text; name && *(p += strspn(p, " ")); p += strcspn(p, " "))
    if (found++ >= n || !(name[found - 1] = strndup(p, strcspn(p, " "))))
      break;
  if (found == n && (n == 0 || (name && name[n - 1])))
    return name;
  free_names(name, n);
  return NULL;
}

/* ---- creation ---- */

/* Dimensions of the state (a vector, or a matrix), or of an observable for entries = 0. Returns
   the rank. */
static int trajectory_shape(int64_t records, int64_t paths, int entries, int rows,
                            hsize_t dims[4]) {
  int rank = 0;
  dims[rank++] = (hsize_t)records;
  if (paths > 1)
    dims[rank++] = (hsize_t)paths;
  if (entries > 0 && rows > 0)
    dims[rank++] = (hsize_t)rows;
  if (entries > 0)
    dims[rank++] = (hsize_t)(rows > 0 ? entries / rows : entries);
  return rank;
}

/* All space is claimed at once and never filled: every value will be written, and in one run of
   bytes. */
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

static hid_t put_scale(cas_h5 *h, hid_t group, const char *name, hid_t stored, hid_t memory,
                       int64_t n, const void *data) {
  const hsize_t dims[1] = {(hsize_t)n};
  hid_t scale = cas_h5_dataset_create(h, group, name, stored, 1, dims, H5P_DEFAULT);
  if (!h->status && H5Dwrite(scale, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0)
    cas_h5_fail(h, "cannot write the dataset '%s'", name);
  if (!h->status && H5DSset_scale(scale, name) < 0)
    cas_h5_fail(h, "cannot make '%s' a dimension scale", name);
  return scale;
}

static hid_t put_time(cas_h5 *h, hid_t group, const cas_trajectory_layout *l) {
  hid_t scale = put_scale(h, group, "time", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, l->records, l->time);
  cas_h5_describe(h, scale, "time", "time unit of the system");
  return scale;
}

static hid_t put_path_numbers(cas_h5 *h, hid_t group, const cas_trajectory_layout *l) {
  if (h->status || l->paths == 1)
    return H5I_INVALID_HID;
  int64_t *path = malloc((size_t)l->paths * sizeof *path);
  if (!path) {
    h->status = cas_fail(h->err, CAS_NO_MEMORY, "%s: no memory for %lld path numbers.", h->path,
                         (long long)l->paths);
    return H5I_INVALID_HID;
  }
  for (int64_t p = 0; p < l->paths; p++)
    path[p] = p;
  hid_t scale = put_scale(h, group, "path", H5T_STD_I64LE, H5T_NATIVE_INT64, l->paths, path);
  cas_h5_describe(h, scale, "index of the path", "1");
  free(path);
  return scale;
}

static hid_t put_component_names(cas_h5 *h, hid_t group, const cas_trajectory_layout *l) {
  if (l->rows || l->is_complex)
    return H5I_INVALID_HID;
  char **name = split_names(l->component_names, l->components);
  if (!name) {
    cas_h5_refuse(h, "'%.200s' are not the names of %d components", l->component_names,
                  l->components);
    return H5I_INVALID_HID;
  }
  hid_t type = cas_h5_text_type(h);
  hid_t scale = put_scale(h, group, "component", type, type, l->components, name);
  cas_h5_describe(h, scale, "component of the state", "1");
  cas_h5_close(h, type);
  free_names(name, l->components);
  return scale;
}

typedef struct {
  hid_t group, storage;
  hid_t scale[3]; /* time, path (negative if there is one path), component */
} canvas;

/* what h5py and others read as complex numbers */
static hid_t complex_type(cas_h5 *h) {
  hid_t type = H5Tcreate(H5T_COMPOUND, 2 * sizeof(double));
  if (type < 0 || H5Tinsert(type, "r", 0, H5T_NATIVE_DOUBLE) < 0 ||
      H5Tinsert(type, "i", sizeof(double), H5T_NATIVE_DOUBLE) < 0)
    cas_h5_fail(h, "cannot make the type of complex numbers");
  return type;
}

/* scale: of each dimension, or negative */
static hid_t put_values(cas_h5 *h, const canvas *c, const char *name, hid_t type, int rank,
                        const hid_t *scale, const hsize_t *dims) {
  hid_t dataset = cas_h5_dataset_create(h, c->group, name, type, rank, dims, c->storage);
  for (int i = 0; i < rank; i++)
    if (!h->status && scale[i] >= 0 && H5DSattach_scale(dataset, scale[i], (unsigned)i) < 0)
      cas_h5_fail(h, "cannot attach the dimension scales of '%s'", name);
  return dataset;
}

static void put_state(cas_h5 *h, const canvas *c, const cas_trajectory_layout *l) {
  hsize_t dims[4];
  hid_t scale[4] = {H5I_INVALID_HID, H5I_INVALID_HID, H5I_INVALID_HID, H5I_INVALID_HID};
  hid_t type = l->is_complex ? complex_type(h) : H5T_NATIVE_DOUBLE;
  int rank = trajectory_shape(l->records, l->paths, l->components / (l->is_complex ? 2 : 1),
                              l->rows, dims);
  for (int i = 0, k = 0; i < 3; i++)
    if (i != 1 || l->paths > 1)
      scale[k++] = c->scale[i];
  hid_t state = put_values(h, c, "state", type, rank, scale, dims);
  if (l->is_complex)
    cas_h5_close(h, type);
  cas_h5_describe(h, state, "state", "1");
  cas_h5_put_text(h, state, "components", l->component_names);
  cas_h5_close(h, state);
}

static void put_observable(cas_h5 *h, const canvas *c, const cas_trajectory_layout *l,
                           const char *name) {
  hsize_t dims[4];
  char long_name[100];
  snprintf(long_name, sizeof long_name, "%s", name);
  for (char *p = long_name; *p; p++)
    *p = *p == '_' ? ' ' : *p;
  int rank = trajectory_shape(l->records, l->paths, 0, 0, dims);
  hid_t observable = put_values(h, c, name, H5T_NATIVE_DOUBLE, rank, c->scale, dims);
  cas_h5_describe(h, observable, long_name, "1");
  cas_h5_close(h, observable);
}

static void put_layout(cas_h5 *h, hid_t file, const cas_trajectory_layout *l) {
  canvas c = {.group = cas_h5_group_create(h, file, "trajectory"), .storage = fixed_storage(h)};
  c.scale[0] = put_time(h, c.group, l);
  c.scale[1] = put_path_numbers(h, c.group, l);
  c.scale[2] = put_component_names(h, c.group, l);
  put_state(h, &c, l);
  for (int k = 0; k < l->observables; k++)
    put_observable(h, &c, l, l->observable_names[k]);
  for (int i = 0; i < 3; i++)
    cas_h5_close(h, c.scale[i]);
  cas_h5_close(h, c.storage);
  cas_h5_close(h, c.group);
}

/* Raw data start on pages of the file system. */
static void align(cas_h5 *h, hid_t access) {
  if (!h->status && H5Pset_alignment(access, 65536, 4096) < 0)
    cas_h5_fail(h, "cannot align the data");
}

static void lay_out(cas_h5 *h, const cas_trajectory_layout *l) {
  hid_t access = cas_h5_access(h);
  align(h, access);
  hid_t file = cas_h5_create(h, access);
  put_layout(h, file, l);
  cas_h5_close_file(h, file);
  cas_h5_close(h, access);
}

/* HDF5 crashes at the end of a process in which it could not flush a file. So it gets to write one
   only where a trial has shown that there is room for all that it writes by itself. */
static cas_status try_room(const char *path, const cas_trajectory_layout *l, cas_error *err) {
  int64_t values = l->records + l->paths + 8 * (int64_t)l->components;
  int64_t room = ROOM_FOR_METADATA + 8 * values + 2 * (int64_t)strlen(l->component_names);
  cas_status st = cas_file_write(path, NULL, 0, err);
  return st ? st : cas_file_reserve(path, room, err);
}

/* ---- where the data lie ---- */

static cas_extent check_dataset(cas_h5 *h, hid_t group, const char *name, int rank,
                                const hsize_t *dims) {
  cas_extent where = {0, 0};
  hsize_t found[H5S_MAX_RANK];
  hid_t dataset = h->status ? H5I_INVALID_HID : H5Dopen2(group, name, H5P_DEFAULT);
  hid_t space = dataset < 0 ? H5I_INVALID_HID : H5Dget_space(dataset);
  if (!h->status && space < 0)
    cas_h5_fail(h, "cannot read back the dataset '%s'", name);
  else if (!h->status && (H5Sget_simple_extent_ndims(space) != rank ||
                          H5Sget_simple_extent_dims(space, found, NULL) != rank ||
                          memcmp(found, dims, (size_t)rank * sizeof *dims) ||
                          H5Dget_offset(dataset) == HADDR_UNDEF))
    cas_h5_refuse(h, "the dataset '%s' read back has another shape than was written", name);
  if (!h->status)
    where = (cas_extent){H5Dget_offset(dataset), H5Dget_storage_size(dataset)};
  cas_h5_close(h, space);
  cas_h5_close(h, dataset);
  return where;
}

/* Also sees that the shapes are right. */
static cas_status find_data(const cas_trajectory_file *f, cas_extent *where, cas_error *err) {
  hsize_t dims[4];
  cas_h5 h = cas_h5_begin(f->temporary, err);
  hid_t file = cas_h5_open(&h, H5F_ACC_RDONLY);
  hid_t group = cas_h5_group_open(&h, file, "trajectory");
  for (int k = 0; k < f->datasets; k++) {
    int rank = trajectory_shape(f->records, f->paths,
                                k ? 0 : f->components / (f->is_complex ? 2 : 1), f->rows, dims);
    where[k] = check_dataset(&h, group, f->name[k], rank, dims);
  }
  cas_h5_close(&h, group);
  cas_h5_close_file(&h, file);
  return cas_h5_end(&h);
}

cas_status cas_trajectory_lay_out(cas_trajectory_file *f, const cas_trajectory_layout *l,
                                  cas_error *err) {
  if (l->records < 1 || l->paths < 1 || l->components < 1 || l->observables < 0)
    return cas_fail(err, CAS_INTERNAL,
                    "%s: a trajectory of %lld records, %lld paths and %d components cannot be laid "
                    "out.",
                    f->path, (long long)l->records, (long long)l->paths, l->components);
  cas_status st = try_room(f->temporary, l, err);
  if (st)
    return st;
  cas_h5 h = cas_h5_begin(f->temporary, err);
  lay_out(&h, l);
  st = cas_h5_end(&h);
  if (!st)
    st = cas_file_reserve(f->temporary, 0, err);
  return st ? st : find_data(f, f->where, err);
}

/* ---- completion ---- */

static void annotate(cas_h5 *h, const cas_results *r) {
  hid_t file = cas_h5_open(h, H5F_ACC_RDWR);
  cas_h5_put_results(h, file, r);
  cas_h5_put_complete(h, file);
  cas_h5_close_file(h, file);
}

static int by_offset(const void *a, const void *b) {
  const cas_extent *x = a, *y = b;
  return (x->offset > y->offset) - (x->offset < y->offset);
}

static cas_status seal(const cas_trajectory_file *f, cas_error *err) {
  cas_extent *where = calloc((size_t)f->datasets, sizeof *where);
  if (!where)
    return cas_fail(err, CAS_NO_MEMORY, "%s: no memory to complete it.", f->path);
  cas_status st = find_data(f, where, err);
  qsort(where, (size_t)f->datasets, sizeof *where, by_offset);
  if (!st)
    st = cas_seal_append(f->temporary, f->datasets, where, err);
  free(where);
  return st;
}

cas_status cas_trajectory_complete(const cas_trajectory_file *f, const cas_results *r,
                                   cas_error *err) {
  const char *text = r->provenance.configuration;
  int64_t room = ROOM_FOR_METADATA + (text ? (int64_t)strlen(text) : 0);
  cas_status st = cas_file_reserve(f->temporary, room, err);
  if (st)
    return st;
  cas_h5 h = cas_h5_begin(f->temporary, err);
  annotate(&h, r);
  st = cas_h5_end(&h);
  if (!st)
    st = seal(f, err);
  if (!st)
    st = cas_results_verify(r, f->temporary, err);
  return st ? st : cas_file_commit(f->temporary, f->path, err);
}
