#include "base/name_list.h"
#include "language/config/config_impl.h"

cas_node *cas_node_new(cas_node_kind kind, const cas_origin *origin) {
  cas_node *n = calloc(1, sizeof *n);
  if (n) {
    n->kind = kind;
    n->origin = origin;
    n->line = n->key_line = 1;
  }
  return n;
}

void cas_node_free_children(cas_node *n) {
  for (cas_node *child = n->first, *next; child; child = next) {
    next = child->next;
    cas_node_free(child);
  }
}

void cas_node_free(cas_node *n) {
  if (!n)
    return;
  cas_node_free_children(n);
  free(n->key);
  free(n->text);
  free(n->source);
  free(n);
}

void cas_node_append(cas_node *parent, cas_node *child) {
  if (parent->last)
    parent->last->next = child;
  else
    parent->first = child;
  parent->last = child;
  child->up = parent;
  child->index = parent->n++;
}

cas_node *cas_node_add(cas_node *parent, int line) {
  cas_node *n = cas_node_new(CAS_NODE_TEXT, parent->origin);
  if (n) {
    n->line = n->key_line = line;
    cas_node_append(parent, n);
  }
  return n;
}

cas_node *cas_node_find(const cas_node *map, const char *key, size_t length) {
  if (map->kind != CAS_NODE_MAP)
    return NULL;
  cas_node *n = map->first;
  while (n && (strncmp(n->key, key, length) != 0 || n->key[length] != '\0'))
    n = n->next;
  return n;
}

bool cas_node_is_null(const cas_node *n) {
  static const char *const nulls[] = {"", "~", "null", "Null", "NULL", NULL};
  return n->kind == CAS_NODE_TEXT && n->plain && cas_name_list_find(nulls, n->text) >= 0;
}

void cas_node_found(const cas_node *n, char *out, size_t size) {
  if (n->kind == CAS_NODE_LIST)
    snprintf(out, size, "a list");
  else if (n->kind == CAS_NODE_MAP)
    snprintf(out, size, "a mapping");
  else if (cas_node_is_null(n))
    snprintf(out, size, "nothing");
  else {
    char text[CAS_CONFIG_CLIP_SIZE];
    double number;
    cas_config_clip(text, sizeof text, CAS_CONFIG_CLIP, n->text);
    if (!n->plain)
      snprintf(out, size, "'%s' in quotes", text);
    else if (!cas_number_parse_real(n->text, &number) || strcasecmp(n->text, ".nan") == 0)
      snprintf(out, size, "%s", text);
    else
      snprintf(out, size, "'%s'", text);
  }
}

static bool is_entry(const cas_node *n) { return n->up && n->up->kind == CAS_NODE_LIST; }

/* The path of a value, with keys that are cut for messages. */
static void path_text(const cas_node *n, char *out, size_t size) {
  if (!n)
    return;
  path_text(n->up, out, size);
  char key[CAS_CONFIG_CLIP_SIZE];
  if (n->key) {
    cas_config_clip(key, sizeof key, n->up ? CAS_CONFIG_CLIP : 3 * CAS_CONFIG_CLIP, n->key);
    cas_append(out, size, "%s%s", out[0] && key[0] ? "." : "", key);
  } else if (is_entry(n)) {
    cas_append(out, size, "[%d]", n->index);
  }
}

char *cas_node_path(const cas_node *n) {
  CAS_OWNED char *above = n->up ? cas_node_path(n->up) : strdup("");
  char *path = NULL;
  if (!above)
    return NULL;
  const int length = n->key        ? asprintf(&path, "%s%s%s", above, *above ? "." : "", n->key)
                     : is_entry(n) ? asprintf(&path, "%s[%d]", above, n->index)
                                   : asprintf(&path, "%s", above);
  return length < 0 ? NULL : path;
}

cas_status cas_config_place_fail(cas_error *err, const cas_origin *origin, int line, int column,
                                 const cas_node *at, const char *format, va_list args) {
  char where[CAS_KEY_PATH_SIZE] = "", number[32] = "", message[1200];
  path_text(at, where, sizeof where);
  if (origin->has_lines)
    snprintf(number, sizeof number, column ? ":%d:%d" : ":%d", line, column);
  vsnprintf(message, sizeof message, format, args);
  return cas_fail(err, CAS_BAD_INPUT, "%s%s: %s%s%s", origin->label, number, where,
                  where[0] ? ": " : "", message);
}

cas_status cas_node_fail(cas_error *err, const cas_node *n, const char *format, ...) {
  va_list args;
  va_start(args, format);
  cas_status st = cas_config_place_fail(err, n->origin, n->line, 0, n, format, args);
  va_end(args);
  return st;
}

/* Whether a value is a number with a comma in the place of its decimal point, as 0,5. */
static bool has_decimal_comma(const cas_node *n) {
  static const char digits[] = "0123456789";
  if (n->kind != CAS_NODE_TEXT)
    return false;
  const char *s = n->text + (*n->text == '-' || *n->text == '+');
  const size_t whole = strspn(s, digits);
  return whole > 0 && s[whole] == ',' && strspn(s + whole + 1, digits) > 0 &&
         !strchr(s + whole + 1, ',');
}

cas_status cas_node_refuse(cas_error *err, const cas_node *n, const char *complaint) {
  char found[CAS_CONFIG_CLIP_SIZE + 16];
  cas_node_found(n, found, sizeof found);
  return cas_node_fail(err, n, "found %s, %s%s", found, complaint,
                       has_decimal_comma(n) ? "; " CAS_CONFIG_DECIMAL_POINT : "");
}
