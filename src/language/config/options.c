#include "base/text.h"
#include "language/config/config_impl.h"
#include "language/config/keys.h"

static const cas_type *const types[] = {
#define CAS_TYPE(name, type) [type] = &cas_type_##name,
#include "language/config/types.def"
#undef CAS_TYPE
    [CAS_SECTION] = NULL};

const cas_type *cas_type_of(cas_option_type type) { return types[type]; }

/* ---- a walk over options ---- */

void cas_walk_next(cas_walk *w) {
  w->option = NULL;
  while (w->depth >= 0 && !w->option) {
    const cas_option *o = w->table[w->depth].next;
    size_t offset = w->table[w->depth].base + o->offset;
    if (!o->key && o->type != CAS_INCLUDE) { /* the end of a table */
      w->depth--;
      continue;
    }
    w->table[w->depth].next++;
    if (o->type == CAS_INCLUDE) {
      w->depth++;
      w->table[w->depth].next = o->section;
      w->table[w->depth].base = offset;
    } else {
      w->option = o;
      w->offset = offset;
    }
  }
}

cas_walk cas_walk_begin(const cas_option *table) {
  cas_walk w = {.table = {{table, 0}}};
  cas_walk_next(&w);
  return w;
}

const cas_option *cas_option_find(const cas_option *table, const char *key) {
  cas_walk w = cas_walk_begin(table);
  while (w.option && strcmp(w.option->key, key) != 0)
    cas_walk_next(&w);
  return w.option;
}

/* ---- unknown keys ---- */

const char *const cas_keys_of_others[] = {NULL};

static cas_status refuse_unknown(const cas_option *table, const char *const *also,
                                 const cas_node *map, cas_error *err) {
  const char *const none = NULL;
  CAS_OWNED_BY(cas_name_list_free) cas_name_list names = {0};
  for (; also && *also; also++)
    cas_name_list_add(&names, *also);
  for (cas_walk w = cas_walk_begin(table); w.option; cas_walk_next(&w))
    cas_name_list_add(&names, w.option->key);
  CAS_CALL(cas_name_list_check(&names, err));
  const cas_node *n = map->first;
  while (n && cas_name_list_find(names.name, n->key) >= 0)
    n = n->next;
  if (!n)
    return CAS_OK;
  cas_node key = *n;
  key.line = n->key_line;
  char known[CAS_CONFIG_KNOWN_SIZE];
  cas_config_suggestion(known, sizeof known, n->key, names.name ? names.name : &none);
  /* {sigma: 0,5} has the keys sigma and 5 to a reader of YAML. */
  return n != map->first && cas_node_is_null(n) && strspn(n->key, "0123456789") == strlen(n->key)
             ? cas_node_fail(err, &key, CAS_CONFIG_DECIMAL_POINT)
             : cas_node_fail(err, &key, "unknown key%s", known);
}

/* ---- defaults ---- */

static cas_status read_node(const cas_option *o, const cas_node *n, void *out, cas_error *err) {
  if (o->type == CAS_SECTION && o->alone && n->kind != CAS_NODE_MAP) {
    cas_node value = *n, map = {.kind = CAS_NODE_MAP,
                                .origin = n->origin,
                                .line = n->line,
                                .up = n->up,
                                .key = n->key,
                                .first = &value};
    value.key = (char *)o->alone;
    value.up = &map;
    value.next = NULL;
    return cas_option_table_read(o->section, NULL, &map, out, err);
  }
  if (o->type == CAS_SECTION)
    return cas_option_table_read(o->section, NULL, n, out, err);
  return types[o->type]->read(o, n, out, err);
}

/* A default that does not fit its option is a mistake of the program. */
static cas_status read_fallback(const cas_option *o, const cas_node *map, void *out,
                                cas_error *err) {
  static const cas_origin origin = {.label = "default"};
  const cas_node plain = {.kind = CAS_NODE_TEXT,
                          .origin = &origin,
                          .line = 1,
                          .up = map,
                          .key = (char *)o->key,
                          .text = (char *)o->fallback,
                          .plain = true};
  const size_t size = strlen(o->fallback);
  cas_error inner = {0};
  cas_node *n = NULL;
  cas_status st = CAS_OK;
  if (strcspn(o->fallback, "[]{}\"'#:,\n") < size)
    st = cas_node_parse(o->fallback, size, &origin, &plain, 0, &n, &inner);
  if (!st)
    st = read_node(o, n ? n : &plain, out, &inner);
  cas_node_free(n);
  if (!st)
    return CAS_OK;
  return cas_fail(err, st == CAS_BAD_INPUT ? CAS_INTERNAL : st,
                  "%s (a mistake in the table of options)", inner.text);
}

static cas_status read_absent(const cas_option *o, const cas_node *map, void *out, cas_error *err) {
  const cas_node section = {.up = map, .key = (char *)o->key};
  if (o->fallback && *o->fallback)
    return read_fallback(o, map, out, err);
  return o->type == CAS_SECTION ? cas_option_table_absent(o->section, &section, out, err) : CAS_OK;
}

cas_status cas_option_table_absent(const cas_option *table, const cas_node *map, void *out,
                                   cas_error *err) {
  for (cas_walk w = cas_walk_begin(table); w.option; cas_walk_next(&w))
    CAS_CALL(read_absent(w.option, map, (char *)out + w.offset, err));
  return CAS_OK;
}

/* ---- tables ---- */

static void zero(const cas_option *table, void *out) {
  for (cas_walk w = cas_walk_begin(table); w.option; cas_walk_next(&w)) {
    const cas_option *o = w.option;
    char *value = (char *)out + w.offset;
    if (o->type == CAS_SECTION)
      zero(o->section, value);
    else
      memset(value, 0, types[o->type]->size);
  }
}

cas_status cas_option_table_read(const cas_option *table, const char *const *also,
                                 const cas_node *map, void *out, cas_error *err) {
  zero(table, out);
  if (map->kind != CAS_NODE_MAP && !cas_node_is_null(map))
    return cas_node_refuse(err, map, "must be a mapping of keys to values");
  cas_status st = also == cas_keys_of_others ? CAS_OK : refuse_unknown(table, also, map, err);
  for (cas_walk w = cas_walk_begin(table); w.option && !st; cas_walk_next(&w)) {
    const cas_option *o = w.option;
    const cas_node *n = cas_node_find(map, o->key, strlen(o->key));
    void *value = (char *)out + w.offset;
    if (n)
      st = read_node(o, n, value, err);
    else if (o->fallback)
      st = read_absent(o, map, value, err);
    else
      st = cas_node_fail(err, map, "'%s' is missing (%s)", o->key, o->help ? o->help : "required");
  }
  if (st) {
    cas_options_free(table, out);
    zero(table, out);
  }
  return st;
}

void cas_options_free(const cas_option *table, void *out) {
  for (cas_walk w = cas_walk_begin(table); w.option; cas_walk_next(&w)) {
    const cas_option *o = w.option;
    char *value = (char *)out + w.offset;
    if (o->type == CAS_SECTION)
      cas_options_free(o->section, value);
    else if (types[o->type]->release)
      types[o->type]->release(value);
  }
}

cas_status cas_options_read(const cas_config *c, const char *path, const cas_option *table,
                            const char *const *also, void *out, cas_error *err) {
  CAS_LOCALE_OF_C;
  const cas_node *nearest, *map = cas_config_find(c, path, &nearest);
  const cas_node absent = {
      .kind = CAS_NODE_MAP, .origin = nearest->origin, .line = nearest->line, .key = (char *)path};
  return cas_option_table_read(table, also, map ? map : &absent, out, err);
}
