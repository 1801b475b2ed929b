/* Observables over time, a panel each: a curve for each file, path, and number of those that have
   several. */
#include "present/pictures/observed/observed.h"
#include <math.h>
#include <string.h>

enum { MOST_FILES = 7, MOST_PANELS = 6, MOST_CURVES = 21, MOST_PATHS = 7, MOST_NUMBERS = 3 };

/* ---- which ---- */

/* The name of a dataset of the trajectory that is drawn where nothing was asked for: of one number
   or a few; NULL: another. */
static const char *drawn_name(const cas_source *s, const cas_dataset *d) {
  static const char group[] = "/trajectory/";
  const char *name = d->name + strlen(group);
  if (strncmp(d->name, group, strlen(group)) != 0 || strlen(name) >= CAS_OBSERVED_NAME)
    return NULL;
  if (cas_observed_is_other(name))
    return NULL;
  if (cas_series_find(s, name, 1))
    return d->dims[d->rank - 1] <= MOST_NUMBERS ? name : NULL;
  return cas_series_find(s, name, 0) ? name : NULL;
}

/* Names of up to MOST_PANELS panels. Returns how many there are. */
static int find_names(const cas_source *s, char name[MOST_PANELS][CAS_OBSERVED_NAME]) {
  const char *list = s->show;
  char next[CAS_OBSERVED_NAME];
  int n = 0;
  while (list && cas_observed_next(&list, next) && ++n <= MOST_PANELS)
    strcpy(name[n - 1], next);
  for (int i = 0; !s->show && i < s->contents.n; i++) {
    const char *own = drawn_name(s, &s->contents.dataset[i]);
    if (own && ++n <= MOST_PANELS)
      strcpy(name[n - 1], own);
  }
  if (n == 0 && cas_series_find(s, "state", 1))
    strcpy(name[n++], "state");
  return n;
}

static bool matches_observables(const cas_source *s) {
  char name[MOST_PANELS][CAS_OBSERVED_NAME];
  return cas_observed_over_time(s) && find_names(s, name) > 0;
}

/* ---- curves ---- */

/* What is drawn, panel by panel. */
typedef struct {
  int panels, files, left_out;
  int curves[MOST_PANELS];
  int labels; /* of all curves so far */
  char label[MOST_PANELS * MOST_CURVES][200];
  double start, end;
  bool any;
} drawing;

static int64_t drawn_paths(const cas_observed *o) {
  return o->series.paths < MOST_PATHS ? o->series.paths : MOST_PATHS;
}

/* "name, path 2, 3": what tells curves of a panel apart. */
static void label_curve(const drawing *d, const cas_source *s, const cas_observed *o, int64_t path,
                        int64_t number, char *text, size_t size) {
  char name[CAS_SOURCE_NAME];
  text[0] = '\0';
  cas_source_name(s, name);
  if (d->files > 1)
    cas_append(text, size, "%s", name);
  if (o->series.paths > 1)
    cas_append(text, size, "%spath %lld", text[0] ? ", " : "", (long long)path);
  if (o->numbers > 1)
    cas_append(text, size, "%snumber %lld", text[0] ? ", " : "", (long long)number + 1);
}

static void write_curves(cas_figure *g, drawing *d, int p, const cas_source *s,
                         const cas_observed *o) {
  for (int64_t k = 0; k < drawn_paths(o); k++)
    for (int64_t j = 0; j < o->numbers; j++) {
      if (d->curves[p] == MOST_CURVES) {
        d->left_out++;
        continue;
      }
      label_curve(d, s, o, k, j, d->label[d->labels++], sizeof d->label[0]);
      cas_series_curve_write(g, cas_figure_name(g, "curve_%d_%d", p + 1, ++d->curves[p]),
                             &o->series, k, o->first + j, o->name, o->series.units);
      for (int64_t i = 0; i < o->series.records; i++)
        d->any |= isfinite(cas_observed_at(o, i, k, j));
    }
  d->left_out += (int)((o->series.paths - drawn_paths(o)) * o->numbers);
}

static cas_status write_panel(cas_figure *g, const cas_source *s, drawing *d, int p,
                              const char *name, cas_error *err) {
  cas_status st = CAS_OK;
  cas_figure_text_of(g, "name", p, d->panels, CAS_FIGURE_AS_IT_IS, name);
  for (int f = 0; f < d->files && !st; f++) {
    cas_observed o;
    st = cas_observed_read(&s[f], name, &o, err);
    if (!st) {
      d->start = fmin(d->start, o.series.time[0]);
      d->end = fmax(d->end, o.series.time[o.series.records - 1]);
      write_curves(g, d, p, &s[f], &o);
    }
    if (!st && f == 0)
      cas_figure_text_of(g, "units", p, d->panels, CAS_FIGURE_UNITS, o.series.units);
    cas_observed_free(&o);
  }
  cas_figure_count_of(g, "curves", p, d->panels, d->curves[p]);
  return st;
}

static cas_status draw_observables(cas_figure *g, const cas_source *s, int files, cas_error *err) {
  char name[MOST_PANELS][CAS_OBSERVED_NAME];
  const int all = find_names(&s[0], name);
  drawing d = {.panels = all < MOST_PANELS ? all : MOST_PANELS,
               .files = files,
               .start = INFINITY,
               .end = -INFINITY};
  cas_status st = CAS_OK;
  cas_figure_count(g, "panels", d.panels);
  for (int p = 0; p < d.panels && !st; p++)
    st = write_panel(g, s, &d, p, name[p], err);
  for (int i = 0; i < d.labels; i++)
    cas_figure_text_of(g, "label", i, d.labels, CAS_FIGURE_AS_IT_IS, d.label[i]);
  cas_figure_real(g, "start", d.start);
  cas_figure_real(g, "end", d.end);
  if (all > d.panels)
    cas_figure_remark(g, "the first %d of %d observables are drawn; --show chooses", d.panels, all);
  if (d.left_out)
    cas_figure_remark(g, "%d further curves are not drawn", d.left_out);
  return st || d.any ? st : cas_figure_nothing(s->file, "observable over time", err);
}

const cas_picture cas_picture_observables = {
    .name = "observables",
    .summary = "any observables, or --show, over time, of one to seven files",
    .needs = "a trajectory with real observables, and those of --show",
    .files = MOST_FILES,
    .until = true,
    .show = true,
    .labels = true,
    .matches = matches_observables,
    .draw = draw_observables,
};
