/* Statistics of observables over time: the types that the files of that study share. */
#ifndef CAS_ENSEMBLE_H
#define CAS_ENSEMBLE_H

#include "base/count.h"
#include "engine/resume/store.h"
#include "files/results/table.h"
#include "paths/observables.h"
#include "statistics/histogram.h"
#include "studies/moments/least.h"
#include "studies/moments/power_sums.h"
#include "studies/span.h"

typedef struct {
  cas_time_span span;
  int64_t every, paths, first_path, members, bins, path_groups;
  cas_reals times, quantiles;
  cas_formulas observables;
  bool ends;
} cas_ensemble_options;

/* The study, as prepared. A quantity is one number at one time: with bins, number record * numbers
   + number; without, all of an observable before those of the next, as tables hold them. */
typedef struct {
  cas_observables observables;
  int records;
  int64_t *at;          /* [records] steps of the records, then the last step unless it is one */
  int quantities, bins; /* 0 bins: moments alone, by power sums */
  int64_t members, pilot /* blocks that choose the bins, or what departures are from */;
  int known;  /* numbers that the pilot gives */
  bool exact; /* the pilot is all there is: quantiles from all values */
} cas_ensemble_study;

/* What a rank collects from its blocks. */
typedef struct {
  cas_run_state *state;
  const cas_study_run *run;
  const cas_ensemble_study *study;
  cas_summary_shape shape;
  /* What the pilot gives, [study->known]. With bins: least, and minus greatest, values of its paths
     so far, [2][quantities]; without: values of the first path that counts. */
  cas_least pilot;
  bool known;                /* that is known of all ranks, and the bins or departures are set */
  cas_histogram histogram;   /* with bins */
  cas_power_sums *sum;       /* [quantities] without */
  bool has_sums;             /* of an earlier run; rank 0 */
  double *value;             /* [W][quantities] of a block */
  double *lanes, *packed;    /* one observable, one state */
  double *states;            /* [W] as files hold them */
  double *held_value;        /* [capacity][quantities] of paths that wait for the bins */
  int64_t held, capacity;    /* paths */
  const double **path;       /* [capacity] values of paths to be counted; [W] without bins */
  cas_trajectory_file *file; /* of the members; NULL without */
} cas_collector;

cas_summary_shape cas_ensemble_shape(const cas_study_run *r);
/** Bytes that a rank holds, besides those of its pass. */
size_t cas_ensemble_rank_bytes(const cas_study_run *r, int64_t chunks);
/** Bytes of the statistics, which rank 0 holds three times: in memory, for the file, read back. */
size_t cas_ensemble_result_bytes(const cas_study_run *r);
/** Bytes of the sums that a longer run goes on from, as the file has them. */
size_t cas_ensemble_restart_bytes(const cas_study_run *r);
/** Creates a collector; the caller frees *g even on failure. */
cas_status cas_collector_create(cas_run_state *r, cas_collector *g, cas_error *err) CAS_MUST_CHECK;
void cas_collector_free(cas_collector *g);
/** The `block` of a cas_block_work. */
cas_status cas_collector_block(void *collector, cas_pass *s, int64_t block, int active,
                               cas_summary *chunk, cas_error *err);

/** Numbers of sums that are put together at a time, or those of one record where these are more. */
enum { CAS_ENSEMBLE_PART_NUMBERS = 1 << 16 };
int64_t cas_ensemble_part_numbers(const cas_ensemble_study *e);
/** Bytes of power sums from which on they are streamed into checkpoints, and kept in no results. */
enum { CAS_ENSEMBLE_MUCH = 1 << 22 };
/** Whether the study has power sums of more than CAS_ENSEMBLE_MUCH bytes. */
bool cas_ensemble_is_large(const cas_study_run *r);

/* ---- what stays of a run besides its summary ---- */

/** Waits for what the pilot gives. Collective the first time; further calls return at once. */
void cas_collector_know(cas_collector *g);
/** The `begin` of a cas_block_work: takes over what an earlier run has stored. */
cas_status cas_collector_begin(void *collector, cas_error *err);
/** The `store` of a cas_block_work, but for members. */
cas_status cas_collector_store(cas_collector *g, cas_sections *s, cas_error *err) CAS_MUST_CHECK;
/** The `stream` of a cas_block_work, for large studies. */
cas_status cas_collector_stream(void *collector, cas_checkpoint_writer *w, cas_error *err);
/** The `merge` of a cas_study. */
cas_status cas_collector_merge(const cas_study_run *r, cas_sections *all, const cas_sections *part,
                               const char *file, cas_error *err);

typedef struct {
  int64_t paths;
  const double **row; /* [paths][quantities] ascending by their bytes, in `stored` */
  double *one;        /* [paths] workspace for values of one quantity */
  cas_sections stored;
} cas_sample;

/** Gathers all values that ranks hold on rank 0, in an order that follows from the values alone;
    the caller frees *all. Collective. */
cas_status cas_sample_collect(const cas_collector *g, cas_sample *all,
                              cas_error *err) CAS_MUST_CHECK;
void cas_sample_free(cas_sample *s);

/* ---- results (ensemble_results.c) ---- */

/** The columns that observables have without bins too, which ranks then write themselves in this
    order: column k, NULL behind the last; and how many there are. */
const cas_field *cas_ensemble_column(int k);
int cas_ensemble_columns(void);

/** Fills *out with the statistics of all ranks on rank 0, where `total` is. Without bins, ranks
    write them to g->file instead, if there is one. Collective. */
cas_status cas_ensemble_results(cas_collector *g, cas_summary *total, cas_results *out,
                                cas_error *err) CAS_MUST_CHECK;

#endif
