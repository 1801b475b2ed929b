/* Laws of errors against the step size, fitted to values of which some are correlated. */
#ifndef CAS_LAW_H
#define CAS_LAW_H

#include <casimir/statistics.h>

/* Values y_i that are described by a law c_1 b(h_i, e) + c_2 b(h_i, e + 1), where b(h, e) = h^e, or
   h^e - finer^e if each value has a finer step. The exponent e is scale times the order. */
typedef struct {
  int n;
  const double *step;       /* [n] h_i, coarsest first */
  const double *finer;      /* [n]; NULL: none */
  const double *value;      /* [n] */
  const double *covariance; /* [n][n] of the values */
  double scale;             /* 2 for mean squares, otherwise 1 */
  double degrees;           /* degrees of freedom of the estimated covariance */
  bool independent;         /* values are independent: the covariance is diagonal */
  bool exact;               /* nothing is random; the covariance is not read */
  double rounding;          /* standard deviation that every value has at least */
} cas_points;

/** Fits all laws, with `theory` as the order of those that fix it (NaN: they stay unfitted), and
    chooses the headline. False if there is no memory. */
bool cas_laws_fit(const cas_points *p, double theory, cas_laws *out);

/** Order between values i and i + 1, and its standard error; NaN where they differ in sign. */
double cas_local_order(const cas_points *p, int i, double *standard_error);

/** The order between the combinations r^(e+1) y_(i+1) - y_i of values i, i + 1 and of values i + 1,
    i + 2, in which the second term of the law cancels; r = h_i / h_(i+1), and e is the exponent of
    the order of theory. NaN and the standard error as above. */
double cas_local_order_next(const cas_points *p, double theory, int i, double *standard_error);

/** P(F > f) for Fisher's F distribution. */
double cas_f_tail(double f, double degrees_1, double degrees_2);

#endif
