#include "files/results/rows.h"
#include "base/owned.h"
#include "files/results/result.h"
#include "language/config/number.h"

#include <casimir/config.h>

#include <math.h>

/* ---- the rows of one file ---- */

typedef struct {
  const cas_results *results;
  void (*visit)(void *context, const cas_row *row);
  void *context;
} visitor;

typedef struct {
  const cas_field *error, *low, *high; /* NULL: there is none */
} uncertainty;

/* A field "standard_error" is of the one before it, as are "low" and "high" behind it. False for a
   field without a standard error or an interval, and for one that is a part of those. */
static bool find_uncertainty(const cas_field *list, const cas_field *f, uncertainty *u) {
  *u = (uncertainty){cas_field_find(list, f->error), cas_field_find(list, f->low),
                     cas_field_find(list, f->high)};
  return u->error || u->low;
}

static double number(const cas_table *t, const cas_field *f, size_t i) {
  const double *x = f ? cas_field_array(f, t->object) : NULL;
  return x ? x[i] : NAN;
}

static double value(const cas_table *t, const cas_field *f) {
  return f ? *(const double *)(const void *)((const char *)t->object + f->offset) : NAN;
}

const char *const cas_row_axes[CAS_ROW_AXES] = {
    [CAS_ROW_STEP] = "step", [CAS_ROW_TIME] = "time", [CAS_ROW_PROBABILITY] = "probability"};

static void clear_place(cas_row *row) {
  row->at[0] = '\0';
  for (int a = 0; a < CAS_ROW_AXES; a++)
    row->place[a] = NAN;
}

/* "time=20 probability=0.5": the place of number i, whose last axis runs fastest. */
static void describe_place(const cas_file_axis *axis, int axes, size_t i, cas_row *row) {
  size_t numbers = 1, used = 0, size = sizeof row->at;
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
      if (strcmp(name, cas_row_axes[a]) == 0)
        row->place[a] = x;
  }
}

/* A column of numbers as many as there are of another, or NULL where it is empty, such as intervals
   of probabilities beside means that are none. */
static const cas_field *unless_empty(const cas_table *t, const cas_field *f) {
  return f && cas_table_count(t, f) ? f : NULL;
}

/* Whether a column runs over axes alone whose coordinates rows have as numbers. */
static bool is_plain(const cas_file_axis *axis, int axes) {
  for (int k = 0; k < axes; k++) {
    int a = 0;
    while (a < CAS_ROW_AXES && !cas_field_same_text(axis[k].name, cas_row_axes[a]))
      a++;
    if (a == CAS_ROW_AXES)
      return false;
  }
  return true;
}

/* The main estimates of a table without an estimate of its own are those of its first column at the
   last of its first coordinates, such as the finest step or the last time. */
static cas_status visit_column(const visitor *v, const cas_table *t, const cas_field *f,
                               cas_row *row, bool first, cas_error *err) {
  uncertainty u;
  cas_h5 h = {.err = err};
  cas_file_axis axis[CAS_TABLE_AXES];
  if (!find_uncertainty(t->kind->columns, f, &u) || !cas_field_array(f, t->object))
    return CAS_OK;
  int axes = cas_table_axes(t, f, axis);
  size_t n = cas_table_count(t, f);
  if (cas_table_is_absent(f, cas_field_array(f, t->object), n))
    return CAS_OK;
  u = (uncertainty){unless_empty(t, u.error), unless_empty(t, u.low), unless_empty(t, u.high)};
  double *steps = cas_table_step_fill(&h, v->results, axes, axis);
  row->quantity = f->name;
  const bool plain = is_plain(axis, axes);
  const size_t slab = n ? n / (size_t)axis[0].length : 0;
  for (size_t i = 0; !h.status && i < n; i++) {
    describe_place(axis, axes, i, row);
    row->value = number(t, f, i);
    row->standard_error = number(t, u.error, i);
    row->low = number(t, u.low, i);
    row->high = number(t, u.high, i);
    row->headline = first && plain && i + slab >= n;
    v->visit(v->context, row);
  }
  free(steps);
  return h.status;
}

/* The order that "/result" of a file has for a functional, in the place of that of one law. */
static void take_concluded(const cas_frame *f, cas_row *row) {
  for (int i = 0; f && f->columns == cas_result_columns[0] && i < f->rows; i++) {
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
    uncertainty u;
    if (!find_uncertainty(t->kind->values, f, &u))
      continue;
    const bool is_order = cas_table_laws(t) && strcmp(f->name, "order") == 0;
    row->quantity = f->name;
    row->value = value(t, f);
    row->standard_error = value(t, u.error);
    row->low = value(t, u.low);
    row->high = value(t, u.high);
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

/* ---- what differs between the configurations of several files ---- */

static void free_config(cas_config *const *c) { cas_config_free(*c); }

/* The values that a configuration gives, as lines "key: value". */
static cas_status list_keys(const cas_results *r, char **list, cas_error *err) {
  const char *text = r->provenance.configuration ? r->provenance.configuration : "";
  CAS_OWNED_BY(free_config) cas_config *config = NULL;
  size_t size;
  CAS_CALL(cas_config_parse(text, strlen(text), "configuration", &config, err));
  FILE *f = open_memstream(list, &size);
  CAS_NEED(f);
  cas_config_list(f, config);
  return fclose(f) ? cas_no_memory(err) : CAS_OK;
}

/* The key of this name, which is added if there is none; NULL without memory. */
static cas_compared_key *key_of(cas_comparison *c, const char *name) {
  for (int k = 0; k < c->keys; k++)
    if (strcmp(c->key[k].name, name) == 0)
      return &c->key[k];
  cas_compared_key *more = realloc(c->key, ((size_t)c->keys + 1) * sizeof *more);
  if (!more)
    return NULL;
  c->key = more;
  more[c->keys] = (cas_compared_key){strdup(name), calloc((size_t)c->files, sizeof(char *))};
  c->keys++;
  return more[c->keys - 1].name && more[c->keys - 1].value ? &more[c->keys - 1] : NULL;
}

static cas_status add_file(cas_comparison *c, int file, cas_error *err) {
  CAS_OWNED char *list = NULL;
  char *rest;
  CAS_CALL(list_keys(c->results[file], &list, err));
  for (char *line = strtok_r(list, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
    char *colon = strstr(line, ": ");
    if (!colon)
      continue;
    *colon = '\0';
    cas_compared_key *k = key_of(c, line);
    CAS_NEED(k && (k->value[file] || (k->value[file] = strdup(colon + 2))));
  }
  return CAS_OK;
}

static void free_key(const cas_comparison *c, cas_compared_key *k) {
  for (int i = 0; k->value && i < c->files; i++)
    free(k->value[i]);
  free(k->value);
  free(k->name);
}

/* How often the value of a key changes from one file to the next. */
static int changes(const cas_comparison *c, const cas_compared_key *k) {
  int n = 0;
  for (int i = 1; i < c->files; i++)
    n += !cas_field_same_text(k->value[i - 1], k->value[i]);
  return n;
}

/* Where a key stands among others: behind all that every file has, if one does not have it. */
static int rank_of(const cas_comparison *c, const cas_compared_key *k) {
  int i = 0;
  while (i < c->files && k->value[i])
    i++;
  return changes(c, k) + (i < c->files ? c->files : 0);
}

/* Keys that all files have come first, and of these keys that change rarely: those of a sweep stand
   in the order of --set then, whose last one changes fastest. */
static void sort_keys(cas_comparison *c) {
  const int all = c->keys;
  c->keys = 0;
  for (int i = 0; i < all; i++) {
    cas_compared_key key = c->key[i];
    int j = c->keys, n = rank_of(c, &key);
    if (changes(c, &key) == 0) {
      free_key(c, &key);
      continue;
    }
    for (; j > 0 && rank_of(c, &c->key[j - 1]) > n; j--)
      c->key[j] = c->key[j - 1];
    c->key[j] = key;
    c->keys++;
    c->common += n < c->files;
  }
}

cas_status cas_comparison_read(const char *const *file, int n, cas_comparison *c, cas_error *err) {
  *c = (cas_comparison){.files = n,
                        .owned = calloc((size_t)n + 1, sizeof *c->owned),
                        .results = calloc((size_t)n + 1, sizeof *c->results)};
  CAS_NEED(c->owned && c->results);
  for (int i = 0; i < n; i++) {
    CAS_CALL(cas_results_read(file[i], &c->owned[i], err));
    c->results[i] = &c->owned[i];
  }
  for (int i = 0; i < n; i++)
    CAS_CALL(add_file(c, i, err));
  sort_keys(c);
  return CAS_OK;
}

void cas_comparison_free(cas_comparison *c) {
  for (int k = 0; k < c->keys; k++)
    free_key(c, &c->key[k]);
  for (int i = 0; c->owned && i < c->files; i++)
    cas_results_free(&c->owned[i]);
  free(c->owned);
  free(c->results);
  free(c->key);
}

double cas_comparison_number(const cas_comparison *c, int file, int key) {
  const char *value = c->key[key].value[file];
  size_t size = value ? strlen(value) : 0;
  char text[64];
  double x;
  if (size > 1 && value[0] == '\'' && value[size - 1] == '\'') { /* of an expression */
    value++;
    size -= 2;
  }
  if (size == 0 || size >= sizeof text)
    return NAN;
  snprintf(text, sizeof text, "%.*s", (int)size, value);
  return cas_number_parse_step(text, &x) && cas_number_parse_real(text, &x) ? NAN : x;
}
