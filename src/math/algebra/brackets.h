/* Poisson brackets that are given as expressions, {x_i, x_j} = J_ij(x): the action of xi on mu is
   J(mu) xi, which is a coadjoint action where J is linear. g->table is a cas_brackets. */
#ifndef CAS_BRACKETS_H
#define CAS_BRACKETS_H

#include "base/lanes.h"
#include "language/expressions/program.h"

typedef struct {
  /* J(x) xi of a group of lanes, from x (CAS_PROGRAM_IN_FIRST) and xi (CAS_PROGRAM_IN_SECOND) */
  cas_program action;
  int casimirs;
  cas_program casimir; /* of all Casimirs, from blocks of CAS_PROGRAM_BLOCK_LANES lanes */
} cas_brackets;

#define cas_brackets_NAME "brackets"

CAS_INLINE void cas_brackets_coadjoint(const cas_geometry *g, int V CAS_UNUSED, const cas_vec *xi,
                                       const cas_vec *mu, cas_vec *out) {
  CAS_ISA(cas_program_run)(&((const cas_brackets *)g->table)->action, mu, xi, out);
}

#endif
