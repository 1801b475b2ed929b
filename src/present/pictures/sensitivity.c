/* Derivatives of means by a swept number, from runs on the same paths. */
#include "results/sensitivity.h"
#include "present/pictures/picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FILES = 200, MOST_PANELS = 6, MOST_SERIES = CAS_PLOT_MOST_TIMES };

static bool matches_sensitivity(const cas_source *s) {
  for (int i = 0; i < s->contents.n; i++)
    if (cas_sensitivity_has(&s->contents.dataset[i]))
      return true;
  return false;
}

/* ---- what there is ---- */

/* The derivative of one observable at one time, between two neighbouring runs. */
typedef struct {
  char key[200], observable[64];
  double from, to, time, derivative, half_width;
} entry;

typedef struct {
  entry *list; /* [n], owned */
  size_t n, capacity;
  bool no_memory;
} entries;

static void take(void *context, const cas_sensitivity *s) {
  entries *e = context;
  const double change = s->to - s->from;
  if (e->n == e->capacity) {
    const size_t capacity = 2 * e->capacity + 64;
    entry *more = realloc(e->list, capacity * sizeof *more);
    if (!more) {
      e->no_memory = true;
      return;
    }
    e->list = more;
    e->capacity = capacity;
  }
  entry *t = &e->list[e->n++];
  *t = (entry){.from = s->from,
               .to = s->to,
               .time = s->time,
               .derivative = s->difference / change,
               .half_width = s->half_width / change};
  snprintf(t->key, sizeof t->key, "%.*s", (int)s->key_length, s->key);
  snprintf(t->observable, sizeof t->observable, "%s", s->observable);
}

/* By observable, then by time, then by the number that differs. */
static int compare_entries(const void *a, const void *b) {
  const entry *x = a, *y = b;
  const int names = strcmp(x->observable, y->observable);
  if (names)
    return names;
  if (x->time < y->time || x->time > y->time)
    return x->time < y->time ? -1 : 1;
  return (x->from > y->from) - (x->from < y->from);
}

/* Refuses runs whose derivatives are by several numbers, or at several values of others. */
static cas_status check_one_key(const cas_source *s, const entries *e, cas_error *err) {
  for (size_t i = 1; i < e->n; i++) {
    const entry *a = &e->list[i - 1], *b = &e->list[i];
    if (strcmp(a->key, b->key) != 0)
      return cas_fail(err, CAS_BAD_INPUT,
                      "%s and the others differ by %s and by %s: draw those alone that differ by "
                      "one of them",
                      s->file, a->key, b->key);
    if (compare_entries(a, b) == 0)
      return cas_fail(err, CAS_BAD_INPUT,
                      "%s and the others differ in more than %s: draw those alone that are the "
                      "same but for it",
                      s->file, a->key);
  }
  return CAS_OK;
}

/* ---- what is drawn ---- */

typedef struct {
  const char *panel[MOST_PANELS]; /* observables, borrowed */
  double time[MOST_SERIES];
  int panels, series;
} choice;

/* Whether `name` is in the list "x1,energy"; NULL: everything is. */
static bool is_shown(const char *list, const char *name) {
  const size_t n = strlen(name);
  for (const char *at = list; at && *at; at += *at == ',') {
    const size_t length = strcspn(at, ",");
    if (length == n && memcmp(at, name, n) == 0)
      return true;
    at += length;
  }
  return !list;
}

static void choose_panels(const cas_figure *g, const cas_source *s, const entries *e, choice *c) {
  int left_out = 0;
  for (size_t i = 0; i < e->n; i++) {
    if ((i > 0 && strcmp(e->list[i].observable, e->list[i - 1].observable) == 0) ||
        !is_shown(s->show, e->list[i].observable))
      continue;
    if (c->panels < MOST_PANELS)
      c->panel[c->panels++] = e->list[i].observable;
    else
      left_out++;
  }
  if (left_out)
    cas_figure_remark(g, "%d further observable%s not drawn: --show NAME,.. chooses", left_out,
                      left_out > 1 ? "s are" : " is");
}

/* The time of a record that is nearest to `wanted`. */
static double nearest_time(const entries *e, double wanted) {
  double time = e->list[0].time;
  for (size_t i = 0; i < e->n; i++)
    if (fabs(e->list[i].time - wanted) < fabs(time - wanted))
      time = e->list[i].time;
  return time;
}

static void choose_times(const cas_figure *g, const entries *e, choice *c) {
  const cas_plot_request *q = g->request;
  for (int i = 0; i < q->times; i++) {
    const double time = nearest_time(e, q->at[i]);
    if (fabs(time - q->at[i]) > 1e-9 * fabs(time))
      cas_figure_remark(g, "--at %g: the nearest record is at time %g", q->at[i], time);
    c->time[c->series++] = time;
  }
  if (c->series == 0)
    c->time[c->series++] = nearest_time(e, INFINITY);
  for (size_t i = 0; q->times == 0 && i < e->n; i++)
    c->time[0] = fmax(c->time[0], e->list[i].time);
}

static void put_series(cas_figure *g, const entries *e, const choice *c, int panel, int series) {
  CAS_FIGURE_DATA(g, cas_figure_name(g, "panel_%d_%d", panel + 1, series + 1), {"middle", NULL},
                  {"derivative", NULL}, {"low", NULL}, {"high", NULL}, {"from", NULL},
                  {"to", NULL});
  for (size_t i = 0; i < e->n; i++) {
    const entry *t = &e->list[i];
    if (strcmp(t->observable, c->panel[panel]) == 0 && t->time == c->time[series])
      CAS_FIGURE_ROW(g, (t->from + t->to) / 2, t->derivative, t->derivative - t->half_width,
                     t->derivative + t->half_width, t->from, t->to);
  }
  cas_figure_data_end(g);
}

static void put_all(cas_figure *g, const entries *e, const choice *c) {
  cas_figure_text(g, "parameter", CAS_FIGURE_AS_IT_IS, e->list[0].key);
  cas_figure_count(g, "number_of_panels", c->panels);
  for (int p = 0; p < c->panels; p++)
    cas_figure_text_of(g, "name", p, c->panels, CAS_FIGURE_AS_IT_IS, c->panel[p]);
  cas_figure_count(g, "series", c->series);
  for (int k = 0; k < c->series; k++)
    cas_figure_real_of(g, "when", k, c->series, c->time[k]);
  for (int p = 0; p < c->panels; p++)
    for (int k = 0; k < c->series; k++)
      put_series(g, e, c, p, k);
}

static cas_status draw_sensitivity(cas_figure *g, const cas_source *s, int n, cas_error *err) {
  const char *file[MOST_FILES];
  entries e = {0};
  choice c = {.panels = 0};
  for (int i = 0; i < n; i++)
    file[i] = s[i].file;
  cas_status st = cas_sensitivity_visit(file, n, g->request->times == 0, take, &e, err);
  if (!st && e.no_memory)
    st = cas_no_memory(err);
  if (!st && e.n == 0)
    st = cas_fail(err, CAS_BAD_INPUT,
                  "%s: no two of these files are of the same paths, with one number of `system` "
                  "that differs",
                  s->file);
  if (!st) {
    qsort(e.list, e.n, sizeof *e.list, compare_entries);
    st = check_one_key(s, &e, err);
  }
  if (!st)
    choose_panels(g, s, &e, &c);
  if (!st && c.panels == 0)
    st = cas_figure_nothing(s->file, s->show ? s->show : "derivative", err);
  if (!st) {
    choose_times(g, &e, &c);
    put_all(g, &e, &c);
  }
  free(e.list);
  return st;
}

const cas_picture cas_picture_sensitivity = {
    .name = "sensitivity",
    .summary = "derivatives of means by a swept number of the system, from the same paths",
    .needs = "recorded paths of single numbers, or means over groups of paths (study.path_groups)",
    .least = 2,
    .files = MOST_FILES,
    .at = true,
    .show = true,
    .matches = matches_sensitivity,
    .draw = draw_sensitivity,
};
