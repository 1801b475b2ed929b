/* Dimension scales: what the axes of datasets mean, for the readers that know them. */
#include "base/text.h"
#include "files/hdf5/hdf5.h"
#include <hdf5_hl.h>

hid_t cas_h5_put_scale(cas_h5 *h, hid_t group, const char *name, const char *long_name,
                       const char *units, hid_t stored, hid_t memory, int64_t n, const void *data) {
  /* The letter of an axis in the conventions CF; NULL: it has none. ParaView knows times and maps
     on the sphere by it, and reads text of fixed length alone, here of one character, as that of
     CLASS and NAME which HDF5 gives every scale; all other attributes have text of any length. */
  const char *letter = strcmp(name, "time") == 0             ? "T"
                       : strcmp(units, "degrees_north") == 0 ? "Y"
                       : strcmp(units, "degrees_east") == 0  ? "X"
                                                             : NULL;
  const hsize_t dims[1] = {(hsize_t)n};
  hid_t scale = cas_h5_dataset_create(h, group, name, stored, 1, dims, H5P_DEFAULT);
  if (!h->status && H5Dwrite(scale, memory, H5S_ALL, H5S_ALL, cas_h5_transfer(), data) < 0)
    cas_h5_fail(h, "cannot write the dataset '%s'", name);
  if (!h->status && H5DSset_scale(scale, name) < 0)
    cas_h5_fail(h, "cannot make '%s' a dimension scale", name);
  cas_h5_describe(h, scale, long_name, units);
  if (letter)
    cas_h5_put_value(h, scale, "axis", H5T_C_S1, H5T_C_S1, letter);
  return scale;
}

static hid_t put_labels(cas_h5 *h, hid_t group, const cas_file_axis *a) {
  CAS_OWNED char *names = strdup(a->labels), **label = calloc((size_t)a->length + 1, sizeof *label);
  char *rest;
  int n = 0;
  if (!names || !label) {
    cas_h5_no_memory(h);
    return H5I_INVALID_HID;
  }
  for (char *p = strtok_r(names, " ", &rest); p; p = strtok_r(NULL, " ", &rest), n++)
    if (n < a->length)
      label[n] = p;
  if (n != a->length)
    cas_h5_refuse(h, "'%.200s' are not the labels of %d numbers", a->labels, a->length);
  CAS_OWNED_BY(cas_h5_release) hid_t type = cas_h5_text_type(h);
  return cas_h5_put_scale(h, group, a->name, a->long_name, a->unit, type, type, a->length, label);
}

static hid_t put_numbers(cas_h5 *h, hid_t group, const cas_file_axis *a) {
  CAS_OWNED double *number = a->coordinates ? NULL : malloc((size_t)a->length * sizeof *number);
  if (!a->coordinates && !number)
    cas_h5_no_memory(h);
  for (int i = 0; number && i < a->length; i++)
    number[i] = i + 1;
  return cas_h5_put_scale(h, group, a->name, a->long_name, a->unit, H5T_IEEE_F64LE,
                          H5T_NATIVE_DOUBLE, a->length, number ? number : a->coordinates);
}

hid_t cas_h5_axis_scale(cas_h5 *h, hid_t group, const cas_file_axis *a) {
  if (h->status || !a->name)
    return H5I_INVALID_HID;
  htri_t known = H5Lexists(group, a->name, H5P_DEFAULT);
  if (known < 0)
    cas_h5_fail(h, "cannot look for '%s'", a->name);
  return known > 0   ? H5Dopen2(group, a->name, H5P_DEFAULT)
         : a->labels ? put_labels(h, group, a)
                     : put_numbers(h, group, a);
}

void cas_h5_link(cas_h5 *h, hid_t from, hid_t to, const char *name) {
  htri_t there = h->status || !name ? 1 : H5Lexists(to, name, H5P_DEFAULT);
  if (there < 0 ||
      (there == 0 && H5Lcreate_hard(from, name, to, name, H5P_DEFAULT, H5P_DEFAULT) < 0))
    cas_h5_fail(h, "cannot link '%s'", name);
}

void cas_h5_attach(cas_h5 *h, hid_t dataset, const char *name, int dimension, hid_t scale) {
  if (!h->status && scale >= 0 && H5DSattach_scale(dataset, scale, (unsigned)dimension) < 0)
    cas_h5_fail(h, "cannot attach the dimension scales of '%s'", name);
}

void cas_h5_attach_axes(cas_h5 *h, hid_t dataset, const char *name, int first, hid_t group,
                        int axes, const cas_file_axis *axis) {
  for (int i = 0; i < axes; i++) {
    hid_t scale = cas_h5_axis_scale(h, group, &axis[i]);
    cas_h5_attach(h, dataset, name, first + i, scale);
    cas_h5_close(h, scale);
  }
}

/* "x y z" from a scale of n texts; the caller frees. */
static char *get_labels(cas_h5 *h, hid_t group, const char *name, int n) {
  CAS_OWNED char **label = calloc((size_t)n + 1, sizeof *label);
  const hsize_t dims[1] = {(hsize_t)n};
  char *text = NULL;
  size_t size;
  FILE *f = label ? open_memstream(&text, &size) : NULL;
  if (f)
    cas_h5_get_array(h, group, name, CAS_FIELD_TEXT, 1, dims, label);
  for (int i = 0; f && i < n; i++) {
    fprintf(f, "%s%s", i ? " " : "", label[i] ? label[i] : "");
    H5free_memory(label[i]);
  }
  if (!f || fclose(f))
    cas_h5_no_memory(h);
  return text;
}

void cas_h5_get_axis(cas_h5 *h, hid_t group, char *name, int length, cas_file_axis *a) {
  char *long_name = NULL, *unit = NULL;
  *a = (cas_file_axis){.name = name, .length = length};
  if (!name)
    return;
  CAS_OWNED_BY(cas_h5_release)
  hid_t scale = cas_h5_dataset_open(h, group, name),
        type = h->status ? H5I_INVALID_HID : H5Dget_type(scale);
  if (type < 0)
    cas_h5_fail(h, "cannot read the type of '%s'", name);
  else if (H5Tget_class(type) == H5T_STRING)
    a->labels = get_labels(h, group, name, length);
  else {
    double *number = calloc((size_t)length + 1, sizeof *number);
    if (!number)
      cas_h5_no_memory(h);
    cas_h5_get_column(h, group, name, CAS_FIELD_REAL, length, number);
    a->coordinates = number;
  }
  cas_h5_get_attribute(h, scale, "long_name", CAS_FIELD_TEXT, &long_name);
  cas_h5_get_attribute(h, scale, "units", CAS_FIELD_TEXT, &unit);
  a->long_name = long_name;
  a->unit = unit;
}

int64_t cas_h5_scale_bytes(const cas_file_dataset *d) {
  int64_t bytes = d->components ? (int64_t)strlen(d->components) : 0;
  for (int i = 0; i < d->axes; i++)
    bytes += 64 * d->axis[i].length + (d->axis[i].labels ? (int64_t)strlen(d->axis[i].labels) : 0);
  return bytes;
}

/* ---- axes in memory ---- */

void cas_file_axis_copy(cas_file_axis *to, const cas_file_axis *from, bool *failed) {
  const size_t bytes = (size_t)from->length * sizeof(double);
  double *coordinates = from->coordinates ? malloc(bytes) : NULL;
  *failed |= from->coordinates && !coordinates;
  if (coordinates)
    memcpy(coordinates, from->coordinates, bytes);
  *to = (cas_file_axis){.name = cas_text_copy(from->name, failed),
                        .long_name = cas_text_copy(from->long_name, failed),
                        .unit = cas_text_copy(from->unit, failed),
                        .length = from->length,
                        .labels = cas_text_copy(from->labels, failed),
                        .coordinates = coordinates};
}

void cas_file_axis_free(cas_file_axis *a) {
  free((char *)a->name);
  free((char *)a->long_name);
  free((char *)a->unit);
  free((char *)a->labels);
  free((double *)a->coordinates);
}
