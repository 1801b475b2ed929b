/* Tables for people. */
#include "base/grid.h"
#include "base/text.h"
#include "files/results/frame.h"
#include "files/results/rows.h"
#include <inttypes.h>
#include <math.h>

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

/* A NaN leaves the text empty; 0 has no sign. */
static void write_real(char text[CELL], double x, double error, double low, double high,
                       bool is_order) {
  if (isnan(x))
    return;
  if (isnan(error) && isnan(low))
    cas_append(text, CELL, "%.6g", x + 0.0);
  else
    cas_frame_append(text, CELL, x, error, low, high, is_order ? CAS_FRAME_ORDER : INFINITY);
}

/* ---- columns ---- */

/* A column in rows: of its steps or times, or of the numbers that it has at the last of them. */
typedef struct {
  const cas_table *table;
  const cas_field *field;
  cas_file_axis axis[CAS_TABLE_AXES]; /* of rows, without that of probabilities */
  int axes, rows;
  size_t first;                    /* number of the first row */
  cas_file_axis last, probability; /* whose numbers are left out, and which stand side by side */
  bool by_steps;
} view;

static bool see(const cas_table *t, const cas_field *f, view *v) {
  *v = (view){.table = t, .field = f, .rows = 1, .probability.length = 1};
  const size_t n = cas_field_array(f, t->object) ? cas_table_count(t, f) : 0;
  if (n == 0 || cas_field_is_uncertainty(t->kind->columns, f))
    return false;
  v->axes = cas_table_axes(t, f, v->axis);
  if (cas_field_same_text(v->axis[v->axes - 1].name, "probability"))
    v->probability = v->axis[--v->axes];
  if (v->axes > 1) {
    v->last = v->axis[0];
    memmove(v->axis, v->axis + 1, (size_t)--v->axes * sizeof *v->axis);
  }
  for (int k = 0; k < v->axes; k++)
    v->rows *= v->axis[k].length;
  if (v->last.name)
    v->first = n / (size_t)v->probability.length - (size_t)v->rows;
  v->by_steps = v->axes == 1 && cas_table_step_neighbours(v->axis) > 0;
  const char *of = v->axes ? v->axis[v->axes - 1].name : NULL;
  return v->axes > 0 && !cas_field_same_text(of, "bin") && !cas_field_same_text(of, "path_group");
}

static bool are_beside(const view *a, const view *b) {
  return cas_field_same_text(a->last.name, b->last.name) && a->by_steps == b->by_steps &&
         (a->by_steps ||
          (a->rows == b->rows && cas_field_same_text(a->axis[0].name, b->axis[0].name)));
}

static void write_cell(const view *v, size_t i, char text[CELL]) {
  const void *array = cas_field_array(v->field, v->table->object);
  text[0] = '\0';
  if (v->field->type == CAS_FIELD_INT)
    cas_append(text, CELL, "%s", ((const int *)array)[i] ? "yes" : "NO");
  else if (v->field->type == CAS_FIELD_INT64)
    cas_append(text, CELL, "%" PRId64, ((const int64_t *)array)[i]);
  else
    write_real(text, ((const double *)array)[i], cas_table_real(v->table, v->field->error, i),
               cas_table_real(v->table, v->field->low, i),
               cas_table_real(v->table, v->field->high, i),
               strstr(v->field->name, "order") != NULL);
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

/* The steps, times or places that rows are of, in columns. */
static void put_places(const cas_results *r, const view *v, const int *at, int n, cas_grid *g) {
  char text[CELL];
  for (int k = 0, inner = v->rows; k < v->axes; k++) {
    const cas_file_axis *a = &v->axis[k];
    const int column = cas_grid_add(g, v->by_steps && r->time_step ? "N"
                                       : v->by_steps               ? "step"
                                       : a->name                   ? a->name
                                                                   : "number");
    inner /= a->length;
    for (int i = 0; i < n; i++) {
      text[0] = '\0';
      if (v->by_steps)
        cas_table_append_level(text, CELL, "", r, at[i]);
      else
        append_coordinate(text, a, at[i] / inner % a->length);
      cas_grid_put(g, column, i, text);
    }
  }
}

/* Columns that are shorter than the steps belong to the last of them. */
static void put_column(const view *v, const int *at, int n, cas_grid *g) {
  const int levels = cas_table_levels(v->table),
            before = v->by_steps && v->rows < levels ? levels - v->rows : 0;
  for (int p = 0; p < v->probability.length; p++) {
    char text[CELL] = "";
    cas_append(text, CELL, "%s", v->field->name);
    if (v->probability.name)
      cas_append(text, CELL, " %.4g", v->probability.coordinates[p]);
    const int column = cas_grid_add(g, text);
    for (int i = 0; i < n; i++) {
      const int row = at[i] - before;
      if (row < 0 || row >= v->rows)
        continue;
      write_cell(v, (v->first + (size_t)row) * (size_t)v->probability.length + (size_t)p, text);
      cas_grid_put(g, column, i, text);
    }
  }
}

/* Prints the columns that stand beside the first: of steps all, of others as many as fit. */
static void print_beside(FILE *f, const cas_results *r, const view *first) {
  const cas_table *t = first->table;
  cas_grid g = {0};
  view v;
  int at[MOST_LEVELS], n = first->rows, all = n;
  for (const cas_field *of = first->field; first->by_steps && of->name; of++)
    if (see(t, of, &v) && are_beside(first, &v) && v.rows > n && v.rows <= MOST_LEVELS)
      n = all = v.rows;
  const int most = first->by_steps ? MOST_LEVELS : MOST_ROWS;
  n = n < most ? n : most;
  for (int i = 0; i < n; i++)
    at[i] = n < 2 ? 0 : (int)((int64_t)i * (all - 1) / (n - 1));
  if (first->last.name) {
    char text[CELL] = "";
    if (cas_table_step_neighbours(&first->last) > 0)
      cas_table_append_level(text, CELL, "", r, first->last.length - 1);
    else
      append_coordinate(text, &first->last, first->last.length - 1);
    fprintf(f, "  at %s %s\n", first->last.name, text);
  }
  const bool of_map = n < all && first->axes > 1 && first->field->type == CAS_FIELD_REAL;
  if (of_map) {
    const double *x = (const double *)cas_field_array(first->field, t->object) + first->first;
    n = 2;
    at[0] = at[1] = 0;
    for (int i = 1; i < first->rows; i++) {
      at[0] = x[i] < x[at[0]] ? i : at[0];
      at[1] = x[i] > x[at[1]] ? i : at[1];
    }
  }
  if (n < all)
    fprintf(f,
            of_map ? "  %d of %d, where %s is smallest and where it is largest\n" : "  %d of %d\n",
            n, all, first->field->name);
  put_places(r, first, at, n, &g);
  for (const cas_field *of = first->field; of->name; of++)
    if (see(t, of, &v) && are_beside(first, &v))
      put_column(&v, at, n, &g);
  cas_grid_print(f, &g, 2, LAST_COLUMN);
  cas_grid_free(&g);
}

static void print_columns(FILE *f, const cas_results *r, const cas_table *t) {
  view v, before;
  for (const cas_field *of = t->kind->columns; of && of->name; of++) {
    bool printed = !see(t, of, &v);
    for (const cas_field *more = t->kind->columns; !printed && more < of; more++)
      printed = see(t, more, &before) && are_beside(&v, &before);
    if (!printed)
      print_beside(f, r, &v);
  }
}

/* Prints what the columns are that have a number. */
static void print_meanings(FILE *f, const cas_table *t) {
  const char *subject = t->kind->subject ? t->kind->subject(t->object) : "";
  char text[300];
  view v;
  for (const cas_field *of = t->kind->columns; of && of->name; of++) {
    cas_field column = *of;
    column.optional = true;
    cas_table_long_name(of, subject, text, sizeof text);
    if (see(t, of, &v) &&
        !cas_table_is_absent(&column, cas_field_array(of, t->object), cas_table_count(t, of)))
      cas_text_wrap(f, text, fprintf(f, "  %-28s", of->name), LAST_COLUMN);
  }
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

static void print_findings(FILE *f, cas_findings found) {
  char text[CAS_FINDINGS_TEXT];
  cas_findings_say(found, text);
  if (text[0])
    cas_text_wrap(f, text, fprintf(f, "  => "), 96);
}

static void print_values(FILE *f, const cas_results *r, const cas_table *t, const cas_field *list) {
  for (const cas_field *of = list; of && of->name; of++) {
    char text[CELL];
    if (strcmp(of->name, "findings") == 0)
      print_findings(f, (cas_findings) * (const int *)cas_table_member(t, of->offset));
    if (strcmp(of->name, "verdict") == 0 || strcmp(of->name, "findings") == 0 ||
        cas_field_is_uncertainty(list, of))
      continue;
    write_value(t, list, of, text);
    if (!text[0] && strcmp(of->name, "bias_bound") == 0 && r->health.failed_paths > 0)
      cas_append(text, CELL, "not known");
    if (text[0])
      cas_text_wrap(f, of->long_name, fprintf(f, "  %-28s%-34s  ", of->name, text), LAST_COLUMN);
  }
}

/* ---- all ---- */

static void print_table(FILE *f, const cas_results *r, const cas_table *t) {
  const cas_table_kind *k = t->kind;
  char path[CAS_TABLE_PATH];
  for (int i = 0; i < cas_table_parts(t); i++) {
    const cas_table part = cas_table_part(t, i);
    print_table(f, r, &part);
  }
  cas_table_path(t, path);
  fprintf(f, strcmp(cas_table_unit(t), "1") != 0 ? "\n%s (%s)\n" : "\n%s\n", path,
          cas_table_unit(t));
  print_columns(f, r, t);
  print_meanings(f, t);
  print_values(f, r, t, k->values);
  print_values(f, r, t, k->attributes);
  print_values(f, r, t, k->apart);
  const char *of = k->fitted ? k->fitted(r, t) : "differences";
  if (k->laws && of)
    cas_laws_print(f, cas_table_laws(t), of);
  if (k->findings && !of)
    fprintf(f, "  => from differences of neighbouring levels, below\n");
  else if (k->findings)
    print_findings(f, cas_table_findings(t));
}

void cas_tables_print(FILE *f, const cas_results *r) {
  for (int i = 0; i < r->tables; i++)
    print_table(f, r, &r->table[i]);
}
