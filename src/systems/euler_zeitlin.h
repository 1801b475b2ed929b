/* What the files of Euler-Zeitlin share. */
#ifndef CAS_EULER_ZEITLIN_H
#define CAS_EULER_ZEITLIN_H

#include "harmonics/hoppe_yau.h"
#include "kernels/kernels.h"

typedef struct {
  int64_t N;
  double amplitude;
  int64_t lmin;
  int time_unit;
  int64_t latitudes;
  double bracket; /* factor of the commutator: 1, or that of the unit sphere */
  cas_hoppe_yau harmonics;
  double *basis; /* for m = 0, 1, ..: (N - m) x (N - m), row l - m holds the eigenvector of l; only
                    where paths go across the lanes */
} cas_euler_zeitlin;

/* One path by itself (W = 1). coef: h times the factor of the bracket, then from the 8th number on,
   for each m, c_l dW_lm of l = max(lmin, m, 1) .. N-1, and then c_l dW_l,-m. (m = 0 has its noises
   in the second place.) workspace: of the algebra's products, which need more than the gradient does. */
int CAS_ISA(cas_euler_zeitlin_path_coefficients)(const void *parameters);
void CAS_ISA(cas_euler_zeitlin_path_prepare)(const void *parameters, double h, const double *dw,
                                             double *coef);
void CAS_ISA(cas_euler_zeitlin_path_psi)(const void *parameters, const double *coef,
                                         const double *x, double *workspace, double *xi);

/* sum_k (D g_k) g_k of a group of lanes, and of one path; workspace as above */
void CAS_ISA(cas_euler_zeitlin_ito)(const void *parameters, const double *x, double *workspace,
                                    double *out);
void CAS_ISA(cas_euler_zeitlin_path_ito)(const void *parameters, const double *x, double *workspace,
                                         double *out);

extern const cas_functional CAS_ISA(cas_euler_zeitlin_functionals)[],
    CAS_ISA(cas_euler_zeitlin_observables)[];
extern const cas_indexed CAS_ISA(cas_euler_zeitlin_indexed)[];

/* where the rows of m begin in the whole basis */
static inline size_t cas_euler_zeitlin_basis(int N, int m) {
  size_t offset = 0;
  for (int k = 0; k < m; k++)
    offset += (size_t)(N - k) * (size_t)(N - k);
  return offset;
}

static inline int cas_euler_zeitlin_noises(const cas_euler_zeitlin *p) {
  return p->amplitude > 0 ? (int)(p->N * p->N - p->lmin * p->lmin) : 0;
}

#endif
