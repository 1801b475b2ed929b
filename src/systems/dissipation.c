#include "systems/dissipation.h"

const cas_option CAS_ISA(cas_dissipation_options)[] = {
    CAS_OPTION(cas_dissipation, REAL, theta, .fallback = "", .high = DBL_MAX,
               .help = "factor of the dissipation theta ad*_{grad H} X; 0: none"),
    CAS_OPTION(cas_dissipation, REAL, kT, .fallback = "", .high = DBL_MAX,
               .help = "temperature of the noises sigma e_k, sigma^2 = 2 theta kT, one for each "
                       "e_k of an orthonormal basis of the algebra; 0: no noise"),
    {0}};

const cas_option CAS_ISA(cas_damping_options)[] = {
    CAS_OPTION(cas_damping, REAL, rate, .fallback = "", .high = DBL_MAX,
               .help = "of -rate x beside the bracket; 0: none"),
    {0}};
