#include "config/config_impl.h"

#include <stdlib.h>

static void write_numbers(FILE *f, int n, const double *value) {
  fputc('[', f);
  for (int i = 0; i < n; i++) {
    fputs(i ? ", " : "", f);
    cas_type_write_real(f, value[i]);
  }
  fputc(']', f);
}

/* The entries of a list of numbers, into value[0 .. list->n). */
static cas_status read_numbers(const cas_option *o, const cas_node *list, const cas_key_path *path,
                               double *value, cas_error *err) {
  cas_key_path at = {.up = path};
  for (const cas_node *n = list->first; n; n = n->next, at.index++) {
    CAS_CALL(cas_type_read_real(o, n, &at, value + at.index, err));
  }
  return CAS_OK;
}

/* ---- integers ---- */

static cas_status read_ints(const cas_option *o, const cas_node *n, const cas_key_path *path,
                            void *out, cas_error *err) {
  bool list = n->kind == CAS_NODE_LIST;
  const cas_node *entry = list ? n->first : n;
  cas_ints v = {.n = list ? n->n : 1};
  if (v.n == 0)
    return CAS_OK;
  v.value = malloc((size_t)v.n * sizeof *v.value);
  if (!v.value)
    return cas_no_memory(err);
  cas_key_path at = {.up = path};
  cas_status st = CAS_OK;
  for (; at.index < v.n && !st; at.index++, entry = entry->next)
    st = cas_type_int.read(o, entry, list ? &at : path, v.value + at.index, err);
  if (st)
    free(v.value);
  else
    *(cas_ints *)out = v;
  return st;
}

static void write_ints(FILE *f, const cas_option *o, const void *value) {
  const cas_ints *v = value;
  fputs(v->n == 1 ? "" : "[", f);
  for (int i = 0; i < v->n; i++) {
    fputs(i ? ", " : "", f);
    cas_type_int.write(f, o, v->value + i);
  }
  fputs(v->n == 1 ? "" : "]", f);
}

static void release_ints(void *value) {
  cas_ints *v = value;
  free(v->value);
  *v = (cas_ints){0};
}

const cas_type cas_type_ints = {.size = sizeof(cas_ints),
                                .presence = sizeof(int),
                                .name = "integer or list of them",
                                .read = read_ints,
                                .write = write_ints,
                                .release = release_ints};

/* ---- reals ---- */

static cas_status read_reals(const cas_option *o, const cas_node *n, const cas_key_path *path,
                             void *out, cas_error *err) {
  if (n->kind != CAS_NODE_LIST)
    return cas_node_refuse(err, n, path, "must be a list of numbers such as [1, 0.5]");
  if (n->n == 0)
    return CAS_OK;
  double *value = malloc((size_t)n->n * sizeof *value);
  if (!value)
    return cas_no_memory(err);
  cas_status st = read_numbers(o, n, path, value, err);
  if (st)
    free(value);
  else
    *(cas_reals *)out = (cas_reals){n->n, value};
  return st;
}

static void write_reals(FILE *f, const cas_option *o CAS_UNUSED, const void *value) {
  const cas_reals *r = value;
  write_numbers(f, r->n, r->value);
}

static void release_reals(void *value) {
  cas_reals *r = value;
  free(r->value);
  *r = (cas_reals){0};
}

const cas_type cas_type_reals = {.size = sizeof(cas_reals),
                                 .presence = sizeof(int),
                                 .name = "list of reals",
                                 .read = read_reals,
                                 .write = write_reals,
                                 .release = release_reals};

/* ---- reals, or reals below a key ---- */

static cas_status read_reals_or_key(const cas_option *o, const cas_node *n,
                                    const cas_key_path *path, void *out, cas_error *err) {
  cas_reals_or_key *r = out;
  char complaint[120];
  if (n->kind == CAS_NODE_LIST)
    return read_reals(o, n, path, &r->values, err);
  if (n->kind != CAS_NODE_MAP) {
    snprintf(complaint, sizeof complaint,
             "must be a list of numbers such as [1, 0.5], or {%s: [1, 0.5]}", o->section->key);
    return cas_node_refuse(err, n, path, complaint);
  }
  cas_status st = cas_option_table_read(o->section, NULL, n, path, &r->values, err);
  if (!st && r->values.n == 0) {
    const cas_key_path at = {.up = path, .key = o->section->key};
    return cas_node_refuse(err, n->first, &at, "without numbers; must be a list such as [1, 0.5]");
  }
  r->by_key = !st;
  return st;
}

static void write_reals_or_key(FILE *f, const cas_option *o, const void *value) {
  const cas_reals_or_key *r = value;
  if (r->by_key)
    fprintf(f, "{%s: ", o->section->key);
  write_reals(f, o, &r->values);
  fputs(r->by_key ? "}" : "", f);
}

static void release_reals_or_key(void *value) {
  cas_reals_or_key *r = value;
  release_reals(&r->values);
  r->by_key = false;
}

const cas_type cas_type_reals_or_key = {.size = sizeof(cas_reals_or_key),
                                        .presence = sizeof(int),
                                        .name = "mapping or list of reals",
                                        .read = read_reals_or_key,
                                        .write = write_reals_or_key,
                                        .release = release_reals_or_key};

/* ---- vectors ---- */

static cas_status read_rows(const cas_option *o, const cas_node *list, const cas_key_path *path,
                            cas_vectors *v, cas_error *err) {
  cas_key_path at = {.up = path};
  for (const cas_node *row = list->first; row; row = row->next, at.index++) {
    if (row->kind != CAS_NODE_LIST || row->n == 0)
      return cas_node_refuse(err, row, &at,
                             row->kind == CAS_NODE_LIST
                                 ? "without numbers; must be a list such as [1, 0, 0]"
                                 : "must be a list of numbers such as [1, 0, 0]");
    if (row->n != list->first->n)
      return cas_node_fail(err, row, &at, "found %d numbers, must be %d as in the first list",
                           row->n, list->first->n);
    if (!v->value)
      v->value = malloc((size_t)v->rows * (size_t)v->columns * sizeof *v->value);
    if (!v->value)
      return cas_no_memory(err);
    CAS_CALL(read_numbers(o, row, &at, v->value + (size_t)at.index * (size_t)v->columns, err));
  }
  return CAS_OK;
}

static cas_status read_vectors(const cas_option *o, const cas_node *n, const cas_key_path *path,
                               void *out, cas_error *err) {
  if (n->kind != CAS_NODE_LIST)
    return cas_node_refuse(err, n, path, "must be a list of lists such as [[1, 0], [0, 1]]");
  if (n->n == 0)
    return CAS_OK;
  cas_vectors v = {.rows = n->n, .columns = n->first->n};
  cas_status st = read_rows(o, n, path, &v, err);
  if (st)
    free(v.value);
  else
    *(cas_vectors *)out = v;
  return st;
}

static void write_vectors(FILE *f, const cas_option *o CAS_UNUSED, const void *value) {
  const cas_vectors *v = value;
  fputc('[', f);
  for (int i = 0; i < v->rows; i++) {
    fputs(i ? ", " : "", f);
    write_numbers(f, v->columns, v->value + (size_t)i * (size_t)v->columns);
  }
  fputc(']', f);
}

static void release_vectors(void *value) {
  cas_vectors *v = value;
  free(v->value);
  *v = (cas_vectors){0};
}

const cas_type cas_type_vectors = {.size = sizeof(cas_vectors),
                                   .presence = sizeof(int),
                                   .name = "list of lists of reals",
                                   .read = read_vectors,
                                   .write = write_vectors,
                                   .release = release_vectors};

/* ---- strings ---- */

static void release_strings(void *value) {
  cas_strings *s = value;
  for (int i = 0; i < s->n; i++)
    free(s->value[i]);
  free(s->value);
  *s = (cas_strings){0};
}

static cas_status read_strings(const cas_option *o, const cas_node *n, const cas_key_path *path,
                               void *out, cas_error *err) {
  if (n->kind != CAS_NODE_LIST)
    return cas_node_refuse(err, n, path, "must be a list of texts such as [energy, x1]");
  if (n->n == 0)
    return CAS_OK;
  cas_strings *s = out;
  s->value = calloc((size_t)n->n, sizeof *s->value);
  if (!s->value)
    return cas_no_memory(err);
  s->n = n->n;
  cas_key_path at = {.up = path};
  cas_status st = CAS_OK;
  for (const cas_node *item = n->first; item && !st; item = item->next, at.index++)
    st = cas_type_string.read(o, item, &at, &s->value[at.index], err);
  if (st)
    release_strings(s);
  return st;
}

static void write_strings(FILE *f, const cas_option *o CAS_UNUSED, const void *value) {
  const cas_strings *s = value;
  fputc('[', f);
  for (int i = 0; i < s->n; i++) {
    fputs(i ? ", " : "", f);
    cas_type_write_text(f, s->value[i]);
  }
  fputc(']', f);
}

const cas_type cas_type_strings = {.size = sizeof(cas_strings),
                                   .presence = sizeof(int),
                                   .name = "list of texts",
                                   .read = read_strings,
                                   .write = write_strings,
                                   .release = release_strings};
