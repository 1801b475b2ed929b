#include "base/text.h"
#include "language/config/config_impl.h"
#include "language/config/keys.h"

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

cas_status cas_config_parse(const char *text, size_t length, const char *filename, cas_config **out,
                            cas_error *err) {
  *out = NULL;
  cas_config *c = calloc(1, sizeof *c);
  if (!c || !(c->origins = new_origin("", filename, LABEL_CLIP, true))) {
    free(c);
    return cas_no_memory(err);
  }
  cas_status st = cas_node_parse(text, length, c->origins, NULL, 0, &c->root, err);
  if (!st && cas_node_is_null(c->root))
    st = cas_node_fail(err, c->root, "empty; must be a mapping such as 'study: {kind: weak}'");
  else if (!st && c->root->kind != CAS_NODE_MAP)
    st = cas_node_refuse(err, c->root, "must be a mapping such as 'study: {kind: weak}'");
  if (st)
    cas_config_free(c);
  else
    *out = c;
  return st;
}

/* A copy of a value and all below it, of the same origins; NULL without memory. */
static cas_node *copy_node(const cas_node *n) {
  bool failed = false;
  cas_node *copy = cas_node_new(n->kind, n->origin);
  if (!copy)
    return NULL;
  copy->plain = n->plain;
  copy->original = n;
  copy->line = n->line;
  copy->key_line = n->key_line;
  copy->column = n->column;
  copy->key = cas_text_copy(n->key, &failed);
  copy->text = cas_text_copy(n->text, &failed);
  copy->source = cas_text_copy(n->source, &failed);
  for (const cas_node *child = n->first; child && !failed; child = child->next) {
    cas_node *twin = copy_node(child);
    failed = !twin;
    if (twin)
      cas_node_append(copy, twin);
  }
  if (!failed)
    return copy;
  cas_node_free(copy);
  return NULL;
}

cas_status cas_config_copy(const cas_config *c, cas_config **out, cas_error *err) {
  *out = calloc(1, sizeof **out);
  if (*out && ((*out)->root = copy_node(c->root)))
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

/* The key of a value, or the number of an entry where it is NULL. */
typedef struct {
  const char *key;
  size_t length;
  int index;
} key_of;

/* The keys of "a.b[2].c". */
typedef struct {
  char *text;
  int n;
  key_of at[CAS_CONFIG_DEPTH];
} key_list;

static bool add_key(key_list *k, key_of key) {
  if (k->n == CAS_CONFIG_DEPTH)
    return false;
  k->at[k->n++] = key;
  return true;
}

static bool cut_keys(key_list *k) {
  const char *s = k->text;
  for (bool more = true; more; s++) {
    const size_t length = strcspn(s, ".[");
    if (length == 0 || !add_key(k, (key_of){s, length, 0}))
      return false;
    for (s += length; *s == '['; s++) {
      char *end;
      const long index = strtol(s + 1, &end, 10);
      if (s[1] < '0' || s[1] > '9' || *end != ']' || index > INT_MAX ||
          !add_key(k, (key_of){.index = (int)index}))
        return false;
      s = end;
    }
    more = *s == '.';
    if (*s && !more)
      return false;
  }
  return true;
}

/* Puts `value` in the place of `old`, or at the end if that is NULL; value NULL removes `old`. */
static void replace(cas_node *map, cas_node *old, cas_node *value) {
  if (!old) {
    cas_node_append(map, value);
    return;
  }
  cas_node *n = map->first, *next;
  map->first = map->last = NULL;
  map->n = 0;
  for (; n; n = next) {
    next = n->next;
    n->next = NULL;
    if (n != old)
      cas_node_append(map, n);
    else if (value)
      cas_node_append(map, value);
  }
  cas_node_free(old);
}

static cas_status not_there(const cas_node *map, const key_of *at, const cas_origin *origin,
                            cas_error *err) {
  char clipped[CAS_CONFIG_CLIP_SIZE], known[CAS_CONFIG_KNOWN_SIZE];
  CAS_OWNED const char **names = calloc((size_t)map->n + 1, sizeof *names);
  CAS_OWNED char *key = strndup(at->key, at->length);
  CAS_NEED(names && key);
  int n = 0;
  for (const cas_node *child = map->first; child; child = child->next)
    names[n++] = child->key;
  cas_config_clip(clipped, sizeof clipped, CAS_CONFIG_CLIP, key);
  cas_config_suggestion(known, sizeof known, key, names);
  return cas_fail(err, CAS_BAD_INPUT, "%s: there is no '%s' to take away%s", origin->label, clipped,
                  known);
}

/* The value of a key of a mapping, or the entry of a list, or NULL. */
static cas_node *find_child(const cas_node *n, const key_of *at) {
  if (at->key)
    return cas_node_find(n, at->key, at->length);
  cas_node *entry = n->kind == CAS_NODE_LIST ? n->first : NULL;
  while (entry && entry->index < at->index)
    entry = entry->next;
  return entry;
}

static cas_status no_entry(const cas_node *n, const key_of *at, const cas_origin *origin,
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
    if (!child)
      return (k->at[i].key ? not_there : no_entry)(map, &k->at[i], origin, err);
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

/* Gives a value its key, if it has one; false without memory. */
static bool name(cas_node *value, const key_of *at) {
  value->key = at->key ? strndup(at->key, at->length) : NULL;
  return value->key || !at->key;
}

/* The value of a key, alone in a mapping; NULL without memory. Takes the value in any case. */
static cas_node *within(cas_node *value, const key_of *at) {
  cas_node *map = name(value, at) ? cas_node_new(CAS_NODE_MAP, value->origin) : NULL;
  if (map)
    cas_node_append(map, value);
  else
    cas_node_free(value);
  return map;
}

/* Puts a value where the keys lead to, below mappings that are new where they lead on. Entries of
   lists have to be there. Takes the value in any case. */
static cas_status attach(cas_node *root, const key_list *k, cas_node *value, cas_error *err) {
  static const cas_node nothing = {.kind = CAS_NODE_TEXT, .plain = true, .text = (char *)""};
  cas_node *map = root, *child = find_child(map, k->at);
  int i = 0;
  for (; goes_on(k, i, child); child = find_child(map, &k->at[++i]))
    map = child;
  cas_status st = !child && !k->at[i].key ? no_entry(map, &k->at[i], value->origin, err) : CAS_OK;
  for (int j = i + 1; !st && j < k->n; j++)
    st = k->at[j].key ? CAS_OK : no_entry(&nothing, &k->at[j], value->origin, err);
  for (int j = k->n - 1; !st && value && j > i; j--)
    value = within(value, &k->at[j]);
  if (!st && !(value && name(value, &k->at[i])))
    st = cas_no_memory(err);
  if (st)
    cas_node_free(value);
  else
    replace(map, child, value);
  return st;
}

size_t cas_config_key_of(const char *assignment, const char **key) {
  *key = assignment + strspn(assignment, " \t");
  size_t n = strcspn(*key, "=");
  while (n > 0 && strchr(" \t", (*key)[n - 1]))
    n--;
  return n;
}

static cas_status parse_assignment(const char *assignment, const cas_origin *origin, key_list *k,
                                   cas_node **value, cas_error *err) {
  const char *equals = strchr(assignment, '='), *key;
  const size_t length = cas_config_key_of(assignment, &key);
  CAS_FAIL_IF(!equals, CAS_BAD_INPUT, "%s: has no '='; %s", origin->label, set_form);
  k->text = strndup(key, length);
  CAS_NEED(k->text);
  CAS_FAIL_IF(!cut_keys(k), CAS_BAD_INPUT,
              "%s: needs a key, or keys joined by single dots, before '='; %s", origin->label,
              set_form);
  cas_error inner = {0};
  const cas_node up = {.key = k->text};
  cas_status st = cas_node_parse(equals + 1, strlen(equals + 1), origin, &up, k->n, value, &inner);
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
  if (st || away) {
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

/* Lines "system.noise.chi[0][1]: 0.02", one for every value in the tree, escaped. */
static void list(FILE *f, const cas_node *n) {
  for (const cas_node *child = n->first; child; child = child->next)
    list(f, child);
  if (n->first)
    return;
  CAS_OWNED char *path = cas_node_path(n);
  cas_config_put(f, path ? path : "", "");
  fputs(n->kind == CAS_NODE_MAP    ? ": {}"
        : n->kind == CAS_NODE_LIST ? ": []"
        : n->plain                 ? ": "
                                   : ": '",
        f);
  if (n->kind == CAS_NODE_TEXT)
    cas_config_put(f, n->text, "");
  fputs(n->kind == CAS_NODE_TEXT && !n->plain ? "'\n" : "\n", f);
}

void cas_config_list(FILE *f, const cas_config *c) { list(f, c->root); }

const cas_node *cas_config_find(const cas_config *c, const char *path, const cas_node **nearest) {
  *nearest = c->root;
  while (*path) {
    const bool entry = *path == '[';
    const size_t length = entry ? strcspn(path, "]") + 1 : strcspn(path, ".[");
    const key_of at = {entry ? NULL : path, length, entry ? atoi(path + 1) : 0};
    const cas_node *child = find_child(*nearest, &at);
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
  const cas_node at = {.key = (char *)path};
  va_list args;
  va_start(args, format);
  cas_status st = cas_config_place_fail(err, nearest->origin, nearest->line, 0, &at, format, args);
  va_end(args);
  return st;
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/* Bytes of a source before its text: a quote, or the first line of a block such as "|" or ">-". */
static size_t length_of_opening(const char *source) {
  if (*source == '|' || *source == '>')
    return strcspn(source, "\n");
  return *source == '"' || *source == '\'';
}

/* Line and column, from 1, of byte `at` of its text; false where they are not known. Lines may be
   folded and indented, but what is not blank is the same here and there, in this order, unless
   there are escapes. Only the first byte of a character counts as a column. */
static bool find_place(const cas_node *n, int at, int *line, int *column) {
  if (!n->source || n->kind != CAS_NODE_TEXT || (*n->source == '"' && strchr(n->source, '\\')))
    return false;
  int before = 0;
  for (int i = 0; i < at && n->text[i]; i++)
    before += !is_blank(n->text[i]);
  const bool blank = n->text[at] == '\0' || is_blank(n->text[at]);
  *line = n->line;
  *column = n->column;
  for (const char *s = n->source, *text = s + length_of_opening(s); *s; s++) {
    if (s >= text && before == 0 && (blank || !is_blank(*s)))
      return true;
    before -= s >= text && !is_blank(*s);
    *line += *s == '\n';
    *column = *s == '\n' ? 1 : *column + (((unsigned char)*s & 0xC0) != 0x80);
  }
  return before == 0;
}

cas_status cas_config_fail_at(const cas_config *c, cas_error *err, const char *path, int at,
                              const char *format, ...) {
  const cas_node *nearest, *n = cas_config_find(c, path, &nearest);
  char message[1200];
  int line, column;
  cas_status st;
  va_list args;
  va_start(args, format);
  if (n && find_place(n, at, &line, &column)) {
    st = cas_config_place_fail(err, n->origin, line, column, n, format, args);
  } else {
    vsnprintf(message, sizeof message, format, args);
    st = cas_config_fail(c, err, path, "at character %d: %s", at + 1, message);
  }
  va_end(args);
  return st;
}

cas_status cas_config_unknown(const cas_config *c, cas_error *err, const char *path,
                              const char *element, const char *const *names) {
  char found[CAS_CONFIG_CLIP_SIZE + 16] = "nothing", known[CAS_CONFIG_KNOWN_SIZE],
                                    clipped[CAS_CONFIG_CLIP_SIZE];
  const cas_node *nearest, *n = cas_config_find(c, path, &nearest);
  if (!n && nearest->kind != CAS_NODE_MAP && !cas_node_is_null(nearest))
    return cas_node_refuse(err, nearest, "must be a mapping of keys to values");
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
