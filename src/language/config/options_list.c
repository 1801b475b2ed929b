#include "language/config/config_impl.h"

/* ---- lists of one type: cas_ints, cas_reals, cas_strings ---- */

typedef struct {
  int n;
  void *value;
} list;

_Static_assert(sizeof(list) == sizeof(cas_ints) && sizeof(list) == sizeof(cas_reals) &&
                   sizeof(list) == sizeof(cas_strings),
               "lists are laid out alike");

static void *entry(const cas_type *element, const list *l, int i) {
  return (char *)l->value + (size_t)i * element->size;
}

static void release_entries(const cas_type *element, list *l) {
  for (int i = 0; element->release && i < l->n; i++)
    element->release(entry(element, l, i));
  free(l->value);
}

static void write_entries(FILE *f, const cas_option *o, const cas_type *element, const list *l) {
  fputc('[', f);
  for (int i = 0; i < l->n; i++) {
    fputs(i ? ", " : "", f);
    element->write(f, o, entry(element, l, i));
  }
  fputc(']', f);
}

static cas_status read_list(const cas_option *o, const cas_node *n, void *out, cas_error *err) {
  const cas_type *t = cas_type_of(o->type);
  const bool alone = n->kind != CAS_NODE_LIST;
  if (alone && t->form)
    return cas_node_refuse(err, n, t->form);
  list l = {.n = alone ? 1 : n->n};
  if (l.n == 0)
    return CAS_OK;
  l.value = calloc((size_t)l.n, t->element->size);
  CAS_NEED(l.value);
  cas_status st = alone ? t->element->read(o, n, l.value, err) : CAS_OK;
  for (const cas_node *child = alone ? NULL : n->first; child && !st; child = child->next)
    st = t->element->read(o, child, entry(t->element, &l, child->index), err);
  if (st)
    release_entries(t->element, &l);
  else
    memcpy(out, &l, sizeof l);
  return st;
}

static void write_list(FILE *f, const cas_option *o, const void *value) {
  const cas_type *t = cas_type_of(o->type);
  list l;
  memcpy(&l, value, sizeof l);
  if (l.n == 1 && !t->form)
    t->element->write(f, o, l.value);
  else
    write_entries(f, o, t->element, &l);
}

static void release_of(const cas_type *element, void *value) {
  list l;
  memcpy(&l, value, sizeof l);
  release_entries(element, &l);
  memset(value, 0, sizeof l);
}

static void release_list(void *value) { release_of(&cas_type_real, value); }
static void release_strings(void *value) { release_of(&cas_type_string, value); }

CAS_CONFIG_TYPE(ints, cas_ints, int, "integer or list of them", read_list, write_list,
                .release = release_list, .element = &cas_type_int)

CAS_CONFIG_TYPE(reals, cas_reals, int, "list of reals", read_list, write_list,
                .release = release_list, .element = &cas_type_real,
                .form = "must be a list of numbers such as [1, 0.5]")

CAS_CONFIG_TYPE(strings, cas_strings, int, "list of texts", read_list, write_list,
                .release = release_strings, .element = &cas_type_string,
                .form = "must be a list of texts such as [energy, x1]")

/* ---- reals, or reals below a key ---- */

static cas_status read_reals_or_key(const cas_option *o, const cas_node *n, void *out,
                                    cas_error *err) {
  cas_reals_or_key *r = out;
  char complaint[120];
  if (n->kind == CAS_NODE_LIST) {
    cas_option reals = *o;
    reals.type = CAS_REALS;
    return read_list(&reals, n, &r->values, err);
  }
  if (n->kind != CAS_NODE_MAP) {
    snprintf(complaint, sizeof complaint,
             "must be a list of numbers such as [1, 0.5], or {%s: [1, 0.5]}", o->section->key);
    return cas_node_refuse(err, n, complaint);
  }
  cas_status st = cas_option_table_read(o->section, NULL, n, &r->values, err);
  if (!st && r->values.n == 0)
    return cas_node_refuse(err, n->first, "without numbers; must be a list such as [1, 0.5]");
  r->by_key = !st;
  return st;
}

static void write_reals_or_key(FILE *f, const cas_option *o, const void *value) {
  const cas_reals_or_key *r = value;
  if (r->by_key)
    fprintf(f, "{%s: ", o->section->key);
  write_list(f, o->section, &r->values);
  fputs(r->by_key ? "}" : "", f);
}

CAS_CONFIG_TYPE(reals_or_key, cas_reals_or_key, int, "mapping or list of reals", read_reals_or_key,
                write_reals_or_key, .release = release_list)

/* ---- arrays: lists in lists, as regular as the first of them ---- */

static cas_status check_list(const cas_type_array *a, const cas_node *n, int level,
                             cas_error *err) {
  if (level == CAS_TYPE_NESTING)
    return cas_node_fail(err, n, "lists nested deeper than %d", CAS_TYPE_NESTING);
  if (n->n == 0)
    return cas_node_refuse(err, n, "without numbers; must be a list such as [1, 0, 0]");
  if (level == a->depth)
    return cas_node_refuse(err, n, "must be a number like those before it");
  if (n->n != a->length[level])
    return cas_node_fail(err, n, "found %d entries, must be %d as in the first list", n->n,
                         a->length[level]);
  return CAS_OK;
}

static cas_status read_level(cas_type_array *a, const cas_node *n, int level, cas_error *err) {
  if (n->kind == CAS_NODE_LIST)
    CAS_CALL(check_list(a, n, level, err));
  else if (level != a->depth)
    return cas_node_refuse(err, n, "must be a list of numbers such as [1, 0, 0]");
  else
    return cas_type_real.read(a->option, n, &a->value[a->n++], err);
  for (const cas_node *child = n->first; child; child = child->next)
    CAS_CALL(read_level(a, child, level + 1, err));
  return CAS_OK;
}

cas_status cas_type_read_array(const cas_node *n, cas_type_array *a, cas_error *err) {
  size_t numbers = 1;
  for (int level = 0; level < a->depth; level++)
    numbers *= (size_t)a->length[level];
  a->value = malloc((numbers + 1) * sizeof *a->value);
  CAS_NEED(a->value);
  cas_status st = read_level(a, n, 0, err);
  if (st)
    free(a->value);
  return st;
}

static cas_status read_vectors(const cas_option *o, const cas_node *n, void *out, cas_error *err) {
  if (n->kind != CAS_NODE_LIST)
    return cas_node_refuse(err, n, "must be a list of lists such as [[1, 0], [0, 1]]");
  if (n->n == 0)
    return CAS_OK;
  cas_type_array a = {.option = o, .depth = 2, .length = {n->n, n->first->n}};
  CAS_CALL(cas_type_read_array(n, &a, err));
  *(cas_vectors *)out = (cas_vectors){a.length[0], a.length[1], a.value};
  return CAS_OK;
}

static void write_vectors(FILE *f, const cas_option *o, const void *value) {
  const cas_vectors *v = value;
  fputc('[', f);
  for (int i = 0; i < v->rows; i++) {
    const list row = {v->columns, v->value + (size_t)i * (size_t)v->columns};
    fputs(i ? ", " : "", f);
    write_entries(f, o, &cas_type_real, &row);
  }
  fputc(']', f);
}

static void release_vectors(void *value) {
  cas_vectors *v = value;
  free(v->value);
  *v = (cas_vectors){0};
}

CAS_CONFIG_TYPE(vectors, cas_vectors, int, "list of lists of reals", read_vectors, write_vectors,
                .release = release_vectors)

/* ---- names and expressions ---- */

static void release_formulas(void *value) {
  cas_formulas *f = value;
  char **arrays[] = {f->name, f->text, f->place};
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < f->n; i++)
      free(arrays[k][i]);
    free(arrays[k]);
  }
  *f = (cas_formulas){0};
}

/* text: NULL of a name alone; index: of an entry of a list, else -1 */
static cas_status add_formula(cas_formulas *f, const char *name, const char *text, int index,
                              cas_error *err) {
  char ***arrays[] = {&f->name, &f->text, &f->place};
  const size_t size = strlen(name) + 16;
  const int i = f->n;
  for (int k = 0; k < 3; k++)
    CAS_NEED(cas_owned_resize(arrays[k], i + 1, sizeof(char *)));
  f->n++;
  f->name[i] = strdup(name);
  f->text[i] = text ? strdup(text) : NULL;
  f->place[i] = calloc(size, 1);
  if (!f->name[i] || (text && !f->text[i]) || !f->place[i])
    return cas_no_memory(err);
  if (index >= 0)
    snprintf(f->place[i], size, "[%d]", index);
  if (text)
    cas_append(f->place[i], size, ".%s", name);
  return CAS_OK;
}

static cas_status read_mapping(const cas_node *map, int index, cas_formulas *f, cas_error *err) {
  for (const cas_node *n = map->first; n; n = n->next) {
    if (n->kind != CAS_NODE_TEXT || cas_node_is_null(n))
      return cas_node_refuse(err, n, "must be an expression such as \"x1^2 + x2^2\"");
    CAS_CALL(add_formula(f, n->key, n->text, index, err));
  }
  return CAS_OK;
}

static cas_status read_formulas(const cas_option *o CAS_UNUSED, const cas_node *n, void *out,
                                cas_error *err) {
  if (n->kind == CAS_NODE_TEXT)
    return cas_node_refuse(err, n,
                           "must be a list of names and expressions such as [energy, {sum: \"x1 + "
                           "x2\"}]");
  cas_status st = n->kind == CAS_NODE_MAP ? read_mapping(n, -1, out, err) : CAS_OK;
  for (const cas_node *e = n->kind == CAS_NODE_LIST ? n->first : NULL; e && !st; e = e->next) {
    if (e->kind == CAS_NODE_LIST || cas_node_is_null(e))
      st = cas_node_refuse(err, e, "must be a name, or {name: expression}");
    else if (e->kind == CAS_NODE_MAP)
      st = read_mapping(e, e->index, out, err);
    else
      st = add_formula(out, e->text, NULL, e->index, err);
  }
  if (st)
    release_formulas(out);
  return st;
}

static void write_formulas(FILE *file, const cas_option *o CAS_UNUSED, const void *value) {
  const cas_formulas *f = value;
  bool mapping = true;
  for (int i = 0; i < f->n; i++)
    mapping &= f->text[i] && f->place[i][0] != '[';
  fputc(mapping ? '{' : '[', file);
  for (int i = 0; i < f->n; i++) {
    bool one = f->text[i] && !mapping;
    fprintf(file, "%s%s", i ? ", " : "", one ? "{" : "");
    cas_type_write_text(file, f->name[i]);
    if (f->text[i]) {
      fputs(": ", file);
      cas_type_write_text(file, f->text[i]);
    }
    fputs(one ? "}" : "", file);
  }
  fputc(mapping ? '}' : ']', file);
}

CAS_CONFIG_TYPE(formulas, cas_formulas, int, "list of names and {name: expression}", read_formulas,
                write_formulas, .release = release_formulas)
