#include "files/input/input.h"

#include "base/hash.h"
#include "base/owned.h"
#include "base/text.h"
#include "language/config/keys.h"

#include <errno.h>
#include <math.h>

enum { KEY_SIZE = 200 };

/* ---- shapes ---- */

size_t cas_array_doubles(const cas_array *a) {
  size_t n = a->is_complex ? 2 : 1;
  for (int i = 0; i < a->rank; i++)
    n *= (size_t)a->dims[i];
  return n;
}

void cas_array_describe(const cas_array *a, char *text, size_t size) {
  snprintf(text, size, "%s", a->rank ? "" : "scalar");
  for (int i = 0; i < a->rank; i++)
    cas_append(text, size, "%s%lld", i ? " x " : "", (long long)a->dims[i]);
  cas_append(text, size, "%s", a->is_complex ? " complex" : "");
}

/* ---- files ---- */

/* Adds to a message about a file the place in the configuration that names it. */
static cas_status fail_at(const cas_config *c, const char *key, cas_status st, const char *text,
                          cas_error *err) {
  cas_error at = {0};
  (void)cas_config_fail(c, &at, key, "%s", text);
  return cas_fail(err, st, "%s", at.text);
}

static cas_status open_here(const cas_config *c, const char *key, const char *file,
                            const char *dataset, cas_open_dataset *out, cas_error *err) {
  cas_error found = {0};
  if (access(file, R_OK)) {
    const int reason = errno;
    CAS_OWNED char *directory = file[0] == '/' ? NULL : getcwd(NULL, 0);
    char path[KEY_SIZE];
    snprintf(path, sizeof path, "%s.file", key);
    (void)cas_fail(&found, reason == ENOENT ? CAS_BAD_INPUT : CAS_FILE_ERROR,
                   "'%s' cannot be opened: %s%s%s", file, strerror(reason),
                   directory ? "; looked for in " : "", directory ? directory : "");
    return fail_at(c, path, found.status, found.text, err);
  }
  cas_status st = cas_dataset_open(file, dataset, out, &found);
  return st ? fail_at(c, key, st, found.text, err) : CAS_OK;
}

/* What is wrong with the file is found by rank 0 first. */
cas_status cas_input_open(const cas_config *c, const char *key, const char *file,
                          const char *dataset, bool everywhere, MPI_Comm comm,
                          cas_open_dataset *out, cas_error *err) {
  int me = 0;
  if (comm != MPI_COMM_SELF)
    MPI_Comm_rank(comm, &me);
  *out = (cas_open_dataset){0};
  CAS_CALL(cas_agree(me == 0 ? open_here(c, key, file, dataset, out, err) : CAS_OK, comm, err));
  cas_bcast(&out->shape, sizeof out->shape, MPI_BYTE, 0, comm);
  if (!everywhere)
    return CAS_OK;
  cas_status st = me > 0 ? open_here(c, key, file, dataset, out, err) : CAS_OK;
  st = cas_agree(st, comm, err);
  if (st)
    cas_dataset_close(out);
  return st;
}

cas_status cas_input_read_part(const cas_config *c, const char *key, const cas_open_dataset *d,
                               const int64_t *first, const int64_t *count, double *values,
                               cas_error *err) {
  cas_error found = {0};
  cas_status st = cas_dataset_read_part(d, first, count, values, &found);
  return st ? fail_at(c, key, st, found.text, err) : CAS_OK;
}

cas_status cas_input_visit_all(const cas_option *table, const char *path, void *values,
                               cas_input_visit *visit, void *context, cas_error *err) {
  char key[KEY_SIZE];
  cas_status st = CAS_OK;
  for (cas_walk w = cas_walk_begin(table); w.option && !st; cas_walk_next(&w)) {
    void *value = (char *)values + w.offset;
    if (w.option->type != CAS_SECTION)
      continue;
    snprintf(key, sizeof key, "%s.%s", path, w.option->key);
    st = w.option->section == cas_array_options
             ? visit(context, key, value, err)
             : cas_input_visit_all(w.option->section, key, value, visit, context, err);
  }
  return st;
}

/* ---- reading ---- */

typedef struct {
  const cas_config *config;
  MPI_Comm comm;
} reader;

/* On rank 0. */
static cas_status read_numbers(const reader *r, const char *key, const cas_open_dataset *d,
                               cas_array_source *a, cas_error *err) {
  const int64_t first[4] = {0};
  char found[128];
  cas_array_describe(&d->shape, found, sizeof found);
  CAS_REFUSE(
      r->config, d->shape.rank == 0 || d->shape.is_complex || cas_array_doubles(&d->shape) == 0,
      key, "dataset %s of %s is %s, must be an array of real numbers", a->dataset, a->file, found);
  a->value = malloc(cas_array_doubles(&d->shape) * sizeof *a->value);
  return a->value ? cas_input_read_part(r->config, key, d, first, d->shape.dims, a->value, err)
                  : cas_no_memory(err);
}

static cas_status check_hash(const reader *r, const char *key, cas_array_source *a, size_t n,
                             cas_error *err) {
  char text[20], path[KEY_SIZE];
  bool failed = false;
  snprintf(text, sizeof text, "%016llx",
           (unsigned long long)cas_hash(CAS_HASH_START, a->value, n * sizeof *a->value));
  snprintf(path, sizeof path, "%s.hash", key);
  CAS_REFUSE(r->config, a->hash && strcmp(a->hash, text) != 0, path,
             "found '%.40s', and dataset %s of %s has %s: its numbers have changed, or are others",
             a->hash, a->dataset, a->file, text);
  if (!a->hash)
    a->hash = cas_text_copy(text, &failed);
  return failed ? cas_no_memory(err) : CAS_OK;
}

static cas_status visit_array(void *context, const char *key, cas_array_source *a, cas_error *err) {
  const reader *r = context;
  CAS_OWNED_BY(cas_dataset_close) cas_open_dataset d = {0};
  if (!a->file && !a->dataset && !a->hash)
    return CAS_OK;
  CAS_REFUSE(r->config, !a->file, key, "'file' is missing (HDF5 file with the numbers)");
  CAS_REFUSE(r->config, a->rows.rows, key, "found both rows and a file; must be one of them");
  CAS_REFUSE(r->config, !a->dataset, key, "'dataset' is missing (the dataset of %s)", a->file);
  CAS_CALL(cas_input_open(r->config, key, a->file, a->dataset, false, r->comm, &d, err));
  CAS_CALL(cas_agree(d.source ? read_numbers(r, key, &d, a, err) : CAS_OK, r->comm, err));
  a->rank = d.shape.rank;
  memcpy(a->dims, d.shape.dims, sizeof a->dims);
  size_t n = cas_array_doubles(&d.shape), bytes = n * sizeof *a->value;
  void *numbers = a->value;
  cas_status st = cas_broadcast(&numbers, &bytes, r->comm, err);
  a->value = numbers;
  CAS_CALL(st);
  for (size_t i = 0; i < n; i++)
    CAS_REFUSE(r->config, !isfinite(a->value[i]), key,
               "dataset %s of %s: number %zu, counted from 0, is not finite", a->dataset, a->file,
               i);
  return check_hash(r, key, a, n, err);
}

cas_status cas_input_read_array(const cas_config *c, const char *key, cas_array_source *a,
                                MPI_Comm comm, cas_error *err) {
  return visit_array(&(reader){c, comm}, key, a, err);
}

cas_status cas_input_read(const cas_config *c, const char *path, const cas_option *table,
                          void *values, MPI_Comm comm, cas_error *err) {
  return cas_input_visit_all(table, path, values, visit_array, &(reader){c, comm}, err);
}

static cas_status free_array(void *context CAS_UNUSED, const char *key CAS_UNUSED,
                             cas_array_source *a, cas_error *err CAS_UNUSED) {
  free(a->value);
  a->value = NULL;
  return CAS_OK;
}

void cas_input_free(const cas_option *table, void *values) {
  cas_error none;
  if (cas_input_visit_all(table, "", values, free_array, NULL, &none))
    return; /* which a visit that cannot fail does not ask for */
}
