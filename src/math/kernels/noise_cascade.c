#include "base/lanes.h"
#include "math/kernels/kernels.h"

/* The order of min and max keeps a NaN. */
CAS_INLINE cas_vec cut(cas_vec s, double bound) {
  return cas_vec_min(cas_vec_splat(bound), cas_vec_max(cas_vec_splat(-bound), s));
}

CAS_INLINE cas_vec differ(cas_vec s, cas_vec t) {
  return (cas_vec)((cas_ivec)(s != t) & (cas_ivec)cas_vec_splat(1));
}

static double truncate_number(double s, double bound, double scale, double *dw) {
  double above = s < -bound ? -bound : s, t = above > bound ? bound : above;
  *dw = scale * t;
  return s != t;
}

/* The case of one path, whose noises fill the vectors. A function of its own, so that the compiler
   keeps the loop of the other case in vectors. */
static __attribute__((noinline)) void truncate_path(int rows, const double *sum, double bound,
                                                    double scale, double *dw, double *clipped) {
  cas_vec count = {0};
  int k = 0;
  for (; k + CAS_VL <= rows; k += CAS_VL) {
    cas_vec s = cas_vec_load(sum + k), t = cut(s, bound);
    count += differ(s, t);
    cas_vec_store(dw + k, scale * t);
  }
  for (int i = 0; i < CAS_VL; i++)
    *clipped += count[i];
  for (; k < rows; k++)
    *clipped += truncate_number(sum[k], bound, scale, dw + k);
}

void CAS_ISA(cas_kernels_truncate)(int rows, int W, const double *sum, double bound, double scale,
                                   double *dw, double *clipped) {
  if (W == 1) {
    truncate_path(rows, sum, bound, scale, dw, clipped);
    return;
  }
  for (int l = 0; l < W; l += CAS_VL) {
    cas_vec count = cas_vec_load(clipped + l);
    for (int k = 0; k < rows; k++) {
      cas_vec s = cas_vec_load(sum + k * W + l), t = cut(s, bound);
      count += differ(s, t);
      cas_vec_store(dw + k * W + l, scale * t);
    }
    cas_vec_store(clipped + l, count);
  }
}

void CAS_ISA(cas_kernels_accumulate)(int n, const double *z, double *sum) {
  for (int i = 0; i < n; i += CAS_VL)
    cas_vec_store(sum + i, cas_vec_load(sum + i) + cas_vec_load(z + i));
}
