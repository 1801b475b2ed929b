#include "math/kernels/kernels.h"
#include "base/lanes.h"
#include "integrators/step.h"
#include "language/expressions/program.h"

#define CAS_ALGEBRA(name) extern const cas_algebra CAS_ISA(cas_algebra_##name);
#include "math/algebra/algebras.def"
#undef CAS_ALGEBRA
#define CAS_SYSTEM(name) extern const cas_system CAS_ISA(cas_system_##name);
#include "systems/systems.def"
#undef CAS_SYSTEM

/* what schemes declare; their texts are for systems */
#define CAS_HAS(feature) 0
#define CAS_SCHEME(scheme, need, ...) \
  static const cas_integrator scheme = {.name = #scheme, .needs = CAS_##need, __VA_ARGS__};
#include "integrators/integrators.def"
#undef CAS_SCHEME

static const cas_algebra *const algebras[] = {
#define CAS_ALGEBRA(name) &CAS_ISA(cas_algebra_##name),
#include "math/algebra/algebras.def"
#undef CAS_ALGEBRA
    NULL};

static const cas_system *const systems[] = {
#define CAS_SYSTEM(name) &CAS_ISA(cas_system_##name),
#include "systems/systems.def"
#undef CAS_SYSTEM
    NULL};

static const cas_integrator *const integrators[] = {
#define CAS_SCHEME(scheme, need, ...) &scheme,
#include "integrators/integrators.def"
#undef CAS_SCHEME
#undef CAS_HAS
    NULL};

#define CAS_STRING_(a) #a
#define CAS_STRING(a) CAS_STRING_(a)

extern const cas_kernels CAS_ISA(cas_kernels);
const cas_kernels CAS_ISA(cas_kernels) = {
    .name = &CAS_STRING(CAS_ISA_SUFFIX)[1],
    .vector_lanes = CAS_VL,
    .elementary = "the polynomials of fdlibm",
    .algebras = algebras,
    .systems = systems,
    .integrators = integrators,
    .normals = CAS_ISA(cas_kernels_normals),
    .threefry = CAS_ISA(cas_kernels_threefry),
    .truncate = CAS_ISA(cas_kernels_truncate),
    .accumulate = CAS_ISA(cas_kernels_accumulate),
    .run = CAS_ISA(cas_program_rows),
};
