/* Normals from a file instead of a generator; cas_block_noise_step reads them. */
#include "io/hash.h"
#include "noise/noise.h"

uint64_t cas_replay_hash(const cas_replay *r, int64_t paths, int64_t steps) {
  uint64_t hash = CAS_HASH_START;
  size_t row = (size_t)r->noises * sizeof *r->zeta;
  for (int64_t path = 0; path < paths && path < r->paths; path++)
    hash = cas_hash(hash, r->zeta + path * r->steps * r->noises,
                    row * (size_t)(steps < r->steps ? steps : r->steps));
  return hash;
}

extern const cas_generator cas_generator_replay;
const cas_generator cas_generator_replay = {
    .name = "replay",
    .summary = "standard normals from an HDF5 dataset, steps x noises or paths x steps x noises",
    .blocks = INT64_MAX / 64,
    .replayed = true,
};
