/* Box and Muller over whole vectors, without branches and without calls. log, sin and cos are the
   minimax polynomials of fdlibm (Sun Microsystems 1993: e_log.c, k_sin.c, k_cos.c) on arguments
   that need no special cases: a uniform is neither 0 nor 1, and the quarters of a turn are taken
   off it exactly. Errors of a normal are below 2 ulp, also where a cosine nearly vanishes. */
#include "base/elementary.h"
#include "math/kernels/kernels.h"

/* cos and sin of v turns, v in (0, 1): quarter turns, and x in [-pi/4, pi/4] */
CAS_INLINE void cosine_sine(cas_vec v, cas_vec *cosine, cas_vec *sine) {
  cas_vec shifted = 4.0 * v + 0x1p52;
  cas_vec x = 1.57079632679489661923 * (4.0 * v - (shifted - 0x1p52)), z = x * x, w = z * z;
  cas_vec s = x + x * z * cas_vec_sine_series(z);
  cas_vec c = 1.0 - (0.5 * z - w * cas_vec_cosine_series(z));
  cas_vec_turn_by_quarters((cas_bits)shifted, c, s, cosine, sine);
}

/* Radii from the first half of u, angles from the second. Three vectors are under way at a time,
   each in another stage, because one from beginning to end is a chain of 110 cycles of latency. */
void CAS_ISA(cas_kernels_normals)(int n, const double *u, double *z) {
  int half = n / 2;
  cas_log_argument a = cas_vec_log_reduce(cas_vec_load(u));
  cas_vec square = -2.0 * cas_vec_log_reduced(a);
  a = cas_vec_log_reduce(cas_vec_load(u + (half > CAS_VL ? CAS_VL : 0)));
  for (int i = 0; i < half; i += CAS_VL) {
    cas_vec cosine, sine, r = cas_vec_sqrt(square);
    square = -2.0 * cas_vec_log_reduced(a);
    a = cas_vec_log_reduce(cas_vec_load(u + (i + 2 * CAS_VL < half ? i + 2 * CAS_VL : 0)));
    cosine_sine(cas_vec_load(u + half + i), &cosine, &sine);
    cas_vec_store(z + i, r * cosine);
    cas_vec_store(z + half + i, r * sine);
  }
}
