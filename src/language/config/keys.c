#include "language/config/keys.h"

static bool is_end(const cas_option *o) { return !o->key && o->type != CAS_INCLUDE; }

void cas_walk_next(cas_walk *w) {
  w->option = NULL;
  while (w->depth >= 0 && !w->option) {
    const cas_option *o = w->table[w->depth].next;
    size_t offset = w->table[w->depth].base + o->offset;
    if (is_end(o)) {
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

void cas_option_keys(const cas_option *table, cas_name_list *keys) {
  for (cas_walk w = cas_walk_begin(table); w.option; cas_walk_next(&w))
    cas_name_list_add(keys, w.option->key);
}
