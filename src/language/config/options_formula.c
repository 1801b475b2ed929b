#include "language/config/config_impl.h"

#include <stdlib.h>
#include <string.h>

static void release_formulas(void *value) {
  cas_formulas *f = value;
  for (int i = 0; i < f->n; i++) {
    free(f->name[i]);
    free(f->text[i]);
    free(f->place[i]);
  }
  free(f->name);
  free(f->text);
  free(f->place);
  *f = (cas_formulas){0};
}

static bool grow(cas_formulas *f) {
  size_t size = ((size_t)f->n + 1) * sizeof(char *);
  char ***arrays[] = {&f->name, &f->text, &f->place};
  for (int i = 0; i < 3; i++) {
    char **larger = realloc(*arrays[i], size);
    if (!larger)
      return false;
    *arrays[i] = larger;
    larger[f->n] = NULL;
  }
  f->n++;
  return true;
}

/* text: NULL of a name alone; index: of an entry of a list, else -1 */
static cas_status add(cas_formulas *f, const char *name, const char *text, int index,
                      cas_error *err) {
  size_t size = strlen(name) + 16;
  CAS_NEED(grow(f));
  int i = f->n - 1;
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

static cas_status read_mapping(const cas_node *map, const cas_key_path *path, int index,
                               cas_formulas *f, cas_error *err) {
  for (const cas_node *n = map->first; n; n = n->next) {
    const cas_key_path at = {.up = path, .key = n->key};
    if (n->kind != CAS_NODE_TEXT || cas_node_is_null(n))
      return cas_node_refuse(err, n, &at, "must be an expression such as \"x1^2 + x2^2\"");
    CAS_CALL(add(f, n->key, n->text, index, err));
  }
  return CAS_OK;
}

static cas_status read_list(const cas_node *list, const cas_key_path *path, cas_formulas *f,
                            cas_error *err) {
  cas_key_path at = {.up = path};
  for (const cas_node *n = list->first; n; n = n->next, at.index++) {
    if (n->kind == CAS_NODE_LIST || cas_node_is_null(n))
      return cas_node_refuse(err, n, &at, "must be a name, or {name: expression}");
    CAS_CALL(n->kind == CAS_NODE_MAP ? read_mapping(n, &at, at.index, f, err)
                                     : add(f, n->text, NULL, at.index, err));
  }
  return CAS_OK;
}

static cas_status read_formulas(const cas_option *o CAS_UNUSED, const cas_node *n,
                                const cas_key_path *path, void *out, cas_error *err) {
  if (n->kind == CAS_NODE_TEXT)
    return cas_node_refuse(err, n, path,
                           "must be a list of names and expressions such as [energy, {sum: \"x1 + "
                           "x2\"}]");
  cas_status st =
      n->kind == CAS_NODE_MAP ? read_mapping(n, path, -1, out, err) : read_list(n, path, out, err);
  if (st)
    release_formulas(out);
  return st;
}

static bool is_mapping(const cas_formulas *f) {
  for (int i = 0; i < f->n; i++)
    if (!f->text[i] || f->place[i][0] == '[')
      return false;
  return true;
}

static void write_formulas(FILE *file, const cas_option *o CAS_UNUSED, const void *value) {
  const cas_formulas *f = value;
  bool mapping = is_mapping(f);
  fputc(mapping ? '{' : '[', file);
  for (int i = 0; i < f->n; i++) {
    bool one = f->text[i] && !mapping;
    fputs(i ? ", " : "", file);
    fputs(one ? "{" : "", file);
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
