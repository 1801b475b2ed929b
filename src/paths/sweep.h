/* One sweep over the finest steps of a block advances all levels together on the same Brownian
 * paths, or on paths whose halves are swapped; no path is stored. */
#ifndef CAS_SWEEP_H
#define CAS_SWEEP_H

#include "paths/problem.h"
#include "statistics/summary.h"

#include <casimir/results.h>

enum { CAS_LEVELS_MAX = 32 };

/* Levels coarsest first, the reference (finest) last. */
typedef struct {
  int levels; /* reference included */
  double h[CAS_LEVELS_MAX];
  int64_t ratio[CAS_LEVELS_MAX]; /* finest steps in one step; each divides the one before it */
  int64_t steps;                 /* finest steps in all */
  int64_t grid; /* finest steps between observations; a multiple of ratio[0] that divides steps */
  /* instead of a grid: ascending steps after which to observe, the last after all; NULL: the grid */
  const int64_t *observed;
  /* which streams of normals: block b has stream number `stream` + b * `stride` of `purpose`, a
     number of purposes.def; a stride of 0 counts as 1; zeroed: those of paths */
  int purpose;
  int64_t stream, stride;
  /* levels are a step of 2 h, two steps of h, and two of h with the normals swapped: the missing Levy
     area of the third is minus that of the second. ratio = 2, 1, 1; steps and grid are even */
  bool antithetic;
  int first_level; /* of health: what the coarsest level counts as; those of one step count as one */
} cas_sweep_plan;

/* One level of a block; arrays of lanes, [rows][W]. */
typedef struct {
  cas_stepper stepper;
  double bound, scale; /* truncation of the sum of normals, and what makes increments of it */
  double *x, *carry, *sum;
  double *drift; /* [W] largest relative departure of a Casimir at the observations so far */
  cas_tally tally;
} cas_level;

typedef struct cas_sweep {
  const cas_problem *problem;
  const cas_sweep_plan *plan;
  cas_level level[CAS_LEVELS_MAX];
  double *u, *z, *later, *dw, *coef, *work, *scratch, *casimir, *casimir0;
  int casimirs;
  void *memory;
  int64_t done, observations; /* finest steps, and calls of the observer besides the first */
  /* called every so many finest steps, and after fewer that take long; what it returns ends the run.
     optional */
  cas_status (*poll)(void *context, cas_error *err);
  /* The same in the midst of an observation: whether to give that up. It is then made again, unless
     the next poll, which follows, ends the run. optional */
  bool (*cancelled)(void *context);
  void *poll_context;
  bool abandoned; /* the observation that is being made: what it has got so far is not to be used */
  double last_poll;        /* when one of them was last called */
  int64_t steps_per_check; /* steps from one look at the clock to the next */
  /* called after each step of each level. optional */
  void (*stepped)(void *context, struct cas_sweep *s, int level);
  void *stepped_context;
  const void *resume; /* where the next run of a block begins, instead of at the initial state */
} cas_sweep;

/* Returns at once where s->abandoned says that its work is not wanted any more.
   Called at observation 0 (the initial state), 1, 2, .., with the sweep's levels at that time. */
typedef cas_status cas_observer(void *context, cas_sweep *s, int64_t observation, cas_error *err);

cas_status cas_sweep_create(const cas_problem *p, const cas_sweep_plan *plan, cas_sweep *s,
                            cas_error *err) CAS_MUST_CHECK;
void cas_sweep_free(cas_sweep *s);
/** The normals of a block of that plan; the caller closes them. */
cas_status cas_sweep_open_noise(const cas_problem *p, const cas_sweep_plan *plan, int64_t block,
                                cas_block_noise *noise, cas_error *err) CAS_MUST_CHECK;
/** Seconds to open the streams of blocks first .. next-1, one after another, measured on a few. */
double cas_sweep_open_seconds(const cas_problem *p, const cas_sweep_plan *plan, int64_t first,
                              int64_t next);
/** Integrates all lanes of one block from the initial state; `observe` may be NULL. */
cas_status cas_sweep_run(cas_sweep *s, int64_t block, cas_observer *observe, void *context,
                         cas_error *err) CAS_MUST_CHECK;
/** out[W]: largest departure of a Casimir of that level's state from its initial value, relative to
 * the largest Casimir. */
void cas_sweep_departure(cas_sweep *s, int level, double *out);
/** What became of this lane on that level. */
cas_failure cas_sweep_cause(const cas_sweep *s, int level, int lane);
/** The coarsest level on which this lane failed, or -1. */
int cas_sweep_failed_level(const cas_sweep *s, int lane);
/** Whether statistics take the path of this lane: it did not fail, or may count all the same. */
bool cas_sweep_counts(const cas_sweep *s, int lane);
/** The same, after the sweep, of a path with these quantities; if one of them is no number the path
    has failed on the finest level. Every study asks before it adds a path to a summary. */
bool cas_sweep_admits(cas_sweep *s, int lane, int n, const double *quantity);
/** Adds the health of lanes 0 .. active-1, whose paths begin at first_path. */
void cas_sweep_health(const cas_sweep *s, int64_t first_path, int active, cas_summary *summary);
/** The health of one lane alone. */
void cas_sweep_health_of_lane(const cas_sweep *s, int64_t path, int lane, cas_summary *summary);
/** What the levels of the sweep are counted as in health. */
int cas_sweep_counted_as(const cas_sweep_plan *plan, int level);
/** All that a block in progress consists of, for `resume` of a sweep of the same problem and plan. */
size_t cas_sweep_state_size(const cas_sweep *s);
void cas_sweep_state(const cas_sweep *s, void *out);
/** Whether what was stored can be gone on with: its counters agree with the plan. */
bool cas_sweep_state_fits(const cas_sweep *s, const void *state);
/** Bytes that a sweep of this plan allocates. */
size_t cas_sweep_bytes(const cas_problem *p, const cas_sweep_plan *plan);

#endif
