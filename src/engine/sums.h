/* Studies of one summary: some numbers of every path are averaged, and everything follows from the
   averages. Memory, blocks in progress, failed paths, checkpoints and files are the same for all.
   */
#ifndef CAS_SUMS_H
#define CAS_SUMS_H

#include "engine/study.h"
#include "paths/pass.h"

typedef struct {
  size_t values;  /* doubles that a block needs for what it observes */
  int quantities; /* numbers of a path that are averaged */
  int groups;     /* 1, or CAS_SUMMARY_GROUPS: path p counts in group p mod CAS_SUMMARY_GROUPS */
} cas_sum_sizes;

/** What such a study computes. `value` is the memory of a block, [sizes.values], which a checkpoint
    keeps. */
typedef struct cas_sum_study {
  cas_sum_sizes (*sizes)(const cas_study_run *r); /* required */
  /** Looks at the states of a block at observation 0 (the initial states), 1, 2, .. It may return
      early where s->abandoned is set. optional */
  void (*observe)(const cas_study_run *r, cas_pass *s, int64_t observation, double *value);
  /** Looks at the states of a block after the last step. optional */
  void (*finish)(const cas_study_run *r, cas_pass *s, double *value);
  /** Computes the quantities of the path of a lane. A quantity that is not finite makes the path a
      failed one. required */
  void (*collect)(const cas_study_run *r, const double *value, int lane, double *quantity);
  /** Adds tables to the results, whose provenance and health are there. On rank 0. required */
  cas_status (*conclude)(const cas_study_run *r, cas_summary *total, cas_summary_shape shape,
                         cas_results *out, cas_error *err);
  /** Adds tables that take time, when the file is complete, which is then written once more: it
      stays complete if this is interrupted. Returns CAS_OK with *added false where there is nothing
      to add. On rank 0. optional */
  cas_status (*extend)(const cas_study_run *r, cas_results *out, bool *added, cas_error *err);
} cas_sum_study;

/** Integrates all paths, fills the results of r->study->sums and writes their file. Collective. */
cas_status cas_sums_run(cas_run_state *r, cas_results *out, cas_error *err) CAS_MUST_CHECK;

#endif
