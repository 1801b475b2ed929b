/* Replayed normals: reading and hashing the dataset from which cas_block_noise_step takes them. */
#include "base/hash.h"
#include "base/owned.h"
#include "paths/noise/noise.h"

cas_status cas_replay_read(const cas_replay *r, int64_t path, int64_t paths, int64_t step,
                           int64_t steps, double *z, cas_error *err) {
  /* a dataset without an axis of paths has one path */
  const int64_t first[3] = {path, step, 0}, count[3] = {paths, steps, r->noises};
  int skip = r->source.shape.rank == 2;
  return cas_dataset_read_part(&r->source, first + skip, count + skip, z, err);
}

/* A part of the dataset that is read at once: whole paths, or some steps of one path. */
typedef struct {
  int64_t path, paths, step, steps;
} piece;

static cas_status hash_piece(const cas_replay *r, piece p, double *z, uint64_t *hash, int64_t *bad,
                             cas_error *err) {
  int64_t row = p.steps * r->noises, n = p.paths * row;
  CAS_CALL(cas_replay_read(r, p.path, p.paths, p.step, p.steps, z, err));
  *hash = cas_hash(*hash, z, (size_t)n * sizeof *z);
  for (int64_t i = 0; i < n && *bad < 0; i++)
    if (!isfinite(z[i]))
      *bad = ((p.path + i / row) * r->steps + p.step) * r->noises + i % row;
  return CAS_OK;
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* The number of rows of `numbers` numbers that fit into the window, at least one. */
static int64_t rows(int64_t numbers) {
  return numbers < CAS_REPLAY_WINDOW ? CAS_REPLAY_WINDOW / numbers : 1;
}

cas_status cas_replay_hash(const cas_replay *r, int64_t paths, int64_t steps, uint64_t *hash,
                           int64_t *bad, cas_error *err) {
  int64_t all = least(steps, r->steps), last = least(paths, r->paths);
  *hash = CAS_HASH_START;
  *bad = -1;
  if (r->noises == 0 || all <= 0 || last <= 0)
    return CAS_OK;
  int64_t some = least(all, rows(r->noises)), together = some == all ? rows(all * r->noises) : 1;
  CAS_OWNED double *z = malloc((size_t)(least(together, last) * some * r->noises) * sizeof *z);
  CAS_NEED(z);
  for (piece p = {0}; p.path < last; p.path += p.paths) {
    p.paths = least(together, last - p.path);
    for (p.step = 0; p.step < all; p.step += p.steps) {
      p.steps = least(some, all - p.step);
      CAS_CALL(hash_piece(r, p, z, hash, bad, err));
    }
  }
  return CAS_OK;
}

extern const cas_generator cas_generator_replay;
const cas_generator cas_generator_replay = {
    .name = "replay",
    .summary = "standard normals from an HDF5 dataset, steps x noises or paths x steps x noises",
    .blocks = INT64_MAX / 64,
    .replayed = true,
};
