#include "language/expressions/checks.h"

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

/* Values of the first `known` operations at a point, and sums of the absolute values of terms. */
typedef struct {
  double *variable, *value, *size;
  int known, capacity;
} values;

static bool values_make(const cas_hamiltonians *h, values *v) {
  const size_t variables = (size_t)cas_hamiltonians_xi(h, h->components);
  *v = (values){.variable = calloc(variables, sizeof *v->variable)};
  return v->variable;
}

static void values_free(values *v) {
  free(v->variable);
  free(v->value);
  free(v->size);
}

/* Evaluates what has come to the list since, and no operation twice. */
static bool values_extend(const cas_operations *l, values *v) {
  if (l->n > v->capacity) {
    if (!cas_owned_resize(&v->value, 2 * l->n, sizeof *v->value) ||
        !cas_owned_resize(&v->size, 2 * l->n, sizeof *v->size))
      return false;
    v->capacity = 2 * l->n;
  }
  cas_operations_evaluate(l, v->known, v->variable, v->value);
  cas_operations_sizes(l, v->known, v->value, v->size);
  v->known = l->n;
  return !l->failed;
}

/* ---- sums that are zero ---- */

typedef struct {
  cas_hamiltonians *h;
  values at[POINTS];
  int *gradient; /* [components], of the function that is looked at */
} check;

static bool check_begin(cas_hamiltonians *h, const double *x, check *c) {
  double largest = 0;
  bool made = true;
  for (int i = 0; i < h->components; i++)
    largest = fmax(largest, fabs(x[i]));
  *c = (check){.h = h, .gradient = calloc((size_t)h->components, sizeof *c->gradient)};
  for (int point = 0; point < POINTS && made; point++) {
    made = values_make(h, &c->at[point]);
    for (int i = 0; i < h->components && made; i++)
      c->at[point].variable[i] = coordinate(x, largest > 0 ? largest : 1, point, i);
  }
  return made && c->gradient;
}

static void check_end(check *c) {
  for (int point = 0; point < POINTS; point++)
    values_free(&c->at[point]);
  free(c->gradient);
}

/* Takes what has come to the list since it had n operations out again. */
static void forget(check *c, int n) {
  cas_operations_cut(&c->h->list, n);
  for (int point = 0; point < POINTS; point++)
    c->at[point].known = c->at[point].known < n ? c->at[point].known : n;
}

/* Looks at an operation that has to be 0 at all points, that of the components i, j and k. */
static bool look_at(check *c, int sum, int i, int j, int k, cas_check_finding *f) {
  bool evaluated = false, here = false;
  for (int point = 0; point < POINTS; point++) {
    values *v = &c->at[point];
    if (!values_extend(&c->h->list, v))
      return false;
    const double value = v->value[sum], size = v->size[sum];
    if (!isfinite(value) || !isfinite(size))
      continue;
    evaluated = true;
    const double found = value == 0 ? 0 : fabs(value) / size;
    if (found > f->largest) {
      f->largest = found;
      here |= !f->not_evaluated || found > cas_check_holds;
    }
  }
  if (here || (!evaluated && !f->not_evaluated && f->largest <= cas_check_holds)) {
    f->i = i;
    f->j = j;
    f->k = k;
  }
  f->not_evaluated |= !evaluated;
  return true;
}

/* ---- Casimirs ---- */

/* Looks at {x_i, f} for every i. */
static bool look_at_field(check *c, int function, cas_check_finding *f) {
  cas_hamiltonians *h = c->h;
  bool done = cas_operations_gradient(&h->list, function, h->components, c->gradient);
  for (int i = 0; i < h->components && done; i++)
    done = look_at(c, cas_bracket_add(h, cas_operations_number(&h->list, 0), i, c->gradient), i, 0,
                   0, f);
  return done;
}

bool cas_check_casimir(cas_hamiltonians *h, const double *x, int casimir, cas_check_finding *f) {
  CAS_OWNED_BY(check_end) check c;
  *f = (cas_check_finding){0};
  return check_begin(h, x, &c) && look_at_field(&c, casimir, f);
}

/* ---- noises ---- */

/* {H_a, H_b} of two noises, the Hamiltonian of the commutator of their flows */
static int bracket_of(cas_hamiltonians *h, int a, int b) {
  const int n = h->components, *of_a = h->gradient + a * n, *of_b = h->gradient + b * n;
  int sum = cas_operations_number(&h->list, 0);
  for (int i = 0; i < n; i++)
    sum = cas_operations_add_product(
        &h->list, sum, of_a[i], cas_bracket_add(h, cas_operations_number(&h->list, 0), i, of_b));
  return sum;
}

bool cas_check_commuting(cas_hamiltonians *h, const double *x, bool *commuting,
                         cas_check_finding *f) {
  const int before = h->list.n;
  CAS_OWNED_BY(check_end) check c;
  bool done = check_begin(h, x, &c);
  *commuting = true;
  *f = (cas_check_finding){0};
  for (int a = 1; a <= h->noises && *commuting; a++)
    for (int b = a + 1; b <= h->noises && *commuting && done; b++) {
      cas_check_finding found = {0};
      done = look_at_field(&c, bracket_of(h, a, b), &found);
      *commuting = found.largest <= cas_check_is_exact;
      if (found.not_evaluated && !f->not_evaluated)
        *f = (cas_check_finding){.i = a, .j = b, .not_evaluated = true};
      forget(&c, before);
    }
  f->not_evaluated &= *commuting;
  return done;
}

/* ---- Jacobi ---- */

/* Looks at {x_i, {x_j, x_k}} + {x_j, {x_k, x_i}} + {x_k, {x_i, x_j}}. */
static bool look_at_triple(check *c, const int *derivative, int i, int j, int k,
                           cas_check_finding *f) {
  cas_hamiltonians *h = c->h;
  const int n = h->components, before = h->list.n;
  int sum = cas_bracket_add(h, cas_operations_number(&h->list, 0), i, derivative + (j * n + k) * n);
  sum = cas_bracket_add(h, sum, j, derivative + (k * n + i) * n);
  sum = cas_bracket_add(h, sum, k, derivative + (i * n + j) * n);
  const bool done = look_at(c, sum, i, j, k, f);
  forget(c, before);
  return done;
}

bool cas_check_jacobi(cas_hamiltonians *h, const double *x, cas_check_finding *f) {
  const int n = h->components;
  /* derivative[(j n + k) n + l] of {x_j, x_k} with respect to x_l */
  CAS_OWNED int *derivative = calloc((size_t)n * (size_t)n * (size_t)n, sizeof *derivative);
  CAS_OWNED_BY(check_end) check c;
  *f = (cas_check_finding){0};
  bool done = check_begin(h, x, &c) && derivative;
  for (int e = 0; e < n * n && done; e++)
    done = cas_operations_gradient(&h->list, h->bracket.entry[e], n, derivative + e * n);
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++)
      for (int k = j + 1; k < n && done; k++)
        done = look_at_triple(&c, derivative, i, j, k, f);
  return done;
}

/* ---- linear brackets ---- */

/* They have constant derivatives, and are 0, beside their terms, where the state is. */
bool cas_check_linear(cas_hamiltonians *h, bool *linear) {
  const int n = h->components;
  CAS_OWNED int *derivative = calloc((size_t)n, sizeof *derivative);
  CAS_OWNED_BY(values_free) values at_zero;
  bool done = values_make(h, &at_zero) && derivative && values_extend(&h->list, &at_zero);
  *linear = true;
  for (int e = 0; e < n * n && done && *linear; e++) {
    const int entry = h->bracket.entry[e];
    done = cas_operations_gradient(&h->list, entry, n, derivative);
    *linear = done && fabs(at_zero.value[entry]) <= cas_check_is_exact * at_zero.size[entry];
    for (int k = 0; k < n && *linear; k++)
      *linear = cas_hamiltonians_is_constant(h, derivative[k]);
  }
  return done;
}

/* ---- forms ---- */

void cas_quadratics_free(cas_quadratics *q) {
  free(q->matrix);
  free(q->vector);
  *q = (cas_quadratics){0};
}

/* d2 H_k / dx_i dx_j as second[(k n + i) n + j], up to the first that depends on the state. */
static bool derive_twice(cas_hamiltonians *h, int *second, cas_form_place *place) {
  const int n = h->components;
  bool done = true;
  for (int row = 0; row < (1 + h->noises) * n && done && place->k < 0; row++) {
    done = cas_operations_gradient(&h->list, h->gradient[row], n, second + row * n);
    for (int j = 0; done && j < n && place->k < 0; j++)
      if (!cas_hamiltonians_is_constant(h, second[row * n + j]))
        *place = (cas_form_place){row / n, row % n, j};
  }
  return done;
}

/* Their numbers, and those of the gradients where the state is 0, which have to be finite. */
static bool fill_quadratics(const cas_hamiltonians *h, const int *second, cas_quadratics *q,
                            cas_form_place *place) {
  const int n = h->components;
  /* value[list.n] of all operations where all variables are 0 */
  CAS_OWNED double *x = calloc((size_t)cas_hamiltonians_xi(h, h->components), sizeof *x);
  CAS_OWNED double *value = calloc((size_t)h->list.n + 1, sizeof *value);
  if (!x || !value)
    return false;
  cas_operations_evaluate(&h->list, 0, x, value);
  for (int row = 0; row < (1 + h->noises) * n; row++) {
    q->vector[row] = value[h->gradient[row]];
    bool finite = isfinite(q->vector[row]);
    for (int j = 0; j < n; j++) {
      q->matrix[row * n + j] = value[second[row * n + j]];
      finite &= isfinite(q->matrix[row * n + j]);
    }
    if (!finite && place->k < 0)
      *place = (cas_form_place){row / n, row % n, row % n};
  }
  return true;
}

bool cas_quadratics_find(cas_hamiltonians *h, cas_quadratics *q, cas_form_place *place) {
  const size_t n = (size_t)h->components, rows = (size_t)(1 + h->noises) * n;
  CAS_OWNED int *second = calloc(rows * n, sizeof *second);
  *place = (cas_form_place){-1, 0, 0};
  *q = (cas_quadratics){h->components, calloc(rows * n, sizeof *q->matrix),
                        calloc(rows, sizeof *q->vector)};
  return second && q->matrix && q->vector && derive_twice(h, second, place) &&
         (place->k >= 0 || fill_quadratics(h, second, q, place));
}

bool cas_check_coupling(const cas_hamiltonians *h, cas_form_place *place) {
  const int n = h->components;
  CAS_OWNED bool *uses = calloc((size_t)h->list.n + 1, sizeof *uses);
  *place = (cas_form_place){-1, 0, 0};
  for (int j = 0; uses && j < n && place->k < 0; j++) {
    cas_operations_dependence(&h->list, j, j + 1, uses);
    for (int row = 0; row < (1 + h->noises) * n && place->k < 0; row++)
      if (row % n != j && uses[h->gradient[row]])
        *place = (cas_form_place){row / n, row % n, j};
  }
  return uses;
}
