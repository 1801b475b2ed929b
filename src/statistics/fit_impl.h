/* Functions shared by the estimates of errors, of differences and of multilevel Monte Carlo. */
#ifndef CAS_FIT_IMPL_H
#define CAS_FIT_IMPL_H

#include "statistics/law.h"

/* Levels that studies of coupled levels have at most. */
enum { CAS_FIT_MOST_LEVELS = 64 };

/* The size of rounding errors after `steps` steps in a mean of quantities as large as `size`. */
double cas_fit_rounding(double steps, double size);

/* The order q at which (coarse^q - reference^q) / (fine^q - reference^q) is the ratio of the errors
   of these two steps against a reference step below them; 0: the reference is exact. -INFINITY for
   ratios up to 1, which no order has, INFINITY for an infinite one. *slope, unless NULL: the
   derivative of the order with respect to the logarithm of the ratio. */
double cas_fit_order_against(double ratio, double coarse, double fine, double reference,
                             double *slope);

/* Makes of order j, between errors of two steps against a reference, and its standard error, those
   of the law h^q - reference^q; NaN where no order has the ratio of the errors. */
void cas_fit_correct_order(double coarse, double fine, double reference, const cas_estimates *of,
                           int j);

/* The p-value of the hypothesis that the expectation of `value`, a mean over `paths` paths, is 0,
   by Student's distribution. NaN for a value that is not finite, 0, or within rounding. */
double cas_fit_p_value(double value, double standard_error, double paths, double rounding);

/* The largest of n p-values that is significant in S. Holm's test (Scand. J. Stat. 6, 1979) of the
   whole family at 4.55%; -1 if none is. NaNs are left out. Sorts p_value. */
double cas_fit_holm_threshold(double *p_value, int n);

/* Kurtosis beyond which a few paths dominate, and standard errors are unreliable. */
enum { CAS_FIT_MOST_KURTOSIS = 100 };

/* Whether one of n values is larger; NaN is not. */
bool cas_fit_exceeds(const double *value, int n, double most);

/* What laws show of the order of theory; `expected` is NaN where none is known. */
cas_findings cas_laws_judge(const cas_laws *l, double expected);

/* E phi at h = 0 from that at the finest step, by the law with the order of theory. */
cas_extrapolation cas_fit_extrapolate(const cas_laws *l, double finest, double mean,
                                      double standard_error);

/* Fits the laws of differences, the decay of variances and the growth of work, and finds what these
   show. Local orders stay unknown where there are no arrays for them. */
void cas_multilevel_fit_laws(cas_multilevel *m, const double *step, bool commuting, bool exact);

#endif
