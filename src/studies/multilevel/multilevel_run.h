/* Integrating the paths of a hierarchy, round by round. */
#ifndef CAS_MULTILEVEL_RUN_H
#define CAS_MULTILEVEL_RUN_H

#include "studies/multilevel/hierarchy.h"

typedef struct {
  cas_run_state *run;
  cas_hierarchy *hierarchy;
  cas_summary_shape shape;
  cas_sweep sweep[CAS_LEVELS_MAX]; /* of each level, made when it is first needed */
  int level;                       /* of the chunk in the making, */
  int64_t last;                    /* its last block, */
  double begun;                    /* and the seconds of its processor when it began */
  double *value;                   /* [3][W] */
  double *quantity;                /* [quantities][W], and those of one path */
  double seconds[CAS_LEVELS_MAX];  /* of its processor that this rank spent on each level; and: */
  double earlier[CAS_LEVELS_MAX];  /* all ranks in the runs that this one goes on from; rank 0 */
  /** Appends what the study keeps beside all this to rank 0's sections of a checkpoint. optional */
  cas_status (*store)(void *context, cas_sections *s, cas_error *err);
  void *context;
} cas_multilevel_run;

/** The hierarchy has the rounds that the checkpoint knows of instead of its own, if it knows of any:
    decisions are not taken twice. Collective. */
cas_status cas_multilevel_begin(cas_run_state *r, cas_hierarchy *l, cas_multilevel_run *c,
                                cas_error *err) CAS_MUST_CHECK;
void cas_multilevel_end(cas_multilevel_run *c);
/** Integrates the last round of the hierarchy. *total (freed by the caller) is the sum of all rounds on
    rank 0, NULL elsewhere. Collective. */
cas_status cas_multilevel_round(cas_multilevel_run *c, cas_summary **total,
                                cas_error *err) CAS_MUST_CHECK;
/** Seconds of processors that all ranks have spent on each level, on rank 0. Collective. */
void cas_multilevel_seconds(const cas_multilevel_run *c, double seconds[CAS_LEVELS_MAX]);

#endif
