/* What the files of the heavy top share. */
#ifndef CAS_HEAVY_TOP_H
#define CAS_HEAVY_TOP_H

#include "math/kernels/kernels.h"

typedef struct {
  cas_reals inertia, mga;
  cas_vectors pi, gamma; /* of the noise, as square */
  cas_reals square;
  cas_dissipation dissipation;
  cas_damping damping;
  bool attitude;
  bool areas; /* steps have Levy's areas */
} cas_heavy_top;

extern const cas_functional CAS_ISA(cas_heavy_top_functionals)[],
    CAS_ISA(cas_heavy_top_observables)[];

#endif
