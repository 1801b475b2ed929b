/* Estimates of several files against the key in which their configurations differ. */
#include "present/pictures/picture.h"
#include "results/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FILES = 200, MOST_PANELS = 4 };

static bool matches_parameter(const cas_source *s) { return s->results.tables > 0; }

/* ---- what is drawn: the headlines that the first file has ---- */

typedef struct {
  char table[100], quantity[60];
} headline;

typedef struct {
  headline panel[MOST_PANELS];
  int panels;
  double (*value)[3]; /* [panels][files] of the file being looked at: value, low, high */
} estimates;

static void find_panel(void *context, const cas_row *row) {
  estimates *e = context;
  if (!row->headline || e->panels == MOST_PANELS)
    return;
  headline *h = &e->panel[e->panels++];
  snprintf(h->table, sizeof h->table, "%s", row->table);
  snprintf(h->quantity, sizeof h->quantity, "%s", row->quantity);
}

/* An interval, or two standard errors to either side. */
static void take(void *context, const cas_row *row) {
  estimates *e = context;
  for (int p = 0; row->headline && p < e->panels; p++)
    if (strcmp(e->panel[p].table, row->table) == 0 &&
        strcmp(e->panel[p].quantity, row->quantity) == 0) {
      bool interval = !isnan(row->low) && !isnan(row->high);
      e->value[p][0] = row->value;
      e->value[p][1] = interval ? row->low : row->value - 2 * row->standard_error;
      e->value[p][2] = interval ? row->high : row->value + 2 * row->standard_error;
    }
}

/* ---- against what: the first key whose values are numbers ---- */

/* Refuses files of other systems and studies, whose estimates are of other things. */
static cas_status check_comparable(const cas_source *s, const cas_comparison *c, cas_error *err) {
  static const char *const same[] = {"system.name", "study.kind"};
  for (int k = 0; k < c->keys; k++)
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
      if (strlen(same[i]) == c->key[k].length &&
          memcmp(same[i], c->key[k].name, c->key[k].length) == 0)
        return cas_fail(err, CAS_BAD_INPUT,
                        "%s: no picture shows files together that differ in %s; draw each alone",
                        s->file, same[i]);
  return CAS_OK;
}

static int find_parameter(const cas_comparison *c) {
  for (int k = 0; k < c->keys; k++) {
    bool numbers = true;
    for (int i = 0; i < c->files; i++)
      numbers &= isfinite(cas_comparison_number(c, i, k));
    if (numbers)
      return k;
  }
  return -1;
}

static bool same_value(const cas_comparison *c, int key, int a, int b) {
  size_t m = 0, n = 0;
  const char *x = cas_comparison_value(c, a, key, &m), *y = cas_comparison_value(c, b, key, &n);
  return (!x && !y) || (x && y && m == n && memcmp(x, y, m) == 0);
}

/* Whether files with one value of `key` have one value of `other`. */
static bool tells(const cas_comparison *c, int key, int other) {
  for (int a = 0; a < c->files; a++)
    for (int b = 0; b < a; b++)
      if (same_value(c, key, a, b) && !same_value(c, other, a, b))
        return false;
  return true;
}

static bool repeats(const cas_comparison *c, int key) {
  for (int a = 0; a < c->files; a++)
    for (int b = 0; b < a; b++)
      if (same_value(c, key, a, b))
        return true;
  return false;
}

/* Whether a key follows from another one, as tolerances from the scheme and the number of steps
   from their size. What is different in every file, such as a seed, is no reason for others. */
static bool follows(const cas_comparison *c, int key, int parameter) {
  static const char steps[] = "steps";
  const size_t n = strlen(steps);
  const cas_compared_key *k = &c->key[key];
  if (k->length > n && memcmp(k->name + k->length - n, steps, n) == 0 && tells(c, parameter, key))
    return true;
  for (int j = 0; j < c->keys; j++)
    if (j != key && repeats(c, j) && tells(c, j, key) &&
        (j == parameter || !tells(c, key, j) || j < key))
      return true;
  return false;
}

/* The values of all other keys, by which files are one series. NULL without memory. */
static char *other_keys(const cas_comparison *c, int file, int parameter) {
  char *text = NULL;
  size_t size, length;
  FILE *f = open_memstream(&text, &size);
  bool any = false;
  for (int k = 0; f && k < c->keys; k++) {
    const char *value = cas_comparison_value(c, file, k, &length);
    if (k == parameter || follows(c, k, parameter))
      continue;
    fprintf(f, "%s%.*s %.*s", any ? ", " : "", (int)c->key[k].length, c->key[k].name, (int)length,
            value ? value : "");
    any = true;
  }
  return f && !fclose(f) ? text : NULL;
}

/* ---- drawing ---- */

typedef struct {
  const cas_source *source;
  const cas_comparison *comparison;
  int files, parameter;
  char **label; /* [files], owned: of the series of each */
} drawing;

static int first_of_series(const drawing *d, int file) {
  int i = 0;
  while (strcmp(d->label[i], d->label[file]) != 0)
    i++;
  return i;
}

static int next_of_series(const drawing *d, int series, double above) {
  int next = -1;
  for (int i = series; i < d->files; i++) {
    double x = cas_comparison_number(d->comparison, i, d->parameter);
    if (first_of_series(d, i) == series && x > above &&
        (next < 0 || x < cas_comparison_number(d->comparison, next, d->parameter)))
      next = i;
  }
  return next;
}

/* The estimates of a file, NaN where it has none. */
static cas_status look_at(const drawing *d, int file, const estimates *e, double values[][3],
                          cas_error *err) {
  estimates of = *e;
  of.value = values;
  for (int p = 0; p < MOST_PANELS; p++)
    values[p][0] = values[p][1] = values[p][2] = NAN;
  return cas_rows_visit(&d->source[file].results, take, &of, err);
}

/* Leaves out what is a number in no file. */
static cas_status drop_empty(const drawing *d, estimates *e, cas_error *err) {
  bool any[MOST_PANELS] = {false};
  double values[MOST_PANELS][3];
  int kept = 0;
  for (int i = 0; i < d->files; i++) {
    CAS_CALL(look_at(d, i, e, values, err));
    for (int p = 0; p < e->panels; p++)
      any[p] |= isfinite(values[p][0]);
  }
  for (int p = 0; p < e->panels; p++)
    if (any[p])
      e->panel[kept++] = e->panel[p];
  e->panels = kept;
  return kept > 0 ? CAS_OK : cas_figure_nothing(d->source[0].file, "estimate", err);
}

static cas_status put_series(cas_figure *g, const drawing *d, const estimates *e, int panel,
                             int number, int series, cas_error *err) {
  double x = -INFINITY, values[MOST_PANELS][3];
  CAS_FIGURE_DATA(g, cas_figure_name(g, "panel_%d_%d", panel + 1, number), {"parameter", NULL},
                  {"value", NULL}, {"low", NULL}, {"high", NULL});
  for (int i; (i = next_of_series(d, series, x)) >= 0;) {
    x = cas_comparison_number(d->comparison, i, d->parameter);
    CAS_CALL(look_at(d, i, e, values, err));
    const double *v = values[panel];
    CAS_FIGURE_ROW(g, x, v[0], v[1], v[2]);
  }
  cas_figure_data_end(g);
  return CAS_OK;
}

static int put_labels(cas_figure *g, const drawing *d) {
  int all = 0, number = 0;
  for (int i = 0; i < d->files; i++)
    all += first_of_series(d, i) == i;
  for (int i = 0; i < d->files; i++)
    if (first_of_series(d, i) == i)
      cas_figure_text_of(g, "label", number++, all, CAS_FIGURE_AS_IT_IS, d->label[i]);
  return all;
}

static cas_status put_all(cas_figure *g, const drawing *d, cas_error *err) {
  estimates e = {.panels = 0};
  const cas_compared_key *key = &d->comparison->key[d->parameter];
  char name[200];
  CAS_CALL(cas_rows_visit(&d->source[0].results, find_panel, &e, err));
  CAS_CALL(drop_empty(d, &e, err));
  snprintf(name, sizeof name, "%.*s", (int)key->length, key->name);
  cas_figure_text(g, "parameter", CAS_FIGURE_AS_IT_IS, name);
  cas_figure_count(g, "number_of_panels", e.panels);
  for (int p = 0; p < e.panels; p++) {
    snprintf(name, sizeof name, "%s of %s", e.panel[p].quantity, e.panel[p].table);
    cas_figure_text_of(g, "quantity", p, e.panels, CAS_FIGURE_AS_IT_IS, name);
  }
  cas_figure_count(g, "series", put_labels(g, d));
  for (int p = 0; p < e.panels; p++)
    for (int i = 0, number = 0; i < d->files; i++)
      if (first_of_series(d, i) == i)
        CAS_CALL(put_series(g, d, &e, p, ++number, i, err));
  return CAS_OK;
}

static cas_status draw_compared(cas_figure *g, const cas_source *s, const cas_comparison *c,
                                cas_error *err) {
  drawing d = {.source = s,
               .comparison = c,
               .files = c->files,
               .parameter = find_parameter(c),
               .label = calloc((size_t)c->files + 1, sizeof *d.label)};
  cas_status st = d.label ? check_comparable(s, c, err) : cas_no_memory(err);
  if (!st && d.parameter < 0)
    st = cas_fail(err, CAS_BAD_INPUT, "%s: differs from the others in no key that is a number",
                  s->file);
  for (int i = 0; !st && i < c->files; i++)
    if (!(d.label[i] = other_keys(c, i, d.parameter)))
      st = cas_no_memory(err);
  if (!st)
    st = put_all(g, &d, err);
  for (int i = 0; d.label && i < c->files; i++)
    free(d.label[i]);
  free(d.label);
  return st;
}

static cas_status draw_parameter(cas_figure *g, const cas_source *s, int n, cas_error *err) {
  const cas_results *results[MOST_FILES];
  cas_comparison c;
  for (int i = 0; i < n; i++)
    results[i] = &s[i].results;
  cas_status st = cas_comparison_create(results, n, &c, err);
  if (!st)
    st = draw_compared(g, s, &c, err);
  cas_comparison_free(&c);
  return st;
}

const cas_picture cas_picture_parameter = {
    .name = "parameter",
    .summary = "orders, or last estimates, of the files of a sweep against the key that differs",
    .needs = "the tables of a study with statistics",
    .least = 2,
    .files = MOST_FILES,
    .matches = matches_parameter,
    .draw = draw_parameter,
};
