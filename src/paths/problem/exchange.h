/* Damping and forcing beside the bracket. */
#ifndef CAS_EXCHANGE_H
#define CAS_EXCHANGE_H

#include "paths/problem/problem.h"

/** What a pass holds for damping and forcing besides the problem. */
typedef struct {
  cas_noise noise; /* of all kicks of the two halves of a finest step; points into the problem */
  cas_block_noise stream; /* of the block */
  double *u, *z; /* uniforms of a finest step, and normals of all that are drawn together */
  /* [kicks][W], over half a finest step: what is left of an integral, the deviation of a new one */
  double *keep, *spread;
  double *workspace;
} cas_exchange_state;

bool cas_exchange_acts(const cas_problem *p);
/** The rate of linear damping of all components; 0: there is none. */
double cas_exchange_damping(const cas_problem *p);
/** The rate c at which states go to the orbit of exp(-c t) x0, 0 if they stay; NAN: not known. */
double cas_exchange_decay(const cas_problem *p);
/** The number of integrals of white forcing; 0: there is no white forcing. */
int cas_exchange_kicks(const cas_problem *p);
/** The noise for cas_exchange_state.noise; noises = 0 where there is no white forcing. */
cas_noise cas_exchange_noise(const cas_problem *p);
/** Uniforms that a finest step of a block takes: of the streams of paths, and of white forcing. */
cas_step_draws cas_exchange_draws(const cas_problem *p);
/** Doubles of cas_exchange_state.workspace. */
size_t cas_exchange_workspace(const cas_problem *p);
/** Fills keep and spread for a finest step h. */
void cas_exchange_begin(const cas_problem *p, double h, cas_exchange_state *e);
/** Draws the kicks of finest step `step` to be number k of all that are drawn together. */
cas_status cas_exchange_draw(cas_exchange_state *e, int64_t step, int64_t k,
                             cas_error *err) CAS_MUST_CHECK;
/** Adds the kicks of finest step k of all that are drawn, step `part` of the `ratio` that make up
    a step, to the integrals over its halves, kick[2][kicks][W]. The first part begins anew. */
void cas_exchange_gather(const cas_problem *p, const cas_exchange_state *e, int64_t k, int64_t part,
                         int64_t ratio, double *kick);
/** Half a step of size h, `half` 0 before or 1 after the scheme's; sets carry, if any, to 0. */
void cas_exchange_half(const cas_problem *p, const cas_exchange_state *e, double h, int half,
                       const double *kick, double *x, double *carry);

#endif
