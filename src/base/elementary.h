/* Elementary functions of vectors of lanes, without branches for ordinary arguments and without
   calls. log, exp, sin and cos are the minimax polynomials of fdlibm (Sun Microsystems 1993:
   e_log.c, e_exp.c, k_sin.c, k_cos.c, e_rem_pio2.c), with errors below 1 ulp; tan is their
   quotient, with errors below 3 ulp, and powers and inverse functions of angles are those of the C
   library. A NaN stays one. */
#ifndef CAS_ELEMENTARY_H
#define CAS_ELEMENTARY_H

#include "base/lanes.h"

#include <math.h>

typedef uint64_t cas_bits __attribute__((vector_size(8 * CAS_VL)));

/* ---- logarithm ---- */

/* a = 2^k (1 + f), positive and normal, with 1 + f in [sqrt 1/2, sqrt 2); s = f / (2 + f) */
typedef struct {
  cas_vec k, f, s;
} cas_log_argument;

CAS_INLINE cas_log_argument cas_vec_log_reduce(cas_vec a) {
  const uint64_t one = UINT64_C(0x3ff0000000000000), root_half = UINT64_C(0x3fe6a09e667f3bcd);
  const uint64_t fraction = UINT64_C(0x000fffffffffffff), two52 = UINT64_C(0x4330000000000000);
  cas_bits bits = (cas_bits)a + (one - root_half);
  cas_vec k = (cas_vec)((bits >> 52) | two52) - (0x1p52 + 1023);
  cas_vec f = (cas_vec)((bits & fraction) + root_half) - 1.0;
  return (cas_log_argument){k, f, f / (2.0 + f)};
}

CAS_INLINE cas_vec cas_vec_log_reduced(cas_log_argument a) {
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

CAS_INLINE cas_vec cas_vec_log(cas_vec a) {
  const cas_vec zero = {0}, infinity = cas_vec_splat(INFINITY), least = cas_vec_splat(0x1p-1022);
  cas_ivec subnormal = (cas_ivec)(a < least);
  cas_log_argument r = cas_vec_log_reduce(cas_vec_select(subnormal, a * 0x1p54, a));
  r.k -= cas_vec_select(subnormal, cas_vec_splat(54), zero);
  cas_vec finite = cas_vec_select((cas_ivec)(a < infinity), cas_vec_log_reduced(r), a);
  cas_vec special = cas_vec_select((cas_ivec)(a == zero), -infinity, cas_vec_splat(NAN));
  return cas_vec_select((cas_ivec)(a > zero), finite, special);
}

/* ---- exponential ---- */

/* 2^n for the n of a normal number */
CAS_INLINE cas_vec cas_vec_power_of_two(cas_ivec n) { return (cas_vec)((n + 1023) << 52); }

CAS_INLINE cas_vec cas_vec_exp(cas_vec a) {
  const double ln2_high = 6.93147180369123816490e-01, ln2_low = 1.90821492927058770002e-10;
  const double shift = 0x1.8p52;
  cas_vec x = cas_vec_min(cas_vec_splat(710), cas_vec_max(cas_vec_splat(-746), a));
  cas_vec shifted = x * 1.44269504088896338700 + shift, k = shifted - shift;
  cas_vec high = x - k * ln2_high, low = k * ln2_low, r = high - low, z = r * r;
  cas_vec c =
      r - z * (1.66666666666666019037e-01 +
               z * (-2.77777777770155933842e-03 +
                    z * (6.61375632143793436117e-05 +
                         z * (-1.65339022054652515390e-06 + z * 4.13813679705723846039e-08))));
  cas_vec y = 1.0 - ((low - r * c / (2.0 - c)) - high);
  cas_ivec n = (cas_ivec)shifted - (cas_ivec)cas_vec_splat(shift), half = n >> 1;
  return y * cas_vec_power_of_two(half) * cas_vec_power_of_two(n - half);
}

/* ---- sine and cosine ---- */

/* sin x = x + x z S(z) and cos x = 1 - z/2 + z^2 C(z) with z = x^2, for |x| <= pi/4 */
CAS_INLINE cas_vec cas_vec_sine_series(cas_vec z) {
  return -1.66666666666666324348e-01 +
         z * (8.33333333332248946124e-03 +
              z * (-1.98412698298579493134e-04 +
                   z * (2.75573137070700676789e-06 +
                        z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10))));
}

CAS_INLINE cas_vec cas_vec_cosine_series(cas_vec z) {
  return 4.16666666666666019037e-02 +
         z * (-1.38888888888741095749e-03 +
              z * (2.48015872894767294178e-05 +
                   z * (-2.75573143513906633035e-07 +
                        z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11))));
}

/* Adds quarter turns, of whose number the last two bits count, to an angle (cosine c, sine s). */
CAS_INLINE void cas_vec_turn_by_quarters(cas_bits quarters, cas_vec c, cas_vec s, cas_vec *cosine,
                                         cas_vec *sine) {
  const uint64_t sign = UINT64_C(1) << 63;
  cas_bits difference = ((cas_bits)c ^ (cas_bits)s) & -(quarters & 1);
  *cosine = (cas_vec)((cas_bits)c ^ difference ^ (((quarters + 1) << 62) & sign));
  *sine = (cas_vec)((cas_bits)s ^ difference ^ ((quarters << 62) & sign));
}

/* Angles from here on are given to the C library, lane by lane. */
static const double cas_vec_large_angle = 0x1p20;

/* sine and cosine of a below that: after a number of quarter turns, x + tail in [-pi/4, pi/4] is
   left. The parts of pi/2 have 33 bits, so that their products are exact. */
CAS_INLINE void cas_vec_cosine_sine(cas_vec a, cas_vec *cosine, cas_vec *sine) {
  const double part[3] = {1.57079632673412561417e+00, 6.07710050630396597660e-11,
                          2.02226624871116645580e-21};
  const double rest = 8.47842766036889956997e-32, shift = 0x1.8p52;
  cas_vec shifted = a * 6.36619772367581382433e-01 + shift, k = shifted - shift;
  cas_vec first = a - k * part[0], second = first - k * part[1], third = second - k * part[2];
  cas_vec lost = ((first - second) - k * part[1]) + (((second - third) - k * part[2]) - k * rest);
  cas_vec x = third + lost, tail = (third - x) + lost, z = x * x, half = 0.5 * z, w = 1.0 - half;
  cas_vec s = x + (x * z * cas_vec_sine_series(z) + tail * (1.0 - half));
  cas_vec c = w + (((1.0 - w) - half) + (z * z * cas_vec_cosine_series(z) - x * tail));
  cas_vec_turn_by_quarters((cas_bits)shifted, c, s, cosine, sine);
}

#define CAS_VEC_LARGE_ANGLES(function, a, result)                              \
  if (cas_vec_any_greater(cas_vec_abs(a), cas_vec_splat(cas_vec_large_angle))) \
    for (int lane_ = 0; lane_ < CAS_VL; lane_++)                               \
      if (fabs(a[lane_]) > cas_vec_large_angle)                                \
  result[lane_] = function(a[lane_])

CAS_INLINE cas_vec cas_vec_sin(cas_vec a) {
  cas_vec cosine, sine;
  cas_vec_cosine_sine(a, &cosine, &sine);
  CAS_VEC_LARGE_ANGLES(sin, a, sine);
  return sine;
}

CAS_INLINE cas_vec cas_vec_cos(cas_vec a) {
  cas_vec cosine, sine;
  cas_vec_cosine_sine(a, &cosine, &sine);
  CAS_VEC_LARGE_ANGLES(cos, a, cosine);
  return cosine;
}

CAS_INLINE cas_vec cas_vec_tan(cas_vec a) {
  cas_vec cosine, sine;
  cas_vec_cosine_sine(a, &cosine, &sine);
  cas_vec tangent = sine / cosine;
  CAS_VEC_LARGE_ANGLES(tan, a, tangent);
  return tangent;
}

/* ---- the rest ---- */

#define CAS_ELEMENTARY_OF_LANES(name, call, ...) \
  CAS_INLINE cas_vec name(__VA_ARGS__) {         \
    for (int lane = 0; lane < CAS_VL; lane++)    \
      a[lane] = call;                            \
    return a;                                    \
  }
CAS_ELEMENTARY_OF_LANES(cas_vec_pow, pow(a[lane], b[lane]), cas_vec a, cas_vec b)
CAS_ELEMENTARY_OF_LANES(cas_vec_atan2, atan2(a[lane], b[lane]), cas_vec a, cas_vec b)
CAS_ELEMENTARY_OF_LANES(cas_vec_asin, asin(a[lane]), cas_vec a)
CAS_ELEMENTARY_OF_LANES(cas_vec_acos, acos(a[lane]), cas_vec a)
CAS_ELEMENTARY_OF_LANES(cas_vec_atan, atan(a[lane]), cas_vec a)
#undef CAS_ELEMENTARY_OF_LANES

/* 1, 0, -1 */
CAS_INLINE cas_vec cas_vec_sign(cas_vec a) {
  const cas_vec zero = {0};
  cas_vec sign = cas_vec_one_if_greater(a, zero) - cas_vec_one_if_greater(zero, a);
  return cas_vec_select((cas_ivec)(a == a), sign, a);
}

#endif
