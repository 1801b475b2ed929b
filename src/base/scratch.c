#include "base/scratch.h"
#include "base/owned.h"

#include <math.h>
#include <stdatomic.h>

static atomic_bool missing;

void *cas_scratch(size_t bytes) {
  void *memory = malloc(bytes);
  if (!memory)
    atomic_store(&missing, true);
  return memory;
}

double *cas_scratch_for(int64_t doubles, int64_t numbers, double *out) {
  double *memory = cas_scratch((size_t)doubles * sizeof *memory);
  for (int64_t i = 0; !memory && i < numbers; i++)
    out[i] = NAN;
  return memory;
}

bool cas_scratch_is_missing(void) { return atomic_exchange(&missing, false); }

double cas_scratch_of_machine(void) {
  return (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
}
