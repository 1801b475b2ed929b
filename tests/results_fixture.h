/* Results with every kind of value in them, for tests of files. */
#ifndef CASIMIR_RESULTS_FIXTURE_H
#define CASIMIR_RESULTS_FIXTURE_H

#include "files/results/results_file.h"
#include "files/results/table.h"
#include "studies/curve.h"

#include "suite.h"

#include <casimir/trajectory.h>
#include <hdf5.h>
#include <hdf5_hl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define assert_says(err, words) \
  ck_assert_msg(strstr((err).text, words), "'%s' does not say '%s'", (err).text, words)

static inline cas_provenance make_provenance(void) {
  return (cas_provenance){.casimir.version = strdup("0.1.0"),
                          .casimir.commit = strdup("0123abc"),
                          .configuration = strdup("system:\n  name: rigid_body # µ\n"),
                          .generator = strdup("sprng_mlfg"),
                          .system = strdup("rigid_body"),
                          .integrator = strdup("isospectral_midpoint"),
                          .study = strdup("convergence"),
                          .blas = strdup(""), /* kernels stay NULL */
                          .started = strdup("2024-01-01T00:00:00Z"),
                          .seed = INT64_MIN,
                          .paths = 10000000000,
                          .ranks = 4,
                          .lanes = 64,
                          .seconds.elapsed = 0.1};
}

static inline void fill_reals(double *x, int n, double seed) {
  for (int i = 0; i < n; i++)
    x[i] = seed / (3 + i);
}

/* Every law with numbers of its own. */
static inline void make_laws(cas_laws *l) {
  cas_laws_clear(l);
  for (int i = 0; i < CAS_LAWS; i++)
    l->law[i] = (cas_law){.order = 0.51 + i,
                          .low = 0.48 + i,
                          .high = i == CAS_LAW_TWO_TERM ? 3 : INFINITY,
                          .coefficient = {-0.0, 3 + i},
                          .coefficient_error = {0.1, NAN},
                          .chi2 = 2.5 + i,
                          .degrees_of_freedom = 3,
                          .p_value = 0.3,
                          .leading_share = 0.6,
                          .points = 4};
  l->headline = CAS_LAW_TWO_TERM;
  l->order = 2.51;
  l->points = 5;
  l->left_out = 1;
}

/* All columns of a table and its parts get numbers, optional ones only where `optional` says so. */
static inline void fill_columns(cas_table t, bool optional) {
  double seed = 1;
  for (const cas_field *f = t.kind->columns; f && f->name; f++, seed++) {
    if (f->optional && !optional)
      continue;
    const int n = (int)cas_table_count(&t, f);
    void *array = cas_field_array(f, t.object);
    if (f->type == CAS_FIELD_REAL)
      fill_reals(array, n, seed);
    for (int k = 0; f->type == CAS_FIELD_INT && k < n; k++)
      ((int *)array)[k] = k % 2;
    for (int k = 0; f->type == CAS_FIELD_INT64 && k < n; k++)
      ((int64_t *)array)[k] = ((int64_t)1 << 40) + k;
  }
  for (int i = 0; i < cas_table_parts(&t); i++)
    fill_columns(cas_table_part(&t, i), optional);
}

static inline void make_curve(cas_results *r, cas_error_kind kind, const char *name) {
  const cas_curve like = {.kind = kind, .levels = r->levels};
  cas_curve *mine = cas_table_create(r, kind == CAS_STRONG ? &cas_table_strong : &cas_table_weak,
                                     name, "1", &like, NULL);
  ck_assert_ptr_nonnull(mine);
  fill_columns(r->table[r->tables - 1], false);
  mine->error.value[0] = -0x1p-1040;
  mine->error.standard_error[0] = NAN;
  mine->difference.value[0] = INFINITY;
  mine->expected_order = NAN;
  mine->raw = (cas_fit){0.526, 0.5, 0.55, 1e-3};
  make_laws(&mine->laws);
  if (kind == CAS_WEAK)
    mine->extrapolated = (cas_extrapolation){7, 0.1, -0.0};
  mine->findings = cas_finding_set(CAS_CONSISTENT) | cas_finding_set(CAS_OUTLIERS);
}

static inline void make_health(cas_health *h, int levels) {
  MUST(cas_health_init(h, levels, &err));
  int64_t seed = (int64_t)1 << 40;
  for (const cas_field *f = cas_health_columns; f->name; f++, seed += 100)
    for (int l = 0; l < levels; l++)
      ((int64_t *)cas_field_array(f, h))[l] = seed + l;
  h->casimir_drift_max = 1e-15 / 3;
  h->drift_path = 9999999999;
  h->drift_level = levels - 1;
  h->failed_paths = 2;
  h->first_failed_path = 5000000000;
  h->failed_path_numbers[0] = 5000000000;
  h->failed_path_numbers[1] = 6000000000;
  h->first_failed_cause = CAS_FAILURE_VALUE;
  snprintf(h->first_failed_quantity, sizeof h->first_failed_quantity, "mean = integral(x1)/t");
  h->first_failed_time = 0.5;
  h->noises = 12288;
}

static inline void forget_results(void *r) {
  cas_results_free(r);
  free(r);
}

/* Results that belong to the suite until the test ends. */
static inline cas_results *new_results(void) {
  cas_results *r = calloc(1, sizeof *r);
  ck_assert_ptr_nonnull(r);
  suite_keep(r, forget_results);
  return r;
}

/* A convergence study of some levels, or with none a trajectory. */
static inline cas_results *make_results(int levels) {
  cas_results *r = new_results();
  *r = (cas_results){.provenance = make_provenance(), .levels = levels, .complete = true};
  static const char *const name[] = {"error", "error_sup", "sin2pi", "energy"};
  r->step = calloc((size_t)levels + 1, sizeof *r->step);
  r->steps = calloc((size_t)levels + 1, sizeof *r->steps);
  for (int l = 0; l <= levels; l++) {
    r->step[l] = ldexp(1.0 / 3, -7 - l);
    r->steps[l] = ((int64_t)13 << 40) + l;
  }
  for (int i = 0; levels && i < 4; i++)
    make_curve(r, i < 2 ? CAS_STRONG : CAS_WEAK, name[i]);
  make_health(&r->health, levels + 1);
  return r;
}

static inline void write_results(const cas_results *r, const char *path) {
  MUST(cas_results_write(r, path, &err));
}

static inline cas_results *read_back(const char *path) {
  cas_results *r = new_results();
  MUST(cas_results_read(path, r, &err));
  return r;
}

/* Equality is that of bits. */
static inline void assert_same_health(const cas_health *a, const cas_health *b) {
  ck_assert_int_eq(a->levels, b->levels);
  ck_assert(cas_field_same_values(cas_health_numbers, a, b) &&
            cas_field_same_columns(cas_health_columns, a->levels, a, b));
}

static inline void assert_same_results(const cas_results *a, const cas_results *b) {
  ck_assert(cas_results_equal(a, b) && b->complete);
}

/* Without assertions of Check, for processes that are not Check's own; NULL on failure. */
static inline char *load_bytes(const char *path, size_t *n) {
  struct stat s;
  FILE *f = fopen(path, "rb");
  if (!f || fstat(fileno(f), &s))
    return NULL;
  *n = (size_t)s.st_size;
  char *bytes = malloc(*n + 1);
  bool read = bytes && fread(bytes, 1, *n, f) == *n;
  return !fclose(f) && read ? bytes : NULL;
}

static inline bool store_bytes(const char *path, const char *bytes, size_t n) {
  FILE *f = fopen(path, "wb");
  bool written = f && fwrite(bytes, 1, n, f) == n;
  return f && !fclose(f) && written;
}

static inline char *read_bytes(const char *path, size_t *n) {
  char *bytes = load_bytes(path, n);
  ck_assert_msg(bytes != NULL, "%s", path);
  suite_keep(bytes, free);
  return bytes;
}

static inline void write_bytes(const char *path, const char *bytes, size_t n) {
  ck_assert_msg(store_bytes(path, bytes, n), "%s", path);
}

static inline bool exists(const char *path) { return !access(path, F_OK); }

/* Every dataset of a file has a long_name and units, and scales on all axes unless it is one. */
static inline herr_t check_described(hid_t file, const char *name,
                                     const H5L_info_t *info CAS_UNUSED, void *datasets) {
  hid_t object = H5Oopen(file, name, H5P_DEFAULT);
  if (H5Iget_type(object) == H5I_DATASET) {
    hid_t space = H5Dget_space(object);
    int rank = H5DSis_scale(object) > 0 ? 0 : H5Sget_simple_extent_ndims(space);
    ck_assert_msg(H5Aexists(object, "long_name") > 0 && H5Aexists(object, "units") > 0, "%s", name);
    for (int i = 0; i < rank; i++)
      ck_assert_msg(H5DSget_num_scales(object, (unsigned)i) > 0, "%s: axis %d", name, i);
    H5Sclose(space);
    ++*(int *)datasets;
  }
  return H5Oclose(object);
}

/* Datasets that a table and its parts should have, as their kinds say. */
static inline int datasets_of(cas_table t) {
  int n = t.kind->findings ? 2 : 0;
  for (const cas_field *f = t.kind->values; f && f->name; f++)
    n += !f->attribute;
  for (const cas_field *f = t.kind->columns; f && f->name; f++)
    n += cas_table_count(&t, f) > 0 &&
         !cas_table_is_absent(f, cas_field_array(f, t.object), cas_table_count(&t, f));
  for (int i = 0; i < cas_table_parts(&t); i++)
    n += datasets_of(cas_table_part(&t, i));
  return n;
}

/* others: datasets that are scales or of no table */
static inline void assert_all_described(const char *path, const cas_results *r, int others) {
  int found = 0;
  for (int i = 0; i < r->tables; i++)
    others += datasets_of(r->table[i]);
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  ck_assert(H5Lvisit(file, H5_INDEX_NAME, H5_ITER_INC, check_described, &found) >= 0);
  ck_assert(H5Fclose(file) >= 0);
  ck_assert_int_eq(found, others);
}

/* Whether an axis of a dataset has this scale. */
static inline bool is_attached(const char *path, const char *dataset, const char *scale,
                               unsigned axis) {
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), d = H5Dopen2(file, dataset, H5P_DEFAULT),
        s = H5Dopen2(file, scale, H5P_DEFAULT);
  const bool attached = d >= 0 && s >= 0 && H5DSis_attached(d, s, axis) > 0;
  H5Dclose(d);
  H5Dclose(s);
  H5Fclose(file);
  return attached;
}

#endif
