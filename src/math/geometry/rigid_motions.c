#include "math/geometry/rigid_motions.h"
#include "math/algebra/euclidean.h"
#include "math/kernels/kernels.h"

static int dimension(int n CAS_UNUSED) { return CAS_RIGID_MOTIONS_STATE; }

const cas_algebra CAS_ISA(cas_algebra_rigid_motions) = {
    .name = "rigid_motions",
    .summary = "places, attitudes and momenta of rigid bodies, on R^3 x SO(3)",
    .dimension = dimension,
    .distance2 = cas_euclidean_distance2,
};
