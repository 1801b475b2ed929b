#include "paths/problem/initial.h"
#include "base/hash.h"
#include "base/owned.h"
#include "base/scratch.h"
#include "paths/problem/parameters.h"

#include <casimir/results.h>

/* ---- states as files hold them ---- */

void cas_problem_state_shape(const cas_problem *p, cas_array *a) {
  *a = (cas_array){.rank = 1, .dims = {p->geometry.components + (p->part ? p->part->stored : 0)}};
  if (p->system->state.shape)
    a->rank = p->system->state.shape(p->parameters.all, a->dims, &a->is_complex);
}

size_t cas_problem_state_doubles(const cas_problem *p) {
  cas_array a;
  cas_problem_state_shape(p, &a);
  return cas_array_doubles(&a);
}

bool cas_problem_state_is_converted(const cas_problem *p) {
  return p->system->state.unpack || p->part;
}

void cas_problem_state_unpack(const cas_problem *p, const double *x, double *state) {
  const int n = p->geometry.components;
  if (p->system->state.unpack) {
    p->system->state.unpack(p->parameters.all, x, state);
    return;
  }
  memcpy(state, x, (size_t)n * sizeof *x);
  if (p->part)
    p->part->unpack(x + n, state + n);
}

void cas_problem_state_put(const cas_problem *p, const double *x, double *packed, double *state) {
  double *to = cas_problem_state_is_converted(p) ? packed : state;
  for (int k = 0; k < p->components; k++)
    to[k] = x[k * p->W];
  if (to == packed)
    cas_problem_state_unpack(p, packed, state);
}

/* Whether a number of numbers is the number of components of the algebra, without the part that
   states have behind the components. */
static bool lacks_part(const cas_problem *p, size_t numbers) {
  return p->part && !p->initial.form && numbers == (size_t)p->geometry.components;
}

cas_status cas_initial_pack(const cas_config *c, const cas_problem *p, const double *state,
                            size_t numbers, double *x, double *lost, cas_error *err) {
  const int n = p->geometry.components;
  const char *wrong = NULL;
  *lost = 0;
  for (size_t i = 0; i < numbers; i++)
    CAS_REFUSE(c, !isfinite(state[i]), "system.initial", "number %zu is not finite", i);
  if (p->initial.form) {
    wrong = p->initial.form->pack(p->parameters.all, state, x, lost);
  } else if (p->system->state.pack) {
    wrong = p->system->state.pack(p->parameters.all, state, x);
  } else {
    memcpy(x, state, (size_t)n * sizeof *x);
    if (lacks_part(p, numbers))
      p->part->fill(x + n);
    else if (p->part)
      wrong = p->part->pack(state + n, x + n);
  }
  if (!wrong && p->initial.form && p->system->initial.rest)
    p->system->initial.rest(p->parameters.all, x);
  return wrong ? cas_config_fail(c, err, "system.initial", "%s", wrong) : CAS_OK;
}

static cas_status from_values(const cas_config *c, const cas_problem *p, double *x,
                              cas_error *err) {
  const cas_reals *v = &p->initial.source.values;
  size_t n = cas_problem_state_doubles(p);
  double lost;
  if ((size_t)v->n != n && !lacks_part(p, (size_t)v->n)) {
    const char *last = strrchr(p->names, ' ');
    const bool all = !last || strlen(p->names) < 200;
    const int shown = all ? (int)strlen(p->names) : (int)strcspn(p->names, " ");
    char or_less[32] = "";
    if (p->part)
      snprintf(or_less, sizeof or_less, ", or the first %d", p->geometry.components);
    return cas_config_fail(c, err, "system.initial", "found %d numbers, must be %zu (%.*s%s%s)%s",
                           v->n, n, shown, p->names, all ? "" : " ..", all ? "" : last, or_less);
  }
  return cas_initial_pack(c, p, v->value, (size_t)v->n, x, &lost, err);
}

/* The number of axes in front of the axes of a state: 0 where the array is a state, more where it
   is a stack of states, -1 where it is neither. A state of real numbers may be nested in one file
   and flat in another. */
static int stack_axes(const cas_array *a, const cas_array *state) {
  size_t n = cas_array_doubles(state), have = 1;
  int axes = a->rank, before = axes - state->rank;
  if (a->is_complex != state->is_complex)
    return -1;
  if (before >= 0 &&
      memcmp(a->dims + before, state->dims, (size_t)state->rank * sizeof *a->dims) == 0)
    return before;
  while (!a->is_complex && axes > 0 && have < n)
    have *= (size_t)a->dims[--axes];
  return have == n && !a->is_complex ? axes : -1;
}

/* Numbers such as "[4, 2]"; one alone has no brackets. */
static void list_numbers(int n, const int64_t *number, char *text, size_t size) {
  snprintf(text, size, "%s", n == 1 ? "" : "[");
  for (int k = 0; k < n; k++)
    cas_append(text, size, "%s%lld", k ? ", " : "", (long long)number[k]);
  cas_append(text, size, "%s", n == 1 ? "" : "]");
}

/* The number of the state in the stack, row by row. */
static bool find_in_stack(const cas_array *stack, const cas_ints *index, int64_t *at) {
  *at = 0;
  if (index->n != stack->rank)
    return false;
  for (int k = 0; k < stack->rank; k++) {
    if (index->value[k] >= stack->dims[k])
      return false;
    *at = *at * stack->dims[k] + index->value[k];
  }
  return true;
}

static bool is_zero(const cas_ints *index) {
  for (int k = 0; k < index->n; k++)
    if (index->value[k])
      return false;
  return true;
}

/* The place of the state of path 0 in the stack. One of several states has to be named by its
   index, which has no axis of paths where each of them has its own. */
static cas_status choose_state(const cas_config *c, const cas_problem *p, const cas_array *a,
                               const cas_array *stack, int64_t *at, cas_error *err) {
  const cas_state_source *i = &p->initial.source;
  char shape[128], states[128], right[200], found[100] = "none";
  cas_array chosen = *stack;
  chosen.rank -= i->each;
  cas_array_describe(a, shape, sizeof shape);
  CAS_REFUSE(c, i->each && (chosen.rank < 0 || chosen.rank > 1), "system.initial.each",
             "found path, but dataset %s of %s (%s) is no stack of the states of "
             "paths, or of records and paths",
             i->dataset, i->file, shape);
  if (find_in_stack(&chosen, &i->index, at)) {
    *at *= i->each ? stack->dims[chosen.rank] : 1;
    return CAS_OK;
  }
  *at = 0;
  if (cas_array_doubles(&chosen) == 1 && is_zero(&i->index))
    return CAS_OK;
  cas_array_describe(stack, states, sizeof states);
  static const char *const form[] = {"is not needed", "must be a number below ",
                                     "must be [record, path] below "};
  char most[100] = "";
  if (chosen.rank > 0)
    list_numbers(chosen.rank, chosen.dims, most, sizeof most);
  snprintf(right, sizeof right, "index %s%s%s",
           chosen.rank < 3 ? form[chosen.rank] : "must be a number for each axis, below ", most,
           i->each ? " with each: path" : "");
  if (i->index.n)
    list_numbers(i->index.n, i->index.value, found, sizeof found);
  return cas_config_fail(c, err, "system.initial.index",
                         "found %s, but dataset %s of %s (%s) holds %s state%s; %s", found,
                         i->dataset, i->file, shape, stack->rank ? states : "1",
                         cas_array_doubles(stack) == 1 ? "" : "s", right);
}

/* Finds the axes of the dataset in front of those of a state, and the place of path 0's state. */
static cas_status find_states(const cas_config *c, cas_problem *p, cas_error *err) {
  const cas_state_source *i = &p->initial.source;
  const cas_array bare = {.rank = 1, .dims = {p->geometry.components}},
                  *a = &p->initial.stack.source.shape;
  cas_array state = {0}, stack = {0};
  char found[128], right[128];
  if (p->initial.form)
    state.rank = p->initial.form->shape(p->parameters.all, state.dims);
  else
    cas_problem_state_shape(p, &state);
  cas_array_describe(a, found, sizeof found);
  cas_array_describe(&state, right, sizeof right);
  if (p->part && !p->initial.form && stack_axes(a, &state) < 0 && stack_axes(a, &bare) >= 0)
    state = bare;
  stack.rank = stack_axes(a, &state);
  for (int k = 0; k < stack.rank; k++)
    stack.dims[k] = a->dims[k];
  CAS_REFUSE(c, stack.rank < 0 || cas_array_doubles(a) == 0, "system.initial",
             "dataset %s of %s is %s, must be a %s of %s or a stack of them", i->dataset, i->file,
             found, p->initial.form ? p->initial.form->noun : "state", right);
  p->initial.stack.axes = stack.rank;
  p->initial.stack.doubles = cas_array_doubles(&state);
  p->initial.stack.states = i->each && stack.rank > 0 ? stack.dims[stack.rank - 1] : 1;
  return choose_state(c, p, a, &stack, &p->initial.stack.first, err);
}

cas_status cas_initial_read_states(const cas_config *c, const cas_problem *p, int64_t number,
                                   int64_t n, double *state, cas_error *err) {
  const cas_initial_stack *s = &p->initial.stack;
  const int64_t *dims = s->source.shape.dims;
  int64_t first[4] = {0}, count[4], at = s->first + number;
  memcpy(count, dims, sizeof count);
  for (int k = s->axes - 1; k >= 0; at /= dims[k--]) {
    first[k] = at % dims[k];
    count[k] = k == s->axes - 1 ? n : 1;
  }
  return cas_input_read_part(c, "system.initial", &s->source, first, count, state, err);
}

static cas_status find_form(const cas_config *c, cas_problem *p, cas_error *err) {
  const cas_state_source *i = &p->initial.source;
  char path[64];
  const cas_state_form *f = i->form ? p->system->state.forms : NULL;
  while (f && f->name && strcmp(f->name, i->form) != 0)
    f++;
  p->initial.form = f && f->name ? f : NULL;
  snprintf(path, sizeof path, "system.initial.%s", i->form ? i->form : "");
  CAS_REFUSE(c, i->form && !p->initial.form, path,
             "system %s reads no states in this form: give numbers, or {file: F, dataset: D, "
             "index: I} with states as records have them",
             p->system->name);
  return CAS_OK;
}

/* Gives all ranks the state of path 0, which rank 0 reads. Where paths have states or parameters of
   their own, every rank keeps the file open, to read states when they are needed. The hash is one
   of the numbers in the file, because packing may change the last bits on another processor. */
static cas_status from_file(const cas_config *c, cas_problem *p, MPI_Comm comm, cas_error *err) {
  const cas_state_source *i = &p->initial.source;
  cas_initial_stack *s = &p->initial.stack;
  const bool by_path = i->each || p->parameters.uncertain;
  CAS_CALL(find_form(c, p, err));
  CAS_CALL(
      cas_input_open(c, "system.initial", i->file, i->dataset, by_path, comm, &s->source, err));
  p->initial.x0_from = s->source.shape;
  CAS_CALL(find_states(c, p, err));
  CAS_OWNED double *state = malloc(s->doubles * sizeof *state);
  cas_status st = !state             ? cas_no_memory(err)
                  : s->source.source ? cas_initial_read_states(c, p, 0, 1, state, err)
                                     : CAS_OK;
  CAS_CALL(cas_agree(st, comm, err));
  cas_bcast(state, (int)s->doubles, MPI_DOUBLE, 0, comm);
  p->initial.hash = cas_hash(CAS_HASH_START, state, s->doubles * sizeof *state);
  if (!by_path)
    cas_dataset_close(&s->source);
  return cas_initial_pack(c, p, state, s->doubles, p->initial.x0, &p->initial.lost, err);
}

/* The square of the norm of a state, in which distances are stated. */
static cas_status norm2(const cas_problem *p, const double *x, double *square, cas_error *err) {
  CAS_OWNED double *zero = calloc((size_t)p->components, sizeof *zero);
  CAS_NEED(zero);
  p->geometry.algebra->distance2(&p->geometry, 1, x, zero, square);
  return CAS_OK;
}

cas_status cas_initial_scale(const cas_config *c, const cas_problem *p, double norm, double *x,
                             cas_error *err) {
  double square;
  CAS_CALL(norm2(p, x, &square, err));
  CAS_REFUSE(c, !(square > 0), "system.initial", "the state is 0 and has no norm to scale");
  for (int k = 0; k < p->components; k++)
    x[k] *= norm / sqrt(square);
  return CAS_OK;
}

static cas_status from_coefficients(const cas_config *c, const cas_problem *p, double *x,
                                    cas_error *err) {
  const cas_state_source *i = &p->initial.source;
  CAS_REFUSE(c, !p->system->initial.harmonics, "system.initial.coefficients",
             "system %s has no harmonics: give numbers, a file or a random state", p->system->name);
  CAS_REFUSE(c, i->coefficients.columns != 3, "system.initial.coefficients",
             "found %s, must be rows of 3 numbers: l, m, value",
             i->coefficients.rows ? "other rows" : "no rows");
  memset(x, 0, (size_t)p->components * sizeof *x);
  CAS_CALL(p->system->initial.harmonics(c, p->parameters.all, &i->coefficients, x, err));
  if (i->norm > 0)
    CAS_CALL(cas_initial_scale(c, p, i->norm, x, err));
  if (p->system->initial.rest)
    p->system->initial.rest(p->parameters.all, x);
  return CAS_OK;
}

cas_status cas_initial_state(const cas_config *c, const cas_problem *p, const double *state,
                             int64_t number, double *x, cas_error *err) {
  const bool each = p->initial.source.each;
  double lost;
  switch (p->initial.source.kind) {
  case CAS_STATE_VALUES:
    return from_values(c, p, x, err);
  case CAS_STATE_FILE:
    return cas_initial_pack(c, p, state, p->initial.stack.doubles, x, &lost, err);
  case CAS_STATE_RANDOM:
    return cas_initial_random(c, p, each ? CAS_PURPOSE_INITIAL_PATHS : CAS_PURPOSE_INITIAL_STATES,
                              each ? number : 0, x, err);
  case CAS_STATE_COEFFICIENTS:
    return from_coefficients(c, p, x, err);
  case CAS_STATE_DEFAULT:
    break;
  }
  CAS_REFUSE(c, !p->system->initial.state, "system", "'initial' is missing (the initial state)");
  memset(x, 0, (size_t)p->components * sizeof *x);
  p->system->initial.state(p->parameters.all, x);
  return CAS_OK;
}

/* Norms, Casimirs and energies are squares: where they overflow every path would fail. */
cas_status cas_initial_check(const cas_config *c, const cas_problem *p, const double *x,
                             cas_error *err) {
  double square;
  CAS_CALL(norm2(p, x, &square, err));
  CAS_NEED(!(isnan(square) && cas_scratch_is_missing()));
  CAS_REFUSE(c, isnan(square), "system.initial", "the state has numbers that are none (NaN)");
  CAS_REFUSE(c, isinf(square), "system.initial",
             "the state is too large: the square of its norm overflows. Its norm must be below "
             "1.3e154. Choose a larger unit of its numbers");
  return p->system->initial.check ? p->system->initial.check(c, p->parameters.all, x, err) : CAS_OK;
}

cas_status cas_initial_read(const cas_config *c, cas_problem *p, MPI_Comm comm, cas_error *err) {
  p->initial.paths = INT64_MAX;
  p->initial.x0 = calloc((size_t)p->components, sizeof(double));
  CAS_NEED(p->initial.x0);
  if (p->initial.source.kind == CAS_STATE_RANDOM) {
    const bool seeded = p->initial.source.seeded, each = p->initial.source.each;
    CAS_REFUSE(c, !seeded && (!each || p->noise.generator->replayed), "system.initial.random",
               "'seed' is missing (seed of the random state)%s",
               each ? ": normals of a file have no seed that it could be" : "");
    if (!seeded) /* by the seed of the noise paths of other noise have other states */
      p->initial.source.seed = p->noise.seed;
    CAS_CALL(cas_initial_distribution_find(c, p, err));
  }
  CAS_CALL(p->initial.source.kind == CAS_STATE_FILE
               ? from_file(c, p, comm, err)
               : cas_initial_state(c, p, NULL, 0, p->initial.x0, err));
  cas_error found = {0}, *why = p->parameters.uncertain ? &found : err;
  cas_status st = cas_initial_check(c, p, p->initial.x0, why);
  if (!st && p->system->initial.check_at)
    st = p->system->initial.check_at(c, p->parameters.all, p->initial.x0, why);
  return st && p->parameters.uncertain ? cas_parameters_explain(p, 0, true, st, &found, err) : st;
}
