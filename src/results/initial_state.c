/* The initial state of all paths, or of each path, so that a results file alone can repeat its
   run. */
#include "base/text.h"
#include "results/results_file.h"
#include <stdlib.h>
#include <string.h>

static const char group_name[] = "initial";

static size_t doubles(const cas_results *r) {
  const cas_file_dataset *d = &r->initial;
  size_t n = (d->is_complex ? 2 : 1) * (size_t)(r->initial_paths ? r->initial_paths : 1);
  for (int i = 0; i < d->axes; i++)
    n *= (size_t)d->axis[i].length;
  return n;
}

cas_status cas_results_start(cas_results *r, const cas_file_dataset *d, int64_t paths,
                             const double *value, cas_error *err) {
  bool failed = false;
  r->initial_paths = paths;
  r->initial = (cas_file_dataset){.name = cas_text_copy(d->name, &failed),
                                  .long_name = cas_text_copy(d->long_name, &failed),
                                  .unit = cas_text_copy(d->unit, &failed),
                                  .axes = d->axes,
                                  .is_complex = d->is_complex,
                                  .components = cas_text_copy(d->components, &failed)};
  for (int i = 0; i < d->axes; i++)
    cas_file_axis_copy(&r->initial.axis[i], &d->axis[i], &failed);
  size_t bytes = doubles(r) * sizeof *value;
  r->initial_value = malloc(bytes);
  if (failed || !r->initial_value)
    return cas_no_memory(err);
  memcpy(r->initial_value, value, bytes);
  return CAS_OK;
}

void cas_results_initial_free(cas_results *r) {
  free((char *)r->initial.name);
  free((char *)r->initial.long_name);
  free((char *)r->initial.unit);
  free((char *)r->initial.components);
  for (int i = 0; i < r->initial.axes; i++)
    cas_file_axis_free(&r->initial.axis[i]);
  free(r->initial_value);
}

int64_t cas_results_initial_bytes(const cas_results *r) {
  const cas_file_dataset *d = &r->initial;
  size_t bytes = r->initial_value ? doubles(r) * sizeof(double) + 4096 : 0;
  return (int64_t)bytes + 4096 * d->axes + cas_h5_scale_bytes(d);
}

void cas_results_put_initial(cas_h5 *h, hid_t file, const cas_results *r) {
  const cas_file_dataset *d = &r->initial;
  hsize_t dims[3];
  const int paths = r->initial_paths > 0;
  if (h->status || !r->initial_value)
    return;
  dims[0] = (hsize_t)r->initial_paths;
  for (int i = 0; i < d->axes; i++)
    dims[paths + i] = (hsize_t)d->axis[i].length;
  hid_t group = cas_h5_group_create(h, file, group_name);
  hid_t type = d->is_complex ? cas_h5_complex_file_type(h, file) : H5T_NATIVE_DOUBLE;
  hid_t dataset =
      cas_h5_dataset_create(h, group, d->name, type, paths + d->axes, dims, H5P_DEFAULT);
  if (!h->status && H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, r->initial_value) < 0)
    cas_h5_fail(h, "cannot write the dataset '%s'", d->name);
  cas_h5_attach_axes(h, dataset, d->name, paths, group, d->axes, d->axis);
  cas_h5_describe(h, dataset, d->long_name, d->unit);
  cas_h5_put_text(h, dataset, "components", d->components);
  cas_h5_close(h, dataset);
  if (d->is_complex)
    cas_h5_close(h, type);
  cas_h5_close(h, group);
}

cas_status cas_results_initial_verify(const cas_results *r, const char *path, cas_error *err) {
  char name[300];
  int rank;
  int64_t dims[4], n = 1;
  bool is_complex;
  double *stored;
  if (!r->initial_value)
    return CAS_OK;
  snprintf(name, sizeof name, "/%s/%s", group_name, r->initial.name);
  cas_status st = cas_dataset_read(path, name, &rank, dims, &is_complex, &stored, err);
  if (st)
    return st;
  for (int i = 0; i < rank; i++)
    n *= dims[i];
  size_t bytes = (size_t)n * (is_complex ? 2 : 1) * sizeof *stored;
  if (bytes != doubles(r) * sizeof *stored || memcmp(stored, r->initial_value, bytes) != 0)
    st = cas_fail(err, CAS_FILE_ERROR, "%s: what was read back is not what was written.", path);
  free(stored);
  return st;
}
