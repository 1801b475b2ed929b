#include "results/rows.h"
#include "results/table.h"

#include <casimir/config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the rows of one file ---- */

typedef struct {
  const cas_results *results;
  void (*visit)(void *context, const cas_row *row);
  void *context;
} visitor;

/* The field of a name; NULL where there is none. */
static const cas_field *find(const cas_field *list, const char *name) {
  while (name && list->name && strcmp(list->name, name) != 0)
    list++;
  return name && list->name ? list : NULL;
}

typedef struct {
  const cas_field *error, *low, *high; /* NULL: there is none */
} uncertainty;

/* A field "standard_error" is of the one before it, as are "low" and "high" behind it. False for a
   field without a standard error or an interval, and for one that is a part of those. */
static bool find_uncertainty(const cas_field *list, const cas_field *f, uncertainty *u) {
  *u = (uncertainty){find(list, f->error), find(list, f->low), find(list, f->high)};
  return u->error || u->low;
}

static double number(const cas_table *t, const cas_field *f, size_t i) {
  const double *x = f ? cas_field_array(f, t->object) : NULL;
  return x ? x[i] : NAN;
}

static double value(const cas_table *t, const cas_field *f) {
  return f ? *(const double *)(const void *)((const char *)t->object + f->offset) : NAN;
}

/* "time=20 probability=0.5": the place of number i, whose last axis runs fastest. */
static void describe_place(const cas_file_axis *axis, int axes, size_t i, char *text, size_t size) {
  size_t numbers = 1, used = 0;
  text[0] = '\0';
  for (int k = 0; k < axes; k++)
    numbers *= (size_t)axis[k].length;
  for (int k = 0; k < axes && used < size; k++) {
    numbers /= (size_t)axis[k].length;
    size_t at = i / numbers % (size_t)axis[k].length;
    double x = axis[k].coordinates ? axis[k].coordinates[at] : (double)at + 1;
    used += (size_t)snprintf(text + used, size - used, "%s%s=%.10g", k ? " " : "",
                             axis[k].name ? axis[k].name : "number", x);
  }
}

static bool has_laws(const cas_table *t) { return t->kind->laws > 0; }

static void visit_column(const visitor *v, const cas_table *t, const cas_field *f,
                         const cas_step_axes *steps, cas_row *row, bool first) {
  uncertainty u;
  cas_file_axis axis[CAS_TABLE_AXES];
  if (!find_uncertainty(t->kind->columns, f, &u) || !cas_field_array(f, t->object))
    return;
  int axes = cas_table_axes(t, f, steps, axis);
  size_t n = cas_table_count(t, f, steps);
  row->quantity = f->name;
  for (size_t i = 0; i < n; i++) {
    describe_place(axis, axes, i, row->at, sizeof row->at);
    row->value = number(t, f, i);
    row->standard_error = number(t, u.error, i);
    row->low = number(t, u.low, i);
    row->high = number(t, u.high, i);
    row->headline = first && i + 1 == n && !has_laws(t);
    v->visit(v->context, row);
  }
}

/* Numbers of a whole table. That with a "standard_error" of no other name is what it estimates;
   whether there is one. */
static bool visit_values(const visitor *v, const cas_table *t, cas_row *row) {
  bool estimates = false;
  row->at[0] = '\0';
  for (const cas_field *f = t->kind->values; f && f->name; f++) {
    uncertainty u;
    if (!find_uncertainty(t->kind->values, f, &u))
      continue;
    row->quantity = f->name;
    row->value = value(t, f);
    row->standard_error = value(t, u.error);
    row->low = value(t, u.low);
    row->high = value(t, u.high);
    row->headline = f->headline;
    estimates |= row->headline;
    v->visit(v->context, row);
  }
  return estimates;
}

static void visit_law(const visitor *v, const cas_table *t, cas_row *row) {
  if (!has_laws(t))
    return;
  const cas_law law =
      cas_laws_headline((const cas_laws *)(const void *)((const char *)t->object + t->kind->laws));
  row->quantity = "order";
  row->at[0] = '\0';
  row->value = law.order;
  row->standard_error = NAN;
  row->low = law.low;
  row->high = law.high;
  row->headline = true;
  v->visit(v->context, row);
}

static cas_status visit_table(const visitor *v, const cas_table *t, cas_error *err) {
  char name[200];
  cas_row row = {.table = name};
  cas_step_axes steps;
  cas_h5 h = {0};
  const char *group = t->whole ? t->whole->kind->group : t->kind->group, *own = cas_table_name(t);
  cas_step_axes_of(cas_table_levels(t), &steps);
  double *memory = cas_step_axes_fill(&h, v->results, &steps);
  if (!memory)
    return cas_no_memory(err);
  snprintf(name, sizeof name, "%s%s%s", group, strcmp(own, group) ? "/" : "",
           strcmp(own, group) ? own : "");
  visit_law(v, t, &row);
  bool estimates = visit_values(v, t, &row);
  for (const cas_field *f = t->kind->columns; f->name; f++)
    visit_column(v, t, f, &steps, &row, f == t->kind->columns && !estimates);
  free(memory);
  cas_status st = CAS_OK;
  for (int i = 0; !st && i < cas_table_parts(t); i++) {
    const cas_table part = cas_table_part(t, i);
    st = visit_table(v, &part, err);
  }
  return st;
}

cas_status cas_rows_visit(const cas_results *r, void (*visit)(void *context, const cas_row *row),
                          void *context, cas_error *err) {
  const visitor v = {r, visit, context};
  cas_status st = CAS_OK;
  for (int i = 0; !st && i < r->tables; i++)
    st = visit_table(&v, &r->table[i], err);
  return st;
}

/* ---- configurations of several files, as lines "key: value" ---- */

static cas_status list_keys(const cas_results *r, char **list, cas_error *err) {
  const char *text = r->provenance.configuration ? r->provenance.configuration : "";
  cas_config *config = NULL;
  size_t size;
  CAS_CALL(cas_config_parse(text, strlen(text), "configuration", &config, err));
  FILE *f = open_memstream(list, &size);
  if (f) {
    fputc('\n', f); /* before every key is the end of a line */
    cas_config_list(f, config);
    if (fclose(f))
      f = NULL;
  }
  cas_config_free(config);
  return f ? CAS_OK : cas_no_memory(err);
}

static const char *value_of(const char *list, const char *key, size_t length, size_t *size) {
  for (const char *line = list; (line = strchr(line, '\n')) && line[1]; line++)
    if (strncmp(line + 1, key, length) == 0 && strncmp(line + 1 + length, ": ", 2) == 0) {
      const char *value = line + length + 3;
      *size = strcspn(value, "\n");
      return value;
    }
  *size = 0;
  return NULL;
}

static bool is_known(const cas_comparison *c, const char *name, size_t length) {
  for (int i = 0; i < c->keys; i++)
    if (c->key[i].length == length && strncmp(c->key[i].name, name, length) == 0)
      return true;
  return false;
}

static bool differs(const cas_comparison *c, const char *name, size_t length) {
  size_t size, other;
  const char *value = value_of(c->list[0], name, length, &size);
  for (int i = 1; i < c->files; i++) {
    const char *theirs = value_of(c->list[i], name, length, &other);
    if (!value != !theirs || size != other || (value && strncmp(value, theirs, size) != 0))
      return true;
  }
  return false;
}

static cas_status find_keys(cas_comparison *c, const char *list, cas_error *err) {
  for (const char *line = list; (line = strchr(line, '\n')) && line[1]; line++) {
    const char *colon = strstr(line, ": ");
    size_t length = colon ? (size_t)(colon - line - 1) : 0;
    if (!colon || is_known(c, line + 1, length) || !differs(c, line + 1, length))
      continue;
    cas_compared_key *more = realloc(c->key, ((size_t)c->keys + 1) * sizeof *more);
    if (!more)
      return cas_no_memory(err);
    c->key = more;
    c->key[c->keys++] = (cas_compared_key){line + 1, length};
  }
  return CAS_OK;
}

cas_status cas_comparison_create(const cas_results *const *r, int n, cas_comparison *c,
                                 cas_error *err) {
  *c = (cas_comparison){.files = n, .list = calloc((size_t)n + 1, sizeof *c->list)};
  cas_status st = c->list ? CAS_OK : cas_no_memory(err);
  for (int i = 0; !st && i < n; i++)
    st = list_keys(r[i], &c->list[i], err);
  for (int i = 0; !st && i < n; i++)
    st = find_keys(c, c->list[i], err);
  return st;
}

void cas_comparison_free(cas_comparison *c) {
  for (int i = 0; c->list && i < c->files; i++)
    free(c->list[i]);
  free(c->list);
  free(c->key);
}

const char *cas_comparison_value(const cas_comparison *c, int file, int key, size_t *size) {
  return value_of(c->list[file], c->key[key].name, c->key[key].length, size);
}

/* ---- writing ---- */

typedef struct {
  FILE *f;
  cas_rows_format format;
  const cas_comparison *comparison;
  const char *file;
  int number; /* of the file */
  bool any;   /* a row of it is written */
} writer;

/* Whether the whole text is a number, so that a sign at its beginning means no formula. */
static bool is_number(const char *text, size_t size) {
  char copy[64], *end;
  if (size == 0 || size >= sizeof copy)
    return false;
  snprintf(copy, sizeof copy, "%.*s", (int)size, text);
  (void)strtod(copy, &end);
  return *end == '\0' && end == copy + size;
}

/* Spreadsheets compute what begins like a formula; an apostrophe keeps it a text. */
static void put_csv_text(FILE *f, const char *text, size_t size) {
  bool plain = strcspn(text, ",\"\r\n") >= size;
  if (!plain)
    fputc('"', f);
  if (size > 0 && strchr("=+-@\t\r", text[0]) && !is_number(text, size))
    fputc('\'', f);
  for (size_t i = 0; i < size; i++) {
    if (text[i] == '"')
      fputc('"', f);
    fputc(text[i], f);
  }
  if (!plain)
    fputc('"', f);
}

static void put_json_text(FILE *f, const char *text, size_t size) {
  fputc('"', f);
  for (size_t i = 0; i < size; i++)
    if (text[i] == '"' || text[i] == '\\')
      fprintf(f, "\\%c", text[i]);
    else if ((unsigned char)text[i] < 0x20)
      fprintf(f, "\\u%04x", (unsigned)text[i]);
    else
      fputc(text[i], f);
  fputc('"', f);
}

/* Numbers that are none are empty in CSV and null in JSON, which has no others. */
static void put_number(const writer *w, double x) {
  if (isfinite(x))
    fprintf(w->f, "%.17g", x);
  else if (w->format == CAS_ROWS_JSON)
    fputs("null", w->f);
  else if (isinf(x))
    fputs(x > 0 ? "inf" : "-inf", w->f);
}

static void put_csv_row(const writer *w, const cas_row *row) {
  const cas_comparison *c = w->comparison;
  const double numbers[] = {row->value, row->standard_error, row->low, row->high};
  size_t size;
  put_csv_text(w->f, w->file, strlen(w->file));
  for (int k = 0; k < c->keys; k++) {
    const char *value = cas_comparison_value(c, w->number, k, &size);
    fputc(',', w->f);
    put_csv_text(w->f, value ? value : "", size);
  }
  const char *const texts[] = {row->table, row->quantity, row->at};
  for (int i = 0; i < 3; i++) {
    fputc(',', w->f);
    put_csv_text(w->f, texts[i], strlen(texts[i]));
  }
  for (int i = 0; i < 4; i++) {
    fputc(',', w->f);
    put_number(w, numbers[i]);
  }
  fputc('\n', w->f);
}

static void put_json_row(const writer *w, const cas_row *row) {
  static const char *const names[] = {"value", "standard_error", "low", "high"},
                           *const of_texts[] = {"table", "quantity", "at"};
  const double numbers[] = {row->value, row->standard_error, row->low, row->high};
  const char *const texts[] = {row->table, row->quantity, row->at};
  fprintf(w->f, "%s\n    {", w->any ? "," : "");
  for (int i = 0; i < 3; i++) {
    fprintf(w->f, "%s\"%s\": ", i ? ", " : "", of_texts[i]);
    put_json_text(w->f, texts[i], strlen(texts[i]));
  }
  for (int i = 0; i < 4; i++) {
    fprintf(w->f, ", \"%s\": ", names[i]);
    put_number(w, numbers[i]);
  }
  fputc('}', w->f);
}

static void put_text_row(const writer *w, const cas_row *row) {
  const cas_comparison *c = w->comparison;
  char what[300];
  size_t size;
  if (!row->headline)
    return;
  for (int k = 0; k < c->keys; k++) {
    const char *value = cas_comparison_value(c, w->number, k, &size);
    int width = c->key[k].length > 12 ? (int)c->key[k].length : 12;
    fprintf(w->f, "%*.*s  ", width, (int)size, value ? value : "");
  }
  snprintf(what, sizeof what, "%s %s%s%s", row->table, row->quantity, row->at[0] ? " at " : "",
           row->at);
  fprintf(w->f, "%-40s", what);
  cas_table_print_real(w->f, "%.6g", 16, row->value);
  cas_table_print_real(w->f, "%.3g", 16, row->standard_error);
  cas_table_print_real(w->f, "%.4g", 12, row->low);
  cas_table_print_real(w->f, "%.4g", 12, row->high);
  fprintf(w->f, "  %s\n", w->file);
}

static void put_row(void *context, const cas_row *row) {
  writer *w = context;
  if (w->format == CAS_ROWS_CSV)
    put_csv_row(w, row);
  else if (w->format == CAS_ROWS_JSON)
    put_json_row(w, row);
  else
    put_text_row(w, row);
  w->any = true;
}

static void put_heading(const writer *w) {
  const cas_comparison *c = w->comparison;
  for (int k = 0; w->format != CAS_ROWS_JSON && k < c->keys; k++)
    if (w->format == CAS_ROWS_CSV) {
      fputs(k ? "," : "file,", w->f);
      put_csv_text(w->f, c->key[k].name, c->key[k].length);
    } else
      fprintf(w->f, "%12.*s  ", (int)c->key[k].length, c->key[k].name);
  if (w->format == CAS_ROWS_CSV)
    fprintf(w->f, "%s,table,quantity,at,value,standard_error,low,high\n", c->keys ? "" : "file");
  if (w->format == CAS_ROWS_TEXT)
    fprintf(w->f, "%-40s%16s%16s%12s%12s  file\n", "estimate", "value", "standard error", "low",
            "high");
}

static void begin_json_file(const writer *w) {
  const cas_comparison *c = w->comparison;
  fprintf(w->f, "%s\n  {\"file\": ", w->number ? "," : "");
  put_json_text(w->f, w->file, strlen(w->file));
  fputs(", \"parameters\": {", w->f);
  for (int k = 0; k < c->keys; k++) {
    size_t size;
    const char *value = cas_comparison_value(c, w->number, k, &size);
    fputs(k ? ", " : "", w->f);
    put_json_text(w->f, c->key[k].name, c->key[k].length);
    fputs(": ", w->f);
    put_json_text(w->f, value ? value : "", size);
  }
  fputs("}, \"estimates\": [", w->f);
}

static cas_status put_file(writer *w, const cas_results *r, cas_error *err) {
  w->any = false;
  if (w->format == CAS_ROWS_JSON)
    begin_json_file(w);
  cas_status st = cas_rows_visit(r, put_row, w, err);
  if (w->format == CAS_ROWS_JSON)
    fputs("]}", w->f);
  return st;
}

static cas_status put_all(FILE *f, cas_rows_format format, const char *const *file,
                          const cas_results *const *results, const cas_comparison *c,
                          cas_error *err) {
  writer w = {.f = f, .format = format, .comparison = c};
  cas_status st = CAS_OK;
  put_heading(&w);
  if (format == CAS_ROWS_JSON)
    fputc('[', f);
  for (int i = 0; !st && i < c->files; i++) {
    w.file = file[i];
    w.number = i;
    st = put_file(&w, results[i], err);
  }
  if (format == CAS_ROWS_JSON)
    fputs("\n]\n", f);
  return st;
}

cas_status cas_rows_print(FILE *f, cas_rows_format format, const char *const *file, int files,
                          cas_error *err) {
  cas_results *results = calloc((size_t)files + 1, sizeof *results);
  const cas_results **each = calloc((size_t)files + 1, sizeof *each);
  cas_comparison c = {0};
  cas_status st = results && each ? CAS_OK : cas_no_memory(err);
  for (int i = 0; !st && i < files; i++) {
    st = cas_results_read(file[i], &results[i], err);
    each[i] = &results[i];
  }
  if (!st)
    st = cas_comparison_create(each, files, &c, err);
  if (!st)
    st = put_all(f, format, file, each, &c, err);
  cas_comparison_free(&c);
  for (int i = 0; results && i < files; i++)
    cas_results_free(&results[i]);
  free(results);
  free(each);
  return st;
}
