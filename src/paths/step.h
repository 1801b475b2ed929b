/* Steps of one level of a pass: of its scheme, or compositions of these. */
#ifndef CAS_PATHS_STEP_H
#define CAS_PATHS_STEP_H

#include "paths/plan.h"
#include "paths/problem/sizes.h"

static inline const cas_problem *cas_plan_problem(const cas_problem *p, const cas_pass_plan *plan,
                                                  int level) {
  return p->sizes ? p->sizes->problem[plan->size[level]] : p;
}

/** The most of a number that the problems of the levels of a plan have. */
static inline size_t cas_plan_most(const cas_problem *p, const cas_pass_plan *plan,
                                   size_t number(const cas_problem *of)) {
  size_t most = 0;
  for (int i = 0; i < plan->levels; i++) {
    const size_t n = number(cas_plan_problem(p, plan, i));
    most = n > most ? n : most;
  }
  return most;
}

/* What paths of a level keep: Casimirs or momentum maps, and behind them those of the part. */
typedef struct {
  int casimirs, all;       /* numbers of them, without and with those of the part */
  double step;             /* of the momentum maps that the scheme keeps */
  double *initial, *scale; /* [all][W] at the beginning, and of departures */
} cas_invariants;

/* One level of a block; arrays of lanes, [rows][W]. */
typedef struct {
  const cas_problem *problem; /* of its size */
  cas_stepper stepper;
  cas_step_function *step;
  bool composed;       /* its steps are compositions, of weak order 2 */
  bool has_ito;        /* its steps take the Ito drift, which is not in their coefficients */
  double scheme_scale; /* of h and dW in psi */
  double bound, scale; /* truncation of the sum of normals, and what makes increments of it */
  double variance;     /* of normals of a step: the number of finest steps, or of their parts */
  double area_scale;   /* what makes areas of rows of areas */
  /* Of a step: coefficients, and what the scheme needs. Levels of one size share them; arrays of
     another size would be seen behind the last component, where one path has whole vectors. */
  double *coef, *work;
  double *x, *carry, *sum;
  double *followed; /* rows of functionals of the paths so far, paths/follower.h */
  double *kick; /* [2][kicks][W]: integrals of white forcing over the halves of a step, so far */
  cas_invariants kept;
  double *hamiltonian0; /* [W] at the beginning */
  double *drift;        /* [W] largest relative departure of a Casimir at the observations so far */
  cas_tally tally;
  int64_t steps; /* that are done */
} cas_level;

/* Workspace of steps, which all levels share. */
typedef struct {
  double *dw;                    /* increments of a step */
  double *scratch, *dissipation; /* of the algebra, and of dissipation */
  double *asked;                 /* increments of a part that a scheme asks for */
  double *normals; /* of an exponential of a composed step, or further normals of a scheme */
  double *scaled;  /* increments times the factor of a step of a composition */
  cas_tally part;  /* of the steps that a composed step consists of */
  /* Of a step with the parameters of one lane: states and compensation, both of all lanes after it,
     and tally */
  struct {
    double *x, *carry, *next_x, *next_carry;
    cas_tally tally;
  } alone;
} cas_step_space;

/* A step of a scheme. h and dw, the increments and areas as it takes them, are times its scale. */
typedef struct {
  double h;
  const double *dw;
  const double *increments; /* of the step, of which it may ask for parts */
  double *x, *carry;        /* that it moves; carry NULL without compensation */
  cas_tally *tally;
} cas_move;

/** What a level of the plan is: "2^-7", or "2^-7, N = 32" of several sizes. Returns text. */
const char *cas_plan_level_text(const cas_problem *p, const cas_pass_plan *plan, int level,
                                char text[64]);
/** out[W]: the squared distance of vectors x and y of two levels, of what both have where the
    second is larger. cut: workspace of a state of the first, not used where they have one size. */
void cas_level_distance2(const cas_level *coarse, const cas_level *fine, const double *x,
                         const double *y, double *cut, double *out);
cas_scheme cas_pass_scheme(const cas_problem *p, const cas_pass_plan *plan, int level);
/** Places coefficients that the scheme asks for behind psi, and returns the number of all sets. */
int cas_step_sets(const cas_problem *p, cas_coefficient_sets *sets);
/** Fills all of level i but its arrays. */
void cas_level_set(const cas_problem *p, const cas_pass_plan *plan, int i, const cas_step_space *w,
                   cas_level *l);
double cas_level_time(const cas_level *l);
/** Makes a step of the scheme, with the parameters of each lane. */
void cas_level_move(const cas_problem *p, cas_step_space *w, const cas_level *l, const cas_move *m);
/** Makes a step of the level from the increments since its last, without damping and forcing. */
void cas_level_step(const cas_problem *p, cas_step_space *w, cas_level *l,
                    const double *increments);

#endif
