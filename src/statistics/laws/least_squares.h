/* Least squares of laws c_1 b(h, e) + c_2 b(h, e + o_2) + c_3 b(h, e + o_3) at a given exponent e,
   for values that may be correlated. */
#ifndef CAS_LEAST_SQUARES_H
#define CAS_LEAST_SQUARES_H

#include <stdbool.h>

/* Terms that a law has at most, and powers that cas_window_fit fits at most. */
enum { CAS_LAW_TERMS = 3, CAS_LAW_POWERS = 4 };

/* Values y_i and the laws that may describe them. b(h, e) = h^e, or h^e - finer^e if each value has
   a finer step. The exponent e is scale times the order. */
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
  const double *offset;     /* [CAS_LAW_TERMS] of the terms' exponents to e; NULL: 0, 1, 2 */
  bool third;               /* whether the headline needs the third term, or two are sufficient */
  /* whether in every law the first term is at least as large as the others together at the finest
     step */
  bool leading;
} cas_law_points;

/* The least-squares problem of the finest n points, from `first` on. */
typedef struct {
  const cas_law_points *p;
  int first, n;
  double *factor;    /* [n][n] lower Cholesky factor; NULL: unit weights of relative errors */
  double *y;         /* [n] whitened values */
  double *logarithm; /* [2][n] of steps over the coarsest one, and over the finer ones */
  double *column;    /* [2 CAS_LAW_POWERS + 1][n] whitened columns, and work space */
} cas_window;

/* The least-squares solution at one exponent, in units of cas_law_points_basis_scale. */
typedef struct {
  double chi2, coefficient[CAS_LAW_TERMS];
  double share; /* of the first term in the sum of the terms' sizes at the finest step */
} cas_solution;

/** Prepares the points from `first` on; cas_window_close frees them in any case. *usable: false if
    values are not finite, or all 0, or their covariance cannot be factorised. False if there is no
    memory. */
bool cas_window_open(cas_window *w, const cas_law_points *p, int first, bool *usable);
void cas_window_close(cas_window *w);

/** The least squares of the first `terms` terms at exponent e. */
cas_solution cas_window_solve(const cas_window *w, int terms, double e);

/** The least squares of n powers h^e - finer^e of any exponents, of which no term has to lead:
    chi2, which is returned, the coefficients, and their variances if the covariance of the values
    is known; NULL: not wanted. Powers that cannot be distinguished have huge variances or NaN. */
double cas_window_fit(const cas_window *w, int n, const double *exponent, double *coefficient,
                      double *variance);

/** The exponent of term k = 0, 1, .. less the exponent of term 0. */
double cas_law_points_offset(const cas_law_points *p, int k);

/** The factor between a coefficient of a solution and one of h^e - finer^e. */
double cas_law_points_basis_scale(const cas_law_points *p, double e);

/** Variances of the coefficients c of h^e - finer^e, from the inverse of the Gauss-Newton matrix,
    which includes the exponent unless that is fixed; NaN if it has none. */
void cas_window_coefficient_variances(const cas_window *w, int terms, double e, const double *c,
                                      bool fixed, double *variance);

#endif
