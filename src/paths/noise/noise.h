/* Streams of standard normals, functions of (seed, purpose, block, step, noise, lane) only, or of
   (seed, purpose, path, step, noise). */
#ifndef CAS_NOISE_H
#define CAS_NOISE_H

#include "files/hdf5/dataset.h"
#include "math/kernels/kernels.h"

enum {
#define CAS_PURPOSE(name, number) CAS_PURPOSE_##name = number,
#include "paths/noise/purposes.def"
#undef CAS_PURPOSE
  CAS_PURPOSES = 16 /* the number of ranges into which every family divides its streams */
};

/** The purpose of streams beside those of paths of purpose `paths`: `first`, or 1 or 2 more. */
static inline int cas_noise_purpose(int first, int paths) {
  return first + (paths == CAS_PURPOSE_MULTILEVEL) + 2 * (paths == CAS_PURPOSE_MLMC);
}

/* The number of levels that have streams of their own within one purpose. */
enum { CAS_STREAM_LEVELS = 32 };

/* The number of uniforms of a step is a multiple of this, so that both halves of Box and Muller's
   transform are whole vectors. */
enum { CAS_NOISE_DRAW = 16 };

/** Normals in a dataset, steps x noises or paths x steps x noises; streams read them as needed. */
typedef struct {
  cas_open_dataset source;
  int64_t paths, steps;
  int noises;
} cas_replay;

/** The version of SPRNG; "none" without it. */
const char *cas_sprng_version(void);

/** Hashes the first `steps` steps of the first `paths` paths, or as many as the dataset has. *bad
    is the index in the dataset of the first normal that is not finite, -1 if all are. Reads piece
    by piece. Not collective. */
cas_status cas_replay_hash(const cas_replay *r, int64_t paths, int64_t steps, uint64_t *hash,
                           int64_t *bad, cas_error *err) CAS_MUST_CHECK;

/** The noise of a study, the same for all blocks. */
typedef struct {
  const cas_kernels *kernels;
  const cas_generator *generator;
  int seed;
  int noises, W;
  const cas_replay *replay; /* for generators that are `replayed`, else NULL */
  /* Whether every path has a stream of its own where the generator is counter-based, so that its
     normals depend neither on W nor on how many noises there are: noise k, k < `numbered`, takes
     normal first + k of a step, and the noises behind take the same numbers of further sets. */
  bool by_path;
  int first, numbered;
} cas_noise;

/** The normals of one block of W lanes. */
typedef struct {
  const cas_noise *noise;
  cas_stream stream;
  int draws; /* uniforms of a step */
  /* Replayed normals of steps first .. first + held - 1, [lane][step][noise]; held <= capacity. */
  double *window;
  int64_t first, held, capacity;
} cas_block_noise;

/** The streams of one level: block b has number first + b * stride, b < blocks. */
typedef struct {
  int64_t first, stride, blocks;
} cas_level_streams;

/** The streams of a level of a study with `levels` levels, disjoint from those of all other levels.
    Level CAS_STREAM_LEVELS - 1 stands for the last one. Only for an `ascending` generator do they
    depend on the number of levels. */
cas_level_streams cas_noise_level_streams(const cas_generator *g, int level, int levels);

/** The number of uniforms and normals that buffers of a step need. */
int cas_noise_draws(const cas_noise *n);
/** Whether paths, and not blocks, have streams: that of lane 0 has the number that a block is
    opened with, and the others follow. */
static inline bool cas_noise_is_by_path(const cas_noise *n) {
  return n->by_path && n->generator->counter_based;
}
/** Opens the stream of a block. The caller closes it, after a failure too. */
cas_status cas_block_noise_open(const cas_noise *n, int purpose, int64_t block, cas_block_noise *b,
                                cas_error *err) CAS_MUST_CHECK;
void cas_block_noise_close(cas_block_noise *b);
/** Skips the first steps of a stream. u: work space of cas_noise_draws numbers. */
void cas_block_noise_skip(cas_block_noise *b, int64_t steps, double *u);
/** Computes the normals z[noise * W + lane] of one step. Steps are requested in the order 0, 1, 2,
    .. after those skipped. u and z have cas_noise_draws numbers. */
cas_status cas_block_noise_step(cas_block_noise *b, int64_t step, double *u, double *z,
                                cas_error *err) CAS_MUST_CHECK;

const cas_generator *const *cas_generator_list(void); /* NULL-terminated */
#define CAS_GENERATOR(name) extern const cas_generator cas_generator_##name;
#include "paths/noise/generators.def"
#undef CAS_GENERATOR

#endif
