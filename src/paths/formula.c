#include "paths/formula.h"
#include "config/keys.h"
#include "config/place.h"

#include <stdlib.h>
#include <string.h>

enum { CASIMIR_NAME = 20 };

/* The names that expressions of a problem may use, and what they are. */
typedef struct {
  cas_name_list variables, constants, expressions;
  cas_variable_source *source; /* of every variable */
  double *value;               /* of every constant */
  int *operation;              /* of every expression that the system names */
  int components, casimirs, values;
  char *text; /* of names that are made here */
  bool failed;
} scope;

/* ---- variables ---- */

static void add_variable(scope *s, const char *name, cas_variable_source source) {
  cas_variable_source *larger = realloc(s->source, ((size_t)s->variables.n + 1) * sizeof *larger);
  s->failed |= !larger;
  if (!larger)
    return;
  s->source = larger;
  s->source[s->variables.n] = source;
  cas_name_list_add(&s->variables, name);
}

/* The names of components stand in one text, blanks between them. */
static void add_components(scope *s, char *names) {
  char *rest;
  for (char *name = strtok_r(names, " ", &rest); name; name = strtok_r(NULL, " ", &rest))
    add_variable(s, name, (cas_variable_source){s->components++, -1, NULL});
}

static void add_casimirs(scope *s, int n, char *names) {
  for (int i = 0; i < n; i++) {
    int length = snprintf(names, CASIMIR_NAME, "casimir%d", i + 1);
    add_variable(s, names, (cas_variable_source){-1, i, NULL});
    names += length + 1;
  }
}

static void add_functionals(scope *s, const cas_problem *p, const cas_functional *list) {
  for (; list->name; list++)
    if (!list->axes && !(list->undefined && list->undefined(p->parameters)))
      add_variable(s, list->name, (cas_variable_source){-1, -1, list});
}

/* ---- constants ---- */

static void add_constant(scope *s, const char *name, double value) {
  double *larger = realloc(s->value, ((size_t)s->constants.n + 1) * sizeof *larger);
  s->failed |= !larger;
  if (!larger)
    return;
  s->value = larger;
  s->value[s->constants.n] = value;
  cas_name_list_add(&s->constants, name);
}

/* An optional number without a default is 0 where it is left out, and stands for nothing. */
static void add_option(scope *s, const cas_option *o, double value) {
  if (value != 0 || !o->fallback || *o->fallback)
    add_constant(s, o->key, value);
}

/* The options that are single numbers, by their keys. */
static void add_options(scope *s, const cas_option *table, const char *values) {
  for (cas_walk w = cas_walk_begin(table); w.option; cas_walk_next(&w)) {
    const char *value = values + w.offset;
    if (w.option->type == CAS_REAL)
      add_option(s, w.option, *(const double *)(const void *)value);
    else if (w.option->type == CAS_INT)
      add_option(s, w.option, (double)*(const int64_t *)(const void *)value);
    else if (w.option->type == CAS_SECTION)
      add_options(s, w.option->section, value);
  }
}

static void scope_free(scope *s) {
  cas_name_list_free(&s->variables);
  cas_name_list_free(&s->constants);
  cas_name_list_free(&s->expressions);
  free(s->source);
  free(s->value);
  free(s->operation);
  free(s->text);
}

static cas_status scope_of(const cas_problem *p, scope *s, cas_error *err) {
  const char *components = p->system->components(p->parameters);
  size_t length = strlen(components) + 1;
  const cas_algebra *a = p->geometry.algebra;
  int casimirs = a->casimirs ? a->casimirs(&p->geometry) : 0;
  *s = (scope){.text = malloc(length + (size_t)casimirs * CASIMIR_NAME)};
  if (!s->text)
    return cas_no_memory(err);
  memcpy(s->text, components, length);
  add_components(s, s->text);
  add_casimirs(s, casimirs, s->text + length);
  s->casimirs = casimirs;
  add_functionals(s, p, p->system->observables);
  add_functionals(s, p, p->system->functionals);
  if (p->system->constants)
    for (int i = 0; i < p->system->constants(p->parameters)->n; i++)
      add_constant(s, p->system->constants(p->parameters)->name[i],
                   p->system->constants(p->parameters)->value[i]);
  add_options(s, p->system->options, p->parameters);
  CAS_CALL(cas_name_list_check(&s->variables, err));
  CAS_CALL(cas_name_list_check(&s->constants, err));
  return s->failed ? cas_no_memory(err) : CAS_OK;
}

bool cas_formula_knows(const cas_problem *p, const char *name) {
  scope s;
  cas_error ignored = {0};
  bool known = false;
  if (!scope_of(p, &s, &ignored))
    for (int i = 0; i < s.components + s.casimirs && !known; i++)
      known = strcmp(s.variables.name[i], name) == 0;
  scope_free(&s);
  return known;
}

cas_status cas_formula_names(const cas_problem *p, cas_name_list *names, char **text,
                             cas_error *err) {
  scope s;
  cas_status st = scope_of(p, &s, err);
  for (int i = 0; !st && i < s.components + s.casimirs; i++)
    cas_name_list_add(names, s.variables.name[i]);
  *text = s.text;
  s.text = NULL;
  scope_free(&s);
  return st ? st : cas_name_list_check(names, err);
}

/* ---- compiling ---- */

static cas_scope names_of(const scope *s) {
  return (cas_scope){.variable = s->variables.name,
                     .constant = s->constants.name,
                     .value = s->value,
                     .expression = s->expressions.name,
                     .operation = s->operation};
}

/* Reads the expressions that the system names into the list, for others to use: all, or those above
   `text` where that is one of them. */
static cas_status read_named(const cas_config *c, const cas_problem *p, const char *text, scope *s,
                             cas_operations *l, cas_error *err) {
  const cas_formulas *f = p->system->formulas ? p->system->formulas(p->parameters) : NULL;
  cas_complaint e;
  s->operation = calloc((size_t)(f ? f->n : 0) + 1, sizeof *s->operation);
  if (!s->operation)
    return cas_no_memory(err);
  for (int i = 0; f && i < f->n && f->text[i] != text; i++) {
    const cas_scope names = names_of(s);
    if (!cas_expression_read(f->text[i], &names, l, &s->operation[i], &e))
      return cas_config_fail(c, err, "system.observables", "%s: %s", f->name[i], e.text);
    cas_name_list_add(&s->expressions, f->name[i]);
  }
  return cas_name_list_check(&s->expressions, err);
}

static int lanes_of(const cas_problem *p) {
  return p->W < CAS_NUMBER_LANES ? CAS_NUMBER_LANES : p->W;
}

/* Gives every variable that operation `root` needs a row. */
static bool find_rows(const cas_operations *l, int root, const scope *s, cas_formula *f,
                      cas_source *source) {
  bool *needed = calloc((size_t)root + 1, sizeof *needed);
  f->variable = calloc((size_t)l->n + 1, sizeof *f->variable);
  if (needed)
    needed[root] = true;
  for (int i = root; needed && f->variable && i >= 0; i--) {
    const cas_operation *o = &l->operation[i];
    if (!needed[i] || o->operator_ == CAS_OP_NUMBER)
      continue;
    if (o->operator_ == CAS_OP_VARIABLE) {
      source[i] = (cas_source){CAS_IN_FIRST, f->variables};
      f->variable[f->variables++] = s->source[o->a];
      continue;
    }
    needed[o->a] = true;
    needed[cas_is_unary((cas_operator)o->operator_) ? o->a : o->b] = true;
  }
  bool found = needed && f->variable;
  free(needed);
  return found;
}

static bool make(const cas_problem *p, const scope *s, const cas_operations *l, int root,
                 cas_formula *f) {
  const int lanes = lanes_of(p);
  const int stride[CAS_ARRAYS] = {CAS_NUMBER_LANES, CAS_NUMBER_LANES, lanes, lanes, lanes};
  cas_source *source = calloc((size_t)l->n + 1, sizeof *source);
  bool made = source && find_rows(l, root, s, f, source) &&
              cas_program_make(l, 1, &root, source, stride, &f->program);
  free(source);
  if (!made)
    return false;
  f->rows = aligned_alloc(64, ((size_t)f->variables + 1) * (size_t)lanes * sizeof *f->rows);
  f->casimirs = calloc((size_t)s->casimirs * (size_t)p->W + 1, sizeof *f->casimirs);
  return f->rows && f->casimirs;
}

cas_status cas_formula_create(const cas_config *c, const char *path, const char *text,
                              const cas_problem *p, cas_formula *f, cas_error *err) {
  scope s;
  cas_operations list = {0};
  cas_complaint e;
  int root;
  *f = (cas_formula){0};
  cas_status st = scope_of(p, &s, err);
  if (!st)
    st = read_named(c, p, text, &s, &list, err);
  const cas_scope names = names_of(&s);
  if (!st && !cas_expression_read(text, &names, &list, &root, &e))
    st = cas_config_fail_at(c, err, path, e.at, "%s", e.text);
  if (!st && !make(p, &s, &list, root, f))
    st = cas_no_memory(err);
  cas_operations_free(&list);
  scope_free(&s);
  return st;
}

void cas_formula_free(cas_formula *f) {
  cas_program_free(&f->program);
  free(f->variable);
  free(f->rows);
  free(f->casimirs);
  *f = (cas_formula){0};
}

/* ---- use ---- */

/* Fills a row; of a block of one path every lane with the same number. */
static void fill(const cas_formula *f, const cas_problem *p, const cas_variable_source *v,
                 const double *x, double *row) {
  const double *from = v->component >= 0 ? x + (size_t)v->component * (size_t)p->W
                       : v->casimir >= 0 ? f->casimirs + (size_t)v->casimir * (size_t)p->W
                                         : row;
  if (v->functional)
    v->functional->value(p->parameters, p->W, x, row);
  for (int l = 0; l < lanes_of(p); l++)
    row[l] = from[p->W == 1 ? 0 : l];
}

void cas_formula_evaluate(const cas_formula *f, const cas_problem *p, const double *x,
                          double *out) {
  const int lanes = lanes_of(p);
  double *result = f->rows + f->variables * lanes;
  bool casimirs = false;
  for (int i = 0; i < f->variables; i++)
    casimirs |= f->variable[i].casimir >= 0;
  if (casimirs)
    p->geometry.algebra->casimir(&p->geometry, p->W, x, f->casimirs);
  for (int i = 0; i < f->variables; i++)
    fill(f, p, &f->variable[i], x, f->rows + i * lanes);
  p->kernels->run(&f->program, lanes, f->rows, result);
  memcpy(out, result, (size_t)p->W * sizeof *out);
}
