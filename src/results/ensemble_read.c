/* HDF5 to statistics of ensembles. */
#include "hdf5/hdf5_impl.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- axes ---- */

static char *text_attribute(cas_h5 *h, hid_t at, const char *name) {
  char *text = NULL;
  if (!h->status)
    cas_h5_get_attribute(h, at, name, CAS_FIELD_TEXT, &text);
  return text;
}

static bool holds_text(cas_h5 *h, hid_t group, const char *name) {
  hid_t dataset = cas_h5_dataset_open(h, group, name);
  hid_t type = dataset < 0 ? H5I_INVALID_HID : H5Dget_type(dataset);
  if (!h->status && type < 0)
    cas_h5_fail(h, "cannot read the type of '%s'", name);
  bool text = !h->status && H5Tget_class(type) == H5T_STRING;
  cas_h5_close(h, type);
  cas_h5_close(h, dataset);
  return text;
}

static void get_axis(cas_h5 *h, hid_t ensemble, char *name, hsize_t length, cas_file_axis *a) {
  *a = (cas_file_axis){.name = name, .length = (int)length};
  if (!name)
    return;
  if (holds_text(h, ensemble, name)) {
    a->labels = cas_h5_get_labels(h, ensemble, name, a->length);
  } else if (!h->status) {
    double *coordinates = calloc((size_t)length + 1, sizeof *coordinates);
    a->coordinates = coordinates;
    if (coordinates)
      cas_h5_get_column(h, ensemble, name, CAS_FIELD_REAL, a->length, coordinates);
    else
      h->status = cas_fail(h->err, CAS_NO_MEMORY, "%s: no memory for an axis.", h->path);
  }
  hid_t scale = cas_h5_dataset_open(h, ensemble, name);
  a->long_name = text_attribute(h, scale, "long_name");
  a->unit = text_attribute(h, scale, "units");
  cas_h5_close(h, scale);
}

/* ---- observables ---- */

static void get_columns(cas_h5 *h, hid_t group, const cas_ensemble *e,
                        const cas_ensemble_observable *o) {
  for (const cas_field *f = cas_ensemble_columns; f->name && !h->status; f++) {
    hsize_t dims[4] = {(hsize_t)e->records};
    int rank = 1;
    for (int k = 0; k < o->axes; k++)
      dims[rank++] = (hsize_t)o->axis[k].length;
    if (f->extra != CAS_BY_NUMBER)
      dims[rank++] = (hsize_t)cas_ensemble_depth(e, f);
    if (cas_ensemble_depth(e, f) > 0)
      cas_h5_get_array(h, group, f->name, f->type, rank, dims, cas_field_array(f, o));
  }
}

static void get_observable(cas_h5 *h, hid_t ensemble, cas_ensemble *e, int i, const char *name) {
  static const char *const attribute[2] = {"axis_1", "axis_2"};
  cas_file_axis axis[2] = {{0}, {0}};
  hsize_t dims[4];
  double numbers = e->records;
  hid_t group = cas_h5_group_open(h, ensemble, name);
  int rank = cas_h5_shape(h, group, "mean", dims);
  for (int k = 1; k < rank; k++)
    numbers *= (double)dims[k];
  if (!h->status && (rank > 3 || numbers < 1 || numbers > INT_MAX))
    cas_h5_refuse(h, "'ensemble/%s/mean' has a shape that no observable has", name);
  for (int k = 0; k + 1 < rank && !h->status; k++)
    get_axis(h, ensemble, text_attribute(h, group, attribute[k]), dims[1 + k], &axis[k]);
  char *long_name = text_attribute(h, group, "long_name"),
       *unit = text_attribute(h, group, "units");
  if (!h->status)
    h->status = cas_ensemble_observe(e, i, name, long_name, unit, rank - 1, axis, h->err);
  get_columns(h, group, e, &e->observable[i]);
  cas_h5_get_bound(h, group, "", &e->observable[i].bias_bound);
  free(long_name);
  free(unit);
  cas_file_axis_free(&axis[0]);
  cas_file_axis_free(&axis[1]);
  cas_h5_close(h, group);
}

bool cas_h5_is_group(cas_h5 *h, hid_t at, const char *name) {
  hid_t object = h->status ? H5I_INVALID_HID : H5Oopen(at, name, H5P_DEFAULT);
  bool group = object >= 0 && H5Iget_type(object) == H5I_GROUP;
  cas_h5_close(h, object);
  return group;
}

static void get_observables(cas_h5 *h, hid_t group, cas_ensemble *e, char **name, int names) {
  for (int k = 0, i = 0; k < names && !h->status; k++)
    if (cas_h5_is_group(h, group, name[k]))
      get_observable(h, group, e, i++, name[k]);
}

/* ---- the whole ---- */

static int count_times(cas_h5 *h, hid_t group) {
  hsize_t dims[4] = {0};
  int rank = cas_h5_shape(h, group, "time", dims);
  if (!h->status && (rank != 1 || dims[0] > INT_MAX / 2))
    cas_h5_refuse(h, "'ensemble/time' is not a list of times");
  return h->status ? 0 : (int)dims[0];
}

static cas_ensemble *get_frame(cas_h5 *h, hid_t group, int observables) {
  cas_ensemble *e = NULL;
  int bins = 0, records = count_times(h, group), quantiles = 0;
  if (!h->status)
    cas_h5_get_attribute(h, group, "quantiles", CAS_FIELD_INT, &quantiles);
  if (!h->status)
    cas_h5_get_attribute(h, group, "bins", CAS_FIELD_INT, &bins);
  if (!h->status && (bins < 0 || quantiles < 0 || records < 1))
    cas_h5_refuse(h, "'ensemble' has %d bins, %d quantiles and %d times", bins, quantiles, records);
  if (!h->status)
    h->status = cas_ensemble_create(records, quantiles, bins, observables, &e, h->err);
  for (const cas_field *f = cas_ensemble_numbers; f->name && !h->status; f++)
    cas_h5_get_attribute(h, group, f->name, f->type, (char *)e + f->offset);
  if (!h->status)
    cas_h5_get_column(h, group, "time", CAS_FIELD_REAL, records, e->time);
  if (!h->status && quantiles)
    cas_h5_get_column(h, group, "probability", CAS_FIELD_REAL, quantiles, e->probability);
  return e;
}

cas_ensemble *cas_h5_get_ensemble(cas_h5 *h, hid_t file) {
  int names, observables = 0;
  cas_ensemble *e = NULL;
  hid_t group = cas_h5_group_open(h, file, "ensemble");
  char **name = cas_h5_names(h, group, &names);
  for (int k = 0; k < names; k++)
    observables += cas_h5_is_group(h, group, name[k]);
  if (group >= 0)
    e = get_frame(h, group, observables);
  if (e)
    get_observables(h, group, e, name, names);
  cas_names_free(name, names);
  cas_h5_close(h, group);
  return e;
}
