/* Normals from a file instead of a generator; cas_block_noise_step reads them. */
#include "noise/noise.h"

extern const cas_generator cas_generator_replay;
const cas_generator cas_generator_replay = {
    .name = "replay",
    .summary = "standard normals from an HDF5 dataset, steps x noises or paths x steps x noises",
    .blocks = INT64_MAX / 64,
    .replayed = true,
};
