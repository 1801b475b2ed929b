/* Studies of which some paths fail, and what is left when they end. */
#ifndef ON_FAILURE_FIXTURE_H
#define ON_FAILURE_FIXTURE_H

#include "study_fixture.h"

#include <unistd.h>

/* Some steps need more iterations than these, all converge with the default, and iterates of this
   scheme that have not converged are near the solution. */
#define SCHEME "name: implicit_midpoint"
#define ENOUGH "integrator: {" SCHEME "}\n"
#define FEW "integrator: {" SCHEME ", max_iterations: 19, casimir_tolerance: 1}\n"

static const cas_run_request anew = {.output = "results.h5"},
                             resumed = {.output = "results.h5", .resume = true};

static inline void clear(void) {
  cas_meet(MPI_COMM_WORLD);
  if (is_root()) {
    unlink("results.h5");
    unlink("results.h5.tmp");
    unlink("results.h5.checkpoint");
    unlink("results.h5.checkpoint.previous");
  }
  cas_meet(MPI_COMM_WORLD);
}

static inline bool is_there(const char *file) {
  cas_meet(MPI_COMM_WORLD);
  return access(file, F_OK) == 0;
}

static const char *const studies[] = {
    "kind: strong, coarsest_step: 2^-3, coarsest_steps: 4, levels: 2, reference: 3, paths: 3000",
    "kind: weak, coarsest_step: 2^-3, coarsest_steps: 4, levels: 2, reference: 3, paths: 3000, "
    "functionals: [x1, sin2pi]",
    "kind: weak_multilevel, coarsest_step: 2^-3, coarsest_steps: 4, levels: 3, paths: 20000, "
    "functionals: [x1]",
    /* of so large an epsilon that the pilot is all */
    "kind: mlmc, epsilon: 10, coarsest_step: 2^-4, coarsest_steps: 8, pilot_paths: 20000, "
    "functionals: [x1, sin2pi]",
    "kind: ensemble, step: 2^-4, steps: 8, every: 4, paths: 1000, observables: [x1, hamiltonian]",
};
enum { STUDIES = sizeof studies / sizeof *studies };

static inline cas_results *run_study(const cas_run_request *q, cas_status wanted, const char *words,
                                     const char *study, const char *integrator,
                                     const char *policy) {
  return run_as(q, wanted, words, STUDY_BODY "%sstudy: {%s, on_failure: %s}\n", integrator, study,
                policy);
}

/* all that a study has estimated, one after another */
static inline int numbers_of(const cas_results *r, double *out) {
  const cas_multilevel *m = cas_results_mlmc(r);
  const cas_ensemble *e = cas_results_ensemble(r);
  int n = 0;
  for (int i = 0; i < cas_results_curves(r); i++)
    for (int j = 0; j < cas_results_curve(r, i)->levels; j++) {
      out[n++] = cas_results_curve(r, i)->error.value[j];
      out[n++] = cas_results_curve(r, i)->error.standard_error[j];
    }
  for (int i = 0; m && i < m->functionals; i++)
    for (int l = 0; l < m->levels; l++) {
      out[n++] = m->functional[i].difference.value[l];
      out[n++] = m->functional[i].coupled.fine.mean[l];
    }
  for (int i = 0; e && i < e->observables; i++)
    for (int t = 0; t < e->records; t++) {
      out[n++] = e->observable[i].mean.value[t];
      out[n++] = e->observable[i].variance.value[t];
      out[n++] = e->observable[i].quantile.value[t];
    }
  return n;
}

#endif
