/* The counter-based generator: it has no state, and any block and step is computed directly. */
#include "math/kernels/kernels.h"
#include "paths/noise/noise.h"

static cas_status open_stream(cas_stream *s, cas_error *err CAS_UNUSED) {
  s->handle = (void *)cas_kernels_get();
  return CAS_OK;
}

static void uniforms(cas_stream *s, int64_t step, int n, double *u) {
  const cas_kernels *kernels = s->handle;
  kernels->threefry(s->seed, s->purpose, s->block, step, n, u);
}

const cas_generator cas_generator_threefry = {
    .name = "threefry",
    .summary = "Random123 Threefry4x64-13, counter-based; the fastest",
    .blocks = INT64_MAX / 64,
    .counter_based = true,
    .open = open_stream,
    .uniforms = uniforms,
};
