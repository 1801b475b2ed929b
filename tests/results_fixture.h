/* Results with every kind of value in them, for tests of files. */
#ifndef CASIMIR_RESULTS_FIXTURE_H
#define CASIMIR_RESULTS_FIXTURE_H

#include "studies/curve.h"

#include <casimir/trajectory.h>
#include <check.h>
#include <hdf5.h>
#include <hdf5_hl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define assert_ok(call, err) ck_assert_msg((call) == CAS_OK, "%s", (err).text)
#define assert_says(err, words) \
  ck_assert_msg(strstr((err).text, words), "'%s' does not say '%s'", (err).text, words)

static inline cas_provenance make_provenance(void) {
  return (cas_provenance){.version = strdup("0.1.0"),
                          .commit = strdup("0123abc"),
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
                          .elapsed_seconds = 0.1};
}

static inline void fill_reals(double *x, int n, double seed) {
  for (int i = 0; x && i < n; i++)
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

static inline void make_curve(cas_curve *c, cas_error_kind kind, const char *name, int levels) {
  cas_error err = {0};
  assert_ok(cas_curve_init(c, kind, name, levels, &err), err);
  fill_reals(c->error, levels, kind == CAS_STRONG ? 1 : -1);
  fill_reals(c->standard_error, levels, 0x1p-1040);
  fill_reals(c->local_order, levels - 1, 0.5);
  fill_reals(c->local_order_error, levels - 1, NAN);
  fill_reals(c->difference, levels - 1, 3);
  fill_reals(c->difference_error, levels - 1, 0.3);
  fill_reals(c->difference_order, levels - 2, 0.7);
  fill_reals(c->difference_order_error, levels - 2, 0.07);
  fill_reals(c->next_order, levels - 3, 0.9);
  fill_reals(c->next_order_error, levels - 3, 0.09);
  fill_reals(c->mean, levels + 1, 7);
  fill_reals(c->mean_standard_error, levels + 1, INFINITY);
  for (int i = 0; i < levels; i++)
    c->resolved[i] = i % 2;
  c->expected_order = NAN;
  c->raw = (cas_fit){0.526, 0.5, 0.55, 1e-3};
  make_laws(&c->laws);
  if (kind == CAS_WEAK)
    c->extrapolated = (cas_extrapolation){7, 0.1, -0.0};
  c->findings = cas_finding_set(CAS_CONSISTENT) | cas_finding_set(CAS_OUTLIERS);
}

static inline void make_health(cas_health *h, int levels) {
  cas_error err = {0};
  assert_ok(cas_health_init(h, levels, &err), err);
  for (int l = 0; l < levels; l++) {
    h->steps_taken[l] = ((int64_t)1 << 40) + l;
    h->iterations[l] = 5 * h->steps_taken[l] + 1;
    h->iterations_max[l] = 17 + l;
    h->not_converged[l] = l;
    h->nan[l] = 2 * l;
    h->clipped[l] = 3 * l;
    h->second_method[l] = 4 * l;
  }
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

/* A convergence study of some levels, or with none a trajectory. */
static inline cas_results make_results(int levels) {
  cas_results r = {.provenance = make_provenance(), .levels = levels, .complete = true};
  static const char *const name[] = {"error", "error_sup", "sin2pi", "energy"};
  r.step = calloc((size_t)levels + 1, sizeof *r.step);
  r.steps = calloc((size_t)levels + 1, sizeof *r.steps);
  for (int l = 0; l <= levels; l++) {
    r.step[l] = ldexp(1.0 / 3, -7 - l);
    r.steps[l] = ((int64_t)13 << 40) + l;
  }
  for (int i = 0; levels && i < 4; i++) {
    cas_curve c;
    cas_error err = {0};
    make_curve(&c, i < 2 ? CAS_STRONG : CAS_WEAK, name[i], levels);
    assert_ok(cas_results_add_curve(&r, &c, &err), err);
  }
  make_health(&r.health, levels + 1);
  return r;
}

/* ---- equality, bit for bit ---- */

static inline void assert_same_text(const char *a, const char *b) {
  ck_assert(a && b ? !strcmp(a, b) : a == b);
}

static inline void assert_same_bytes(const void *a, const void *b, size_t n) {
  ck_assert_int_eq(!a, !b);
  ck_assert(n == 0 || !a || !memcmp(a, b, n));
}

static inline void assert_same_provenance(const cas_provenance *a, const cas_provenance *b) {
  assert_same_text(a->version, b->version);
  assert_same_text(a->commit, b->commit);
  assert_same_text(a->configuration, b->configuration);
  assert_same_text(a->generator, b->generator);
  assert_same_text(a->system, b->system);
  assert_same_text(a->integrator, b->integrator);
  assert_same_text(a->study, b->study);
  assert_same_text(a->kernels, b->kernels);
  assert_same_text(a->blas, b->blas);
  assert_same_text(a->started, b->started);
  ck_assert_int_eq(a->seed, b->seed);
  ck_assert_int_eq(a->paths, b->paths);
  ck_assert_int_eq(a->ranks, b->ranks);
  ck_assert_int_eq(a->lanes, b->lanes);
  assert_same_bytes(&a->elapsed_seconds, &b->elapsed_seconds, sizeof(double));
}

static inline void assert_same_curve(const cas_curve *a, const cas_curve *b) {
  size_t n = (size_t)a->levels, real = sizeof(double);
  ck_assert_int_eq(a->kind, b->kind);
  ck_assert_int_eq(a->levels, b->levels);
  ck_assert_str_eq(a->name, b->name);
  ck_assert_uint_eq(a->findings, b->findings);
  assert_same_bytes(&a->expected_order, &b->expected_order, real);
  assert_same_bytes(&a->raw, &b->raw, sizeof a->raw);
  ck_assert_int_eq(a->laws.headline, b->laws.headline);
  ck_assert_int_eq(a->laws.points, b->laws.points);
  ck_assert_int_eq(a->laws.left_out, b->laws.left_out);
  for (int i = 0; i < CAS_LAWS; i++) {
    const cas_law *x = &a->laws.law[i], *y = &b->laws.law[i];
    assert_same_bytes(&x->order, &y->order, offsetof(cas_law, points));
    ck_assert_int_eq(x->points, y->points);
  }
  assert_same_bytes(&a->extrapolated, &b->extrapolated, sizeof a->extrapolated);
  assert_same_bytes(a->error, b->error, n * real);
  assert_same_bytes(a->standard_error, b->standard_error, n * real);
  assert_same_bytes(a->resolved, b->resolved, n * sizeof(int));
  assert_same_bytes(a->local_order, b->local_order, (n - 1) * real);
  assert_same_bytes(a->local_order_error, b->local_order_error, (n - 1) * real);
  assert_same_bytes(a->difference, b->difference, (n - 1) * real);
  assert_same_bytes(a->difference_error, b->difference_error, (n - 1) * real);
  assert_same_bytes(a->difference_order, b->difference_order, n > 2 ? (n - 2) * real : 0);
  assert_same_bytes(a->next_order, b->next_order, n > 3 ? (n - 3) * real : 0);
  assert_same_bytes(a->next_order_error, b->next_order_error, n > 3 ? (n - 3) * real : 0);
  assert_same_bytes(a->mean, b->mean, (n + 1) * real);
  assert_same_bytes(a->mean_standard_error, b->mean_standard_error, (n + 1) * real);
}

static inline void assert_same_health(const cas_health *a, const cas_health *b) {
  ck_assert_int_eq(a->levels, b->levels);
  size_t bytes = (size_t)a->levels * sizeof(int64_t);
  assert_same_bytes(a->steps_taken, b->steps_taken, bytes);
  assert_same_bytes(a->not_converged, b->not_converged, bytes);
  assert_same_bytes(a->nan, b->nan, bytes);
  assert_same_bytes(a->second_method, b->second_method, bytes);
  assert_same_bytes(a->clipped, b->clipped, bytes);
  assert_same_bytes(a->iterations, b->iterations, bytes);
  assert_same_bytes(a->iterations_max, b->iterations_max, bytes);
  assert_same_bytes(&a->casimir_drift_max, &b->casimir_drift_max, sizeof(double));
  ck_assert_int_eq(a->drift_path, b->drift_path);
  ck_assert_int_eq(a->drift_level, b->drift_level);
  ck_assert_int_eq(a->failed_paths, b->failed_paths);
  ck_assert_int_eq(a->first_failed_path, b->first_failed_path);
  for (int i = 0; i < CAS_FAILED_NAMED; i++)
    ck_assert_int_eq(a->failed_path_numbers[i], b->failed_path_numbers[i]);
  ck_assert_int_eq(a->first_failed_level, b->first_failed_level);
  ck_assert_int_eq(a->first_failed_cause, b->first_failed_cause);
  ck_assert_str_eq(a->first_failed_quantity, b->first_failed_quantity);
  assert_same_bytes(&a->first_failed_time, &b->first_failed_time, sizeof(double));
  ck_assert_int_eq(a->noises, b->noises);
}

static inline void assert_same_results(const cas_results *a, const cas_results *b) {
  ck_assert_int_eq(a->levels, b->levels);
  ck_assert_int_eq(cas_results_curves(a), cas_results_curves(b));
  assert_same_provenance(&a->provenance, &b->provenance);
  assert_same_bytes(a->step, b->step, ((size_t)a->levels + 1) * sizeof(double));
  assert_same_bytes(a->steps, b->steps, ((size_t)a->levels + 1) * sizeof(int64_t));
  for (int i = 0; i < cas_results_curves(a); i++)
    assert_same_curve(cas_results_curve(a, i), cas_results_curve(b, i));
  assert_same_health(&a->health, &b->health);
  ck_assert(b->complete);
}

/* ---- files ---- */

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

static inline void assert_all_described(const char *path, int datasets) {
  int found = 0;
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  ck_assert(H5Lvisit(file, H5_INDEX_NAME, H5_ITER_INC, check_described, &found) >= 0);
  ck_assert(H5Fclose(file) >= 0);
  ck_assert_int_eq(found, datasets);
}

/* Runs a Python program with h5py; false, with a message, where there is no h5py. */
static inline bool run_h5py(const char *program) {
  char command[3000];
  if (system("/usr/bin/python3 -c 'import h5py' >/dev/null 2>&1")) {
    printf("h5py is not there: not tried\n");
    return false;
  }
  snprintf(command, sizeof command, "/usr/bin/python3 -c \"%s\"", program);
  ck_assert_int_eq(system(command), 0);
  return true;
}

#endif
