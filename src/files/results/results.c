/* What all results have, in memory, and what it is called in files. */
#include "files/results/frame.h"
#include "files/results/results_file.h"
#include <inttypes.h>

const cas_field cas_provenance_fields[] = {
    CAS_FIELD_VALUE(cas_provenance, TEXT, "casimir_version", casimir.version),
    CAS_FIELD_VALUE(cas_provenance, TEXT, "commit", casimir.commit),
    CAS_FIELD_VALUE(cas_provenance, TEXT, "configuration", configuration),
    CAS_FIELD_VALUE(cas_provenance, TEXT, "system", system),
    CAS_FIELD_VALUE(cas_provenance, TEXT, "integrator", integrator),
    CAS_FIELD_VALUE(cas_provenance, TEXT, "reference_integrator", reference_integrator),
    CAS_FIELD_VALUE(cas_provenance, TEXT, "casimirs", casimirs),
    CAS_FIELD_VALUE(cas_provenance, TEXT, "monitoring", monitoring),
    CAS_FIELD_VALUE(cas_provenance, TEXT, "study", study),
    CAS_FIELD_VALUE(cas_provenance, TEXT, "generator", generator),
    CAS_FIELD_VALUE(cas_provenance, INT64, "seed", seed),
    CAS_FIELD_VALUE(cas_provenance, INT64, "paths", paths),
    CAS_FIELD_VALUE(cas_provenance, INT, "lanes", lanes),
    CAS_FIELD_VALUE(cas_provenance, TEXT, "kernels", kernels),
    CAS_FIELD_VALUE(cas_provenance, TEXT, "blas", blas),
    CAS_FIELD_VALUE(cas_provenance, TEXT, "initial_hash", hash.initial),
    CAS_FIELD_VALUE(cas_provenance, TEXT, "noise_hash", hash.noise),
    CAS_FIELD_VALUE(cas_provenance, INT, "ranks", ranks),
    CAS_FIELD_VALUE(cas_provenance, TEXT, "started", started),
    CAS_FIELD_VALUE(cas_provenance, REAL, "elapsed_seconds", seconds.elapsed),
    CAS_FIELD_LATER(cas_provenance, INT64, "first_step", first_step),
    CAS_FIELD_LATER(cas_provenance, INT64, "noise_draws", draws.noise),
    CAS_FIELD_LATER(cas_provenance, INT64, "forcing_draws", draws.forcing),
    CAS_FIELD_LATER(cas_provenance, REAL, "magnitude", magnitude),
    CAS_FIELD_LATER(cas_provenance, REAL, "integrate_seconds", seconds.integrate),
    CAS_FIELD_LATER(cas_provenance, REAL, "integrate_seconds_mean", seconds.integrate_mean),
    CAS_FIELD_LATER(cas_provenance, REAL, "reduce_seconds", seconds.reduce),
    {0}};

#define HEALTH(kind, called, member, meaning, ...) \
  CAS_FIELD_COLUMN(cas_health, kind, called, member, 0, meaning, __VA_ARGS__)

const cas_field cas_health_columns[] = {
    HEALTH(INT64, "steps_taken", steps_taken,
           "steps taken over all paths, by level, reference last", "1"),
    HEALTH(INT64, "not_converged", not_converged, "steps whose fixed point missed the tolerance",
           "1"),
    HEALTH(INT64, "second_method", second_method,
           "steps whose equation took the second method of the scheme", "1", .optional = true),
    HEALTH(INT64, "nan", nan, "paths that became NaN or infinite", "1"),
    HEALTH(INT64, "clipped", clipped, "Brownian increments truncated", "1"),
    HEALTH(INT64, "iterations", iterations, "fixed-point iterations, summed over steps_taken", "1"),
    HEALTH(INT64, "iterations_max", iterations_max, "most fixed-point iterations of one step", "1"),
    {0}};

const cas_field cas_health_numbers[] = {
    HEALTH(REAL, "casimir_drift_max", casimir_drift_max,
           "largest relative departure of a Casimir from its initial value", "1"),
    HEALTH(INT64, "casimir_drift_path", drift_path, "path of casimir_drift_max", "1"),
    HEALTH(INT, "casimir_drift_level", drift_level, "level of casimir_drift_max", "1"),
    HEALTH(INT64, "failed_paths", failed_paths, "paths that failed", "1"),
    HEALTH(INT64, "first_failed_path", first_failed_path, "first path that failed, -1 if none",
           "1"),
    HEALTH(INT, "first_failed_level", first_failed_level,
           "coarsest level on which the first failed path failed", "1"),
    HEALTH(INT, "first_failed_cause", first_failed_cause,
           "1: its fixed point did not converge there, 2: its state became NaN or infinite, 3: "
           "a quantity computed from its states did, 0: none failed",
           "1"),
    HEALTH(INT64, "noises", noises, "normals that a step draws, of which `clipped` were truncated",
           "1"),
    {0}};

const char *const cas_on_failure_names[] = {[CAS_ON_FAILURE_DROP] = "drop",
                                            [CAS_ON_FAILURE_KEEP] = "keep",
                                            [CAS_ON_FAILURE_STOP] = "stop",
                                            NULL};

const char *cas_failure_text(cas_failure f) {
  static const char *const text[] = {
      [CAS_FAILURE_NONE] = "nothing failed",
      [CAS_FAILURE_NOT_CONVERGED] = "the fixed point did not converge",
      [CAS_FAILURE_NAN] = "the state became NaN or infinite",
      [CAS_FAILURE_VALUE] = "a quantity computed from states became NaN or infinite"};
  return (size_t)f < sizeof text / sizeof *text ? text[f] : "unknown";
}

const char *cas_failure_describe(cas_failure f, const char *quantity, double time, char *text,
                                 size_t size) {
  if (f == CAS_FAILURE_VALUE && quantity[0])
    snprintf(text, size, "%s is NaN or infinite at t = %.10g", quantity, time);
  else
    snprintf(text, size, "%s", cas_failure_text(f));
  return text;
}

bool cas_health_not_valid(const cas_health *h, int64_t paths, char *text, size_t size) {
  text[0] = '\0';
  if (h->left_out_paths > 0)
    snprintf(text, size, "not valid: %" PRId64 " of %" PRId64 " paths failed and are left out",
             h->left_out_paths, paths);
  return h->left_out_paths > 0;
}

cas_status cas_health_init(cas_health *h, int levels, cas_error *err) {
  memset(h, 0, sizeof *h);
  h->levels = levels;
  h->first_failed_path = -1;
  for (const cas_field *f = cas_health_columns; f->name; f++) {
    int64_t *column = calloc((size_t)levels + 1, sizeof *column);
    memcpy((char *)h + f->offset, &column, sizeof column);
    if (!column) {
      cas_health_free(h);
      return cas_no_memory(err);
    }
  }
  return CAS_OK;
}

void cas_health_free(cas_health *h) {
  cas_field_columns_free(cas_health_columns, h);
  memset(h, 0, sizeof *h);
}

int64_t cas_results_refinement(const cas_results *r) {
  return r->levels > 0 && r->steps[0] > 0 ? r->steps[1] / r->steps[0] : 1;
}

int64_t cas_results_size(const cas_results *r, int level) { return r->size ? r->size[level] : 0; }

void cas_results_free(cas_results *r) {
  cas_field_values_free(cas_provenance_fields, &r->provenance);
  free(r->provenance.given);
  cas_tables_free(r);
  if (r->result)
    cas_frame_free(r->result);
  free(r->result);
  free(r->step);
  free(r->time_step);
  free(r->size);
  free(r->steps);
  free(r->restart);
  cas_results_given_free(r);
  cas_health_free(&r->health);
  memset(r, 0, sizeof *r);
}

bool cas_results_equal(const cas_results *a, const cas_results *b) {
  size_t n = (size_t)a->levels + 1;
  if (a->levels != b->levels || a->health.levels != b->health.levels)
    return false;
  return cas_field_same_array(a->step, b->step, n * sizeof *a->step) && cas_tables_equal(a, b) &&
         cas_field_same_array(a->steps, b->steps, n * sizeof *a->steps) &&
         cas_field_same_values(cas_provenance_fields, &a->provenance, &b->provenance) &&
         a->provenance.alone == b->provenance.alone && a->provenance.path == b->provenance.path &&
         cas_field_same_values(cas_health_numbers, &a->health, &b->health) &&
         memcmp(a->health.failed_path_numbers, b->health.failed_path_numbers,
                sizeof a->health.failed_path_numbers) == 0 &&
         a->health.left_out_paths == b->health.left_out_paths &&
         a->health.on_failure == b->health.on_failure &&
         strcmp(a->health.first_failed_quantity, b->health.first_failed_quantity) == 0 &&
         cas_field_same_array(&a->health.first_failed_time, &b->health.first_failed_time,
                              sizeof(double)) &&
         cas_field_same_columns(cas_health_columns, a->health.levels, &a->health, &b->health);
}
