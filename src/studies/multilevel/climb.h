/* Integrating the paths of a ladder, round by round. */
#ifndef CAS_CLIMB_H
#define CAS_CLIMB_H

#include "studies/multilevel/ladder.h"

typedef struct {
  cas_run_state *run;
  cas_ladder *ladder;
  cas_summary_shape shape;
  cas_sweep sweep[CAS_LEVELS_MAX]; /* of each rung, made when it is first needed */
  int rung;                        /* of the chunk in the making, */
  int64_t last;                    /* its last block, */
  double begun;                    /* and the seconds of its processor when it began */
  double *value;                   /* [3][W] */
  double *quantity;                /* [quantities][W], and those of one path */
  double seconds[CAS_LEVELS_MAX];  /* of its processor that this rank spent on each rung; and: */
  double earlier[CAS_LEVELS_MAX];  /* all ranks in the runs that this one goes on from; rank 0 */
  /** Appends what the study keeps beside all this to rank 0's sections of a checkpoint. optional */
  cas_status (*store)(void *context, cas_sections *s, cas_error *err);
  void *context;
} cas_climb;

/** The ladder has the rounds that the checkpoint knows of instead of its own, if it knows of any:
    decisions are not taken twice. Collective. */
cas_status cas_climb_begin(cas_run_state *r, cas_ladder *l, cas_climb *c,
                           cas_error *err) CAS_MUST_CHECK;
void cas_climb_end(cas_climb *c);
/** Integrates the last round of the ladder. *total (freed by the caller) is the sum of all rounds on
    rank 0, NULL elsewhere. Collective. */
cas_status cas_climb_round(cas_climb *c, cas_summary **total, cas_error *err) CAS_MUST_CHECK;
/** Seconds of processors that all ranks have spent on each rung, on rank 0. Collective. */
void cas_climb_seconds(const cas_climb *c, double seconds[CAS_LEVELS_MAX]);

#endif
