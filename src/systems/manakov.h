/* What the files of the generalised rigid body share. */
#ifndef CAS_MANAKOV_H
#define CAS_MANAKOV_H

#include "math/algebra/so_n.h"
#include "math/kernels/kernels.h"

enum {
  CAS_MANAKOV_MOST = CAS_SO_N_MAX * (CAS_SO_N_MAX - 1) / 2, /* components */
  CAS_MANAKOV_NAMES = 12288,
  CAS_MANAKOV_INTEGRALS = 8192
};

typedef struct {
  int64_t n;
  cas_reals_or_key inertia;
  double moment[CAS_MANAKOV_MOST]; /* I_ij */
  double sigma;
  cas_dissipation dissipation;
  cas_damping damping;
  bool areas; /* steps have Levy's areas */
  char names[CAS_MANAKOV_NAMES], integrals[CAS_MANAKOV_INTEGRALS];
} cas_manakov;

/* Manakov's integrals of the free rigid body in R^n: their names, numbers and axis, and why there
   are none. */
void CAS_ISA(cas_manakov_write_integrals)(cas_manakov *p);
void CAS_ISA(cas_manakov_integrals)(const void *parameters, int W, const double *x, double *out);
int CAS_ISA(cas_manakov_integral_axis)(const void *parameters, cas_axis axis[2]);
const char *CAS_ISA(cas_manakov_without_integrals)(const void *parameters);

#endif
