/* Box and Muller over whole vectors. The vector functions of libmvec are called by name: gcc offers
   them to loops only under -ffast-math or OpenMP, and turns sin and cos of one argument into a
   scalar sincos. Errors are below 4 ulp. */
#include "lanes.h"
#include "noise/kernels_noise.h"

#include <math.h>

#if defined CAS_HAVE_LIBMVEC
#if defined __AVX512F__
#define CAS_VECTOR_FUNCTION(f) _ZGVeN8v_##f
#elif defined __AVX2__
#define CAS_VECTOR_FUNCTION(f) _ZGVdN4v_##f
#else
#define CAS_VECTOR_FUNCTION(f) _ZGVbN2v_##f
#endif
cas_vec CAS_VECTOR_FUNCTION(log)(cas_vec);
cas_vec CAS_VECTOR_FUNCTION(cos)(cas_vec);
cas_vec CAS_VECTOR_FUNCTION(sin)(cas_vec);
#else
#define CAS_VECTOR_FUNCTION(f) by_element_##f
#define CAS_BY_ELEMENT(f)                        \
  CAS_INLINE cas_vec by_element_##f(cas_vec a) { \
    for (int i = 0; i < CAS_VL; i++)             \
      a[i] = f(a[i]);                            \
    return a;                                    \
  }
CAS_BY_ELEMENT(log)
CAS_BY_ELEMENT(cos)
CAS_BY_ELEMENT(sin)
#endif

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

/* radii from the first half of u, angles from the second */
void CAS_ISA(cas_normals)(int n, const double *u, double *z) {
  const double two_pi = 6.28318530717958647693;
  for (int i = 0; i < n / 2; i += CAS_VL) {
    cas_vec r = root(-2.0 * CAS_VECTOR_FUNCTION(log)(cas_load(u + i)));
    cas_vec angle = two_pi * cas_load(u + n / 2 + i);
    cas_store(z + i, r * CAS_VECTOR_FUNCTION(cos)(angle));
    cas_store(z + n / 2 + i, r * CAS_VECTOR_FUNCTION(sin)(angle));
  }
}
