/* The pieces of the order fit: laws fitted to points (law.c), the sentence about it (verdict.c). */
#ifndef CAS_FIT_IMPL_H
#define CAS_FIT_IMPL_H

#include <casimir/statistics.h>

/* error = C h^p if reference is 0; otherwise C (h^2p - ref^2p)^1/2 (strong) or c (h^q - ref^q)
 * (weak). */
typedef struct {
  cas_error_kind kind;
  double reference;
} cas_law;

/* The levels that enter a fit. Errors are positive for the whole sample; a weak error with a group
   left out may have changed sign. */
typedef struct {
  int n;
  double *step, *error, *sigma;
} cas_points;

/* Least squares for the order, C eliminated. *order is the starting point, or NaN for none. False,
   and both NaN, if there is no solution with |order| < 16. */
bool cas_law_fit(const cas_law *law, const cas_points *p, double *order, double *constant);

/* The order by which the law has error_1/error_2 = ratio between two steps; NaN if there is none.
 */
double cas_law_local_order(const cas_law *law, double step_1, double step_2, double ratio);

/* Below this a mean of something as large as `size` after that many steps, or its error, is
   rounding. */
double cas_rounding(double steps, double size);

/* Whether sampling of so many paths, or rounding, may have made this value of 0: beyond the latter
   and as many standard errors as 2 are of a normal distribution, by Student's for few paths. */
bool cas_is_resolved(double value, double standard_error, double paths, double rounding);

/* What kept the fit from being complete. */
typedef enum {
  CAS_FIT_DONE,
  CAS_FIT_UNRESOLVED,  /* fewer than two resolved levels */
  CAS_FIT_SIGNS,       /* resolved weak errors of both signs */
  CAS_FIT_NO_SOLUTION, /* no order fits these errors */
  CAS_FIT_NO_INTERVAL, /* fewer than two groups */
  CAS_FIT_FRAGILE      /* no solution with one group left out */
} cas_fit_outcome;

/* Fills curve->verdict; everything else in it is final. `paths`: those behind it. */
void cas_verdict(const cas_samples *s, double paths, cas_fit_outcome outcome, cas_curve *curve);

/** cas_multilevel_fit without its warning of outliers. */
void cas_multilevel_fit_laws(cas_multilevel *m, const double *step, bool commuting, bool exact);

#endif
