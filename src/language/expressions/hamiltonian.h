/* What a Lie-Poisson system needs of Hamiltonians and brackets that are given as expressions:
   programs for h grad H_0 + sum_k dW_k grad H_k, split into what a step computes once and what it
   computes at every state, and for the Ito drift.

   Variables of the list of operations: the components 0 .. n-1 of the state, h, the dW_k, and the
   components of an element xi of the algebra. */
#ifndef CAS_HAMILTONIAN_H
#define CAS_HAMILTONIAN_H

#include "language/expressions/program.h"

/* {x_i, x_j} as operation i * n + j; brackets that vanish are the number 0. */
typedef struct {
  int n;
  int *entry;
} cas_bracket;

typedef struct {
  cas_operations list;
  int components, noises;
  cas_bracket bracket;
  double *weight;   /* [components]: xi_j = weight_j dH/dx_j; NULL: 1 */
  int *hamiltonian; /* [1 + noises]: H_0, H_1, .. */
  int *gradient;    /* [1 + noises][components] of their derivatives */
} cas_hamiltonians;

/* What a step computes once: coefficient r is the sum of factor[i] times number column[i] of h,
   dW_1, dW_2, .. over first[r] <= i < first[r + 1]. */
typedef struct {
  int rows, *first, *column;
  double *factor;
} cas_step_sums;

/* Programs of Hamiltonians, for groups of lanes and blocks with rows of `lanes`. */
typedef struct {
  cas_step_sums once;
  cas_program psi; /* xi from the state and coefficients (CAS_PROGRAM_IN_SECOND, rows of a block) */
  cas_program ito; /* sum_k (D g_k) g_k of g_k = J grad H_k, from the state */
  cas_program value; /* H_0 of a block, from a block */
} cas_hamiltonian_programs;

int cas_hamiltonians_xi(const cas_hamiltonians *h, int component);

/** Differentiates the Hamiltonians, which are in the list. False where that needs too much. */
bool cas_hamiltonians_derive(cas_hamiltonians *h);
/** Adds the brackets V_i H_j of the noises, i < j row by row, as Hamiltonians of further noises;
    V_i is the derivative along noise i. Programs are to be made anew. False: it needs too much. */
bool cas_hamiltonians_add_brackets(cas_hamiltonians *h);
bool cas_hamiltonian_programs_make(cas_hamiltonians *h, int group_lanes, int lanes,
                                   cas_hamiltonian_programs *p);
void cas_hamiltonian_programs_free(cas_hamiltonian_programs *p);
/** Sums from a dense matrix [rows][columns]. False if memory ran out. */
bool cas_step_sums_make(int rows, int columns, const double *matrix, cas_step_sums *s);
void cas_step_sums_free(cas_step_sums *s);
void cas_hamiltonians_free(cas_hamiltonians *h);
/** A program that computes the operations result[0 .. results-1] from states and, as
    CAS_PROGRAM_IN_SECOND, xi, with rows of `lanes` lanes each. */
bool cas_hamiltonians_state_program(const cas_hamiltonians *h, int results, const int *result,
                                    int lanes, cas_program *p);

/** sum + {x_i, f} of a function with this gradient. */
int cas_bracket_add(cas_hamiltonians *h, int sum, int i, const int *gradient);
/* The action of the bracket on xi: result[i] = sum_j {x_i, x_j} xi_j. */
bool cas_bracket_action(cas_hamiltonians *h, int *result);

/** Whether no component of a state occurs in an operation. */
bool cas_hamiltonians_is_constant(const cas_hamiltonians *h, int operation);
/** A Hamiltonian whose gradient at a state is not finite, -1 if there is none; *value: that
    derivative with respect to *component. */
int cas_hamiltonians_bad_gradient(const cas_hamiltonians *h, const double *x, int *component,
                                  double *value);

#endif
