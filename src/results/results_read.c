/* HDF5 to results. */
#include "files/checkpoint.h"
#include "files/probe.h"
#include "hdf5/hdf5_impl.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* files of version 0.1.0 lack them */
static void get_timing(cas_h5 *h, hid_t file, cas_provenance *p) {
  if (cas_h5_has_attribute(h, file, cas_timing_fields[0].name))
    cas_h5_get_fields(h, file, "", cas_timing_fields, p);
}

static void get_levels(cas_h5 *h, hid_t file, cas_results *r) {
  hid_t group = cas_h5_group_open(h, file, "levels");
  int n = r->levels = cas_h5_length(h, group, "step");
  if (h->status || group < 0 || !cas_h5_has_attribute(h, group, "reference_step"))
    goto done;
  r->step = calloc((size_t)n + 1, sizeof *r->step);
  r->steps = calloc((size_t)n + 1, sizeof *r->steps);
  if (!r->step || !r->steps) {
    h->status = cas_fail(h->err, CAS_NO_MEMORY, "%s: no memory for %d levels.", h->path, n);
    goto done;
  }
  if (n > 0) {
    cas_h5_get_column(h, group, "step", CAS_FIELD_REAL, n, r->step);
    cas_h5_get_column(h, group, "steps", CAS_FIELD_INT64, n, r->steps);
  }
  cas_h5_get_attribute(h, group, "reference_step", CAS_FIELD_REAL, &r->step[n]);
  cas_h5_get_attribute(h, group, "reference_steps", CAS_FIELD_INT64, &r->steps[n]);
done:
  cas_h5_close(h, group);
}

static cas_curve *add_curve(cas_h5 *h, cas_results *r, cas_error_kind kind, const char *name) {
  if (r->levels < 1 || strlen(name) >= sizeof r->curve->name) {
    cas_h5_refuse(h, "the curve '%.100s' %s", name,
                  r->levels < 1 ? "has no levels" : "has a name too long for any curve");
    return NULL;
  }
  cas_curve *curve = realloc(r->curve, ((size_t)r->curves + 1) * sizeof *curve);
  if (!curve) {
    h->status = cas_fail(h->err, CAS_NO_MEMORY, "%s: no memory for a curve.", h->path);
    return NULL;
  }
  r->curve = curve;
  h->status = cas_curve_init(&curve[r->curves], kind, name, r->levels, h->err);
  return h->status ? NULL : &curve[r->curves++];
}

static void get_unit(cas_h5 *h, hid_t group, const char *suffix, cas_curve *c) {
  char name[160], *unit = NULL;
  snprintf(name, sizeof name, "%s%s", cas_curve_columns[0].name, suffix);
  hid_t error = cas_h5_dataset_open(h, group, name);
  if (!h->status)
    cas_h5_get_attribute(h, error, "units", CAS_FIELD_TEXT, &unit);
  snprintf(c->unit, sizeof c->unit, "%s", unit ? unit : "1");
  free(unit);
  cas_h5_close(h, error);
}

static void get_curve(cas_h5 *h, hid_t group, cas_results *r, cas_error_kind kind,
                      const char *name) {
  const char *suffix = kind == CAS_STRONG ? name + strlen("error") : "";
  char prefix[80] = "";
  cas_curve *c = add_curve(h, r, kind, name);
  if (!c)
    return;
  if (*suffix)
    snprintf(prefix, sizeof prefix, "%s_", suffix + 1);
  cas_h5_get_laws(h, group, prefix, &c->laws);
  cas_h5_get_columns(h, group, suffix, cas_curve_columns, r->levels, c);
  get_unit(h, group, suffix, c);
  cas_h5_get_fields(h, group, prefix, cas_curve_numbers, c);
  if (kind == CAS_WEAK)
    cas_h5_get_extrapolation(h, group, &c->extrapolated);
  cas_h5_get_bound(h, group, prefix, &c->bias_bound);
  cas_h5_get_verdict(h, group, prefix, &c->findings, c->verdict, sizeof c->verdict);
}

static void get_strong(cas_h5 *h, hid_t file, cas_results *r) {
  int n;
  hid_t group = cas_h5_group_open(h, file, "strong");
  char **name = cas_h5_names(h, group, &n);
  for (int i = 0; i < n && !h->status; i++)
    if (!strcmp(name[i], "error") || !strncmp(name[i], "error_", strlen("error_")))
      get_curve(h, group, r, CAS_STRONG, name[i]);
  cas_names_free(name, n);
  cas_h5_close(h, group);
}

static void get_weak(cas_h5 *h, hid_t file, cas_results *r) {
  int n;
  hid_t group = cas_h5_group_open(h, file, "weak");
  char **name = cas_h5_names(h, group, &n);
  for (int i = 0; i < n && !h->status; i++) {
    hid_t functional = cas_h5_group_open(h, group, name[i]);
    if (!h->status)
      get_curve(h, functional, r, CAS_WEAK, name[i]);
    cas_h5_close(h, functional);
  }
  cas_names_free(name, n);
  cas_h5_close(h, group);
}

static int policy_of(const char *name) {
  int i = 0;
  while (name && cas_on_failure_names[i] && strcmp(cas_on_failure_names[i], name) != 0)
    i++;
  return name && cas_on_failure_names[i] ? i : CAS_ON_FAILURE_DROP;
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
  health->on_failure = policy_of(name);
  free(name);
}

/* Of earlier files, and where none failed, there are no numbers. */
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
  if (!h->status)
    cas_h5_get_columns(h, group, "", cas_health_columns, r->levels + 1, &r->health);
  for (const cas_field *f = cas_health_numbers; f->name && !h->status; f++)
    cas_h5_get_column(h, group, f->name, f->type, 0, (char *)&r->health + f->offset);
  if (!h->status)
    get_failed_numbers(h, group, &r->health);
  get_policy(h, group, &r->health);
  cas_h5_close(h, group);
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

/* If the file cannot be opened at all, the system's reason, which HDF5 hides. */
static cas_status check_is_hdf5(const char *path, cas_error *err) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0 || close(fd))
    return cas_fail(err, CAS_FILE_ERROR, "%s: cannot be read: %s.", path, strerror(errno));
  htri_t is = H5Fis_hdf5(path);
  if (is == 0)
    return cas_fail(err, CAS_FILE_ERROR, "%s: is not an HDF5 file.", path);
  return is > 0 ? CAS_OK : cas_fail(err, CAS_FILE_ERROR, "%s: HDF5 cannot read it.", path);
}

static bool unsealed_accepted;

void cas_unsealed_accept(bool accept) { unsealed_accepted = accept; }

/* Those of other programs have no seal. */
static cas_status check_unsealed(const char *path, cas_error *err) {
  cas_probe_result found = cas_probe(path);
  if (found == CAS_PROBE_CRASHED)
    return cas_fail(err, CAS_FILE_ERROR,
                    "%s: is damaged: a trial to read it with HDF5 did not come to an end.", path);
  if (found == CAS_PROBE_CASIMIR && !unsealed_accepted)
    return cas_fail(err, CAS_FILE_ERROR,
                    "%s: was written by casimir, and its seal is missing: it was cut off, or the "
                    "file was changed since. --unsealed reads it all the same, and whatever is "
                    "in it.",
                    path);
  return CAS_OK;
}

hid_t cas_h5_open_sealed(cas_h5 *h, cas_seal **seal) {
  *seal = NULL;
  if (!h->status)
    h->status = check_is_hdf5(h->path, h->err);
  if (!h->status)
    h->status = cas_seal_open(h->path, seal, h->err);
  if (!h->status && !cas_seal_is(*seal))
    h->status = check_unsealed(h->path, h->err);
  return h->status ? H5I_INVALID_HID : cas_h5_open(h, H5F_ACC_RDONLY);
}

hid_t cas_h5_open_checked(cas_h5 *h) {
  cas_seal *seal;
  hid_t file = cas_h5_open_sealed(h, &seal);
  cas_seal_close(seal);
  return file;
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
  if (!h.status)
    get_timing(&h, file, &r->provenance);
  r->provenance.alone = file >= 0 && cas_h5_has_attribute(&h, file, "path");
  if (r->provenance.alone)
    cas_h5_get_attribute(&h, file, "path", CAS_FIELD_INT64, &r->provenance.path);
  get_levels(&h, file, r);
  get_strong(&h, file, r);
  get_weak(&h, file, r);
  r->ensemble = cas_h5_get_ensemble(&h, file);
  r->multilevel = cas_h5_get_multilevel(&h, file, r->levels);
  r->mlmc = cas_h5_get_mlmc(&h, file, r->levels + 1);
  get_health(&h, file, r);
  cas_h5_close_file(&h, file);
  cas_status st = cas_h5_end(&h);
  if (st)
    cas_results_free(r);
  return st;
}

static void get_restart(cas_h5 *h, hid_t file, cas_sections *s) {
  static const char name[] = "restart/bytes";
  hid_t dataset = cas_h5_dataset_open(h, file, name);
  hid_t space = dataset < 0 ? H5I_INVALID_HID : H5Dget_space(dataset);
  hssize_t n = space < 0 ? -1 : H5Sget_simple_extent_npoints(space);
  if (!h->status && n < 0)
    cas_h5_fail(h, "cannot read the shape of '%s'", name);
  if (!h->status && !(s->bytes = malloc((size_t)n + 1)))
    h->status =
        cas_fail(h->err, CAS_NO_MEMORY, "%s: no memory for %lld bytes.", h->path, (long long)n);
  if (!h->status && H5Dread(dataset, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, s->bytes) < 0)
    cas_h5_fail(h, "cannot read the dataset '%s'", name);
  s->size = s->room = h->status ? 0 : (size_t)n;
  cas_h5_close(h, space);
  cas_h5_close(h, dataset);
}

cas_status cas_results_restart_read(const char *path, cas_sections *s, cas_error *err) {
  *s = (cas_sections){0};
  cas_h5 h = cas_h5_begin(path, err);
  hid_t file = cas_h5_open_checked(&h);
  bool left = !h.status && H5Lexists(file, "restart", H5P_DEFAULT) > 0;
  if (left && cas_h5_is_group(&h, file, "restart"))
    get_restart(&h, file, s);
  else if (left)
    cas_h5_refuse(&h, "what it would go on from is laid out as an earlier casimir did");
  cas_h5_close_file(&h, file);
  cas_status st = cas_h5_end(&h);
  if (st)
    cas_sections_free(s);
  return st;
}
