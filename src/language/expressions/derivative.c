/* Derivatives of lists of operations: backwards to a gradient, forwards along a direction. */
#include "base/owned.h"
#include "language/expressions/expression.h"

/* ---- what operations need ---- */

void cas_needed_free(cas_needed *s) {
  free(s->operation);
  free(s->uses);
  *s = (cas_needed){0};
}

static void take(const cas_operations *l, int operation, cas_needed *s) {
  const int place = l->place[operation];
  if (place < s->n && s->operation[place] == operation)
    return;
  l->place[operation] = s->n;
  s->operation[s->n++] = operation;
}

static int ascending(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

bool cas_needed_find(const cas_operations *l, int roots, const int *root, int first, int next,
                     cas_needed *s) {
  int last = 0;
  for (int k = 0; k < roots; k++)
    last = root[k] > last ? root[k] : last;
  *s = (cas_needed){0};
  s->operation = l->failed ? NULL : malloc(((size_t)last + 1) * sizeof *s->operation);
  for (int k = 0; s->operation && k < roots; k++)
    take(l, root[k], s);
  for (int i = 0; i < s->n; i++) {
    const cas_operation *o = &l->operation[s->operation[i]];
    const int operands = cas_operator_operands((cas_operator)o->operator_);
    if (operands > 0)
      take(l, o->a, s);
    if (operands > 1)
      take(l, o->b, s);
  }
  s->uses = s->operation ? malloc((size_t)s->n + 1) : NULL;
  if (!s->uses) {
    cas_needed_free(s);
    return false;
  }
  qsort(s->operation, (size_t)s->n, sizeof *s->operation, ascending);
  for (int i = 0; i < s->n; i++) {
    const cas_operation *o = &l->operation[s->operation[i]];
    const int operands = cas_operator_operands((cas_operator)o->operator_);
    l->place[s->operation[i]] = i;
    s->uses[i] = o->operator_ == CAS_OPERATOR_VARIABLE
                     ? o->a >= first && o->a < next
                     : (operands > 0 && s->uses[l->place[o->a]]) ||
                           (operands > 1 && s->uses[l->place[o->b]]);
  }
  return true;
}

/* ---- partial derivatives ---- */

/* Operations of the list l. */
#define NUMBER(x) cas_operations_number(l, x)
#define APPLY(o, x, y) cas_operations_apply(l, CAS_OPERATOR_##o, x, y)
#define PLUS(x, y) APPLY(ADD, x, y)
#define MINUS(x) APPLY(NEGATE, x, 0)
#define MINUS_FROM_1(x) APPLY(SUBTRACT, NUMBER(1), x)
#define TIMES(x, y) APPLY(MULTIPLY, x, y)
#define OVER(x, y) APPLY(DIVIDE, x, y)

/* sqrt(1 - a^2), from (1 - a)(1 + a), which loses no digits near a = 1 and -1. */
static int root_of_complement(cas_operations *l, int a) {
  const int one = NUMBER(1);
  return APPLY(SQUARE_ROOT, TIMES(APPLY(SUBTRACT, one, a), PLUS(one, a)), 0);
}

/* a^2 + b^2 */
static int squares(cas_operations *l, int a, int b) { return PLUS(TIMES(a, a), TIMES(b, b)); }

static bool is_choice(const cas_operations *l, int a) {
  const uint8_t o = l->operation[a].operator_;
  return o == CAS_OPERATOR_WHERE || o == CAS_OPERATOR_UNLESS;
}

/* A weight c (d w) of numbers c and d that cannot be one number, times a factor b, as c (d (w b)).
   A weight is a product from the outside of an expression to its inside: alone it may leave the
   range in which what is inside keeps the whole. */
static int weigh_inside(cas_operations *l, int weight, int b) {
  int w, rest;
  double number;
  if (cas_operations_is_number(l, b, &number) ||
      !cas_operations_begins_with_number(l, weight, &number, &rest) ||
      !cas_operations_begins_with_number(l, rest, &number, &w))
    return TIMES(weight, b);
  const int c = l->operation[weight].a, d = l->operation[rest].a;
  return TIMES(c, TIMES(d, TIMES(w, b)));
}

/* weight times a factor. What a condition chooses stays chosen by it, so that a factor which is
   infinite where it is not chosen does no harm: d/dx of if(x > 0, sqrt(x), 0) is 0 for x <= 0. */
static int weigh(cas_operations *l, int weight, int factor) {
  const cas_operation w = l->operation[weight], f = l->operation[factor];
  if (is_choice(l, weight))
    return cas_operations_apply(l, (cas_operator)w.operator_, w.a, weigh(l, w.b, factor));
  if (is_choice(l, factor))
    return cas_operations_apply(l, (cas_operator)f.operator_, f.a, weigh(l, weight, f.b));
  if (w.operator_ == CAS_OPERATOR_NEGATE)
    return MINUS(weigh_inside(l, w.a, factor));
  return weigh_inside(l, weight, factor);
}

/* d/da and d/db of an operation, -1 without such an operand; not for numbers and variables. */
static void partial(cas_operations *l, int f, int *of_a, int *of_b) {
  const int a = l->operation[f].a, b = l->operation[f].b;
  switch ((cas_operator)l->operation[f].operator_) {
#define CAS_OPERATION(name, operands, formula, by_a, by_b, size) \
  case CAS_OPERATOR_##name:                                      \
    *of_a = by_a;                                                \
    *of_b = by_b;                                                \
    return;
#include "language/expressions/operations.def"
#undef CAS_OPERATION
  default:
    *of_a = NUMBER(0);
    *of_b = -1;
  }
}

/* adjoint += weight, -1 being nothing yet */
static void accumulate(cas_operations *l, int *adjoint, int weight) {
  *adjoint = *adjoint < 0 ? weight : PLUS(*adjoint, weight);
}

/* Adds to the adjoints of the operands of an operation, by places among what is needed. */
static void spread(cas_operations *l, const bool *uses, int *adjoint, int operation, int weight) {
  const cas_operation o = l->operation[operation];
  const int a = l->place[o.a];
  int of_a, of_b;
  if (o.operator_ == CAS_OPERATOR_MULTIPLY && o.a == o.b) { /* (2 weight) a */
    accumulate(l, &adjoint[a], weigh(l, weigh(l, NUMBER(2), weight), o.a));
    return;
  }
  partial(l, operation, &of_a, &of_b);
  if (uses[a])
    accumulate(l, &adjoint[a], weigh(l, weight, of_a));
  if (of_b >= 0 && uses[l->place[o.b]])
    accumulate(l, &adjoint[l->place[o.b]], weigh(l, weight, of_b));
}

bool cas_operations_gradient(cas_operations *l, int root, int variables, int *derivative) {
  const int zero = NUMBER(0);
  CAS_OWNED_BY(cas_needed_free) cas_needed needed;
  if (!cas_needed_find(l, 1, &root, 0, variables, &needed))
    return false;
  const int last = needed.n - 1;
  CAS_OWNED int *adjoint = malloc((size_t)needed.n * sizeof *adjoint);
  if (!adjoint)
    return false;
  for (int i = 0; i <= last; i++)
    adjoint[i] = -1;
  for (int i = 0; i < variables; i++)
    derivative[i] = zero;
  adjoint[last] = NUMBER(1);
  for (int i = last; i >= 0 && !l->failed; i--) {
    const int operation = needed.operation[i];
    if (adjoint[i] < 0 || !needed.uses[i])
      continue;
    if (l->operation[operation].operator_ == CAS_OPERATOR_VARIABLE)
      derivative[l->operation[operation].a] = adjoint[i];
    else
      spread(l, needed.uses, adjoint, operation, adjoint[i]);
  }
  return !l->failed;
}

/* `tangent`: of what is needed, by places */
static int tangent_of(cas_operations *l, int operation, const int *tangent) {
  const cas_operation o = l->operation[operation];
  int of_a, of_b, sum;
  partial(l, operation, &of_a, &of_b);
  sum = weigh(l, of_a, tangent[l->place[o.a]]);
  return of_b < 0 ? sum : PLUS(sum, weigh(l, of_b, tangent[l->place[o.b]]));
}

bool cas_operations_tangent(cas_operations *l, int roots, const int *root, int variables,
                            const int *direction, int *tangent) {
  const int zero = NUMBER(0);
  CAS_OWNED_BY(cas_needed_free) cas_needed needed;
  if (!cas_needed_find(l, roots, root, 0, variables, &needed))
    return false;
  CAS_OWNED int *of = malloc((size_t)needed.n * sizeof *of);
  for (int i = 0; of && i < needed.n && !l->failed; i++) {
    const int operation = needed.operation[i];
    const bool is_variable = l->operation[operation].operator_ == CAS_OPERATOR_VARIABLE;
    of[i] = !needed.uses[i] ? zero
            : is_variable   ? direction[l->operation[operation].a]
                            : tangent_of(l, operation, of);
  }
  const bool done = of && !l->failed;
  for (int k = 0; k < roots && done; k++)
    tangent[k] = of[l->place[root[k]]];
  return done;
}
