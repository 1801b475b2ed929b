/* Expressions of a configuration as functions of the state: of its components by their names, of
   the Casimirs, of the system's observables that are single numbers, of the numbers among its
   options, of the time, and of what passes have followed of the path up to the state. */
#ifndef CAS_FORMULA_H
#define CAS_FORMULA_H

#include "language/expressions/program.h"
#include "paths/vocabulary.h"

typedef struct {
  cas_program program;
  int variables; /* that the expression uses */
  cas_variable_source *variable;
  bool is_event;    /* 1 or 0: comparisons, and what is made of them */
  double *rows;     /* [variables + 1][lanes]: their values, and the result's */
  double *casimirs; /* [casimirs][W], where one is used */
  double *state;    /* one state: components of blocks, and numbers as files hold it */
} cas_formula;

/** Where an expression is evaluated: a block of states of a level of a pass, [components][W]. */
typedef struct {
  double time; /* since the beginning of the paths */
  const double *x;
  const double *followed; /* rows of functionals of the paths so far, NULL where there are none */
} cas_formula_place;

/** Compiles an expression, at `path` in the configuration. The caller frees *f even on failure. */
cas_status cas_formula_create(const cas_config *c, const char *path, const char *text,
                              const cas_problem *p, cas_formula *f, cas_error *err) CAS_MUST_CHECK;
void cas_formula_free(cas_formula *f);
/** out[W]: the expression for all lanes of a block. */
void cas_formula_evaluate(const cas_formula *f, const cas_problem *p, const cas_formula_place *at,
                          double *out);

#endif
