#include "expressions/checks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const double cas_check_holds = 1e-9, cas_check_is_exact = 1e-12;

/* ---- points ---- */

enum { WIDE = 4, POINTS = 8 };

/* Golden ratios between 0 and 1: points that no formula prefers, the same on every machine. */
static double fraction(int point, int component) {
  double turns = (1 + component + 37 * point) * 0.61803398874989484820;
  return turns - floor(turns);
}

/* Component i of a point: 0.2 to 1.2 times the component of the state; of further points, for
   expressions with a value near the state alone, 0.95 to 1.05 times that component. A component
   that is 0 is as large as the largest one. */
static double coordinate(const double *x, double largest, int point, int i) {
  const bool wide = point < WIDE;
  if (x[i] == 0)
    return largest * (wide ? 0.2 + fraction(point, i) : 0.05 * (fraction(point, i) - 0.5));
  return x[i] * (wide ? 0.2 + fraction(point, i) : 0.95 + 0.1 * fraction(point, i));
}

/* Values of all operations at a point, and the sums of the absolute values of their terms. */
typedef struct {
  double *variable, *value, *size;
} values;

static bool values_make(const cas_hamiltonians *h, values *v) {
  *v = (values){calloc((size_t)cas_hamiltonians_xi(h, h->components), sizeof *v->variable),
                calloc((size_t)h->list.n, sizeof *v->value),
                calloc((size_t)h->list.n, sizeof *v->size)};
  return v->variable && v->value && v->size && !h->list.failed;
}

static void values_free(values *v) {
  free(v->variable);
  free(v->value);
  free(v->size);
}

static void set_variables(const cas_hamiltonians *h, const double *x, int point, values *v) {
  double largest = 0;
  for (int i = 0; i < h->components; i++)
    largest = fmax(largest, fabs(x[i]));
  for (int i = 0; i < h->components; i++)
    v->variable[i] = coordinate(x, largest > 0 ? largest : 1, point, i);
}

/* At all points, of the first `known` operations. */
typedef struct {
  values at[POINTS];
  int known, capacity;
} everywhere;

static void everywhere_free(everywhere *e) {
  for (int point = 0; point < POINTS; point++)
    values_free(&e->at[point]);
}

static bool grow(double **array, int capacity) {
  double *more = realloc(*array, (size_t)capacity * sizeof *more);
  *array = more ? more : *array;
  return more;
}

/* Evaluates what has come to the list since, and no operation twice. */
static bool everywhere_extend(const cas_hamiltonians *h, everywhere *e) {
  const int n = h->list.n, capacity = 2 * n;
  for (int point = 0; point < POINTS && n > e->capacity; point++)
    if (!grow(&e->at[point].value, capacity) || !grow(&e->at[point].size, capacity))
      return false;
  e->capacity = n > e->capacity ? capacity : e->capacity;
  for (int point = 0; point < POINTS; point++) {
    values *v = &e->at[point];
    cas_operations_evaluate_from(&h->list, e->known, v->variable, v->value);
    cas_operations_sizes_from(&h->list, e->known, v->value, v->size);
  }
  e->known = n;
  return !h->list.failed;
}

static bool everywhere_make(const cas_hamiltonians *h, const double *x, everywhere *e) {
  bool made = true;
  *e = (everywhere){0};
  for (int point = 0; point < POINTS && made; point++) {
    made = values_make(h, &e->at[point]);
    if (made)
      set_variables(h, x, point, &e->at[point]);
  }
  e->capacity = h->list.n;
  return made;
}

/* ---- sums ---- */

/* A sum of products, and the sum of their absolute values. */
typedef struct {
  double value, size;
} sum;

static void add_product(const cas_hamiltonians *h, const values *v, int a, int b, double sign,
                        sum *s) {
  double zero;
  if ((cas_operations_is_number(&h->list, a, &zero) && zero == 0) ||
      (cas_operations_is_number(&h->list, b, &zero) && zero == 0))
    return;
  s->value += sign * v->value[a] * v->value[b];
  s->size += v->size[a] * v->size[b];
}

/* Takes a sum into account, unless it has no value; returns whether it has one. */
static bool find_largest(sum s, int i, int j, int k, cas_check_finding *f) {
  if (!isfinite(s.value) || !isfinite(s.size))
    return false;
  const double found = s.value == 0 ? 0 : fabs(s.value) / s.size;
  if (found > f->largest) {
    f->largest = found;
    f->i = i, f->j = j, f->k = k;
  }
  return true;
}

/* The first of `sums` sums that no point has evaluated, -1: there is none. */
static int first_missing(const bool *evaluated, int sums) {
  for (int i = 0; i < sums; i++)
    if (!evaluated[i])
      return i;
  return -1;
}

/* ---- Casimirs ---- */

/* sum_j {x_i, x_j} derivative_j for every i at all points */
static void look_at_field(const cas_hamiltonians *h, const int *derivative, const everywhere *e,
                          bool *evaluated, cas_check_finding *f) {
  const int n = h->components;
  for (int point = 0; point < POINTS; point++)
    for (int i = 0; i < n; i++) {
      sum s = {0};
      for (int j = 0; j < n; j++)
        add_product(h, &e->at[point], h->bracket.entry[i * n + j], derivative[j], 1, &s);
      evaluated[i] |= find_largest(s, i, 0, 0, f);
    }
}

static bool check_casimir(cas_hamiltonians *h, everywhere *e, int casimir, cas_check_finding *f) {
  const int n = h->components;
  int *derivative = calloc((size_t)n, sizeof *derivative), missing;
  bool *evaluated = calloc((size_t)n, sizeof *evaluated);
  *f = (cas_check_finding){0};
  bool done = derivative && evaluated &&
              cas_operations_gradient(&h->list, casimir, n, derivative) && everywhere_extend(h, e);
  if (done) {
    look_at_field(h, derivative, e, evaluated, f);
    missing = first_missing(evaluated, n);
    f->not_evaluated = missing >= 0;
    f->i = f->not_evaluated ? missing : f->i;
  }
  free(derivative);
  free(evaluated);
  return done;
}

bool cas_check_casimir(cas_hamiltonians *h, const double *x, int casimir, cas_check_finding *f) {
  everywhere e;
  bool done = everywhere_make(h, x, &e) && check_casimir(h, &e, casimir, f);
  everywhere_free(&e);
  return done;
}

/* ---- noises ---- */

/* The vector field V of a noise, with the derivatives that are not 0, at all points. */
typedef struct {
  sum *field;        /* [POINTS][components] */
  int entries;       /* derivatives dV_row/dx_column */
  int *row, *column; /* [entries] */
  sum *derivative;   /* [POINTS][entries] */
} flow;

static void flows_free(flow *flows, int n) {
  for (int k = 0; flows && k < n; k++) {
    free(flows[k].field);
    free(flows[k].row);
    free(flows[k].column);
    free(flows[k].derivative);
  }
  free(flows);
}

static bool is_zero(const cas_hamiltonians *h, int operation) {
  double number;
  return cas_operations_is_number(&h->list, operation, &number) && number == 0;
}

/* V_i = sum_j {x_i, x_j} dH/dx_j as operations, and dV_i/dx_j. */
static bool derive_flow(cas_hamiltonians *h, int noise, int *field, int *derivative) {
  const int n = h->components;
  cas_operations *l = &h->list;
  bool done = true;
  for (int i = 0; i < n && done; i++) {
    field[i] = cas_operations_number(l, 0);
    for (int j = 0; j < n; j++)
      field[i] = cas_operations_apply(l, CAS_OPERATOR_ADD, field[i],
                                      cas_operations_apply(l, CAS_OPERATOR_MULTIPLY,
                                                           h->bracket.entry[i * n + j],
                                                           h->gradient[noise * n + j]));
    done = cas_operations_gradient(l, field[i], n, derivative + i * n);
  }
  return done;
}

static bool flow_make(const cas_hamiltonians *h, const int *derivative, flow *out) {
  const int n = h->components;
  for (int e = 0; e < n * n; e++)
    out->entries += !is_zero(h, derivative[e]);
  const size_t entries = (size_t)out->entries + 1;
  out->field = calloc((size_t)(POINTS * n), sizeof *out->field);
  out->row = calloc(entries, sizeof *out->row);
  out->column = calloc(entries, sizeof *out->column);
  out->derivative = calloc(POINTS * entries, sizeof *out->derivative);
  if (!out->field || !out->row || !out->column || !out->derivative)
    return false;
  for (int e = 0, to = 0; e < n * n; e++)
    if (!is_zero(h, derivative[e])) {
      out->row[to] = e / n;
      out->column[to++] = e % n;
    }
  return true;
}

static void take_values(const cas_hamiltonians *h, const everywhere *e, const int *field,
                        const int *derivative, flow *out) {
  const int n = h->components;
  for (int point = 0; point < POINTS; point++) {
    const values *v = &e->at[point];
    for (int i = 0; i < n; i++)
      if (!is_zero(h, field[i]))
        out->field[point * n + i] = (sum){v->value[field[i]], v->size[field[i]]};
    for (int d = 0; d < out->entries; d++) {
      const int of = derivative[out->row[d] * n + out->column[d]];
      out->derivative[point * out->entries + d] = (sum){v->value[of], v->size[of]};
    }
  }
}

/* What a noise adds to the list is taken from it again, so that the next does not have to go
   through it. */
static bool find_flow(cas_hamiltonians *h, everywhere *e, int noise, flow *out) {
  const int n = h->components, before = h->list.n;
  int *field = calloc((size_t)n, sizeof *field), *derivative = calloc((size_t)(n * n), sizeof(int));
  const bool done = field && derivative && derive_flow(h, noise, field, derivative) &&
                    everywhere_extend(h, e) && flow_make(h, derivative, out);
  if (done) {
    take_values(h, e, field, derivative, out);
    cas_operations_cut(&h->list, before);
    e->known = before < e->known ? before : e->known;
  }
  free(field);
  free(derivative);
  return done;
}

/* s_i += sign sum_j V_j dW_i/dx_j at a point */
static void add_transport(const flow *v, const flow *w, int n, int point, double sign, sum *s) {
  for (int d = 0; d < w->entries; d++) {
    const sum a = v->field[point * n + w->column[d]], b = w->derivative[point * w->entries + d];
    if (a.size == 0)
      continue;
    s[w->row[d]].value += sign * a.value * b.value;
    s[w->row[d]].size += a.size * b.size;
  }
}

/* The commutator of two vector fields, V(W_i) - W(V_i); s[components] is work space. */
static void look_at_pair(const flow *v, const flow *w, int n, sum *s, bool *evaluated,
                         cas_check_finding *f) {
  *f = (cas_check_finding){0};
  memset(evaluated, 0, (size_t)n * sizeof *evaluated);
  for (int point = 0; point < POINTS; point++) {
    memset(s, 0, (size_t)n * sizeof *s);
    add_transport(v, w, n, point, 1, s);
    add_transport(w, v, n, point, -1, s);
    for (int i = 0; i < n; i++)
      evaluated[i] |= find_largest(s[i], i, 0, 0, f);
  }
  f->not_evaluated = first_missing(evaluated, n) >= 0;
}

static bool check_pairs(const flow *flows, int noises, int n, bool *commuting,
                        cas_check_finding *f) {
  sum *s = calloc((size_t)n, sizeof *s);
  bool *evaluated = calloc((size_t)n, sizeof *evaluated), done = s && evaluated;
  for (int a = 0; a < noises && done && *commuting; a++)
    for (int b = a + 1; b < noises && *commuting; b++) {
      cas_check_finding found;
      look_at_pair(&flows[a], &flows[b], n, s, evaluated, &found);
      *commuting = found.largest <= cas_check_is_exact;
      if (found.not_evaluated && *commuting && !f->not_evaluated)
        *f = (cas_check_finding){.i = a + 1, .j = b + 1, .not_evaluated = true};
    }
  f->not_evaluated &= *commuting;
  free(s);
  free(evaluated);
  return done;
}

/* Vector fields are derived once for each noise; pairs of them are sums of numbers. */
bool cas_check_commuting(cas_hamiltonians *h, const double *x, bool *commuting,
                         cas_check_finding *f) {
  *commuting = true;
  *f = (cas_check_finding){0};
  if (h->noises < 2)
    return true;
  everywhere e;
  flow *flows = calloc((size_t)h->noises, sizeof *flows);
  bool done = everywhere_make(h, x, &e) && flows;
  for (int k = 0; k < h->noises && done; k++)
    done = find_flow(h, &e, k + 1, &flows[k]);
  done = done && check_pairs(flows, h->noises, h->components, commuting, f);
  flows_free(flows, h->noises);
  everywhere_free(&e);
  return done;
}

/* ---- Jacobi ---- */

/* derivative[(j n + k) n + l] of {x_j, x_k} with respect to x_l, j < k */
static bool derive_brackets(cas_hamiltonians *h, int *derivative) {
  const int n = h->components;
  bool done = true;
  for (int j = 0; j < n && done; j++)
    for (int k = j + 1; k < n && done; k++)
      done = cas_operations_gradient(&h->list, h->bracket.entry[j * n + k], n,
                                     derivative + (j * n + k) * n);
  return done;
}

/* Adds {x_i, {x_j, x_k}}. */
static void add_twice(const cas_hamiltonians *h, const values *v, const int *derivative, int i,
                      int j, int k, sum *s) {
  const int n = h->components, *of = derivative + (j < k ? j * n + k : k * n + j) * n;
  for (int l = 0; l < n; l++)
    add_product(h, v, h->bracket.entry[i * n + l], of[l], j < k ? 1 : -1, s);
}

static void look_at_triples(const cas_hamiltonians *h, const values *v, const int *derivative,
                            bool *evaluated, cas_check_finding *f) {
  const int n = h->components;
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++)
      for (int k = j + 1; k < n; k++) {
        sum s = {0};
        add_twice(h, v, derivative, i, j, k, &s);
        add_twice(h, v, derivative, j, k, i, &s);
        add_twice(h, v, derivative, k, i, j, &s);
        evaluated[(i * n + j) * n + k] |= find_largest(s, i, j, k, f);
      }
}

static void find_missing_triple(const cas_hamiltonians *h, const bool *evaluated,
                                cas_check_finding *f) {
  const int n = h->components;
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++)
      for (int k = j + 1; k < n; k++)
        if (!evaluated[(i * n + j) * n + k] && !f->not_evaluated)
          *f = (cas_check_finding){
              .largest = f->largest, .i = i, .j = j, .k = k, .not_evaluated = true};
}

bool cas_check_jacobi(cas_hamiltonians *h, const double *x, cas_check_finding *f) {
  const size_t n = (size_t)h->components;
  values v = {0};
  int *derivative = calloc(n * n * n, sizeof *derivative);
  bool *evaluated = calloc(n * n * n, sizeof *evaluated);
  *f = (cas_check_finding){0};
  bool done = derivative && evaluated && derive_brackets(h, derivative) && values_make(h, &v);
  for (int point = 0; point < POINTS && done; point++) {
    set_variables(h, x, point, &v);
    cas_operations_evaluate(&h->list, v.variable, v.value);
    cas_operations_sizes(&h->list, v.value, v.size);
    look_at_triples(h, &v, derivative, evaluated, f);
  }
  if (done && f->largest <= cas_check_holds)
    find_missing_triple(h, evaluated, f);
  values_free(&v);
  free(derivative);
  free(evaluated);
  return done;
}

/* ---- linear brackets ---- */

/* What a bracket of constant derivatives is where the state is 0, relative to its terms. */
static bool vanishes_at_zero(const cas_hamiltonians *h, const values *v) {
  for (int e = 0; e < h->components * h->components; e++) {
    const int entry = h->bracket.entry[e];
    if (!(fabs(v->value[entry]) <= cas_check_is_exact * v->size[entry]))
      return false;
  }
  return true;
}

bool cas_check_linear(cas_hamiltonians *h, bool *linear) {
  const int n = h->components;
  int *derivative = calloc((size_t)n, sizeof *derivative);
  values v = {0};
  bool done = derivative;
  *linear = true;
  for (int e = 0; e < n * n && done && *linear; e++) {
    done = cas_operations_gradient(&h->list, h->bracket.entry[e], n, derivative);
    for (int k = 0; k < n && done; k++)
      *linear &= cas_hamiltonians_is_constant(h, derivative[k]);
  }
  done = done && values_make(h, &v);
  if (done && *linear) {
    cas_operations_evaluate(&h->list, v.variable, v.value);
    cas_operations_sizes(&h->list, v.value, v.size);
    *linear = vanishes_at_zero(h, &v);
  }
  values_free(&v);
  free(derivative);
  return done;
}
