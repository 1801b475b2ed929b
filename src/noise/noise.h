/* Streams of standard normals. A path is a function of (seed, purpose, block, step, noise, lane)
 * and of nothing else. */
#ifndef CAS_NOISE_H
#define CAS_NOISE_H

#include "hdf5/dataset.h"
#include "kernels/kernels.h"

enum {
#define CAS_PURPOSE(name, number) CAS_PURPOSE_##name = number,
#include "noise/purposes.def"
#undef CAS_PURPOSE
  CAS_PURPOSES = 16 /* room that every family divides its streams into */
};

/* levels that have streams of their own within one purpose */
enum { CAS_STREAM_LEVELS = 32 };

/* uniforms come in multiples of this, so that whole vectors fit both halves of Box and Muller */
enum { CAS_DRAW = 16 };

/** Normals given in a file, steps x noises or paths x steps x noises, of which every stream reads what
 * it needs when it needs it. */
typedef struct {
  cas_open_dataset source;
  int64_t paths, steps;
  int noises;
} cas_replay;

/** Numbers of them that are in memory at a time. */
enum { CAS_REPLAY_WINDOW = 1 << 16 };

/** Steps [step, step + steps) of paths [path, path + paths), which must be there, into
    z[path][step][noise]. Not collective. */
cas_status cas_replay_read(const cas_replay *r, int64_t path, int64_t paths, int64_t step,
                           int64_t steps, double *z, cas_error *err) CAS_MUST_CHECK;
/** A hash of the first steps of the first paths, as many of them as there are, which does not depend
    on how many follow; they are read once, in pieces. *bad: the number in the dataset of one that is
    not finite, -1 if all are. Not collective. */
cas_status cas_replay_hash(const cas_replay *r, int64_t paths, int64_t steps, uint64_t *hash,
                           int64_t *bad, cas_error *err) CAS_MUST_CHECK;

/** What is constant over all blocks of a study. */
typedef struct {
  const cas_kernels *kernels;
  const cas_generator *generator;
  int seed;
  int noises, W;
  const cas_replay *replay; /* for generators that are `replayed`, else NULL */
} cas_noise;

/** The normals of one block; rows of W lanes. z and u have room for cas_noise_draws numbers. */
typedef struct {
  const cas_noise *noise;
  cas_stream stream;
  int draws; /* uniforms a step */
  /* of replayed normals: steps first .. first + held - 1, [lane][step][noise], of at most `room` */
  double *window;
  int64_t first, held, room;
} cas_block_noise;

/** The streams of one level: block b has number first + b * stride, b < blocks. */
typedef struct {
  int64_t first, stride, blocks;
} cas_level_streams;

/** Those of level 0 .. levels - 1 of a study with so many, which never meet those of another level;
    level CAS_STREAM_LEVELS - 1 stands for the last one, however many there are. Only those of an
    `ascending` generator depend on how many levels there are. */
cas_level_streams cas_noise_level_streams(const cas_generator *g, int level, int levels);

int cas_noise_draws(const cas_noise *n);
cas_status cas_block_noise_open(const cas_noise *n, int purpose, int64_t block, cas_block_noise *b,
                                cas_error *err) CAS_MUST_CHECK;
void cas_block_noise_close(cas_block_noise *b);
/** z[noise * W + lane] for one step; steps are asked for in order 0, 1, 2, .. */
/** u: room for cas_noise_draws numbers. The first step asked for will be `steps`. */
void cas_block_noise_skip(cas_block_noise *b, int64_t steps, double *u);
cas_status cas_block_noise_step(cas_block_noise *b, int64_t step, double *u, double *z,
                                cas_error *err) CAS_MUST_CHECK;

const cas_generator *cas_generator_find(const char *name);
const cas_generator *const *cas_generator_list(void); /* NULL-terminated */

#endif
