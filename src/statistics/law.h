/* Laws of errors against the step size, fitted to values of which some are correlated. */
#ifndef CAS_LAW_H
#define CAS_LAW_H

#include <casimir/statistics.h>

/* Values y_i that a law c_1 b(h_i, e) + c_2 b(h_i, e + 1) describes, b(h, e) = h^e, or with a finer
   step of each b = h^e - finer^e. The exponent e is scale times the order. */
typedef struct {
  int n;
  const double *step;       /* [n] h_i, coarsest first */
  const double *finer;      /* [n]; NULL: none */
  const double *value;      /* [n] */
  const double *covariance; /* [n][n] of the values; what is below `floor` of it is not believed */
  double scale;             /* 2 for mean squares, otherwise 1 */
  double degrees;           /* of freedom behind the covariance */
  bool independent;         /* no correlation was estimated: the covariance is diagonal */
  bool exact;               /* nothing is random; the covariance is not read */
  double rounding;          /* standard deviation that every value has at least */
} cas_points;

/** Fits all laws, with `theory` as the order of those that fix it (NaN: they stay unfitted), and
    chooses the headline. False if there is no memory. */
bool cas_laws_fit(const cas_points *p, double theory, cas_laws *out);

/** Order between values i and i + 1, and its standard error; NaN where they differ in sign. */
double cas_local_order(const cas_points *p, int i, double *standard_error);

/** The same from the values with the next term removed, r^(e+1) y_(i+1) - y_i with e of the theory's
    order and r = h_i / h_(i+1); of values i, i + 1, i + 2. */
double cas_local_order_next(const cas_points *p, double theory, int i, double *standard_error);

/** P(F > f) for Fisher's F distribution. */
double cas_f_tail(double f, double degrees_1, double degrees_2);

#endif
