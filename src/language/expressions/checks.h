/* Numerical checks of brackets, Casimirs and noises, at points about an initial state. A sum counts
   as zero where it is small beside the sum of the absolute values of its terms, in all units. */
#ifndef CAS_CHECKS_H
#define CAS_CHECKS_H

#include "language/expressions/hamiltonian.h"

/* What came out of one check: of the sums that it looked at, the one that is farthest from zero. */
typedef struct {
  double largest;     /* its absolute value over the sum of those of its terms */
  int i, j, k;        /* the components that it is of */
  bool not_evaluated; /* a sum, that of i, j and k, has a value at none of the points */
} cas_check_finding;

/* Thresholds of `largest`. */
extern const double cas_check_holds;    /* of constants that people write with some digits */
extern const double cas_check_is_exact; /* to rounding */

/** The identity of Jacobi for every three components, at points about x[components]. False if
    memory ran out or the list of operations is full, here and below. */
bool cas_check_jacobi(cas_hamiltonians *h, const double *x, cas_check_finding *f);
/** {C, x_i} = 0 for every component i. */
bool cas_check_casimir(cas_hamiltonians *h, const double *x, int casimir, cas_check_finding *f);
/** Whether the flows of the noises commute; where that was not evaluated, of noises i and j. */
bool cas_check_commuting(cas_hamiltonians *h, const double *x, bool *commuting,
                         cas_check_finding *f);
/** Whether every {x_i, x_j} is linear. */
bool cas_check_linear(cas_hamiltonians *h, bool *linear);

/* ---- forms of Hamiltonians, by which some fit more schemes, and steps cost less ---- */

/* H_k = x.A_k x/2 + b_k.x and a constant */
typedef struct {
  int n;
  double *matrix; /* [1 + noises][n][n] */
  double *vector; /* [1 + noises][n] */
} cas_quadratics;

/* Where a form fails: in the derivative of Hamiltonian k by components i and j; k = -1: nowhere. */
typedef struct {
  int k, i, j;
} cas_form_place;

/** The Hamiltonians as quadratics, or *place: a second derivative that
    depends on the state; *q is to be freed. False where that needs too much. */
bool cas_quadratics_find(cas_hamiltonians *h, cas_quadratics *q, cas_form_place *place);
void cas_quadratics_free(cas_quadratics *q);
/** *place: a derivative with respect to component i that component j occurs in, i not j. */
bool cas_check_coupling(const cas_hamiltonians *h, cas_form_place *place);

#endif
