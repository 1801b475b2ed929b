#include "kernels.h"
#include "noise/noise.h"

#include <string.h>

#define CAS_GENERATOR(name) extern const cas_generator cas_generator_##name;
#include "noise/generators.def"
#undef CAS_GENERATOR

static const cas_generator *const generators[] = {
#define CAS_GENERATOR(name) &cas_generator_##name,
#include "noise/generators.def"
#undef CAS_GENERATOR
    NULL};

#define CAS_PURPOSE(name, number) \
  _Static_assert(number >= 0 && number < CAS_PURPOSES, "purpose out of range");
#include "noise/purposes.def"
#undef CAS_PURPOSE

/* two purposes with one number do not compile */
static bool purpose_known(int purpose) {
  switch (purpose) {
#define CAS_PURPOSE(name, number) case number:
#include "noise/purposes.def"
#undef CAS_PURPOSE
    return true;
  }
  return false;
}

const cas_generator *const *cas_generator_list(void) { return generators; }

const cas_generator *cas_generator_find(const char *name) {
  for (const cas_generator *const *g = generators; *g; g++)
    if (strcmp((*g)->name, name) == 0)
      return *g;
  return NULL;
}

cas_level_streams cas_noise_level_streams(const cas_generator *g, int level, int levels) {
  int64_t range = g->blocks / CAS_STREAM_LEVELS;
  if (!g->ascending)
    return (cas_level_streams){level * range, 1, range};
  return (cas_level_streams){level == CAS_STREAM_LEVELS - 1 ? levels - 1 : level, levels,
                             g->blocks / levels};
}

int cas_noise_draws(const cas_noise *n) {
  return (n->noises * n->W + CAS_DRAW - 1) / CAS_DRAW * CAS_DRAW;
}

cas_status cas_block_noise_open(const cas_noise *n, int purpose, int64_t block, cas_block_noise *b,
                                cas_error *err) {
  *b = (cas_block_noise){.noise = n, .draws = cas_noise_draws(n)};
  b->stream = (cas_stream){n->generator, n->seed, purpose, block, NULL};
  if (!purpose_known(purpose))
    return cas_fail(err, CAS_INTERNAL, "stream purpose %d is not in purposes.def", purpose);
  if (n->noises == 0 || n->generator->replayed)
    return CAS_OK;
  if (block >= n->generator->blocks)
    return cas_fail(err, CAS_BAD_INPUT, "generator %s has streams for %lld blocks of paths only",
                    n->generator->name, (long long)n->generator->blocks);
  return n->generator->open(&b->stream, err);
}

void cas_block_noise_close(cas_block_noise *b) {
  if (b->stream.handle && b->stream.generator->close)
    b->stream.generator->close(&b->stream);
  b->stream.handle = NULL;
}

static void replay_step(const cas_block_noise *b, int64_t step, double *z) {
  const cas_noise *n = b->noise;
  const cas_replay *r = n->replay;
  for (int l = 0; l < n->W; l++) {
    int64_t path = b->stream.block * n->W + l;
    for (int k = 0; k < n->noises; k++)
      z[k * n->W + l] = path < r->paths ? r->zeta[(path * r->steps + step) * r->noises + k] : 0;
  }
}

void cas_block_noise_skip(cas_block_noise *b, int64_t steps, double *u) {
  const cas_generator *g = b->noise->generator;
  if (b->draws && !g->replayed && !g->counter_based)
    for (int64_t i = 0; i < steps; i++)
      g->uniforms(&b->stream, i, b->draws, u);
}

void cas_block_noise_step(cas_block_noise *b, int64_t step, double *u, double *z) {
  const cas_generator *g = b->noise->generator;
  if (b->draws == 0)
    return;
  if (g->replayed) {
    replay_step(b, step, z);
    return;
  }
  g->uniforms(&b->stream, step, b->draws, u);
  b->noise->kernels->normals(b->draws, u, z);
}
