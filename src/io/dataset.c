/* One dataset of any HDF5 file as an array of doubles. */
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

static hid_t complex_type(cas_h5 *h) {
  hid_t pair = H5Tcreate(H5T_COMPOUND, 2 * sizeof(double));
  if (pair < 0 || H5Tinsert(pair, "r", 0, H5T_NATIVE_DOUBLE) < 0 ||
      H5Tinsert(pair, "i", sizeof(double), H5T_NATIVE_DOUBLE) < 0)
    cas_h5_fail(h, "cannot make the type of complex numbers");
  return pair;
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
static size_t count(int rank, const int64_t dims[4], bool is_complex) {
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

static void read_values(cas_h5 *h, hid_t dataset, const char *name, bool is_complex, size_t n,
                        double **values) {
  if (h->status)
    return;
  double *v = n ? malloc(n * sizeof *v) : NULL;
  hid_t pair = is_complex ? complex_type(h) : H5I_INVALID_HID;
  hid_t type = is_complex ? pair : H5T_NATIVE_DOUBLE;
  if (!v)
    h->status =
        cas_fail(h->err, CAS_NO_MEMORY, "%s: no memory for the dataset '%s'.", h->path, name);
  else if (!h->status && H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, v) < 0)
    cas_h5_fail(h, "cannot read the dataset '%s'", name);
  cas_h5_close(h, pair);
  *values = v;
}

cas_status cas_dataset_read(const char *file, const char *dataset, int *rank, int64_t dims[4],
                            bool *is_complex, double **values, cas_error *err) {
  *values = NULL;
  *rank = 0;
  cas_h5 h = cas_h5_begin(file, err);
  hid_t f = cas_h5_open_checked(&h);
  hid_t d = open_dataset(&h, f, dataset);
  check_type(&h, d, dataset, is_complex);
  check_shape(&h, d, dataset, rank, dims);
  if (!h.status)
    read_values(&h, d, dataset, *is_complex, count(*rank, dims, *is_complex), values);
  cas_h5_close(&h, d);
  cas_h5_close_file(&h, f);
  cas_status st = cas_h5_end(&h);
  if (st) {
    free(*values);
    *values = NULL;
  }
  return st;
}
