/* What studies record of a state: the system's observables and functionals by name, and those that
   every system has. */
#ifndef CAS_OBSERVABLES_H
#define CAS_OBSERVABLES_H

#include "paths/sweep.h"

#include <casimir/results.h>

typedef struct cas_observable cas_observable;

/* An observable that every system has; evaluate: as cas_observable_evaluate. */
typedef struct cas_common_observable {
  const char *name, *summary; /* name NULL ends the list */
  void (*evaluate)(const cas_observable *o, cas_sweep *s, int level, double *out);
} cas_common_observable;

extern const cas_common_observable cas_common_observables[];

struct cas_observable {
  const char *name, *summary, *unit;
  const cas_functional *functional; /* the system's, or NULL: */
  const cas_common_observable *common;
  double hamiltonian0; /* of the initial state */
  int numbers, axes;
  cas_axis axis[2];
  double *coordinates[2]; /* of axes without labels */
};

typedef struct {
  int n;
  int numbers; /* of all together */
  cas_observable *observable;
} cas_observables;

/** Looks up n names, which the configuration has at `key`. The caller frees *o even on failure. */
cas_status cas_observables_find(const cas_config *c, const char *key, int n,
                                const char *const *names, const cas_problem *p, cas_observables *o,
                                cas_error *err) CAS_MUST_CHECK;
void cas_observables_free(cas_observables *o);
/** Numbers of the one that has the most, at least 1. */
size_t cas_observables_most(const cas_observables *o);
/** out[number * W + lane] of the given level; nothing of use where s->abandoned afterwards. */
void cas_observable_evaluate(const cas_observable *o, cas_sweep *s, int level, double *out);
/** How files hold it; *d borrows from *o. */
void cas_observable_dataset(const cas_observable *o, cas_file_dataset *d);

/** How files hold whole states, as the dataset "state"; *d borrows from the problem. */
void cas_state_dataset(const cas_problem *p, cas_file_dataset *d);
/** One lane's state as files hold it; x is at that lane. packed: [components] */
void cas_state_put(const cas_problem *p, const double *x, double *packed, double *state);

#endif
