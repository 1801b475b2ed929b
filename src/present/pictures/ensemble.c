/* Statistics of an ensemble over time: a panel for each observable, with bands between quantiles,
   median, extremes, and the mean with its confidence interval. Few times are boxes instead. */
#include "present/pictures/picture.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  MOST_PANELS = 6,
  MOST_NUMBERS = 3, /* of an observable that gets a panel for each of them */
  FEW = 12,         /* times, drawn as boxes */
  MOST_PAIRS = 3
};

/* One number of an observable. */
typedef struct {
  char name[80];
  int64_t number, numbers; /* which of how many */
} subject;

/* How the columns of a panel's data follow each other. */
enum { TIME = 1, CENTRE, CENTRE_LOW, CENTRE_HIGH, LEAST, GREATEST, MEDIAN, PAIRS, COLUMNS = 13 };

typedef struct {
  const cas_source *source;
  int64_t times, probabilities;
  double *time, *probability;
  int pairs, low[MOST_PAIRS], high[MOST_PAIRS]; /* indices of quantiles, outermost first */
  int median;                                   /* -1: none */
  int subjects, left_out, pairs_left_out;
  subject subject[MOST_PANELS];
  bool boxes;
  double half_width; /* of a box */
  bool any;          /* number that is drawn */
} ensemble;

static bool is_axis(const cas_dataset *d) { return d && !d->is_complex && d->rank == 1; }

/* The dataset /ensemble/NAME/STATISTIC if it has this many axes, the first of them time. */
static const cas_dataset *find(const cas_source *s, const char *name, const char *statistic,
                               int rank) {
  char full[200];
  const cas_dataset *d, *time = cas_contents_find(&s->contents, "/ensemble/time");

  snprintf(full, sizeof full, "/ensemble/%s/%s", name, statistic);
  d = cas_contents_find(&s->contents, full);
  if (!d || !is_axis(time) || d->is_complex || d->rank != rank || d->dims[0] != time->dims[0])
    return NULL;
  return d->dims[0] > 0 && d->dims[rank - 1] > 0 ? d : NULL;
}

/* ---- what there is to draw ---- */

/* NAME of "/ensemble/NAME/mean"; false for any other dataset. */
static bool observable_of(const cas_dataset *d, char *name, size_t size) {
  static const char before[] = "/ensemble/", after[] = "/mean";
  size_t n = strlen(d->name), head = sizeof before - 1, tail = sizeof after - 1;

  if (n <= head + tail || strncmp(d->name, before, head) || strcmp(d->name + n - tail, after))
    return false;
  snprintf(name, size, "%.*s", (int)(n - head - tail), d->name + head);
  return !strchr(name, '/');
}

static void add_subjects(ensemble *e, const char *name, int64_t numbers) {
  for (int64_t i = 0; i < numbers; i++) {
    if (e->subjects == MOST_PANELS) {
      e->left_out++;
      continue;
    }
    e->subject[e->subjects] = (subject){.number = i, .numbers = numbers};
    snprintf(e->subject[e->subjects++].name, sizeof e->subject[0].name, "%s", name);
  }
}

/* Single numbers first; of the others those that are few. */
static void find_subjects(ensemble *e, const cas_source *s) {
  char name[80];

  for (int axes = 0; axes < 2; axes++)
    for (int i = 0; i < s->contents.n; i++) {
      const cas_dataset *d;

      if (!observable_of(&s->contents.dataset[i], name, sizeof name) ||
          !(d = find(s, name, "mean", 1 + axes)))
        continue;
      if (!axes || d->dims[1] <= MOST_NUMBERS)
        add_subjects(e, name, axes ? d->dims[1] : 1);
      else
        e->left_out += (int)fmin(1e6, (double)d->dims[1]);
    }
}

static bool matches(const cas_source *s) {
  ensemble e = {0};

  find_subjects(&e, s);
  return e.subjects > 0;
}

static void add_pair(ensemble *e, int low, int high) {
  if (e->pairs == MOST_PAIRS) {
    e->pairs_left_out++;
    return;
  }
  e->low[e->pairs] = low;
  e->high[e->pairs++] = high;
}

/* Pairs of probabilities that add to 1 are the edges of bands. */
static void find_bands(ensemble *e) {
  e->median = -1;
  for (int i = 0; i < e->probabilities; i++) {
    if (fabs(e->probability[i] - 0.5) < 1e-9)
      e->median = i;
    for (int j = i + 1; j < e->probabilities; j++)
      if (fabs(e->probability[i] + e->probability[j] - 1) < 1e-9)
        add_pair(e, i, j);
  }
}

static void choose_boxes(ensemble *e) {
  double least = INFINITY;

  e->boxes = e->times <= FEW;
  for (int64_t i = 1; i < e->times; i++)
    least = fmin(least, e->time[i] - e->time[i - 1]);
  e->half_width =
      isfinite(least) ? fmin(0.28 * least, 0.03 * (e->time[e->times - 1] - e->time[0])) : 0.1;
}

static cas_status read_axes(const cas_source *s, ensemble *e, cas_error *err) {
  const cas_dataset *probability = cas_contents_find(&s->contents, "/ensemble/probability");
  cas_status st;

  e->source = s;
  e->times = cas_contents_find(&s->contents, "/ensemble/time")->dims[0];
  st = cas_column_read(s, "/ensemble/time", e->times, &e->time, err);
  if (!st && is_axis(probability)) {
    e->probabilities = probability->dims[0];
    st = cas_column_read(s, probability->name, e->probabilities, &e->probability, err);
  }
  if (st)
    return st;
  find_bands(e);
  choose_boxes(e);
  find_subjects(e, s);
  return CAS_OK;
}

/* ---- the numbers of a panel ---- */

/* [times][COLUMNS], by column - 1; NaN where the file has none */
typedef double table[COLUMNS];

static cas_status read_column(const ensemble *e, const subject *u, const char *statistic,
                              int column, table *t, cas_error *err) {
  const cas_dataset *d = find(e->source, u->name, statistic, u->numbers > 1 ? 2 : 1);
  double *value = NULL;
  int rank;
  int64_t dims[4];
  bool is_complex;
  cas_status st;

  if (!d || (d->rank == 2 && d->dims[1] != u->numbers))
    return CAS_OK;
  st = cas_dataset_read(e->source->file, d->name, &rank, dims, &is_complex, &value, err);
  for (int64_t i = 0; i < e->times && !st; i++)
    t[i][column - 1] = value[i * u->numbers + u->number];
  free(value);
  return st;
}

static cas_status read_quantiles(const ensemble *e, const subject *u, table *t, cas_error *err) {
  const cas_dataset *d = find(e->source, u->name, "quantile", u->numbers > 1 ? 3 : 2);
  double *value = NULL;
  int rank;
  int64_t dims[4];
  bool is_complex;
  cas_status st;

  if (!d || d->dims[d->rank - 1] != e->probabilities || (d->rank == 3 && d->dims[1] != u->numbers))
    return CAS_OK;
  st = cas_dataset_read(e->source->file, d->name, &rank, dims, &is_complex, &value, err);
  for (int64_t i = 0; i < e->times && !st; i++) {
    const double *q = value + (i * u->numbers + u->number) * e->probabilities;

    for (int k = 0; k < e->pairs; k++) {
      t[i][PAIRS - 1 + 2 * k] = q[e->low[k]];
      t[i][PAIRS + 2 * k] = q[e->high[k]];
    }
    if (e->median >= 0)
      t[i][MEDIAN - 1] = q[e->median];
  }
  free(value);
  return st;
}

/* Student's interval of a mean; a variance is that of as many paths as make this standard error of
   it. */
static double half_width(double standard_error, double variance) {
  double paths = round(variance / (standard_error * standard_error)), student = 1.96;
  if (isfinite(paths) && paths > 1)
    student = cas_student_quantile(0.95, paths - 1);
  return isfinite(standard_error) ? student * standard_error : 0;
}

static cas_status read_table(const ensemble *e, const subject *u, table *t, cas_error *err) {
  cas_status st;

  for (int64_t i = 0; i < e->times; i++) {
    for (int k = 0; k < COLUMNS; k++)
      t[i][k] = NAN;
    t[i][TIME - 1] = e->time[i];
  }
  st = read_column(e, u, "mean", CENTRE, t, err);
  if (!st)
    st = read_column(e, u, "standard_error", CENTRE_LOW, t, err);
  if (!st)
    st = read_column(e, u, "variance", CENTRE_HIGH, t, err);
  if (!st)
    st = read_column(e, u, "minimum", LEAST, t, err);
  if (!st)
    st = read_column(e, u, "maximum", GREATEST, t, err);
  for (int64_t i = 0; i < e->times && !st; i++) {
    double half = half_width(t[i][CENTRE_LOW - 1], t[i][CENTRE_HIGH - 1]);

    t[i][CENTRE_LOW - 1] = t[i][CENTRE - 1] - half;
    t[i][CENTRE_HIGH - 1] = t[i][CENTRE - 1] + half;
  }
  return st ? st : read_quantiles(e, u, t, err);
}

/* [0, COLUMNS): all of the file's numbers of this observable are in its unit. */
static void write_table(cas_figure *g, ensemble *e, table *t, int panel, const char *units) {
  static const char *const names[COLUMNS] = {"time",     "mean",   "mean_low", "mean_high", "least",
                                             "greatest", "median", "low_1",    "high_1",    "low_2",
                                             "high_2",   "low_3",  "high_3"};
  cas_column column[COLUMNS];
  double low = INFINITY, high = -INFINITY;

  for (int k = 0; k < COLUMNS; k++)
    column[k] = (cas_column){names[k], k ? units : CAS_TIME_UNIT};
  cas_block_begin(g, cas_name(g, "panel_%d", panel + 1), COLUMNS, column);
  for (int64_t i = 0; i < e->times; i++) {
    bool gap = !isfinite(t[i][CENTRE - 1]);

    cas_block_row(g, gap ? NULL : t[i]);
    for (int k = CENTRE - 1; k < COLUMNS && !gap; k++)
      if (isfinite(t[i][k])) {
        low = fmin(low, t[i][k]);
        high = fmax(high, t[i][k]);
      }
  }
  cas_block_end(g);
  e->any |= low <= high;
  cas_real_of(g, "from", panel, e->subjects, low);
  cas_real_of(g, "to", panel, e->subjects, high);
}

/* ---- panels ---- */

/* What number i of an observable is called, its own count from 1 if it has no name. */
static void name_number(const ensemble *e, const subject *u, char text[40]) {
  const cas_ensemble *all = cas_results_ensemble(&e->source->results);

  snprintf(text, 40, "%lld", (long long)u->number + 1);
  for (int i = 0; all && i < all->observables; i++) {
    const cas_ensemble_observable *o = &all->observable[i];
    const char *label = o->axes == 1 ? o->axis[0].labels : NULL;

    if (!label || strcmp(o->name, u->name) != 0)
      continue;
    for (int64_t k = 0; k < u->number; k++) {
      label += strcspn(label, " ");
      label += strspn(label, " ");
    }
    snprintf(text, 40, "%.*s", (int)strcspn(label, " "), label);
  }
}

static cas_status write_panel(cas_figure *g, ensemble *e, int panel, cas_error *err) {
  const subject *u = &e->subject[panel];
  const char *units = find(e->source, u->name, "mean", u->numbers > 1 ? 2 : 1)->units;
  char number[40] = "";
  table *t = calloc((size_t)e->times, sizeof *t);
  cas_status st = t ? read_table(e, u, t, err) : cas_fail(err, CAS_NO_MEMORY, "out of memory");

  if (u->numbers > 1)
    name_number(e, u, number);
  cas_text_of(g, "name", panel, e->subjects, CAS_WORDS, u->name);
  cas_text_of(g, "number", panel, e->subjects, CAS_WORDS, number);
  cas_text_of(g, "units", panel, e->subjects, CAS_UNITS, units);
  if (!st)
    write_table(g, e, t, panel, units);
  free(t);
  return st;
}

/* ---- the figure ---- */

static void write_values(cas_figure *g, const ensemble *e) {
  cas_count(g, "panels", e->subjects);
  cas_count(g, "boxes", e->boxes);
  cas_real(g, "half_width", e->half_width);
  cas_real(g, "start", e->time[0]);
  cas_real(g, "end", e->time[e->times - 1]);
  cas_count(g, "has_median", e->median >= 0);
  cas_count(g, "bands", e->pairs);
  for (int k = 0; k < e->pairs; k++) {
    cas_real_of(g, "band_low", k, e->pairs, e->probability[e->low[k]]);
    cas_real_of(g, "band_high", k, e->pairs, e->probability[e->high[k]]);
  }
}

static void remark(const cas_figure *g, const ensemble *e) {
  if (e->left_out)
    cas_figure_remark(g, "%d further number%s of the observables %s not drawn", e->left_out,
                      e->left_out > 1 ? "s" : "", e->left_out > 1 ? "are" : "is");
  if (e->pairs_left_out)
    cas_figure_remark(g, "%d further pair%s of quantiles %s not drawn", e->pairs_left_out,
                      e->pairs_left_out > 1 ? "s" : "", e->pairs_left_out > 1 ? "are" : "is");
}

static cas_status draw(cas_figure *g, const cas_source *s, int n, cas_error *err) {
  ensemble e = {0};
  cas_status st = read_axes(s, &e, err);

  (void)n;
  if (!st)
    write_values(g, &e);
  for (int i = 0; i < e.subjects && !st; i++)
    st = write_panel(g, &e, i, err);
  if (!st && !e.any)
    st = cas_figure_nothing(s->file, "mean of any observable", err);
  if (!st)
    remark(g, &e);
  free(e.time);
  free(e.probability);
  return st;
}

const cas_picture cas_picture_ensemble = {
    .name = "ensemble",
    .summary = "mean, quantiles and extremes of observables over time",
    .needs = "/ensemble/time and /ensemble/NAME/mean",
    .files = 1,
    .matches = matches,
    .draw = draw,
};
