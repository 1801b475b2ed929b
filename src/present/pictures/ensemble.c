/* Statistics of an ensemble over time: a panel for each number of its observables, with bands
   between quantiles, median, extremes, and the mean with its confidence interval. */
#include "present/pictures/picture.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  MOST_PANELS = 6,
  MOST_NUMBERS = 3, /* of an observable that gets a panel for each of them */
  FEW = 12,         /* times, drawn as boxes */
  MOST_BANDS = 3,
  MOST_MEMBERS = 20 /* lines that can be told apart from bands */
};

/* One number of an observable. */
typedef struct {
  const cas_ensemble_observable *of;
  int number;
} subject;

typedef struct {
  const cas_ensemble *ensemble;
  int bands, low[MOST_BANDS], high[MOST_BANDS]; /* indices of quantiles, outermost first */
  int median;                                   /* -1: none */
  int subjects, left_out, bands_left_out;
  subject subject[MOST_PANELS];
  bool any; /* number that is drawn */
} figure;

/* ---- what there is to draw ---- */

static void add_subject(figure *e, const cas_ensemble_observable *o, int number) {
  if (e->subjects == MOST_PANELS)
    e->left_out++;
  else
    e->subject[e->subjects++] = (subject){o, number};
}

/* Single numbers are first; of the others those that are few follow. */
static void find_subjects(figure *e) {
  for (int axes = 0; axes < 3; axes++)
    for (int i = 0; i < e->ensemble->observables; i++) {
      const cas_ensemble_observable *o = &e->ensemble->observable[i];
      if (o->axes != axes)
        continue;
      if (axes > 1 || o->numbers > MOST_NUMBERS)
        e->left_out += o->numbers;
      for (int k = 0; axes < 2 && k < o->numbers && o->numbers <= MOST_NUMBERS; k++)
        add_subject(e, o, k);
    }
}

static bool matches_ensemble(const cas_source *s) {
  figure e = {.ensemble = cas_results_ensemble(&s->results)};
  if (e.ensemble && e.ensemble->records > 0)
    find_subjects(&e);
  return e.subjects > 0;
}

static void add_band(figure *e, int low, int high) {
  if (e->bands == MOST_BANDS) {
    e->bands_left_out++;
    return;
  }
  e->low[e->bands] = low;
  e->high[e->bands++] = high;
}

/* Pairs of probabilities that add to 1 are the edges of bands. */
static void find_bands(figure *e) {
  const double *p = e->ensemble->probability;
  e->median = -1;
  for (int i = 0; i < e->ensemble->quantiles; i++) {
    if (fabs(p[i] - 0.5) < 1e-9)
      e->median = i;
    for (int j = i + 1; j < e->ensemble->quantiles; j++)
      if (fabs(p[i] + p[j] - 1) < 1e-9)
        add_band(e, i, j);
  }
}

/* Half the width of a box. */
static double half_box(const cas_ensemble *e) {
  double least = INFINITY;
  for (int i = 1; i < e->records; i++)
    least = fmin(least, e->time[i] - e->time[i - 1]);
  return isfinite(least) ? fmin(0.28 * least, 0.03 * (e->time[e->records - 1] - e->time[0])) : 0.1;
}

/* ---- the numbers of a panel ---- */

enum { MEAN = 1, MEAN_LOW, MEAN_HIGH, LEAST, GREATEST, MEDIAN, BANDS, COLUMNS = 13 };
static const char *const columns[COLUMNS] = {"time",     "mean",   "mean_low", "mean_high", "least",
                                             "greatest", "median", "low_1",    "high_1",    "low_2",
                                             "high_2",   "low_3",  "high_3"};

/* Half of Student's interval of a mean. The number of paths follows from the variance and the
   standard error. */
static double half_width(double standard_error, double variance) {
  double paths = round(variance / (standard_error * standard_error)), student = 1.96;
  if (isfinite(paths) && paths > 1)
    student = cas_student_quantile(0.95, paths - 1);
  return isfinite(standard_error) ? student * standard_error : 0;
}

/* NaN where there is nothing; all of it is, where there is no mean. */
static void fill_row(const figure *e, const subject *u, int time, double row[COLUMNS]) {
  const cas_ensemble_observable *o = u->of;
  int i = time * o->numbers + u->number;
  const double *quantile = o->quantile + i * e->ensemble->quantiles;
  double half = half_width(o->standard_error[i], o->variance[i]);
  for (int k = 0; k < COLUMNS; k++)
    row[k] = NAN;
  if (!isfinite(o->mean[i]))
    return;
  row[0] = e->ensemble->time[time];
  row[MEAN] = o->mean[i];
  row[MEAN_LOW] = o->probability ? o->mean_low[i] : o->mean[i] - half;
  row[MEAN_HIGH] = o->probability ? o->mean_high[i] : o->mean[i] + half;
  row[LEAST] = o->minimum[i];
  row[GREATEST] = o->maximum[i];
  if (e->median >= 0)
    row[MEDIAN] = quantile[e->median];
  for (int k = 0; k < e->bands; k++) {
    row[BANDS + 2 * k] = quantile[e->low[k]];
    row[BANDS + 2 * k + 1] = quantile[e->high[k]];
  }
}

static void write_block(cas_figure *g, figure *e, int panel) {
  const subject *u = &e->subject[panel];
  cas_figure_column column[COLUMNS];
  for (int k = 0; k < COLUMNS; k++)
    column[k] = (cas_figure_column){columns[k], k ? u->of->unit : CAS_FIGURE_TIME_UNIT};
  cas_figure_data_begin(g, cas_figure_name(g, "panel_%d", panel + 1), COLUMNS, column);
  for (int i = 0; i < e->ensemble->records; i++) {
    double row[COLUMNS];
    fill_row(e, u, i, row);
    e->any |= isfinite(row[MEAN]);
    cas_figure_data_row(g, row);
  }
  cas_figure_data_end(g);
}

/* What number i of an observable is called: its own count from 1 if it has no name. */
static void name_number(const subject *u, char text[40]) {
  const char *label = u->of->axis[0].labels;
  snprintf(text, 40, "%d", u->number + 1);
  if (!label)
    return;
  for (int k = 0; k < u->number; k++) {
    label += strcspn(label, " ");
    label += strspn(label, " ");
  }
  snprintf(text, 40, "%.*s", (int)strcspn(label, " "), label);
}

/* ---- members ---- */

/* The states of members, if they are lists of real numbers with names; NULL: they are not. */
static const cas_dataset *find_members(const cas_source *s, const figure *e) {
  const cas_dataset *d = cas_contents_find(&s->contents, "/ensemble/members");
  bool fits = d && d->components && !d->is_complex && d->rank == 3 &&
              d->dims[0] == e->ensemble->records && d->dims[1] > 0;
  return fits ? d : NULL;
}

/* The place of a name among the components of states, separated by spaces; -1: it is none. */
static int component_of(const cas_dataset *members, const char *name) {
  const char *list = members->components;
  for (int k = 0; *list; k++) {
    size_t n = strcspn(list, " ");
    if (n == strlen(name) && strncmp(list, name, n) == 0 && k < members->dims[2])
      return k;
    list += n + strspn(list + n, " ");
  }
  return -1;
}

/* The component that a panel shows; -1: another number. */
static int component_of_panel(const cas_dataset *members, const subject *u) {
  return u->of->axes == 0 ? component_of(members, u->of->name) : -1;
}

static void write_members(cas_figure *g, const figure *e, const cas_dataset *members, int panel,
                          int component, int shown, const double *state) {
  const int64_t each = members->dims[2];
  double row[1 + MOST_MEMBERS];
  cas_figure_matrix_begin(
      g, cas_figure_name(g, "members_%d", panel + 1), 1 + shown,
      (cas_figure_column){"time, then each member", e->subject[panel].of->unit});
  for (int i = 0; i < e->ensemble->records; i++) {
    row[0] = e->ensemble->time[i];
    for (int m = 0; m < shown; m++)
      row[1 + m] = state[(i * members->dims[1] + m) * each + component];
    cas_figure_data_row(g, row);
  }
  cas_figure_data_end(g);
}

/* Writes how many members are drawn behind the statistics, and the members of panels that show a
   component. */
static cas_status draw_members(cas_figure *g, const cas_source *s, const figure *e,
                               cas_error *err) {
  const cas_dataset *d = find_members(s, e);
  int shown = 0, rank;
  int64_t dims[4];
  bool is_complex;
  double *state = NULL;
  cas_status st = CAS_OK;
  for (int i = 0; d && i < e->subjects; i++)
    if (component_of_panel(d, &e->subject[i]) >= 0)
      shown = d->dims[1] < MOST_MEMBERS ? (int)d->dims[1] : MOST_MEMBERS;
  cas_figure_count(g, "members", shown);
  if (shown)
    st = cas_dataset_read(s->file, d->name, &rank, dims, &is_complex, &state, err);
  for (int i = 0; !st && shown && i < e->subjects; i++) {
    int component = component_of_panel(d, &e->subject[i]);
    if (component >= 0)
      write_members(g, e, d, i, component, shown, state);
  }
  if (!st && shown && shown < d->dims[1])
    cas_figure_remark(g, "the first %d of %lld members are drawn", shown, (long long)d->dims[1]);
  free(state);
  return st;
}

/* ---- the figure ---- */

static cas_status draw_ensemble(cas_figure *g, const cas_source *s, int n CAS_UNUSED,
                                cas_error *err) {
  figure e = {.ensemble = cas_results_ensemble(&s->results)};
  find_subjects(&e);
  find_bands(&e);
  cas_figure_count(g, "panels", e.subjects);
  cas_figure_count(g, "boxes", e.ensemble->records <= FEW);
  cas_figure_real(g, "half_width", half_box(e.ensemble));
  cas_figure_real(g, "start", e.ensemble->time[0]);
  cas_figure_real(g, "end", e.ensemble->time[e.ensemble->records - 1]);
  cas_figure_count(g, "has_median", e.median >= 0);
  cas_figure_count(g, "bands", e.bands);
  for (int k = 0; k < e.bands; k++) {
    cas_figure_real_of(g, "band_low", k, e.bands, e.ensemble->probability[e.low[k]]);
    cas_figure_real_of(g, "band_high", k, e.bands, e.ensemble->probability[e.high[k]]);
  }
  for (int i = 0; i < e.subjects; i++) {
    const subject *u = &e.subject[i];
    char number[40] = "";
    if (u->of->axes > 0)
      name_number(u, number);
    cas_figure_text_of(g, "name", i, e.subjects, CAS_FIGURE_AS_IT_IS, u->of->name);
    cas_figure_text_of(g, "number", i, e.subjects, CAS_FIGURE_WORDS, number);
    cas_figure_text_of(g, "units", i, e.subjects, CAS_FIGURE_UNITS, u->of->unit);
    write_block(g, &e, i);
  }
  CAS_CALL(draw_members(g, s, &e, err));
  if (e.left_out)
    cas_figure_remark(g, "%d further number%s of the observables %s not drawn", e.left_out,
                      e.left_out > 1 ? "s" : "", e.left_out > 1 ? "are" : "is");
  if (e.bands_left_out)
    cas_figure_remark(g, "%d further pair%s of quantiles %s not drawn", e.bands_left_out,
                      e.bands_left_out > 1 ? "s" : "", e.bands_left_out > 1 ? "are" : "is");
  return e.any ? CAS_OK : cas_figure_nothing(s->file, "mean of any observable", err);
}

const cas_picture cas_picture_ensemble = {
    .name = "ensemble",
    .summary = "mean, quantiles and extremes of observables over time",
    .needs = "/ensemble/time and /ensemble/NAME/mean",
    .files = 1,
    .matches = matches_ensemble,
    .draw = draw_ensemble,
};
