/* Results to HDF5. A results file is small: it is built in memory and written by plain writes, so
   that HDF5 never holds a file that it cannot flush and every failure has the system's reason. */
#include "base/text.h"
#include "files/results/result.h"
#include "files/results/results_file.h"
#include "files/safe_file.h"

/* Writes a column with a number for each step size, and for the reference where extra is 1. */
static void put_by_step(cas_h5 *h, hid_t group, const cas_field *column, const cas_results *r,
                        int extra, const void *data) {
  cas_file_axis steps = cas_table_step_axis(r->levels, extra);
  CAS_OWNED double *memory = cas_table_step_fill(h, r, 1, &steps);
  hid_t scale = cas_h5_axis_scale(h, group, &steps);
  cas_h5_put_column(h, group, column, r->levels + extra, data, scale);
  cas_h5_close(h, scale);
}

static void put_levels(cas_h5 *h, hid_t file, const cas_results *r) {
  static const cas_field columns[] = {
      CAS_FIELD_COLUMN(cas_results, INT64, "steps", steps, 0, "number of steps to the horizon",
                       "1"),
      CAS_FIELD_COLUMN(cas_results, INT64, "N", size, 1, "size of the system, the reference last",
                       "1"),
      CAS_FIELD_COLUMN(cas_results, REAL, "time_step", time_step, 1,
                       "step size, the reference last", "time_unit"),
      {0}};
  const int n = r->levels;
  CAS_OWNED_BY(cas_h5_release) hid_t group = cas_h5_group_create(h, file, "levels");
  for (const cas_field *f = columns; f->name; f++)
    if (r->step && cas_field_array(f, r) && n + f->extra > 0)
      put_by_step(h, group, f, r, f->extra, cas_field_array(f, r));
  if (r->step)
    cas_h5_put_attribute(h, group, "reference_step", CAS_FIELD_REAL, &r->step[n]);
  if (r->steps)
    cas_h5_put_attribute(h, group, "reference_steps", CAS_FIELD_INT64, &r->steps[n]);
}

static void put_iterations_mean(cas_h5 *h, hid_t group, const cas_results *r) {
  const cas_health *health = &r->health;
  const cas_field column = {.name = "iterations_mean",
                            .type = CAS_FIELD_REAL,
                            .long_name = "mean fixed-point iterations of a step",
                            .units = "1"};
  CAS_OWNED double *mean = malloc((size_t)health->levels * sizeof *mean);
  if (!mean) {
    cas_h5_no_memory(h);
    return;
  }
  for (int l = 0; l < health->levels; l++)
    mean[l] =
        health->steps_taken[l] ? (double)health->iterations[l] / (double)health->steps_taken[l] : 0;
  put_by_step(h, group, &column, r, 1, mean);
}

static void put_health(cas_h5 *h, hid_t file, const cas_results *r) {
  const cas_health *health = &r->health;
  CAS_OWNED_BY(cas_h5_release) hid_t group = cas_h5_group_create(h, file, "health");
  for (const cas_field *f = cas_health_columns; f->name; f++)
    put_by_step(h, group, f, r, 1, cas_field_array(f, health));
  for (const cas_field *f = cas_health_numbers; f->name; f++)
    cas_h5_put_column(h, group, f, 0, (const char *)health + f->offset, H5I_INVALID_HID);
  cas_h5_put_text(h, group, "on_failure", cas_on_failure_names[health->on_failure]);
  cas_h5_put_attribute(h, group, "left_out_paths", CAS_FIELD_INT64, &health->left_out_paths);
  if (health->first_failed_quantity[0]) {
    cas_h5_put_text(h, group, "first_failed_quantity", health->first_failed_quantity);
    cas_h5_put_attribute(h, group, "first_failed_time", CAS_FIELD_REAL, &health->first_failed_time);
  }
  const int n = cas_failed_named(health->failed_paths);
  if (!h->status && n > 0) /* a scale of itself */
    cas_h5_close(h, cas_h5_put_scale(h, group, "failed_path_numbers",
                                     "paths that failed, the first of them", "1", H5T_STD_I64LE,
                                     H5T_NATIVE_INT64, n, health->failed_path_numbers));
  if (!h->status)
    put_iterations_mean(h, group, r);
}

/* Tables are in the file already: statistics and paths that ranks have written there themselves are
   read from it, as the result is concluded from them, too. */
static void put_result(cas_h5 *h, hid_t file, const cas_results *r) {
  const cas_ensemble *e = cas_results_ensemble(r);
  cas_results whole = *r;
  CAS_OWNED_BY(cas_frame_free) cas_frame own = {0};
  if (e && e->apart) {
    whole.tables = 0;
    whole.table = NULL;
    cas_tables_get(h, file, &whole);
  }
  const cas_frame *f = h->status ? NULL : cas_result_of(&whole, &own, h->err);
  if (f == &own)
    cas_result_take_recorded(h, file, r->provenance.paths, &own);
  if (f)
    cas_frame_put(h, file, "result", f);
  else
    cas_h5_no_memory(h);
  if (whole.table != r->table)
    cas_tables_free(&whole);
}

void cas_results_put(cas_h5 *h, hid_t file, const cas_results *r) {
  if (r->levels < 0 || r->health.levels != r->levels + 1)
    cas_h5_refuse(h, "the health counts %d levels; with %d levels and the reference it must be %d",
                  r->health.levels, r->levels, r->levels + 1);
  cas_h5_put_text(h, file, "Conventions", "CF-1.10"); /* as far as these speak of such data */
  cas_h5_put_fields(h, file, cas_provenance_fields, &r->provenance);
  if (r->provenance.alone)
    cas_h5_put_attribute(h, file, "path", CAS_FIELD_INT64, &r->provenance.path);
  put_levels(h, file, r);
  cas_tables_put(h, file, r);
  put_result(h, file, r);
  put_health(h, file, r);
  cas_results_put_given(h, file, r);
  if (r->restart_size) {
    /* Bytes of their own form (checkpoint.c), for longer runs to go on from. In a group of their
       own, and a scale of themselves: readers of netCDF open no group that has an axis without
       one. */
    CAS_OWNED_BY(cas_h5_release) hid_t group = cas_h5_group_create(h, file, "restart");
    cas_h5_close(h, cas_h5_put_scale(h, group, "bytes", "what a longer run goes on from", "1",
                                     H5T_STD_U8LE, H5T_NATIVE_UINT8, (int64_t)r->restart_size,
                                     r->restart));
  }
}

void cas_results_put_complete(cas_h5 *h, hid_t file) {
  const int complete = 1;
  if (!h->status && H5Fflush(file, H5F_SCOPE_LOCAL) < 0)
    cas_h5_fail(h, "cannot write the results");
  cas_h5_put_attribute(h, file, "complete", CAS_FIELD_INT, &complete);
}

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

hid_t cas_results_in_memory(cas_h5 *h, const cas_results *r) {
  /* The oldest superblock, which has no checksum: of newer ones H5Fget_file_image up to HDF5 1.14.6
     gives a wrong one. The seal guards the file in its stead. */
  hid_t access = cas_h5_access(h);
  if (!h->status && (H5Pset_fapl_core(access, 65536, false) < 0 ||
                     H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_V18) < 0))
    cas_h5_fail(h, "cannot prepare a file in memory");
  hid_t file = cas_h5_create(h, access);
  cas_results_put(h, file, r);
  cas_results_put_complete(h, file);
  cas_h5_close(h, access);
  return file;
}

cas_status cas_results_verify(const cas_results *r, const char *path, cas_error *err) {
  CAS_OWNED_BY(cas_results_free) cas_results stored;
  CAS_CALL(cas_results_read(path, &stored, err));
  CAS_FAIL_IF(!cas_results_equal(r, &stored), CAS_FILE_ERROR,
              "%s: what was read back is not what was written.", path);
  return cas_results_given_verify(r, path, err);
}

cas_status cas_results_write(const cas_results *r, const char *path, cas_error *err) {
  CAS_LOCALE_OF_C;
  size_t size = 0;
  CAS_OWNED char *temporary = cas_file_temporary_name(path);
  CAS_NEED(temporary);
  cas_h5 h = cas_h5_begin(path, err);
  hid_t file = cas_results_in_memory(&h, r);
  CAS_OWNED void *image = take_image(&h, file, &size);
  cas_h5_close_file(&h, file);
  CAS_CALL(cas_h5_end(&h));
  CAS_CALL(cas_file_write(temporary, CAS_LEFTOVER_RESULTS, path, image, size, err));
  cas_status st = cas_seal_append(temporary, 0, NULL, NULL, err);
  if (!st)
    st = cas_results_verify(r, temporary, err);
  if (!st)
    st = cas_file_commit(temporary, path, err);
  if (st)
    unlink(temporary);
  return st;
}
