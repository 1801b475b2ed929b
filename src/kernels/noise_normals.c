/* Box and Muller over whole vectors, without branches and without calls. log, sin and cos are the
   minimax polynomials of fdlibm (Sun Microsystems 1993: e_log.c, k_sin.c, k_cos.c) on arguments
   that need no special cases: a uniform is neither 0 nor 1, and the quarters of a turn are taken
   off it exactly. Errors of a normal are below 2 ulp, also where a cosine nearly vanishes. */
#include "base/lanes.h"
#include "kernels/noise_kernels.h"

#include <math.h>

CAS_INLINE cas_vec root(cas_vec a) {
#if defined __AVX512F__
  return (cas_vec)_mm512_sqrt_pd((__m512d)a);
#elif defined __AVX2__
  return (cas_vec)_mm256_sqrt_pd((__m256d)a);
#else
  for (int i = 0; i < CAS_VL; i++)
    a[i] = sqrt(a[i]);
  return a;
#endif
}

typedef uint64_t cas_bits __attribute__((vector_size(8 * CAS_VL)));

/* u in (0, 1) is 2^k (1 + f) with 1 + f in [sqrt 1/2, sqrt 2); s = f / (2 + f) */
typedef struct {
  cas_vec k, f, s;
} reduced;

CAS_INLINE reduced reduce(cas_vec u) {
  const uint64_t one = UINT64_C(0x3ff0000000000000), root_half = UINT64_C(0x3fe6a09e667f3bcd);
  const uint64_t fraction = UINT64_C(0x000fffffffffffff), two52 = UINT64_C(0x4330000000000000);
  cas_bits bits = (cas_bits)u + (one - root_half);
  cas_vec k = (cas_vec)((bits >> 52) | two52) - (0x1p52 + 1023);
  cas_vec f = (cas_vec)((bits & fraction) + root_half) - 1.0;
  return (reduced){k, f, f / (2.0 + f)};
}

CAS_INLINE cas_vec logarithm(reduced a) {
  const double ln2_high = 6.93147180369123816490e-01, ln2_low = 1.90821492927058770002e-10;
  cas_vec z = a.s * a.s, w = z * z, half_square = 0.5 * a.f * a.f;
  cas_vec even = w * (3.999999999940941908e-01 +
                      w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01));
  cas_vec odd = z * (6.666666666666735130e-01 +
                     w * (2.857142874366239149e-01 +
                          w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01)));
  cas_vec rest = a.s * (half_square + (even + odd)) + a.k * ln2_low;
  return a.k * ln2_high - ((half_square - rest) - a.f);
}

/* cos and sin of v turns, v in (0, 1): quarter turns, and x in [-pi/4, pi/4] */
CAS_INLINE void cosine_sine(cas_vec v, cas_vec *cosine, cas_vec *sine) {
  cas_vec shifted = 4.0 * v + 0x1p52;
  cas_vec x = 1.57079632679489661923 * (4.0 * v - (shifted - 0x1p52)), z = x * x, w = z * z;
  cas_vec s =
      x + x * z *
              (-1.66666666666666324348e-01 +
               z * (8.33333333332248946124e-03 +
                    z * (-1.98412698298579493134e-04 +
                         z * (2.75573137070700676789e-06 + z * (-2.50507602534068634195e-08 +
                                                                z * 1.58969099521155010221e-10)))));
  cas_vec c =
      1.0 -
      (0.5 * z -
       w * (4.16666666666666019037e-02 +
            z * (-1.38888888888741095749e-03 +
                 z * (2.48015872894767294178e-05 +
                      z * (-2.75573143513906633035e-07 +
                           z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11))))));
  const uint64_t sign = UINT64_C(1) << 63;
  cas_bits quarter = (cas_bits)shifted, swap = -(quarter & 1);
  cas_bits difference = ((cas_bits)c ^ (cas_bits)s) & swap;
  *cosine = (cas_vec)((cas_bits)c ^ difference ^ (((quarter + 1) << 62) & sign));
  *sine = (cas_vec)((cas_bits)s ^ difference ^ ((quarter << 62) & sign));
}

/* Radii from the first half of u, angles from the second. Three vectors are under way at a time,
   each in another stage, because one from beginning to end is a chain of 110 cycles of latency. */
void CAS_ISA(cas_normals)(int n, const double *u, double *z) {
  int half = n / 2;
  reduced a = reduce(cas_load(u));
  cas_vec square = -2.0 * logarithm(a);
  a = reduce(cas_load(u + (half > CAS_VL ? CAS_VL : 0)));
  for (int i = 0; i < half; i += CAS_VL) {
    cas_vec cosine, sine, r = root(square);
    square = -2.0 * logarithm(a);
    a = reduce(cas_load(u + (i + 2 * CAS_VL < half ? i + 2 * CAS_VL : 0)));
    cosine_sine(cas_load(u + half + i), &cosine, &sine);
    cas_store(z + i, r * cosine);
    cas_store(z + half + i, r * sine);
  }
}
