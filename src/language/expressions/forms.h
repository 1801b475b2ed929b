/* Forms of Hamiltonians, by their derivatives: some fit more schemes, and steps cost less. */
#ifndef CAS_FORMS_H
#define CAS_FORMS_H

#include "language/expressions/hamiltonian.h"

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
bool cas_forms_find_coupling(const cas_hamiltonians *h, cas_form_place *place);

#endif
