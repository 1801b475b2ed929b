/* Two effective configurations compared option by option, in place of their texts: an absent key
   equals its default, and what an option is part of decides whether it counts. */
#include "language/config/config_impl.h"
#include "language/config/keys.h"

/* ---- values ---- */

static bool same_node(const cas_node *a, const cas_node *b) {
  if (a->kind != b->kind || a->n != b->n)
    return false;
  if (a->kind == CAS_NODE_TEXT)
    return a->plain == b->plain && strcmp(a->text, b->text) == 0;
  const cas_node *x = a->first, *y = b->first;
  while (x && (!x->key || strcmp(x->key, y->key) == 0) && same_node(x, y)) {
    x = x->next;
    y = y->next;
  }
  return !x;
}

/* The value as casimir writes it, to be freed; of an absent node the default. NULL: the node is no
   value of this option, or memory ran out. */
static char *effective_text(const cas_option *o, const cas_node *n) {
  cas_option one[] = {*o, {0}};
  cas_node value = n ? *n : (cas_node){0};
  value.next = NULL;
  const cas_node map = {.kind = CAS_NODE_MAP, .first = n ? &value : NULL};
  one->offset = 0;
  return cas_table_text(one, &map);
}

static bool same_value(const cas_option *o, const cas_node *mine, const cas_node *theirs) {
  if ((!mine && !theirs) || (mine && theirs && same_node(mine, theirs)))
    return true;
  CAS_OWNED char *a = effective_text(o, mine);
  CAS_OWNED char *b = effective_text(o, theirs);
  return a && b && strcmp(a, b) == 0;
}

/* Whether `theirs` is a smaller integer, or a list with which `mine` begins. */
static bool goes_on(const cas_node *mine, const cas_node *theirs) {
  int64_t a, b;
  if (!mine || !theirs || mine->kind != theirs->kind)
    return false;
  if (mine->kind == CAS_NODE_TEXT)
    return !cas_number_parse_int(mine->text, &a) && !cas_number_parse_int(theirs->text, &b) &&
           a > b;
  const cas_node *x = mine->first, *y = theirs->first;
  for (; x && y && same_node(x, y); x = x->next)
    y = y->next;
  return !y && mine->kind == CAS_NODE_LIST;
}

static bool passes(const cas_config_rule *by, const cas_option *o, const cas_node *mine,
                   const cas_node *theirs) {
  return (o->identity & by->ignored) || same_value(o, mine, theirs) ||
         ((o->identity & by->grown) && goes_on(mine, theirs));
}

/* ---- keys ---- */

static const cas_node *child_of(const cas_node *map, const char *key) {
  return map ? cas_node_find(map, key, strlen(key)) : NULL;
}

static bool add_key(char *key, size_t size, const char *name) {
  cas_append(key, size, "%s%s", key[0] ? "." : "", name);
  return false;
}

/* Appends the key of a value that differs, and the first key in it that does. */
static void name_difference(const cas_option *o, const cas_node *mine, const cas_node *theirs,
                            char *key, size_t size) {
  add_key(key, size, o->key);
  if (!mine || !theirs || mine->kind != CAS_NODE_MAP || theirs->kind != CAS_NODE_MAP)
    return;
  if (o->type != CAS_SECTION) {
    for (const cas_node *n = mine->first; n; n = n->next) {
      const cas_node *other = child_of(theirs, n->key);
      if (!other || !same_node(n, other)) {
        add_key(key, size, n->key);
        return;
      }
    }
    return;
  }
  for (cas_walk w = cas_walk_begin(o->section); w.option; cas_walk_next(&w)) {
    const cas_node *a = child_of(mine, w.option->key), *b = child_of(theirs, w.option->key);
    if (!same_value(w.option, a, b)) {
      name_difference(w.option, a, b, key, size);
      return;
    }
  }
}

/* ---- sections ---- */

static bool is_listed(const cas_section_table *t, const char *section, const char *key) {
  for (; t->section; t++)
    for (cas_walk w = cas_walk_begin(t->table); strcmp(t->section, section) == 0 && w.option;
         cas_walk_next(&w))
      if (strcmp(w.option->key, key) == 0)
        return true;
  return false;
}

/* Whether keys of `a` that are in no table are in `b` as well, with the same values. Those of the
   top are sections. */
static bool same_names(const cas_config_rule *by, const char *section, const cas_node *a,
                       const cas_node *b, char *key, size_t size) {
  for (const cas_node *n = a && *section ? a->first : NULL; n; n = n->next) {
    const cas_node *other = child_of(b, n->key);
    if (!is_listed(by->tables, section, n->key) && !(other && same_node(n, other)))
      return add_key(key, size, n->key);
  }
  return true;
}

static bool same_options(const cas_config_rule *by, const char *section, const cas_node *a,
                         const cas_node *b, char *key, size_t size) {
  for (const cas_section_table *t = by->tables; t->section; t++)
    for (cas_walk w = cas_walk_begin(t->table); strcmp(t->section, section) == 0 && w.option;
         cas_walk_next(&w)) {
      const cas_node *mine = child_of(a, w.option->key), *theirs = child_of(b, w.option->key);
      if (!passes(by, w.option, mine, theirs)) {
        name_difference(w.option, mine, theirs, key, size);
        return false;
      }
    }
  return true;
}

bool cas_config_agrees(const cas_config *mine, const cas_config *theirs, const cas_config_rule *by,
                       char *key, size_t size) {
  const char *done = NULL;
  for (const cas_section_table *t = by->tables; t->section; t++) {
    const cas_node *nearest, *a = cas_config_find(mine, t->section, &nearest),
                             *b = cas_config_find(theirs, t->section, &nearest);
    if (done && strcmp(done, t->section) == 0)
      continue;
    done = t->section;
    snprintf(key, size, "%s", t->section);
    if (!same_names(by, t->section, a, b, key, size) ||
        !same_options(by, t->section, a, b, key, size) ||
        !same_names(by, t->section, b, a, key, size))
      return false;
  }
  key[0] = '\0';
  return true;
}
