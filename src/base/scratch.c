#include "base/scratch.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

static atomic_bool missing;

void *cas_scratch(size_t bytes) {
  void *memory = malloc(bytes);
  if (!memory)
    atomic_store(&missing, true);
  return memory;
}

bool cas_scratch_is_missing(void) { return atomic_exchange(&missing, false); }

double cas_scratch_of_machine(void) {
  return (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
}
