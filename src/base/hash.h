/* A hash and a sum by which files and inputs are recognised. A change of one byte always changes
   either, because each step of FNV-1a is one to one, and so is the term of each word in a sum. */
#ifndef CAS_HASH_H
#define CAS_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define CAS_HASH_START UINT64_C(0xcbf29ce484222325)

static inline uint64_t cas_hash(uint64_t hash, const void *data, size_t n) {
  const unsigned char *bytes = data;
  for (size_t i = 0; i < n; i++)
    hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
  return hash;
}

/* The sum of 64-bit words, each mixed with its place by the steps of SplitMix64. The sums of parts
   add up to that of the whole, in any order. n: bytes, of whole words; at: place of the first. */
static inline uint64_t cas_hash_sum(uint64_t at, const void *data, size_t n) {
  const unsigned char *bytes = data;
  uint64_t sum = 0;
  for (size_t i = 0; i + sizeof(uint64_t) <= n; i += sizeof(uint64_t)) {
    uint64_t word;
    memcpy(&word, bytes + i, sizeof word);
    word += (at + i) * UINT64_C(0x9e3779b97f4a7c15);
    word = (word ^ (word >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    word = (word ^ (word >> 27)) * UINT64_C(0x94d049bb133111eb);
    sum += word ^ (word >> 31);
  }
  return sum;
}

#endif
