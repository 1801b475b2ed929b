/* Statistics of ensembles to HDF5. */
#include "hdf5/hdf5_impl.h"
#include <stdio.h>
#include <stdlib.h>

/* dimensions: time, the observable's axes, and bins or probabilities */
typedef struct {
  int rank;
  hsize_t dims[4];
} shape;

static shape shape_of(const cas_ensemble *e, const cas_ensemble_observable *o, const cas_field *f) {
  shape s = {.rank = 1, .dims = {(hsize_t)e->records}};
  for (int k = 0; k < o->axes; k++)
    s.dims[s.rank++] = (hsize_t)o->axis[k].length;
  if (f->extra != CAS_BY_NUMBER)
    s.dims[s.rank++] = (hsize_t)cas_ensemble_depth(e, f);
  return s;
}

static void describe(cas_h5 *h, hid_t dataset, const cas_ensemble_observable *o,
                     const cas_field *f) {
  char long_name[200], squared[100];
  snprintf(long_name, sizeof long_name, f->long_name, o->name);
  snprintf(squared, sizeof squared, o->unit[0] == '1' && !o->unit[1] ? "1" : "(%s)^2", o->unit);
  cas_h5_describe(h, dataset, long_name,
                  !f->units            ? o->unit
                  : f->units[0] == '^' ? squared
                                       : f->units);
}

/* of the first dimension, and of the last by what it counts; negative: none */
typedef struct {
  hid_t time, last[CAS_BY_PROBABILITY + 1];
} scales;

static void put_column(cas_h5 *h, hid_t ensemble, hid_t group, const cas_ensemble *e,
                       const cas_ensemble_observable *o, const cas_field *f, const scales *c) {
  shape s = shape_of(e, o, f);
  hid_t dataset = cas_h5_dataset_create(h, group, f->name, cas_h5_file_type(f->type), s.rank,
                                        s.dims, H5P_DEFAULT);
  if (!h->status && H5Dwrite(dataset, cas_h5_memory_type(f->type), H5S_ALL, H5S_ALL, H5P_DEFAULT,
                             cas_field_array(f, o)) < 0)
    cas_h5_fail(h, "cannot write the dataset '%s' of %s", f->name, o->name);
  cas_h5_attach(h, dataset, f->name, 0, c->time);
  for (int k = 0; k < o->axes; k++) {
    hid_t scale = cas_h5_axis_scale(h, ensemble, &o->axis[k]);
    cas_h5_attach(h, dataset, f->name, 1 + k, scale);
    cas_h5_close(h, scale);
  }
  cas_h5_attach(h, dataset, f->name, s.rank - 1, c->last[f->extra]);
  describe(h, dataset, o, f);
  cas_h5_close(h, dataset);
}

static void put_observable(cas_h5 *h, hid_t ensemble, const cas_ensemble *e,
                           const cas_ensemble_observable *o, const scales *c) {
  hid_t group = cas_h5_group_create(h, ensemble, o->name);
  cas_h5_put_text(h, group, "long_name", o->long_name);
  cas_h5_put_text(h, group, "units", o->unit);
  cas_h5_put_bound(h, group, "", o->bias_bound);
  for (int k = 0; k < o->axes; k++)
    cas_h5_put_text(h, group, k ? "axis_2" : "axis_1", o->axis[k].name);
  for (const cas_field *f = cas_ensemble_columns; f->name; f++)
    if (cas_ensemble_depth(e, f) > 0)
      put_column(h, ensemble, group, e, o, f, c);
  cas_h5_close(h, group);
}

static hid_t put_bins(cas_h5 *h, hid_t group, int bins) {
  double *number = bins && !h->status ? malloc((size_t)bins * sizeof *number) : NULL;
  for (int b = 0; number && b < bins; b++)
    number[b] = b;
  const cas_file_axis axis = {.name = number ? "bin" : NULL,
                              .long_name = "bin b begins at histogram_low + b histogram_width",
                              .unit = "1",
                              .length = bins,
                              .coordinates = number};
  hid_t scale = cas_h5_axis_scale(h, group, &axis);
  free(number);
  return scale;
}

void cas_h5_put_ensemble(cas_h5 *h, hid_t file, const cas_ensemble *e) {
  const cas_file_axis time = {.name = "time",
                              .long_name = "time",
                              .unit = "time_unit",
                              .length = e->records,
                              .coordinates = e->time},
                      probability = {.name = e->quantiles ? "probability" : NULL,
                                     .long_name = "probability of the quantiles",
                                     .unit = "1",
                                     .length = e->quantiles,
                                     .coordinates = e->probability};
  hid_t group = cas_h5_group_open(h, file, "ensemble");
  if (group < 0)
    group = cas_h5_group_create(h, file, "ensemble");
  for (const cas_field *f = cas_ensemble_numbers; f->name; f++)
    cas_h5_put_attribute(h, group, f->name, f->type, (const char *)e + f->offset);
  const scales c = {.time = cas_h5_axis_scale(h, group, &time),
                    .last = {[CAS_BY_NUMBER] = H5I_INVALID_HID,
                             [CAS_BY_BIN] = put_bins(h, group, e->bins),
                             [CAS_BY_PROBABILITY] = cas_h5_axis_scale(h, group, &probability)}};
  for (int i = 0; i < e->observables; i++)
    put_observable(h, group, e, &e->observable[i], &c);
  for (int i = CAS_BY_NUMBER; i <= CAS_BY_PROBABILITY; i++)
    cas_h5_close(h, c.last[i]);
  cas_h5_close(h, c.time);
  cas_h5_close(h, group);
}
