/* One pass over the finest steps of a block advances all levels together on the same Brownian
 * paths, or on paths whose parts are in reverse order; no path is stored. */
#ifndef CAS_PASS_H
#define CAS_PASS_H

#include "paths/follower.h"
#include "paths/increments.h"
#include "paths/problem/exchange.h"
#include "paths/watch.h"

struct cas_pass {
  /* The problem; where parameters are uncertain a copy of it with those of the current block. */
  const cas_problem *problem;
  cas_problem *own;           /* that copy, or NULL */
  cas_lane_parameters *lanes; /* those parameters, or NULL */
  const cas_pass_plan *plan;
  cas_level level[CAS_PLAN_LEVELS_MAX];
  cas_increments increments;
  cas_exchange_state exchange;
  cas_step_space space;
  cas_following following;
  cas_watch watch;
  void *memory;
  size_t kept;                /* bytes at its beginning that a block keeps from step to step */
  int64_t done, observations; /* finest steps, and calls of the observer besides the first */
  /* Called every few finest steps, or fewer long ones; its failure ends the run. optional */
  cas_status (*poll)(void *context, cas_error *err);
  /* Called within an observation: whether to abandon it. The observation is then made again, unless
     the poll that follows ends the run. optional */
  bool (*cancelled)(void *context);
  void *poll_context;
  bool abandoned;   /* The current observation is abandoned, and its numbers are of no use. */
  double last_poll; /* time when poll or cancelled was last called */
  int64_t steps_per_check; /* steps from one reading of the clock to the next */
  /* Called after each step of each level. optional */
  void (*stepped)(void *context, cas_pass *s, int level);
  void *stepped_context;
  const void *resume; /* state that the next run of a block resumes; NULL: it begins anew */
};

/* Observes the pass's levels at observation 0 (the initial state), 1, 2, .. It may return early
   where s->abandoned is set. */
typedef cas_status cas_observer(void *context, cas_pass *s, int64_t observation, cas_error *err);

cas_status cas_pass_create(const cas_problem *p, const cas_pass_plan *plan, cas_pass *s,
                           cas_error *err) CAS_MUST_CHECK;
void cas_pass_free(cas_pass *s);
/** Seconds to open the streams of blocks first .. next-1, one after another, measured on a few. */
double cas_pass_open_seconds(const cas_problem *p, const cas_pass_plan *plan, int64_t first,
                             int64_t next);
/** Integrates all lanes of one block from the initial state; `observe` may be NULL. */
cas_status cas_pass_run(cas_pass *s, int64_t block, cas_observer *observe, void *context,
                        cas_error *err) CAS_MUST_CHECK;
/** The state of a block in progress, for `resume` of the same problem and plan; its bytes. */
size_t cas_pass_state_size(const cas_problem *p, const cas_pass_plan *plan);
void cas_pass_state(const cas_pass *s, void *out);
/** Where such a state has those of its first level, [components][W], and their compensation, NULL
    without. Returns the finest steps that are done. */
int64_t cas_pass_state_begin(const cas_problem *p, const cas_pass_plan *plan, const void *state,
                             const double **x, const double **carry);
/** Bytes that a pass of this plan allocates. */
size_t cas_pass_bytes(const cas_problem *p, const cas_pass_plan *plan);

/* ---- its memory: what it keeps of a block from step to step, and workspace (block.c) ---- */

/** Gives the arrays of a pass their places in memory, and sets s->kept. Returns the bytes of all.
    base NULL: counts alone. */
size_t cas_block_lay_out(double *base, const cas_problem *p, const cas_pass_plan *plan,
                         cas_pass *s);
/** Begins a block at the initial states of its paths, which all levels share. */
cas_status cas_block_begin(cas_pass *s, int64_t block, cas_error *err) CAS_MUST_CHECK;
/** Begins a block at s->resume, but for its streams of normals. */
cas_status cas_block_resume(cas_pass *s, int64_t block, cas_error *err) CAS_MUST_CHECK;

#endif
