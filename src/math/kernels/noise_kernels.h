/* Normals, their sums and their truncation, compiled for every instruction set. */
#ifndef CAS_NOISE_KERNELS_H
#define CAS_NOISE_KERNELS_H

#include "base/isa.h"

void CAS_ISA(cas_kernels_normals)(int n, const double *u, double *z);
void CAS_ISA(cas_kernels_threefry)(int seed, int purpose, int64_t block, int64_t step, int n,
                                   double *u);
void CAS_ISA(cas_kernels_truncate)(int rows, int W, const double *sum, double bound, double scale,
                                   double *dw, double *clipped);
void CAS_ISA(cas_kernels_accumulate)(int n, const double *z, double *sum);

#endif
