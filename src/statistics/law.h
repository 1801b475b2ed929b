/* Laws of errors against the step size, fitted to values that may be correlated, and orders. */
#ifndef CAS_LAW_H
#define CAS_LAW_H

#include "statistics/laws/least_squares.h"

#include <casimir/statistics.h>

/** Fits all laws, with `theory` as the order of laws that fix it (NaN: they stay unfitted), and
    concludes on the order. False if there is no memory. */
bool cas_laws_fit(const cas_law_points *p, double theory, cas_laws *out);

/** Order between values i and i + 1, and its standard error; NaN where they differ in sign. */
double cas_law_local_order(const cas_law_points *p, int i, double *standard_error);

/** The order between the combinations r^(e+1) y_(i+1) - y_i of values i, i + 1 and of i + 1, i + 2,
    in which the second term of the law cancels; r = h_i / h_(i+1), e: the exponent of theory. NaN
    and the standard error as above. */
double cas_law_local_order_next(const cas_law_points *p, double theory, int i,
                                double *standard_error);

/** The law by which expectations are extrapolated to h = 0, with the order of theory: two terms,
    one if there is a single value, three if two are rejected. */
cas_law_name cas_law_extrapolating(const cas_laws *l);

/** Sets *out to what the values show of the order `theory`; cleared if that is NaN, nothing is
    random or no law holds. theory_p_value: as in cas_laws. False if there is no memory. */
bool cas_law_conclude(const cas_law_points *p, double theory, double theory_p_value,
                      cas_conclusion *out);

/** The factor by which a covariance that is estimated, instead of known, increases variances and
    admissible differences of chi2. residual: values less parameters. */
double cas_law_inflation(const cas_law_points *p, double residual, double chi2);
/** The probability of a chi2 as large if the law holds; NaN without degrees of freedom. */
double cas_law_p_value(const cas_law_points *p, double residual, double chi2);
/** Student's quantile of 95% intervals. */
double cas_law_student(const cas_law_points *p, double residual);
/** Whether the covariance of the values can be inverted, which takes more samples than values. */
bool cas_law_has_weights(const cas_window *w);

/* A law whose exponent is free: chi2 at exponents in the middle of equal parts of a range, and its
   local minima. */
enum { CAS_LAW_EXPONENTS = 128 };
typedef struct {
  double (*chi2)(const void *law, double exponent);
  const void *law;
  int n; /* parts of the range, CAS_LAW_EXPONENTS at most */
  double from, to;
  double profile[CAS_LAW_EXPONENTS];
  int minima, best;                                       /* their number, and the lowest one */
  double at[CAS_LAW_EXPONENTS], least[CAS_LAW_EXPONENTS]; /* [minima], and chi2 there */
} cas_law_scan;
/** Fills the profile and the minima, of which there are none where chi2 is not a number. */
void cas_law_scan_fill(cas_law_scan *s);
/** The extreme exponents with chi2 <= most, rounded outwards; infinite at the end of the range. */
void cas_law_scan_interval(const cas_law_scan *s, double most, double *low, double *high);

/** P(F > f) for Fisher's F distribution. */
double cas_law_f_tail(double f, double degrees_1, double degrees_2);

#endif
