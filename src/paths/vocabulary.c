#include "paths/vocabulary.h"
#include "base/owned.h"
#include "language/config/keys.h"

/* ---- variables ---- */

static bool add_source(cas_vocabulary *n, cas_variable_source source) {
  const bool room = cas_owned_resize(&n->source, n->sources + 1, sizeof source);
  n->failed |= !room;
  if (room)
    n->source[n->sources++] = source;
  return room;
}

static void add_variable(cas_vocabulary *n, const char *name, cas_variable_source source) {
  if (add_source(n, source))
    cas_name_list_add(&n->variables, name);
}

/* Whether states in files are lists of real numbers with a name each. */
static bool has_names(const cas_problem *p) {
  cas_array state;
  size_t words = 0;
  cas_problem_state_shape(p, &state);
  for (const char *names = p->names; *names; words++) {
    names += strcspn(names, " ");
    names += strspn(names, " ");
  }
  return !state.is_complex && words == cas_array_doubles(&state);
}

/* A name of this vocabulary's own, borrowed; NULL without memory. */
static const char *own_name(cas_vocabulary *n, const char *text, size_t length) {
  const bool room = cas_owned_resize(&n->own, n->owned + 1, sizeof *n->own);
  char *name = room ? strndup(text, length) : NULL;
  n->failed |= !name;
  if (name)
    n->own[n->owned++] = name;
  return name;
}

static void add_own_variable(cas_vocabulary *n, const char *text, size_t length,
                             cas_variable_kind kind, int number) {
  const char *name = own_name(n, text, length);
  if (name)
    add_variable(n, name, (cas_variable_source){.kind = kind, .number = number});
}

/* Names, separated by blanks, of components of blocks or, where files hold others, of these. */
static void add_components(cas_vocabulary *n) {
  const cas_variable_kind kind = cas_problem_state_is_converted(n->problem)
                                     ? CAS_VOCABULARY_FROM_STATE
                                     : CAS_VOCABULARY_FROM_BLOCK;
  const char *name = n->problem->names + strspn(n->problem->names, " ");
  for (int k = 0; *name; name += strspn(name, " ")) {
    const size_t length = strcspn(name, " ");
    add_own_variable(n, name, length, kind, k++);
    name += length;
  }
}

static void add_casimirs(cas_vocabulary *n) {
  const cas_geometry *g = &n->problem->geometry;
  char name[20];
  for (int i = 0; g->algebra->casimirs && i < g->algebra->casimirs(g); i++)
    add_own_variable(n, name, (size_t)snprintf(name, sizeof name, "casimir%d", i + 1),
                     CAS_VOCABULARY_FROM_CASIMIRS, i);
}

/* Many systems have the same function among functionals and observables. */
static bool is_known(const cas_vocabulary *n, const cas_functional *f) {
  int i = 0;
  while (i < n->variables.n &&
         !(n->source[i].functional && n->source[i].functional->value == f->value &&
           strcmp(n->variables.name[i], f->name) == 0))
    i++;
  return i < n->variables.n;
}

static void add_functionals(cas_vocabulary *n, const cas_functional *list) {
  const void *parameters = n->problem->parameters.all;
  for (; list->name; list++)
    if (!list->axes && !(list->undefined && list->undefined(parameters)) && !is_known(n, list))
      add_variable(
          n, list->name,
          (cas_variable_source){.kind = CAS_VOCABULARY_FROM_FUNCTIONAL, .functional = list});
}

/* ---- what is known ---- */

static bool is_indexed(const cas_vocabulary *n, const char *name) {
  size_t length = strlen(name);
  for (int i = 0; i < n->indexed.n; i++)
    if (strcspn(n->indexed.name[i], "(") == length && memcmp(n->indexed.name[i], name, length) == 0)
      return true;
  return false;
}

const cas_formulas *cas_vocabulary_formulas(const cas_problem *p) {
  static const cas_formulas none;
  const cas_formulas *f = p->system->formulas ? p->system->formulas(p->parameters.all) : NULL;
  return f ? f : &none;
}

const char *cas_vocabulary_expression(const cas_problem *p, const char *name) {
  const cas_formulas *f = cas_vocabulary_formulas(p);
  for (int i = 0; i < f->n; i++)
    if (strcmp(f->name[i], name) == 0)
      return f->text[i];
  return NULL;
}

/* ---- constants ---- */

/* name: NULL without memory */
static void add_constant(cas_vocabulary *n, const char *name, double value) {
  n->failed |= !name || !cas_owned_resize(&n->value, n->constants.n + 1, sizeof value);
  if (n->failed)
    return;
  n->value[n->constants.n] = value;
  cas_name_list_add(&n->constants, name);
}

/* An optional number without a default is 0 where it is left out, and stands for nothing; nor does
   an infinite one, which is no limit. */
static void add_option(cas_vocabulary *n, const cas_option *o, double value) {
  if (isfinite(value) && (value != 0 || !o->fallback || *o->fallback))
    add_constant(n, o->key, value);
}

/* The number at this place of the parameters, as it was read unless it took the system to find. */
static double configured(const cas_problem *p, const char *value) {
  double read = 0;
  if (p->parameters.configured)
    memcpy(&read,
           (const char *)p->parameters.configured + (value - (const char *)p->parameters.all),
           sizeof read);
  return read != 0 ? read : *(const double *)(const void *)value;
}

/* The uncertain number that an option is, -1: it is none. */
static int find_drawn(const cas_vocabulary *n, const char *section, const char *key) {
  const cas_parameters *u = n->problem->parameters.uncertain;
  char path[200];
  snprintf(path, sizeof path, "system.%s%s%s", section, *section ? "." : "", key);
  for (int i = 0; u && i < u->found.numbers; i++)
    if (strcmp(u->found.number[i].path, path) == 0)
      return i;
  return -1;
}

static bool has_name(const cas_vocabulary *n, const char *name) {
  return cas_name_list_find(n->variables.name, name) >= 0 ||
         cas_name_list_find(n->constants.name, name) >= 0 || is_indexed(n, name) ||
         cas_vocabulary_expression(n->problem, name);
}

/* An entry of a list, whose place in the configuration begins with 0: inertia2 of inertia[1]. What
   the system has of this name keeps it. */
static void add_entry(cas_vocabulary *n, const char *section, const char *name, const char *place,
                      double value) {
  const int drawn = find_drawn(n, section, place);
  if (has_name(n, name))
    return;
  if (drawn >= 0)
    add_own_variable(n, name, strlen(name), CAS_VOCABULARY_FROM_DRAWN, drawn);
  else if (isfinite(value))
    add_constant(n, own_name(n, name, strlen(name)), value);
}

/* The entries of a list, or of rows of them, whose key is `at`: chi2_3 of chi[1][2]. */
static void add_entries(cas_vocabulary *n, const char *section, const char *at, const char *key,
                        int rows, int columns, const double *value) {
  enum { MOST = 64 };
  char name[100], place[100];
  for (int i = 0; i < columns * (rows ? rows : 1) && i < MOST; i++) {
    const int row = i / columns, column = i % columns;
    if (rows) {
      snprintf(name, sizeof name, "%.60s%d_%d", key, row + 1, column + 1);
      snprintf(place, sizeof place, "%.60s[%d][%d]", at, row, column);
    } else {
      snprintf(name, sizeof name, "%.60s%d", key, column + 1);
      snprintf(place, sizeof place, "%.60s[%d]", at, column);
    }
    add_entry(n, section, name, place, value[i]);
  }
}

/* Rows that may stand in the place of a section, as those of a topography; NULL: it has none. */
static const cas_vectors *rows_of(const cas_option *o, const char *value) {
  for (cas_walk w = cas_walk_begin(o->section); o->alone && w.option; cas_walk_next(&w))
    if (w.option->type == CAS_VECTORS && strcmp(w.option->key, o->alone) == 0)
      return (const void *)(value + w.offset);
  return NULL;
}

/* The lists of an option by its key; of numbers that stand below a key of a section, by that. Rows
   have one name, whether they stand in the place of their section or in it. */
static void add_lists(cas_vocabulary *n, const cas_option *o, const void *value,
                      const char *section) {
  const cas_vectors *rows = o->type == CAS_SECTION ? rows_of(o, value) : NULL;
  char at[200], path[250];
  if (o->type == CAS_REALS) {
    const cas_reals *list = value;
    add_entries(n, section, o->key, o->key, 0, list->n, list->value);
  } else if (o->type == CAS_VECTORS) {
    const cas_vectors *list = value;
    add_entries(n, section, o->key, o->key, list->rows, list->columns, list->value);
  } else if (o->type == CAS_REALS_OR_KEY) {
    const cas_reals_or_key *list = value;
    const char *key = list->by_key ? o->section->key : o->key;
    snprintf(at, sizeof at, "%s%s%s", list->by_key ? o->key : "", list->by_key ? "." : "", key);
    add_entries(n, section, at, key, 0, list->values.n, list->values.value);
  } else if (rows) {
    snprintf(at, sizeof at, "%s.%s", o->key, o->alone);
    snprintf(path, sizeof path, "system.%s%s%s", section, *section ? "." : "", at);
    add_entries(n, section, cas_config_has(n->problem->config, path) ? at : o->key, o->key,
                rows->rows, rows->columns, rows->value);
  }
}

/* The options that are numbers or lists of them, by their keys: options of the table and of its
   sections, but not of sections within sections, because several of these may have one key (lmin,
   lmax). */
static void add_options(cas_vocabulary *n, const cas_option *table, const char *values,
                        const char *section) {
  for (cas_walk w = cas_walk_begin(table); w.option; cas_walk_next(&w)) {
    const char *value = values + w.offset;
    const int drawn = find_drawn(n, section, w.option->key);
    if (drawn >= 0)
      add_variable(n, w.option->key,
                   (cas_variable_source){.kind = CAS_VOCABULARY_FROM_DRAWN, .number = drawn});
    else if (w.option->type == CAS_REAL)
      add_option(n, w.option, configured(n->problem, value));
    else if (w.option->type == CAS_INT)
      add_option(n, w.option, (double)*(const int64_t *)(const void *)value);
    else if (w.option->type == CAS_SECTION && !*section && !rows_of(w.option, value))
      add_options(n, w.option->section, value, w.option->key);
    else
      add_lists(n, w.option, value, section);
  }
}

/* ---- all of them ---- */

void cas_vocabulary_free(cas_vocabulary *n) {
  cas_name_list_free(&n->variables);
  cas_name_list_free(&n->constants);
  cas_name_list_free(&n->expressions);
  cas_name_list_free(&n->indexed);
  free(n->source);
  free(n->value);
  free(n->operation);
  for (int i = 0; i < n->owned; i++)
    free(n->own[i]);
  free(n->own);
}

static void add_all(cas_vocabulary *n) {
  const cas_problem *p = n->problem;
  const cas_constants *own = p->system->constants ? p->system->constants(p->parameters.all) : NULL;
  if (has_names(p))
    add_components(n);
  add_casimirs(n);
  /* Functionals of what states have behind the components of the algebra. */
  const cas_part *part = n->problem->part;
  for (const cas_functional *f = part ? part->functionals : NULL; f && f->name; f++)
    add_variable(n, f->name,
                 (cas_variable_source){.kind = CAS_VOCABULARY_FROM_PART, .functional = f});
  n->numbers = n->sources;
  add_functionals(n, p->system->observables);
  add_functionals(n, p->system->functionals);
  for (int i = 0; own && i < own->n; i++)
    if (p->parameters.uncertain)
      add_variable(n, own->name[i],
                   (cas_variable_source){.kind = CAS_VOCABULARY_FROM_CONSTANTS, .number = i});
    else
      add_constant(n, own->name[i], own->value[i]);
  add_options(n, p->system->parameters.options, p->parameters.all, "");
  for (const cas_indexed *i = p->system->state.indexed; i && i->name; i++)
    cas_name_list_add(&n->indexed, i->name);
  /* A system that has something else of this name keeps it. */
  if (!has_name(n, "t"))
    add_variable(n, "t", (cas_variable_source){.kind = CAS_VOCABULARY_FROM_TIME});
}

cas_status cas_vocabulary_find(const cas_problem *p, cas_vocabulary *n, cas_error *err) {
  *n = (cas_vocabulary){.problem = p};
  add_all(n);
  CAS_CALL(cas_name_list_check(&n->variables, err));
  CAS_CALL(cas_name_list_check(&n->constants, err));
  CAS_CALL(cas_name_list_check(&n->indexed, err));
  return n->failed ? cas_no_memory(err) : CAS_OK;
}

/* The variable of a name with indices; one that was read before has it already. */
static int find_indexed(void *context, int name, const double index[2], char *right, size_t size) {
  cas_vocabulary *n = context;
  const cas_indexed *of = &n->problem->system->state.indexed[name];
  if (!of->exists(n->problem->parameters.all, index, right, size))
    return -1;
  for (int i = n->variables.n; i < n->sources; i++)
    if (n->source[i].indexed == of && n->source[i].index[0] == index[0] &&
        n->source[i].index[1] == index[1])
      return i;
  const cas_variable_source source = {
      .kind = CAS_VOCABULARY_FROM_INDICES, .indexed = of, .index = {index[0], index[1]}};
  return add_source(n, source) ? n->sources - 1 : 0; /* n->failed tells of it */
}

static bool is_fractional(const void *context, int name) {
  return ((const cas_vocabulary *)context)->problem->system->state.indexed[name].fractional;
}

static const cas_path_function_name path_functions[] = {
    [CAS_PATH_MAX] = {"path_max", 1},          [CAS_PATH_MIN] = {"path_min", 1},
    [CAS_PATH_INTEGRAL] = {"integral", 1},     [CAS_PATH_MEAN] = {"path_mean", 1},
    [CAS_PATH_TIME_ABOVE] = {"time_above", 2}, [CAS_PATH_FIRST_PASSAGE] = {"first_passage", 2},
    [CAS_PATH_PASSED] = {"passed", 2},         {0}};

/* One functional of one operation is one variable. */
static int find_function(void *context, int function, int operation) {
  cas_vocabulary *n = context;
  const cas_variable_source source = {
      .kind = CAS_VOCABULARY_FROM_PATH, .number = function, .operation = operation};
  for (int i = n->variables.n; i < n->sources; i++)
    if (n->source[i].kind == source.kind && n->source[i].number == function &&
        n->source[i].operation == operation)
      return i;
  return add_source(n, source) ? n->sources - 1 : 0; /* n->failed tells of it */
}

cas_scope cas_vocabulary_scope(cas_vocabulary *n) {
  return (cas_scope){.variable = n->variables.name,
                     .constant = n->constants.name,
                     .value = n->value,
                     .expression = n->expressions.name,
                     .operation = n->operation,
                     .indexed = n->indexed.name,
                     .find_indexed = find_indexed,
                     .is_fractional = is_fractional,
                     .function = path_functions,
                     .find_function = find_function,
                     .context = n};
}

/* ---- one meaning each ---- */

const cas_variable_source *cas_vocabulary_number(const cas_vocabulary *n, const char *name) {
  const int variable = cas_name_list_find(n->variables.name, name);
  return variable >= 0 && variable < n->numbers ? &n->source[variable] : NULL;
}

static const char *meaning_of(const cas_vocabulary *n, int variable) {
  static const char *const meanings[] = {[CAS_VOCABULARY_FROM_BLOCK] = "a number of the state",
                                         [CAS_VOCABULARY_FROM_STATE] = "a number of the state",
                                         [CAS_VOCABULARY_FROM_CASIMIRS] = "a Casimir",
                                         [CAS_VOCABULARY_FROM_PART] = "a number of the state",
                                         [CAS_VOCABULARY_FROM_FUNCTIONAL] = "an observable",
                                         [CAS_VOCABULARY_FROM_INDICES] = "a number of the state",
                                         [CAS_VOCABULARY_FROM_DRAWN] = "an uncertain option",
                                         [CAS_VOCABULARY_FROM_CONSTANTS] = "a parameter"};
  return meanings[n->source[variable].kind];
}

/* What is called like the time is told from it by its place. */
const char *cas_vocabulary_meaning(const cas_vocabulary *n, const char *name) {
  const int variable = cas_name_list_find(n->variables.name, name);
  if (variable >= 0 && n->source[variable].kind != CAS_VOCABULARY_FROM_TIME)
    return meaning_of(n, variable);
  if (cas_name_list_find(n->constants.name, name) >= 0)
    return "a parameter or an option";
  return is_indexed(n, name) ? "a number of the state" : NULL;
}

cas_status cas_vocabulary_refuse(const cas_config *c, const char *name, const char *a,
                                 const char *b, cas_error *err) {
  char path[300];
  /* The key below which the configuration gives a name, where it does. */
  const size_t size = sizeof path;
  snprintf(path, size, "system.parameters.%.200s", name);
  if (!cas_config_has(c, path))
    snprintf(path, size, "%s",
             cas_config_has(c, "system.components") ? "system.components" : "system");
  return cas_config_fail(c, err, path,
                         "'%s' is %s and %s: two numbers would have one name; must be another name",
                         name, a, b);
}

cas_status cas_vocabulary_check(const cas_config *c, const cas_vocabulary *n, cas_error *err) {
  /* names that a system of casimir chose may agree */
  const bool own = cas_config_has(c, "system.components") || n->problem->own.system.file;
  for (int i = 0; i < n->variables.n; i++) {
    const char *name = n->variables.name[i];
    const int twin = own ? cas_name_list_find(n->variables.name + i + 1, name) : -1;
    if (twin >= 0)
      return cas_vocabulary_refuse(c, name, meaning_of(n, i), meaning_of(n, i + 1 + twin), err);
    if (cas_name_list_find(n->constants.name, name) >= 0)
      return cas_vocabulary_refuse(c, name, "a parameter or an option", meaning_of(n, i), err);
    if (is_indexed(n, name))
      return cas_vocabulary_refuse(c, name, meaning_of(n, i), "one with indices", err);
  }
  for (int i = 0; i < n->constants.n; i++)
    if (cas_name_list_find(n->constants.name + i + 1, n->constants.name[i]) >= 0 ||
        is_indexed(n, n->constants.name[i]))
      return cas_vocabulary_refuse(c, n->constants.name[i], "a parameter",
                                   "another one, or an option", err);
  return CAS_OK;
}
