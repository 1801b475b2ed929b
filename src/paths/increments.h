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

#include "paths/problem.h"

/** The number of doubles of the increments of a step, a multiple of CAS_NOISE_DRAW. */
size_t cas_increments_size(const cas_problem *p);
/** The increments of finest step `step`, of as many rows of normals as it has parts. u and z have
    cas_noise_draws numbers. */
cas_status cas_increments_draw(const cas_problem *p, cas_block_noise *noise, int64_t step,
                               double *u, double *z, double *increments,
                               cas_error *err) CAS_MUST_CHECK;
/** Buffers of a coarse step that is drawn with its fine ones. */
typedef struct {
  double *u, *z, *part; /* as above, and normals of a part of the coarse step */
  double *first, *later,
      *coarse; /* increments: of fine step 0, of the others, and of the coarse step */
} cas_pair;

/** The increments of `ratio` fine steps, from number `step` on, and of the coarse step that they
    are: areas of both come from as many parts of a step, so that a step size has one law in every
    pair. */
cas_status cas_increments_draw_pair(const cas_problem *p, cas_block_noise *noise, int64_t step,
                                    int64_t ratio, const cas_pair *b,
                                    cas_error *err) CAS_MUST_CHECK;
/** Fills `out` with the normals of `increments` and `sign` times the further normals of `further`,
    for weak order 2. */
void cas_increments_twin(const cas_problem *p, const double *increments, const double *further,
                         double sign, double *out);
/** Adds the increments of step k of the `parts` steps that a coarser step consists of. */
void cas_increments_add(const cas_problem *p, int64_t k, int64_t parts, const double *fine,
                        double *coarse);
/** Completes a sum of `parts` steps. */
void cas_increments_end(const cas_problem *p, int64_t parts, double *coarse);
/** The rows of further normals, and of the first half. */
const double *cas_increments_further(const cas_problem *p, const double *increments);
const double *cas_increments_half(const cas_problem *p, const double *increments);
/** The normals, [M][W], of the Brownian increments of both exponentials of a step of weak order 2,
    the one that acts first having the number 0; of variance 3/4 of the number of finest steps. */
void cas_increments_of_exponential(const cas_problem *p, int exponential, const double *increments,
                                   double *normals);

#endif
