/* Tables of options that are no part of casimir: what readers take for granted is looked at before
   anything is read by them. */
#include "language/config/config_impl.h"
#include "language/config/keys.h"

enum { MOST_OPTIONS = 1000, MOST_INCLUDES = 3, MOST_SECTIONS = 8 };

static cas_status wrong(cas_error *err, const cas_option *o, const char *what) {
  return cas_fail(err, CAS_BAD_INPUT, "the option '%.40s' %s", o->key ? o->key : "", what);
}

/* What is wrong with a row by itself, or NULL. */
static const char *check_row(const cas_option *o) {
  static const char characters[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  if ((int)o->type < 0 || o->type > CAS_INCLUDE)
    return "has a type that there is not";
  if (o->key && (!*o->key || o->key[strspn(o->key, characters)]))
    return "has a key that is not of letters, digits and _";
  if ((o->type == CAS_SECTION || o->type == CAS_INCLUDE || o->type == CAS_REALS_OR_KEY) &&
      !o->section)
    return "has no table in .section";
  if (o->type == CAS_REALS_OR_KEY &&
      (!o->section->key || o->section->type != CAS_REALS || o->section->offset != 0))
    return "has a table in .section that begins with no option of type CAS_REALS at offset 0";
  if (o->type == CAS_CHOICE && (!o->choices || !o->choices[0]))
    return "has no .choices";
  return NULL;
}

/* The rows, before anything walks over them. */
static cas_status check_rows(const cas_option *table, int includes, int sections, cas_error *err) {
  int n = 0;
  for (const cas_option *o = table; o->key || o->type == CAS_INCLUDE; o++, n++) {
    const char *what = n < MOST_OPTIONS ? check_row(o) : "has too many before it: {0} ends a table";
    const bool include = o->type == CAS_INCLUDE, section = o->type == CAS_SECTION;
    if (!what && (includes + include > MOST_INCLUDES || sections + section > MOST_SECTIONS))
      what = "has tables in tables that are too deep";
    if (what)
      return wrong(err, o, what);
    if (include || section)
      CAS_CALL(check_rows(o->section, section ? 0 : includes + include, sections + section, err));
  }
  return CAS_OK;
}

/* The places of values in `size` bytes, and keys, each of which is one option's alone. */
static cas_status check_places(const cas_option *table, size_t size, cas_error *err) {
  for (cas_walk a = cas_walk_begin(table); a.option; cas_walk_next(&a)) {
    const size_t length = cas_option_extent(a.option);
    if (a.offset > size || length > size - a.offset)
      return wrong(err, a.option, "is read into a place beyond the parameters");
    cas_walk b = a;
    for (cas_walk_next(&b); b.option; cas_walk_next(&b)) {
      if (strcmp(a.option->key, b.option->key) == 0)
        return wrong(err, a.option, "is in the table twice");
      if (a.offset < b.offset + cas_option_extent(b.option) && b.offset < a.offset + length)
        return wrong(err, b.option, "is read into the place of another one");
    }
    if (a.option->type == CAS_SECTION)
      CAS_CALL(check_places(a.option->section, length, err));
  }
  return CAS_OK;
}

cas_status cas_option_table_check(const cas_option *table, size_t size, cas_error *err) {
  CAS_CALL(check_rows(table, 0, 0, err));
  CAS_CALL(check_places(table, size, err));
  CAS_OWNED void *values = calloc(1, size);
  CAS_NEED(values);
  cas_status st = cas_option_table_absent(table, NULL, values, err);
  cas_options_free(table, values);
  return st;
}
