/* Numbers over time, as /trajectory holds them: time, then paths if there are several, then the
   axes of what is recorded. */
#include "present/pictures/picture.h"
#include <math.h>
#include <stdlib.h>

#define TIME "/trajectory/time"

static void full_name(const char *name, char text[200]) {
  snprintf(text, 200, "/trajectory/%s", name);
}

/* The axis of the paths has a scale of its own; single numbers that were written without it are
   told by their rank. */
static int64_t paths_of(const cas_source *s, const cas_dataset *d, int axes) {
  bool several = cas_contents_find(&s->contents, "/trajectory/path") || (axes == 0 && d->rank == 2);
  return several && d->rank >= 2 ? d->dims[1] : 0;
}

const cas_dataset *cas_series_find(const cas_source *s, const char *name, int axes) {
  char full[200];
  const cas_dataset *d, *time = cas_contents_find(&s->contents, TIME);
  bool fits;
  full_name(name, full);
  d = cas_contents_find(&s->contents, full);
  fits = d && time && !d->is_complex && !time->is_complex && time->rank == 1;
  if (!fits || d->rank != 1 + (paths_of(s, d, axes) > 0) + axes)
    return NULL;
  for (int i = 0; i < d->rank; i++)
    fits = fits && d->dims[i] > 0;
  return fits ? d : NULL;
}

cas_status cas_series_column_read(const cas_source *s, const char *name, int64_t n, double **value,
                                  cas_error *err) {
  int rank;
  int64_t dims[4] = {0};
  bool is_complex;
  cas_status st = cas_dataset_read(s->file, name, &rank, dims, &is_complex, value, err);
  if (st || (!is_complex && rank == 1 && dims[0] == n))
    return st;
  free(*value);
  *value = NULL;
  return cas_fail(err, CAS_BAD_INPUT,
                  "%s: the dataset '%s' should be %lld real numbers, to fit the others of its "
                  "group",
                  s->file, name, (long long)n);
}

/* Keeps the records up to s->until. */
static cas_status shorten(const cas_source *s, cas_series *out, cas_error *err) {
  double first = out->time[0];
  int64_t kept = 0;
  while (kept < out->records && !(out->time[kept] > s->until))
    kept++;
  out->records = kept;
  return kept ? CAS_OK
              : cas_fail(err, CAS_BAD_INPUT,
                         "%s: nothing is recorded until t = %g; the first time is %g", s->file,
                         s->until, first);
}

cas_status cas_series_open(const cas_source *s, const char *name, int axes, cas_series *out,
                           cas_error *err) {
  const cas_dataset *d = cas_series_find(s, name, axes);
  cas_status st;

  *out = (cas_series){.rank = axes, .numbers = 1};
  if (!d)
    return cas_fail(err, CAS_BAD_INPUT, "%s: has no series '%s' over time", s->file, name);
  out->units = d->units;
  out->records = d->dims[0];
  out->paths = paths_of(s, d, axes);
  for (int i = 0; i < axes; i++) {
    out->dims[i] = d->dims[d->rank - axes + i];
    out->numbers *= out->dims[i];
  }
  if (out->paths == 0)
    out->paths = 1;
  st = cas_series_column_read(s, TIME, out->records, &out->time, err);
  return st ? st : shorten(s, out, err);
}

cas_status cas_series_read(const cas_source *s, const char *name, int axes, cas_series *out,
                           cas_error *err) {
  cas_status st = cas_series_open(s, name, axes, out, err);
  char full[200];
  int rank;
  int64_t dims[4];
  bool is_complex;
  full_name(name, full);
  return st ? st
            : cas_dataset_read_records(s->file, full, 0, out->records, &rank, dims, &is_complex,
                                       &out->value, err);
}

void cas_series_free(cas_series *s) {
  free(s->time);
  free(s->value);
  *s = (cas_series){0};
}

/* ---- curves ---- */

static double at(const cas_series *s, int64_t record, int64_t path, int64_t number) {
  return s->value[(record * s->paths + path) * s->numbers + number];
}

/* The least and the greatest value of [first, next), in order of time. */
static void write_bin(cas_figure *g, const cas_series *s, int64_t first, int64_t next, int64_t path,
                      int64_t number) {
  int64_t low = first, high = first;
  for (int64_t i = first + 1; i < next; i++) {
    if (!(at(s, i, path, number) >= at(s, low, path, number)))
      low = i;
    if (!(at(s, i, path, number) <= at(s, high, path, number)))
      high = i;
  }
  if (low > high) {
    int64_t other = low;
    low = high, high = other;
  }
  CAS_FIGURE_ROW(g, s->time[low], at(s, low, path, number));
  if (low != high)
    CAS_FIGURE_ROW(g, s->time[high], at(s, high, path, number));
}

void cas_series_curve_write(cas_figure *g, const char *name, const cas_series *s, int64_t path,
                            int64_t number, const char *heading, const char *units) {
  enum { BINS = 1000 };
  int64_t bins = s->records > 2 * BINS ? BINS : s->records;
  CAS_FIGURE_DATA(g, name, {"time", CAS_FIGURE_TIME_UNIT}, {heading, units});
  for (int64_t b = 0; b < bins; b++)
    write_bin(g, s, b * s->records / bins, (b + 1) * s->records / bins, path, number);
  cas_figure_data_end(g);
}

/* ---- which records ---- */

int64_t cas_series_nearest(const double *x, int64_t n, double wanted) {
  int64_t best = 0;
  for (int64_t i = 1; i < n; i++)
    if (fabs(x[i] - wanted) < fabs(x[best] - wanted))
      best = i;
  return best;
}

static int ascending(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* Chooses the records nearest to the times that were asked for. */
static int choose_nearest(const cas_figure *g, const double *time, int64_t records,
                          int64_t record[CAS_PLOT_MOST_TIMES]) {
  const cas_plot_request *q = g->request;
  double span = time[records - 1] - time[0];
  for (int i = 0; i < q->times; i++) {
    record[i] = cas_series_nearest(time, records, q->at[i]);
    if (fabs(time[record[i]] - q->at[i]) > 1e-9 * fmax(span, fabs(q->at[i])))
      cas_figure_remark(g, "nothing is recorded at t = %g; t = %g is drawn", q->at[i],
                        time[record[i]]);
  }
  int kept = 0;
  qsort(record, (size_t)q->times, sizeof *record, ascending);
  for (int i = 0; i < q->times; i++)
    if (kept == 0 || record[i] > record[kept - 1])
      record[kept++] = record[i];
  return kept;
}

/* Each is a record of its own, also where few were recorded early on. */
static int choose_development(const double *time, int64_t records, int wanted,
                              int64_t record[CAS_PLOT_MOST_TIMES]) {
  double first = time[0], span = time[records - 1] - first;
  int n = records < wanted ? (int)records : wanted;
  record[n - 1] = records - 1;
  for (int i = n - 2; i >= 0; i--) {
    int64_t k = i == 0 ? 0 : cas_series_nearest(time, records, first + span * pow(4, i - n + 1));
    record[i] = k < i ? i : k >= record[i + 1] ? record[i + 1] - 1 : k;
  }
  return n;
}

static cas_status read_snapshots(const cas_source *s, const char *dataset, cas_snapshots *p,
                                 cas_error *err) {
  int64_t dims[4];
  int rank;
  bool is_complex;
  cas_status st = CAS_OK;
  for (int i = 0; i < p->n && !st; i++)
    st = cas_dataset_read_records(s->file, dataset, p->record[i], 1, &rank, dims, &is_complex,
                                  &p->value[i], err);
  return st;
}

cas_status cas_snapshots_read(const cas_figure *g, const cas_source *s, const char *dataset,
                              const double *time, int64_t records, int wanted, cas_snapshots *out,
                              cas_error *err) {
  int64_t record[CAS_PLOT_MOST_TIMES];

  *out = (cas_snapshots){0};
  out->n = g->request->times ? choose_nearest(g, time, records, record)
                             : choose_development(time, records, wanted, record);
  for (int i = 0; i < out->n; i++) {
    out->record[i] = record[i];
    out->time[i] = time[record[i]];
  }
  return read_snapshots(s, dataset, out, err);
}

cas_status cas_snapshots_also(const cas_source *s, const char *dataset, const cas_snapshots *of,
                              cas_snapshots *out, cas_error *err) {
  *out = *of;
  for (int i = 0; i < out->n; i++)
    out->value[i] = NULL;
  return read_snapshots(s, dataset, out, err);
}

void cas_snapshots_free(cas_snapshots *p) {
  for (int i = 0; i < p->n; i++)
    free(p->value[i]);
}

void cas_snapshots_write(cas_figure *g, const char *name, const cas_snapshots *p) {
  cas_figure_count(g, name, p->n);
  for (int i = 0; i < p->n; i++)
    cas_figure_real_of(g, "when", i, p->n, p->time[i]);
}
