#include "base/text.h"
#include "language/config/config_impl.h"
#include "language/config/uncertain.h"

/* ---- what is left out ---- */

size_t cas_option_extent(const cas_option *o) {
  size_t end = 0;
  if (o->type != CAS_SECTION)
    return cas_type_of(o->type)->size;
  for (cas_walk w = cas_walk_begin(o->section); w.option; cas_walk_next(&w)) {
    const size_t last = w.offset + cas_option_extent(w.option);
    end = last > end ? last : end;
  }
  return end;
}

static char *text_of(const cas_option *table, const void *values) {
  char *text = NULL;
  size_t size;
  FILE *f = open_memstream(&text, &size);
  if (!f)
    return NULL;
  cas_options_write(f, 0, table, values);
  return cas_text_close(f, &text);
}

char *cas_table_text(const cas_option *table, const cas_node *map) {
  cas_error err = {0};
  const cas_option whole = {.type = CAS_SECTION, .section = table};
  CAS_OWNED void *values = calloc(1, cas_option_extent(&whole) + 1);
  const bool read = values && !(map ? cas_option_table_read(table, NULL, map, values, &err)
                                    : cas_option_table_absent(table, NULL, values, &err));
  char *text = read ? text_of(table, values) : NULL;
  if (values)
    cas_options_free(table, values);
  return text;
}

bool cas_type_is_absent(cas_option_type type, const void *value) {
  const char *bytes = value;
  size_t n = cas_type_of(type)->presence;
  while (n > 0 && bytes[n - 1] == 0)
    n--;
  return n == 0;
}

/* Where the values come from: what a configuration gives in place of some of them. */
typedef struct {
  const cas_uncertain *uncertain; /* NULL: nothing, and map is NULL */
  const cas_node *map;            /* of the section, or NULL */
} source;

/* The value of an option in the configuration that was given, if it has uncertain numbers. */
static const cas_node *given(const source *s, const cas_option *o) {
  const cas_node *n = s->map ? cas_node_find(s->map, o->key, strlen(o->key)) : NULL;
  for (int i = 0; n && i < s->uncertain->values; i++)
    for (const cas_node *at = s->uncertain->value[i].node->original; at; at = at->up)
      if (at == n)
        return n;
  return NULL;
}

static bool is_absent(const source *s, const cas_option *o, const void *value) {
  if (given(s, o))
    return false;
  bool optional = o->fallback && !*o->fallback;
  if (o->type == CAS_SECTION) { /* left out, the whole section would have these very values */
    CAS_OWNED char *a = optional ? cas_table_text(o->section, NULL) : NULL;
    CAS_OWNED char *b = optional ? text_of(o->section, value) : NULL;
    return a && b && strcmp(a, b) == 0;
  }
  bool cannot_be_written = o->type == CAS_STRING || o->type == CAS_STATE;
  return (optional || cannot_be_written) && cas_type_is_absent(o->type, value);
}

/* ---- uncertain values, as they were given ---- */

/* The uncertain value that stands in the configuration that was given as this node, or NULL. */
static const cas_uncertain_value *find_given(const cas_uncertain *u, const cas_node *n) {
  for (int i = 0; i < u->values; i++)
    if (u->value[i].node->original == n)
      return &u->value[i];
  return NULL;
}

static void write_node(FILE *f, const cas_uncertain *u, const cas_node *n) {
  const cas_uncertain_value *v = find_given(u, n);
  double number;
  if (v) {
    const char *key = cas_uncertain_laws[v->law];
    fprintf(f, "{%s: ", key);
    if (v->law == CAS_UNCERTAIN_FILE) {
      cas_type_write_text(f, v->from.source.file);
      fputs(", dataset: ", f);
      cas_type_write_text(f, v->from.source.dataset);
      if (v->from.row != CAS_UNCERTAIN_ROW_OWN)
        fprintf(f, ", row: %s", cas_uncertain_row_names[v->from.row]);
      fprintf(f, ", hash: \"%s\"", v->from.source.hash);
    } else {
      write_node(f, u, cas_node_find(n, key, strlen(key)));
    }
    fputs(", each: path}", f);
  } else if (n->kind == CAS_NODE_TEXT && n->plain && !cas_number_parse_real(n->text, &number)) {
    cas_type_write_real(f, number);
  } else if (n->kind == CAS_NODE_TEXT) {
    cas_type_write_text(f, n->text);
  } else {
    fputc(n->kind == CAS_NODE_LIST ? '[' : '{', f);
    for (const cas_node *child = n->first; child; child = child->next) {
      fputs(child == n->first ? "" : ", ", f);
      if (child->key) {
        cas_type_write_text(f, child->key);
        fputs(": ", f);
      }
      write_node(f, u, child);
    }
    fputc(n->kind == CAS_NODE_LIST ? ']' : '}', f);
  }
}

/* ---- writing ---- */

static bool is_empty(const source *s, const cas_option *table, const void *values) {
  for (cas_walk w = cas_walk_begin(table); w.option; cas_walk_next(&w))
    if (!is_absent(s, w.option, (const char *)values + w.offset))
      return false;
  return true;
}

/* The option that stands for the section, if it is the only one that has a value. */
static cas_walk find_alone(const source *s, const cas_option *o, const void *values) {
  cas_walk found = {0};
  for (cas_walk w = cas_walk_begin(o->section); o->alone && w.option; cas_walk_next(&w))
    if (strcmp(w.option->key, o->alone) == 0)
      found = w;
    else if (!is_absent(s, w.option, (const char *)values + w.offset))
      return (cas_walk){0};
  return found;
}

static void write_value(FILE *f, int indent, const char *key, const source *s, const cas_option *o,
                        const char *value) {
  const cas_node *n = given(s, o);
  fprintf(f, "%*s%s: ", indent, "", key);
  if (n)
    write_node(f, s->uncertain, n);
  else
    cas_type_of(o->type)->write(f, o, value);
  fputc('\n', f);
}

static void write_table(FILE *f, int indent, const source *s, const cas_option *table,
                        const void *values);

static void write_section(FILE *f, int indent, const source *s, const cas_option *o,
                          const char *values) {
  const source inner = {s->uncertain, given(s, o)};
  if (inner.map && (inner.map->kind != CAS_NODE_MAP || find_given(s->uncertain, inner.map))) {
    write_value(f, indent, o->key, s, o, NULL);
    return;
  }
  const cas_walk alone = find_alone(&inner, o, values);
  if (is_empty(&inner, o->section, values)) {
    fprintf(f, "%*s%s: {}\n", indent, "", o->key);
  } else if (alone.option) {
    write_value(f, indent, o->key, &inner, alone.option, values + alone.offset);
  } else {
    fprintf(f, "%*s%s:\n", indent, "", o->key);
    write_table(f, indent + 2, &inner, o->section, values);
  }
}

static void write_table(FILE *f, int indent, const source *s, const cas_option *table,
                        const void *values) {
  for (cas_walk w = cas_walk_begin(table); w.option; cas_walk_next(&w)) {
    const char *value = (const char *)values + w.offset;
    if (is_absent(s, w.option, value))
      continue;
    if (w.option->type == CAS_SECTION)
      write_section(f, indent, s, w.option, value);
    else
      write_value(f, indent, w.option->key, s, w.option, value);
  }
}

void cas_options_write(FILE *f, int indent, const cas_option *table, const void *values) {
  CAS_LOCALE_OF_C;
  write_table(f, indent, &(source){0}, table, values);
}

void cas_uncertain_write(FILE *f, int indent, const char *section, const cas_option *table,
                         const void *values, const cas_uncertain *u) {
  CAS_LOCALE_OF_C;
  const cas_node *nearest;
  const source s = {u, u ? cas_config_find(u->given, section, &nearest) : NULL};
  write_table(f, indent, &s, table, values);
}
