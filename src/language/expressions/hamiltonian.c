#include "language/expressions/hamiltonian.h"

/* Of h; those of the dW_k follow it. */
static int variable_h(const cas_hamiltonians *h) { return h->components; }
int cas_hamiltonians_xi(const cas_hamiltonians *h, int component) {
  return h->components + 1 + h->noises + component;
}

static int times(cas_operations *l, int a, int b) {
  return cas_operations_apply(l, CAS_OPERATOR_MULTIPLY, a, b);
}

void cas_hamiltonians_free(cas_hamiltonians *h) {
  cas_operations_free(&h->list);
  free(h->bracket.entry);
  free(h->weight);
  free(h->hamiltonian);
  free(h->gradient);
  *h = (cas_hamiltonians){0};
}

void cas_hamiltonian_programs_free(cas_hamiltonian_programs *p) {
  cas_step_sums_free(&p->once);
  cas_program_free(&p->psi);
  cas_program_free(&p->ito);
  cas_program_free(&p->value);
}

bool cas_hamiltonians_derive(cas_hamiltonians *h) {
  const int n = h->components;
  h->gradient = calloc((size_t)(1 + h->noises) * (size_t)n, sizeof *h->gradient);
  for (int k = 0; h->gradient && k <= h->noises; k++)
    if (!cas_operations_gradient(&h->list, h->hamiltonian[k], n, h->gradient + k * n))
      return false;
  return h->gradient;
}

/* ---- h H_0 + sum_k dW_k H_k as a sum of terms with coefficients ---- */

enum { MOST_FACTORS = 4096 };

/* Terms of all Hamiltonians: T_t, with a factor for each of them */
typedef struct {
  int n, capacity, hamiltonians;
  int *term;
  double *factor; /* [capacity][hamiltonians] */
  int *factors;   /* of every operation that expressions have: of a product how many, at most
                   MOST_FACTORS + 1 */
  bool failed;
} terms;

/* How many factors products have, counted once for an operation however many others share it. */
static bool count_factors(const cas_operations *l, terms *t) {
  t->factors = malloc(((size_t)l->n + 1) * sizeof *t->factors);
  for (int i = 0; t->factors && i < l->n; i++) {
    const cas_operation *o = &l->operation[i];
    int n = 1;
    if (o->operator_ == CAS_OPERATOR_MULTIPLY)
      n = t->factors[o->a] + t->factors[o->b];
    else if (o->operator_ == CAS_OPERATOR_NEGATE || o->operator_ == CAS_OPERATOR_DIVIDE)
      n = t->factors[o->a];
    t->factors[i] = n > MOST_FACTORS ? MOST_FACTORS + 1 : n;
  }
  return t->factors;
}

static bool has_capacity(terms *t) {
  const int capacity = t->capacity ? 2 * t->capacity : 16;
  if (t->n < t->capacity)
    return true;
  if (!cas_owned_resize(&t->term, capacity, sizeof *t->term) ||
      !cas_owned_resize(&t->factor, (int64_t)capacity * t->hamiltonians, sizeof *t->factor))
    return false;
  t->capacity = capacity;
  return true;
}

/* The factors of an operation, whose place among the terms l->place tells if it is one of them. */
static double *find_term(const cas_operations *l, terms *t, int operation) {
  const size_t row = (size_t)t->hamiltonians;
  int *place = &l->place[operation];
  t->failed |= l->failed || !has_capacity(t);
  if (t->failed)
    return NULL;
  if (*place >= t->n || t->term[*place] != operation) {
    *place = t->n;
    t->term[t->n] = operation;
    memset(t->factor + (size_t)t->n++ * row, 0, row * sizeof *t->factor);
  }
  return t->factor + (size_t)*place * row;
}

/* Replaces *number by one with more factors, unless that, times a step, could leave the range in
   which doubles have all digits. */
static bool take(double *number, double product) {
  const double most = 0x1p900;
  if (!(fabs(product) <= most && fabs(product) >= 1 / most))
    return false;
  *number = product;
  return true;
}

/* Takes the numbers out of a product of not too many factors: the rest, and *number times them. */
static int without_numbers(cas_operations *l, const terms *t, int operation, double *number) {
  const cas_operation o = l->operation[operation];
  double found;
  if (t->factors[operation] > MOST_FACTORS)
    return operation;
  if (o.operator_ == CAS_OPERATOR_NEGATE) {
    *number = -*number;
    return without_numbers(l, t, o.a, number);
  }
  if (o.operator_ == CAS_OPERATOR_DIVIDE && cas_operations_is_number(l, o.b, &found))
    return take(number, *number / found) ? without_numbers(l, t, o.a, number) : operation;
  if (o.operator_ != CAS_OPERATOR_MULTIPLY)
    return operation;
  if (cas_operations_is_number(l, o.a, &found))
    return take(number, *number * found) ? without_numbers(l, t, o.b, number) : operation;
  int a = without_numbers(l, t, o.a, number), b = without_numbers(l, t, o.b, number);
  return times(l, a, b);
}

/* Adds `factor` times an operation to Hamiltonian k. */
static void collect(cas_operations *l, int operation, double factor, int k, terms *t) {
  operation = without_numbers(l, t, operation, &factor);
  const cas_operation o = l->operation[operation];
  if (o.operator_ == CAS_OPERATOR_ADD || o.operator_ == CAS_OPERATOR_SUBTRACT) {
    collect(l, o.a, factor, k, t);
    collect(l, o.b, o.operator_ == CAS_OPERATOR_ADD ? factor : -factor, k, t);
  } else if (o.operator_ != CAS_OPERATOR_NUMBER) {
    double *sum = find_term(l, t, operation);
    if (sum)
      sum[k] += factor;
  }
}

/* sum_t (sum_k c_k factor_tk) T_t with c_0 = h and c_k = dW_k */
static int weighted_sum(cas_hamiltonians *h, const terms *t) {
  cas_operations *l = &h->list;
  int sum = cas_operations_number(l, 0);
  for (int i = 0; i < t->n; i++) {
    int coefficient = cas_operations_number(l, 0);
    for (int k = 0; k < t->hamiltonians; k++) {
      int c = cas_operations_variable(l, variable_h(h) + k);
      double factor = t->factor[i * t->hamiltonians + k];
      coefficient = cas_operations_add_product(l, coefficient, cas_operations_number(l, factor), c);
    }
    sum = cas_operations_add_product(l, sum, coefficient, t->term[i]);
  }
  return sum;
}

/* psi[i] = weight_i d/dx_i (h H_0 + sum_k dW_k H_k) */
static bool derive_psi(cas_hamiltonians *h, int *psi) {
  terms t = {.hamiltonians = 1 + h->noises};
  t.failed = !count_factors(&h->list, &t);
  for (int k = 0; k <= h->noises && !t.failed; k++)
    collect(&h->list, h->hamiltonian[k], 1, k, &t);
  bool done =
      !t.failed && cas_operations_gradient(&h->list, weighted_sum(h, &t), h->components, psi);
  free(t.term);
  free(t.factor);
  free(t.factors);
  for (int i = 0; done && h->weight && i < h->components; i++)
    psi[i] = times(&h->list, cas_operations_number(&h->list, h->weight[i]), psi[i]);
  return done && !h->list.failed;
}

/* ---- programs ---- */

/* Where variables stand: components of states first, and xi second. */
static void set_sources(const cas_hamiltonians *h, cas_program_source *source) {
  for (int i = 0; i < h->list.n; i++) {
    const cas_operation *o = &h->list.operation[i];
    if (o->operator_ == CAS_OPERATOR_VARIABLE)
      source[i] = o->a < h->components ? (cas_program_source){CAS_PROGRAM_IN_FIRST, o->a}
                                       : (cas_program_source){CAS_PROGRAM_IN_SECOND,
                                                              o->a - cas_hamiltonians_xi(h, 0)};
  }
}

bool cas_hamiltonians_state_program(const cas_hamiltonians *h, int results, const int *result,
                                    int lanes, cas_program *p) {
  const int stride[CAS_PROGRAM_ARRAYS] = {CAS_PROGRAM_NUMBER_LANES, CAS_PROGRAM_NUMBER_LANES, lanes,
                                          lanes, lanes};
  CAS_OWNED cas_program_source *source = calloc((size_t)h->list.n + 1, sizeof *source);
  if (!source)
    return false;
  set_sources(h, source);
  return cas_program_make(&h->list, results, result, source, stride, p);
}

/* Lists in coefficient[0 .. result) what psi needs in which h or a dW_k occurs, but no state. */
static int find_coefficients(const cas_hamiltonians *h, const int *psi, const bool *of_state,
                             const bool *of_step, bool *needed, int *coefficient) {
  int n = 0;
  for (int k = 0; k < h->components; k++)
    needed[psi[k]] = true;
  for (int i = h->list.n - 1; i >= 0; i--) {
    const cas_operation *o = &h->list.operation[i];
    const bool is_coefficient = !of_state[i] && of_step[i];
    if (needed[i] && is_coefficient)
      coefficient[n++] = i;
    if (!needed[i] || is_coefficient || o->operator_ >= CAS_OPERATOR_NUMBER)
      continue;
    needed[o->a] = true;
    needed[cas_operator_operands(o->operator_) == 1 ? o->a : o->b] = true;
  }
  return n;
}

void cas_step_sums_free(cas_step_sums *s) {
  free(s->first);
  free(s->column);
  free(s->factor);
  *s = (cas_step_sums){0};
}

bool cas_step_sums_make(int rows, int columns, const double *matrix, cas_step_sums *s) {
  const size_t capacity = (size_t)rows * (size_t)columns + 1;
  int n = 0;
  *s = (cas_step_sums){.rows = rows,
                       .first = calloc((size_t)rows + 1, sizeof *s->first),
                       .column = calloc(capacity, sizeof *s->column),
                       .factor = calloc(capacity, sizeof *s->factor)};
  bool made = s->first && s->column && s->factor;
  for (int i = 0; made && i < rows * columns; i++) {
    if (matrix[i] != 0) {
      s->column[n] = i % columns;
      s->factor[n++] = matrix[i];
    }
    s->first[i / columns + 1] = n;
  }
  return made;
}

/* Coefficients are sums of multiples of h and the dW_k, so that their values where one of these is
   1 and the others are 0 say all about them. */
static bool make_sums(const cas_hamiltonians *h, const int *coefficient, int rows,
                      cas_step_sums *sums) {
  const int columns = 1 + h->noises;
  CAS_OWNED double *variable =
      calloc((size_t)cas_hamiltonians_xi(h, h->components), sizeof *variable);
  CAS_OWNED double *value = calloc((size_t)h->list.n, sizeof *value);
  CAS_OWNED double *matrix = calloc((size_t)rows * (size_t)columns + 1, sizeof *matrix);
  if (!variable || !value || !matrix)
    return false;
  for (int k = 0; k < columns; k++) {
    variable[variable_h(h) + k] = 1;
    cas_operations_evaluate(&h->list, 0, variable, value);
    for (int r = 0; r < rows; r++)
      matrix[r * columns + k] = value[coefficient[r]];
    variable[variable_h(h) + k] = 0;
  }
  return cas_step_sums_make(rows, columns, matrix, sums);
}

static bool make_psi(cas_hamiltonians *h, int group, int lanes, cas_hamiltonian_programs *p) {
  const int stride[CAS_PROGRAM_ARRAYS] = {CAS_PROGRAM_NUMBER_LANES, group, group, group, lanes};
  CAS_OWNED int *psi = calloc((size_t)h->components, sizeof *psi);
  if (!psi || !derive_psi(h, psi))
    return false;
  const size_t n = (size_t)h->list.n + 1;
  CAS_OWNED bool *facts = calloc(3 * n, sizeof *facts);
  CAS_OWNED int *coefficient = calloc(n, sizeof *coefficient);
  CAS_OWNED cas_program_source *source = calloc(n, sizeof *source);
  if (!facts || !coefficient || !source)
    return false;
  bool *of_state = facts, *of_step = facts + n, *needed = facts + 2 * n;
  cas_operations_dependence(&h->list, 0, h->components, of_state);
  cas_operations_dependence(&h->list, h->components, cas_hamiltonians_xi(h, 0), of_step);
  const int rows = find_coefficients(h, psi, of_state, of_step, needed, coefficient);
  set_sources(h, source);
  for (int i = 0; i < rows; i++)
    source[coefficient[i]] = (cas_program_source){CAS_PROGRAM_IN_SECOND, i};
  return make_sums(h, coefficient, rows, &p->once) &&
         cas_program_make(&h->list, h->components, psi, source, stride, &p->psi);
}

int cas_bracket_add(cas_hamiltonians *h, int sum, int i, const int *gradient) {
  const int n = h->components;
  for (int j = 0; j < n; j++)
    sum = cas_operations_add_product(&h->list, sum, h->bracket.entry[i * n + j], gradient[j]);
  return sum;
}

/* field[i] = sum_j {x_i, x_j} gradient[j], without what vanishes */
static void apply_bracket(cas_hamiltonians *h, const int *gradient, int *field) {
  for (int i = 0; i < h->components; i++)
    field[i] = cas_bracket_add(h, cas_operations_number(&h->list, 0), i, gradient);
}

bool cas_hamiltonians_add_brackets(cas_hamiltonians *h) {
  const int n = h->components, noises = h->noises, all = noises + noises * (noises - 1) / 2;
  const bool room = cas_owned_resize(&h->hamiltonian, 1 + all, sizeof *h->hamiltonian);
  CAS_OWNED int *field = calloc((size_t)n, sizeof *field);
  int next = noises;
  if (!room || !field)
    return false;
  for (int i = 1; i <= noises; i++) {
    apply_bracket(h, h->gradient + i * n, field);
    for (int j = i + 1; j <= noises; j++) {
      int sum = cas_operations_number(&h->list, 0);
      for (int k = 0; k < n; k++)
        sum = cas_operations_add_product(&h->list, sum, h->gradient[j * n + k], field[k]);
      h->hamiltonian[++next] = sum;
    }
  }
  if (h->list.failed)
    return false;
  free(h->gradient);
  h->gradient = NULL;
  h->noises = all;
  return cas_hamiltonians_derive(h);
}

bool cas_bracket_action(cas_hamiltonians *h, int *result) {
  CAS_OWNED int *xi = calloc((size_t)h->components, sizeof *xi);
  if (!xi)
    return false;
  for (int j = 0; j < h->components; j++)
    xi[j] = cas_operations_variable(&h->list, cas_hamiltonians_xi(h, j));
  apply_bracket(h, xi, result);
  return !h->list.failed;
}

static bool make_ito(cas_hamiltonians *h, int group, cas_program *p) {
  const int n = h->components;
  CAS_OWNED int *memory = calloc(3 * (size_t)n, sizeof *memory);
  int *field = memory, *along = memory + n, *sum = memory + 2 * n;
  for (int i = 0; memory && i < n; i++)
    sum[i] = cas_operations_number(&h->list, 0);
  for (int k = 1; memory && k <= h->noises; k++) {
    apply_bracket(h, h->gradient + k * n, field);
    if (!cas_operations_tangent(&h->list, n, field, n, field, along))
      return false;
    for (int i = 0; i < n; i++)
      sum[i] = cas_operations_apply(&h->list, CAS_OPERATOR_ADD, sum[i], along[i]);
  }
  return memory && cas_hamiltonians_state_program(h, n, sum, group, p);
}

bool cas_hamiltonian_programs_make(cas_hamiltonians *h, int group_lanes, int lanes,
                                   cas_hamiltonian_programs *p) {
  *p = (cas_hamiltonian_programs){0};
  if (make_psi(h, group_lanes, lanes, p) && make_ito(h, group_lanes, &p->ito) &&
      cas_hamiltonians_state_program(h, 1, h->hamiltonian, lanes, &p->value))
    return true;
  cas_hamiltonian_programs_free(p);
  return false;
}

/* ---- what is known of operations and gradients ---- */

bool cas_hamiltonians_is_constant(const cas_hamiltonians *h, int operation) {
  CAS_OWNED_BY(cas_needed_free) cas_needed needed;
  return cas_needed_find(&h->list, 1, &operation, 0, h->components, &needed) &&
         !needed.uses[needed.n - 1];
}

int cas_hamiltonians_bad_gradient(const cas_hamiltonians *h, const double *x, int *component,
                                  double *found) {
  const int n = h->components;
  CAS_OWNED double *variable = calloc((size_t)cas_hamiltonians_xi(h, n), sizeof *variable);
  CAS_OWNED double *value = calloc((size_t)h->list.n, sizeof *value);
  if (!variable || !value)
    return -1;
  memcpy(variable, x, (size_t)n * sizeof *x);
  cas_operations_evaluate(&h->list, 0, variable, value);
  for (int i = 0; i < (1 + h->noises) * n; i++)
    if (!isfinite(value[h->gradient[i]])) {
      *component = i % n;
      *found = isnan(value[h->gradient[i]]) ? NAN : value[h->gradient[i]];
      return i / n;
    }
  return -1;
}
