#include "files/results/rows.h"
#include "files/results/result.h"

#include <math.h>

typedef struct {
  const cas_results *results;
  void (*visit)(void *context, const cas_row *row);
  void *context;
} visitor;

const char *const cas_row_axes[CAS_ROW_AXES] = {
    [CAS_ROW_STEP] = "step", [CAS_ROW_TIME] = "time", [CAS_ROW_PROBABILITY] = "probability"};

static void clear_place(cas_row *row) {
  row->at[0] = '\0';
  for (int a = 0; a < CAS_ROW_AXES; a++)
    row->place[a] = NAN;
}

/* "time=20 probability=0.5": the place of number i, whose last axis runs fastest. Whether rows have
   the coordinates of all its axes as numbers. */
static bool describe_place(const cas_file_axis *axis, int axes, size_t i, cas_row *row) {
  size_t numbers = 1, used = 0, size = sizeof row->at;
  int known = 0;
  clear_place(row);
  for (int k = 0; k < axes; k++)
    numbers *= (size_t)axis[k].length;
  for (int k = 0; k < axes && used < size; k++) {
    const char *name = axis[k].name ? axis[k].name : "number";
    numbers /= (size_t)axis[k].length;
    size_t at = i / numbers % (size_t)axis[k].length;
    double x = axis[k].coordinates ? axis[k].coordinates[at] : (double)at + 1;
    used += (size_t)snprintf(row->at + used, size - used, "%s%s=%.10g", k ? " " : "", name, x);
    for (int a = 0; a < CAS_ROW_AXES; a++)
      if (strcmp(name, cas_row_axes[a]) == 0) {
        row->place[a] = x;
        known++;
      }
  }
  return known == axes;
}

static cas_status visit_column(const visitor *v, const cas_table *t, const cas_field *f,
                               cas_row *row, bool first, cas_error *err) {
  cas_h5 h = {.err = err};
  cas_file_axis axis[CAS_TABLE_AXES];
  if (!(f->error || f->low) || !cas_field_array(f, t->object))
    return CAS_OK;
  int axes = cas_table_axes(t, f, axis);
  size_t n = cas_table_count(t, f);
  if (cas_table_is_absent(f, cas_field_array(f, t->object), n))
    return CAS_OK;
  double *steps = cas_table_step_fill(&h, v->results, axes, axis);
  row->quantity = f->name;
  const size_t slab = n ? n / (size_t)axis[0].length : 0;
  for (size_t i = 0; !h.status && i < n; i++) {
    const bool plain = describe_place(axis, axes, i, row);
    row->value = cas_table_real(t, f->name, i);
    row->standard_error = cas_table_real(t, f->error, i);
    row->low = cas_table_real(t, f->low, i);
    row->high = cas_table_real(t, f->high, i);
    row->headline = first && plain && i + slab >= n;
    v->visit(v->context, row);
  }
  free(steps);
  return h.status;
}

/* The order that "/result" of a file has for a functional, in the place of that of one law. */
static void take_concluded(const cas_frame *f, cas_row *row) {
  for (int i = 0; f && cas_field_find(f->columns, "order") && i < f->rows; i++) {
    const cas_result_row *found = &cas_result_rows(f)[i];
    if (!row->functional[0] || strcmp(found->name, row->functional) != 0)
      continue;
    row->value = found->order;
    row->low = found->order_low;
    row->high = found->order_high;
  }
}

/* Errors and differences of one study have one order, that of the result. */
static bool is_again(const cas_results *r, const cas_table *t) {
  const char *group = t->kind->group; /* parts have none */
  return group && strcmp(group, "weak") == 0 && cas_results_multilevel(r);
}

/* Numbers of a whole table; whether one of them is what it estimates. */
static bool visit_values(const visitor *v, const cas_table *t, cas_row *row) {
  bool estimates = false;
  clear_place(row);
  for (const cas_field *f = t->kind->values; f && f->name; f++) {
    if (!f->error && !f->low)
      continue;
    const bool is_order = cas_table_laws(t) && strcmp(f->name, "order") == 0;
    row->quantity = f->name;
    row->value = cas_table_value(t, t->kind->values, f->name);
    row->standard_error = cas_table_value(t, t->kind->values, f->error);
    row->low = cas_table_value(t, t->kind->values, f->low);
    row->high = cas_table_value(t, t->kind->values, f->high);
    row->headline = f->headline || (is_order && !is_again(v->results, t));
    if (is_order)
      take_concluded(v->results->result, row);
    estimates |= row->headline || is_order;
    v->visit(v->context, row);
  }
  return estimates;
}

static cas_status visit_table(const visitor *v, const cas_table *t, cas_error *err) {
  char path[CAS_TABLE_PATH];
  cas_row row = {.table = path};
  cas_table_path(t, path);
  row.functional = t->whole || t->kind->place == CAS_TABLE_EACH ? cas_table_name(t) : "";
  const bool estimates = visit_values(v, t, &row);
  for (const cas_field *f = t->kind->columns; f && f->name; f++)
    CAS_CALL(visit_column(v, t, f, &row, f == t->kind->columns && !estimates, err));
  for (int i = 0; i < cas_table_parts(t); i++) {
    const cas_table part = cas_table_part(t, i);
    CAS_CALL(visit_table(v, &part, err));
  }
  return CAS_OK;
}

static bool is_of_increments(const cas_table *t) {
  char path[CAS_TABLE_PATH];
  cas_table_path(t, path);
  return strcmp(path, "strong/error_increments") == 0;
}

cas_status cas_rows_visit(const cas_results *r, void (*visit)(void *context, const cas_row *row),
                          void *context, cas_error *err) {
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < r->tables; i++)
      if (is_of_increments(&r->table[i]) == (pass == 0))
        CAS_CALL(visit_table(&(visitor){r, visit, context}, &r->table[i], err));
  return CAS_OK;
}
