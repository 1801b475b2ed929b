#include "paths/formula.h"
#include "base/owned.h"
#include "language/config/keys.h"
#include "paths/follower.h"

/* ---- compiling ---- */

/* Reads the expressions that the system names into the list, for others to use: all, or those above
   `text` where that is one of them. */
static cas_status read_named(const cas_config *c, const cas_problem *p, const char *text,
                             cas_vocabulary *s, cas_operations *l, cas_error *err) {
  const cas_formulas *f = cas_vocabulary_formulas(p);
  cas_complaint e;
  s->operation = calloc((size_t)f->n + 1, sizeof *s->operation);
  CAS_NEED(s->operation);
  for (int i = 0; i < f->n && f->text[i] != text; i++) {
    const cas_scope names = cas_vocabulary_scope(s);
    if (!cas_expression_read(f->text[i], &names, l, &s->operation[i], &e))
      return e.no_memory
                 ? cas_no_memory(err)
                 : cas_config_fail(c, err, "system.observables", "%s: %s", f->name[i], e.text);
    cas_name_list_add(&s->expressions, f->name[i]);
  }
  return cas_name_list_check(&s->expressions, err);
}

static int casimirs_of(const cas_problem *p) {
  const cas_algebra *a = p->geometry.algebra;
  return a->casimirs ? a->casimirs(&p->geometry) : 0;
}

static int lanes_of(const cas_problem *p) {
  return p->W < CAS_PROGRAM_NUMBER_LANES ? CAS_PROGRAM_NUMBER_LANES : p->W;
}

/* Gives every variable that operation `root` needs a row. */
static bool find_rows(const cas_operations *l, int root, const cas_vocabulary *s, cas_formula *f,
                      cas_program_source *source) {
  CAS_OWNED_BY(cas_needed_free) cas_needed needed = {0};
  f->variable = calloc((size_t)l->n + 1, sizeof *f->variable);
  if (!f->variable || !cas_needed_find(l, 1, &root, 0, 0, &needed))
    return false;
  for (int i = needed.n - 1; i >= 0; i--) {
    const cas_operation *o = &l->operation[needed.operation[i]];
    if (o->operator_ == CAS_OPERATOR_VARIABLE) {
      source[needed.operation[i]] = (cas_program_source){CAS_PROGRAM_IN_FIRST, f->variables};
      f->variable[f->variables++] = s->source[o->a];
    }
  }
  return true;
}

/* Compiles an operation, and what its functionals of whole paths follow. */
static bool make(const cas_vocabulary *s, const cas_operations *l, int root, cas_formula *f) {
  const cas_problem *p = s->problem;
  const int lanes = lanes_of(p);
  const int stride[CAS_PROGRAM_ARRAYS] = {CAS_PROGRAM_NUMBER_LANES, CAS_PROGRAM_NUMBER_LANES, lanes,
                                          lanes, lanes};
  CAS_OWNED cas_program_source *source = calloc((size_t)l->n + 1, sizeof *source);
  if (!source || !find_rows(l, root, s, f, source) ||
      !cas_program_make(l, 1, &root, source, stride, &f->program))
    return false;
  for (int i = 0; i < f->variables; i++) {
    cas_variable_source *v = &f->variable[i];
    if (v->kind != CAS_VOCABULARY_FROM_PATH)
      continue;
    v->follower = calloc(1, sizeof *v->follower);
    if (!v->follower)
      return false;
    v->follower->kind = (cas_path_function)v->number;
    if (!make(s, l, v->operation, &v->follower->formula))
      return false;
  }
  f->rows = aligned_alloc(64, ((size_t)f->variables + 1) * (size_t)lanes * sizeof *f->rows);
  f->casimirs = calloc((size_t)casimirs_of(p) * (size_t)p->W + 1, sizeof *f->casimirs);
  f->state = calloc((size_t)p->components + cas_problem_state_doubles(p), sizeof *f->state);
  return f->rows && f->casimirs && f->state;
}

/* Whether an operation is 1 or 0 by what it is. */
static bool is_event(const cas_vocabulary *s, const cas_operations *l, int operation) {
  const cas_operation *o = &l->operation[operation];
  double one;
  switch (o->operator_) {
  case CAS_OPERATOR_LESS:
    return true;
  case CAS_OPERATOR_VARIABLE:
    return s->source[o->a].kind == CAS_VOCABULARY_FROM_PATH &&
           s->source[o->a].number == CAS_PATH_PASSED;
  case CAS_OPERATOR_MULTIPLY:
  case CAS_OPERATOR_MINIMUM:
  case CAS_OPERATOR_MAXIMUM:
    return is_event(s, l, o->a) && is_event(s, l, o->b);
  case CAS_OPERATOR_SUBTRACT:
    return cas_operations_is_number(l, o->a, &one) && one == 1 && is_event(s, l, o->b);
  default:
    return false;
  }
}

cas_status cas_formula_create(const cas_config *c, const char *path, const char *text,
                              const cas_problem *p, cas_formula *f, cas_error *err) {
  CAS_OWNED_BY(cas_vocabulary_free) cas_vocabulary s;
  CAS_OWNED_BY(cas_operations_free) cas_operations list = {0};
  cas_complaint e;
  int root;
  *f = (cas_formula){0};
  CAS_CALL(cas_vocabulary_find(p, &s, err));
  CAS_CALL(read_named(c, p, text, &s, &list, err));
  const cas_scope names = cas_vocabulary_scope(&s);
  if (!cas_expression_read(text, &names, &list, &root, &e))
    return e.no_memory ? cas_no_memory(err) : cas_config_fail_at(c, err, path, e.at, "%s", e.text);
  CAS_NEED(!s.failed && make(&s, &list, root, f));
  f->is_event = is_event(&s, &list, root);
  return CAS_OK;
}

void cas_formula_free(cas_formula *f) {
  cas_program_free(&f->program);
  for (int i = 0; i < f->variables; i++)
    cas_follower_free(f->variable[i].follower);
  free(f->variable);
  free(f->rows);
  free(f->casimirs);
  free(f->state);
  *f = (cas_formula){0};
}

/* ---- use ---- */

static bool uses(const cas_formula *f, cas_variable_kind kind) {
  int i = 0;
  while (i < f->variables && f->variable[i].kind != kind)
    i++;
  return i < f->variables;
}

/* Numbers of states as files hold them, a state at a time. */
static void fill_numbers(const cas_formula *f, const cas_problem *p, const double *x) {
  double *packed = f->state, *state = packed + p->components;
  for (int l = 0; l < p->W; l++) {
    cas_problem_state_put(p, x + l, packed, state);
    for (int i = 0; i < f->variables; i++)
      if (f->variable[i].kind == CAS_VOCABULARY_FROM_STATE)
        f->rows[i * lanes_of(p) + l] = state[f->variable[i].number];
  }
}

/* What every path has of its own; where no block is computed, of path 0. */
static double own_number(const cas_problem *p, const cas_variable_source *v, int lane) {
  const void *parameters =
      p->parameters.lanes ? p->parameters.lanes->lane[lane].parameters.all : p->parameters.all;
  const int n = v->number;
  if (v->kind == CAS_VOCABULARY_FROM_CONSTANTS)
    return p->system->constants(parameters)->value[n];
  return p->parameters.lanes ? p->parameters.lanes->drawn[n * p->W + lane] : NAN;
}

/* Fills a row; of a block of one path every lane with the same number. */
static void fill_row(const cas_formula *f, const cas_problem *p, const cas_variable_source *v,
                     const cas_formula_place *at, double *row) {
  const double *x = at->x;
  const bool own = v->kind == CAS_VOCABULARY_FROM_DRAWN || v->kind == CAS_VOCABULARY_FROM_CONSTANTS;
  const size_t first = (size_t)v->number * (size_t)p->W;
  const double *from = v->kind == CAS_VOCABULARY_FROM_BLOCK      ? x + first
                       : v->kind == CAS_VOCABULARY_FROM_CASIMIRS ? f->casimirs + first
                                                                 : row;
  if (v->kind == CAS_VOCABULARY_FROM_FUNCTIONAL)
    cas_parameters_value(p, v->functional, 1, x, row);
  if (v->kind == CAS_VOCABULARY_FROM_INDICES)
    for (cas_each e = cas_each_begin(p, 1, row); e.one; cas_each_next(&e))
      v->indexed->value(e.one->parameters.all, v->index, p->W, x, e.out);
  if (v->kind == CAS_VOCABULARY_FROM_PART)
    v->functional->value(NULL, p->W, x + p->geometry.components * p->W, row);
  for (int l = 0; v->kind == CAS_VOCABULARY_FROM_TIME && l < p->W; l++)
    row[l] = at->time;
  for (int l = 0; own && l < p->W; l++)
    row[l] = own_number(p, v, l);
  if (v->kind == CAS_VOCABULARY_FROM_PATH)
    cas_follower_value(v->follower, p, at, row);
  for (int l = 0; l < lanes_of(p); l++)
    row[l] = from[p->W == 1 ? 0 : l];
}

void cas_formula_evaluate(const cas_formula *f, const cas_problem *p, const cas_formula_place *at,
                          double *out) {
  const int lanes = lanes_of(p);
  const double *x = at->x;
  double *result = f->rows + f->variables * lanes;
  if (uses(f, CAS_VOCABULARY_FROM_CASIMIRS))
    cas_parameters_casimirs(p, casimirs_of(p), x, f->casimirs);
  if (uses(f, CAS_VOCABULARY_FROM_STATE))
    fill_numbers(f, p, x);
  for (int i = 0; i < f->variables; i++)
    fill_row(f, p, &f->variable[i], at, f->rows + i * lanes);
  p->kernels->run(&f->program, lanes, f->rows, result);
  memcpy(out, result, (size_t)p->W * sizeof *out);
}
