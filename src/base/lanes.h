/* Vectors of lanes: one path in each element. Explicit vector types, because whether a compiler
   vectorises a loop on its own differs between compilers and versions, and a silent fall-back to
   scalar code costs a factor of three. */
#ifndef CAS_LANES_H
#define CAS_LANES_H

#include "base/isa.h"

#include <casimir/extend.h>

#if defined __AVX512F__
#define CAS_VL 8
#elif defined __AVX2__
#define CAS_VL 4
#else
#define CAS_VL 2
#endif

/* vectors a group interleaves, to hide the latency of the dependent fixed-point iteration */
#define CAS_GROUP_VECTORS 2
#define CAS_GROUP_LANES (CAS_GROUP_VECTORS * CAS_VL)

#define CAS_INLINE static inline __attribute__((always_inline))
/* of long functions that several schemes or iterations call: compiled once, not for every call */
#define CAS_NOT_INLINE static __attribute__((noinline, unused))

typedef double cas_vec __attribute__((vector_size(8 * CAS_VL)));
typedef int64_t cas_ivec __attribute__((vector_size(8 * CAS_VL)));

/* a component of a group of lanes */
typedef struct {
  cas_vec v[CAS_GROUP_VECTORS];
} cas_group;

CAS_INLINE cas_vec cas_vec_load(const double *p) { return *(const cas_vec *)p; }
CAS_INLINE void cas_vec_store(double *p, cas_vec v) { *(cas_vec *)p = v; }
/* gcc, unlike clang, would load a factor of several products again for each of them */
CAS_INLINE cas_vec cas_vec_in_register(cas_vec v) {
#if defined __SSE2__ && !defined __clang__
  __asm__("" : "+v"(v));
#endif
  return v;
}

CAS_INLINE cas_vec cas_vec_splat(double a) { return a - (cas_vec){0}; }

/* a in the lanes where all bits of the mask are set, b where none is */
CAS_INLINE cas_vec cas_vec_select(cas_ivec mask, cas_vec a, cas_vec b) {
  return (cas_vec)((mask & (cas_ivec)a) | (~mask & (cas_ivec)b));
}

/* Instructions that operators do not reach, by gcc's own names: immintrin.h takes a third of a
   second to compile, in every file. -1, 4: all lanes, without another value, rounded as usual. */
#if defined __AVX512F__ && !defined __clang__
CAS_INLINE cas_vec cas_vec_x86_no_value(void) {
  cas_vec v = v;
  return v;
}
#define CAS_VEC_X86_MAX(a, b) __builtin_ia32_maxpd512_mask(a, b, cas_vec_x86_no_value(), -1, 4)
#define CAS_VEC_X86_MIN(a, b) __builtin_ia32_minpd512_mask(a, b, cas_vec_x86_no_value(), -1, 4)
#define CAS_VEC_X86_SQRT(a) __builtin_ia32_sqrtpd512_mask(a, cas_vec_x86_no_value(), -1, 4)
#define CAS_VEC_X86_GREATER(a, b) __builtin_ia32_cmppd512_mask(a, b, CAS_VEC_X86_GT_OQ, -1, 4)
#elif defined __AVX512F__
#include <immintrin.h>
#define CAS_VEC_X86_MAX(a, b) _mm512_max_pd(a, b)
#define CAS_VEC_X86_MIN(a, b) _mm512_min_pd(a, b)
#define CAS_VEC_X86_SQRT(a) _mm512_sqrt_pd(a)
#define CAS_VEC_X86_GREATER(a, b) _mm512_cmp_pd_mask(a, b, CAS_VEC_X86_GT_OQ)
#elif defined __AVX2__ && !defined __clang__
#define CAS_VEC_X86_MAX(a, b) __builtin_ia32_maxpd256(a, b)
#define CAS_VEC_X86_MIN(a, b) __builtin_ia32_minpd256(a, b)
#define CAS_VEC_X86_SQRT(a) __builtin_ia32_sqrtpd256(a)
#define CAS_VEC_X86_GREATER(a, b) \
  __builtin_ia32_movmskpd256(__builtin_ia32_cmppd256(a, b, CAS_VEC_X86_GT_OQ))
#elif defined __AVX2__
#include <immintrin.h>
#define CAS_VEC_X86_MAX(a, b) _mm256_max_pd(a, b)
#define CAS_VEC_X86_MIN(a, b) _mm256_min_pd(a, b)
#define CAS_VEC_X86_SQRT(a) _mm256_sqrt_pd(a)
#define CAS_VEC_X86_GREATER(a, b) _mm256_movemask_pd(_mm256_cmp_pd(a, b, CAS_VEC_X86_GT_OQ))
#endif
enum { CAS_VEC_X86_GT_OQ = 30 }; /* _CMP_GT_OQ: a > b, false for a NaN */

/* cas_vec_max and cas_vec_min: a if a > b, or a < b, else b. A NaN in a is dropped, so a failed
   lane does not hold up its group. */
#if CAS_VL > 2
CAS_INLINE cas_vec cas_vec_max(cas_vec a, cas_vec b) { return CAS_VEC_X86_MAX(a, b); }
CAS_INLINE cas_vec cas_vec_min(cas_vec a, cas_vec b) { return CAS_VEC_X86_MIN(a, b); }
CAS_INLINE cas_vec cas_vec_sqrt(cas_vec a) { return CAS_VEC_X86_SQRT(a); }
CAS_INLINE int cas_vec_any_greater(cas_vec a, cas_vec b) { return CAS_VEC_X86_GREATER(a, b) != 0; }
#else
CAS_INLINE cas_vec cas_vec_max(cas_vec a, cas_vec b) {
  return cas_vec_select((cas_ivec)(a > b), a, b);
}
CAS_INLINE cas_vec cas_vec_min(cas_vec a, cas_vec b) {
  return cas_vec_select((cas_ivec)(a < b), a, b);
}
CAS_INLINE cas_vec cas_vec_sqrt(cas_vec a) {
  for (int i = 0; i < CAS_VL; i++)
    a[i] = __builtin_sqrt(a[i]);
  return a;
}
CAS_INLINE int cas_vec_any_greater(cas_vec a, cas_vec b) {
  cas_ivec m = (cas_ivec)(a > b);
  return (m[0] | m[1]) != 0;
}
#endif

CAS_INLINE cas_vec cas_vec_one_if_greater(cas_vec a, cas_vec b) {
  return (cas_vec)((cas_ivec)(a > b) & (cas_ivec)cas_vec_splat(1));
}

CAS_INLINE cas_vec cas_vec_abs(cas_vec a) { return (cas_vec)((cas_ivec)a & INT64_MAX); }

/* the sum of all elements, in every element */
CAS_INLINE cas_vec cas_vec_sum(cas_vec a) {
#if CAS_VL == 8
  a += __builtin_shufflevector(a, a, 4, 5, 6, 7, 0, 1, 2, 3);
  a += __builtin_shufflevector(a, a, 2, 3, 0, 1, 6, 7, 4, 5);
  return a + __builtin_shufflevector(a, a, 1, 0, 3, 2, 5, 4, 7, 6);
#elif CAS_VL == 4
  a += __builtin_shufflevector(a, a, 2, 3, 0, 1);
  return a + __builtin_shufflevector(a, a, 1, 0, 3, 2);
#else
  return a + __builtin_shufflevector(a, a, 1, 0);
#endif
}

/* component k, vector u of a column of lanes */
CAS_INLINE cas_vec cas_lanes_load(cas_lanes l, int k, int u) {
  return cas_vec_load(l.base + (size_t)k * (size_t)l.stride + u * CAS_VL);
}

#endif
