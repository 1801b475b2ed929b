/* Observables that studies record: those and the functionals of the system by name, observables of
   every system, and expressions. Single numbers among them are functionals of weak errors. */
#ifndef CAS_OBSERVABLES_H
#define CAS_OBSERVABLES_H

#include "paths/formula.h"
#include "paths/pass.h"

#include <casimir/results.h>

/* An observable that every system has; `evaluate` does what cas_observable_evaluate does. */
typedef struct cas_common_observable {
  const char *name, *summary; /* name NULL ends the list */
  void (*evaluate)(cas_pass *s, int level, double *out);
} cas_common_observable;

extern const cas_common_observable cas_common_observables[];

typedef struct cas_observable {
  const char *name, *summary, *unit;
  const cas_functional *functional; /* the system's, or */
  const cas_common_observable *common;
  const char *expression; /* its text, or NULL; then `formula` is its value */
  cas_formula formula;
  int numbers, axes;
  cas_axis axis[2];
  double *coordinates[2]; /* of axes without labels */
} cas_observable;

typedef struct cas_observables {
  int n;
  int numbers;        /* of all together */
  const char *key;    /* of the list that names them */
  char *const *place; /* [n] of each below that key, NULL: they have none there; borrowed */
  cas_observable *observable;
  /* Those of the smaller sizes of the problem, `sizes` of them, owned; NULL: none. */
  struct cas_observables *smaller;
  int sizes;
} cas_observables;

/** The functional of this name in a list; NULL: there is none. */
const cas_functional *cas_observables_in(const cas_functional *list, const char *name);
/** Looks up names and compiles expressions, which the configuration has at `key` and which are
    borrowed. Passes that are created afterwards follow those of whole paths, which must not be
    freed before the last of these. The caller frees *o even on failure. */
cas_status cas_observables_find(const cas_config *c, const char *key, const cas_formulas *names,
                                cas_problem *p, cas_observables *o, cas_error *err) CAS_MUST_CHECK;
/** Finds functionals, which are single numbers, at every size of the problem. */
cas_status cas_functionals_find(const cas_config *c, const char *key, const cas_formulas *names,
                                cas_problem *p, cas_observables *o, cas_error *err) CAS_MUST_CHECK;
void cas_observables_free(cas_observables *o);
/** Refuses names with two meanings, and expressions of the system, named or not, that are wrong. */
cas_status cas_observables_check(const cas_config *c, const cas_problem *p,
                                 cas_error *err) CAS_MUST_CHECK;
/** The most numbers that one of the observables has, at least 1. */
size_t cas_observables_most(const cas_observables *o);
/** Writes what a message calls observable `number`, from 1 on: "energy", or an expression with its
    name, "mean = integral(x1)/t"; nothing for 0. Returns text. */
const char *cas_observables_title(const cas_problem *p, int64_t number, char *text, size_t size);
/** Refuses observable `number`, from 1 on, of the problem by `what`. Returns CAS_BAD_INPUT. */
cas_status cas_observables_refuse(const cas_config *c, const cas_problem *p, int number,
                                  const char *what, cas_error *err);
/** Fills out[number * W + lane] for a level, with numbers of no use if s->abandoned is set then. */
void cas_observable_evaluate(const cas_observable *o, cas_pass *s, int level, double *out);
/** The order that weak errors of an observable have by theory: that of the scheme, or less where a
    functional of whole paths sees less of them between steps. */
double cas_observable_order(const cas_observable *o, const cas_problem *p);
/** That order for laws of errors, NAN where it is 1/2: the next power of h is then not 3/2. */
double cas_observable_law_order(const cas_observable *o, const cas_problem *p);
/** Describes how files hold an observable; *d borrows from *o. */
void cas_observable_dataset(const cas_observable *o, cas_file_dataset *d);

/** Describes how files hold states, as the dataset "state"; *d borrows from the problem. */
void cas_observables_state_dataset(const cas_problem *p, cas_file_dataset *d);

#endif
