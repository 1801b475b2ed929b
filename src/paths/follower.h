/* Functionals of whole paths, which a pass follows at every step of every level: extremes,
   integrals, times above a level and of first passage. What they have found so far are rows that
   belong to the state of a level, so that it is stored and resumed with it. */
#ifndef CAS_FOLLOWER_H
#define CAS_FOLLOWER_H

#include "paths/formula.h"
#include "paths/step.h"

typedef struct cas_follower {
  cas_path_function kind;
  cas_formula formula; /* that is followed; where there is a level, its difference from that */
  int row;             /* the first of its rows among those of a level of a pass */
  int passage;         /* its place among those of first passages, -1: it is none */
  double *now;         /* [W] workspace: the formula */
} cas_follower;

/** Gives the functionals of whole paths in a formula places in the passes of a problem, which are
    to be created afterwards. The problem borrows them. */
cas_status cas_followers_add(cas_problem *p, const cas_formula *f, cas_error *err) CAS_MUST_CHECK;
void cas_follower_free(cas_follower *f);
/** Whether the noise of formulas of first passages is known to passes: white forcing beside the
    bracket is not part of it. */
bool cas_followers_know_noise(const cas_problem *p);
/** What is known of paths between steps: "passages by Brownian bridges between steps, extremes at
    the steps", of the kinds that are followed; NULL where there are none of these. */
const char *cas_followers_monitoring(const cas_problem *p);
/** The highest weak order that a formula can have by how its functionals of whole paths see the
    paths between steps; INFINITY where there are none. */
double cas_followers_order(const cas_problem *p, const cas_formula *f);

/** out[W]: the functional of the paths up to a state. */
void cas_follower_value(const cas_follower *f, const cas_problem *p, const cas_formula_place *at,
                        double *out);

/* ---- in a pass ---- */

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
void cas_following_begin(const cas_problem *p, cas_level *l);
/** Finds the noise of formulas at a state, before a step from there. */
void cas_following_look(const cas_problem *p, cas_step_space *w, cas_following *f,
                        const cas_level *l);
void cas_following_step(const cas_problem *p, const cas_following *f, cas_level *l);

#endif
