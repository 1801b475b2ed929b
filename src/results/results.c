/* The results in memory, and the tables by which they are written, read and compared. */
#include "hdf5/hdf5_impl.h"
#include <stdlib.h>
#include <string.h>

#define IN(type, member) offsetof(type, member)

const cas_field cas_provenance_fields[] = {
    {"casimir_version", CAS_FIELD_TEXT, IN(cas_provenance, version), 0, NULL, NULL},
    {"commit", CAS_FIELD_TEXT, IN(cas_provenance, commit), 0, NULL, NULL},
    {"configuration", CAS_FIELD_TEXT, IN(cas_provenance, configuration), 0, NULL, NULL},
    {"system", CAS_FIELD_TEXT, IN(cas_provenance, system), 0, NULL, NULL},
    {"integrator", CAS_FIELD_TEXT, IN(cas_provenance, integrator), 0, NULL, NULL},
    {"study", CAS_FIELD_TEXT, IN(cas_provenance, study), 0, NULL, NULL},
    {"generator", CAS_FIELD_TEXT, IN(cas_provenance, generator), 0, NULL, NULL},
    {"seed", CAS_FIELD_INT64, IN(cas_provenance, seed), 0, NULL, NULL},
    {"paths", CAS_FIELD_INT64, IN(cas_provenance, paths), 0, NULL, NULL},
    {"lanes", CAS_FIELD_INT, IN(cas_provenance, lanes), 0, NULL, NULL},
    {"kernels", CAS_FIELD_TEXT, IN(cas_provenance, kernels), 0, NULL, NULL},
    {"blas", CAS_FIELD_TEXT, IN(cas_provenance, blas), 0, NULL, NULL},
    {"initial_hash", CAS_FIELD_TEXT, IN(cas_provenance, initial_hash), 0, NULL, NULL},
    {"noise_hash", CAS_FIELD_TEXT, IN(cas_provenance, noise_hash), 0, NULL, NULL},
    {"ranks", CAS_FIELD_INT, IN(cas_provenance, ranks), 0, NULL, NULL},
    {"started", CAS_FIELD_TEXT, IN(cas_provenance, started), 0, NULL, NULL},
    {"elapsed_seconds", CAS_FIELD_REAL, IN(cas_provenance, elapsed_seconds), 0, NULL, NULL},
    {0}};

const cas_field cas_timing_fields[] = {
    {"integrate_seconds", CAS_FIELD_REAL, IN(cas_provenance, integrate_seconds), 0, NULL, NULL},
    {"integrate_seconds_mean", CAS_FIELD_REAL, IN(cas_provenance, integrate_seconds_mean), 0, NULL,
     NULL},
    {"reduce_seconds", CAS_FIELD_REAL, IN(cas_provenance, reduce_seconds), 0, NULL, NULL},
    {0}};

/* of what has no units here: those of the curve */
const cas_field cas_curve_columns[] = {
    {"error", CAS_FIELD_REAL, IN(cas_curve, error), 0, "error against the reference", NULL},
    {"standard_error", CAS_FIELD_REAL, IN(cas_curve, standard_error), 0,
     "standard error of the error", NULL},
    {"resolved", CAS_FIELD_INT, IN(cas_curve, resolved), 0,
     "1 where the error is none of sampling, by Holm's test of all levels and functionals at "
     "4.55%, "
     "and none of rounding",
     "1"},
    {"local_order", CAS_FIELD_REAL, IN(cas_curve, local_order), -1,
     "order between neighbouring levels", "1"},
    {"local_order_standard_error", CAS_FIELD_REAL, IN(cas_curve, local_order_error), -1,
     "standard error of local_order", "1"},
    {"difference", CAS_FIELD_REAL, IN(cas_curve, difference), -1,
     "difference of neighbouring levels", NULL},
    {"difference_standard_error", CAS_FIELD_REAL, IN(cas_curve, difference_error), -1,
     "standard error of the difference", NULL},
    {"difference_order", CAS_FIELD_REAL, IN(cas_curve, difference_order), -2,
     "order between neighbouring differences", "1"},
    {"difference_order_standard_error", CAS_FIELD_REAL, IN(cas_curve, difference_order_error), -2,
     "standard error of difference_order", "1"},
    {"next_order", CAS_FIELD_REAL, IN(cas_curve, next_order), -3,
     "difference_order with the next term of the law removed", "1"},
    {"next_order_standard_error", CAS_FIELD_REAL, IN(cas_curve, next_order_error), -3,
     "standard error of next_order", "1"},
    {"mean", CAS_FIELD_REAL, IN(cas_curve, mean), 1, "mean of the functional, reference last",
     NULL},
    {"mean_standard_error", CAS_FIELD_REAL, IN(cas_curve, mean_standard_error), 1,
     "standard error of the mean, reference last", NULL},
    {0}};

const cas_field cas_curve_numbers[] = {
    {"order_raw", CAS_FIELD_REAL, IN(cas_curve, raw.order), 0, NULL, NULL},
    {"order_raw_low", CAS_FIELD_REAL, IN(cas_curve, raw.low), 0, NULL, NULL},
    {"order_raw_high", CAS_FIELD_REAL, IN(cas_curve, raw.high), 0, NULL, NULL},
    {"constant_raw", CAS_FIELD_REAL, IN(cas_curve, raw.constant), 0, NULL, NULL},
    {"expected_order", CAS_FIELD_REAL, IN(cas_curve, expected_order), 0, NULL, NULL},
    {0}};

const cas_field cas_health_columns[] = {
    {"steps_taken", CAS_FIELD_INT64, IN(cas_health, steps_taken), 0,
     "steps taken over all paths, by level, reference last", "1"},
    {"not_converged", CAS_FIELD_INT64, IN(cas_health, not_converged), 0,
     "steps whose fixed point missed the tolerance", "1"},
    {"nan", CAS_FIELD_INT64, IN(cas_health, nan), 0, "paths that became NaN or infinite", "1"},
    {"clipped", CAS_FIELD_INT64, IN(cas_health, clipped), 0, "Brownian increments truncated", "1"},
    {"iterations", CAS_FIELD_INT64, IN(cas_health, iterations), 0,
     "fixed-point iterations, summed over steps_taken", "1"},
    {"iterations_max", CAS_FIELD_INT64, IN(cas_health, iterations_max), 0,
     "most fixed-point iterations of one step", "1"},
    {0}};

const cas_field cas_health_numbers[] = {
    {"casimir_drift_max", CAS_FIELD_REAL, IN(cas_health, casimir_drift_max), 0,
     "largest relative departure of a Casimir from its initial value", "1"},
    {"casimir_drift_path", CAS_FIELD_INT64, IN(cas_health, drift_path), 0,
     "path of casimir_drift_max", "1"},
    {"casimir_drift_level", CAS_FIELD_INT, IN(cas_health, drift_level), 0,
     "level of casimir_drift_max", "1"},
    {"failed_paths", CAS_FIELD_INT64, IN(cas_health, failed_paths), 0, "paths that failed", "1"},
    {"first_failed_path", CAS_FIELD_INT64, IN(cas_health, first_failed_path), 0,
     "first path that failed, -1 if none", "1"},
    {"first_failed_level", CAS_FIELD_INT, IN(cas_health, first_failed_level), 0,
     "coarsest level on which the first failed path failed", "1"},
    {"first_failed_cause", CAS_FIELD_INT, IN(cas_health, first_failed_cause), 0,
     "1: its fixed point did not converge there, 2: its state became NaN or infinite, 0: none "
     "failed",
     "1"},
    {"noises", CAS_FIELD_INT64, IN(cas_health, noises), 0,
     "normals that a step draws, of which `clipped` were truncated", "1"},
    {0}};

void *cas_field_array(const cas_field *f, const void *base) {
  void *array;
  memcpy(&array, (const char *)base + f->offset, sizeof array);
  return array;
}

size_t cas_field_size(cas_field_type type) {
  switch (type) {
  case CAS_FIELD_REAL:
    return sizeof(double);
  case CAS_FIELD_INT64:
    return sizeof(int64_t);
  case CAS_FIELD_INT:
    return sizeof(int);
  case CAS_FIELD_TEXT:
    break;
  }
  return sizeof(char *);
}

const char *const cas_on_failure_names[] = {[CAS_ON_FAILURE_DROP] = "drop",
                                            [CAS_ON_FAILURE_KEEP] = "keep",
                                            [CAS_ON_FAILURE_STOP] = "stop",
                                            NULL};

const char *cas_failure_text(cas_failure f) {
  static const char *const text[] = {[CAS_FAILURE_NONE] = "nothing failed",
                                     [CAS_FAILURE_NOT_CONVERGED] =
                                         "the fixed point did not converge",
                                     [CAS_FAILURE_NAN] = "the state became NaN or infinite"};
  return (size_t)f < sizeof text / sizeof *text ? text[f] : "unknown";
}

/* ---- ownership ---- */

cas_status cas_health_init(cas_health *h, int levels, cas_error *err) {
  memset(h, 0, sizeof *h);
  h->levels = levels;
  h->first_failed_path = -1;
  for (const cas_field *f = cas_health_columns; f->name; f++) {
    int64_t *column = calloc((size_t)levels + 1, sizeof *column);
    if (!column) {
      cas_health_free(h);
      return cas_fail(err, CAS_NO_MEMORY, "No memory for the counters of %d levels.", levels);
    }
    memcpy((char *)h + f->offset, &column, sizeof column);
  }
  return CAS_OK;
}

void cas_health_free(cas_health *h) {
  for (const cas_field *f = cas_health_columns; f->name; f++)
    free(cas_field_array(f, h));
  memset(h, 0, sizeof *h);
}

void cas_results_free(cas_results *r) {
  for (const cas_field *f = cas_provenance_fields; f->name; f++)
    if (f->type == CAS_FIELD_TEXT)
      free(cas_field_array(f, &r->provenance));
  for (int i = 0; i < r->curves; i++)
    cas_curve_free(&r->curve[i]);
  free(r->curve);
  cas_ensemble_free(r->ensemble);
  cas_multilevel_free(r->multilevel);
  cas_mlmc_free(r->mlmc);
  free(r->step);
  free(r->steps);
  free(r->restart);
  cas_initial_free(r);
  cas_health_free(&r->health);
  memset(r, 0, sizeof *r);
}

/* ---- comparison ---- */

bool cas_same_text(const char *a, const char *b) { return a && b ? !strcmp(a, b) : a == b; }

bool cas_same_array(const void *a, const void *b, size_t bytes) {
  return a && b ? !memcmp(a, b, bytes) : a == b;
}

bool cas_same_values(const cas_field *table, const void *a, const void *b) {
  for (const cas_field *f = table; f->name; f++) {
    const char *x = (const char *)a + f->offset, *y = (const char *)b + f->offset;
    if (f->type == CAS_FIELD_TEXT ? !cas_same_text(cas_field_array(f, a), cas_field_array(f, b))
                                  : memcmp(x, y, cas_field_size(f->type)))
      return false;
  }
  return true;
}

bool cas_same_columns(const cas_field *table, int levels, const void *a, const void *b) {
  for (const cas_field *f = table; f->name; f++) {
    int n = levels + f->extra;
    size_t bytes = n > 0 ? (size_t)n * cas_field_size(f->type) : 0;
    if (bytes && !cas_same_array(cas_field_array(f, a), cas_field_array(f, b), bytes))
      return false;
  }
  return true;
}

static bool same_curve(const cas_curve *a, const cas_curve *b) {
  return a->kind == b->kind && a->levels == b->levels && !strcmp(a->name, b->name) &&
         !strcmp(a->unit, b->unit) && a->findings == b->findings &&
         !strcmp(a->verdict, b->verdict) &&
         cas_same_array(&a->bias_bound, &b->bias_bound, sizeof a->bias_bound) &&
         cas_same_values(cas_curve_numbers, a, b) && cas_laws_equal(&a->laws, &b->laws) &&
         cas_extrapolation_equal(&a->extrapolated, &b->extrapolated) &&
         cas_same_columns(cas_curve_columns, a->levels, a, b);
}

bool cas_results_equal(const cas_results *a, const cas_results *b) {
  size_t n = (size_t)a->levels + 1;
  if (a->levels != b->levels || a->curves != b->curves || a->health.levels != b->health.levels)
    return false;
  for (int i = 0; i < a->curves; i++)
    if (!same_curve(&a->curve[i], &b->curve[i]))
      return false;
  return cas_same_array(a->step, b->step, n * sizeof *a->step) &&
         cas_ensemble_equal(a->ensemble, b->ensemble) &&
         cas_multilevel_equal(a->multilevel, b->multilevel) && cas_mlmc_equal(a->mlmc, b->mlmc) &&
         cas_same_array(a->steps, b->steps, n * sizeof *a->steps) &&
         cas_same_values(cas_provenance_fields, &a->provenance, &b->provenance) &&
         cas_same_values(cas_timing_fields, &a->provenance, &b->provenance) &&
         a->provenance.alone == b->provenance.alone && a->provenance.path == b->provenance.path &&
         cas_same_values(cas_health_numbers, &a->health, &b->health) &&
         memcmp(a->health.failed_path_numbers, b->health.failed_path_numbers,
                sizeof a->health.failed_path_numbers) == 0 &&
         a->health.left_out_paths == b->health.left_out_paths &&
         a->health.on_failure == b->health.on_failure &&
         cas_same_columns(cas_health_columns, a->health.levels, &a->health, &b->health);
}
