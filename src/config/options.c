#include "config/config_impl.h"

#include <stdlib.h>
#include <string.h>

static const cas_type *const types[] = {
#define CAS_TYPE(name, type) [type] = &cas_type_##name,
#include "config/types.def"
#undef CAS_TYPE
    [CAS_SECTION] = NULL};

const cas_type *cas_type_of(cas_option_type type) { return types[type]; }

/* ---- unknown keys ---- */

static size_t count_keys(const cas_option *table, const char *const *also) {
  size_t n = 0;
  for (; also && *also; also++)
    n++;
  for (; table->key; table++)
    n++;
  return n;
}

/* NULL-terminated, to be freed (the array, not the names). */
static const char **known_keys(const cas_option *table, const char *const *also) {
  const char **names = calloc(count_keys(table, also) + 1, sizeof *names);
  size_t n = 0;
  if (!names)
    return NULL;
  for (; also && *also; also++)
    names[n++] = *also;
  for (; table->key; table++)
    names[n++] = table->key;
  return names;
}

static bool is_known(const char *key, const char *const *names) {
  while (*names && strcmp(key, *names) != 0)
    names++;
  return *names;
}

static cas_status refuse_unknown(const cas_option *table, const char *const *also,
                                 const cas_node *map, const cas_path *path, cas_error *err) {
  const char **names = known_keys(table, also);
  if (!names)
    return cas_fail(err, CAS_NO_MEMORY, "out of memory while reading the configuration");
  const cas_node *n = map->first;
  while (n && is_known(n->key, names))
    n = n->next;
  cas_status st = CAS_OK;
  if (n) {
    const cas_path at = {.up = path, .key = n->key};
    cas_node key = *n;
    key.line = n->key_line;
    char known[CAS_KNOWN_SIZE];
    cas_suggestion(known, sizeof known, n->key, names);
    st = cas_node_fail(err, &key, &at, "unknown key%s", known);
  }
  free(names);
  return st;
}

/* ---- defaults ---- */

static bool has_fallback(const cas_option *o) { return o->fallback && *o->fallback; }

static cas_status read_node(const cas_option *o, const cas_node *n, const cas_path *path, void *out,
                            cas_error *err) {
  if (o->type == CAS_SECTION)
    return cas_table_read(o->section, NULL, n, path, out, err);
  return types[o->type]->read(o, n, path, out, err);
}

/* The text of a default is part of the program: if it does not fit its option, the program is
   wrong. */
static cas_status read_fallback(const cas_option *o, const cas_path *path, void *out,
                                cas_error *err) {
  static const cas_origin origin = {.label = "default"};
  cas_error inner = {0};
  cas_node *n = NULL;
  cas_status st = cas_yaml_parse(o->fallback, strlen(o->fallback), &origin, path, 0, &n, &inner);
  if (!st)
    st = read_node(o, n, path, out, &inner);
  cas_node_free(n);
  if (!st)
    return CAS_OK;
  return cas_fail(err, st == CAS_BAD_INPUT ? CAS_INTERNAL : st, "%s (a mistake in casimir itself)",
                  inner.text);
}

static cas_status read_absent(const cas_option *o, const cas_path *path, void *out,
                              cas_error *err) {
  if (has_fallback(o))
    return read_fallback(o, path, out, err);
  return o->type == CAS_SECTION ? cas_table_absent(o->section, path, out, err) : CAS_OK;
}

cas_status cas_table_absent(const cas_option *table, const cas_path *path, void *out,
                            cas_error *err) {
  cas_status st = CAS_OK;
  for (const cas_option *o = table; o->key && !st; o++) {
    const cas_path at = {.up = path, .key = o->key};
    st = read_absent(o, &at, (char *)out + o->offset, err);
  }
  return st;
}

/* ---- tables ---- */

static cas_status read_option(const cas_option *o, const cas_node *map, const cas_path *path,
                              void *out, cas_error *err) {
  const cas_path at = {.up = path, .key = o->key};
  const cas_node *n = cas_node_find(map, o->key, strlen(o->key));
  if (n)
    return read_node(o, n, &at, out, err);
  if (o->fallback)
    return read_absent(o, &at, out, err);
  return cas_node_fail(err, map, path, "'%s' is missing (%s)", o->key,
                       o->help ? o->help : "required");
}

cas_status cas_table_read(const cas_option *table, const char *const *also, const cas_node *map,
                          const cas_path *path, void *out, cas_error *err) {
  if (map->kind != CAS_NODE_MAP && !cas_node_is_null(map))
    return cas_node_complain(err, map, path, "must be a mapping of keys to values");
  cas_table_zero(table, out);
  cas_status st = refuse_unknown(table, also, map, path, err);
  for (const cas_option *o = table; o->key && !st; o++)
    st = read_option(o, map, path, (char *)out + o->offset, err);
  if (st) {
    cas_options_free(table, out);
    cas_table_zero(table, out);
  }
  return st;
}

void cas_table_zero(const cas_option *table, void *out) {
  for (const cas_option *o = table; o->key; o++) {
    char *value = (char *)out + o->offset;
    if (o->type == CAS_SECTION)
      cas_table_zero(o->section, value);
    else
      memset(value, 0, types[o->type]->size);
  }
}

void cas_options_free(const cas_option *table, void *out) {
  for (const cas_option *o = table; o->key; o++) {
    char *value = (char *)out + o->offset;
    if (o->type == CAS_SECTION)
      cas_options_free(o->section, value);
    else if (types[o->type]->release)
      types[o->type]->release(value);
  }
}

cas_status cas_options_read(const cas_config *c, const char *path, const cas_option *table,
                            const char *const *also, void *out, cas_error *err) {
  const cas_node *nearest, *map = cas_config_find(c, path, &nearest);
  const cas_path at = {.key = path};
  cas_table_zero(table, out);
  const cas_node absent = {.kind = CAS_NODE_MAP, .origin = nearest->origin, .line = nearest->line};
  return cas_table_read(table, also, map ? map : &absent, &at, out, err);
}
