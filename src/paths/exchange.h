/* Damping and forcing beside the bracket: half a step of it, exactly, before and after each step of a scheme.
   White forcing is coupled over levels by exact sums: over two times tau and tau', the integral of
   exp(-rate (tau + tau' - t)) dB is exp(-rate tau') times that over the first plus that over the second. */
#ifndef CAS_PATHS_EXCHANGE_H
#define CAS_PATHS_EXCHANGE_H

#include "paths/problem.h"

/** What a sweep has of it besides the problem. */
typedef struct {
  cas_noise noise; /* of all kicks of the two halves of a finest step; points into the problem */
  double *u, *z;   /* uniforms and normals of a finest step, or of those of an antithetic step */
  double *keep, *spread; /* [kicks]: over half a finest step, what is left of an integral, and the
                            deviation of a new one */
  double *workspace;
} cas_exchange_state;

/** Whether a problem has any. */
bool cas_exchange_acts(const cas_problem *p);
/** The number of integrals of white forcing, 0 without. */
int cas_exchange_kicks(const cas_problem *p);
/** The noise of half steps of a sweep, as `noise` above; noises = 0 without. */
cas_noise cas_exchange_noise(const cas_problem *p);
/** The purpose of its streams where those of the paths have `purpose`. */
int cas_exchange_purpose(int purpose);
/** Fills keep and spread for a finest step h. */
void cas_exchange_begin(const cas_problem *p, double h, cas_exchange_state *e);
/** Adds the normals z of finest step `part` of the `ratio` that make up a step to the integrals over its
    halves, kick[2][kicks][W]. */
void cas_exchange_gather(const cas_problem *p, const cas_exchange_state *e, const double *z,
                         int64_t part, int64_t ratio, double *kick);
/** Half a step of size h, `half` 0 before or 1 after the scheme's. carry, NULL without, is 0 then. */
void cas_exchange_half(const cas_problem *p, const cas_exchange_state *e, double h, int half,
                       const double *kick, double *x, double *carry);

#endif
