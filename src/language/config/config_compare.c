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

/* ---- keys ---- */

/* The option that a key of a section has; NULL: it is in no table. */
static const cas_option *find_option(const cas_section_table *t, const char *section,
                                     const char *key) {
  const cas_option *o = NULL;
  for (; t->section && !o; t++)
    o = strcmp(t->section, section) == 0 ? cas_option_find(t->table, key) : NULL;
  return o;
}

static bool same_keys(const cas_config_rule *by, const char *section, const cas_node *mine,
                      const cas_node *theirs, char *key, size_t size);

/* Appends the key of a value that differs, and the first key in it that does. */
static void name_difference(const cas_option *o, const char *name, const cas_node *mine,
                            const cas_node *theirs, char *key, size_t size) {
  static const cas_option none[] = {{0}};
  const cas_section_table within[] = {{name, o && o->type == CAS_SECTION ? o->section : none, NULL},
                                      {0}};
  cas_append(key, size, "%s%s", key[0] ? "." : "", name);
  if (mine && theirs && mine->kind == CAS_NODE_MAP && theirs->kind == CAS_NODE_MAP)
    (void)same_keys(&(cas_config_rule){.tables = within}, name, mine, theirs, key, size);
}

/* Whether all keys of either mapping are alike in both. Keys of the top that are in no table are
   sections. */
static bool same_keys(const cas_config_rule *by, const char *section, const cas_node *mine,
                      const cas_node *theirs, char *key, size_t size) {
  for (int i = 0; i < 2; i++) {
    const cas_node *map = i ? theirs : mine, *second = i ? mine : theirs;
    for (const cas_node *n = map ? map->first : NULL; n; n = n->next) {
      const cas_option *o = find_option(by->tables, section, n->key);
      const cas_node *other = second ? cas_node_find(second, n->key, strlen(n->key)) : NULL;
      const cas_node *a = i ? other : n, *b = i ? n : other;
      bool passes = !*section || (other && same_node(n, other));
      if (o)
        passes = (o->identity & by->ignored) || same_value(o, a, b) ||
                 ((o->identity & by->grown) && goes_on(a, b));
      if (passes)
        continue;
      name_difference(o, n->key, a, b, key, size);
      return false;
    }
  }
  return true;
}

bool cas_config_agrees(const cas_config *mine, const cas_config *theirs, const cas_config_rule *by,
                       char *key, size_t size) {
  for (const cas_section_table *t = by->tables; t->section; t++) {
    const cas_node *nearest, *a = cas_config_find(mine, t->section, &nearest),
                             *b = cas_config_find(theirs, t->section, &nearest);
    snprintf(key, size, "%s", t->section);
    if (!same_keys(by, t->section, a, b, key, size))
      return false;
  }
  key[0] = '\0';
  return true;
}
