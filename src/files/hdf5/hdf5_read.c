/* Values, columns, arrays and names from HDF5 files. Nothing in a file is believed: every shape and
   class is checked before reading. */
#include "base/text.h"
#include "files/hdf5/hdf5.h"
#include <limits.h>

enum { MOST_LEVELS = 10000, MOST_DIMENSIONS = 4 };

/* ---- values ---- */

static bool fits(hid_t stored, cas_field_type wanted) {
  const H5T_class_t class = H5Tget_class(stored);
  if (wanted == CAS_FIELD_TEXT || wanted == CAS_FIELD_WORDS)
    return class == H5T_STRING;
  return class == H5T_INTEGER || (class == H5T_FLOAT && wanted == CAS_FIELD_REAL);
}

static const char *class_name(cas_field_type type) {
  return type == CAS_FIELD_TEXT ? "text" : type == CAS_FIELD_REAL ? "number" : "integer";
}

/* HDF5 has two sets of functions for datasets and attributes. */
typedef struct {
  hid_t id, type, space; /* negative: there is none */
  bool is_attribute;
} item;

static void close_item(const item *i) {
  cas_h5_release(&i->space);
  cas_h5_release(&i->type);
  cas_h5_release(&i->id);
}

static const char *kind_of(const item *i) { return i->is_attribute ? "attribute" : "dataset"; }

/* The item of an identifier, which is closed with it; without type and space if it is negative. */
static item item_of(cas_h5 *h, hid_t id, bool is_attribute, const char *name) {
  item i = {id, H5I_INVALID_HID, H5I_INVALID_HID, is_attribute};
  if (id < 0)
    return i;
  i.type = is_attribute ? H5Aget_type(id) : H5Dget_type(id);
  i.space = is_attribute ? H5Aget_space(id) : H5Dget_space(id);
  if (i.type < 0 || i.space < 0)
    cas_h5_fail(h, "cannot open the %s '%s'", kind_of(&i), name);
  return i;
}

/* Reads all values: HDF5 reads attributes as a whole. */
static void read_item(cas_h5 *h, const item *i, const char *name, hid_t memory, void *values) {
  if (!h->status &&
      (i->is_attribute ? H5Aread(i->id, memory, values)
                       : H5Dread(i->id, memory, H5S_ALL, H5S_ALL, cas_h5_transfer(), values)) < 0)
    cas_h5_fail(h, "cannot read the %s '%s'", kind_of(i), name);
}

/* Reads a text of any length, which HDF5 allocates, or of a fixed length, as other programs write
   them, which need not end in a zero. */
static char *read_text(cas_h5 *h, const item *i, const char *name) {
  const bool fixed = H5Tis_variable_str(i->type) <= 0;
  char *stored = NULL, *text = fixed ? calloc(H5Tget_size(i->type) + 1, 1) : NULL;
  if (fixed && !text)
    cas_h5_no_memory(h);
  read_item(h, i, name, i->type, fixed ? (void *)text : &stored);
  if (!fixed && !(text = strdup(stored ? stored : "")))
    cas_h5_no_memory(h);
  H5free_memory(stored);
  return text;
}

void cas_h5_get_attribute(cas_h5 *h, hid_t at, const char *name, cas_field_type type, void *value) {
  const bool there = cas_h5_has_attribute(h, at, name);
  if (!there && type != CAS_FIELD_TEXT)
    cas_h5_refuse(h, "the attribute '%s' is missing", name);
  if (!there)
    return;
  CAS_OWNED_BY(close_item) const item i = item_of(h, H5Aopen(at, name, H5P_DEFAULT), true, name);
  if (i.id < 0)
    cas_h5_fail(h, "cannot open the attribute '%s'", name);
  if (h->status)
    return;
  if (H5Sget_simple_extent_npoints(i.space) != 1)
    cas_h5_refuse(h, "the attribute '%s' is not a single value", name);
  else if (!fits(i.type, type))
    cas_h5_refuse(h, "the attribute '%s' does not hold a single %s", name, class_name(type));
  else if (type == CAS_FIELD_TEXT)
    *(char **)value = read_text(h, &i, name);
  else
    read_item(h, &i, name, cas_h5_memory_type(type), value);
}

void cas_h5_get_words(cas_h5 *h, hid_t at, const char *name, char *out, size_t size) {
  CAS_OWNED char *text = NULL;
  cas_h5_get_attribute(h, at, name, CAS_FIELD_TEXT, &text);
  cas_text_show(out, size, text ? text : "");
}

hid_t cas_h5_dataset_open(cas_h5 *h, hid_t at, const char *name) {
  const hid_t dataset = cas_h5_object_open(h, at, name);
  if (dataset < 0)
    cas_h5_fail(h, "cannot open the dataset '%s'", name);
  return dataset;
}

static int shape_of(cas_h5 *h, const item *i, const char *name, hsize_t dims[4]) {
  int rank = h->status ? 0 : H5Sget_simple_extent_ndims(i->space);
  if (!h->status && rank > MOST_DIMENSIONS)
    cas_h5_refuse(h, "the dataset '%s' has %d dimensions instead of %d at most", name, rank,
                  MOST_DIMENSIONS);
  else if (!h->status && (rank < 0 || H5Sget_simple_extent_dims(i->space, dims, NULL) != rank))
    cas_h5_fail(h, "cannot read the shape of '%s'", name);
  return h->status ? 0 : rank;
}

int cas_h5_shape(cas_h5 *h, hid_t at, const char *name, hsize_t dims[4]) {
  CAS_OWNED_BY(close_item)
  const item i = item_of(h, cas_h5_dataset_open(h, at, name), false, name);
  return shape_of(h, &i, name, dims);
}

int cas_h5_length(cas_h5 *h, hid_t at, const char *name) {
  hsize_t dims[4] = {0};
  if (h->status || at < 0 || H5Lexists(at, name, H5P_DEFAULT) == 0)
    return 0;
  int rank = cas_h5_shape(h, at, name, dims);
  if (rank > 1)
    cas_h5_refuse(h, "the dataset '%s' has %d dimensions instead of 1", name, rank);
  else if (dims[0] > MOST_LEVELS)
    cas_h5_refuse(h, "the dataset '%s' has %llu values; no study has more than %d levels", name,
                  (unsigned long long)dims[0], MOST_LEVELS);
  return h->status ? 0 : (int)dims[0];
}

void cas_h5_get_array(cas_h5 *h, hid_t at, const char *name, cas_field_type type, int rank,
                      const hsize_t *dims, void *data) {
  CAS_OWNED_BY(close_item)
  const item i = item_of(h, cas_h5_dataset_open(h, at, name), false, name);
  CAS_OWNED_BY(cas_h5_release)
  hid_t text = type == CAS_FIELD_TEXT ? cas_h5_text_type(h) : H5I_INVALID_HID;
  hsize_t found[MOST_DIMENSIONS];
  int found_rank = shape_of(h, &i, name, found);
  if (found_rank != rank)
    cas_h5_refuse(h, "the dataset '%s' has %d dimensions instead of %d", name, found_rank, rank);
  else if (rank == 1 && found[0] != dims[0])
    cas_h5_refuse(h, "the dataset '%s' has %llu values instead of %llu", name,
                  (unsigned long long)found[0], (unsigned long long)dims[0]);
  else if (memcmp(found, dims, (size_t)rank * sizeof *dims))
    cas_h5_refuse(h, "the dataset '%s' has another shape than its group says", name);
  else if (!h->status && (!fits(i.type, type) || (text >= 0 && H5Tis_variable_str(i.type) <= 0)))
    cas_h5_refuse(h, "the dataset '%s' does not hold %ss", name, class_name(type));
  read_item(h, &i, name, text >= 0 ? text : cas_h5_memory_type(type), data);
}

void cas_h5_get_column(cas_h5 *h, hid_t at, const char *name, cas_field_type type, int n,
                       void *data) {
  const hsize_t dims[1] = {(hsize_t)n};
  cas_h5_get_array(h, at, name, type, n ? 1 : 0, dims, data);
}

/* ---- names in a group ---- */

char **cas_h5_names(cas_h5 *h, hid_t group, int *n) {
  H5G_info_t info = {.nlinks = 0};
  *n = 0;
  if (h->status || group < 0)
    return NULL;
  if (H5Gget_info(group, &info) < 0 || info.nlinks > MOST_LEVELS) {
    cas_h5_fail(h, "cannot list a group");
    return NULL;
  }
  char **name = calloc(info.nlinks + 1, sizeof *name);
  if (!name)
    cas_h5_no_memory(h);
  for (hsize_t i = 0; !h->status && i < info.nlinks; i++) {
    const ssize_t size =
        H5Lget_name_by_idx(group, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, i, NULL, 0, H5P_DEFAULT);
    if (size < 0)
      cas_h5_fail(h, "cannot list a group");
    else if (!(name[i] = malloc((size_t)size + 1)))
      cas_h5_no_memory(h);
    else if (H5Lget_name_by_idx(group, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, i, name[i],
                                (size_t)size + 1, H5P_DEFAULT) != size) {
      free(name[i]);
      cas_h5_fail(h, "cannot list a group");
    } else
      ++*n;
  }
  return name;
}

void cas_h5_names_free(char **names, int n) {
  for (int i = 0; names && i < n; i++)
    free(names[i]);
  free(names);
}

void cas_h5_get_fields(cas_h5 *h, hid_t at, const cas_field *values, void *base) {
  for (const cas_field *f = values; f && f->name && !h->status; f++) {
    char *value = (char *)base + f->offset;
    if (f->optional && !cas_h5_has_attribute(h, at, f->name))
      continue;
    if (f->type == CAS_FIELD_WORDS)
      cas_h5_get_words(h, at, f->name, value, (size_t)f->extra);
    else
      cas_h5_get_attribute(h, at, f->name, f->type, value);
  }
}

/* ---- datasets and attributes by name ---- */

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
  hid_t id = *name ? cas_h5_object_open(h, at, name) : H5I_INVALID_HID;
  const bool is_dataset = id >= 0 && H5Iget_type(id) == H5I_DATASET;
  if (!is_dataset) {
    cas_h5_release(&id);
    id = open_attribute(h, at, name);
  }
  return item_of(h, id, !is_dataset, name);
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

char *cas_h5_get_named_text(cas_h5 *h, hid_t at, const char *name) {
  CAS_OWNED_BY(close_item) const item i = open_item(h, at, name);
  return i.type < 0 || H5Tget_class(i.type) != H5T_STRING ||
                 H5Sget_simple_extent_npoints(i.space) != 1
             ? NULL
             : read_text(h, &i, name);
}
