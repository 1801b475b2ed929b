#ifndef CAS_CONVERGENCE_H
#define CAS_CONVERGENCE_H

#include "studies/study.h"

/* as configured; shared by strong, weak and convergence */
typedef struct {
  double coarsest_step, horizon;
  int64_t coarsest_steps, levels, reference, paths;
  bool strong;
  cas_strings functionals;
} cas_convergence_options;

/* as checked */
typedef struct {
  bool strong;
  int levels; /* L, without the reference */
  int functionals;
  const cas_functional **functional;
} cas_convergence;

extern const cas_study cas_study_strong, cas_study_weak, cas_study_convergence;

/** Curves, provenance and health from the summary of all paths. Rank 0. */
cas_status cas_convergence_results(cas_run_state *r, const cas_convergence *v, cas_summary *total,
                                   cas_results *out, cas_error *err) CAS_MUST_CHECK;

/* ---- what studies with levels check of their configuration (levels.c) ---- */

/** One of *steps and *horizon is given; afterwards it is *steps. */
cas_status cas_horizon_check(const cas_run_state *r, double coarsest_step, int64_t *steps,
                             double *horizon, cas_error *err) CAS_MUST_CHECK;
/** Looks up study.functionals; the caller frees *out even on failure. */
cas_status cas_functionals_find(const cas_run_state *r, const cas_strings *names,
                                const cas_functional ***out, cas_error *err) CAS_MUST_CHECK;

#endif
