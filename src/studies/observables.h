/* What studies record of a state: the system's observables and functionals by name, and the
   departure of the Casimirs, which every geometry has. */
#ifndef CAS_OBSERVABLES_H
#define CAS_OBSERVABLES_H

#include "studies/sweep.h"

#include <casimir/results.h>

typedef struct {
  const char *name, *summary, *unit;
  const cas_functional *functional; /* NULL: the departure of the Casimirs */
  int numbers, axes;
  cas_axis axis[2];
  double *coordinates[2]; /* of axes without labels */
  char long_name[64];
} cas_observable;

typedef struct {
  int n;
  int numbers; /* of all together */
  cas_observable *observable;
} cas_observables;

/** Looks the names up, which the configuration has at `key`. The caller frees *o even on failure.
 */
cas_status cas_observables_find(const cas_config *c, const char *key, const cas_strings *names,
                                const cas_problem *p, cas_observables *o,
                                cas_error *err) CAS_MUST_CHECK;
void cas_observables_free(cas_observables *o);
/** out[number * W + lane] of the given level. */
void cas_observable_evaluate(const cas_observable *o, cas_sweep *s, int level, double *out);
/** How files hold it; *d borrows from *o. */
void cas_observable_dataset(const cas_observable *o, cas_file_dataset *d);

extern const char cas_casimir_departure_name[], cas_casimir_departure_summary[];

#endif
