#include "language/config/config_impl.h"

#include <ctype.h>
#include <limits.h>
#include <yaml.h>

typedef struct {
  yaml_parser_t yaml;
  const char *text;
  size_t length, mark; /* of text; and of the byte order mark before it */
  const char *byte;    /* of the text, and the number of its character */
  size_t character;
  const cas_origin *origin;
  cas_error *err;
} parsing;

static int line_of(yaml_mark_t mark) { return (int)mark.line + 1; }

CAS_PRINTF(4, 5)
static cas_status fail(parsing *p, int line, const cas_node *at, const char *format, ...) {
  va_list args;
  va_start(args, format);
  cas_status st = cas_config_place_fail(p->err, p->origin, line, 0, at, format, args);
  va_end(args);
  return st;
}

/* ---- what libyaml refuses ---- */

/* libyaml gives bytes that are no text by offset alone. */
static int line_at(const parsing *p, size_t offset) {
  int line = 1;
  for (size_t i = 0; i < offset && i < p->length; i++)
    if (p->text[i] == '\n' || (p->text[i] == '\r' && i + 1 < p->length && p->text[i + 1] != '\n'))
      line++;
  return line;
}

/* What a line has behind its indentation, up to *end; NULL if there is no such line. */
static const char *line_text(const parsing *p, int line, const char **end) {
  const char *s = p->text, *last = p->text + p->length;
  for (; line > 1 && s; line--) {
    s = memchr(s, '\n', (size_t)(last - s));
    s = s ? s + 1 : NULL;
  }
  if (line < 1 || !s)
    return NULL;
  *end = memchr(s, '\n', (size_t)(last - s));
  *end = *end ? *end : last;
  while (s < *end && *s == ' ')
    s++;
  return s;
}

/* "kind:ensemble" */
static bool lacks_blank(const parsing *p, int line) {
  const char *end, *s = line_text(p, line, &end), *key = s;
  while (s && s < end && (isalnum((unsigned char)*s) || *s == '_'))
    s++;
  return s && s > key && s + 1 < end && s[0] == ':' && !isspace((unsigned char)s[1]);
}

/* A key without a blank behind its colon is text, and what libyaml refuses is the next one that has
   it: this line, or the last before it that says anything. 0: neither. */
static int line_without_blank(const parsing *p, int line) {
  const char *end, *s;
  if (lacks_blank(p, line))
    return line;
  do
    s = line_text(p, --line, &end);
  while (s && (s == end || *s == '#' || *s == '\r')); /* empty */
  return lacks_blank(p, line) ? line : 0;
}

static cas_status bad_yaml(parsing *p) {
  const yaml_parser_t *y = &p->yaml;
  int line = line_of(y->problem_mark);
  char context[200] = "";
  if (y->context && p->origin->has_lines && y->context_mark.line != y->problem_mark.line)
    snprintf(context, sizeof context, " %s that begins on line %d", y->context,
             line_of(y->context_mark));
  else if (y->context)
    snprintf(context, sizeof context, " %s", y->context);
  const char *end, *s = line_text(p, line, &end);
  const bool tab = s && s < end && *s == '\t';
  int bare = tab ? 0 : line_without_blank(p, line);
  if (bare)
    return fail(p, bare, NULL,
                "not valid YAML: there must be a blank behind the ':' of a key, as in 'paths: 10'");
  return fail(p, line, NULL, "not valid YAML: %s%s%s", y->problem, context,
              tab ? "; must be indented by spaces, not tabs"
              : strchr(y->problem, ':') || strstr(y->problem, "key") ||
                      strstr(y->problem, "mapping")
                  ? "; the keys of a level need the same indentation, and a blank behind their ':'"
                  : "");
}

static cas_status next_event(parsing *p, yaml_event_t *e) {
  if (yaml_parser_parse(&p->yaml, e))
    return CAS_OK;
  if (p->yaml.error == YAML_READER_ERROR) {
    const yaml_parser_t *y = &p->yaml;
    return fail(p, line_at(p, y->problem_offset), NULL,
                "not text: %s (0x%02X, byte %zu); must be UTF-8 without control characters%s",
                y->problem, (unsigned)y->problem_value, y->problem_offset + p->mark,
                y->problem_value == 0x89 && y->problem_offset + p->mark == 0 /* HDF5 */
                    ? "; results are for casimir report"
                    : "");
  }
  if (p->yaml.error == YAML_SCANNER_ERROR || p->yaml.error == YAML_PARSER_ERROR)
    return bad_yaml(p);
  return cas_no_memory(p->err);
}

/* ---- what casimir refuses ---- */

static cas_status refuse_references(parsing *p, const yaml_event_t *e, const cas_node *n) {
  /* Structs of the union that begin alike: an anchor, and but for an alias a tag behind it. */
  const yaml_char_t *anchor = e->data.scalar.anchor,
                    *tag = e->type == YAML_ALIAS_EVENT ? NULL : e->data.scalar.tag;
  if (!anchor && !tag)
    return CAS_OK;
  char name[CAS_CONFIG_CLIP_SIZE];
  const char *mark = e->type == YAML_ALIAS_EVENT ? "*" : anchor ? "&" : "";
  cas_config_clip(name, sizeof name, CAS_CONFIG_CLIP, (const char *)(anchor ? anchor : tag));
  return fail(p, line_of(e->start_mark), n,
              "found '%s%s'; anchors, aliases and tags are not used here, write the value itself",
              mark, name);
}

static int by_key(const void *a, const void *b) {
  const cas_node *x = *(cas_node *const *)a, *y = *(cas_node *const *)b;
  int order = strcmp(x->key, y->key);
  return order ? order : x->key_line - y->key_line;
}

/* Sorted: comparing each key of a mapping of a megabyte with every other would take minutes. */
static cas_status refuse_duplicates(parsing *p, const cas_node *map) {
  CAS_OWNED cas_node **sorted = malloc(((size_t)map->n + 1) * sizeof *sorted);
  if (!sorted)
    return cas_no_memory(p->err);
  int n = 0;
  for (cas_node *child = map->first; child; child = child->next)
    sorted[n++] = child;
  qsort(sorted, (size_t)n, sizeof *sorted, by_key);
  for (int i = 1; i < n; i++)
    if (strcmp(sorted[i - 1]->key, sorted[i]->key) == 0)
      return fail(p, sorted[i]->key_line, sorted[i],
                  p->origin->has_lines ? "given twice, on lines %d and %d; must be given once"
                                       : "given twice; must be given once",
                  sorted[i - 1]->key_line, sorted[i]->key_line);
  return CAS_OK;
}

/* ---- the tree ---- */

static cas_status read_node(parsing *p, const yaml_event_t *e, int depth, cas_node *n);

/* The text of a key or a value, of which `at` is the mapping or the value. */
static cas_status copy_scalar(parsing *p, const yaml_event_t *e, const cas_node *at, char **out) {
  const char *value = (const char *)e->data.scalar.value;
  if (strlen(value) < e->data.scalar.length)
    return fail(p, line_of(e->start_mark), at, "found a NUL byte; text must have none");
  *out = strdup(value);
  return *out ? CAS_OK : cas_no_memory(p->err);
}

/* The byte of a mark, which has the number of its character; marks come one behind another. */
static const char *find_mark(parsing *p, yaml_mark_t mark) {
  const char *end = p->text + p->length;
  for (; p->character < mark.index && p->byte < end; p->character++)
    do
      p->byte++;
    while (p->byte < end && ((unsigned char)*p->byte & 0xC0) == 0x80);
  return p->byte;
}

/* Keeps how a text that is no number is written, for columns in messages. */
static cas_status copy_source(parsing *p, const yaml_event_t *e, cas_node *n) {
  const char *value = (const char *)e->data.scalar.value;
  if (!p->origin->has_lines || strspn(value, "0123456789+-.eE") == e->data.scalar.length)
    return CAS_OK;
  const char *first = find_mark(p, e->start_mark), *next = find_mark(p, e->end_mark);
  n->column = (int)e->start_mark.column + 1;
  n->source = strndup(first, (size_t)(next - first));
  return n->source ? CAS_OK : cas_no_memory(p->err);
}

/* The value of a key, or of the document, which has no key: its own event. */
static cas_status read_value(parsing *p, int depth, cas_node *n) {
  CAS_OWNED_BY(yaml_event_delete) yaml_event_t e;
  CAS_CALL(next_event(p, &e));
  n->line = line_of(e.start_mark);
  cas_status st = read_node(p, &e, depth, n);
  if (n->kind != CAS_NODE_TEXT && n->key)
    n->line = n->key_line;
  return st;
}

static cas_status read_key(parsing *p, const yaml_event_t *e, const cas_node *map, char **key) {
  CAS_CALL(refuse_references(p, e, map));
  if (e->type != YAML_SCALAR_EVENT || e->data.scalar.length == 0)
    return fail(p, line_of(e->start_mark), map, "found %s as a key, must be a name",
                e->type == YAML_SCALAR_EVENT           ? "nothing"
                : e->type == YAML_SEQUENCE_START_EVENT ? "a list"
                                                       : "a mapping");
  return copy_scalar(p, e, map, key);
}

/* The children of a list or a mapping, up to the event that ends it. */
static cas_status read_children(parsing *p, int depth, cas_node *n) {
  for (;;) {
    CAS_OWNED_BY(yaml_event_delete) yaml_event_t e;
    CAS_CALL(next_event(p, &e));
    if (e.type == YAML_SEQUENCE_END_EVENT || e.type == YAML_MAPPING_END_EVENT)
      return CAS_OK;
    cas_node *child = cas_node_add(n, line_of(e.start_mark));
    if (!child)
      return cas_no_memory(p->err);
    if (n->kind == CAS_NODE_MAP)
      CAS_CALL(read_key(p, &e, n, &child->key));
    CAS_CALL(n->kind == CAS_NODE_MAP ? read_value(p, depth, child)
                                     : read_node(p, &e, depth, child));
  }
}

static cas_status read_node(parsing *p, const yaml_event_t *e, int depth, cas_node *n) {
  CAS_CALL(refuse_references(p, e, n));
  if (e->type == YAML_SCALAR_EVENT) {
    n->plain = e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    CAS_CALL(copy_source(p, e, n));
    return copy_scalar(p, e, n, &n->text);
  }
  if (depth >= CAS_CONFIG_DEPTH)
    return fail(p, line_of(e->start_mark), n, "nested deeper than %d levels", CAS_CONFIG_DEPTH);
  n->kind = e->type == YAML_SEQUENCE_START_EVENT ? CAS_NODE_LIST : CAS_NODE_MAP;
  CAS_CALL(read_children(p, depth + 1, n));
  return n->kind == CAS_NODE_MAP ? refuse_duplicates(p, n) : CAS_OK;
}

/* ---- the document ---- */

/* Reads the next event and says whether it is of this type. */
static cas_status at_event(parsing *p, yaml_event_type_t type, bool *yes, int *line) {
  CAS_OWNED_BY(yaml_event_delete) yaml_event_t e;
  CAS_CALL(next_event(p, &e));
  *yes = e.type == type;
  *line = line_of(e.start_mark);
  return CAS_OK;
}

static cas_status read_document(parsing *p, int depth, cas_node *root) {
  bool yes;
  int line;
  CAS_CALL(at_event(p, YAML_STREAM_START_EVENT, &yes, &line));
  CAS_CALL(at_event(p, YAML_DOCUMENT_START_EVENT, &yes, &line));
  if (!yes) { /* no document at all: the value is nothing */
    root->plain = true;
    root->text = calloc(1, 1);
    return root->text ? CAS_OK : cas_no_memory(p->err);
  }
  CAS_CALL(read_value(p, depth, root));
  CAS_CALL(at_event(p, YAML_DOCUMENT_END_EVENT, &yes, &line));
  CAS_CALL(at_event(p, YAML_STREAM_END_EVENT, &yes, &line));
  return yes ? CAS_OK : fail(p, line, NULL, "a second document begins here; must be one document");
}

cas_status cas_node_parse(const char *text, size_t length, const cas_origin *origin,
                          const cas_node *up, int depth, cas_node **out, cas_error *err) {
  static const char byte_order_mark[] = "\xef\xbb\xbf"; /* of editors for Windows */
  size_t mark = length >= 3 && memcmp(text, byte_order_mark, 3) == 0 ? 3 : 0;
  parsing p = {.text = text + mark,
               .length = length - mark,
               .mark = mark,
               .byte = text + mark,
               .origin = origin,
               .err = err};
  *out = NULL;
  if (length > INT_MAX)
    return fail(&p, 1, up, "larger than 2 GB; large data belong in an HDF5 file");
  cas_node *root = cas_node_new(CAS_NODE_TEXT, origin);
  if (!root || !yaml_parser_initialize(&p.yaml)) {
    cas_node_free(root);
    return cas_no_memory(err);
  }
  root->up = up;
  yaml_parser_set_encoding(&p.yaml, YAML_UTF8_ENCODING);
  yaml_parser_set_input_string(&p.yaml, (const unsigned char *)p.text, p.length);
  cas_status st = read_document(&p, depth, root);
  yaml_parser_delete(&p.yaml);
  if (st)
    cas_node_free(root);
  else
    *out = root;
  return st;
}
