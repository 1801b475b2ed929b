/* Tables in memory. */
#include "files/results/table.h"
#include "base/text.h"
#include <math.h>

const char *cas_table_name(const cas_table *t) {
  return t->kind->group && t->kind->place == CAS_TABLE_ALONE ? t->kind->group
                                                             : cas_table_member(t, t->kind->name);
}

const char *cas_table_unit(const cas_table *t) {
  return t->kind->unit ? cas_table_member(t, t->kind->unit) : "1";
}

cas_findings cas_table_findings(const cas_table *t) {
  return t->kind->findings ? *(cas_findings *)cas_table_member(t, t->kind->findings) : 0;
}

const cas_field cas_table_findings_field = {.name = "findings",
                                            .type = CAS_FIELD_WORDS,
                                            .extra = 1024,
                                            .long_name = "what the verdict found, gravest first",
                                            .units = "1"},
                cas_table_verdict_field = {.name = "verdict",
                                           .type = CAS_FIELD_WORDS,
                                           .long_name = "what is concluded",
                                           .units = "1"};

cas_laws *cas_table_laws(const cas_table *t) {
  return t->kind->laws ? cas_table_member(t, t->kind->laws) : NULL;
}

void cas_table_path(const cas_table *t, char path[CAS_TABLE_PATH]) {
  const char *group = t->whole ? t->whole->kind->group : t->kind->group, *own = cas_table_name(t);
  const bool alone = t->kind->group && t->kind->place == CAS_TABLE_ALONE;
  snprintf(path, CAS_TABLE_PATH, "%s%s%s", group, alone ? "" : "/", alone ? "" : own);
}

/* ---- parts ---- */

/* The array of parts, a pointer to structs of any type. */
static char *parts_of(const cas_table *t) {
  char *parts;
  memcpy(&parts, cas_table_member(t, t->kind->parts.array), sizeof parts);
  return parts;
}

int cas_table_parts(const cas_table *t) {
  return t->kind->parts.kind && parts_of(t) ? *(int *)cas_table_member(t, t->kind->parts.number)
                                            : 0;
}

cas_table cas_table_part(const cas_table *t, int i) {
  return (cas_table){t->kind->parts.kind, parts_of(t) + (size_t)i * t->kind->parts.kind->size, t};
}

/* ---- axes ---- */

int cas_table_levels(const cas_table *t) {
  if (t->kind->levels)
    return *(int *)cas_table_member(t, t->kind->levels);
  return t->whole ? cas_table_levels(t->whole) : 0;
}

static const struct {
  const char *name, *long_name;
  int neighbours;
} steps[] = {{"step_of_four", "geometric mean of four neighbouring step sizes", 4},
             {"step_of_three", "geometric mean of three neighbouring step sizes", 3},
             {"step_between", "geometric mean of two neighbouring step sizes", 2},
             {"step", "step size, coarsest level first", 1},
             {"step_with_reference", "step size, coarsest level first, reference last", 1}};

cas_file_axis cas_table_step_axis(int levels, int extra) {
  return (cas_file_axis){.name = steps[extra + 3].name,
                         .long_name = steps[extra + 3].long_name,
                         .unit = "time_unit",
                         .length = levels + extra > 0 ? levels + extra : 0};
}

int cas_table_step_neighbours(const cas_file_axis *a) {
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
    if (a->name == steps[i].name)
      return steps[i].neighbours;
  return 0;
}

int cas_table_axes(const cas_table *t, const cas_field *column,
                   cas_file_axis axis[CAS_TABLE_AXES]) {
  const cas_table_axis *own = &t->kind->axis;
  int n = 0;
  if (t->kind->axes)
    return t->kind->axes(t, column, axis);
  if (!own->name || (t->kind->levels && column->over != CAS_TABLE_OVER_AXIS))
    axis[n++] = cas_table_step_axis(cas_table_levels(t), column->extra);
  if (own->name && column->over != CAS_TABLE_OVER_STEPS)
    axis[n++] = (cas_file_axis){.name = own->name,
                                .long_name = own->long_name,
                                .unit = own->unit,
                                .length = *(int *)cas_table_member(t, own->length),
                                .coordinates = *(double **)cas_table_member(t, own->coordinates)};
  return n;
}

size_t cas_table_count(const cas_table *t, const cas_field *column) {
  cas_file_axis axis[CAS_TABLE_AXES];
  size_t n = 1;
  for (int i = cas_table_axes(t, column, axis); i > 0; i--)
    n *= (size_t)axis[i - 1].length;
  return n;
}

void cas_table_long_name(const cas_field *f, const char *subject, char *text, size_t size) {
  const char *all = f->long_name ? f->long_name : "", *gap = strstr(all, "%s");
  if (gap)
    snprintf(text, size, "%.*s%s%s", (int)(gap - all), all, subject, gap + 2);
  else
    snprintf(text, size, "%s", all);
}

bool cas_table_is_absent(const cas_field *f, const void *array, size_t n) {
  size_t i = 0;
  if (!f->optional || f->type != CAS_FIELD_REAL || !array)
    return false;
  while (i < n && isnan(((const double *)array)[i]))
    i++;
  return i == n;
}

double cas_table_real(const cas_table *t, const char *column, size_t i) {
  const cas_field *f = cas_field_find(t->kind->columns, column);
  const double *x = f && cas_table_count(t, f) > i ? cas_field_array(f, t->object) : NULL;
  return x ? x[i] : NAN;
}

double cas_table_value(const cas_table *t, const cas_field *list, const char *name) {
  const cas_field *f = cas_field_find(list, name);
  return f ? *(const double *)cas_table_member(t, f->offset) : NAN;
}

cas_status cas_table_create_columns(const cas_table *t, cas_error *err) {
  size_t bytes = 0;
  for (const cas_field *f = t->kind->columns; f && f->name; f++) {
    const size_t n = cas_table_count(t, f);
    double *column = calloc(n + 1, cas_field_size(f->type));
    memcpy(cas_table_member(t, f->offset), &column, sizeof column);
    bytes += n * cas_field_size(f->type);
    CAS_FAIL_IF(!column, CAS_NO_MEMORY, "out of memory: %zu bytes of %s", bytes, cas_table_name(t));
    for (size_t i = 0; f->type == CAS_FIELD_REAL && i < n; i++)
      column[i] = NAN;
  }
  return CAS_OK;
}

static int64_t bytes_of(const cas_table *t) {
  enum { DESCRIPTION = 4096, LABEL = 64 };
  size_t bytes = DESCRIPTION;
  cas_file_axis axis[CAS_TABLE_AXES];
  for (const cas_field *f = t->kind->columns; f && f->name; f++) {
    if (cas_field_array(f, t->object))
      bytes += cas_table_count(t, f) * cas_field_size(f->type);
    bytes += DESCRIPTION;
    for (int i = cas_table_axes(t, f, axis); f == t->kind->columns && i > 0; i--)
      bytes += (axis[i - 1].labels ? LABEL : sizeof(double)) * (size_t)axis[i - 1].length +
               DESCRIPTION + (axis[i - 1].labels ? strlen(axis[i - 1].labels) : 0);
  }
  for (int i = 0; i < cas_table_parts(t); i++) {
    cas_table part = cas_table_part(t, i);
    bytes += (size_t)bytes_of(&part);
  }
  return (int64_t)bytes;
}

int64_t cas_tables_bytes(const cas_results *r) {
  int64_t bytes = 0;
  for (int i = 0; i < r->tables; i++)
    bytes += bytes_of(&r->table[i]);
  return bytes;
}

/* ---- ownership ---- */

/* Frees what the object and its parts hold, and the memory of the parts. */
static void release(const cas_table *t) {
  for (int i = 0; i < cas_table_parts(t); i++) {
    cas_table part = cas_table_part(t, i);
    release(&part);
  }
  if (t->kind->parts.kind)
    free(parts_of(t));
  cas_field_columns_free(t->kind->columns, t->object);
  cas_field_values_free(t->kind->attributes, t->object);
  if (t->kind->axis.name)
    free(*(double **)cas_table_member(t, t->kind->axis.coordinates));
  if (t->kind->release)
    t->kind->release(t->object);
}

void cas_table_delete(const cas_table_kind *kind, void *object) {
  if (object)
    release(&(cas_table){kind, object, NULL});
  free(object);
}

cas_status cas_results_add(cas_results *r, const cas_table_kind *kind, void *object,
                           cas_error *err) {
  if (object && cas_owned_resize(&r->table, r->tables + 1, sizeof *r->table)) {
    r->table[r->tables++] = (cas_table){kind, object, NULL};
    return CAS_OK;
  }
  cas_table_delete(kind, object);
  return cas_no_memory(err);
}

void cas_table_clear(const cas_table *t) {
  const cas_field *const lists[] = {t->kind->values, t->kind->attributes, t->kind->apart};
  for (int i = 0; i < 3; i++)
    for (const cas_field *f = lists[i]; f && f->name; f++)
      if (f->type == CAS_FIELD_REAL)
        *(double *)cas_table_member(t, f->offset) = NAN;
  if (t->kind->laws)
    cas_laws_clear(cas_table_laws(t));
}

/* Clears a table, and gives it the memory of its axis, its columns and its parts. */
static cas_status fill(const cas_table *t, cas_error *err) {
  const cas_table_kind *k = t->kind;
  cas_table_clear(t);
  if (k->axis.name) {
    double **coordinates = cas_table_member(t, k->axis.coordinates);
    *coordinates =
        calloc((size_t) * (int *)cas_table_member(t, k->axis.length) + 1, sizeof **coordinates);
    CAS_NEED(*coordinates);
  }
  CAS_CALL(cas_table_create_columns(t, err));
  if (k->parts.kind) {
    const int n = *(int *)cas_table_member(t, k->parts.number);
    void *parts = calloc((size_t)n + 1, k->parts.kind->size);
    memcpy(cas_table_member(t, k->parts.array), &parts, sizeof parts);
    CAS_NEED(parts);
  }
  for (int i = 0; i < cas_table_parts(t); i++) {
    const cas_table part = cas_table_part(t, i);
    CAS_CALL(fill(&part, err));
  }
  return CAS_OK;
}

void *cas_table_new(const cas_table_kind *kind, const char *name, const char *unit,
                    const void *like, cas_error *err) {
  enum { NAME = 64 };
  const cas_table t = {kind, calloc(1, kind->size), NULL};
  if (!t.object) {
    cas_no_memory(err);
    return NULL;
  }
  if (like)
    memcpy(t.object, like, kind->size);
  if (name)
    snprintf(cas_table_member(&t, kind->name), NAME, "%s", name);
  if (unit)
    snprintf(cas_table_member(&t, kind->unit), NAME, "%s", unit);
  if (!fill(&t, err))
    return t.object;
  cas_table_delete(kind, t.object);
  return NULL;
}

void *cas_table_create(cas_results *r, const cas_table_kind *kind, const char *name,
                       const char *unit, const void *like, cas_error *err) {
  void *object = cas_table_new(kind, name, unit, like, err);
  return object && !cas_results_add(r, kind, object, err) ? object : NULL;
}

void cas_tables_free(cas_results *r) {
  for (int i = 0; i < r->tables; i++)
    cas_table_delete(r->table[i].kind, r->table[i].object);
  free(r->table);
}

/* ---- by name ---- */

/* What follows `name` in a path, without the slash between: NULL if it does not begin with it. */
static const char *behind(const char *path, const char *name) {
  const char *rest = cas_text_behind(path, name);
  return rest && *rest ? cas_text_behind(rest, "/") : rest;
}

static void *find(const cas_table *t, const char *rest) {
  if (rest && t->kind->place != CAS_TABLE_ALONE)
    rest = behind(rest, cas_table_name(t));
  if (!rest || !*rest)
    return rest ? t->object : NULL;
  for (int i = 0; i < cas_table_parts(t); i++) {
    cas_table part = cas_table_part(t, i);
    if (strcmp(rest, cas_table_name(&part)) == 0)
      return part.object;
  }
  return NULL;
}

void *cas_results_find(const cas_results *r, const char *path) {
  void *found = NULL;
  for (int i = 0; i < r->tables && !found; i++)
    found = find(&r->table[i], behind(path, r->table[i].kind->group));
  return found;
}

cas_curve *cas_results_curve(const cas_results *r, int i) {
  for (int k = 0; k < r->tables; k++) {
    const char *group = r->table[k].kind->group;
    if ((strcmp(group, "strong") == 0 || strcmp(group, "weak") == 0) && i-- == 0)
      return r->table[k].object;
  }
  return NULL;
}

int cas_results_curves(const cas_results *r) {
  int n = 0;
  while (cas_results_curve(r, n))
    n++;
  return n;
}

/* ---- comparison ---- */

static bool same_axis(const cas_file_axis *a, const cas_file_axis *b) {
  return a->length == b->length && cas_field_same_text(a->name, b->name) &&
         cas_field_same_text(a->long_name, b->long_name) && cas_field_same_text(a->unit, b->unit) &&
         cas_field_same_text(a->labels, b->labels) &&
         cas_field_same_array(a->coordinates, b->coordinates, (size_t)a->length * sizeof(double));
}

static bool same_column(const cas_table *a, const cas_table *b, const cas_field *f) {
  cas_file_axis x[CAS_TABLE_AXES], y[CAS_TABLE_AXES];
  int n = cas_table_axes(a, f, x);
  if (n != cas_table_axes(b, f, y))
    return false;
  while (n-- > 0)
    if (!same_axis(&x[n], &y[n]))
      return false;
  size_t bytes = cas_table_count(a, f) * cas_field_size(f->type);
  return !bytes || !cas_field_array(f, a->object) ||
         cas_field_same_array(cas_field_array(f, a->object), cas_field_array(f, b->object), bytes);
}

static bool equal(const cas_table *a, const cas_table *b) {
  if (a->kind != b->kind || strcmp(cas_table_name(a), cas_table_name(b)) != 0 ||
      (a->kind->unit && strcmp(cas_table_unit(a), cas_table_unit(b)) != 0) ||
      !cas_field_same_values(a->kind->values, a->object, b->object) ||
      !cas_field_same_values(a->kind->attributes, a->object, b->object) ||
      (a->kind->apart && !cas_field_same_values(a->kind->apart, a->object, b->object)) ||
      cas_table_findings(a) != cas_table_findings(b) ||
      (a->kind->laws && !cas_laws_equal(cas_table_laws(a), cas_table_laws(b))) ||
      cas_table_parts(a) != cas_table_parts(b))
    return false;
  for (const cas_field *f = a->kind->columns; f && f->name; f++)
    if (!same_column(a, b, f))
      return false;
  for (int i = 0; i < cas_table_parts(a); i++) {
    cas_table x = cas_table_part(a, i), y = cas_table_part(b, i);
    if (!equal(&x, &y))
      return false;
  }
  return true;
}

/* Files do not keep the order of tables. */
bool cas_tables_equal(const cas_results *a, const cas_results *b) {
  bool found = a->tables == b->tables;
  for (int i = 0; i < a->tables && found; i++) {
    found = false;
    for (int k = 0; k < b->tables && !found; k++)
      found = equal(&a->table[i], &b->table[k]);
  }
  return found;
}
