/* The families of SPRNG 2.0, one stream for each block, with remedies for what was measured:
   - Consecutive MLFG streams start correlated (4 of 100 first draws equal another stream's), so the
     first WARM_UP draws are discarded.
   - The total number of streams does not change a sequence, so one fixed total serves every study.
   - LCG64 can return 1 and MLFG 0, so draws are clamped into the open interval.
   - LCG, LCG64 and CMRG open a stream in a time that grows with its number, because they look up
     its addend in a list of primes and make 127 steps for each stream before it: multilevel studies
     use other multipliers instead of high stream numbers. */
#include "paths/noise/noise.h"

#ifndef CAS_WITHOUT_SPRNG
#include <sprng/sprng.h>

enum { WARM_UP = 1024 };

const char *cas_sprng_version(void) { return "2.0"; }

/* All three families have at least three multipliers; the first one is SPRNG_DEFAULT. */
static int multiplier(const cas_stream *s) {
  if (!s->generator->ascending)
    return SPRNG_DEFAULT;
  return s->purpose == CAS_PURPOSE_MULTILEVEL ? 1 : s->purpose == CAS_PURPOSE_MLMC ? 2 : 0;
}

static cas_status open_stream(cas_stream *s, cas_error *err) {
  const cas_generator *g = s->generator;
  int other = multiplier(s), total = (int)(g->blocks * CAS_PURPOSES);
  int64_t number = s->block + (other ? 0 : s->purpose * g->blocks);
  s->handle = init_sprng(g->variant, (int)number, total, s->seed, other);
  CAS_FAIL_IF(!s->handle, CAS_INTERNAL, "SPRNG could not open stream %lld of %s with seed %d",
              (long long)number, g->name, s->seed);
  for (int i = 0; i < WARM_UP; i++)
    (void)sprng(s->handle);
  return CAS_OK;
}

static void uniforms(cas_stream *s, int64_t step CAS_UNUSED, int n, double *u) {
  const double least = 0x1p-53;
  for (int i = 0; i < n; i++) {
    double v = sprng(s->handle);
    u[i] = v < least ? least : v > 1 - least ? 1 - least : v;
  }
}

static void close_stream(cas_stream *s) { free_sprng(s->handle); }

#define CAS_SPRNG_WAYS .open = open_stream, .uniforms = uniforms, .close = close_stream

#else

enum { SPRNG_LFG, SPRNG_LCG, SPRNG_LCG64, SPRNG_CMRG, SPRNG_MLFG };

const char *cas_sprng_version(void) { return "none"; }

/* Known by name and bounds, so that whatever they are asked for says what is missing. */
#define CAS_SPRNG_WAYS                                                                    \
  .missing = "this casimir was built without SPRNG (-DCASIMIR_SPRNG=OFF); build it with " \
             "SPRNG 2.0 (Debian: libsprng2-dev), or choose another generator"

#endif

enum { TOTAL_LFG = 0x7fffffff, TOTAL_LCG = 1 << 19, TOTAL_64 = 1 << 24 };

#define CAS_SPRNG_FAMILY(family, constant, total, slower, text)                         \
  const cas_generator cas_generator_sprng_##family = {.name = "sprng_" #family,         \
                                                      .summary = text,                  \
                                                      .variant = constant,              \
                                                      .blocks = (total) / CAS_PURPOSES, \
                                                      .ascending = slower,              \
                                                      CAS_SPRNG_WAYS};

CAS_SPRNG_FAMILY(mlfg, SPRNG_MLFG, TOTAL_LFG, false,
                 "SPRNG multiplicative lagged Fibonacci, lag 17")
CAS_SPRNG_FAMILY(lfg, SPRNG_LFG, TOTAL_LFG, false,
                 "SPRNG additive lagged Fibonacci, lag 1279; 1.2 ms to open a stream")
CAS_SPRNG_FAMILY(lcg, SPRNG_LCG, TOTAL_LCG, true, "SPRNG 48-bit linear congruential")
CAS_SPRNG_FAMILY(lcg64, SPRNG_LCG64, TOTAL_64, true,
                 "SPRNG 64-bit linear congruential; opening grows with the stream number")
CAS_SPRNG_FAMILY(cmrg, SPRNG_CMRG, TOTAL_64, true,
                 "SPRNG combined multiple recursive; opening grows with the stream number")
