/* Lists of operations, and what is known about them without knowing variables. */
#include "base/owned.h"
#include "language/expressions/expression.h"

void cas_operations_free(cas_operations *l) {
  free(l->operation);
  free(l->slot);
  free(l->place);
  *l = (cas_operations){0};
}

/* ---- no operation twice ---- */

static uint64_t hash(const cas_operation *o) {
  uint64_t bits;
  memcpy(&bits, &o->value, sizeof bits);
  bits ^= (uint64_t)o->operator_ << 56 ^ (uint64_t)(uint32_t)o->a << 24 ^ (uint64_t)(uint32_t)o->b;
  bits *= UINT64_C(0x9e3779b97f4a7c15);
  return bits ^ bits >> 29;
}

static bool same(const cas_operation *a, const cas_operation *b) {
  return a->operator_ == b->operator_ && a->a == b->a && a->b == b->b &&
         memcmp(&a->value, &b->value, sizeof a->value) == 0;
}

/* the slot that holds the operation, or the empty one where it belongs */
static int *find_slot(const cas_operations *l, const cas_operation *o) {
  const int mask = 2 * l->capacity - 1;
  int i = (int)(hash(o) & (uint64_t)mask);
  while (l->slot[i] >= 0 && !same(&l->operation[l->slot[i]], o))
    i = (i + 1) & mask;
  return &l->slot[i];
}

static bool grow(cas_operations *l) {
  int capacity = l->capacity ? 2 * l->capacity : 64;
  if (capacity > CAS_OPERATIONS_MOST ||
      !cas_owned_resize(&l->operation, capacity, sizeof *l->operation) ||
      !cas_owned_resize(&l->place, capacity, sizeof *l->place) ||
      !cas_owned_resize(&l->slot, capacity, 2 * sizeof *l->slot))
    return false;
  memset(l->place + l->capacity, 0, (size_t)(capacity - l->capacity) * sizeof *l->place);
  memset(l->slot, -1, 2 * (size_t)capacity * sizeof *l->slot);
  l->capacity = capacity;
  for (int i = 0; i < l->n; i++)
    *find_slot(l, &l->operation[i]) = i;
  return true;
}

static int add(cas_operations *l, cas_operation o) {
  if (l->failed || (l->n == l->capacity && !grow(l))) {
    l->failed = true;
    return 0;
  }
  int *slot = find_slot(l, &o);
  if (*slot < 0) {
    *slot = l->n;
    l->operation[l->n++] = o;
  }
  return *slot;
}

/* In a hash table with linear probing nobody has looked past what was added last. */
void cas_operations_cut(cas_operations *l, int n) {
  while (l->n > n && !l->failed)
    *find_slot(l, &l->operation[--l->n]) = -1;
}

static int add_of(cas_operations *l, cas_operator o, int a, int b) {
  return add(l, (cas_operation){.operator_ = (uint8_t)o, .a = a, .b = b});
}

int cas_operations_number(cas_operations *l, double value) {
  return add(l, (cas_operation){.operator_ = CAS_OPERATOR_NUMBER, .value = value == 0 ? 0 : value});
}

int cas_operations_variable(cas_operations *l, int number) {
  return add_of(l, CAS_OPERATOR_VARIABLE, number, 0);
}

bool cas_operations_is_number(const cas_operations *l, int operation, double *value) {
  if (l->failed || l->operation[operation].operator_ != CAS_OPERATOR_NUMBER)
    return false;
  *value = l->operation[operation].value;
  return true;
}

/* ---- numbers are folded ---- */

static double sign(double a) { return isnan(a) ? a : (a > 0) - (a < 0); }
static double least(double a, double b) { return a < b || isnan(a) ? a : b; }
static double most(double a, double b) { return a > b || isnan(a) ? a : b; }
static double less(double a, double b) { return isnan(a) || isnan(b) ? a + b : a < b; }
static double where(double a, double b) { return isnan(a) ? a : a != 0 ? b : 0; }
static double unless(double a, double b) { return isnan(a) ? a : a == 0 ? b : 0; }

static double fold(cas_operator o, double a, double b) {
  const double c = 0;
#define OF(f) f
  switch (o) {
#define CAS_OPERATION(name, operands, formula, ...) \
  case CAS_OPERATOR_##name:                         \
    return formula;
#include "language/expressions/operations.def"
#undef CAS_OPERATION
  default:
    return c;
  }
#undef OF
}

int cas_operator_operands(cas_operator o) {
  static const int of[] = {
#define CAS_OPERATION(name, operands, ...) operands,
#include "language/expressions/operations.def"
#undef CAS_OPERATION
      [CAS_OPERATOR_NUMBER] = 0, [CAS_OPERATOR_VARIABLE] = 0};
  return of[o];
}

void cas_operations_evaluate(const cas_operations *l, int first, const double *variable,
                             double *value) {
  for (int i = first; i < l->n; i++) {
    const cas_operation *o = &l->operation[i];
    value[i] = o->operator_ == CAS_OPERATOR_NUMBER ? o->value
               : o->operator_ == CAS_OPERATOR_VARIABLE
                   ? variable[o->a]
                   : fold(o->operator_, value[o->a], value[o->b]);
  }
}

/* |f| of an operation f and |df/da| times the size of a, and the same of b */
static double size_of(cas_operator o, double f, double a, double b, double size_a, double size_b) {
  const double f_ = fabs(f);
  switch (o) {
#define CAS_OPERATION(name, operands, formula, by_a, by_b, size) \
  case CAS_OPERATOR_##name:                                      \
    return size;
#include "language/expressions/operations.def"
#undef CAS_OPERATION
  default:
    return f_;
  }
}

void cas_operations_sizes(const cas_operations *l, int first, const double *value, double *size) {
  for (int i = first; i < l->n; i++) {
    const cas_operation *o = &l->operation[i];
    const int operands = cas_operator_operands(o->operator_), a = operands > 0 ? o->a : i,
              b = operands > 1 ? o->b : a;
    size[i] = operands == 0 ? fabs(value[i])
                            : size_of(o->operator_, value[i], value[a], value[b], size[a], size[b]);
  }
}

/* ---- what is out of range is not folded ---- */

/* Whether numbers that are multiplied, divided or taken to a power leave the range in which doubles
   have all digits: folded into one number they would lose what another factor brings back. */
static bool leaves_range(cas_operator o, double a, double b, double result) {
  const bool product = o == CAS_OPERATOR_MULTIPLY && a != 0 && b != 0,
             quotient = o == CAS_OPERATOR_DIVIDE && a != 0 && b != 0,
             power = o == CAS_OPERATOR_EXPONENTIAL || (o == CAS_OPERATOR_POWER && a != 0);
  return isfinite(a) && isfinite(b) && !isnan(result) && !isnormal(result) &&
         (product || quotient || (power && isfinite(result)));
}

bool cas_operations_is_out_of_range(const cas_operations *l, int operation, double *value) {
  double a, b;
  if (l->failed || l->operation[operation].operator_ >= CAS_OPERATOR_NUMBER)
    return false;
  const cas_operation o = l->operation[operation];
  if (!cas_operations_is_number(l, o.a, &a) ||
      !cas_operations_is_number(l, cas_operator_operands(o.operator_) == 1 ? o.a : o.b, &b))
    return false;
  *value = fold(o.operator_, a, b);
  return true;
}

/* ---- what need not be computed ---- */

/* Operations of the list l. */
#define NUMBER(x) cas_operations_number(l, x)
#define APPLY(o, x, y) cas_operations_apply(l, CAS_OPERATOR_##o, x, y)
#define IS(x, o) is(l, x, CAS_OPERATOR_##o)

static bool is(const cas_operations *l, int operation, cas_operator o) {
  return !l->failed && l->operation[operation].operator_ == o;
}

static bool equals(const cas_operations *l, int operation, double value) {
  double found;
  return cas_operations_is_number(l, operation, &found) && found == value;
}

static int negate(cas_operations *l, int a) {
  if (IS(a, NEGATE))
    return l->operation[a].a;
  if (IS(a, SUBTRACT))
    return APPLY(SUBTRACT, l->operation[a].b, l->operation[a].a);
  return add_of(l, CAS_OPERATOR_NEGATE, a, 0);
}

static int sum(cas_operations *l, int a, int b) {
  if (equals(l, a, 0))
    return b;
  if (equals(l, b, 0))
    return a;
  if (a == b)
    return APPLY(MULTIPLY, NUMBER(2), a);
  if (IS(b, NEGATE))
    return APPLY(SUBTRACT, a, l->operation[b].a);
  if (IS(a, NEGATE))
    return APPLY(SUBTRACT, b, l->operation[a].a);
  return add_of(l, CAS_OPERATOR_ADD, a < b ? a : b, a < b ? b : a);
}

static int difference(cas_operations *l, int a, int b) {
  if (equals(l, b, 0))
    return a;
  if (equals(l, a, 0))
    return negate(l, b);
  if (a == b)
    return NUMBER(0);
  if (IS(b, NEGATE))
    return APPLY(ADD, a, l->operation[b].a);
  return add_of(l, CAS_OPERATOR_SUBTRACT, a, b);
}

/* Whether a number that operations bring together may stand before products: far enough from the
   ends of the range for a step or a weight as another factor. */
static bool may_stand_before(double value) {
  const double most = 0x1p900;
  return fabs(value) <= most && fabs(value) >= 1 / most;
}

/* (c d) b and (c/d) b of numbers c, d out of range, as c (d b) and (c b)/d; -1 if that is, too. */
static int regroup_numbers(cas_operations *l, int out_of_range, int b) {
  const cas_operation o = l->operation[out_of_range];
  const bool divided = o.operator_ == CAS_OPERATOR_DIVIDE;
  double value;
  int inner = APPLY(MULTIPLY, divided ? o.a : o.b, b);
  if (cas_operations_is_out_of_range(l, inner, &value))
    return -1;
  return divided ? APPLY(DIVIDE, inner, o.b) : APPLY(MULTIPLY, o.a, inner);
}

bool cas_operations_begins_with_number(const cas_operations *l, int operation, double *number,
                                       int *rest) {
  if (!IS(operation, MULTIPLY) || !cas_operations_is_number(l, l->operation[operation].a, number))
    return false;
  *rest = l->operation[operation].b;
  return true;
}

/* The product of the number a with a product b = c (d (.. w)) of numbers c, d, .. and something
   else: a becomes one number with the first of them that it can; -1 where there is none. */
static int bring_together(cas_operations *l, int a, int b) {
  double left, right;
  int rest;
  if (!cas_operations_is_number(l, a, &left) ||
      !cas_operations_begins_with_number(l, b, &right, &rest))
    return -1;
  const int first = l->operation[b].a;
  if (may_stand_before(left * right))
    return APPLY(MULTIPLY, NUMBER(left * right), rest);
  int brought = bring_together(l, a, rest);
  return brought < 0 ? -1 : APPLY(MULTIPLY, first, brought);
}

/* a number comes first, and numbers of products of products come together */
static int product(cas_operations *l, int a, int b) {
  double left, right;
  if (cas_operations_is_number(l, b, &right) || IS(b, NEGATE)) {
    int c = a;
    a = b;
    b = c;
  }
  if (equals(l, a, 0) || equals(l, b, 0))
    return NUMBER(0);
  if (equals(l, a, 1))
    return b;
  if (equals(l, a, -1))
    return negate(l, b);
  if (IS(a, NEGATE))
    return negate(l, APPLY(MULTIPLY, l->operation[a].a, b));
  int regrouped = -1;
  if (cas_operations_is_out_of_range(l, b, &right))
    regrouped = regroup_numbers(l, b, a);
  else if (cas_operations_is_out_of_range(l, a, &left))
    regrouped = regroup_numbers(l, a, b);
  if (regrouped >= 0)
    return regrouped;
  int brought = bring_together(l, a, b);
  if (brought >= 0)
    return brought;
  bool ordered = a < b || cas_operations_is_number(l, a, &left);
  return add_of(l, CAS_OPERATOR_MULTIPLY, ordered ? a : b, ordered ? b : a);
}

static int quotient(cas_operations *l, int a, int b) {
  if (equals(l, b, 1) || (equals(l, a, 0) && !equals(l, b, 0)))
    return a;
  return add_of(l, CAS_OPERATOR_DIVIDE, a, b);
}

/* A choice by condition `a`: a number decides at once; a second choice by it changes nothing. */
static int decide(cas_operations *l, cas_operator o, int a, int b) {
  double condition;
  if (is(l, b, o) && l->operation[b].a == a)
    return b;
  if (cas_operations_is_number(l, a, &condition))
    return (condition != 0) == (o == CAS_OPERATOR_WHERE) ? b : NUMBER(0);
  return equals(l, b, 0) ? b : add_of(l, o, a, b);
}

int cas_operations_apply(cas_operations *l, cas_operator o, int a, int b) {
  const bool unary = cas_operator_operands(o) == 1;
  double left = 0, right = 0;
  if (cas_operations_is_number(l, a, &left) && cas_operations_is_number(l, unary ? a : b, &right)) {
    double result = fold(o, left, right);
    return leaves_range(o, left, right, result) ? add_of(l, o, a, unary ? 0 : b) : NUMBER(result);
  }
  switch (o) {
  case CAS_OPERATOR_ADD:
    return sum(l, a, b);
  case CAS_OPERATOR_SUBTRACT:
    return difference(l, a, b);
  case CAS_OPERATOR_MULTIPLY:
    return product(l, a, b);
  case CAS_OPERATOR_DIVIDE:
    return quotient(l, a, b);
  case CAS_OPERATOR_NEGATE:
    return negate(l, a);
  case CAS_OPERATOR_WHERE:
  case CAS_OPERATOR_UNLESS:
    return decide(l, o, a, b);
  default:
    return add_of(l, o, a, unary ? 0 : b);
  }
}

int cas_operations_add_product(cas_operations *l, int sum, int a, int b) {
  return APPLY(ADD, sum, APPLY(MULTIPLY, a, b));
}

int cas_operations_choose(cas_operations *l, int condition, int a, int b) {
  return APPLY(ADD, APPLY(WHERE, condition, a), APPLY(UNLESS, condition, b));
}

static int whole_power(cas_operations *l, int a, int n) {
  if (n == 1)
    return a;
  int half = whole_power(l, a, n / 2), square = APPLY(MULTIPLY, half, half);
  return n % 2 ? APPLY(MULTIPLY, square, a) : square;
}

int cas_operations_power(cas_operations *l, int a, int b) {
  double n, base;
  if (!cas_operations_is_number(l, b, &n) || cas_operations_is_number(l, a, &base))
    return APPLY(POWER, a, b);
  if (n == 0)
    return NUMBER(1);
  if (n == 0.5)
    return APPLY(SQUARE_ROOT, a, 0);
  if (n != rint(n) || fabs(n) > CAS_EXPRESSION_POWER)
    return APPLY(POWER, a, b);
  int power = whole_power(l, a, (int)fabs(n));
  return n > 0 ? power : APPLY(DIVIDE, NUMBER(1), power);
}

void cas_operations_dependence(const cas_operations *l, int first, int next, bool *uses) {
  for (int i = 0; i < l->n; i++) {
    const cas_operation *o = &l->operation[i];
    const int operands = cas_operator_operands(o->operator_);
    uses[i] = o->operator_ == CAS_OPERATOR_VARIABLE
                  ? o->a >= first && o->a < next
                  : (operands > 0 && uses[o->a]) || (operands > 1 && uses[o->b]);
  }
}
