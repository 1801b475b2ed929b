/* What steps take from the Brownian motions: rows of W lanes, summed from fine steps to coarse ones.

       rows 0 .. M-1    normals of the increments: the sum of those of the finest steps
       rows M ..        Levy's areas, as cas_system.add_areas sums them; or
       rows M .. 2M-1   of weak order 2: further normals, independent of these, of variance the number of
                        finest steps, chosen so that the areas of a coarse step are near those of its
                        fine ones (docs/higher-order.md) */
#ifndef CAS_INCREMENTS_H
#define CAS_INCREMENTS_H

#include "paths/problem.h"

/** The number of doubles of the increments of a step, a multiple of CAS_DRAW. */
size_t cas_increments_size(const cas_problem *p);
/** The increments of finest step `step`, of as many rows of normals as it has parts. u and z have
    cas_noise_draws numbers. */
cas_status cas_increments_draw(const cas_problem *p, cas_block_noise *noise, int64_t step,
                               double *u, double *z, double *increments,
                               cas_error *err) CAS_MUST_CHECK;
/** Adds the increments of step k of the `parts` steps that a coarser step consists of. */
void cas_increments_add(const cas_problem *p, int64_t k, int64_t parts, const double *fine,
                        double *coarse);
/** Completes a sum of so many steps. */
void cas_increments_end(const cas_problem *p, int64_t parts, double *coarse);
/** The normals, [M][W], of the Brownian increments of both exponentials of a step of weak order 2,
    the one that acts first having the number 0; of variance 3/4 of the number of finest steps. */
void cas_increments_of_exponential(const cas_problem *p, int exponential, const double *increments,
                                   double *normals);

#endif
