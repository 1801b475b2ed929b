/* Statistics of ensembles in memory, and the tables by which they are written, read and compared.
 */
#include "hdf5/hdf5_impl.h"
#include <stdlib.h>
#include <string.h>

#define IN(type, member) offsetof(type, member)
#define COLUMN(member) IN(cas_ensemble_observable, member)

/* long names are formats, of what the observable is called */
const cas_field cas_ensemble_columns[] = {
    {"mean", CAS_FIELD_REAL, COLUMN(mean), CAS_BY_NUMBER, "mean of %s", NULL},
    {"standard_error", CAS_FIELD_REAL, COLUMN(standard_error), CAS_BY_NUMBER,
     "standard error of the mean of %s", NULL},
    {"variance", CAS_FIELD_REAL, COLUMN(variance), CAS_BY_NUMBER,
     "variance of %s (divisor paths - 1)", "^2"},
    {"variance_standard_error", CAS_FIELD_REAL, COLUMN(variance_standard_error), CAS_BY_NUMBER,
     "standard error of the variance of %s", "^2"},
    {"minimum", CAS_FIELD_REAL, COLUMN(minimum), CAS_BY_NUMBER, "minimum of %s", NULL},
    {"maximum", CAS_FIELD_REAL, COLUMN(maximum), CAS_BY_NUMBER, "maximum of %s", NULL},
    {"quantile", CAS_FIELD_REAL, COLUMN(quantile), CAS_BY_PROBABILITY, "quantiles of %s", NULL},
    {"quantile_low", CAS_FIELD_REAL, COLUMN(quantile_low), CAS_BY_PROBABILITY,
     "lower ends of the 95%% intervals of the quantiles of %s", NULL},
    {"quantile_high", CAS_FIELD_REAL, COLUMN(quantile_high), CAS_BY_PROBABILITY,
     "upper ends of the 95%% intervals of the quantiles of %s", NULL},
    {"histogram", CAS_FIELD_INT64, COLUMN(histogram), CAS_BY_BIN,
     "histogram of %s: paths in each bin", "1"},
    {"histogram_low", CAS_FIELD_REAL, COLUMN(histogram_low), CAS_BY_NUMBER,
     "histogram of %s: lower end of the first bin", NULL},
    {"histogram_width", CAS_FIELD_REAL, COLUMN(histogram_width), CAS_BY_NUMBER,
     "histogram of %s: width of a bin", NULL},
    {"histogram_below", CAS_FIELD_INT64, COLUMN(histogram_below), CAS_BY_NUMBER,
     "histogram of %s: paths below the first bin", "1"},
    {"histogram_above", CAS_FIELD_INT64, COLUMN(histogram_above), CAS_BY_NUMBER,
     "histogram of %s: paths above the last bin", "1"},
    {0}};

const cas_field cas_ensemble_numbers[] = {
    {"quantiles", CAS_FIELD_INT, IN(cas_ensemble, quantiles), 0, NULL, NULL},
    {"bins", CAS_FIELD_INT, IN(cas_ensemble, bins), 0, NULL, NULL},
    {"paths_counted", CAS_FIELD_INT64, IN(cas_ensemble, counted), 0, NULL, NULL},
    {"members", CAS_FIELD_INT64, IN(cas_ensemble, members), 0, NULL, NULL},
    {"quantiles_exact", CAS_FIELD_INT, IN(cas_ensemble, exact), 0, NULL, NULL},
    {0}};

size_t cas_ensemble_depth(const cas_ensemble *e, const cas_field *f) {
  return f->extra == CAS_BY_BIN           ? (size_t)e->bins
         : f->extra == CAS_BY_PROBABILITY ? (size_t)e->quantiles
                                          : 1;
}

static size_t column_bytes(const cas_ensemble *e, const cas_ensemble_observable *o,
                           const cas_field *f) {
  return (size_t)e->records * (size_t)o->numbers * cas_ensemble_depth(e, f) *
         cas_field_size(f->type);
}

int64_t cas_ensemble_bytes(const cas_ensemble *e) {
  size_t bytes = (size_t)(e->records + e->quantiles) * sizeof(double);
  for (int i = 0; i < e->observables; i++) {
    const cas_ensemble_observable *o = &e->observable[i];
    for (const cas_field *f = cas_ensemble_columns; f->name; f++)
      bytes += column_bytes(e, o, f) + 4096; /* its description */
    for (int k = 0; k < o->axes; k++)
      bytes += 64 * (size_t)o->axis[k].length +
               (o->axis[k].labels ? strlen(o->axis[k].labels) : 0) + 4096;
  }
  return (int64_t)bytes;
}

/* ---- ownership ---- */

cas_status cas_ensemble_create(int records, int quantiles, int bins, int observables,
                               cas_ensemble **out, cas_error *err) {
  cas_ensemble *e = *out = calloc(1, sizeof *e);
  if (!e)
    return cas_fail(err, CAS_NO_MEMORY, "out of memory");
  *e = (cas_ensemble){
      .records = records,
      .time = calloc((size_t)records + 1, sizeof *e->time),
      .quantiles = quantiles,
      .probability = calloc((size_t)quantiles + 1, sizeof *e->probability),
      .bins = bins,
      .observable = calloc((size_t)observables + 1, sizeof *e->observable),
  };
  if (e->time && e->probability && e->observable) {
    e->observables = observables;
    return CAS_OK;
  }
  cas_ensemble_free(e);
  *out = NULL;
  return cas_fail(err, CAS_NO_MEMORY, "out of memory: statistics at %d times", records);
}

static char *copy_text(const char *text, bool *failed) {
  char *copy = text ? strdup(text) : NULL;
  *failed |= text && !copy;
  return copy;
}

void cas_file_axis_copy(cas_file_axis *to, const cas_file_axis *from, bool *failed) {
  double *coordinates = NULL;
  if (from->coordinates) {
    coordinates = malloc((size_t)from->length * sizeof *coordinates);
    *failed |= !coordinates;
    if (coordinates)
      memcpy(coordinates, from->coordinates, (size_t)from->length * sizeof *coordinates);
  }
  *to = (cas_file_axis){.name = copy_text(from->name, failed),
                        .long_name = copy_text(from->long_name, failed),
                        .unit = copy_text(from->unit, failed),
                        .length = from->length,
                        .labels = copy_text(from->labels, failed),
                        .coordinates = coordinates};
}

cas_status cas_ensemble_observe(cas_ensemble *e, int i, const char *name, const char *long_name,
                                const char *unit, int axes, const cas_file_axis *axis,
                                cas_error *err) {
  cas_ensemble_observable *o = &e->observable[i];
  bool failed = false;
  *o = (cas_ensemble_observable){.name = copy_text(name, &failed),
                                 .long_name = copy_text(long_name, &failed),
                                 .unit = copy_text(unit, &failed),
                                 .axes = axes,
                                 .numbers = 1};
  for (int k = 0; k < axes; k++) {
    cas_file_axis_copy(&o->axis[k], &axis[k], &failed);
    o->numbers *= axis[k].length;
  }
  size_t bytes = 0;
  for (const cas_field *f = cas_ensemble_columns; !failed && f->name; f++) {
    bytes += column_bytes(e, o, f);
    void *column = calloc(1, column_bytes(e, o, f) + 1);
    memcpy((char *)o + f->offset, &column, sizeof column);
    failed |= !column;
  }
  return failed ? cas_fail(err, CAS_NO_MEMORY, "out of memory: %zu bytes of statistics of %s",
                           bytes, name)
                : CAS_OK;
}

void cas_file_axis_free(cas_file_axis *a) {
  free((char *)a->name);
  free((char *)a->long_name);
  free((char *)a->unit);
  free((char *)a->labels);
  free((double *)a->coordinates);
}

void cas_ensemble_free(cas_ensemble *e) {
  for (int i = 0; e && i < e->observables; i++) {
    cas_ensemble_observable *o = &e->observable[i];
    free(o->name);
    free(o->long_name);
    free(o->unit);
    for (int k = 0; k < o->axes; k++)
      cas_file_axis_free(&o->axis[k]);
    for (const cas_field *f = cas_ensemble_columns; f->name; f++)
      free(cas_field_array(f, o));
  }
  if (e) {
    free(e->observable);
    free(e->probability);
    free(e->time);
  }
  free(e);
}

/* ---- comparison ---- */

static bool same_axis(const cas_file_axis *a, const cas_file_axis *b) {
  return a->length == b->length && cas_same_text(a->name, b->name) &&
         cas_same_text(a->long_name, b->long_name) && cas_same_text(a->unit, b->unit) &&
         cas_same_text(a->labels, b->labels) &&
         cas_same_array(a->coordinates, b->coordinates, (size_t)a->length * sizeof(double));
}

static bool same_observable(const cas_ensemble *e, const cas_ensemble_observable *a,
                            const cas_ensemble_observable *b) {
  if (a->axes != b->axes || a->numbers != b->numbers || !cas_same_text(a->name, b->name) ||
      !cas_same_array(&a->bias_bound, &b->bias_bound, sizeof a->bias_bound) ||
      !cas_same_text(a->long_name, b->long_name) || !cas_same_text(a->unit, b->unit))
    return false;
  for (int k = 0; k < a->axes; k++)
    if (!same_axis(&a->axis[k], &b->axis[k]))
      return false;
  for (const cas_field *f = cas_ensemble_columns; f->name; f++)
    if (!cas_same_array(cas_field_array(f, a), cas_field_array(f, b), column_bytes(e, a, f)))
      return false;
  return true;
}

bool cas_ensemble_equal(const cas_ensemble *a, const cas_ensemble *b) {
  if (!a || !b)
    return a == b;
  if (a->records != b->records || a->quantiles != b->quantiles || a->bins != b->bins ||
      a->counted != b->counted || a->members != b->members || a->exact != b->exact ||
      a->observables != b->observables)
    return false;
  for (int i = 0; i < a->observables; i++)
    if (!same_observable(a, &a->observable[i], &b->observable[i]))
      return false;
  return cas_same_array(a->time, b->time, (size_t)a->records * sizeof(double)) &&
         cas_same_array(a->probability, b->probability, (size_t)a->quantiles * sizeof(double));
}
