/* What steps take from the Brownian motions: rows of W lanes, summed from fine steps to coarse
   ones. The rows are

   M normals  of the increments: for a coarse step the sums of the normals of the finest steps, or
              of their parts
   areas      Levy's areas, as cas_system.add_areas sums them
   normals    further ones, independent of the others, whose variance is the number of finest
              steps. Of weak order 2: such that the areas of a coarse step are near the areas of its
              fine steps (docs/schemes.md); of a scheme that asks for them: sums
   M normals  of the first half of the step, of a scheme that asks for halves */
#ifndef CAS_INCREMENTS_H
#define CAS_INCREMENTS_H

#include "paths/plan.h"
#include "paths/problem/problem.h"

/* The normals of a block, and the increments that are made of them. */
typedef struct {
  cas_block_noise stream;
  double *u;       /* uniforms of a row of normals */
  double *fine;    /* [steps][cas_increments_size]: of the finest steps that are drawn together */
  double *drawn;   /* normals of a part of a finest step */
  double *changed; /* increments of a step of a twin, or normals of a part of a coarse step */
} cas_increments;

/** The number of doubles of the increments of a step, a multiple of CAS_NOISE_DRAW. */
size_t cas_increments_size(const cas_problem *p);
/** Draws `ratio` finest steps, from number `step` on, of as many rows of normals as they have
    parts; and with areas, where they are a coarse step of a pair, the increments `coarse` of that,
    which come from as many parts of a step, so that a step size has one law in every pair. coarse
    NULL: there is no pair. */
cas_status cas_increments_draw(const cas_problem *p, cas_increments *d, int64_t step, int64_t ratio,
                               double *coarse, cas_error *err) CAS_MUST_CHECK;
/** The fine step that a level takes for its step k. */
int64_t cas_increments_twin_step(const cas_pass_plan *plan, int level, int64_t k);
/** The increments of step k of a level of a pair. */
const double *cas_increments_of_level(const cas_problem *p, const cas_increments *d,
                                      const cas_pass_plan *plan, int level, int64_t k);
/** Adds the increments of step k of the `parts` steps that a coarser step consists of. */
void cas_increments_add(const cas_problem *p, int64_t k, int64_t parts, const double *fine,
                        double *coarse);
/** Completes a sum of `parts` steps. */
void cas_increments_end(const cas_problem *p, int64_t parts, double *coarse);
const double *cas_increments_half(const cas_problem *p, const double *increments);
/** The further normals of a step, divided by the root of `variance`. */
void cas_increments_normals(const cas_problem *p, const double *increments, double variance,
                            double *normals);
/** The normals, [M][W], of the Brownian increments of both exponentials of a step of weak order 2,
    the one that acts first having the number 0; of variance 3/4 of the number of finest steps. */
void cas_increments_of_exponential(const cas_problem *p, int exponential, const double *increments,
                                   double *normals);

#endif
