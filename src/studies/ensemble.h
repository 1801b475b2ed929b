/* Statistics of observables over time: what the parts of that study share. */
#ifndef CAS_ENSEMBLE_H
#define CAS_ENSEMBLE_H

#include "statistics/histogram.h"
#include "studies/observables.h"
#include "studies/study.h"

typedef struct {
  double step;
  int64_t steps, every, paths, members, bins;
  cas_reals times, quantiles;
  cas_strings observables;
} cas_ensemble_options;

/* What is asked for, from prepare(). A quantity is a number at a time: record * numbers + number. */
typedef struct {
  cas_observables observables;
  int records;
  int64_t *at; /* [records] steps of the records, then the last step unless it is one */
  int quantities, bins;
  int64_t members, pilot /* blocks that choose the bins */;
  bool exact; /* the pilot is all there is: quantiles from all values */
} cas_ensemble_study;

/* What a rank gathers. */
typedef struct {
  cas_run_state *run;
  const cas_ensemble_study *study;
  cas_summary_shape shape;
  cas_histogram histogram;
  double *value;              /* [W][quantities] of a block */
  double *lanes, *packed;     /* one observable, one state */
  double *states;             /* [W] as files hold them */
  double *least, *greatest;   /* [quantities] of the pilot on this rank, then on all */
  double *held_value;         /* [hold W][quantities] of the paths before the bins were chosen */
  const double **path;        /* [hold W] the paths to count */
  int64_t blocks, hold, held; /* blocks done, blocks and paths held */
  bool chosen;                /* the bins */
  cas_trajectory_file *file;  /* of the members; NULL without */
} cas_gathering;

cas_summary_shape cas_ensemble_shape(const cas_run_state *r);
/** Bytes that a rank holds, besides those of its sweep. */
size_t cas_ensemble_rank_bytes(const cas_run_state *r, int64_t chunks);
/** Bytes of the statistics, which rank 0 holds, as the file and read back besides. */
size_t cas_ensemble_result_bytes(const cas_run_state *r);
/** The caller frees *g even on failure. */
cas_status cas_gathering_create(cas_run_state *r, cas_gathering *g, cas_error *err) CAS_MUST_CHECK;
void cas_gathering_free(cas_gathering *g);
/** The functions of a cas_block_work. */
cas_status cas_gather_block(void *gathering, cas_sweep *s, int64_t block, int active,
                            cas_summary *chunk, cas_error *err);
cas_status cas_gather_done(void *gathering, cas_status st, cas_error *err);
/** Statistics of all ranks into *out on rank 0, where `total` is; collective. */
cas_status cas_ensemble_results(cas_gathering *g, cas_summary *total, cas_results *out,
                                cas_error *err) CAS_MUST_CHECK;

#endif
