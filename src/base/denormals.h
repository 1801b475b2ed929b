/* Denormal numbers, below 2.2e-308 in magnitude, in which an operation takes up to some hundred
   cycles. Between these two calls the arithmetic of the calling thread, and of threads that it
   starts, takes them as zero and gives zero in their place. Normal numbers, infinities and NaN are
   computed as ever. */
#ifndef CAS_DENORMALS_H
#define CAS_DENORMALS_H

#include <stdint.h>

#if defined __x86_64__ || defined __SSE2__
#include <xmmintrin.h>

/* The bits "flush to zero" and "denormals are zero" of MXCSR; returns the mode before. */
static inline uint64_t cas_denormals_flush(void) {
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before | 0x8040u);
  return before;
}

static inline void cas_denormals_restore(uint64_t before) { _mm_setcsr((unsigned)before); }

/* All that arithmetic depends on: these bits, rounding, masks of exceptions. */
static inline uint64_t cas_denormals_mode(void) { return _mm_getcsr() & 0xFFC0u; }

#elif defined __aarch64__

/* The bit FZ of FPCR; returns the mode before. */
static inline uint64_t cas_denormals_flush(void) {
  uint64_t before;
  __asm__ volatile("mrs %0, fpcr" : "=r"(before)::"memory");
  __asm__ volatile("msr fpcr, %0" ::"r"(before | (UINT64_C(1) << 24)) : "memory");
  return before;
}

static inline void cas_denormals_restore(uint64_t before) {
  __asm__ volatile("msr fpcr, %0" ::"r"(before) : "memory");
}

/* All that arithmetic depends on: this bit, rounding and others. */
static inline uint64_t cas_denormals_mode(void) {
  uint64_t mode;
  __asm__ volatile("mrs %0, fpcr" : "=r"(mode)::"memory");
  return mode;
}

#else

/* Processors without such a mode compute with denormals. */
static inline uint64_t cas_denormals_flush(void) { return 0; }
static inline void cas_denormals_restore(uint64_t before) { (void)before; }
static inline uint64_t cas_denormals_mode(void) { return 0; }

#endif

#endif
