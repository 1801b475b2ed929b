/* HDF5 to results. */
#include "files/checkpoint.h"
#include "files/hdf5/probe.h"
#include "files/results/result.h"
#include "files/results/results_file.h"
#include "files/safe_file.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void get_levels(cas_h5 *h, hid_t file, cas_results *r) {
  hid_t group = cas_h5_group_open(h, file, "levels");
  int n = r->levels = cas_h5_length(h, group, "step");
  if (h->status || group < 0 || !cas_h5_has_attribute(h, group, "reference_step"))
    goto done;
  r->step = calloc((size_t)n + 1, sizeof *r->step);
  r->steps = calloc((size_t)n + 1, sizeof *r->steps);
  if (!r->step || !r->steps) {
    cas_h5_no_memory(h);
    goto done;
  }
  if (n > 0) {
    cas_h5_get_column(h, group, "step", CAS_FIELD_REAL, n, r->step);
    cas_h5_get_column(h, group, "steps", CAS_FIELD_INT64, n, r->steps);
  }
  if (cas_h5_has_dataset(h, group, "time_step")) {
    r->time_step = calloc((size_t)n + 1, sizeof *r->time_step);
    r->size = calloc((size_t)n + 1, sizeof *r->size);
    if (r->time_step && r->size) {
      cas_h5_get_column(h, group, "time_step", CAS_FIELD_REAL, n + 1, r->time_step);
      cas_h5_get_column(h, group, "N", CAS_FIELD_INT64, n + 1, r->size);
    } else {
      cas_h5_no_memory(h);
    }
  }
  cas_h5_get_attribute(h, group, "reference_step", CAS_FIELD_REAL, &r->step[n]);
  cas_h5_get_attribute(h, group, "reference_steps", CAS_FIELD_INT64, &r->steps[n]);
done:
  cas_h5_close(h, group);
}

/* Files without them are of runs that left out all that failed. */
static void get_policy(cas_h5 *h, hid_t group, cas_health *health) {
  char *name = NULL;
  health->left_out_paths = health->failed_paths;
  if (!cas_h5_has_attribute(h, group, "left_out_paths"))
    return;
  cas_h5_get_attribute(h, group, "left_out_paths", CAS_FIELD_INT64, &health->left_out_paths);
  if (!h->status)
    cas_h5_get_attribute(h, group, "on_failure", CAS_FIELD_TEXT, &name);
  int i = 0;
  while (name && cas_on_failure_names[i] && strcmp(cas_on_failure_names[i], name) != 0)
    i++;
  health->on_failure = name && cas_on_failure_names[i] ? i : CAS_ON_FAILURE_DROP;
  free(name);
}

/* A file has it only where a quantity failed that has a name. */
static void get_failed_quantity(cas_h5 *h, hid_t group, cas_health *health) {
  char *name = NULL;
  if (h->status || !cas_h5_has_attribute(h, group, "first_failed_quantity"))
    return;
  cas_h5_get_attribute(h, group, "first_failed_quantity", CAS_FIELD_TEXT, &name);
  cas_h5_get_attribute(h, group, "first_failed_time", CAS_FIELD_REAL, &health->first_failed_time);
  snprintf(health->first_failed_quantity, sizeof health->first_failed_quantity, "%s",
           name ? name : "");
  free(name);
}

/* Reads the numbers of failed paths. Earlier files have none, nor do those where no path failed. */
static void get_failed_numbers(cas_h5 *h, hid_t group, cas_health *health) {
  static const char name[] = "failed_path_numbers";
  int n = cas_h5_length(h, group, name);
  if (n > CAS_FAILED_NAMED)
    cas_h5_refuse(h, "'health/%s' has %d numbers, of which there are %d at most", name, n,
                  CAS_FAILED_NAMED);
  if (!h->status && n > 0)
    cas_h5_get_column(h, group, name, CAS_FIELD_INT64, n, health->failed_path_numbers);
}

static void get_health(cas_h5 *h, hid_t file, cas_results *r) {
  hid_t group = cas_h5_group_open(h, file, "health");
  if (h->status)
    return;
  if (group < 0) {
    cas_h5_refuse(h, "the group 'health' is missing");
    return;
  }
  h->status = cas_health_init(&r->health, r->levels + 1, h->err);
  for (const cas_field *f = cas_health_columns; f->name && !h->status; f++)
    if (!f->optional || cas_h5_has_dataset(h, group, f->name))
      cas_h5_get_column(h, group, f->name, f->type, r->levels + 1, cas_field_array(f, &r->health));
  for (const cas_field *f = cas_health_numbers; f->name && !h->status; f++)
    cas_h5_get_column(h, group, f->name, f->type, 0, (char *)&r->health + f->offset);
  if (!h->status)
    get_failed_numbers(h, group, &r->health);
  get_failed_quantity(h, group, &r->health);
  get_policy(h, group, &r->health);
  cas_h5_close(h, group);
}

/* Files of earlier versions have none. */
static void get_result(cas_h5 *h, hid_t file, cas_results *r) {
  if (h->status)
    return;
  r->result = calloc(1, sizeof *r->result);
  if (!r->result)
    cas_h5_no_memory(h);
  else if (!cas_frame_get(h, file, "result", cas_result_columns, sizeof(cas_result_row),
                          r->result)) {
    free(r->result);
    r->result = NULL;
  }
}

static void get_complete(cas_h5 *h, hid_t file, cas_results *r) {
  int complete = 0;
  if (h->status)
    return;
  if (!cas_h5_has_attribute(h, file, "casimir_version"))
    cas_h5_refuse(h, "is an HDF5 file but not a results file of casimir: the attribute "
                     "'casimir_version' is missing");
  if (cas_h5_has_attribute(h, file, "complete"))
    cas_h5_get_attribute(h, file, "complete", CAS_FIELD_INT, &complete);
  r->complete = complete == 1;
  if (!r->complete)
    cas_h5_refuse(h, "is not complete: the run that wrote it did not finish");
}

cas_status cas_results_check(const char *path, cas_error *err) {
  return cas_seal_check(path, true, err);
}

cas_status cas_results_read(const char *path, cas_results *r, cas_error *err) {
  memset(r, 0, sizeof *r);
  cas_h5 h = cas_h5_begin(path, err);
  hid_t file = cas_h5_open_checked(&h);
  get_complete(&h, file, r);
  if (!h.status)
    cas_h5_get_fields(&h, file, "", cas_provenance_fields, &r->provenance);
  r->provenance.alone = file >= 0 && cas_h5_has_attribute(&h, file, "path");
  if (r->provenance.alone)
    cas_h5_get_attribute(&h, file, "path", CAS_FIELD_INT64, &r->provenance.path);
  get_result(&h, file, r);
  get_levels(&h, file, r);
  cas_tables_get(&h, file, r);
  get_health(&h, file, r);
  cas_h5_close_file(&h, file);
  cas_status st = cas_h5_end(&h);
  if (st)
    cas_results_free(r);
  return st;
}

cas_status cas_results_restart_read(const char *path, cas_sections *s, cas_error *err) {
  *s = (cas_sections){0};
  cas_h5 h = cas_h5_begin(path, err);
  hid_t file = cas_h5_open_checked(&h);
  bool left = !h.status && H5Lexists(file, "restart", H5P_DEFAULT) > 0;
  if (left && cas_h5_is_group(&h, file, "restart")) {
    static const char name[] = "restart/bytes";
    hid_t dataset = cas_h5_dataset_open(&h, file, name);
    hid_t space = dataset < 0 ? H5I_INVALID_HID : H5Dget_space(dataset);
    hssize_t n = space < 0 ? -1 : H5Sget_simple_extent_npoints(space);
    if (!h.status && n < 0)
      cas_h5_fail(&h, "cannot read the shape of '%s'", name);
    if (!h.status && !(s->bytes = malloc((size_t)n + 1)))
      cas_h5_no_memory(&h);
    if (!h.status &&
        H5Dread(dataset, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, s->bytes) < 0)
      cas_h5_fail(&h, "cannot read the dataset '%s'", name);
    s->size = s->capacity = h.status ? 0 : (size_t)n;
    cas_h5_close(&h, space);
    cas_h5_close(&h, dataset);
  } else if (left)
    cas_h5_refuse(&h, "what it would go on from is laid out as an earlier casimir did");
  cas_h5_close_file(&h, file);
  cas_status st = cas_h5_end(&h);
  if (st)
    cas_sections_free(s);
  return st;
}

cas_status cas_results_replaceable(const char *path, bool again, cas_error *err) {
  cas_error why = {0};
  if (!cas_file_present(path))
    return CAS_OK;
  cas_h5 h = cas_h5_begin(path, &why);
  hid_t file = cas_h5_open_checked(&h);
  bool ours = cas_h5_has_attribute(&h, file, "casimir_version");
  cas_h5_close_file(&h, file);
  bool damaged = again && H5Fis_hdf5(path) > 0;
  cas_status st = cas_h5_end(&h);
  if (st ? damaged : ours)
    return CAS_OK;
  return cas_fail(err, CAS_BAD_INPUT,
                  "%s%s Only results of casimir are replaced: remove it, or choose another output.",
                  st ? why.text : path, st ? "" : ": is not one of casimir's results.");
}
