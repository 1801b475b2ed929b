/* Threefry4x64 with 13 rounds (Salmon, Moraes, Dror and Shaw 2011, Random123). */
#include "base/lanes.h"
#include "math/kernels/kernels.h"

#include <Random123/threefry.h>

/* The upper 52 bits k of a word as (k + 1/2) 2^-52 are never 0 or 1, and do not depend on the
   instruction set. */
CAS_INLINE double uniform(uint64_t word) {
  uint64_t bits = (word >> 12) | UINT64_C(0x3ff0000000000000);
  double one_to_two;
  memcpy(&one_to_two, &bits, sizeof bits);
  return one_to_two - (1 - 0x1p-53);
}

void CAS_ISA(cas_kernels_threefry)(int seed, int purpose, int64_t block, int64_t step, int n,
                                   double *u) {
  const threefry4x64_key_t key = {{(uint64_t)seed, (uint64_t)purpose, 0, 0}};
  for (int i = 0; i < n / 4; i++) {
    threefry4x64_ctr_t counter = {{(uint64_t)i, (uint64_t)step, (uint64_t)block, 0}};
    threefry4x64_ctr_t word = threefry4x64_R(13, counter, key);
    for (int w = 0; w < 4; w++)
      u[w * (n / 4) + i] = uniform(word.v[w]);
  }
}
