#include "math/kernels/kernels.h"
#include "paths/noise/noise.h"

#define CAS_GENERATOR(name) extern const cas_generator cas_generator_##name;
#include "paths/noise/generators.def"
#undef CAS_GENERATOR

static const cas_generator *const generators[] = {
#define CAS_GENERATOR(name) &cas_generator_##name,
#include "paths/noise/generators.def"
#undef CAS_GENERATOR
    NULL};

#define CAS_PURPOSE(name, number) \
  _Static_assert(number >= 0 && number < CAS_PURPOSES, "purpose out of range");
#include "paths/noise/purposes.def"
#undef CAS_PURPOSE

/* A switch, so that two purposes with the same number do not compile. */
static bool purpose_known(int purpose) {
  switch (purpose) {
#define CAS_PURPOSE(name, number) case number:
#include "paths/noise/purposes.def"
#undef CAS_PURPOSE
    return true;
  }
  return false;
}

const cas_generator *const *cas_generator_list(void) { return generators; }

cas_level_streams cas_noise_level_streams(const cas_generator *g, int level, int levels) {
  int64_t range = g->blocks / CAS_STREAM_LEVELS;
  if (!g->ascending)
    return (cas_level_streams){level * range, 1, range};
  return (cas_level_streams){level == CAS_STREAM_LEVELS - 1 ? levels - 1 : level, levels,
                             g->blocks / levels};
}

int cas_noise_draws(const cas_noise *n) {
  return (n->noises * n->W + CAS_NOISE_DRAW - 1) / CAS_NOISE_DRAW * CAS_NOISE_DRAW;
}

/* Allocates the window of replayed normals; the first step reads into it. */
static cas_status open_window(cas_block_noise *b, cas_error *err) {
  const cas_noise *n = b->noise;
  int64_t step = (int64_t)n->noises * n->W, capacity = CAS_REPLAY_WINDOW / step;
  b->capacity = capacity < 1 ? 1 : capacity < n->replay->steps ? capacity : n->replay->steps;
  b->window = malloc((size_t)(b->capacity * step) * sizeof *b->window);
  return b->window ? CAS_OK : cas_no_memory(err);
}

cas_status cas_block_noise_open(const cas_noise *n, int purpose, int64_t block, cas_block_noise *b,
                                cas_error *err) {
  *b = (cas_block_noise){.noise = n, .draws = cas_noise_draws(n)};
  b->stream = (cas_stream){n->generator, n->seed, purpose, block, NULL};
  CAS_FAIL_IF(!purpose_known(purpose), CAS_INTERNAL, "stream purpose %d is not in purposes.def",
              purpose);
  if (n->noises == 0)
    return CAS_OK;
  if (n->generator->replayed)
    return open_window(b, err);
  CAS_FAIL_IF(block >= n->generator->blocks, CAS_BAD_INPUT,
              "generator %s has streams for %lld blocks of paths only", n->generator->name,
              (long long)n->generator->blocks);
  return n->generator->open(&b->stream, err);
}

void cas_block_noise_close(cas_block_noise *b) {
  if (b->stream.handle && b->stream.generator->close)
    b->stream.generator->close(&b->stream);
  b->stream.handle = NULL;
  free(b->window);
  b->window = NULL;
}

/* The number of paths of the block that are in the file. */
static int64_t replayed_paths(const cas_block_noise *b) {
  int64_t left = b->noise->replay->paths - b->stream.block * b->noise->W;
  return left < 0 ? 0 : left < b->noise->W ? left : b->noise->W;
}

/* Reads the window that begins with `step`. The normals of all paths of the study are known to be
   finite; normals of other lanes of the block may be infinite or NaN; they are set to 0, so that
   fixed points of the block converge. */
static cas_status move_window(cas_block_noise *b, int64_t step, cas_error *err) {
  const cas_replay *r = b->noise->replay;
  int64_t left = r->steps - step;
  b->first = step;
  b->held = left < b->capacity ? left : b->capacity;
  int64_t paths = replayed_paths(b), n = paths * b->held * r->noises;
  cas_status st =
      cas_replay_read(r, b->stream.block * b->noise->W, paths, step, b->held, b->window, err);
  for (int64_t i = 0; i < n; i++)
    if (!isfinite(b->window[i]))
      b->window[i] = 0;
  return st;
}

static cas_status replay_step(cas_block_noise *b, int64_t step, double *z, cas_error *err) {
  const cas_noise *n = b->noise;
  int64_t paths = replayed_paths(b);
  if (step < b->first || step >= b->first + b->held)
    CAS_CALL(move_window(b, step, err));
  for (int l = 0; l < n->W; l++)
    for (int k = 0; k < n->noises; k++)
      z[k * n->W + l] = l < paths ? b->window[(l * b->held + step - b->first) * n->noises + k] : 0;
  return CAS_OK;
}

void cas_block_noise_skip(cas_block_noise *b, int64_t steps, double *u) {
  const cas_generator *g = b->noise->generator;
  if (b->draws && !g->replayed && !g->counter_based)
    for (int64_t i = 0; i < steps; i++)
      g->uniforms(&b->stream, i, b->draws, u);
}

/* The normals of one path come in chunks, so that a normal does not depend on how many there are.
   The number of a step, a set and a chunk make one number. */
enum { CHUNK_BITS = 20, SET_BITS = 4 };

/* z[k * W]: normals first .. first + n - 1 of a set */
static void draw_set(const cas_block_noise *b, cas_stream *path, int64_t step, int set, int n,
                     double *z) {
  const cas_noise *noise = b->noise;
  _Alignas(64) double u[CAS_NOISE_DRAW], normal[CAS_NOISE_DRAW];
  for (int k = 0; k < n; k++) {
    const int number = noise->first + k, within = number % CAS_NOISE_DRAW;
    if (k == 0 || within == 0) {
      const uint64_t sets = (uint64_t)step << SET_BITS | (uint64_t)set,
                     chunk = sets << CHUNK_BITS | (uint64_t)(number / CAS_NOISE_DRAW);
      noise->generator->uniforms(path, (int64_t)chunk, CAS_NOISE_DRAW, u);
      noise->kernels->normals(CAS_NOISE_DRAW, u, normal);
    }
    z[k * noise->W] = normal[within];
  }
}

static void step_by_path(const cas_block_noise *b, int64_t step, double *z) {
  const cas_noise *n = b->noise;
  for (int lane = 0; lane < n->W; lane++) {
    cas_stream path = b->stream;
    path.block += lane;
    for (int k = 0, set = 0; k < n->noises; k += n->numbered, set++)
      draw_set(b, &path, step, set, n->noises - k < n->numbered ? n->noises - k : n->numbered,
               z + k * n->W + lane);
  }
}

cas_status cas_block_noise_step(cas_block_noise *b, int64_t step, double *u, double *z,
                                cas_error *err) {
  const cas_generator *g = b->noise->generator;
  if (b->draws == 0)
    return CAS_OK;
  if (g->replayed)
    return replay_step(b, step, z, err);
  if (cas_noise_is_by_path(b->noise)) {
    step_by_path(b, step, z);
    return CAS_OK;
  }
  g->uniforms(&b->stream, step, b->draws, u);
  b->noise->kernels->normals(b->draws, u, z);
  return CAS_OK;
}
