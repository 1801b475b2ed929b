/* Reads expressions by recursive descent:

       all     = sum [("<" | "<=" | ">" | ">=") sum]
       sum     = product {("+" | "-") product}
       product = factor {("*" | "/") factor}
       factor  = ("+" | "-") factor | power
       power   = primary ["^" factor]
       primary = number | name | function "(" all {"," all} ")" | name "(" sum "," sum ")"
               | function over paths "(" all ["," all] ")" | "(" all ")" */
#include "base/name_list.h"
#include "base/text.h"
#include "language/config/number.h"
#include "language/expressions/expression.h"

#include <casimir/config.h>

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>

enum { LONGEST_NAME = 40, SHOWN = 24 };

typedef struct {
  const char *text, *at;
  const cas_scope *scope;
  cas_operations *list;
  cas_complaint *complaint;
  int depth;
  bool failed;
} reader;

static const struct {
  const char *name;
  int operands;
  cas_operator operator_;
} functions[] = {{"sin", 1, CAS_OPERATOR_SINE},         {"cos", 1, CAS_OPERATOR_COSINE},
                 {"tan", 1, CAS_OPERATOR_TANGENT},      {"exp", 1, CAS_OPERATOR_EXPONENTIAL},
                 {"log", 1, CAS_OPERATOR_LOGARITHM},    {"sqrt", 1, CAS_OPERATOR_SQUARE_ROOT},
                 {"abs", 1, CAS_OPERATOR_ABSOLUTE},     {"min", 2, CAS_OPERATOR_MINIMUM},
                 {"max", 2, CAS_OPERATOR_MAXIMUM},      {"pow", 2, CAS_OPERATOR_POWER},
                 {"asin", 1, CAS_OPERATOR_ARC_SINE},    {"acos", 1, CAS_OPERATOR_ARC_COSINE},
                 {"atan", 1, CAS_OPERATOR_ARC_TANGENT}, {"atan2", 2, CAS_OPERATOR_ANGLE},
                 {"if", 3, CAS_OPERATOR_WHERE}};

enum { FUNCTIONS = sizeof functions / sizeof *functions, MOST_OPERANDS = 3 };

static const char pi_name[] = "pi";

/* ---- what is wrong ---- */

CAS_PRINTF(3, 4)
static int fail(reader *r, const char *at, const char *format, ...) {
  va_list args;
  if (r->failed)
    return 0;
  r->failed = true;
  r->complaint->at = (int)(at - r->text);
  va_start(args, format);
  vsnprintf(r->complaint->text, sizeof r->complaint->text, format, args);
  va_end(args);
  return 0;
}

/* "')'", or the end */
static const char *shown(const char *at, char out[SHOWN]) {
  uint32_t code;
  if (!*at)
    snprintf(out, SHOWN, "the end");
  else if ((unsigned char)*at >= 0x80 && cas_text_decode(at, &code))
    snprintf(out, SHOWN, "U+%04X, not ASCII", (unsigned)code);
  else if (isgraph((unsigned char)*at))
    snprintf(out, SHOWN, "'%c'", *at);
  else
    snprintf(out, SHOWN, "byte 0x%02X", (unsigned char)*at);
  return out;
}

static int expected(reader *r, const char *what) {
  char found[SHOWN];
  return fail(r, r->at, "found %s, must be %s", shown(r->at, found), what);
}

/* ---- words ---- */

static bool begins_name(char c) { return isalpha((unsigned char)c) || c == '_'; }

static size_t name_length(const char *at) {
  size_t n = 0;
  while (begins_name(at[n]) || (n > 0 && isdigit((unsigned char)at[n])))
    n++;
  return n;
}

static void skip_blanks(reader *r) {
  while (*r->at && strchr(" \t\n\r", *r->at))
    r->at++;
}

static bool take(reader *r, char c) {
  skip_blanks(r);
  if (*r->at != c)
    return false;
  r->at++;
  return true;
}

static bool is_word(const char *name, const char *at, size_t length) {
  return strlen(name) == length && memcmp(name, at, length) == 0;
}

static int find_function(const char *at, size_t length) {
  int f = 0;
  while (f < FUNCTIONS && !is_word(functions[f].name, at, length))
    f++;
  return f;
}

const char *cas_expression_bad_name(const char *name) {
  size_t length = name_length(name);
  if (length == 0 || name[length] || name[0] == '_')
    return "must be a name of letters, digits and _ that begins with a letter";
  if (length > LONGEST_NAME)
    return "must be a name of 40 characters at most";
  if (find_function(name, length) < FUNCTIONS || strcmp(name, pi_name) == 0)
    return "must be another name: this one has a meaning in expressions";
  return NULL;
}

/* ---- names ---- */

enum { MOST_SHOWN = 24 };

/* Adds names; of the first MOST_SHOWN none twice. */
static void add_names(cas_name_list *l, const char *const *more) {
  for (; more && *more; more++) {
    int i = 0;
    while (i < l->n && i < MOST_SHOWN && strcmp(l->name[i], *more) != 0)
      i++;
    if (i == l->n || i == MOST_SHOWN)
      cas_name_list_add(l, *more);
  }
}

static int fail_unknown(reader *r, const char *at, size_t length) {
  const cas_scope *s = r->scope;
  cas_name_list names = {0};
  char name[LONGEST_NAME + 1], known[800] = "";
  snprintf(name, sizeof name, "%.*s", (int)length, at);
  add_names(&names, s->indexed);
  add_names(&names, s->variable);
  add_names(&names, s->expression);
  add_names(&names, s->constant);
  for (int i = 0; i < names.n && i < MOST_SHOWN; i++)
    cas_append(known, sizeof known, "%s%s", i ? ", " : "", names.name[i]);
  if (names.n > MOST_SHOWN)
    cas_append(known, sizeof known, ", ..");
  for (int i = 0; i < FUNCTIONS; i++)
    cas_append(known, sizeof known, "%s%s", known[0] ? ", " : "", functions[i].name);
  for (int i = 0; s->function && s->function[i].name; i++) {
    cas_append(known, sizeof known, ", %s", s->function[i].name);
    cas_name_list_add(&names, s->function[i].name);
  }
  for (int i = 0; i < FUNCTIONS; i++)
    cas_name_list_add(&names, functions[i].name);
  cas_name_list_add(&names, pi_name);
  const char *nearest = names.name ? cas_nearest(name, names.name) : NULL;
  fail(r, at, "there is no '%s'%s%s%s (known: %s, %s)", name, nearest ? "; did you mean '" : "",
       nearest ? nearest : "", nearest ? "'?" : "", known, pi_name);
  cas_name_list_free(&names);
  return 0;
}

static int sum(reader *r);
static int comparison(reader *r);

/* Refuses a list that is full, and numbers from numbers that are not finite or have lost digits. */
static int checked(reader *r, const char *at, int result) {
  double value;
  if (!r->failed && r->list->failed)
    r->complaint->no_memory = errno == ENOMEM;
  if (!r->failed && r->list->failed)
    return fail(r, at, "the expression is too large: more than %d operations",
                CAS_OPERATIONS_MOST / 2);
  if (r->failed)
    return 0;
  const bool out_of_range = cas_operations_is_out_of_range(r->list, result, &value);
  if ((out_of_range || cas_operations_is_number(r->list, result, &value)) && !isfinite(value))
    return fail(r, at, "this is %s for these numbers, must be finite",
                isnan(value) ? "not defined" : "infinite");
  if (out_of_range)
    return fail(r, at,
                "this is %.3g for these numbers, too small for double precision; must be 0 or at "
                "least 2.3e-308 in size",
                value);
  return result;
}

/* The arguments of a function of `operands` arguments; false if their number is another. */
static bool arguments(reader *r, const char *at, const char *function, int operands,
                      int operand[MOST_OPERANDS]) {
  int n = 0;
  if (!take(r, '(')) {
    expected(r, "'(': the name before it is that of a function");
    return false;
  }
  do {
    int value = comparison(r);
    if (n < MOST_OPERANDS)
      operand[n] = value;
    n++;
  } while (!r->failed && take(r, ','));
  if (!r->failed && n != operands)
    fail(r, at, "%s has %d argument%s here, must have %d", function, n, n == 1 ? "" : "s",
         operands);
  if (!r->failed && !take(r, ')'))
    expected(r, "an operator or ')'");
  return !r->failed;
}

static int call(reader *r, const char *at, int f) {
  int operand[MOST_OPERANDS] = {0};
  if (!arguments(r, at, functions[f].name, functions[f].operands, operand))
    return 0;
  const cas_operator o = functions[f].operator_;
  return checked(r, at,
                 o == CAS_OPERATOR_POWER ? cas_operations_power(r->list, operand[0], operand[1])
                 : o == CAS_OPERATOR_WHERE
                     ? cas_operations_choose(r->list, operand[0], operand[1], operand[2])
                     : cas_operations_apply(r->list, o, operand[0], operand[1]));
}

/* A function over paths, a name that is free where no parenthesis follows; -1: it is none. */
static int find_over_paths(const reader *r, const char *at, size_t length) {
  const cas_path_function_name *f = r->scope->function;
  for (int i = 0; f && f[i].name && *r->at == '('; i++)
    if (is_word(f[i].name, at, length))
      return i;
  return -1;
}

static int call_over_path(reader *r, const char *at, int f) {
  const cas_path_function_name *function = &r->scope->function[f];
  int operand[MOST_OPERANDS] = {0};
  if (!arguments(r, at, function->name, function->operands, operand))
    return 0;
  if (function->operands == 2)
    operand[0] = checked(
        r, at, cas_operations_apply(r->list, CAS_OPERATOR_SUBTRACT, operand[0], operand[1]));
  if (r->failed)
    return 0;
  int variable = r->scope->find_function(r->scope->context, f, operand[0]);
  return checked(r, at, cas_operations_variable(r->list, variable));
}

/* The place of a name such as re among those with indices, "re(i,j)"; -1: it is none. */
static int find_indexed(const cas_scope *s, const char *at, size_t length) {
  for (int i = 0; s->indexed && s->indexed[i]; i++)
    if (strcspn(s->indexed[i], "(") == length && memcmp(s->indexed[i], at, length) == 0)
      return i;
  return -1;
}

/* A number that names a variable, with the other one of the two. */
static void index_of(reader *r, bool fractional, double *index) {
  skip_blanks(r);
  const char *at = r->at;
  int operation = sum(r);
  if (!r->failed && (!cas_operations_is_number(r->list, operation, index) || fabs(*index) > 1e6 ||
                     (!fractional && *index != rint(*index))))
    fail(r, at, "must be a %snumber, which names a number of the state",
         fractional ? "" : "whole ");
}

/* The number of the state that a name and its indices stand for. */
static int indexed(reader *r, const char *at, int name) {
  const char *pattern = r->scope->indexed[name];
  const bool fractional = r->scope->is_fractional(r->scope->context, name);
  double index[2] = {0};
  char right[160] = "";
  for (int i = 0; i < 2 && !r->failed; i++) {
    if (!take(r, i ? ',' : '('))
      return fail(r, at, "must have two indices: %s", pattern);
    index_of(r, fractional, &index[i]);
  }
  if (!r->failed && !take(r, ')'))
    return expected(r, "')' after two indices");
  if (r->failed)
    return 0;
  int variable = r->scope->find_indexed(r->scope->context, name, index, right, sizeof right);
  if (variable < 0)
    return fail(r, at, "there is no such %s: %s", pattern, right);
  return checked(r, at, cas_operations_variable(r->list, variable));
}

static int name(reader *r) {
  const char *at = r->at;
  size_t length = name_length(at);
  int f = find_function(at, length);
  r->at += length;
  skip_blanks(r);
  if (f < FUNCTIONS)
    return call(r, at, f);
  int over_paths = find_over_paths(r, at, length);
  if (over_paths >= 0)
    return call_over_path(r, at, over_paths);
  int with_indices = find_indexed(r->scope, at, length);
  if (with_indices >= 0)
    return indexed(r, at, with_indices);
  if (is_word(pi_name, at, length))
    return cas_operations_number(r->list, 3.14159265358979323846);
  for (int i = 0; r->scope->variable && r->scope->variable[i]; i++)
    if (is_word(r->scope->variable[i], at, length))
      return checked(r, at, cas_operations_variable(r->list, i));
  for (int i = 0; r->scope->constant && r->scope->constant[i]; i++)
    if (is_word(r->scope->constant[i], at, length))
      return checked(r, at, cas_operations_number(r->list, r->scope->value[i]));
  for (int i = 0; r->scope->expression && r->scope->expression[i]; i++)
    if (is_word(r->scope->expression[i], at, length))
      return r->scope->operation[i];
  return fail_unknown(r, at, length);
}

/* Characters are looked at here, so that "inf", hexadecimal digits and commas are refused. */
static int number(reader *r) {
  const char *at = r->at;
  char text[64];
  size_t n = strspn(at, "0123456789");
  n += at[n] == '.' ? 1 + strspn(at + n + 1, "0123456789") : 0;
  if (at[n] == 'e' || at[n] == 'E') {
    size_t sign = at[n + 1] == '+' || at[n + 1] == '-',
           digits = strspn(at + n + 1 + sign, "0123456789");
    n += digits ? 1 + sign + digits : 0;
  }
  if (n >= sizeof text)
    return fail(r, at, "a number of %zu characters, must have fewer than %zu", n, sizeof text);
  memcpy(text, at, n);
  text[n] = '\0';
  double value;
  if (n == 0 || strcmp(text, ".") == 0)
    return expected(r, "a number, a name or '('");
  const char *wrong = cas_number_parse_real(text, &value);
  if (wrong)
    return fail(r, at, "found %s, %s", text, wrong);
  r->at += n;
  if (begins_name(*r->at) || *r->at == '.')
    return expected(r, "an operator, such as * between factors");
  return checked(r, at, cas_operations_number(r->list, value));
}

/* ---- the grammar ---- */

static int primary(reader *r) {
  skip_blanks(r);
  if (begins_name(*r->at))
    return name(r);
  if (isdigit((unsigned char)*r->at) || *r->at == '.')
    return number(r);
  if (!take(r, '('))
    return expected(r, "a number, a name or '('");
  int value = comparison(r);
  if (!r->failed && !take(r, ')'))
    return expected(r, "an operator or ')'");
  return value;
}

static int factor(reader *r);

static int power(reader *r) {
  int base = primary(r);
  skip_blanks(r);
  const char *at = r->at;
  if (r->failed || !take(r, '^'))
    return base;
  int exponent = factor(r);
  return r->failed ? 0 : checked(r, at, cas_operations_power(r->list, base, exponent));
}

static int factor(reader *r) {
  skip_blanks(r);
  if (++r->depth > CAS_EXPRESSION_DEPTH + 1) /* the outermost factor is within nothing */
    return fail(r, r->at, "more than %d parentheses, signs and powers within each other",
                CAS_EXPRESSION_DEPTH);
  bool minus = take(r, '-');
  int value = minus || take(r, '+') ? factor(r) : power(r);
  r->depth--;
  if (r->failed)
    return 0;
  return minus ? cas_operations_apply(r->list, CAS_OPERATOR_NEGATE, value, 0) : value;
}

/* Operands with one of two signs between them, from the left. */
static int chain(reader *r, int (*operand)(reader *), const char signs[2],
                 const cas_operator operators[2]) {
  int value = operand(r);
  while (!r->failed) {
    double zero;
    skip_blanks(r);
    const char *at = r->at;
    if (*at != signs[0] && *at != signs[1])
      break;
    const char *second = ++r->at;
    if (*at == '*' && *second == '*')
      return expected(r, "a factor; powers are written a^b");
    int next = operand(r);
    if (!r->failed && *at == '/' && cas_operations_is_number(r->list, next, &zero) && zero == 0)
      return fail(r, second, "division by 0");
    if (!r->failed)
      value =
          checked(r, at, cas_operations_apply(r->list, operators[*at == signs[1]], value, next));
  }
  return r->failed ? 0 : value;
}

static int product(reader *r) {
  static const cas_operator operators[] = {CAS_OPERATOR_MULTIPLY, CAS_OPERATOR_DIVIDE};
  return chain(r, factor, "*/", operators);
}

static int sum(reader *r) {
  static const cas_operator operators[] = {CAS_OPERATOR_ADD, CAS_OPERATOR_SUBTRACT};
  return chain(r, product, "+-", operators);
}

static bool compares(reader *r) {
  skip_blanks(r);
  return *r->at == '<' || *r->at == '>';
}

/* 1 where it holds, 0 where it does not: a <= b is 1 - (b < a), so that a NaN stays one. */
static int comparison(reader *r) {
  int left = sum(r);
  if (r->failed || !compares(r))
    return left;
  const char *at = r->at;
  const bool less = *r->at++ == '<', equal = *r->at == '=';
  r->at += equal;
  int right = sum(r);
  if (!r->failed && compares(r))
    return fail(r, r->at, "a second comparison; a < b < c is written (a < b)*(b < c)");
  if (r->failed)
    return 0;
  int holds = less == equal ? cas_operations_apply(r->list, CAS_OPERATOR_LESS, right, left)
                            : cas_operations_apply(r->list, CAS_OPERATOR_LESS, left, right);
  return checked(r, at,
                 equal ? cas_operations_apply(r->list, CAS_OPERATOR_SUBTRACT,
                                              cas_operations_number(r->list, 1), holds)
                       : holds);
}

bool cas_expression_read(const char *text, const cas_scope *scope, cas_operations *l, int *root,
                         cas_complaint *e) {
  reader r = {.text = text, .at = text, .scope = scope, .list = l, .complaint = e};
  *root = 0;
  e->no_memory = false;
  errno = 0;
  size_t length = strnlen(text, CAS_EXPRESSION_LENGTH + 1);
  if (length > CAS_EXPRESSION_LENGTH)
    fail(&r, text + CAS_EXPRESSION_LENGTH, "too long, an expression has %d characters at most",
         CAS_EXPRESSION_LENGTH);
  else
    *root = comparison(&r);
  skip_blanks(&r);
  if (!r.failed && *r.at)
    expected(&r, *r.at == ')' ? "the end: there is no '(' for it" : "an operator");
  return !r.failed;
}
