/* Products of su(N) for one path by itself, on OpenBLAS. */
#ifndef CAS_SU_N_PATH_H
#define CAS_SU_N_PATH_H

#include "kernels/isa.h"

#include <casimir/extend.h>

size_t CAS_ISA(cas_su_n_path_scratch)(const cas_geometry *g);
void CAS_ISA(cas_su_n_path_products)(const cas_geometry *g, const double *q, const double *x,
                                     double *bracket, double *sandwich);

#endif
