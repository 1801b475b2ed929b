/* FNV-1a, by which files and inputs are known again. A change of one byte always changes it, because
   each of its steps is one to one. */
#ifndef CAS_HASH_H
#define CAS_HASH_H

#include <stddef.h>
#include <stdint.h>

#define CAS_HASH_START UINT64_C(0xcbf29ce484222325)

static inline uint64_t cas_hash(uint64_t hash, const void *data, size_t n) {
  const unsigned char *bytes = data;
  for (size_t i = 0; i < n; i++)
    hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
  return hash;
}

#endif
