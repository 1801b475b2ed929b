#include "base/text.h"
#include "language/config/config_impl.h"
#include "language/config/place.h"

#include <limits.h>

static const char set_form[] = "the form is --set KEY=VALUE, such as --set study.paths=1000";

struct cas_config {
  cas_node *root;
  cas_origin *origins; /* the file first */
};

/* ---- origins ---- */

enum { LABEL_CLIP = 400, SET_CLIP = 60 };

static cas_origin *new_origin(const char *prefix, const char *text, size_t limit, bool has_lines) {
  char clipped[8 * LABEL_CLIP];
  cas_origin *origin = calloc(1, sizeof *origin);
  cas_config_clip(clipped, 8 * limit, limit, text);
  if (!origin || asprintf(&origin->label, "%s%s", prefix, clipped) < 0) {
    free(origin);
    return NULL;
  }
  origin->has_lines = has_lines;
  return origin;
}

static void free_origins(cas_origin *origin) {
  while (origin) {
    cas_origin *next = origin->next;
    free(origin->label);
    free(origin);
    origin = next;
  }
}

/* ---- life of a configuration ---- */

static cas_status refuse_other_than_mapping(const cas_node *root, cas_error *err) {
  if (root->kind == CAS_NODE_MAP)
    return CAS_OK;
  if (cas_node_is_null(root))
    return cas_node_fail(err, root, NULL, "empty; must be a mapping such as 'study: {kind: weak}'");
  return cas_node_refuse(err, root, NULL, "must be a mapping such as 'study: {kind: weak}'");
}

cas_status cas_config_parse(const char *text, size_t length, const char *filename, cas_config **out,
                            cas_error *err) {
  *out = NULL;
  cas_config *c = calloc(1, sizeof *c);
  if (c)
    c->origins = new_origin("", filename, LABEL_CLIP, true);
  if (!c || !c->origins) {
    free(c);
    return cas_no_memory(err);
  }
  cas_status st = cas_node_parse(text, length, c->origins, NULL, 0, &c->root, err);
  if (!st)
    st = refuse_other_than_mapping(c->root, err);
  if (st)
    cas_config_free(c);
  else
    *out = c;
  return st;
}

cas_status cas_config_copy(const cas_config *c, cas_config **out, cas_error *err) {
  *out = calloc(1, sizeof **out);
  if (*out)
    (*out)->root = cas_node_copy(c->root);
  if (*out && (*out)->root)
    return CAS_OK;
  free(*out);
  *out = NULL;
  return cas_no_memory(err);
}

void cas_config_free(cas_config *c) {
  if (!c)
    return;
  cas_node_free(c->root);
  free_origins(c->origins);
  free(c);
}

/* ---- --set ---- */

/* The keys of "a.b[2].c", which is cut into them in place. */
typedef struct {
  char *text;
  int n;
  cas_key_path at[CAS_CONFIG_DEPTH]; /* each below the one before it */
} key_list;

static bool add_key(key_list *k, const char *key, int index) {
  if (k->n == CAS_CONFIG_DEPTH)
    return false;
  k->at[k->n] = (cas_key_path){.up = k->n ? &k->at[k->n - 1] : NULL, .key = key, .index = index};
  k->n++;
  return true;
}

/* The entries "[2][0]" behind a key. */
static bool cut_entries(key_list *k, char **rest) {
  char *s = *rest;
  while (*s == '[') {
    char *end;
    const long index = strtol(s + 1, &end, 10);
    if (end == s + 1 || s[1] < '0' || s[1] > '9' || *end != ']' || index > INT_MAX ||
        !add_key(k, NULL, (int)index))
      return false;
    *s = '\0';
    s = end + 1;
  }
  *rest = s;
  return *s == '.' || !*s;
}

static bool cut_keys(key_list *k) {
  char *s = k->text;
  for (bool more = true; more;) {
    size_t length = strcspn(s, ".[");
    char *rest = s + length;
    if (length == 0 || !add_key(k, s, 0) || !cut_entries(k, &rest))
      return false;
    more = *rest == '.';
    s[length] = '\0';
    s = rest + 1;
  }
  return true;
}

/* Puts `value` in the place of `old`, or behind all others where that is NULL; a value that is NULL
   takes `old` away. */
static void replace(cas_node *map, cas_node *old, cas_node *value) {
  if (!old) {
    cas_node_append(map, value);
    return;
  }
  cas_node *before = NULL, *after = value ? value : old->next;
  for (cas_node *n = map->first; n != old; n = n->next)
    before = n;
  if (value)
    value->next = old->next;
  else
    map->n--;
  if (before)
    before->next = after;
  else
    map->first = after;
  if (map->last == old)
    map->last = value ? value : before;
  cas_node_free(old);
}

static cas_status not_there(const cas_node *map, const char *key, const cas_origin *origin,
                            cas_error *err) {
  char clipped[CAS_CONFIG_CLIP_SIZE], known[CAS_CONFIG_KNOWN_SIZE];
  CAS_OWNED const char **names = calloc((size_t)map->n + 1, sizeof *names);
  CAS_NEED(names);
  int n = 0;
  for (const cas_node *child = map->first; child; child = child->next)
    names[n++] = child->key;
  cas_config_clip(clipped, sizeof clipped, CAS_CONFIG_CLIP, key);
  cas_config_suggestion(known, sizeof known, key, names);
  return cas_fail(err, CAS_BAD_INPUT, "%s: there is no '%s' to take away%s", origin->label, clipped,
                  known);
}

/* The value of a key of a mapping, or the entry of a list, or NULL. */
static cas_node *find_child(const cas_node *n, const cas_key_path *at) {
  if (at->key)
    return cas_node_find(n, at->key, strlen(at->key));
  cas_node *entry = n->kind == CAS_NODE_LIST ? n->first : NULL;
  for (int i = 0; entry && i < at->index; i++)
    entry = entry->next;
  return entry;
}

static cas_status no_entry(const cas_node *n, const cas_key_path *at, const cas_origin *origin,
                           cas_error *err) {
  char found[CAS_CONFIG_CLIP_SIZE + 16];
  cas_node_found(n, found, sizeof found);
  CAS_FAIL_IF(n->kind == CAS_NODE_LIST, CAS_BAD_INPUT,
              "%s: there is no entry [%d]: the list has %d%s", origin->label, at->index, n->n,
              n->n ? ", counted from [0]" : "");
  return cas_fail(err, CAS_BAD_INPUT,
                  "%s: there is no entry [%d] of %s: give the whole list, such as KEY=[1, 2, 3]",
                  origin->label, at->index, found);
}

static cas_status unset(cas_node *root, const key_list *k, const cas_origin *origin,
                        cas_error *err) {
  cas_node *map = root;
  for (int i = 0; i < k->n; i++) {
    cas_node *child = find_child(map, &k->at[i]);
    if (!child && !k->at[i].key)
      return no_entry(map, &k->at[i], origin, err);
    if (!child)
      return not_there(map, k->at[i].key, origin, err);
    if (i + 1 == k->n)
      replace(map, child, NULL);
    map = child;
  }
  return CAS_OK;
}

/* Whether a value is the one that the keys go on from, behind key number i, or is replaced. */
static bool goes_on(const key_list *k, int i, const cas_node *n) {
  return n && i + 1 < k->n && (!k->at[i + 1].key || n->kind == CAS_NODE_MAP);
}

/* Entries of lists have to be there, as far as the keys do not lead to values that are new. */
static cas_status check_entries(const cas_node *root, const key_list *k, const cas_origin *origin,
                                cas_error *err) {
  static const cas_node nothing = {.kind = CAS_NODE_TEXT, .plain = true, .text = (char *)""};
  const cas_node *n = root;
  for (int i = 0; i < k->n; i++) {
    const cas_node *child = find_child(n, &k->at[i]);
    if (!child && !k->at[i].key)
      return no_entry(n, &k->at[i], origin, err);
    n = goes_on(k, i, child) ? child : &nothing;
  }
  return CAS_OK;
}

/* Takes `value` in any case. */
static cas_status attach(cas_node *root, const key_list *k, cas_node *value, cas_error *err) {
  cas_node *map = root;
  cas_status st = check_entries(root, k, value->origin, err);
  for (int i = 0; !st && i < k->n; i++) {
    cas_node *child = find_child(map, &k->at[i]), *next = child;
    if (!goes_on(k, i, child)) {
      next = i + 1 < k->n ? cas_node_new(CAS_NODE_MAP, value->origin) : value;
      if (next && k->at[i].key)
        next->key = strdup(k->at[i].key);
      if (next && (next->key || !k->at[i].key)) {
        replace(map, child, next);
      } else {
        st = cas_no_memory(err);
        cas_node_free(next == value ? NULL : next);
      }
    }
    map = next;
  }
  if (st)
    cas_node_free(value);
  return st;
}

static cas_status parse_assignment(const char *assignment, const cas_origin *origin, key_list *k,
                                   cas_node **value, cas_error *err) {
  const char *equals = strchr(assignment, '=');
  CAS_FAIL_IF(!equals, CAS_BAD_INPUT, "%s: has no '='; %s", origin->label, set_form);
  /* The left side of an assignment without the spaces around it, or NULL. */
  const char *start = assignment + strspn(assignment, " \t");
  const char *end = equals;
  while (end > start && (end[-1] == ' ' || end[-1] == '\t'))
    end--;
  k->text = strndup(start, end > start ? (size_t)(end - start) : 0);
  CAS_NEED(k->text);
  CAS_FAIL_IF(!cut_keys(k), CAS_BAD_INPUT,
              "%s: needs a key, or keys joined by single dots, before '='; %s", origin->label,
              set_form);
  cas_error inner = {0};
  cas_status st =
      cas_node_parse(equals + 1, strlen(equals + 1), origin, &k->at[k->n - 1], k->n, value, &inner);
  return st ? cas_fail(err, st, "%s; %s", inner.text, set_form) : CAS_OK;
}

cas_status cas_config_set(cas_config *c, const char *assignment, cas_error *err) {
  key_list keys = {0};
  cas_node *value = NULL;
  cas_origin *origin = new_origin("--set ", assignment, SET_CLIP, false);
  CAS_NEED(origin);
  cas_status st = parse_assignment(assignment, origin, &keys, &value, err);
  /* null or ~, but not an empty text, which is more likely a slip */
  bool away = !st && cas_node_is_null(value) && value->text[0] != '\0';
  if (away) {
    st = unset(c->root, &keys, origin, err);
    cas_node_free(value);
  } else if (!st) {
    st = attach(c->root, &keys, value, err);
  }
  /* Where memory ran out, the tree may have nodes of this origin. */
  if ((st && st != CAS_NO_MEMORY) || away) {
    free_origins(origin);
  } else {
    cas_origin **at = c->origins ? &c->origins->next : &c->origins; /* a copy has none of its own */
    origin->next = *at;
    *at = origin;
  }
  free(keys.text);
  return st;
}

/* ---- looking ---- */

void cas_config_list(FILE *f, const cas_config *c) { cas_node_list(f, c->root, NULL); }

/* The entry that "[3].." names, or NULL. */
static const cas_node *find_entry(const cas_node *list, const char *index) {
  const cas_node *n = list->kind == CAS_NODE_LIST ? list->first : NULL;
  for (long i = strtol(index + 1, NULL, 10); n && i > 0; i--)
    n = n->next;
  return n;
}

const cas_node *cas_config_find(const cas_config *c, const char *path, const cas_node **nearest) {
  *nearest = c->root;
  while (*path) {
    bool entry = *path == '[';
    size_t length = entry ? strcspn(path, "]") + 1 : strcspn(path, ".[");
    const cas_node *child =
        entry ? find_entry(*nearest, path) : cas_node_find(*nearest, path, length);
    if (!child)
      return NULL;
    *nearest = child;
    path += length + (path[length] == '.');
  }
  return *nearest;
}

const char *cas_config_text(const cas_config *c, const char *path) {
  const cas_node *nearest, *n = cas_config_find(c, path, &nearest);
  return n && n->kind == CAS_NODE_TEXT && !cas_node_is_null(n) ? n->text : NULL;
}

bool cas_config_has(const cas_config *c, const char *path) {
  const cas_node *nearest;
  return cas_config_find(c, path, &nearest);
}

cas_status cas_config_fail(const cas_config *c, cas_error *err, const char *path,
                           const char *format, ...) {
  CAS_LOCALE_OF_C;
  const cas_node *nearest;
  cas_config_find(c, path, &nearest);
  const cas_key_path at = {.key = path};
  va_list args;
  va_start(args, format);
  cas_status st = cas_config_place_fail(err, nearest->origin, nearest->line, 0, &at, format, args);
  va_end(args);
  return st;
}

cas_status cas_config_fail_at(const cas_config *c, cas_error *err, const char *path, int at,
                              const char *format, ...) {
  const cas_node *nearest, *n = cas_config_find(c, path, &nearest);
  const cas_key_path place = {.key = path};
  char message[1200];
  int line, column;
  cas_status st;
  va_list args;
  va_start(args, format);
  if (n && cas_node_place(n, at, &line, &column)) {
    st = cas_config_place_fail(err, n->origin, line, column, &place, format, args);
  } else {
    vsnprintf(message, sizeof message, format, args);
    st = cas_config_fail(c, err, path, "at character %d: %s", at + 1, message);
  }
  va_end(args);
  return st;
}

/* The first part of a path that is neither a mapping nor absent, if not the whole. */
static const cas_node *find_blocking(const cas_config *c, const char *path, char *prefix,
                                     size_t size) {
  const cas_node *nearest;
  for (const char *dot = strchr(path, '.'); dot; dot = strchr(dot + 1, '.')) {
    snprintf(prefix, size, "%.*s", (int)(dot - path), path);
    const cas_node *n = cas_config_find(c, prefix, &nearest);
    if (n && n->kind != CAS_NODE_MAP && !cas_node_is_null(n))
      return n;
  }
  return NULL;
}

cas_status cas_config_unknown(const cas_config *c, cas_error *err, const char *path,
                              const char *element, const char *const *names) {
  char found[CAS_CONFIG_CLIP_SIZE + 16] = "nothing", known[CAS_CONFIG_KNOWN_SIZE],
                                    clipped[CAS_CONFIG_CLIP_SIZE];
  char prefix[CAS_KEY_PATH_SIZE];
  const cas_node *nearest, *n = find_blocking(c, path, prefix, sizeof prefix);
  if (n) {
    const cas_key_path at = {.key = prefix};
    return cas_node_refuse(err, n, &at, "must be a mapping of keys to values");
  }
  n = cas_config_find(c, path, &nearest);
  if (element) {
    cas_config_clip(clipped, sizeof clipped, CAS_CONFIG_CLIP, element);
    snprintf(found, sizeof found, "'%s'", clipped);
  } else if (n) {
    cas_node_found(n, found, sizeof found);
    element = n->kind == CAS_NODE_TEXT ? n->text : NULL;
  }
  cas_config_suggestion(known, sizeof known, element ? element : "", names);
  return cas_config_fail(c, err, path, "found %s%s", found, known);
}
