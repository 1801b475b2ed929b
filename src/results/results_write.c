/* Results to HDF5. A results file is small: it is built in memory and written by plain writes, so
   that HDF5 never holds a file that it cannot flush and every failure has the system's reason. */
#include "hdf5/hdf5_impl.h"
#include <hdf5_hl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- values ---- */

hid_t cas_h5_file_type(cas_field_type type) {
  return type == CAS_FIELD_REAL    ? H5T_IEEE_F64LE
         : type == CAS_FIELD_INT64 ? H5T_STD_I64LE
                                   : H5T_STD_I32LE;
}

static void put_attribute(cas_h5 *h, hid_t at, const char *name, hid_t stored, hid_t memory,
                          const void *value) {
  if (h->status)
    return;
  hid_t attribute = H5I_INVALID_HID, space = H5Screate(H5S_SCALAR);
  if (space < 0 ||
      (attribute = H5Acreate2(at, name, stored, space, H5P_DEFAULT, H5P_DEFAULT)) < 0 ||
      H5Awrite(attribute, memory, value) < 0)
    cas_h5_fail(h, "cannot write the attribute '%s'", name);
  cas_h5_close(h, attribute);
  cas_h5_close(h, space);
}

void cas_h5_put_text(cas_h5 *h, hid_t at, const char *name, const char *text) {
  if (!text)
    return;
  hid_t type = cas_h5_text_type(h);
  put_attribute(h, at, name, type, type, &text);
  cas_h5_close(h, type);
}

void cas_h5_put_attribute(cas_h5 *h, hid_t at, const char *name, cas_field_type type,
                          const void *value) {
  if (type == CAS_FIELD_TEXT)
    cas_h5_put_text(h, at, name, *(char *const *)value);
  else
    put_attribute(h, at, name, cas_h5_file_type(type), cas_h5_memory_type(type), value);
}

void cas_h5_describe(cas_h5 *h, hid_t dataset, const char *long_name, const char *units) {
  cas_h5_put_text(h, dataset, "long_name", long_name);
  cas_h5_put_text(h, dataset, "units", units);
}

/* Compact storage keeps the values in the object header, which HDF5 guards by a checksum. */
static hid_t compact_storage(cas_h5 *h) {
  if (h->status)
    return H5I_INVALID_HID;
  hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  if (creation < 0 || H5Pset_layout(creation, H5D_COMPACT) < 0)
    cas_h5_fail(h, "cannot prepare a dataset");
  return creation;
}

static hid_t create_column(cas_h5 *h, hid_t at, const cas_field *column, int n, const void *data) {
  const hsize_t dims[1] = {(hsize_t)n};
  hid_t compact = compact_storage(h);
  hid_t dataset = cas_h5_dataset_create(h, at, column->name, cas_h5_file_type(column->type),
                                        n ? 1 : 0, dims, compact);
  if (!h->status &&
      H5Dwrite(dataset, cas_h5_memory_type(column->type), H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0)
    cas_h5_fail(h, "cannot write the dataset '%s'", column->name);
  cas_h5_describe(h, dataset, column->long_name, column->units);
  cas_h5_close(h, compact);
  return dataset;
}

void cas_h5_put_column(cas_h5 *h, hid_t at, const cas_field *column, int n, const void *data,
                       hid_t scale) {
  hid_t dataset = create_column(h, at, column, n, data);
  if (!h->status && scale >= 0 && H5DSattach_scale(dataset, scale, 0) < 0)
    cas_h5_fail(h, "cannot attach the dimension scale of '%s'", column->name);
  cas_h5_close(h, dataset);
}

void cas_h5_put_columns(cas_h5 *h, hid_t at, const cas_field *table, int extra, int levels,
                        const char *unit, const void *base, hid_t scale) {
  char squared[100];
  snprintf(squared, sizeof squared, strcmp(unit, "1") ? "(%.60s)^2" : "1", unit);
  for (const cas_field *f = table; f->name && levels + extra > 0; f++) {
    cas_field column = *f;
    column.units = !f->units ? unit : strcmp(f->units, "^2") ? f->units : squared;
    if (f->extra == extra)
      cas_h5_put_column(h, at, &column, levels + extra, cas_field_array(f, base), scale);
  }
}

/* ---- groups ---- */

void cas_h5_put_fields(cas_h5 *h, hid_t at, const char *prefix, const cas_field *table,
                       const void *base) {
  for (const cas_field *f = table; f->name; f++) {
    char name[80];
    snprintf(name, sizeof name, "%s%s", prefix, f->name);
    cas_h5_put_attribute(h, at, name, f->type, (const char *)base + f->offset);
  }
}

/* What failed paths can have changed. */
void cas_h5_put_bound(cas_h5 *h, hid_t at, const char *prefix, double bound) {
  char name[100];
  snprintf(name, sizeof name, "%sbias_bound", prefix);
  cas_h5_put_attribute(h, at, name, CAS_FIELD_REAL, &bound);
}

static double mean_step(const double *step, int n) {
  double product = 1;
  for (int i = 0; i < n; i++)
    product *= step[i] / step[0];
  return n == 2 ? sqrt(step[0] * step[1]) : step[0] * pow(product, 1.0 / n);
}

/* Every group has scales of its own, because the readers of netCDF look for those of a dataset in its
   group and above only. */
hid_t cas_h5_step_scale(cas_h5 *h, hid_t group, const cas_results *r, int extra) {
  static const char *const name[] = {"step_of_four", "step_of_three", "step_between", "step",
                                     "step_with_reference"};
  static const char *const long_name[] = {"geometric mean of four neighbouring step sizes",
                                          "geometric mean of three neighbouring step sizes",
                                          "geometric mean of two neighbouring step sizes",
                                          "step size, coarsest level first",
                                          "step size, coarsest level first, reference last"};
  int n = r->levels + extra;
  double *step = r->step && n > 0 && !h->status ? malloc((size_t)n * sizeof *step) : NULL;
  if (!step)
    return H5I_INVALID_HID;
  for (int i = 0; i < n; i++)
    step[i] = extra < 0 ? mean_step(r->step + i, 1 - extra) : r->step[i];
  const cas_file_axis axis = {.name = name[extra + 3],
                              .long_name = long_name[extra + 3],
                              .unit = "time_unit",
                              .length = n,
                              .coordinates = step};
  hid_t scale = cas_h5_axis_scale(h, group, &axis);
  free(step);
  return scale;
}

void cas_h5_put_by_step(cas_h5 *h, hid_t group, const cas_field *column, const cas_results *r,
                        int extra, const void *data) {
  hid_t scale = cas_h5_step_scale(h, group, r, extra);
  cas_h5_put_column(h, group, column, r->levels + extra, data, scale);
  cas_h5_close(h, scale);
}

static void put_levels(cas_h5 *h, hid_t file, const cas_results *r) {
  const cas_field steps = {"steps", CAS_FIELD_INT64, 0, 0, "number of steps to the horizon", "1"};
  int n = r->levels;
  hid_t group = cas_h5_group_create(h, file, "levels");
  if (n > 0 && r->step && r->steps)
    cas_h5_put_by_step(h, group, &steps, r, 0, r->steps);
  if (r->step)
    cas_h5_put_attribute(h, group, "reference_step", CAS_FIELD_REAL, &r->step[n]);
  if (r->steps)
    cas_h5_put_attribute(h, group, "reference_steps", CAS_FIELD_INT64, &r->steps[n]);
  cas_h5_close(h, group);
}

static const char *error_long_name(const cas_curve *c) {
  if (c->kind == CAS_WEAK)
    return "E phi(X_h) - E phi(X_ref) by coupled paths";
  return strcmp(c->name, "error")
             ? "root-mean-square of the largest error over the coarsest grid, against the reference"
             : "root-mean-square error at the horizon, against the reference";
}

static void put_curve_columns(cas_h5 *h, hid_t group, const cas_results *r, const char *suffix,
                              const cas_curve *c) {
  for (const cas_field *f = cas_curve_columns; f->name; f++) {
    char name[128];
    cas_field column = *f;
    const void *data = cas_field_array(f, c);
    int n = c->levels + f->extra;
    if (!data || n <= 0)
      continue;
    snprintf(name, sizeof name, "%s%s", f->name, suffix);
    column.name = name;
    if (f == cas_curve_columns)
      column.long_name = error_long_name(c);
    if (!f->units)
      column.units = c->unit;
    cas_h5_put_by_step(h, group, &column, r, f->extra, data);
  }
}

/* Strong curves share a group: "error_sup" gives the datasets standard_error_sup, .. and the
   attributes sup_order, ... */
static void put_curve(cas_h5 *h, hid_t group, const cas_results *r, const cas_curve *c) {
  const char *suffix = c->kind == CAS_STRONG ? c->name + strlen("error") : "";
  char prefix[80] = "";
  if (*suffix)
    snprintf(prefix, sizeof prefix, "%s_", suffix + 1);
  put_curve_columns(h, group, r, suffix, c);
  cas_h5_put_laws(h, group, prefix, &c->laws);
  cas_h5_put_fields(h, group, prefix, cas_curve_numbers, c);
  if (c->kind == CAS_WEAK)
    cas_h5_put_extrapolation(h, group, &c->extrapolated);
  cas_h5_put_bound(h, group, prefix, c->bias_bound);
  cas_h5_put_verdict(h, group, prefix, c->findings, c->verdict);
}

static bool is_strong_name(const char *name) {
  return !strcmp(name, "error") || (!strncmp(name, "error_", 6) && name[6]);
}

static void put_strong(cas_h5 *h, hid_t file, const cas_results *r) {
  hid_t strong = H5I_INVALID_HID;
  for (int i = 0; i < r->curves && !h->status; i++) {
    if (r->curve[i].kind != CAS_STRONG)
      continue;
    if (!is_strong_name(r->curve[i].name))
      cas_h5_refuse(h, "a strong curve is named '%s', not error or error_..", r->curve[i].name);
    if (strong < 0)
      strong = cas_h5_group_create(h, file, "strong");
    put_curve(h, strong, r, &r->curve[i]);
  }
  cas_h5_close(h, strong);
}

static void put_weak(cas_h5 *h, hid_t file, const cas_results *r) {
  hid_t weak = H5I_INVALID_HID;
  for (int i = 0; i < r->curves && !h->status; i++) {
    if (r->curve[i].kind != CAS_WEAK)
      continue;
    if (weak < 0)
      weak = cas_h5_group_create(h, file, "weak");
    hid_t functional = cas_h5_group_create(h, weak, r->curve[i].name);
    put_curve(h, functional, r, &r->curve[i]);
    cas_h5_close(h, functional);
  }
  cas_h5_close(h, weak);
}

static void put_iterations_mean(cas_h5 *h, hid_t group, const cas_results *r) {
  const cas_health *health = &r->health;
  const cas_field column = {
      "iterations_mean", CAS_FIELD_REAL, 0, 0, "mean fixed-point iterations of a step", "1"};
  double *mean = malloc((size_t)health->levels * sizeof *mean);
  if (!mean) {
    h->status = cas_fail(h->err, CAS_NO_MEMORY, "No memory for the iterations of %d levels.",
                         health->levels);
    return;
  }
  for (int l = 0; l < health->levels; l++)
    mean[l] =
        health->steps_taken[l] ? (double)health->iterations[l] / (double)health->steps_taken[l] : 0;
  cas_h5_put_by_step(h, group, &column, r, 1, mean);
  free(mean);
}

/* A scale of itself. */
static void put_failed_numbers(cas_h5 *h, hid_t group, const cas_health *health) {
  static const char name[] = "failed_path_numbers";
  int n = cas_failed_named(health->failed_paths);
  if (h->status || n == 0)
    return;
  hid_t scale = cas_h5_put_scale(h, group, name, H5T_STD_I64LE, H5T_NATIVE_INT64, n,
                                 health->failed_path_numbers);
  cas_h5_describe_scale(h, scale, name, "paths that failed, the first of them", "1");
  cas_h5_close(h, scale);
}

static void put_health(cas_h5 *h, hid_t file, const cas_results *r) {
  const cas_health *health = &r->health;
  hid_t group = cas_h5_group_create(h, file, "health");
  for (const cas_field *f = cas_health_columns; f->name; f++)
    cas_h5_put_by_step(h, group, f, r, 1, cas_field_array(f, health));
  for (const cas_field *f = cas_health_numbers; f->name; f++)
    cas_h5_put_column(h, group, f, 0, (const char *)health + f->offset, H5I_INVALID_HID);
  cas_h5_put_text(h, group, "on_failure", cas_on_failure_names[health->on_failure]);
  cas_h5_put_attribute(h, group, "left_out_paths", CAS_FIELD_INT64, &health->left_out_paths);
  put_failed_numbers(h, group, health);
  if (!h->status)
    put_iterations_mean(h, group, r);
  cas_h5_close(h, group);
}

/* Bytes of their own form (checkpoint.c), for longer runs to go on from. In a group of their own, and
   a scale of themselves: readers of netCDF open no group with an axis that has none. */
static void put_restart(cas_h5 *h, hid_t file, const cas_results *r) {
  if (h->status || !r->restart_size)
    return;
  hid_t group = cas_h5_group_create(h, file, "restart");
  hid_t bytes = cas_h5_put_scale(h, group, "bytes", H5T_STD_U8LE, H5T_NATIVE_UINT8,
                                 (int64_t)r->restart_size, r->restart);
  cas_h5_describe_scale(h, bytes, "bytes", "what a run of more paths goes on from", "1");
  cas_h5_close(h, bytes);
  cas_h5_close(h, group);
}

static void check_lengths(cas_h5 *h, const cas_results *r) {
  if (r->levels < 0 || r->health.levels != r->levels + 1)
    cas_h5_refuse(h, "the health counts %d levels; with %d levels and the reference it must be %d",
                  r->health.levels, r->levels, r->levels + 1);
  for (int i = 0; i < r->curves; i++)
    if (r->curve[i].levels != r->levels)
      cas_h5_refuse(h, "the curve '%s' has %d levels, the study has %d", r->curve[i].name,
                    r->curve[i].levels, r->levels);
}

void cas_h5_put_results(cas_h5 *h, hid_t file, const cas_results *r) {
  check_lengths(h, r);
  cas_h5_put_fields(h, file, "", cas_provenance_fields, &r->provenance);
  cas_h5_put_fields(h, file, "", cas_timing_fields, &r->provenance);
  if (r->provenance.alone)
    cas_h5_put_attribute(h, file, "path", CAS_FIELD_INT64, &r->provenance.path);
  put_levels(h, file, r);
  put_strong(h, file, r);
  put_weak(h, file, r);
  if (r->ensemble)
    cas_h5_put_ensemble(h, file, r->ensemble);
  if (r->multilevel)
    cas_h5_put_multilevel(h, file, r);
  if (r->mlmc)
    cas_h5_put_mlmc(h, file, r);
  put_health(h, file, r);
  cas_h5_put_initial(h, file, r);
  put_restart(h, file, r);
}

void cas_h5_put_complete(cas_h5 *h, hid_t file) {
  const int complete = 1;
  if (!h->status && H5Fflush(file, H5F_SCOPE_LOCAL) < 0)
    cas_h5_fail(h, "cannot write the results");
  cas_h5_put_attribute(h, file, "complete", CAS_FIELD_INT, &complete);
}

/* ---- the file ---- */

static void *take_image(cas_h5 *h, hid_t file, size_t *size) {
  if (h->status)
    return NULL;
  void *image = NULL;
  ssize_t n = H5Fflush(file, H5F_SCOPE_LOCAL) < 0 ? -1 : H5Fget_file_image(file, NULL, 0);
  if (n > 0 && !(image = malloc((size_t)n)))
    h->status =
        cas_fail(h->err, CAS_NO_MEMORY, "%s: no memory for the %zd bytes of the file.", h->path, n);
  else if (n <= 0 || H5Fget_file_image(file, image, (size_t)n) != n)
    cas_h5_fail(h, "cannot collect the bytes of the file");
  *size = (size_t)(n > 0 ? n : 0);
  return image;
}

/* Of the newer superblocks, which have a checksum, H5Fget_file_image up to HDF5 1.14.6 gives a
   wrong one. The seal guards the file in its stead. */
static hid_t memory_access(cas_h5 *h) {
  hid_t access = cas_h5_access(h);
  if (!h->status && (H5Pset_fapl_core(access, 65536, false) < 0 ||
                     H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_V18) < 0))
    cas_h5_fail(h, "cannot prepare a file in memory");
  return access;
}

static void *build_image(cas_h5 *h, const cas_results *r, size_t *size) {
  hid_t access = memory_access(h);
  hid_t file = cas_h5_create(h, access);
  cas_h5_put_results(h, file, r);
  cas_h5_put_complete(h, file);
  void *image = take_image(h, file, size);
  cas_h5_close_file(h, file);
  cas_h5_close(h, access);
  return image;
}

cas_status cas_results_verify(const cas_results *r, const char *path, cas_error *err) {
  cas_results stored;
  cas_status st = cas_results_read(path, &stored, err);
  if (st)
    return st;
  if (!cas_results_equal(r, &stored))
    st = cas_fail(err, CAS_FILE_ERROR, "%s: what was read back is not what was written.", path);
  cas_results_free(&stored);
  return st ? st : cas_initial_verify(r, path, err);
}

cas_status cas_results_write(const cas_results *r, const char *path, cas_error *err) {
  size_t size = 0;
  char *temporary = cas_temporary_name(path);
  cas_h5 h = cas_h5_begin(path, err);
  void *image = build_image(&h, r, &size);
  cas_status st = cas_h5_end(&h);
  if (!st && !temporary)
    st = cas_fail(err, CAS_NO_MEMORY, "%s: no memory for a file name.", path);
  if (st)
    goto done;
  st = cas_file_write(temporary, CAS_LEFT_RESULTS, path, image, size, err);
  if (st)
    goto done;
  st = cas_seal_append(temporary, 0, NULL, NULL, err);
  if (!st)
    st = cas_results_verify(r, temporary, err);
  if (!st)
    st = cas_file_commit(temporary, path, err);
  if (st)
    unlink(temporary);
done:
  free(temporary);
  free(image);
  return st;
}
