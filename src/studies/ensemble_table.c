/* Statistics of ensembles as tables: in memory, and what files and the report call them. */
#include "base/text.h"
#include "studies/ensemble.h"

#include <limits.h>

/* Columns of observables run over times and the axes of the observable, and besides over one of
   axis_of() up to CAS_BY_GROUP. CAS_BY_NUMBER: They run over nothing else, and exist without bins
   too, from ensemble_number.h. CAS_WITH_BINS: They exist with bins alone. CAS_OF_EVENTS: They exist
   for probabilities alone. CAS_GROUPS_ALONE: They run over path groups and nothing else. */
enum {
  CAS_BY_NUMBER,
  CAS_BY_PROBABILITY,
  CAS_BY_BIN,
  CAS_BY_GROUP,
  CAS_WITH_BINS,
  CAS_OF_EVENTS,
  CAS_GROUPS_ALONE
};

#define COLUMN(kind, called, member, by, meaning, ...) \
  CAS_FIELD_COLUMN(cas_ensemble_observable, kind, called, member, by, meaning, __VA_ARGS__)
#define STATISTIC(called, member, by, meaning, unit, ...) \
  CAS_FIELD_STATISTIC(cas_ensemble_observable, called, member, by, meaning, unit, __VA_ARGS__)

static const cas_field observable_columns[] = {
    STATISTIC("mean", mean.value, CAS_BY_NUMBER, "mean of %s", NULL, "realization: mean",
              .error = "standard_error", .low = "mean_low", .high = "mean_high"),
    COLUMN(REAL, "standard_error", mean.standard_error, CAS_BY_NUMBER,
           "standard error of the mean of %s", NULL),
    COLUMN(REAL, "mean_low", mean.low, CAS_OF_EVENTS,
           "lower end of the 95% interval of the probability of %s, by Clopper and "
           "Pearson",
           NULL),
    COLUMN(REAL, "mean_high", mean.high, CAS_OF_EVENTS,
           "upper end of the 95% interval of the probability of %s, by Clopper and "
           "Pearson",
           NULL),
    STATISTIC("variance", variance.value, CAS_BY_NUMBER, "variance of %s (divisor paths - 1)", "^2",
              "realization: variance", .error = "variance_standard_error"),
    COLUMN(REAL, "variance_standard_error", variance.standard_error, CAS_BY_NUMBER,
           "standard error of the variance of %s", "^2"),
    STATISTIC("minimum", minimum, CAS_BY_NUMBER, "minimum of %s", NULL, "realization: minimum"),
    STATISTIC("maximum", maximum, CAS_BY_NUMBER, "maximum of %s", NULL, "realization: maximum"),
    COLUMN(REAL, "quantile", quantile.value, CAS_BY_PROBABILITY, "quantiles of %s", NULL,
           .low = "quantile_low", .high = "quantile_high"),
    COLUMN(REAL, "quantile_low", quantile.low, CAS_BY_PROBABILITY,
           "lower ends of the 95% intervals of the quantiles of %s", NULL),
    COLUMN(REAL, "quantile_high", quantile.high, CAS_BY_PROBABILITY,
           "upper ends of the 95% intervals of the quantiles of %s", NULL),
    COLUMN(INT64, "histogram", histogram.paths, CAS_BY_BIN, "histogram of %s: paths in each bin",
           "1"),
    COLUMN(REAL, "histogram_low", histogram.low, CAS_WITH_BINS,
           "histogram of %s: lower end of the first bin", NULL),
    COLUMN(REAL, "histogram_width", histogram.width, CAS_WITH_BINS,
           "histogram of %s: width of a bin", NULL),
    COLUMN(INT64, "histogram_below", histogram.below, CAS_WITH_BINS,
           "histogram of %s: paths below the first bin", "1"),
    COLUMN(INT64, "histogram_above", histogram.above, CAS_WITH_BINS,
           "histogram of %s: paths above the last bin", "1"),
    STATISTIC("group_mean", group_mean, CAS_BY_GROUP, "mean of %s over each group of paths", NULL,
              "realization: mean"),
    COLUMN(INT64, "group_paths", group_paths, CAS_GROUPS_ALONE, "counted paths of each group", "1"),
    {0}};

const cas_field *cas_ensemble_column(int k) {
  const cas_field *f = observable_columns;
  while (f->name && (f->extra != CAS_BY_NUMBER || k-- > 0))
    f++;
  return f->name ? f : NULL;
}

int cas_ensemble_columns(void) {
  int n = 0;
  while (cas_ensemble_column(n))
    n++;
  return n;
}

static const cas_field observable_values[] = {CAS_TABLE_BIAS_BOUND(cas_ensemble_observable), {0}},
                       observable_attributes[] = {
                           CAS_FIELD_VALUE(cas_ensemble_observable, TEXT, "long_name", long_name),
                           {0}};

/* ---- axes ---- */

/* The coordinates of bins are numbers from 0 on, which nobody holds. */
static cas_file_axis axis_of(const cas_ensemble *e, int by) {
  const cas_file_axis axis[] = {
      [CAS_BY_NUMBER] = {"time", "time", "time_unit", e->records, NULL, e->time},
      [CAS_BY_PROBABILITY] = {"probability", CAS_SPAN_PROBABILITY_AXIS, "1", e->quantiles, NULL,
                              e->probability},
      [CAS_BY_BIN] = {"bin", "bin b begins at histogram_low + b histogram_width", "1", e->bins,
                      NULL, NULL},
      [CAS_BY_GROUP] = cas_span_path_group_axis(e->path_groups)};
  return axis[by];
}

static int observable_axes(const cas_table *t, const cas_field *column,
                           cas_file_axis axis[CAS_TABLE_AXES]) {
  const cas_ensemble_observable *o = t->object;
  const cas_ensemble *e = t->whole->object;
  const bool alone = column->extra == CAS_GROUPS_ALONE;
  int n = 0;
  axis[n++] = axis_of(e, alone ? CAS_BY_GROUP : CAS_BY_NUMBER);
  for (int k = 0; !alone && k < o->axes; k++)
    axis[n++] = o->axis[k];
  if ((column->extra == CAS_WITH_BINS && e->bins == 0) ||
      (column->extra == CAS_OF_EVENTS && !o->probability))
    axis[0].length = 0;
  if (column->extra > CAS_BY_NUMBER && column->extra <= CAS_BY_GROUP)
    axis[n++] = axis_of(e, column->extra);
  return n;
}

static const char *observable_name(const void *observable) {
  return ((const cas_ensemble_observable *)observable)->name;
}

/* ---- in memory ---- */

static bool make_axes(cas_ensemble *e) {
  e->time = calloc((size_t)e->records + 1, sizeof *e->time);
  e->probability = calloc((size_t)e->quantiles + 1, sizeof *e->probability);
  return e->time && e->probability;
}

cas_status cas_ensemble_create(cas_results *r, int records, int quantiles, int bins,
                               int observables, cas_ensemble **out, cas_error *err) {
  cas_ensemble *e = *out = calloc(1, sizeof *e);
  CAS_CALL(cas_results_add(r, &cas_table_ensemble, e, err));
  *e = (cas_ensemble){.records = records, .quantiles = quantiles, .bins = bins};
  e->observable = calloc((size_t)observables + 1, sizeof *e->observable);
  CAS_FAIL_IF(!make_axes(e) || !e->observable, CAS_NO_MEMORY,
              "out of memory: statistics at %d times", records);
  e->observables = observables;
  return CAS_OK;
}

cas_status cas_ensemble_observe(cas_ensemble *e, int i, const char *name, const char *long_name,
                                const char *unit, int axes, const cas_file_axis *axis,
                                cas_error *err) {
  const cas_table whole = {&cas_table_ensemble, e, NULL}, t = cas_table_part(&whole, i);
  cas_ensemble_observable *o = t.object;
  bool failed = false;
  snprintf(o->name, sizeof o->name, "%s", name);
  snprintf(o->unit, sizeof o->unit, "%s", unit);
  o->long_name = cas_text_copy(long_name, &failed);
  o->axes = axes;
  o->numbers = 1;
  for (int k = 0; k < axes; k++) {
    cas_file_axis_copy(&o->axis[k], &axis[k], &failed);
    o->numbers *= axis[k].length;
  }
  CAS_NEED(!failed);
  return e->apart ? CAS_OK : cas_table_create_columns(&t, err);
}

static void release_observable(void *observable) {
  cas_ensemble_observable *o = observable;
  for (int k = 0; k < o->axes; k++)
    cas_file_axis_free(&o->axis[k]);
}

static void release_ensemble(void *ensemble) {
  cas_ensemble *e = ensemble;
  free(e->time);
  free(e->probability);
}

/* ---- files ---- */

static const char *const axis_attribute[2] = {"axis_1", "axis_2"};

static void put_observable(cas_h5 *h, hid_t group, const cas_table *t) {
  const cas_ensemble_observable *o = t->object;
  for (int k = 0; k < o->axes; k++)
    cas_h5_put_text(h, group, axis_attribute[k], o->axis[k].name);
}

/* Scales are written before the columns that name them. */
static void put_ensemble(cas_h5 *h, hid_t group, const cas_table *t) {
  const cas_ensemble *e = t->object;
  CAS_OWNED double *number = malloc(((size_t)e->bins + 1) * sizeof *number);
  for (int b = 0; number && b < e->bins; b++)
    number[b] = b;
  if (!number)
    cas_h5_no_memory(h);
  for (int by = CAS_BY_NUMBER; by <= CAS_BY_GROUP; by++) {
    cas_file_axis axis = axis_of(e, by);
    if (by == CAS_BY_BIN)
      axis.coordinates = number;
    if (axis.length > 0)
      cas_h5_close(h, cas_h5_axis_scale(h, group, &axis));
  }
}

/* The group of an observable has its mean, that of the ensemble the scales. */
static void get_observable(cas_h5 *h, hid_t group, cas_table *t) {
  cas_ensemble_observable *o = t->object;
  const cas_ensemble *e = t->whole->object;
  hsize_t dims[4];
  double numbers = e->records;
  hid_t ensemble = cas_h5_group_open(h, group, "/ensemble");
  int rank = cas_h5_shape(h, group, "mean", dims);
  o->probability = cas_h5_has_dataset(h, group, "mean_low");
  for (int k = 1; k < rank; k++)
    numbers *= (double)dims[k];
  if (!h->status && (rank > 3 || numbers < 1 || numbers > INT_MAX))
    cas_h5_refuse(h, "'ensemble/%s/mean' has a shape that no observable has", o->name);
  for (o->numbers = 1; o->axes + 1 < rank && !h->status; o->axes++) {
    const int length = (int)dims[1 + o->axes];
    char *name = NULL;
    o->numbers *= length;
    cas_h5_get_attribute(h, group, axis_attribute[o->axes], CAS_FIELD_TEXT, &name);
    cas_h5_get_axis(h, ensemble, name, length, &o->axis[o->axes]);
  }
  cas_h5_close(h, ensemble);
}

static void get_ensemble(cas_h5 *h, hid_t group, cas_table *t) {
  cas_ensemble *e = t->object;
  hsize_t dims[4] = {0};
  int rank = cas_h5_shape(h, group, "time", dims);
  if (!h->status && (rank != 1 || dims[0] > INT_MAX / 2))
    cas_h5_refuse(h, "'ensemble/time' is not a list of times");
  e->records = h->status ? 0 : (int)dims[0];
  e->path_groups =
      cas_h5_has_dataset(h, group, "path_group") ? cas_h5_length(h, group, "path_group") : 0;
  cas_h5_get_fields(h, group, t->kind->attributes, e);
  if (!h->status && (e->bins < 0 || e->quantiles < 0 || e->records < 1))
    cas_h5_refuse(h, "'ensemble' has %d bins, %d quantiles and %d times", e->bins, e->quantiles,
                  e->records);
  if (!h->status && !make_axes(e))
    cas_h5_no_memory(h);
  if (!h->status)
    cas_h5_get_column(h, group, "time", CAS_FIELD_REAL, e->records, e->time);
  if (!h->status && e->quantiles)
    cas_h5_get_column(h, group, "probability", CAS_FIELD_REAL, e->quantiles, e->probability);
}

static const cas_table_kind table_observable = {
    .size = sizeof(cas_ensemble_observable),
    .columns = observable_columns,
    .values = observable_values,
    .attributes = observable_attributes,
    .name = offsetof(cas_ensemble_observable, name),
    .unit = offsetof(cas_ensemble_observable, unit),
    .axes = observable_axes,
    .subject = observable_name,
    .put = put_observable,
    .get = get_observable,
    .release = release_observable,
};

const cas_table_kind cas_table_ensemble = {
    .group = "ensemble",
    .place = CAS_TABLE_ALONE,
    .size = sizeof(cas_ensemble),
    .attributes = CAS_FIELDS(
        CAS_TABLE_VALUE(cas_ensemble, INT, "quantiles", quantiles, "number of quantiles", "1"),
        CAS_TABLE_VALUE(cas_ensemble, INT, "bins", bins, "bins of each histogram, 0: none", "1"),
        CAS_TABLE_VALUE(cas_ensemble, INT64, "paths_counted", counted, "counted paths", "1"),
        CAS_TABLE_VALUE(cas_ensemble, INT64, "members", members, "whole states in the file", "1"),
        CAS_TABLE_VALUE(cas_ensemble, INT, "quantiles_exact", exact,
                        "1: quantiles are order statistics, 0: to the width of a bin", "1")),
    .parts = {&table_observable, offsetof(cas_ensemble, observable),
              offsetof(cas_ensemble, observables), .scales_above = true},
    .put = put_ensemble,
    .get = get_ensemble,
    .release = release_ensemble,
};
