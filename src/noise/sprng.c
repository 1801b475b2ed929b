/* The families of SPRNG 2.0, one stream for each block. Three things were measured and are met
   here:
   - Consecutive MLFG streams start correlated (4 of 100 first draws equal another stream's), hence
   the warm-up.
   - The total number of streams does not change a sequence, so one fixed total serves every study.
   - LCG64 can return 1 and MLFG 0, hence the clamp into the open interval. */
#include "noise/noise.h"

#include <sprng/sprng.h>

enum { WARM_UP = 1024 };
enum { TOTAL_LFG = 0x7fffffff, TOTAL_LCG = 1 << 19, TOTAL_64 = 1 << 24 };

static cas_status open_stream(cas_stream *s, int family, int total, cas_error *err) {
  int64_t number = s->purpose * s->generator->blocks + s->block;
  s->handle = init_sprng(family, (int)number, total, s->seed, SPRNG_DEFAULT);
  if (!s->handle)
    return cas_fail(err, CAS_INTERNAL, "SPRNG could not open stream %lld of %s with seed %d",
                    (long long)number, s->generator->name, s->seed);
  for (int i = 0; i < WARM_UP; i++)
    (void)sprng(s->handle);
  return CAS_OK;
}

static void uniforms(cas_stream *s, int64_t step, int n, double *u) {
  const double least = 0x1p-53;
  (void)step;
  for (int i = 0; i < n; i++) {
    double v = sprng(s->handle);
    u[i] = v < least ? least : v > 1 - least ? 1 - least : v;
  }
}

static void close_stream(cas_stream *s) { free_sprng(s->handle); }

#define CAS_SPRNG_FAMILY(family, constant, total, text)                                 \
  static cas_status open_##family(cas_stream *s, cas_error *err) {                      \
    return open_stream(s, constant, total, err);                                        \
  }                                                                                     \
  extern const cas_generator cas_generator_sprng_##family;                              \
  const cas_generator cas_generator_sprng_##family = {.name = "sprng_" #family,         \
                                                      .summary = text,                  \
                                                      .blocks = (total) / CAS_PURPOSES, \
                                                      .open = open_##family,            \
                                                      .uniforms = uniforms,             \
                                                      .close = close_stream};

CAS_SPRNG_FAMILY(mlfg, SPRNG_MLFG, TOTAL_LFG, "SPRNG multiplicative lagged Fibonacci, lag 17")
CAS_SPRNG_FAMILY(lfg, SPRNG_LFG, TOTAL_LFG,
                 "SPRNG additive lagged Fibonacci, lag 1279; 1.2 ms to open a stream")
CAS_SPRNG_FAMILY(lcg, SPRNG_LCG, TOTAL_LCG, "SPRNG 48-bit linear congruential")
CAS_SPRNG_FAMILY(lcg64, SPRNG_LCG64, TOTAL_64,
                 "SPRNG 64-bit linear congruential; opening grows with the stream number")
CAS_SPRNG_FAMILY(cmrg, SPRNG_CMRG, TOTAL_64,
                 "SPRNG combined multiple recursive; opening grows with the stream number")
