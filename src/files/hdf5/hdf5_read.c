/* Values, columns, arrays and names from HDF5 files. Nothing in a file is believed: every shape and
   class is checked before reading. */
#include "base/text.h"
#include "files/hdf5/hdf5.h"

enum { MOST_LEVELS = 10000 };

/* ---- values ---- */

static bool fits(hid_t stored, cas_field_type wanted) {
  H5T_class_t class = H5Tget_class(stored);
  switch (wanted) {
  case CAS_FIELD_REAL:
    return class == H5T_FLOAT || class == H5T_INTEGER;
  case CAS_FIELD_INT64:
  case CAS_FIELD_INT:
    return class == H5T_INTEGER;
  case CAS_FIELD_TEXT:
  case CAS_FIELD_WORDS:
    return class == H5T_STRING;
  }
  return false;
}

static const char *class_name(cas_field_type type) {
  return type == CAS_FIELD_TEXT ? "text" : type == CAS_FIELD_REAL ? "number" : "integer";
}

/* Texts of other writers may have a fixed length; they end where it does. */
static char *read_fixed_text(cas_h5 *h, hid_t attribute, hid_t type, const char *name) {
  size_t size = H5Tget_size(type);
  char *text = calloc(size + 1, 1);
  if (!text)
    cas_h5_no_memory(h);
  else if (H5Aread(attribute, type, text) < 0)
    cas_h5_fail(h, "cannot read the attribute '%s'", name);
  return text;
}

static char *read_variable_text(cas_h5 *h, hid_t attribute, hid_t type, const char *name) {
  char *stored = NULL, *text = NULL;
  CAS_OWNED_BY(cas_h5_release) hid_t memory = H5Tget_native_type(type, H5T_DIR_DEFAULT);
  if (memory < 0 || H5Aread(attribute, memory, &stored) < 0)
    cas_h5_fail(h, "cannot read the attribute '%s'", name);
  else if (!(text = strdup(stored ? stored : "")))
    cas_h5_no_memory(h);
  if (stored && H5free_memory(stored) < 0)
    cas_h5_fail(h, "cannot release the attribute '%s'", name);
  return text;
}

static void read_attribute(cas_h5 *h, hid_t attribute, hid_t type, const char *name,
                           cas_field_type wanted, void *value) {
  if (!fits(type, wanted))
    cas_h5_refuse(h, "the attribute '%s' does not hold a single %s", name, class_name(wanted));
  else if (wanted == CAS_FIELD_TEXT)
    *(char **)value = H5Tis_variable_str(type) > 0 ? read_variable_text(h, attribute, type, name)
                                                   : read_fixed_text(h, attribute, type, name);
  else if (H5Aread(attribute, cas_h5_memory_type(wanted), value) < 0)
    cas_h5_fail(h, "cannot read the attribute '%s'", name);
}

void cas_h5_get_attribute(cas_h5 *h, hid_t at, const char *name, cas_field_type type, void *value) {
  CAS_OWNED_BY(cas_h5_release)
  hid_t attribute = H5I_INVALID_HID, space = H5I_INVALID_HID, stored = H5I_INVALID_HID;
  if (!cas_h5_has_attribute(h, at, name)) {
    if (type != CAS_FIELD_TEXT)
      cas_h5_refuse(h, "the attribute '%s' is missing", name);
    return;
  }
  if ((attribute = H5Aopen(at, name, H5P_DEFAULT)) < 0 || (space = H5Aget_space(attribute)) < 0 ||
      (stored = H5Aget_type(attribute)) < 0)
    cas_h5_fail(h, "cannot open the attribute '%s'", name);
  else if (H5Sget_simple_extent_npoints(space) != 1)
    cas_h5_refuse(h, "the attribute '%s' is not a single value", name);
  else
    read_attribute(h, attribute, stored, name, type, value);
}

void cas_h5_get_words(cas_h5 *h, hid_t at, const char *name, char *out, size_t size) {
  char *text = NULL;
  if (!h->status)
    cas_h5_get_attribute(h, at, name, CAS_FIELD_TEXT, &text);
  cas_text_show(out, size, text ? text : "");
  free(text);
}

hid_t cas_h5_dataset_open(cas_h5 *h, hid_t at, const char *name) {
  if (h->status)
    return H5I_INVALID_HID;
  hid_t dataset = cas_h5_object_open(h, at, name);
  if (dataset < 0 && !h->status)
    cas_h5_fail(h, "cannot open the dataset '%s'", name);
  return dataset;
}

int cas_h5_shape(cas_h5 *h, hid_t at, const char *name, hsize_t dims[4]) {
  CAS_OWNED_BY(cas_h5_release) hid_t dataset = cas_h5_dataset_open(h, at, name);
  CAS_OWNED_BY(cas_h5_release) hid_t space = h->status ? H5I_INVALID_HID : H5Dget_space(dataset);
  int rank = h->status ? 0 : H5Sget_simple_extent_ndims(space);
  if (!h->status && rank > 4)
    cas_h5_refuse(h, "the dataset '%s' has %d dimensions instead of 4 at most", name, rank);
  else if (!h->status && (rank < 0 || H5Sget_simple_extent_dims(space, dims, NULL) != rank))
    cas_h5_fail(h, "cannot read the shape of '%s'", name);
  return h->status ? 0 : rank;
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
  hsize_t found[4];
  int found_rank = cas_h5_shape(h, at, name, found);
  if (found_rank != rank)
    cas_h5_refuse(h, "the dataset '%s' has %d dimensions instead of %d", name, found_rank, rank);
  else if (rank == 1 && found[0] != dims[0])
    cas_h5_refuse(h, "the dataset '%s' has %llu values instead of %llu", name,
                  (unsigned long long)found[0], (unsigned long long)dims[0]);
  else if (memcmp(found, dims, (size_t)rank * sizeof *dims))
    cas_h5_refuse(h, "the dataset '%s' has another shape than its group says", name);
  CAS_OWNED_BY(cas_h5_release) hid_t dataset = cas_h5_dataset_open(h, at, name);
  CAS_OWNED_BY(cas_h5_release)
  hid_t stored = h->status ? H5I_INVALID_HID : H5Dget_type(dataset),
        text = type == CAS_FIELD_TEXT ? cas_h5_text_type(h) : H5I_INVALID_HID;
  if (!h->status && (!fits(stored, type) || (text >= 0 && H5Tis_variable_str(stored) <= 0)))
    cas_h5_refuse(h, "the dataset '%s' does not hold %ss", name, class_name(type));
  else if (!h->status && H5Dread(dataset, text >= 0 ? text : cas_h5_memory_type(type), H5S_ALL,
                                 H5S_ALL, cas_h5_transfer(), data) < 0)
    cas_h5_fail(h, "cannot read the dataset '%s'", name);
}

void cas_h5_get_column(cas_h5 *h, hid_t at, const char *name, cas_field_type type, int n,
                       void *data) {
  const hsize_t dims[1] = {(hsize_t)n};
  cas_h5_get_array(h, at, name, type, n ? 1 : 0, dims, data);
}

/* ---- names in a group ---- */

typedef struct {
  int n, capacity;
  char **name;
  bool no_memory;
} name_list;

static herr_t take_name(hid_t group CAS_UNUSED, const char *name, const H5L_info_t *info CAS_UNUSED,
                        void *data) {
  name_list *list = data;
  if (list->n == list->capacity)
    return 1;
  list->name[list->n] = strdup(name);
  list->no_memory = !list->name[list->n];
  if (list->no_memory)
    return -1;
  list->n++;
  return 0;
}

char **cas_h5_names(cas_h5 *h, hid_t group, int *n) {
  H5G_info_t info;
  name_list list = {0};
  *n = 0;
  if (h->status || group < 0)
    return NULL;
  if (H5Gget_info(group, &info) < 0 || info.nlinks > MOST_LEVELS) {
    cas_h5_fail(h, "cannot list a group");
    return NULL;
  }
  list.capacity = (int)info.nlinks;
  list.name = calloc(info.nlinks + 1, sizeof *list.name);
  if (!list.name)
    cas_h5_no_memory(h);
  else if (H5Literate(group, H5_INDEX_CRT_ORDER, H5_ITER_INC, NULL, take_name, &list) < 0 &&
           !list.no_memory)
    cas_h5_fail(h, "cannot list a group");
  if (list.no_memory)
    cas_h5_no_memory(h);
  *n = list.n;
  return list.name;
}

char **cas_h5_group_names(cas_h5 *h, hid_t group, int *n) {
  int all, groups = 0;
  char **name = cas_h5_names(h, group, &all);
  for (int i = 0; i < all; i++)
    if (!h->status && cas_h5_is_group(h, group, name[i]))
      name[groups++] = name[i];
    else
      free(name[i]);
  *n = groups;
  return name;
}

void cas_h5_names_free(char **names, int n) {
  for (int i = 0; names && i < n; i++)
    free(names[i]);
  free(names);
}

/* ---- tables of fields ---- */

void cas_h5_get_fields(cas_h5 *h, hid_t at, const char *prefix, const cas_field *values,
                       void *base) {
  for (const cas_field *f = values; f && f->name && !h->status; f++) {
    char name[160], *value = (char *)base + f->offset;
    snprintf(name, sizeof name, "%s%s", prefix, f->name);
    if (f->optional && !cas_h5_has_attribute(h, at, name))
      continue;
    if (f->type == CAS_FIELD_WORDS)
      cas_h5_get_words(h, at, name, value, (size_t)f->extra);
    else
      cas_h5_get_attribute(h, at, name, f->type, value);
  }
}
