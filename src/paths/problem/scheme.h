/* What a scheme reads from the configuration, and what it keeps. */
#ifndef CAS_SCHEME_H
#define CAS_SCHEME_H

#include "math/kernels/kernels.h"

#include <casimir/config.h>

/* Steps of a scheme that a step of weak order 2 is composed of. */
enum { CAS_SCHEME_COMPOSED_STEPS = 6 };

typedef struct {
  double tolerance;
  int64_t max_iterations;
  double truncation;
  bool compensated;
  double casimir_tolerance;
  int retraction, variant;
  int64_t weak_order; /* 2: a step is a composition of steps; 0: it is the scheme's own */
  int64_t areas;      /* parts of a finest step for Levy's areas; 0: steps have no areas */
} cas_integrator_options;

/** The keys of a scheme below `integrator:`. */
const cas_option *cas_scheme_options(const cas_integrator *i);
/** Reads these keys; keys of an iteration are refused beside an explicit scheme. */
cas_status cas_scheme_read(const cas_config *c, const cas_integrator *i, cas_integrator_options *o,
                           cas_error *err) CAS_MUST_CHECK;
/** Whether steps of the scheme can be composed, as integrator.weak_order: 2 does. */
bool cas_scheme_composes(const cas_integrator *i);
/** The declaration of a scheme's steps with these options: its orders, and what a step costs. */
cas_integrator cas_scheme_declared(const cas_integrator *i, const cas_integrator_options *o);
/** Whether it keeps the Casimirs of an algebra, or the momentum maps where it has none. */
bool cas_scheme_keeps_casimirs(const cas_integrator *i, const cas_algebra *a);
/** Whether a system and a scheme of these names exist and the scheme does not keep its Casimirs. */
bool cas_scheme_lets_casimirs_drift(const char *system, const char *integrator);

#endif
