/* Datasets of any HDF5 file as arrays of doubles, and what datasets a file has. */
#include "hdf5_impl.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_DIMENSIONS = 4 };

/* ---- a missing dataset is answered by those that are there ---- */

typedef struct {
  char text[700];
  size_t used;
} listing;

static bool is_dataset(hid_t file, const char *name) {
  hid_t object = H5Oopen(file, name, H5P_DEFAULT);
  bool is = object >= 0 && H5Iget_type(object) == H5I_DATASET;
  return (object < 0 || H5Oclose(object) >= 0) && is;
}

static herr_t take_dataset(hid_t file, const char *name, const H5L_info_t *info, void *data) {
  (void)info;
  listing *l = data;
  if (!is_dataset(file, name))
    return 0;
  if (l->used + strlen(name) + sizeof ", ..., " > sizeof l->text) {
    strcpy(l->text + l->used, ", ...");
    return 1;
  }
  l->used += (size_t)sprintf(l->text + l->used, "%s%s", l->used ? ", " : "", name);
  return 0;
}

static void fail_missing(cas_h5 *h, hid_t file, const char *name) {
  listing l = {.used = 0};
  if (H5Lvisit(file, H5_INDEX_NAME, H5_ITER_INC, take_dataset, &l) < 0 || !l.used)
    cas_h5_refuse(h, "has no dataset '%s', nor any other that can be listed", name);
  else
    cas_h5_refuse(h, "has no dataset '%s'; it has %s", name, l.text);
}

static hid_t open_dataset(cas_h5 *h, hid_t file, const char *name) {
  if (h->status)
    return H5I_INVALID_HID;
  if (!name[0] || !is_dataset(file, name)) {
    fail_missing(h, file, name);
    return H5I_INVALID_HID;
  }
  hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
  if (dataset < 0)
    cas_h5_fail(h, "cannot open the dataset '%s'", name);
  return dataset;
}

/* ---- types ---- */

static bool is_float_member(hid_t type, const char *name) {
  int i = H5Tget_member_index(type, name);
  return i >= 0 && H5Tget_member_class(type, (unsigned)i) == H5T_FLOAT;
}

static bool is_complex_type(hid_t type) {
  return H5Tget_class(type) == H5T_COMPOUND && H5Tget_nmembers(type) == 2 &&
         is_float_member(type, "r") && is_float_member(type, "i");
}

static const char *class_text(hid_t type) {
  switch (H5Tget_class(type)) {
  case H5T_STRING:
    return "text";
  case H5T_COMPOUND:
    return "a compound other than (r, i)";
  case H5T_REFERENCE:
    return "references";
  case H5T_ENUM:
    return "an enumeration";
  case H5T_ARRAY:
  case H5T_VLEN:
    return "arrays of their own";
  default:
    return "no numbers";
  }
}

static void check_type(cas_h5 *h, hid_t dataset, const char *name, bool *is_complex) {
  if (h->status)
    return;
  hid_t type = H5Dget_type(dataset);
  H5T_class_t class = H5Tget_class(type);
  *is_complex = is_complex_type(type);
  if (type < 0)
    cas_h5_fail(h, "cannot read the type of the dataset '%s'", name);
  else if (!*is_complex && class != H5T_FLOAT && class != H5T_INTEGER)
    cas_h5_refuse(h, "the dataset '%s' holds %s; real or complex (r, i) numbers are needed", name,
                  class_text(type));
  cas_h5_close(h, type);
}

/* ---- shape ---- */

static void check_shape(cas_h5 *h, hid_t dataset, const char *name, int *rank, int64_t dims[4]) {
  if (h->status)
    return;
  hsize_t extent[H5S_MAX_RANK];
  hid_t space = H5Dget_space(dataset);
  int n = *rank = H5Sget_simple_extent_ndims(space);
  if (n < 0 || H5Sget_simple_extent_dims(space, extent, NULL) < 0)
    cas_h5_fail(h, "cannot read the shape of the dataset '%s'", name);
  else if (H5Sget_simple_extent_type(space) == H5S_NULL)
    cas_h5_refuse(h, "the dataset '%s' is empty", name);
  else if (n > MOST_DIMENSIONS)
    cas_h5_refuse(h, "the dataset '%s' has %d dimensions; at most %d can be read", name, n,
                  MOST_DIMENSIONS);
  for (int i = 0; i < n && !h->status; i++)
    dims[i] = (int64_t)extent[i];
  cas_h5_close(h, space);
}

/* Number of doubles, at least 1 to have something to free; 0 if no memory can hold them. */
static size_t count_of(int rank, const int64_t dims[4], bool is_complex) {
  size_t n = is_complex ? 2 : 1, most = PTRDIFF_MAX / sizeof(double);
  for (int i = 0; i < rank; i++) {
    if (dims[i] == 0)
      return 1;
    if (dims[i] < 0 || (uint64_t)dims[i] > most / n)
      return 0;
    n *= (size_t)dims[i];
  }
  return n;
}

/* Records [first, first + count) of a dataset with a first axis; count < 0: all there is. */
static hid_t select_records(cas_h5 *h, hid_t dataset, const char *name, int rank, int64_t dims[4],
                            int64_t first, int64_t count) {
  hsize_t start[MOST_DIMENSIONS] = {0}, extent[MOST_DIMENSIONS] = {0};
  hid_t space;
  if (h->status)
    return H5I_INVALID_HID;
  if (rank == 0 || first < 0 || first > dims[0] || count > dims[0] - first) {
    cas_h5_refuse(h, "the dataset '%s' has %lld records; %lld from number %lld on are wanted", name,
                  rank ? (long long)dims[0] : 0LL, (long long)count, (long long)first);
    return H5I_INVALID_HID;
  }
  dims[0] = count;
  start[0] = (hsize_t)first;
  for (int i = 0; i < rank; i++)
    extent[i] = (hsize_t)dims[i];
  space = H5Dget_space(dataset);
  if (space < 0 || H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, extent, NULL) < 0)
    cas_h5_fail(h, "cannot select records of the dataset '%s'", name);
  return space;
}

static hid_t memory_space(cas_h5 *h, int rank, const int64_t dims[4]) {
  hsize_t extent[MOST_DIMENSIONS] = {0};
  hid_t space;
  for (int i = 0; i < rank; i++)
    extent[i] = (hsize_t)dims[i];
  space = H5Screate_simple(rank, extent, NULL);
  if (space < 0)
    cas_h5_fail(h, "cannot describe the memory to read into");
  return space;
}

/* from, to: H5S_ALL, or the records that are read and their place in memory */
static void read_values(cas_h5 *h, hid_t dataset, const char *name, bool is_complex, size_t n,
                        hid_t from, hid_t to, double **values) {
  if (h->status)
    return;
  double *v = n ? malloc(n * sizeof *v) : NULL;
  hid_t pair = is_complex ? cas_h5_complex_type(h) : H5I_INVALID_HID;
  hid_t type = is_complex ? pair : H5T_NATIVE_DOUBLE;
  if (!v)
    h->status =
        cas_fail(h->err, CAS_NO_MEMORY, "%s: no memory for the dataset '%s'.", h->path, name);
  else if (!h->status && H5Dread(dataset, type, to, from, H5P_DEFAULT, v) < 0)
    cas_h5_fail(h, "cannot read the dataset '%s'", name);
  cas_h5_close(h, pair);
  *values = v;
}

static void read_records(cas_h5 *h, hid_t dataset, const char *name, int64_t first, int64_t count,
                         int rank, int64_t dims[4], bool is_complex, double **values) {
  hid_t from = select_records(h, dataset, name, rank, dims, first, count);
  hid_t to = h->status ? H5I_INVALID_HID : memory_space(h, rank, dims);
  if (!h->status)
    read_values(h, dataset, name, is_complex, count_of(rank, dims, is_complex), from, to, values);
  cas_h5_close(h, to);
  cas_h5_close(h, from);
}

/* count < 0: the whole dataset */
static cas_status read_dataset(const char *file, const char *dataset, int64_t first, int64_t count,
                               int *rank, int64_t dims[4], bool *is_complex, double **values,
                               cas_error *err) {
  *values = NULL;
  *rank = 0;
  *is_complex = false;
  cas_h5 h = cas_h5_begin(file, err);
  hid_t f = cas_h5_open_checked(&h);
  hid_t d = open_dataset(&h, f, dataset);
  check_type(&h, d, dataset, is_complex);
  check_shape(&h, d, dataset, rank, dims);
  if (!h.status && count < 0)
    read_values(&h, d, dataset, *is_complex, count_of(*rank, dims, *is_complex), H5S_ALL, H5S_ALL,
                values);
  else
    read_records(&h, d, dataset, first, count, *rank, dims, *is_complex, values);
  cas_h5_close(&h, d);
  cas_h5_close_file(&h, f);
  cas_status st = cas_h5_end(&h);
  if (st) {
    free(*values);
    *values = NULL;
  }
  return st;
}

cas_status cas_dataset_read(const char *file, const char *dataset, int *rank, int64_t dims[4],
                            bool *is_complex, double **values, cas_error *err) {
  return read_dataset(file, dataset, 0, -1, rank, dims, is_complex, values, err);
}

cas_status cas_dataset_read_records(const char *file, const char *dataset, int64_t first,
                                    int64_t count, int *rank, int64_t dims[4], bool *is_complex,
                                    double **values, cas_error *err) {
  return read_dataset(file, dataset, first, count < 0 ? 0 : count, rank, dims, is_complex, values,
                      err);
}

/* ---- what a file holds ---- */

typedef struct {
  cas_h5 *h;
  cas_contents *contents;
} catalogue;

static void dataset_free(cas_dataset *d) {
  free(d->name);
  free(d->long_name);
  free(d->units);
  free(d->components);
}

/* False for text, and for more dimensions than can be read. */
static bool readable(hid_t dataset, cas_dataset *d) {
  hsize_t extent[H5S_MAX_RANK];
  hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset);
  H5T_class_t class = H5Tget_class(type);
  int rank = H5Sget_simple_extent_dims(space, extent, NULL);
  bool is = rank >= 0 && rank <= MOST_DIMENSIONS && H5Sget_simple_extent_type(space) != H5S_NULL;
  d->is_complex = is_complex_type(type);
  is = is && (d->is_complex || class == H5T_FLOAT || class == H5T_INTEGER);
  d->rank = is ? rank : 0;
  for (int i = 0; i < d->rank; i++)
    d->dims[i] = (int64_t)extent[i];
  H5Sclose(space);
  H5Tclose(type);
  return is;
}

static void keep(cas_h5 *h, hid_t dataset, const char *name, cas_contents *c) {
  cas_dataset d = {0}, *more;
  if (!readable(dataset, &d))
    return;
  more = realloc(c->dataset, (size_t)(c->n + 1) * sizeof d);
  if (!more || asprintf(&d.name, "/%s", name) < 0) {
    c->dataset = more ? more : c->dataset;
    h->status = cas_fail(h->err, CAS_NO_MEMORY, "%s: no memory for its contents.", h->path);
    return;
  }
  c->dataset = more;
  cas_h5_get_attribute(h, dataset, "long_name", CAS_FIELD_TEXT, &d.long_name);
  cas_h5_get_attribute(h, dataset, "units", CAS_FIELD_TEXT, &d.units);
  cas_h5_get_attribute(h, dataset, "components", CAS_FIELD_TEXT, &d.components);
  c->dataset[c->n++] = d;
}

static herr_t list_dataset(hid_t file, const char *name, const H5L_info_t *info, void *data) {
  (void)info;
  catalogue *c = data;
  hid_t dataset;
  if (!is_dataset(file, name))
    return 0;
  dataset = H5Dopen2(file, name, H5P_DEFAULT);
  if (dataset < 0)
    cas_h5_fail(c->h, "cannot open the dataset '%s'", name);
  else
    keep(c->h, dataset, name, c->contents);
  cas_h5_close(c->h, dataset);
  return c->h->status ? 1 : 0;
}

cas_status cas_contents_read(const char *file, cas_contents *out, cas_error *err) {
  *out = (cas_contents){0};
  cas_h5 h = cas_h5_begin(file, err);
  hid_t f = cas_h5_open_checked(&h);
  catalogue c = {&h, out};
  if (!h.status && H5Lvisit(f, H5_INDEX_NAME, H5_ITER_INC, list_dataset, &c) < 0)
    cas_h5_fail(&h, "its contents cannot be listed");
  cas_h5_close_file(&h, f);
  cas_status st = cas_h5_end(&h);
  if (st)
    cas_contents_free(out);
  return st;
}

void cas_contents_free(cas_contents *c) {
  for (int i = 0; i < c->n; i++)
    dataset_free(&c->dataset[i]);
  free(c->dataset);
  *c = (cas_contents){0};
}

const cas_dataset *cas_contents_find(const cas_contents *c, const char *name) {
  for (int i = 0; i < c->n; i++)
    if (strcmp(c->dataset[i].name, name) == 0)
      return &c->dataset[i];
  return NULL;
}
