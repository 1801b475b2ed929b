/* The names that expressions of a problem may use, and what each of them is: numbers of the state,
   Casimirs, the time, the system's observables that are single numbers, constants, and functionals
   of whole paths. A name has one meaning. */
#ifndef CAS_VOCABULARY_H
#define CAS_VOCABULARY_H

#include "base/name_list.h"
#include "language/expressions/expression.h"
#include "paths/problem/parameters.h"

/* A functional of the values of an expression along a path, or of their difference from a level. */
typedef enum {
  CAS_PATH_MAX,           /* largest value at the steps */
  CAS_PATH_MIN,           /* least value at the steps */
  CAS_PATH_INTEGRAL,      /* over the time, by the trapezoidal rule */
  CAS_PATH_MEAN,          /* over the time, the integral by t; at the beginning the value there */
  CAS_PATH_TIME_ABOVE,    /* time above the level, of straight lines between steps */
  CAS_PATH_FIRST_PASSAGE, /* first time on the other side of the level, the time if there is none */
  CAS_PATH_PASSED         /* whether the path has been on the other side */
} cas_path_function;

/* What a variable of an expression is. */
typedef enum {
  CAS_VOCABULARY_FROM_BLOCK,      /* component `number` of blocks */
  CAS_VOCABULARY_FROM_STATE,      /* number `number` of states as files hold them */
  CAS_VOCABULARY_FROM_CASIMIRS,   /* Casimir `number` */
  CAS_VOCABULARY_FROM_PART,       /* a functional of what states have behind the components */
  CAS_VOCABULARY_FROM_TIME,       /* since the beginning of the path */
  CAS_VOCABULARY_FROM_FUNCTIONAL, /* an observable */
  CAS_VOCABULARY_FROM_INDICES,    /* a number of the state with indices */
  CAS_VOCABULARY_FROM_DRAWN,      /* uncertain number `number`, which every path draws */
  CAS_VOCABULARY_FROM_CONSTANTS,  /* constant `number` of the system, which depends on such */
  CAS_VOCABULARY_FROM_PATH        /* functional `number` of the values of an operation so far */
} cas_variable_kind;

typedef struct {
  cas_variable_kind kind;
  int number;
  const cas_functional *functional;
  const cas_indexed *indexed;
  double index[2];
  int operation;
  struct cas_follower *follower; /* of a formula: what follows the path */
} cas_variable_source;

typedef struct {
  const cas_problem *problem;
  cas_name_list variables, constants, expressions, indexed;
  cas_variable_source *source; /* of every variable; those with indices come as they are read */
  int sources, numbers;        /* numbers of the state and its part, and Casimirs come first */
  double *value;               /* of every constant */
  int *operation;              /* of every expression that the system names */
  char **own;                  /* [owned] names that are made here */
  int owned;
  bool failed;
} cas_vocabulary;

/** The caller frees *n even on failure. It refers to the problem. */
cas_status cas_vocabulary_find(const cas_problem *p, cas_vocabulary *n,
                               cas_error *err) CAS_MUST_CHECK;
void cas_vocabulary_free(cas_vocabulary *n);
/** The names for a reader of expressions, which may add sources to *n. */
cas_scope cas_vocabulary_scope(cas_vocabulary *n);
/** The expressions that the system names, none perhaps; and the text of one of them, or NULL. */
const cas_formulas *cas_vocabulary_formulas(const cas_problem *p);
const char *cas_vocabulary_expression(const cas_problem *p, const char *name);
/** What `name` is if it is a number of the state or of its part or a Casimir, else NULL. */
const cas_variable_source *cas_vocabulary_number(const cas_vocabulary *n, const char *name);
/** What else a name of the system is already ("an option"), or NULL. */
const char *cas_vocabulary_meaning(const cas_vocabulary *n, const char *name);
/** Refuses a name that is `a` and `b`, with the place where the configuration gives it. */
cas_status cas_vocabulary_refuse(const cas_config *c, const char *name, const char *a,
                                 const char *b, cas_error *err);
/** Refuses names of the system, its options and its parameters that have two meanings. */
cas_status cas_vocabulary_check(const cas_config *c, const cas_vocabulary *n,
                                cas_error *err) CAS_MUST_CHECK;

#endif
