#include "base/count.h"
#include "base/hash.h"
#include "base/owned.h"
#include "paths/noise/noise.h"

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

/* ---- replayed normals ---- */

enum { WINDOW = 1 << 16 }; /* normals of a stream that are in memory at a time */

/* Reads steps [step, step + steps) of paths [path, path + paths), which must exist, into
   z[path][step][noise]. */
static cas_status read_replayed(const cas_replay *r, int64_t path, int64_t paths, int64_t step,
                                int64_t steps, double *z, cas_error *err) {
  /* a dataset without an axis of paths has one path */
  const int64_t first[3] = {path, step, 0}, count[3] = {paths, steps, r->noises};
  int skip = r->source.shape.rank == 2;
  return cas_dataset_read_part(&r->source, first + skip, count + skip, z, err);
}

/* The number of rows of `numbers` numbers that fit into the window, at least one. */
static int64_t rows(int64_t numbers) { return numbers < WINDOW ? WINDOW / numbers : 1; }

cas_status cas_replay_hash(const cas_replay *r, int64_t paths, int64_t steps, uint64_t *hash,
                           int64_t *bad, cas_error *err) {
  int64_t all = cas_count_least(steps, r->steps), last = cas_count_least(paths, r->paths);
  *hash = CAS_HASH_START;
  *bad = -1;
  if (r->noises == 0 || all <= 0 || last <= 0)
    return CAS_OK;
  int64_t some = cas_count_least(all, rows(r->noises)),
          together = some == all ? rows(all * r->noises) : 1;
  CAS_OWNED double *z =
      malloc((size_t)(cas_count_least(together, last) * some * r->noises) * sizeof *z);
  CAS_NEED(z);
  /* Whole paths are read at once, or some steps of one path. */
  for (int64_t path = 0, some_paths; path < last; path += some_paths) {
    some_paths = cas_count_least(together, last - path);
    for (int64_t step = 0, some_steps; step < all; step += some_steps) {
      some_steps = cas_count_least(some, all - step);
      const int64_t row = some_steps * r->noises, n = some_paths * row;
      CAS_CALL(read_replayed(r, path, some_paths, step, some_steps, z, err));
      *hash = cas_hash(*hash, z, (size_t)n * sizeof *z);
      for (int64_t i = 0; i < n && *bad < 0; i++)
        if (!isfinite(z[i]))
          *bad = ((path + i / row) * r->steps + step) * r->noises + i % row;
    }
  }
  return CAS_OK;
}

const cas_generator cas_generator_replay = {
    .name = "replay",
    .summary = "standard normals from an HDF5 dataset, steps x noises or paths x steps x noises",
    .blocks = INT64_MAX / 64,
    .replayed = true,
};

cas_status cas_block_noise_open(const cas_noise *n, int purpose, int64_t block, cas_block_noise *b,
                                cas_error *err) {
  *b = (cas_block_noise){.noise = n, .draws = cas_noise_draws(n)};
  b->stream = (cas_stream){n->generator, n->seed, purpose, block, NULL};
  CAS_FAIL_IF(!purpose_known(purpose), CAS_INTERNAL, "stream purpose %d is not in purposes.def",
              purpose);
  if (n->noises == 0)
    return CAS_OK;
  if (n->generator->replayed) { /* The first step reads into the window. */
    b->capacity = cas_count_least(rows((int64_t)n->noises * n->W), n->replay->steps);
    b->window = malloc((size_t)(b->capacity * n->noises * n->W) * sizeof *b->window);
    return b->window ? CAS_OK : cas_no_memory(err);
  }
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
  b->first = step;
  b->held = cas_count_least(r->steps - step, b->capacity);
  int64_t paths = replayed_paths(b), n = paths * b->held * r->noises;
  cas_status st =
      read_replayed(r, b->stream.block * b->noise->W, paths, step, b->held, b->window, err);
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
