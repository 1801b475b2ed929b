#include "present/pictures/drawn.h"
#include <math.h>
#include <string.h>

const cas_table *cas_drawn_table(const cas_source *s, const char *group, int i) {
  for (int k = 0; k < s->results.tables; k++)
    if (strcmp(s->results.table[k].kind->group, group) == 0 && i-- == 0)
      return &s->results.table[k];
  return NULL;
}

const cas_table *cas_drawn_table_of(const cas_results *r, const void *object) {
  int k = 0;
  while (r->table[k].object != object)
    k++;
  return &r->table[k];
}

int cas_drawn_tables(const cas_figure *g, const cas_source *s, const char *group) {
  int all = 0, drawn;
  while (cas_drawn_table(s, group, all))
    all++;
  drawn = all < CAS_DRAWN_MOST_TABLES ? all : CAS_DRAWN_MOST_TABLES;
  if (drawn < all)
    cas_figure_remark(g, "the first %d of %d functionals are drawn", drawn, all);
  return drawn;
}

void cas_drawn_finest_order(cas_figure *g, int i, int n, int orders, const double *order,
                            const double *low, const double *high) {
  int k = orders - 1;
  while (k >= 0 && !(isfinite(order[k]) && isfinite(low[k]) && isfinite(high[k])))
    k--;
  cas_picture_interval_of(g, "order", i, n, k < 0 ? NAN : order[k], k < 0 ? NAN : low[k],
                          k < 0 ? NAN : high[k]);
}

/* A column of a block: numbers with a stride along rows and one along blocks. */
typedef struct {
  const double *real;
  const int *whole; /* of both NULL: 1 */
  cas_drawn_change change;
  int64_t row, block;
} numbers;

/* What the blocks of a table are of. */
typedef struct {
  const cas_results *results;
  const cas_table *table;
  char squared[100]; /* its unit */
  cas_step_axes steps;
} origin;

static const cas_field *find_field(const cas_table *t, const char *name) {
  for (const cas_field *f = t->kind->columns; f && name && f->name; f++)
    if (strcmp(f->name, name) == 0)
      return f;
  return NULL;
}

/* The axis of rows, or with `other` the one besides, of length 1 where there is none, and the
   stride along it. */
static int64_t find_axis(const origin *o, const cas_field *f, const char *rows, bool other,
                         cas_file_axis *found) {
  cas_file_axis axis[CAS_TABLE_AXES];
  int64_t stride = 1;
  for (int i = cas_table_axes(o->table, f, &o->steps, axis) - 1; i >= 0; i--) {
    *found = axis[i];
    if ((strncmp(axis[i].name, rows, strlen(rows)) == 0) != other)
      return stride;
    stride *= axis[i].length;
  }
  *found = (cas_file_axis){.length = 1};
  return 0;
}

/* rows: the axis that rows run over */
static numbers find_numbers(const origin *o, const cas_drawn_column *column,
                            const cas_file_axis *rows, const char **units) {
  const cas_field *f = find_field(o->table, column->column);
  const void *array = f ? cas_field_array(f, o->table->object) : NULL;
  const double *coordinates = rows->coordinates ? rows->coordinates : o->results->step;
  cas_file_axis axis;
  *units = f && f->units ? f->units : cas_table_unit(o->table);
  if (strcmp(*units, "^2") == 0)
    *units = o->squared;
  if (!column->column || column->change == CAS_DRAWN_RESOLVED)
    *units = "1";
  else if (!f)
    *units = rows->unit;
  if (!f)
    return (numbers){.real = column->column ? coordinates : NULL, .row = 1};
  return (numbers){.real = f->type == CAS_FIELD_REAL ? array : NULL,
                   .whole = f->type == CAS_FIELD_INT ? array : NULL,
                   .change = column->change,
                   .row = find_axis(o, f, rows->name, false, &axis),
                   .block = find_axis(o, f, rows->name, true, &axis)};
}

/* magnitude: what the row has in its second column */
static double number_at(const numbers *x, int64_t row, int64_t block, double magnitude) {
  const int64_t i = row * x->row + block * x->block;
  const double value = x->real ? x->real[i] : x->whole ? x->whole[i] : 1;
  return x->change == CAS_DRAWN_MAGNITUDE  ? fabs(value)
         : x->change == CAS_DRAWN_TWICE    ? 2 * value
         : x->change == CAS_DRAWN_RESOLVED ? magnitude > 2 * value
                                           : value;
}

static bool is_there(cas_drawn_rows rows, double x) {
  return rows == CAS_DRAWN_ALL || (isfinite(x) && (x > 0 || (x < 0 && rows == CAS_DRAWN_NOT_ZERO)));
}

static bool write_blocks(cas_figure *g, const origin *o, const cas_drawn_block *b, int number) {
  const cas_field *second = find_field(o->table, b->column[1].column);
  cas_figure_column heading[CAS_DRAWN_COLUMNS];
  numbers x[CAS_DRAWN_COLUMNS];
  cas_file_axis rows, other;
  double row[CAS_DRAWN_COLUMNS];
  bool any = false;
  int n = 0;
  find_axis(o, second, b->column[0].column, false, &rows);
  find_axis(o, second, b->column[0].column, true, &other);
  for (; n < CAS_DRAWN_COLUMNS && b->column[n].heading; n++) {
    heading[n].name = b->column[n].heading;
    x[n] = find_numbers(o, &b->column[n], &rows, &heading[n].units);
  }
  for (int k = 0; k < other.length; k++) {
    const char *name = cas_figure_name(g, b->name, number ? number : k + 1, k + 1);
    cas_figure_data_begin(g, name, n, heading);
    for (int64_t i = 0; i < rows.length; i++) {
      for (int c = 0; c < n; c++)
        row[c] = number_at(&x[c], i, k, row[1]);
      if (!is_there(b->rows, row[1]))
        continue;
      cas_figure_data_row(g, row);
      any = true;
    }
    cas_figure_data_end(g);
  }
  return any;
}

bool cas_drawn_blocks_write(cas_figure *g, const cas_results *r, const cas_table *t, int number,
                            const cas_drawn_block *block) {
  origin o = {.results = r, .table = t};
  bool any = false;
  cas_picture_unit_square(cas_table_unit(t), o.squared);
  cas_step_axes_of(cas_table_levels(t), &o.steps);
  for (; block->name; block++)
    any |= write_blocks(g, &o, block, number);
  return any;
}
