/* The peak of fused multiply-adds: CHAINS independent ones in registers, enough to hide their
   latency, few enough for 16 registers. */
#include "measure.h"

#include <math.h>
#include <string.h>

enum { CHAINS = 12, TURNS = 1 << 20 };

/* volatile: the compiler may neither know the factor nor drop the result */
static volatile double factor = 0.999999, sink;

#define CAS_PEAK(name, lanes, attribute)                             \
  attribute static void name(void) {                                 \
    typedef double vector __attribute__((vector_size(8 * (lanes)))); \
    vector a = factor - (vector){0}, b = 1 - a, c[CHAINS];           \
    for (int k = 0; k < CHAINS; k++)                                 \
      c[k] = a + k;                                                  \
    for (int i = 0; i < TURNS; i++)                                  \
      for (int k = 0; k < CHAINS; k++)                               \
        c[k] = c[k] * a + b;                                         \
    for (int k = 1; k < CHAINS; k++)                                 \
      c[0] += c[k];                                                  \
    sink = c[0][0];                                                  \
  }

CAS_PEAK(peak_generic, 2, )
#if defined __x86_64__
CAS_PEAK(peak_avx2, 4, __attribute__((target("avx2,fma"))))
CAS_PEAK(peak_avx512, 8, __attribute__((target("avx512f"))))
#endif

static const struct {
  const char *name;
  int lanes;
  void (*run)(void);
} peaks[] = {{"generic", 2, peak_generic},
#if defined __x86_64__
             {"avx2", 4, peak_avx2},
             {"avx512", 8, peak_avx512},
#endif
             {0}};

double cas_peak(const char *instruction_set) {
  for (int i = 0; peaks[i].name; i++) {
    double best = INFINITY;
    if (strcmp(peaks[i].name, instruction_set) != 0)
      continue;
    for (int r = 0; r < 7; r++) {
      double before = cas_seconds();
      peaks[i].run();
      best = fmin(best, cas_seconds() - before);
    }
    return 2e-9 * CHAINS * TURNS * peaks[i].lanes / best;
  }
  return 0;
}
