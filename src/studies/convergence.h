#ifndef CAS_CONVERGENCE_H
#define CAS_CONVERGENCE_H

#include "paths/observables.h"
#include "studies/span.h"

typedef struct {
  int64_t level;
  char *integrator; /* NULL: that of all levels */
} cas_reference_options;

#define CAS_CONVERGENCE_EXACT_HELP                                                            \
  "exact mean of each functional, where it is known: the bias of every step size against it " \
  "stands "                                                                                   \
  "beside the error against finer steps"

/* The options of strong, weak, convergence and invariant, as configured. */
typedef struct {
  cas_span span;
  int64_t levels;
  cas_reference_options reference;
  int64_t paths, first_path;
  bool strong, path_cost;
  cas_formulas functionals;
  double from; /* of the study invariant */
  cas_reals exact;
} cas_convergence_options;

/** Keys of step sizes and paths of studies whose options begin with cas_convergence_options. */
extern const cas_option cas_convergence_level_options[];
/** Checks the values of these keys, and fills r->plan and r->paths. */
cas_status cas_convergence_plan(cas_study_run *r, cas_convergence_options *o,
                                cas_error *err) CAS_MUST_CHECK;

typedef struct {
  cas_observables functionals;
  bool strong;
  int levels;          /* L, without the reference */
  int parts;           /* of a state, each with strong errors of its own */
  bool averages;       /* functionals are averages over the coarsest grid, from a time on */
  int64_t first;       /* observation of these */
  double from;         /* their time */
  const double *truth; /* [functionals]: exact means; NULL: not given */
  const double *exact; /* what errors are measured against; NULL: means of the reference */
} cas_convergence;

/** Refuses exact means that are not one for each functional. *truth is NULL without any. */
cas_status cas_convergence_truth(const cas_config *c, const cas_reals *exact, int functionals,
                                 const double **truth, cas_error *err) CAS_MUST_CHECK;
/** Fills the bias against an exact mean. */
void cas_curve_compare(cas_curve *curve, double exact);

/** Pairs of levels whose differences are summed: each with the reference, L - 1 with the next. */
int cas_convergence_pairs(const cas_convergence *v);
/** Strong curves: one for each of cas_strong_measures that states have, 0 if none are asked for. */
int cas_convergence_strong(const cas_convergence *v);

/** The norm of the initial state, which errors are compared with. */
double cas_convergence_initial_norm(const cas_problem *p);
/** Curves from the sums over all paths. Rank 0. */
cas_status cas_convergence_results(const cas_study_run *r, cas_results *out,
                                   cas_error *err) CAS_MUST_CHECK;

#endif
