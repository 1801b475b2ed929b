/* Rungs: neighbouring step sizes coupled with each other alone, each rung on paths of its own. A path
   of a rung gives Y = phi(X_2h) - 1/2 [phi(X_h) + phi(X'_h)], where X' has the normals of every coarse
   step swapped; or Y = phi(X_2h) - phi(X_h). */
#ifndef CAS_LADDER_H
#define CAS_LADDER_H

#include "studies/study.h"

/* Quantities of a path: its fixed-point iterations, then these of each functional. Powers, because
   summaries hold two moments of a quantity. */
enum {
  CAS_RUNG_Y,
  CAS_RUNG_Y2,
  CAS_RUNG_Y3,
  CAS_RUNG_Y4,
  CAS_RUNG_COARSE, /* phi(X_2h) */
  CAS_RUNG_FINE,   /* phi(X_h) of one path */
  CAS_RUNG_PAIR,   /* the difference of these two */
  CAS_RUNG_QUANTITIES
};

typedef struct {
  cas_sweep_plan plan;
  int64_t paths;                   /* 0 .. paths-1 */
  int64_t blocks;                  /* in a chunk */
  int64_t first_chunk, first_path; /* in the list of all rungs */
} cas_rung;

typedef struct {
  int rungs;
  cas_rung rung[CAS_LEVELS_MAX];
  int functionals;
  const cas_functional **functional; /* borrowed */
} cas_ladder;

/** Rungs between the step sizes of `steps`, in the order of their steps. Chunks of all rungs cost
    the same. */
void cas_ladder_plan(const cas_sweep_plan *steps, bool antithetic, const cas_problem *p,
                     cas_ladder *l);
/** Numbers chunks and paths, when the paths of every rung are known. Returns how many chunks. */
int64_t cas_ladder_list(cas_ladder *l, int W);
int64_t cas_ladder_paths(const cas_ladder *l);
/** Steps of one path on all that is coupled on a rung, and of all paths on all rungs. */
double cas_rung_steps(const cas_rung *g);
double cas_ladder_steps(const cas_ladder *l);
void cas_ladder_locate(const cas_ladder *l, int W, int64_t path, cas_sweep_plan *plan,
                       int64_t *block, int *lane);
/** Group k of a summary is rung k. */
cas_summary_shape cas_ladder_shape(const cas_ladder *l, int step_sizes);
/** Refuses a generator that has no streams for so many paths of a rung. */
cas_status cas_ladder_check_noise(const cas_run_state *r, const cas_ladder *l, const char *key,
                                  cas_error *err) CAS_MUST_CHECK;

/* ---- integrating ---- */

typedef struct {
  const cas_run_state *run;
  const cas_ladder *ladder;
  cas_summary_shape shape;
  cas_sweep sweep[CAS_LEVELS_MAX]; /* of each rung */
  double *value;                   /* [3][W] */
  double *quantity;                /* [quantities][W], and those of one path */
} cas_climb;

cas_status cas_climb_begin(const cas_run_state *r, const cas_ladder *l, cas_climb *c,
                           cas_error *err) CAS_MUST_CHECK;
void cas_climb_end(cas_climb *c);
/** A cas_block_function for studies with own_chunks: one chunk of the list. */
cas_status cas_climb_chunk(void *climb, cas_sweep *s, int64_t chunk, int active,
                           cas_summary *summary, cas_error *err);
/** All chunks, dealt out evenly, without checkpoints; *total (freed by the caller) is then the same
    on every rank. For what must be known before a study can be planned. Collective. */
cas_status cas_climb_all(cas_run_state *r, cas_ladder *l, cas_summary **total,
                         cas_error *err) CAS_MUST_CHECK;

#endif
