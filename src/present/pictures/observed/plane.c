/* Two observables against each other: phase portraits of paths of several files, or the points of a
   section, where a third passes a value; behind them contours of an observable over the plane of
   two components of the state. */
#include "present/pictures/observed/observed.h"
#include "present/pictures/viewer.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FILES = 7, MOST_PATHS = 7, MOST_CURVES = 21, GRID = 121 };

static bool matches_plane(const cas_source *s) {
  return s->show && strchr(s->show, ',') && cas_observed_over_time(s);
}

/* ---- curves ---- */

/* What is drawn. */
typedef struct {
  int files, pairs, curves;
  char label[MOST_CURVES][100];
  double low[2], high[2];          /* of all points */
  char section[CAS_OBSERVED_NAME]; /* empty: none */
  double level;
  bool any;
} drawing;

/* The observables of one file: across, up, and that of the section, which may be none. */
typedef struct {
  cas_observed across, up, third;
} observed;

/* pair: which of the observables behind the first is drawn upwards */
static cas_status read_observed(const cas_source *s, const drawing *d, int pair, observed *o,
                                cas_error *err) {
  const char *list = s->show;
  char across[CAS_OBSERVED_NAME], up[CAS_OBSERVED_NAME] = "";
  cas_observed_next(&list, across);
  for (int i = 0; i <= pair; i++)
    cas_observed_next(&list, up);
  CAS_CALL(cas_observed_read(s, across, &o->across, err));
  CAS_CALL(cas_observed_read(s, up, &o->up, err));
  if (d->section[0])
    CAS_CALL(cas_observed_read(s, d->section, &o->third, err));
  if (o->across.numbers > 1 || o->up.numbers > 1 || o->third.numbers > 1)
    return cas_fail(err, CAS_BAD_INPUT,
                    "%s: a plane is of observables of one number; NAME[2] is one of several",
                    s->file);
  return CAS_OK;
}

static void free_observed(observed *o) {
  cas_observed_free(&o->across);
  cas_observed_free(&o->up);
  cas_observed_free(&o->third);
}

static void put_point(cas_figure *g, drawing *d, double x, double y) {
  const double at[2] = {x, y};
  bool finite = isfinite(x) && isfinite(y);
  for (int i = 0; i < 2 && finite; i++) {
    d->low[i] = fmin(d->low[i], at[i]);
    d->high[i] = fmax(d->high[i], at[i]);
  }
  d->any |= finite;
  CAS_FIGURE_ROW(g, finite ? x : NAN, finite ? y : NAN);
}

/* Where straight lines between records pass the level of the third upwards. */
static void put_section(cas_figure *g, drawing *d, const observed *o, int64_t path) {
  for (int64_t i = 1; i < o->third.series.records; i++) {
    const double a = cas_observed_at(&o->third, i - 1, path, 0) - d->level,
                 b = cas_observed_at(&o->third, i, path, 0) - d->level, t = a / (a - b);
    if (!(a < 0 && b >= 0))
      continue;
    put_point(g, d,
              (1 - t) * cas_observed_at(&o->across, i - 1, path, 0) +
                  t * cas_observed_at(&o->across, i, path, 0),
              (1 - t) * cas_observed_at(&o->up, i - 1, path, 0) +
                  t * cas_observed_at(&o->up, i, path, 0));
  }
}

static void put_curve(cas_figure *g, drawing *d, const observed *o, int64_t path) {
  for (int64_t i = 0; i < o->across.series.records; i++)
    put_point(g, d, cas_observed_at(&o->across, i, path, 0), cas_observed_at(&o->up, i, path, 0));
}

static void write_curves(cas_figure *g, const cas_source *s, drawing *d, const observed *o) {
  const int64_t paths = o->across.series.paths;
  char name[CAS_SOURCE_NAME];
  cas_source_name(s, name);
  for (int64_t k = 0; k < paths && k < MOST_PATHS && d->curves < MOST_CURVES; k++) {
    char *label = d->label[d->curves];
    if (d->files > 1)
      cas_append(label, sizeof d->label[0], "%s", name);
    if (d->pairs > 1)
      cas_append(label, sizeof d->label[0], "%s%s", label[0] ? ", " : "", o->up.name);
    if (paths > 1)
      cas_append(label, sizeof d->label[0], "%spath %lld", label[0] ? ", " : "", (long long)k);
    CAS_FIGURE_DATA(g, cas_figure_name(g, "curve_%d", ++d->curves),
                    {o->across.name, o->across.series.units}, {o->up.name, o->up.series.units});
    if (d->section[0])
      put_section(g, d, o, k);
    else
      put_curve(g, d, o, k);
    cas_figure_data_end(g);
  }
  if (paths > MOST_PATHS)
    cas_figure_remark(g, "%s: the first %d of %lld paths are drawn", s->file, MOST_PATHS,
                      (long long)paths);
}

/* ---- contours ---- */

/* Values of the observable on a grid over the ranges of the points, where all other components are
   those of the first record. */
static cas_status write_contours(cas_figure *g, const cas_source *s, const drawing *d,
                                 const observed *o, cas_error *err) {
  const int across = cas_observed_component(s, o->across.name),
            up = cas_observed_component(s, o->up.name);
  const cas_functional *f = NULL;
  cas_series state = {0};
  cas_viewer v = {0};
  double row[GRID];
  if (across < 0 || up < 0)
    return cas_fail(err, CAS_BAD_INPUT,
                    "--contours: %s: contours are over the plane of two components of the state",
                    s->file);
  CAS_CALL(cas_viewer_contours(s, g->request->contours, &f, err));
  cas_status st = cas_series_read(s, "state", 1, &state, err);
  if (!st)
    st = cas_viewer_open(s, f, &v, err);
  if (!st)
    cas_figure_matrix_begin(g, "contours", GRID, (cas_figure_column){f->name, f->unit});
  for (int j = 0; !st && j < GRID; j++) {
    for (int i = 0; i < GRID; i++) {
      state.value[across] = d->low[0] + (d->high[0] - d->low[0]) * i / (GRID - 1);
      state.value[up] = d->low[1] + (d->high[1] - d->low[1]) * j / (GRID - 1);
      if (cas_viewer_look(&v, state.value, &row[i]))
        row[i] = NAN;
    }
    cas_figure_data_row(g, row);
  }
  if (!st)
    cas_figure_data_end(g);
  cas_viewer_close(&v);
  cas_series_free(&state);
  return st;
}

/* ---- the figure ---- */

/* "x3=0" */
static cas_status read_section(const cas_figure *g, drawing *d, cas_error *err) {
  const char *text = g->request->section, *equals = text ? strchr(text, '=') : NULL;
  char *end = NULL;
  if (!text)
    return CAS_OK;
  if (equals)
    d->level = strtod(equals + 1, &end);
  if (!equals || end == equals + 1 || *end || !isfinite(d->level))
    return cas_fail(err, CAS_BAD_INPUT, "--section: found '%.60s', must be NAME=VALUE", text);
  snprintf(d->section, sizeof d->section, "%.*s", (int)(equals - text), text);
  return CAS_OK;
}

static void write_values(cas_figure *g, const drawing *d, const observed *o) {
  const cas_observed *axis[2] = {&o->across, &o->up};
  for (int i = 0; i < 2; i++) {
    double margin = d->high[i] > d->low[i] ? 0 : 1;
    cas_figure_text_of(g, "name", i, 2, CAS_FIGURE_AS_IT_IS,
                       i && d->pairs > 1 ? "" : axis[i]->name);
    cas_figure_text_of(g, "units", i, 2, CAS_FIGURE_UNITS, axis[i]->series.units);
    cas_figure_real_of(g, "lowest", i, 2, d->low[i] - margin);
    cas_figure_real_of(g, "highest", i, 2, d->high[i] + margin);
  }
  cas_figure_count(g, "curves", d->curves);
  for (int c = 0; c < d->curves; c++)
    cas_figure_text_of(g, "label", c, d->curves, CAS_FIGURE_AS_IT_IS, d->label[c]);
  cas_figure_text(g, "section", CAS_FIGURE_AS_IT_IS, d->section);
  cas_figure_real(g, "level", d->level);
  cas_figure_text(g, "contours_of", CAS_FIGURE_AS_IT_IS, g->request->contours);
}

static cas_status draw_plane(cas_figure *g, const cas_source *s, int files, cas_error *err) {
  drawing d = {.files = files, .low = {INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY}};
  observed first = {0};
  CAS_CALL(read_section(g, &d, err));
  cas_status st = read_observed(&s[0], &d, 0, &first, err);
  for (const char *c = s->show; *c; c++)
    d.pairs += *c == ',';
  for (int i = 0; i < files * d.pairs && !st; i++) {
    observed o = {0};
    st = read_observed(&s[i / d.pairs], &d, i % d.pairs, &o, err);
    if (!st)
      write_curves(g, &s[i / d.pairs], &d, &o);
    free_observed(&o);
  }
  if (!st && !d.any)
    st = cas_figure_nothing(s->file, d.section[0] ? "point of this section" : "point", err);
  if (!st)
    write_values(g, &d, &first);
  if (!st && g->request->contours)
    st = write_contours(g, &s[0], &d, &first, err);
  free_observed(&first);
  return st;
}

const cas_picture cas_picture_plane = {
    .name = "plane",
    .summary = "observables against the first, --show A,B,..: phase portraits and sections",
    .needs = "a trajectory with the two observables of --show A,B",
    .files = MOST_FILES,
    .until = true,
    .show = true,
    .contours = true,
    .section = true,
    .labels = true,
    .matches = matches_plane,
    .draw = draw_plane,
};
