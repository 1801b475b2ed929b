/* HDF5 to results. */
#include "base/name_list.h"
#include "files/results/result.h"
#include "files/results/results_file.h"
#include "files/safe_file.h"

/* Numbers of all levels but the reference, with memory for it; of all where `extra` is 1. */
static void *get_by_level(cas_h5 *h, hid_t group, const char *name, cas_field_type type, int levels,
                          int extra) {
  void *numbers = calloc((size_t)levels + 1, cas_field_size(type));
  if (!numbers)
    cas_h5_no_memory(h);
  if (!h->status && levels + extra > 0)
    cas_h5_get_column(h, group, name, type, levels + extra, numbers);
  return numbers;
}

static void get_levels(cas_h5 *h, hid_t file, cas_results *r) {
  CAS_OWNED_BY(cas_h5_release) hid_t group = cas_h5_group_open(h, file, "levels");
  const int n = r->levels = cas_h5_length(h, group, "step");
  if (h->status || group < 0 || !cas_h5_has_attribute(h, group, "reference_step"))
    return;
  r->step = get_by_level(h, group, "step", CAS_FIELD_REAL, n, 0);
  r->steps = get_by_level(h, group, "steps", CAS_FIELD_INT64, n, 0);
  if (cas_h5_has_dataset(h, group, "time_step")) {
    r->time_step = get_by_level(h, group, "time_step", CAS_FIELD_REAL, n, 1);
    r->size = get_by_level(h, group, "N", CAS_FIELD_INT64, n, 1);
  }
  if (h->status)
    return;
  cas_h5_get_attribute(h, group, "reference_step", CAS_FIELD_REAL, &r->step[n]);
  cas_h5_get_attribute(h, group, "reference_steps", CAS_FIELD_INT64, &r->steps[n]);
}

/* Files without a policy are of runs that left out all paths that failed. */
static void get_policy(cas_h5 *h, hid_t group, cas_health *health) {
  char name[32];
  health->left_out_paths = health->failed_paths;
  if (!cas_h5_has_attribute(h, group, "left_out_paths"))
    return;
  cas_h5_get_attribute(h, group, "left_out_paths", CAS_FIELD_INT64, &health->left_out_paths);
  cas_h5_get_words(h, group, "on_failure", name, sizeof name);
  const int policy = cas_name_list_find(cas_on_failure_names, name);
  health->on_failure = policy < 0 ? CAS_ON_FAILURE_DROP : policy;
}

/* A file has a failed quantity only where that has a name. */
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

static void get_health(cas_h5 *h, hid_t file, cas_results *r) {
  CAS_OWNED_BY(cas_h5_release) hid_t group = cas_h5_group_open(h, file, "health");
  if (group < 0)
    cas_h5_refuse(h, "the group 'health' is missing");
  if (!h->status)
    h->status = cas_health_init(&r->health, r->levels + 1, h->err);
  for (const cas_field *f = cas_health_columns; f->name && !h->status; f++)
    if (!f->optional || cas_h5_has_dataset(h, group, f->name))
      cas_h5_get_column(h, group, f->name, f->type, r->levels + 1, cas_field_array(f, &r->health));
  for (const cas_field *f = cas_health_numbers; f->name && !h->status; f++)
    cas_h5_get_column(h, group, f->name, f->type, 0, (char *)&r->health + f->offset);
  /* Earlier files have no numbers of failed paths, nor do those where no path failed. */
  const int n = cas_h5_length(h, group, "failed_path_numbers");
  if (n > CAS_FAILED_NAMED)
    cas_h5_refuse(h, "'health/failed_path_numbers' has %d numbers, of which there are %d at most",
                  n, CAS_FAILED_NAMED);
  if (!h->status && n > 0)
    cas_h5_get_column(h, group, "failed_path_numbers", CAS_FIELD_INT64, n,
                      r->health.failed_path_numbers);
  get_failed_quantity(h, group, &r->health);
  get_policy(h, group, &r->health);
}

/* Files of earlier versions have no result. */
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
  if (!cas_h5_has_attribute(h, file, "casimir_version"))
    cas_h5_refuse(h, "is an HDF5 file but not a results file of casimir: the attribute "
                     "'casimir_version' is missing");
  if (cas_h5_has_attribute(h, file, "complete"))
    cas_h5_get_attribute(h, file, "complete", CAS_FIELD_INT, &complete);
  r->complete = complete == 1;
  if (!r->complete)
    cas_h5_refuse(h, "is not complete: the run that wrote it did not finish");
}

cas_status cas_results_check(const char *path, cas_error *err) { return cas_seal_check(path, err); }

cas_status cas_results_read(const char *path, cas_results *r, cas_error *err) {
  memset(r, 0, sizeof *r);
  cas_h5 h = cas_h5_begin(path, err);
  hid_t file = cas_h5_open_checked(&h);
  get_complete(&h, file, r);
  if (!h.status)
    cas_h5_get_fields(&h, file, cas_provenance_fields, &r->provenance);
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
  if (!h.status && cas_h5_has_dataset(&h, file, "restart")) {
    static const char name[] = "restart/bytes";
    hsize_t dims[4] = {0};
    if (!cas_h5_is_group(&h, file, "restart"))
      cas_h5_refuse(&h, "what it would go on from is laid out as an earlier casimir did");
    CAS_OWNED_BY(cas_h5_release) hid_t dataset = cas_h5_dataset_open(&h, file, name);
    if (cas_h5_shape(&h, file, name, dims) != 1)
      cas_h5_refuse(&h, "'%s' are not in a row", name);
    if (!h.status && !(s->bytes = malloc(dims[0] + 1)))
      cas_h5_no_memory(&h);
    if (!h.status &&
        H5Dread(dataset, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, s->bytes) < 0)
      cas_h5_fail(&h, "cannot read the dataset '%s'", name);
    s->size = s->capacity = h.status ? 0 : dims[0];
  }
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
  CAS_FAIL_IF(!(st ? damaged : ours), CAS_BAD_INPUT,
              "%s%s Only results of casimir are replaced: remove it, or choose another output.",
              st ? why.text : path, st ? "" : ": is not one of casimir's results.");
  return CAS_OK;
}
