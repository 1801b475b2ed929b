#include "lanes.h"
#include "noise/kernels_noise.h"

void CAS_ISA(cas_truncate)(int rows, int W, const double *sum, double bound, double scale,
                           double *dw, double *clipped) {
  for (int l = 0; l < W; l += CAS_VL) {
    cas_vec cut = cas_load(clipped + l);
    for (int k = 0; k < rows; k++) {
      cas_vec s = cas_load(sum + k * W + l);
      /* in this order a NaN stays one */
      cas_vec t = cas_vmin(cas_splat(bound), cas_vmax(cas_splat(-bound), s));
      cut += (cas_vec)((cas_ivec)(s != t) & (cas_ivec)cas_splat(1));
      cas_store(dw + k * W + l, scale * t);
    }
    cas_store(clipped + l, cut);
  }
}

void CAS_ISA(cas_accumulate)(int n, const double *z, double *sum) {
  for (int i = 0; i < n; i += CAS_VL)
    cas_store(sum + i, cas_load(sum + i) + cas_load(z + i));
}
