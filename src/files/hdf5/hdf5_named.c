/* What a file holds under a name: a dataset, or an attribute of the object before the last
   slash. */
#include "files/hdf5/hdf5.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DIMENSIONS = 4 };

/* HDF5 has two sets of functions for datasets and attributes. */
typedef struct {
  hid_t id, type, space;
  bool is_attribute;
} item;

/* ---- finding ---- */

/* Negative where there is no such object, which is no failure. */
static hid_t open_object(cas_h5 *h, hid_t at, const char *name, H5I_type_t wanted) {
  hid_t object = cas_h5_object_open(h, at, *name ? name : ".");
  if (object < 0 || wanted == H5I_BADID || H5Iget_type(object) == wanted)
    return object;
  cas_h5_close(h, object);
  return H5I_INVALID_HID;
}

/* The object that has the attribute, and where in the name the attribute's begins. */
static hid_t open_owner(cas_h5 *h, hid_t at, const char *name, const char **attribute) {
  const char *slash = strrchr(name, '/');
  char *owner = strndup(name, slash ? (size_t)(slash - name) : 0);
  if (!owner)
    cas_h5_no_memory(h);
  hid_t object = owner ? open_object(h, at, owner, H5I_BADID) : H5I_INVALID_HID;
  *attribute = slash ? slash + 1 : name;
  free(owner);
  return object;
}

static hid_t open_attribute(cas_h5 *h, hid_t at, const char *name) {
  const char *attribute;
  hid_t owner = open_owner(h, at, name, &attribute), id = H5I_INVALID_HID;
  if (owner >= 0 && *attribute && cas_h5_has_attribute(h, owner, attribute))
    id = H5Aopen(owner, attribute, H5P_DEFAULT);
  cas_h5_close(h, owner);
  return id;
}

static item open_item(cas_h5 *h, hid_t at, const char *name) {
  item i = {open_object(h, at, name, H5I_DATASET), H5I_INVALID_HID, H5I_INVALID_HID, false};
  if (i.id < 0) {
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

static void close_item(cas_h5 *h, const item *i) {
  cas_h5_close(h, i->space);
  cas_h5_close(h, i->type);
  cas_h5_close(h, i->id);
}

/* ---- numbers ---- */

static bool is_complex(hid_t type) {
  return H5Tget_class(type) == H5T_COMPOUND && H5Tget_nmembers(type) == 2 &&
         H5Tget_member_index(type, "r") >= 0 && H5Tget_member_index(type, "i") >= 0;
}

static bool is_number(hid_t type) {
  H5T_class_t class = H5Tget_class(type);
  return class == H5T_FLOAT || class == H5T_INTEGER || is_complex(type);
}

/* -1: they are not numbers that an int counts. */
static int count(cas_h5 *h, const item *i, int *rank, hsize_t dims[4]) {
  if (h->status || i->id < 0 || !is_number(i->type))
    return -1;
  hssize_t n = H5Sget_simple_extent_npoints(i->space) * (is_complex(i->type) ? 2 : 1);
  *rank = H5Sget_simple_extent_ndims(i->space);
  if (n < 0 || n > INT_MAX || *rank < 0 || *rank > MOST_DIMENSIONS ||
      H5Sget_simple_extent_dims(i->space, dims, NULL) < 0)
    return -1;
  return (int)n;
}

int cas_h5_get_numbers(cas_h5 *h, hid_t at, const char *name, int capacity, double *out, int *rank,
                       hsize_t dims[4]) {
  const item i = open_item(h, at, name);
  int n = count(h, &i, rank, dims);
  double *all = n > capacity && capacity > 0 ? malloc((size_t)n * sizeof *all) : out;
  if (n > 0 && capacity > 0 && !all)
    cas_h5_no_memory(h);
  if (n > 0 && capacity > 0 && !h->status) {
    /* All of them; HDF5 reads attributes as a whole. */
    hid_t complex = is_complex(i.type) ? cas_h5_complex_type(h) : H5I_INVALID_HID,
          memory = complex >= 0 ? complex : H5T_NATIVE_DOUBLE;
    herr_t done = i.is_attribute ? H5Aread(i.id, memory, all)
                                 : H5Dread(i.id, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, all);
    if (done < 0)
      cas_h5_fail(h, "cannot read '%s'", name);
    cas_h5_close(h, complex);
  }
  if (n > 0 && all != out && !h->status)
    memcpy(out, all, (size_t)capacity * sizeof *out);
  if (all != out)
    free(all);
  close_item(h, &i);
  return n;
}

/* ---- texts ---- */

/* Of a dataset that is one text. */
static char *text_of_dataset(cas_h5 *h, const item *i, const char *name) {
  char *stored = NULL, *text = NULL;
  const bool is_one =
      H5Tis_variable_str(i->type) > 0 && H5Sget_simple_extent_npoints(i->space) == 1;
  if (!is_one)
    return NULL;
  if (H5Dread(i->id, i->type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &stored) < 0)
    cas_h5_fail(h, "cannot read '%s'", name);
  else if (!(text = strdup(stored ? stored : "")))
    cas_h5_no_memory(h);
  H5free_memory(stored);
  return text;
}

char *cas_h5_get_named_text(cas_h5 *h, hid_t at, const char *name) {
  const char *attribute;
  char *text = NULL;
  hid_t owner = open_owner(h, at, name, &attribute);
  const item i = open_item(h, at, name);
  if (i.type >= 0 && H5Tget_class(i.type) == H5T_STRING && i.is_attribute)
    cas_h5_get_attribute(h, owner, attribute, CAS_FIELD_TEXT, &text);
  else if (i.type >= 0 && H5Tget_class(i.type) == H5T_STRING)
    text = text_of_dataset(h, &i, name);
  close_item(h, &i);
  cas_h5_close(h, owner);
  return text;
}
