/* What the files of rigid bodies share. */
#ifndef CAS_RIGID_BODIES_H
#define CAS_RIGID_BODIES_H

#include "math/geometry/rigid_motions.h"
#include "math/kernels/kernels.h"

enum {
  CAS_RIGID_BODIES_NOISE_OF_POTENTIALS,
  CAS_RIGID_BODIES_NOISE_ADDITIVE,
  CAS_RIGID_BODIES_NOISE_OF_PAIRS
};

typedef struct {
  double force, torque;
} cas_rigid_bodies_friction;

typedef struct {
  cas_reals mass;
  cas_vectors inertia;
  double trap, epsilon, range;
  cas_reals field;
  cas_rigid_bodies_friction friction;
  double temperature;
  int kind;                         /* of the noise */
  double sigma_force, sigma_torque; /* as given; infinite: of the temperature */
  double force, torque;             /* amplitudes of the noise */
  double *metric;                   /* as the geometry has it */
  char *names;
} cas_rigid_bodies;

extern const cas_functional CAS_ISA(cas_rigid_bodies_functionals)[],
    CAS_ISA(cas_rigid_bodies_observables)[];

extern const cas_initial_distribution CAS_ISA(cas_rigid_bodies_distributions)[];

int CAS_ISA(cas_rigid_bodies_momenta)(const void *parameters);
void CAS_ISA(cas_rigid_bodies_momentum)(const void *parameters, double h, int W, const double *x,
                                        double *out);

#endif
