/* One pass over the finest steps of a block advances all levels together on the same Brownian
 * paths, or on paths whose parts are in reverse order; no path is stored. */
#ifndef CAS_PASS_H
#define CAS_PASS_H

#include "paths/problem.h"
#include "statistics/summary.h"

#include <casimir/results.h>

enum { CAS_LEVELS_MAX = 32 };

/* What a twin changes among the normals of a coarse step. */
enum {
  /* Increments have their normals in reverse order, so that Levy's areas change their sign. */
  CAS_PASS_TWIN_REVERSED = 1,
  /* The further normals of weak order 2 have the other sign. */
  CAS_PASS_TWIN_NEGATED = 2
};

/* Levels coarsest first, the reference (finest) last. */
typedef struct {
  int levels; /* with the reference */
  double h[CAS_LEVELS_MAX];
  /* Finest steps in one step of each level; each number divides the one before it. */
  int64_t ratio[CAS_LEVELS_MAX];
  int64_t steps; /* finest steps in all */
  /* Whether the last level is one that others are measured against; it then has its own scheme if
     the problem has one for it. */
  bool reference;
  int64_t grid; /* finest steps between observations; a multiple of ratio[0] that divides steps */
  /* Finest steps after which to observe, ascending up to the last step; NULL: every `grid` steps */
  const int64_t *observed;
  /* The streams of normals: block b has stream number `stream` + b * `stride` of `purpose`, a
     number of purposes.def. A stride of 0 counts as 1. A zeroed plan has the streams of paths. */
  int purpose;
  int64_t stream, stride;
  /* Whether the levels form one pair of step sizes: level 0 makes one step of r h while level 1
     makes r steps of h, and every further level is a twin of one of these two, whose normals are
     changed as `twin` says without a change of their distribution. ratio = r or 1; steps and grid
     are multiples of r. */
  bool paired;
  unsigned char twin[CAS_LEVELS_MAX]; /* CAS_PASS_TWIN_REVERSED | .. */
  /* The level of a summary that the health of the coarsest level is counted for; levels of one step
     size count as one. */
  int first_level;
} cas_pass_plan;

/* One level of a block; arrays of lanes, [rows][W]. */
typedef struct {
  cas_stepper stepper;
  cas_step_function *step;
  bool composed;        /* its steps are compositions, of weak order 2 */
  double scheme_scale;  /* of h and dW in psi */
  double momentum_step; /* of the momentum maps that the scheme keeps */
  double bound, scale;  /* truncation of the sum of normals, and what makes increments of it */
  double variance;      /* of normals of a step: the number of finest steps, or of their parts */
  double area_scale;    /* what makes areas of rows of areas */
  double *x, *carry, *sum;
  double *followed; /* rows of functionals of the paths so far, paths/follower.h */
  double *kick; /* [2][kicks][W]: integrals of white forcing over the halves of a step, so far */
  double *casimir0; /* [casimirs][W] at the beginning, or the momentum maps in their place; levels
                       that have the same share it */
  double *drift;    /* [W] largest relative departure of a Casimir at the observations so far */
  cas_tally tally;
  int64_t steps; /* that are done */
} cas_level;

/* Workspace for the noise of formulas at a state, which steps without drift show. */
typedef struct {
  double *x, *carry, *dw, *none; /* a state, its compensation, increments, and 0 */
  double *before;                /* the state after a step with the increment of the other sign */
  double *other;                 /* [W] */
  double *variance;              /* [passages][W] */
  cas_tally tally;
} cas_probe;

typedef struct cas_pass {
  /* The problem; where parameters are uncertain a copy of it with those of the current block */
  const cas_problem *problem;
  cas_problem *own;           /* that copy, or NULL */
  cas_lane_parameters *lanes; /* those parameters, or NULL */
  const cas_pass_plan *plan;
  cas_level level[CAS_LEVELS_MAX];
  double *u;     /* uniforms of a finest step */
  double *z;     /* increments of a finest step */
  double *drawn; /* normals of a part of a finest step */
  double *later; /* increments of a paired coarse step without its first fine step */
  /* increments of a step of a twin, and with areas normals of a part of a coarse step */
  double *changed;
  double *asked;   /* increments of a part that a scheme asks for */
  double *normals; /* of an exponential of a composed step, or further normals of a scheme */
  double *scaled;  /* increments times the factor of a step of a composition */
  double *dw, *coef, *work, *scratch, *dissipation;
  double *casimir, *casimir_scale, *invariant, *invariant0, *invariant_scale;
  cas_tally part; /* of the steps that a composed step consists of */
  /* Of a step with the parameters of one lane: states, compensation, both of all lanes after it,
     and tally */
  double *lane_x, *lane_carry, *next_x, *next_carry;
  cas_tally lane_tally;
  double *left;    /* [W]: what is left of Casimirs by now */
  double *refused; /* [W]: 1 where a value of the path was not finite */
  /* [3][W], kept with the block: of the first value of an observable that was not finite while the
     state was, the observable's place in the study plus 1 (0: there was none), level and time. */
  double *unfinite;
  double *hamiltonian0; /* [W] of the initial states */
  cas_exchange_state exchange;
  double *uniform; /* [W]: of each path, for first passages */
  cas_probe probe;
  int casimirs;
  void *memory;
  int64_t done, observations; /* finest steps, and calls of the observer besides the first */
  /* Called every few finest steps, and after fewer that take long; a failure that it returns
     ends the run. optional */
  cas_status (*poll)(void *context, cas_error *err);
  /* Called within an observation: whether to abandon it. The observation is then made again, unless
     the poll that follows ends the run. optional */
  bool (*cancelled)(void *context);
  void *poll_context;
  bool abandoned;   /* The current observation is abandoned, and its numbers are of no use. */
  double last_poll; /* time when poll or cancelled was last called */
  int64_t steps_per_check; /* steps from one reading of the clock to the next */
  /* Called after each step of each level. optional */
  void (*stepped)(void *context, struct cas_pass *s, int level);
  void *stepped_context;
  const void *resume; /* state at which the next run of a block begins, instead of the initial
                         one */
} cas_pass;

/* Observes the pass's levels at observation 0 (the initial state), 1, 2, .. It may return early
   where s->abandoned is set. */
typedef cas_status cas_observer(void *context, cas_pass *s, int64_t observation, cas_error *err);

/** The time of a level since the beginning. */
double cas_pass_time(const cas_pass *s, int level);
/** The scheme of a level of the plan. */
cas_scheme cas_pass_scheme(const cas_problem *p, const cas_pass_plan *plan, int level);
cas_status cas_pass_create(const cas_problem *p, const cas_pass_plan *plan, cas_pass *s,
                           cas_error *err) CAS_MUST_CHECK;
void cas_pass_free(cas_pass *s);
/** Seconds to open the streams of blocks first .. next-1, one after another, measured on a few. */
double cas_pass_open_seconds(const cas_problem *p, const cas_pass_plan *plan, int64_t first,
                             int64_t next);
/** Integrates all lanes of one block from the initial state; `observe` may be NULL. */
cas_status cas_pass_run(cas_pass *s, int64_t block, cas_observer *observe, void *context,
                        cas_error *err) CAS_MUST_CHECK;
/** Fills out[W] with the largest departure of a Casimir of the level's state from its initial
    value, relative to the largest initial value. Systems with momentum maps have these in place of
    Casimirs; the invariant vector of a part beside the components departs relative to its
    length. */
void cas_pass_departure(cas_pass *s, int level, double *out);
/** How this lane has failed on that level, if it has. */
cas_failure cas_pass_cause(const cas_pass *s, int level, int lane);
/** The coarsest level on which this lane failed, or -1. */
int cas_pass_failed_level(const cas_pass *s, int lane);

/* Why a path failed. */
typedef struct {
  int64_t cause; /* a cas_failure; CAS_FAILURE_NONE: it did not */
  int64_t level; /* the coarsest level on which it failed, as summaries count levels */
  /* CAS_FAILURE_VALUE: the observable by its place in the study plus 1, 0: it is not known; and
     when */
  int64_t quantity;
  double time;
} cas_pass_failure;

/** Why this lane has failed, if it has. */
cas_pass_failure cas_pass_failed(const cas_pass *s, int lane);
/** Remembers that an observable, by its place in the study plus 1, is not finite now on this level,
    if it is the first of this lane and the state is finite. */
void cas_pass_note_value(cas_pass *s, int level, int lane, int observable);
/** The observable, by its place in the study plus 1, that was not finite at the beginning of any of
    lanes 0 .. active-1; 0: there is none. */
int cas_pass_unfinite_at_start(const cas_pass *s, int active);
/** Whether the path of this lane counts in statistics: it did not fail, or on_failure lets it
    count. */
bool cas_pass_counts(const cas_pass *s, int lane);
/** Has the path of this lane fail on the finest level, because a value of it that is recorded is
    not finite: until the next block begins, or this one is resumed. */
void cas_pass_refuse(cas_pass *s, int lane);
/** Whether a path with these n quantities counts, after the pass; if one of them is not finite,
    the path has failed on the finest level. Every study asks this before it adds a path to a
    summary. */
bool cas_pass_admits(cas_pass *s, int lane, int n, const double *quantity);
/** Adds the health of lanes 0 .. active-1, whose paths begin at first_path. */
void cas_pass_health(const cas_pass *s, int64_t first_path, int active, cas_summary *summary);
/** Adds the health of one lane alone. */
void cas_pass_health_of_lane(const cas_pass *s, int64_t path, int lane, cas_summary *summary);
/** The level of a summary that the health of a level of the pass is counted for. */
int cas_pass_counted_as(const cas_pass_plan *plan, int level);
/** The state of a block in progress, for `resume` of a pass of the same problem and plan, and its
    size in bytes. */
size_t cas_pass_state_size(const cas_problem *p, const cas_pass_plan *plan);
void cas_pass_state(const cas_pass *s, void *out);
/** Where such a state has those of its first level, [components][W], and their compensation, NULL
    without. Returns the finest steps that are done. */
int64_t cas_pass_state_begin(const cas_problem *p, const cas_pass_plan *plan, const void *state,
                             const double **x, const double **carry);
/** Bytes that a pass of this plan allocates. */
size_t cas_pass_bytes(const cas_problem *p, const cas_pass_plan *plan);

#endif
