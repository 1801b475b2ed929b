/* What paths were given, so that a results file alone can repeat its run: the initial state of all
   paths or of each, and the parameters that each has drawn. */
#include "base/text.h"
#include "files/results/results_file.h"

enum { SETS = 2 };
static const char *const group_name[SETS] = {"initial", "parameters"};

static const cas_given *set_of(const cas_results *r, int i) {
  return i == 0 ? &r->initial : &r->parameters;
}

static size_t doubles(const cas_given *g) {
  const cas_file_dataset *d = &g->dataset;
  size_t n = (d->is_complex ? 2 : 1) * (size_t)(g->paths ? g->paths : 1);
  for (int i = 0; i < d->axes; i++)
    n *= (size_t)d->axis[i].length;
  return n;
}

cas_status cas_results_give(cas_given *g, const cas_file_dataset *d, int64_t paths,
                            const double *value, cas_error *err) {
  bool failed = false;
  g->paths = paths;
  g->dataset = (cas_file_dataset){.name = cas_text_copy(d->name, &failed),
                                  .long_name = cas_text_copy(d->long_name, &failed),
                                  .unit = cas_text_copy(d->unit, &failed),
                                  .axes = d->axes,
                                  .is_complex = d->is_complex,
                                  .components = cas_text_copy(d->components, &failed)};
  for (int i = 0; i < d->axes; i++)
    cas_file_axis_copy(&g->dataset.axis[i], &d->axis[i], &failed);
  size_t bytes = doubles(g) * sizeof *value;
  g->value = malloc(bytes);
  if (failed || !g->value)
    return cas_no_memory(err);
  memcpy(g->value, value, bytes);
  return CAS_OK;
}

void cas_results_given_free(cas_results *r) {
  for (int i = 0; i < SETS; i++) {
    const cas_given *g = set_of(r, i);
    const cas_file_dataset *d = &g->dataset;
    free((char *)d->name);
    free((char *)d->long_name);
    free((char *)d->unit);
    free((char *)d->components);
    for (int k = 0; k < d->axes; k++)
      cas_file_axis_free((cas_file_axis *)&d->axis[k]);
    free(g->value);
  }
}

int64_t cas_results_given_bytes(const cas_results *r) {
  int64_t all = 0;
  for (int i = 0; i < SETS; i++) {
    const cas_given *g = set_of(r, i);
    const cas_file_dataset *d = &g->dataset;
    size_t bytes = g->value ? doubles(g) * sizeof(double) + 4096 : 0;
    all += (int64_t)bytes + 4096 * d->axes + cas_h5_scale_bytes(d);
  }
  return all;
}

void cas_results_put_given(cas_h5 *h, hid_t file, const cas_results *r) {
  for (int i = 0; i < SETS && !h->status; i++) {
    const cas_given *g = set_of(r, i);
    const cas_file_dataset *d = &g->dataset;
    hsize_t dims[3] = {(hsize_t)g->paths};
    const int paths = g->paths > 0;
    if (!g->value)
      continue;
    for (int k = 0; k < d->axes; k++)
      dims[paths + k] = (hsize_t)d->axis[k].length;
    CAS_OWNED_BY(cas_h5_release) hid_t group = cas_h5_group_create(h, file, group_name[i]);
    hid_t type = d->is_complex ? cas_h5_complex_file_type(h, file) : H5T_NATIVE_DOUBLE;
    hid_t dataset =
        cas_h5_dataset_create(h, group, d->name, type, paths + d->axes, dims, H5P_DEFAULT);
    if (!h->status && H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, g->value) < 0)
      cas_h5_fail(h, "cannot write the dataset '%s'", d->name);
    cas_h5_attach_axes(h, dataset, d->name, paths, group, d->axes, d->axis);
    cas_h5_describe(h, dataset, d->long_name, d->unit);
    cas_h5_put_text(h, dataset, "components", d->components);
    cas_h5_close(h, dataset);
    if (d->is_complex)
      cas_h5_close(h, type);
  }
}

cas_status cas_results_given_verify(const cas_results *r, const char *path, cas_error *err) {
  for (int i = 0; i < SETS; i++) {
    const cas_given *g = set_of(r, i);
    char name[300];
    int rank;
    int64_t dims[4], n = 1;
    bool is_complex;
    CAS_OWNED double *stored = NULL;
    if (!g->value)
      continue;
    snprintf(name, sizeof name, "/%s/%s", group_name[i], g->dataset.name);
    CAS_CALL(cas_dataset_read(path, name, 0, -1, &rank, dims, &is_complex, &stored, err));
    for (int k = 0; k < rank; k++)
      n *= dims[k];
    size_t bytes = (size_t)n * (is_complex ? 2 : 1) * sizeof *stored;
    CAS_FAIL_IF(bytes != doubles(g) * sizeof *stored || memcmp(stored, g->value, bytes) != 0,
                CAS_FILE_ERROR, "%s: what was read back is not what was written.", path);
  }
  return CAS_OK;
}
