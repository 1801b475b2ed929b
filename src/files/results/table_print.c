/* Tables for people. */
#include "base/grid.h"
#include "base/text.h"
#include "files/results/frame.h"
#include "files/results/rows.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

void cas_table_print_real(FILE *f, const char *format, int width, double x) {
  char text[64] = "-";
  if (isfinite(x))
    snprintf(text, sizeof text, format, x + 0.0); /* of -0 too */
  fprintf(f, "%*s", width, text);
}

void cas_table_append_level(char *text, size_t size, const char *before, const cas_results *r,
                            int level) {
  char h[32];
  if (r->time_step) {
    cas_append(text, size, "%s%" PRId64, before, cas_results_size(r, level));
    return;
  }
  cas_step_format(r->step[level], h, sizeof h);
  cas_append(text, size, "%s%s", before, h);
}

void cas_table_append_pair_order(char *text, size_t size, const cas_results *r, const cas_table *t,
                                 int at) {
  const cas_field *f = cas_field_find(t->kind->columns, "local_order");
  const double *order = cas_field_array(f, t->object),
               *low = cas_field_array(cas_field_find(f, f->low), t->object),
               *high = cas_field_array(cas_field_find(f, f->high), t->object);
  const int pairs = cas_table_levels(t) - 1,
            apart = pairs > 0 ? (int)cas_table_count(t, f) / pairs : 1;
  int l = pairs - 1;
  while (l >= 0 && !isfinite(low[l * apart + at] + high[l * apart + at]))
    l--;
  if (l < 0) {
    cas_append(text, size, ", order not resolved");
    return;
  }
  const int i = l * apart + at;
  cas_append(text, size, ", order ");
  cas_frame_append(text, size, order[i], NAN, low[i], high[i], CAS_FRAME_ORDER);
  cas_table_append_level(text, size, " between ", r, l);
  cas_table_append_level(text, size, " and ", r, l + 1);
}

enum { CELL = 64, MOST_ROWS = 16, MOST_LEVELS = 64, LAST_COLUMN = 98 };

/* ---- columns ---- */

/* A column of a table, or of the whole that it is a part of, which runs over rows, and perhaps over
   numbers in each row and over probabilities. */
typedef struct {
  const cas_table *table;
  const cas_field *field;
  cas_file_axis axis[CAS_TABLE_AXES];
  int axes;
  int rows, numbers, probabilities;
  bool by_steps;
} view;

static bool find(const cas_table *t, const char *name, view *v) {
  *v = (view){.table = t, .numbers = 1, .probabilities = 1};
  while (v->table && !(v->field = cas_field_find(v->table->kind->columns, name)))
    v->table = v->table->whole;
  if (!v->field || !cas_field_array(v->field, v->table->object))
    return false;
  v->axes = cas_table_axes(v->table, v->field, v->axis);
  v->rows = v->axis[0].length;
  v->by_steps = cas_table_step_neighbours(&v->axis[0]) > 0;
  for (int k = 1; k < v->axes; k++)
    if (cas_field_same_text(v->axis[k].name, "probability"))
      v->probabilities = v->axis[k].length;
    else
      v->numbers *= v->axis[k].length;
  return v->rows > 0 && v->numbers > 0;
}

/* A NaN leaves the text empty. */
static void write_real(char text[CELL], double x, double error, double low, double high,
                       bool is_order) {
  if (isnan(x))
    return;
  if (isnan(error) && isnan(low))
    cas_append(text, CELL, "%.6g", x);
  else
    cas_frame_append(text, CELL, x, error, low, high, is_order ? CAS_FRAME_ORDER : INFINITY);
}

static void write_cell(const view *v, const cas_shown *s, size_t i, char text[CELL]) {
  const void *array = cas_field_array(v->field, v->table->object);
  text[0] = '\0';
  if (v->field->type == CAS_FIELD_INT)
    cas_append(text, CELL, "%s", ((const int *)array)[i] ? "yes" : "NO");
  else if (v->field->type == CAS_FIELD_INT64)
    cas_append(text, CELL, "%" PRId64, ((const int64_t *)array)[i]);
  else {
    const double x = ((const double *)array)[i];
    if (s->least && x <= *s->least)
      cas_append(text, CELL, "<= ");
    write_real(text, x, cas_table_real(v->table, v->field->error, i),
               cas_table_real(v->table, v->field->low, i),
               cas_table_real(v->table, v->field->high, i), strstr(s->column, "order") != NULL);
  }
}

/* The rows that a grid has of all: each step; of times, or of numbers at the last time, as many as
   fit; of a map, where its first column is smallest and largest. */
typedef struct {
  int n, at[MOST_LEVELS];
  int levels; /* of the steps, without the reference */
  size_t first;
  bool of_map;
} choice;

static int extreme(const view *v, size_t first, double sign) {
  const double *x = cas_field_array(v->field, v->table->object);
  int best = 0;
  for (int i = 1; i < v->numbers; i++)
    if (sign * x[first + (size_t)i] > sign * x[first + (size_t)best])
      best = i;
  return best;
}

static choice choose(const view *v) {
  const int all = v->numbers > 1 ? v->numbers : v->rows,
            most = v->by_steps ? MOST_LEVELS : MOST_ROWS;
  choice c = {.n = all < most ? all : most,
              .levels = v->rows,
              .first = v->numbers > 1 ? (size_t)(v->rows - 1) * (size_t)v->numbers : 0};
  for (int i = 0; i < c.n; i++)
    c.at[i] = c.n < 2 ? 0 : (int)((int64_t)i * (all - 1) / (c.n - 1));
  if (all > most && v->axes - (v->probabilities > 1) > 2 && v->field->type == CAS_FIELD_REAL) {
    c.n = 2;
    c.of_map = true;
    c.at[0] = extreme(v, c.first, -1);
    c.at[1] = extreme(v, c.first, 1);
  }
  return c;
}

static void append_coordinate(char *text, const cas_file_axis *a, int i) {
  const char *label = a->labels;
  for (int k = 0; label && k < i; k++) {
    label += strcspn(label, " ");
    label += strspn(label, " ");
  }
  if (label)
    cas_append(text, CELL, "%.*s", (int)strcspn(label, " "), label);
  else
    cas_append(text, CELL, "%.8g", a->coordinates ? a->coordinates[i] : (double)i + 1);
}

/* What a row is of: its step, its time, or where its number is. */
static void write_place(const cas_results *r, const view *v, int at, char text[CELL]) {
  text[0] = '\0';
  if (v->by_steps)
    cas_table_append_level(text, CELL, "", r, at);
  else if (v->numbers == 1)
    append_coordinate(text, &v->axis[0], at);
  for (int k = 1, left = v->numbers; v->numbers > 1 && k < v->axes; k++) {
    if (cas_field_same_text(v->axis[k].name, "probability"))
      continue;
    left /= v->axis[k].length;
    cas_append(text, CELL, "%s", text[0] ? " " : "");
    append_coordinate(text, &v->axis[k], at / left % v->axis[k].length);
  }
}

static void begin_grid(const cas_results *r, const view *v, const choice *c, cas_grid *g) {
  char heading[CELL] = "", text[CELL];
  for (int k = v->numbers > 1; !v->by_steps && k < v->axes; k++)
    if (!cas_field_same_text(v->axis[k].name, "probability") && (k == 0 || v->numbers > 1))
      cas_append(heading, CELL, "%s%s", heading[0] ? " " : "",
                 v->axis[k].name ? v->axis[k].name : "number");
  const int column = cas_grid_add(g, !v->by_steps ? heading : r->time_step ? "N" : "step");
  for (int i = 0; i < c->n; i++) {
    write_place(r, v, c->at[i], text);
    cas_grid_put(g, column, i, text);
  }
}

/* Columns that are shorter than the steps belong to the last of them. */
static void fill_column(const view *v, const cas_shown *s, const choice *c, cas_grid *g) {
  const int before = v->by_steps && v->rows < c->levels ? c->levels - v->rows : 0,
            all = v->numbers > 1 ? v->numbers : v->rows;
  for (int p = 0; p < v->probabilities; p++) {
    char text[CELL] = "";
    cas_append(text, CELL, "%s", s->heading ? s->heading : s->column);
    if (v->probabilities > 1)
      cas_append(text, CELL, " %.4g", v->axis[v->axes - 1].coordinates[p]);
    const int column = cas_grid_add(g, text);
    for (int i = 0; i < c->n; i++) {
      const int at = c->at[i] - before;
      if (at < 0 || at >= all)
        continue;
      write_cell(v, s, (c->first + (size_t)at) * (size_t)v->probabilities + (size_t)p, text);
      cas_grid_put(g, column, i, text);
    }
  }
}

static void print_choice(FILE *f, const view *v, const choice *c, const char *column) {
  if (v->numbers > 1 && v->axis[0].coordinates)
    fprintf(f,
            c->of_map ? "  at %s %.8g, of %d numbers where %s is smallest and where it is largest\n"
                      : "  at %s %.8g, of %d numbers\n",
            v->axis[0].name, v->axis[0].coordinates[v->rows - 1], v->numbers, column);
  else if (!v->by_steps && c->n < v->rows)
    fprintf(f, "  %d of %d\n", c->n, v->rows);
}

/* Whether a column is of what laws are fitted to, and another table has it. */
static bool is_elsewhere(const cas_results *r, const cas_table *t, const cas_shown *s) {
  return s->fitted && t->kind->fitted && !t->kind->fitted(r, t);
}

/* Prints the columns from s on that run over the same axis; returns the first that does not. */
static const cas_shown *print_some(FILE *f, const cas_results *r, const cas_table *t,
                                   const cas_shown *s, const view *first) {
  view v;
  cas_grid g = {0};
  choice c = choose(first);
  for (const cas_shown *more = s; first->by_steps && more->column; more++)
    if (find(t, more->column, &v) && v.by_steps && v.rows <= MOST_LEVELS)
      for (; c.n < v.rows; c.n++) /* the reference, too */
        c.at[c.n] = c.n;
  print_choice(f, first, &c, s->column);
  begin_grid(r, first, &c, &g);
  for (; s->column; s++) {
    if (!find(t, s->column, &v) || is_elsewhere(r, t, s))
      continue;
    if (v.by_steps != first->by_steps ||
        (!v.by_steps && !cas_field_same_text(v.axis[0].name, first->axis[0].name)))
      break;
    fill_column(&v, s, &c, &g);
  }
  cas_grid_print(f, &g, 2, LAST_COLUMN);
  cas_grid_free(&g);
  return s;
}

static void print_columns(FILE *f, const cas_results *r, const cas_table *t) {
  const cas_shown *s = t->kind->shown;
  view first;
  while (s && s->column)
    s = find(t, s->column, &first) ? print_some(f, r, t, s, &first) : s + 1;
}

/* ---- laws ---- */

/* The form of a law, "c h^q" and so on: of weak errors or squares of strong errors, with a free
   order or the order of theory. */
static const char *form_of(int law, double scale) {
  static const char *const weak[] = {"c1 h^q",        "  q by theory",   "c1 h^q + c2 h^(q+1)",
                                     "  q by theory", ".. + c3 h^(q+2)", "  q by theory"};
  static const char *const square[] = {"c1 h^2p",       "  p by theory",    "c1 h^2p + c2 h^(2p+1)",
                                       "  p by theory", ".. + c3 h^(2p+2)", "  p by theory"};
  return (scale == 2 ? square : weak)[law];
}

static void print_coefficient(FILE *f, const cas_law *l, int k) {
  cas_table_print_real(f, "%.2e", 10, l->coefficient[k]);
  cas_table_print_real(f, "%.0e", 6, l->coefficient_error[k]);
}

/* Whether the order that is reported is that of a law: of weak errors it follows from several. */
static bool is_reported(const cas_laws *l, int law, double scale) {
  return law < CAS_LAWS && law == l->headline && (scale == 2 || !l->conclusion.decides);
}

/* A third coefficient would make the table wider than a screen; it is in files. */
static void print_law(FILE *f, const cas_laws *all, int law, double scale) {
  const cas_law *l = &all->law[law];
  fprintf(f, "%c %-21s", is_reported(all, law, scale) ? '*' : ' ', form_of(law, scale));
  cas_table_print_real(f, "%.3f", 6, l->order);
  char low[32], high[32], text[80] = "";
  snprintf(low, sizeof low, isfinite(l->low) ? "%.3f" : "..", l->low);
  snprintf(high, sizeof high, isfinite(l->high) ? "%.3f" : "..", l->high);
  if (l->low != l->high)
    snprintf(text, sizeof text, "[%s, %s]", low, high);
  fprintf(f, "  %-15s", text);
  print_coefficient(f, l, 0);
  print_coefficient(f, l, 1);
  cas_table_print_real(f, "%.3g", 9, l->chi2);
  cas_table_print_real(f, "%.0f", 4, l->degrees_of_freedom);
  cas_table_print_real(f, "%.2g", 9, l->p_value);
  fputc('\n', f);
}

static void print_laws(FILE *f, const cas_laws *l, const char *of) {
  const double scale = strncmp(of, "squared ", 8) == 0 ? 2 : 1;
  if (!isfinite(l->law[CAS_LAW_POWER].order))
    return;
  fprintf(f, "  Laws of %d %s", l->law[CAS_LAW_POWER].points, of);
  if (l->left_out)
    fprintf(f, ", without the coarsest (%d)", l->left_out);
  if (is_reported(l, l->headline, scale))
    fprintf(f, "; *: reported order");
  fprintf(f, "\n  %-21s%6s  %-15s%10s%6s%10s%6s%9s%4s%9s\n", "law", "order", "95% if it holds",
          "c1", "+-", "c2", "+-", "chi2", "dof", "p");
  for (int law = 0; law < CAS_LAWS; law++)
    if (isfinite(l->law[law].order))
      print_law(f, l, law, scale);
}

/* ---- values ---- */

/* A value of 0 says nothing: no bias, no average. */
static void write_value(const cas_table *t, const cas_field *list, const cas_field *f,
                        char text[CELL]) {
  const void *at = cas_table_member(t, f->offset);
  text[0] = '\0';
  if (f->type == CAS_FIELD_INT && *(const int *)at != 0)
    cas_append(text, CELL, "%d", *(const int *)at);
  else if (f->type == CAS_FIELD_INT64 && *(const int64_t *)at != 0)
    cas_append(text, CELL, "%" PRId64, *(const int64_t *)at);
  else if (f->type == CAS_FIELD_WORDS)
    cas_append(text, CELL, "%s", (const char *)at);
  else if (f->type == CAS_FIELD_REAL && (*(const double *)at != 0 || f->error || f->low))
    write_real(text, *(const double *)at, cas_table_value(t, list, f->error),
               cas_table_value(t, list, f->low), cas_table_value(t, list, f->high),
               strstr(f->name, "order") != NULL);
}

static void print_values(FILE *f, const cas_table *t, const cas_field *list) {
  for (const cas_field *of = list; of && of->name; of++) {
    char text[CELL];
    if (strcmp(of->name, "verdict") == 0 || strcmp(of->name, "findings") == 0 ||
        cas_field_is_uncertainty(list, of))
      continue;
    write_value(t, list, of, text);
    if (text[0] && of->long_name)
      cas_text_wrap(f, of->long_name, fprintf(f, "  %-28s%-34s  ", of->name, text), LAST_COLUMN);
    else if (text[0])
      fprintf(f, "  %-28s%s\n", of->name, text);
  }
}

/* ---- whole tables ---- */

void cas_table_print_findings(FILE *f, cas_findings found) {
  char text[CAS_FINDINGS_TEXT];
  cas_findings_say(found, text);
  if (text[0])
    cas_text_wrap(f, text, fprintf(f, "  => "), 96);
}

static void print_title(FILE *f, const cas_table *t) {
  const cas_table_kind *k = t->kind;
  fputc('\n', f);
  fprintf(f, k->title ? k->title : "%s", k->called ? k->called(t->object) : cas_table_name(t));
  if (strcmp(cas_table_unit(t), "1") != 0)
    fprintf(f, " (%s)", cas_table_unit(t));
  fputc('\n', f);
}

static void print_table(FILE *f, const cas_results *r, const cas_table *t) {
  const cas_table_kind *k = t->kind;
  for (int i = 0; i < cas_table_parts(t); i++) {
    const cas_table part = cas_table_part(t, i);
    print_table(f, r, &part);
  }
  print_title(f, t);
  print_columns(f, r, t);
  print_values(f, t, k->values);
  print_values(f, t, k->attributes);
  print_values(f, t, k->apart);
  if (k->laws && k->fitted(r, t))
    print_laws(f, cas_table_laws(t), k->fitted(r, t));
  if (k->note)
    k->note(f, r, t);
  if (k->findings && k->fitted && !k->fitted(r, t))
    fprintf(f, "  => from differences of neighbouring levels, below\n");
  else if (k->findings)
    cas_table_print_findings(f, cas_table_findings(t));
}

void cas_tables_print(FILE *f, const cas_results *r) {
  for (int i = 0; i < r->tables; i++)
    print_table(f, r, &r->table[i]);
}
