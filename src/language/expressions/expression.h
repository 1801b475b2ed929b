/* Expressions such as "x1^2/(2*I1) + sin(x3)": read into a list of operations, differentiated
   there, and made into programs that vectors of lanes run (language/expressions/program.h). Nothing
   here knows what variables stand for. */
#ifndef CAS_EXPRESSION_H
#define CAS_EXPRESSION_H

#include "base/isa.h"

typedef enum {
#define CAS_OPERATION(name, ...) CAS_OPERATOR_##name,
#include "language/expressions/operations.def"
#undef CAS_OPERATION
  CAS_OPERATOR_NUMBER,
  CAS_OPERATOR_VARIABLE
} cas_operator;

enum {
  CAS_EXPRESSION_LENGTH = 16384, /* most characters of an expression */
  CAS_EXPRESSION_DEPTH = 64,     /* most parentheses, signs and powers within each other */
  CAS_EXPRESSION_POWER = 64,     /* up to here a whole exponent means multiplications */
  CAS_OPERATIONS_MOST = 1 << 18
};

/* An operation, on results of earlier ones. */
typedef struct {
  uint8_t operator_;
  int a, b;     /* operands; a of a variable: its number */
  double value; /* of a number */
} cas_operation;

/** A list of operations, of which no two are the same. Zeroed: empty. */
typedef struct {
  int n, capacity;
  cas_operation *operation;
  int *slot;   /* a hash table of them, of twice the capacity */
  int *place;  /* [capacity], scratch of whoever gives operations places of his own */
  bool failed; /* Memory ran out, or there were too many; every result is then operation 0. */
} cas_operations;

void cas_operations_free(cas_operations *l);

/* Each returns the number of an operation, new or not; numbers are folded where the result is
   normal, and what is added to nothing or multiplied by one is left as it is. */
int cas_operations_number(cas_operations *l, double value);
int cas_operations_variable(cas_operations *l, int number);
int cas_operations_apply(cas_operations *l, cas_operator o, int a, int b);
/** sum + a b */
int cas_operations_add_product(cas_operations *l, int sum, int a, int b);
/** a^b: multiplications for a whole number b, a root for 1/2 */
int cas_operations_power(cas_operations *l, int a, int b);
/** `a` where the condition is not 0, else `b`; what is not chosen may be infinite or no number. */
int cas_operations_choose(cas_operations *l, int condition, int a, int b);
/** Whether it is a number, which *value then is. */
bool cas_operations_is_number(const cas_operations *l, int operation, double *value);
/** Whether it is the product of a number and something else, the operation *rest. */
bool cas_operations_begins_with_number(const cas_operations *l, int operation, double *number,
                                       int *rest);
/** Whether it is an operation on numbers, not folded as *value overflows or has lost digits. */
bool cas_operations_is_out_of_range(const cas_operations *l, int operation, double *value);

/** How many operands it has: none are a number and a variable. */
int cas_operator_operands(cas_operator o);
/** value[first .. list.n) of operations for these variables, where value[0 .. first) are known. */
void cas_operations_evaluate(const cas_operations *l, int first, const double *variable,
                             double *value);
/** size[first .. list.n): the sum of the absolute values of the terms that each value is the sum
    of, to first order; rounding errors of the value are some 1e-16 of it. */
void cas_operations_sizes(const cas_operations *l, int first, const double *value, double *size);
/** Takes all operations from number n on out of the list again. */
void cas_operations_cut(cas_operations *l, int n);

/* ---- reading ---- */

/** The variable that a name with two numbers stands for, -1 if there is none; `right` then says
    which there are. `name`: its place among those of the scope. */
typedef int cas_find_indexed(void *context, int name, const double index[2], char *right,
                             size_t size);

/** A function of the values that an expression has along a path. */
typedef struct {
  const char *name; /* NULL ends a list */
  int operands;     /* 1, or 2: of an expression and a level, which stand for their difference */
} cas_path_function_name;

/** The names that an expression may use. */
typedef struct {
  const char *const *variable; /* NULL-terminated; the number of a variable is its place */
  const char *const *constant; /* NULL-terminated, with values; NULL: there are none */
  const double *value;
  const char *const *expression; /* NULL-terminated: names of operations of the list that is read
                                    into; NULL: there are none */
  const int *operation;
  const char *const *indexed; /* NULL-terminated, "re(i,j)"; NULL: there are none */
  cas_find_indexed *find_indexed;
  const cas_path_function_name *function; /* over paths; NULL: there are none */
  /* the variable that such a function of an operation stands for */
  int (*find_function)(void *context, int function, int operation);
  bool (*is_fractional)(const void *context, int name); /* whether its numbers may be fractions */
  void *context; /* first argument of find_indexed, find_function and is_fractional */
} cas_scope;

typedef struct {
  int at;          /* the byte that it is about, from 0 */
  char text[1100]; /* "there is no 'x4'; did you mean 'x3'? .." */
  bool no_memory;  /* It is nobody's mistake: memory ended. */
} cas_complaint;

/** Reads an expression; false with what is wrong, and nothing of use in *root. */
bool cas_expression_read(const char *text, const cas_scope *scope, cas_operations *l, int *root,
                         cas_complaint *e);
/** What is wrong with a name for an expression or a parameter ("must be .."), or NULL. */
const char *cas_expression_bad_name(const char *name);

/* ---- derivatives ---- */

/** Operations and all that they are computed from, in ascending order: passes over a list take time
    by its size alone. Until the next one is found
    in the same list, place[] of the list says where each is among them. */
typedef struct {
  int n;
  int *operation; /* [n], owned */
  bool *uses;     /* [n], owned: whether it depends on one of the variables that were asked for */
} cas_needed;

/** Finds what operations root[0 .. roots - 1] need, and what of it depends on the variables first
    .. next - 1. False if memory ran out or the list has failed. */
bool cas_needed_find(const cas_operations *l, int roots, const int *root, int first, int next,
                     cas_needed *s);
void cas_needed_free(cas_needed *s);

/** derivative[i] of an operation with respect to variable i, i < variables. */
bool cas_operations_gradient(cas_operations *l, int root, int variables, int *derivative);
/** tangent[k]: the derivative of operation root[k] along a direction, of which component i for
    variable i < variables is operation direction[i]. */
bool cas_operations_tangent(cas_operations *l, int roots, const int *root, int variables,
                            const int *direction, int *tangent);
/** uses[i]: whether operation i depends on one of the variables first .. next-1. */
void cas_operations_dependence(const cas_operations *l, int first, int next, bool *uses);

#endif
