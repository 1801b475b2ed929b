#include "base/text.h"
#include "config/config_impl.h"
#include "config/keys.h"

#include <stdlib.h>
#include <string.h>

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

char *cas_table_text(const cas_option *table, const void *values) {
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

/* Whether leaving the whole section out would give these very values. */
static bool section_is_absent(const cas_option *o, const void *values) {
  cas_error err = {0};
  void *absent = calloc(1, cas_table_extent(o->section) + 1);
  char *a = NULL, *b = NULL;
  bool same = false;
  if (absent && !cas_option_table_absent(o->section, NULL, absent, &err)) {
    a = cas_table_text(o->section, absent);
    b = cas_table_text(o->section, values);
    same = a && b && strcmp(a, b) == 0;
  }
  if (absent)
    cas_options_free(o->section, absent);
  free(absent);
  free(a);
  free(b);
  return same;
}

static bool is_zero(const char *bytes, size_t n) {
  while (n > 0 && bytes[n - 1] == 0)
    n--;
  return n == 0;
}

static bool is_absent(const cas_option *o, const void *value) {
  bool optional = o->fallback && !*o->fallback;
  if (o->type == CAS_SECTION)
    return optional && section_is_absent(o, value);
  bool cannot_be_written = o->type == CAS_STRING || o->type == CAS_STATE;
  return (optional || cannot_be_written) && is_zero(value, cas_type_of(o->type)->presence);
}

/* ---- writing ---- */

static bool is_empty(const cas_option *table, const void *values) {
  for (cas_walk w = cas_walk_begin(table); w.option; cas_walk_next(&w))
    if (!is_absent(w.option, (const char *)values + w.offset))
      return false;
  return true;
}

/* The option that stands for the section, if it is the only one that has a value. */
static cas_walk find_alone(const cas_option *o, const void *values) {
  cas_walk found = {0};
  for (cas_walk w = cas_walk_begin(o->section); o->alone && w.option; cas_walk_next(&w))
    if (strcmp(w.option->key, o->alone) == 0)
      found = w;
    else if (!is_absent(w.option, (const char *)values + w.offset))
      return (cas_walk){0};
  return found;
}

static void write_value(FILE *f, const cas_option *o, const char *value) {
  cas_type_of(o->type)->write(f, o, value);
  fputc('\n', f);
}

static void write_section(FILE *f, int indent, const cas_option *o, const void *values) {
  if (is_empty(o->section, values)) {
    fprintf(f, "%*s%s: {}\n", indent, "", o->key);
    return;
  }
  const cas_walk alone = find_alone(o, values);
  if (alone.option) {
    fprintf(f, "%*s%s: ", indent, "", o->key);
    write_value(f, alone.option, (const char *)values + alone.offset);
    return;
  }
  fprintf(f, "%*s%s:\n", indent, "", o->key);
  cas_options_write(f, indent + 2, o->section, values);
}

void cas_options_write_without(FILE *f, int indent, const cas_option *table, const void *values,
                               unsigned identity) {
  CAS_LOCALE_OF_C;
  for (cas_walk w = cas_walk_begin(table); w.option; cas_walk_next(&w)) {
    const cas_option *o = w.option;
    const char *value = (const char *)values + w.offset;
    if ((o->identity & identity) || is_absent(o, value))
      continue;
    if (o->type == CAS_SECTION) {
      write_section(f, indent, o, value);
      continue;
    }
    fprintf(f, "%*s%s: ", indent, "", o->key);
    write_value(f, o, value);
  }
}

void cas_options_write(FILE *f, int indent, const cas_option *table, const void *values) {
  cas_options_write_without(f, indent, table, values, 0);
}
