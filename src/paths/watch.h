/* What a pass watches: drift of invariants, failed paths and why, and the health of steps. */
#ifndef CAS_WATCH_H
#define CAS_WATCH_H

#include "statistics/summary.h"

#include <casimir/results.h>

typedef struct cas_pass cas_pass;

/* Of a block. */
typedef struct {
  double *now, *due;  /* invariants of a level, and what they should be: workspace */
  double *left;       /* [W]: what is left of Casimirs by now, or of x0 with linear damping */
  double *x0, *faded; /* with linear damping, kept with the block: initial states, and what is left
                         of them by now, whose invariants states should have */
  double *refused;    /* [W]: 1 where a value of the path was not finite */
  /* [3][W], kept with the block: of the first value of an observable that was not finite while the
     state was, the observable's place in the study plus 1 (0: there was none), level and time. */
  double *unfinite;
} cas_watch;

/** Begins at the initial states, which all levels have. */
void cas_watch_begin(cas_pass *s);
void cas_watch_drift(cas_pass *s);
/** Fills out[W] with the largest departure of a Casimir of the level's state from its initial
    value, relative to the largest initial value. Momentum maps take the place of Casimirs where a
    system has them; the invariant vector of a part departs relative to its length. */
void cas_pass_departure(cas_pass *s, int level, double *out);

/** How this lane has failed on that level, if it has. */
cas_failure cas_pass_cause(const cas_pass *s, int level, int lane);
/** The coarsest level on which this lane failed, or -1. */
int cas_pass_failed_level(const cas_pass *s, int lane);

typedef struct {
  int64_t cause; /* a cas_failure; CAS_FAILURE_NONE: it did not */
  int64_t level; /* the coarsest level on which it failed, as summaries count levels */
  /* CAS_FAILURE_VALUE: the observable, its place in the study plus 1, 0: not known; and when */
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
/** Whether this lane's path counts in statistics: it did not fail, or on_failure lets it count. */
bool cas_pass_counts(const cas_pass *s, int lane);
/** Has the path of this lane fail on the finest level, because a value of it that is recorded is
    not finite: until the next block begins, or this one is resumed. */
void cas_pass_refuse(cas_pass *s, int lane);
/** Whether a path with these n quantities counts, after the pass; if one is not finite, the path
    has failed on the finest level. Every study asks before it adds a path to a summary. */
bool cas_pass_admits(cas_pass *s, int lane, int n, const double *quantity);
/** Adds the health of lanes from .. to-1, whose paths begin at `path`. */
void cas_pass_health(const cas_pass *s, int64_t path, int from, int to, cas_summary *summary);

#endif
