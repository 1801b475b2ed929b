/* Functionals of whole paths, as a pass follows them on every level. */
#ifndef CAS_FOLLOWING_H
#define CAS_FOLLOWING_H

#include "paths/formula.h"
#include "paths/step.h"

/* Of a block; the noise of formulas at a state is what steps without drift show. */
typedef struct {
  double *uniform;               /* [W]: of each path, for first passages */
  double *x, *carry, *dw, *none; /* a state, its compensation, increments, and 0 */
  double *before;                /* the state after a step with the increment of the other sign */
  double *other;                 /* [W] */
  double *variance;              /* [passages][W] */
  cas_tally tally;
} cas_following;

/** Draws the uniforms of a block. */
void cas_following_draw(const cas_problem *p, const cas_pass_plan *plan, int64_t block,
                        cas_following *f);
/** Begins at the initial states of a level. */
void cas_following_begin(const cas_problem *p, cas_level *l);
/** Finds the noise of formulas at a state, before a step from there. */
void cas_following_look(const cas_problem *p, cas_step_space *w, cas_following *f,
                        const cas_level *l);
/** Takes the step that has been made into account. */
void cas_following_step(const cas_problem *p, const cas_following *f, cas_level *l);

#endif
