/* A system whose Hamiltonians the configuration gives as expressions: what its files share. */
#ifndef CAS_LIE_POISSON_H
#define CAS_LIE_POISSON_H

#include "base/isa.h"
#include "language/expressions/checks.h"
#include "math/algebra/brackets.h"

#include <casimir/extend.h>

enum {
  CAS_LIE_POISSON_SO3,
  CAS_LIE_POISSON_SE3,
  CAS_LIE_POISSON_SO_N,
  CAS_LIE_POISSON_SU_N,
  CAS_LIE_POISSON_SU2,
  CAS_LIE_POISSON_BRACKETS,
  CAS_LIE_POISSON_CONSTANTS
};

/* Of the Hamiltonians on so3 and se3. */
typedef enum {
  CAS_LIE_POISSON_GENERAL,
  CAS_LIE_POISSON_SEPARATE, /* so3: sums of functions of one component each */
  CAS_LIE_POISSON_AFFINE,   /* of second degree on so3; on se3 in Pi, and linear in Gamma */
  CAS_LIE_POISSON_AXES      /* both, on so3 */
} cas_lie_poisson_form;

/* What is known of brackets and Hamiltonians. */
typedef struct {
  bool is_linear; /* brackets */
  bool commutes;  /* the noises do */
  cas_lie_poisson_form form;
  bool has_linear; /* CAS_LIE_POISSON_AXES: there are linear terms */
  cas_form_place not_separate, not_affine;
} cas_lie_poisson_known;

typedef struct {
  int algebra;
  int64_t n, N, factors;
  char *hamiltonian;
  cas_dissipation dissipation;
  cas_damping damping;
  cas_strings noise, components, casimirs;
  cas_vectors structure_constants;
  cas_formulas brackets, parameters, observables;
  /* what is made of them */
  char *names;
  const char **component; /* NULL-terminated, pointing into a copy of the names */
  char *copy;
  cas_constants constants;
  cas_hamiltonians h;
  int *casimir; /* their operations */
  cas_hamiltonian_programs program;
  cas_brackets table;
  cas_lie_poisson_known known;
} cas_lie_poisson;

extern const char *const CAS_ISA(cas_lie_poisson_algebras)[];

/* Brackets or structure constants of one's own. */
static inline bool cas_lie_poisson_is_own(const cas_lie_poisson *p) {
  return p->algebra >= CAS_LIE_POISSON_BRACKETS;
}

/* lie_poisson_algebra.c: components, brackets and their action, Casimirs, weights of pairings */
void CAS_ISA(cas_lie_poisson_geometry)(const void *parameters, int *n, int *factors);
int CAS_ISA(cas_lie_poisson_dimension)(const cas_lie_poisson *p);
cas_status CAS_ISA(cas_lie_poisson_read_algebra)(const cas_config *c, cas_lie_poisson *p,
                                                 cas_error *err);
cas_status CAS_ISA(cas_lie_poisson_find_brackets)(const cas_config *c, cas_lie_poisson *p,
                                                  cas_error *err);
cas_status CAS_ISA(cas_lie_poisson_read_casimirs)(const cas_config *c, cas_lie_poisson *p,
                                                  cas_error *err);
cas_status CAS_ISA(cas_lie_poisson_set_weights)(cas_lie_poisson *p, cas_error *err);
cas_status CAS_ISA(cas_lie_poisson_make_action)(const cas_config *c, cas_lie_poisson *p,
                                                cas_error *err);

/* lie_poisson_bodies.c */
const cas_body *CAS_ISA(cas_lie_poisson_body)(const cas_lie_poisson *p);
void CAS_ISA(cas_lie_poisson_prepare)(const void *parameters, int W, double h, const double *dw,
                                      double *coef);
extern const cas_by_coefficients CAS_ISA(cas_lie_poisson_by_coefficients);

#endif
