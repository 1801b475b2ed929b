#include "base/text.h"
#include "language/config/config_impl.h"
#include "language/config/uncertain.h"

/* ---- what is left out ---- */

size_t cas_table_extent(const cas_option *table) {
  size_t end = 0;
  for (cas_walk w = cas_walk_begin(table); w.option; cas_walk_next(&w)) {
    const cas_option *o = w.option;
    size_t last = w.offset + (o->type == CAS_SECTION ? cas_table_extent(o->section)
                                                     : cas_type_of(o->type)->size);
    end = last > end ? last : end;
  }
  return end;
}

static char *text_of(const cas_option *table, const void *values) {
  char *text = NULL;
  size_t size;
  FILE *f = open_memstream(&text, &size);
  if (!f)
    return NULL;
  cas_options_write(f, 0, table, values);
  if (fclose(f) != 0) {
    free(text);
    return NULL;
  }
  return text;
}

char *cas_table_text(const cas_option *table, const cas_node *map) {
  cas_error err = {0};
  CAS_OWNED void *values = calloc(1, cas_table_extent(table) + 1);
  const bool read = values && !(map ? cas_option_table_read(table, NULL, map, NULL, values, &err)
                                    : cas_option_table_absent(table, NULL, values, &err));
  char *text = read ? text_of(table, values) : NULL;
  if (values)
    cas_options_free(table, values);
  return text;
}

/* The section that is written: its path, and what stands in place of its values. */
typedef struct {
  char path[CAS_KEY_PATH_SIZE];
  const cas_uncertain *uncertain; /* NULL: nothing does */
} place;

static place below(const place *p, const char *key) {
  place inner = {.uncertain = p->uncertain};
  snprintf(inner.path, sizeof inner.path, "%.500s.%s", p->path, key);
  return inner;
}

/* What is written in place of the value at a path; NULL: nothing. */
static const char *find_text(const place *p) {
  for (int i = 0; p->uncertain && i < p->uncertain->options; i++)
    if (strcmp(p->uncertain->option[i].path, p->path) == 0)
      return p->uncertain->option[i].text;
  return NULL;
}

/* Whether anything is that belongs to the value at a path. */
static bool is_replaced(const place *p) {
  const size_t n = strlen(p->path);
  for (int i = 0; p->uncertain && i < p->uncertain->options; i++) {
    const char *path = p->uncertain->option[i].path;
    if (strncmp(path, p->path, n) == 0 && (!path[n] || path[n] == '.'))
      return true;
  }
  return false;
}

/* Whether leaving the whole section out would give these very values. */
static bool section_is_absent(const cas_option *o, const void *values) {
  CAS_OWNED char *a = cas_table_text(o->section, NULL);
  CAS_OWNED char *b = text_of(o->section, values);
  return a && b && strcmp(a, b) == 0;
}

bool cas_type_is_absent(cas_option_type type, const void *value) {
  const char *bytes = value;
  size_t n = cas_type_of(type)->presence;
  while (n > 0 && bytes[n - 1] == 0)
    n--;
  return n == 0;
}

static bool is_absent(const place *at, const cas_option *o, const void *value) {
  if (is_replaced(at))
    return false;
  bool optional = o->fallback && !*o->fallback;
  if (o->type == CAS_SECTION)
    return optional && section_is_absent(o, value);
  bool cannot_be_written = o->type == CAS_STRING || o->type == CAS_STATE;
  return (optional || cannot_be_written) && cas_type_is_absent(o->type, value);
}

/* ---- writing ---- */

static bool is_empty(const place *p, const cas_option *table, const void *values) {
  for (cas_walk w = cas_walk_begin(table); w.option; cas_walk_next(&w)) {
    const place at = below(p, w.option->key);
    if (!is_absent(&at, w.option, (const char *)values + w.offset))
      return false;
  }
  return true;
}

/* The option that stands for the section, if it is the only one that has a value. */
static cas_walk find_alone(const place *p, const cas_option *o, const void *values) {
  cas_walk found = {0};
  for (cas_walk w = cas_walk_begin(o->section); o->alone && w.option; cas_walk_next(&w)) {
    const place at = below(p, w.option->key);
    if (strcmp(w.option->key, o->alone) == 0)
      found = w;
    else if (!is_absent(&at, w.option, (const char *)values + w.offset))
      return (cas_walk){0};
  }
  return found;
}

static void write_value(FILE *f, const place *at, const cas_option *o, const char *value) {
  const char *text = find_text(at);
  if (text)
    fputs(text, f);
  else
    cas_type_of(o->type)->write(f, o, value);
  fputc('\n', f);
}

static void write_table(FILE *f, int indent, const place *p, const cas_option *table,
                        const void *values, unsigned without);

static void write_section(FILE *f, int indent, const place *at, const cas_option *o,
                          const void *values) {
  if (is_empty(at, o->section, values) && !find_text(at)) {
    fprintf(f, "%*s%s: {}\n", indent, "", o->key);
    return;
  }
  const cas_walk alone = find_alone(at, o, values);
  if (alone.option) {
    const place inner = below(at, o->alone);
    fprintf(f, "%*s%s: ", indent, "", o->key);
    write_value(f, find_text(at) ? at : &inner, alone.option, (const char *)values + alone.offset);
    return;
  }
  fprintf(f, "%*s%s:\n", indent, "", o->key);
  write_table(f, indent + 2, at, o->section, values, 0);
}

static void write_table(FILE *f, int indent, const place *p, const cas_option *table,
                        const void *values, unsigned without) {
  for (cas_walk w = cas_walk_begin(table); w.option; cas_walk_next(&w)) {
    const cas_option *o = w.option;
    const place at = below(p, o->key);
    const char *value = (const char *)values + w.offset;
    if ((o->identity & without) || is_absent(&at, o, value))
      continue;
    if (o->type == CAS_SECTION) {
      write_section(f, indent, &at, o, value);
      continue;
    }
    fprintf(f, "%*s%s: ", indent, "", o->key);
    write_value(f, &at, o, value);
  }
}

void cas_options_write_without(FILE *f, int indent, const cas_option *table, const void *values,
                               unsigned identity) {
  CAS_LOCALE_OF_C;
  write_table(f, indent, &(place){.path = ""}, table, values, identity);
}

void cas_options_write(FILE *f, int indent, const cas_option *table, const void *values) {
  cas_options_write_without(f, indent, table, values, 0);
}

void cas_uncertain_write(FILE *f, int indent, const char *section, const cas_option *table,
                         const void *values, const cas_uncertain *u) {
  CAS_LOCALE_OF_C;
  place p = {.uncertain = u};
  snprintf(p.path, sizeof p.path, "%s", section);
  write_table(f, indent, &p, table, values, 0);
}
