/* What studies with levels check of their configuration. */
#include "studies/convergence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

cas_status cas_horizon_check(const cas_run_state *r, double coarsest_step, int64_t *steps,
                             double *horizon, cas_error *err) {
  char step[64];
  cas_step_format(coarsest_step, step, sizeof step);
  if ((*steps > 0) == (*horizon > 0))
    return cas_config_fail(r->config, err, "study", "found %s, must have one",
                           *horizon > 0 ? "both coarsest_steps and horizon (--set "
                                          "study.coarsest_steps=null takes it away)"
                                        : "neither coarsest_steps nor horizon");
  if (*steps > 0)
    return CAS_OK;
  double n = *horizon / coarsest_step, whole = nearbyint(n);
  if (whole < 1 || fabs(n - whole) > 1e-9 * n) {
    double below = fmax(floor(n), 1), above = fmax(ceil(n), below + 1);
    return cas_config_fail(r->config, err, "study.horizon",
                           "found %.10g, which is no whole number of steps of %s; the nearest that "
                           "are: %.10g (%g steps) and %.10g (%g steps)",
                           *horizon, step, below * coarsest_step, below, above * coarsest_step,
                           above);
  }
  *steps = (int64_t)whole;
  *horizon = 0; /* the effective configuration states one of the two */
  return CAS_OK;
}

static const cas_functional *find_functional(const cas_system *s, const char *name) {
  for (const cas_functional *f = s->functionals; f->name; f++)
    if (strcmp(f->name, name) == 0)
      return f;
  return NULL;
}

static cas_status unknown_functional(const cas_run_state *r, const char *name, cas_error *err) {
  const char *known[64] = {0};
  for (int n = 0; n < 63 && r->problem.system->functionals[n].name; n++)
    known[n] = r->problem.system->functionals[n].name;
  return cas_config_unknown(r->config, err, "study.functionals", name, known);
}

cas_status cas_functionals_find(const cas_run_state *r, const cas_strings *names,
                                const cas_functional ***out, cas_error *err) {
  const cas_functional **found = calloc((size_t)names->n + 1, sizeof *found);
  *out = found;
  if (!found)
    return cas_fail(err, CAS_NO_MEMORY, "out of memory");
  for (int i = 0; i < names->n; i++) {
    found[i] = find_functional(r->problem.system, names->value[i]);
    if (!found[i])
      return unknown_functional(r, names->value[i], err);
    for (int j = 0; j < i; j++)
      if (found[j] == found[i])
        return cas_config_fail(r->config, err, "study.functionals", "names '%s' twice",
                               names->value[i]);
  }
  return CAS_OK;
}
