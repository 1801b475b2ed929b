/* Expressions of a configuration as functions of the state: of its components by their names, of
   the Casimirs, of the system's observables that are single numbers, and of the numbers among its
   options. */
#ifndef CAS_FORMULA_H
#define CAS_FORMULA_H

#include "expressions/program.h"
#include "paths/vocabulary.h"

typedef struct {
  cas_program program;
  int variables; /* that the expression uses */
  cas_variable_source *variable;
  double *rows;     /* [variables + 1][lanes]: their values, and the result's */
  double *casimirs; /* [casimirs][W], where one is used */
  double *state;    /* one state: components of blocks, and numbers as files hold it */
} cas_formula;

/** Compiles an expression, which the configuration has at `path`. The caller frees *f even on
    failure. */
cas_status cas_formula_create(const cas_config *c, const char *path, const char *text,
                              const cas_problem *p, cas_formula *f, cas_error *err) CAS_MUST_CHECK;
void cas_formula_free(cas_formula *f);
/** out[W]: the expression for all lanes of a block, x, at a time since the beginning. */
void cas_formula_evaluate(const cas_formula *f, const cas_problem *p, double time, const double *x,
                          double *out);

#endif
