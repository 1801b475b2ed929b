/* What a file holds under a name: a dataset, or an attribute of the object before the last
   slash. */
#include "files/hdf5/hdf5.h"
#include <limits.h>

enum { MOST_DIMENSIONS = 4 };

/* HDF5 has two sets of functions for datasets and attributes. */
typedef struct {
  hid_t id, type, space; /* id negative: there is none of the name */
  bool is_attribute;
} item;

static void close_item(const item *i) {
  cas_h5_release(&i->space);
  cas_h5_release(&i->type);
  cas_h5_release(&i->id);
}

static hid_t open_attribute(cas_h5 *h, hid_t at, const char *name) {
  const char *slash = strrchr(name, '/'), *attribute = slash ? slash + 1 : name;
  CAS_OWNED char *owner =
      slash && slash > name ? strndup(name, (size_t)(slash - name)) : strdup("/");
  CAS_OWNED_BY(cas_h5_release)
  hid_t object = owner ? cas_h5_object_open(h, at, owner) : H5I_INVALID_HID;
  if (!owner)
    cas_h5_no_memory(h);
  return object >= 0 && *attribute && cas_h5_has_attribute(h, object, attribute)
             ? H5Aopen(object, attribute, H5P_DEFAULT)
             : H5I_INVALID_HID;
}

static item open_item(cas_h5 *h, hid_t at, const char *name) {
  item i = {*name ? cas_h5_object_open(h, at, name) : H5I_INVALID_HID, H5I_INVALID_HID,
            H5I_INVALID_HID, false};
  if (i.id < 0 || H5Iget_type(i.id) != H5I_DATASET) {
    cas_h5_release(&i.id);
    i.id = open_attribute(h, at, name);
    i.is_attribute = true;
  }
  if (i.id < 0)
    return i;
  i.type = i.is_attribute ? H5Aget_type(i.id) : H5Dget_type(i.id);
  i.space = i.is_attribute ? H5Aget_space(i.id) : H5Dget_space(i.id);
  if (i.type < 0 || i.space < 0)
    cas_h5_fail(h, "cannot open '%s'", name);
  return i;
}

/* Reads all values: HDF5 reads attributes as a whole. */
static void read_item(cas_h5 *h, const item *i, const char *name, hid_t memory, void *values) {
  if (!h->status &&
      (i->is_attribute ? H5Aread(i->id, memory, values)
                       : H5Dread(i->id, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values)) < 0)
    cas_h5_fail(h, "cannot read '%s'", name);
}

/* -1: they are not numbers that an int counts. */
static int count(const cas_h5 *h, const item *i, int *rank, hsize_t dims[4]) {
  const bool is_complex = i->id >= 0 && cas_h5_is_complex(i->type);
  const H5T_class_t class = i->id >= 0 ? H5Tget_class(i->type) : H5T_NO_CLASS;
  if (h->status || !(is_complex || class == H5T_FLOAT || class == H5T_INTEGER))
    return -1;
  hssize_t n = H5Sget_simple_extent_npoints(i->space) * (is_complex ? 2 : 1);
  *rank = H5Sget_simple_extent_ndims(i->space);
  if (n < 0 || n > INT_MAX || *rank < 0 || *rank > MOST_DIMENSIONS ||
      H5Sget_simple_extent_dims(i->space, dims, NULL) < 0)
    return -1;
  return (int)n;
}

int cas_h5_get_numbers(cas_h5 *h, hid_t at, const char *name, int capacity, double *out, int *rank,
                       hsize_t dims[4]) {
  CAS_OWNED_BY(close_item) const item i = open_item(h, at, name);
  const int n = count(h, &i, rank, dims);
  if (n <= 0 || capacity <= 0)
    return n;
  CAS_OWNED_BY(cas_h5_release)
  hid_t complex = cas_h5_is_complex(i.type) ? cas_h5_complex_type(h) : H5I_INVALID_HID;
  CAS_OWNED double *all = malloc((size_t)n * sizeof *all);
  if (!all)
    cas_h5_no_memory(h);
  read_item(h, &i, name, complex >= 0 ? complex : H5T_NATIVE_DOUBLE, all);
  if (!h->status)
    memcpy(out, all, (size_t)(n < capacity ? n : capacity) * sizeof *out);
  return n;
}

/* Texts of any length are HDF5's; those of a fixed length end where it does. */
char *cas_h5_get_named_text(cas_h5 *h, hid_t at, const char *name) {
  CAS_OWNED_BY(close_item) const item i = open_item(h, at, name);
  if (i.type < 0 || H5Tget_class(i.type) != H5T_STRING ||
      H5Sget_simple_extent_npoints(i.space) != 1)
    return NULL;
  const bool fixed = H5Tis_variable_str(i.type) <= 0;
  char *stored = NULL, *text = fixed ? calloc(H5Tget_size(i.type) + 1, 1) : NULL;
  if (fixed && !text)
    cas_h5_no_memory(h);
  read_item(h, &i, name, i.type, fixed ? (void *)text : &stored);
  if (!fixed && !(text = strdup(stored ? stored : "")))
    cas_h5_no_memory(h);
  H5free_memory(stored);
  return text;
}
