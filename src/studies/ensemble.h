/* Statistics of observables over time: the types that the files of that study share. */
#ifndef CAS_ENSEMBLE_H
#define CAS_ENSEMBLE_H

#include "engine/resume/store.h"
#include "paths/observables.h"
#include "statistics/histogram.h"
#include "studies/moments/moments.h"
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
  bool exact; /* the pilot is all there is: quantiles from all values */
} cas_ensemble_study;

/* What a rank collects from its blocks. */
typedef struct {
  cas_run_state *state;
  const cas_study_run *run;
  const cas_ensemble_study *study;
  cas_summary_shape shape;
  cas_histogram histogram;   /* with bins */
  cas_path_moments moments;  /* without */
  double *value;             /* [W][quantities] of a block */
  double *lanes, *packed;    /* one observable, one state */
  double *states;            /* [W] as files hold them */
  cas_least extreme;         /* [2][quantities] least, and minus greatest, of the pilot so far */
  double *held_value;        /* [capacity][quantities] of paths that wait for the bins */
  int64_t held, capacity;    /* paths */
  const double **path;       /* [capacity] values of paths to be counted; [W] without bins */
  bool bins_known;           /* set from the extremes of all ranks */
  cas_trajectory_file *file; /* of the members; NULL without */
} cas_collector;

cas_summary_shape cas_ensemble_shape(const cas_study_run *r);
/** Bytes that a rank holds, besides those of its pass. */
size_t cas_ensemble_rank_bytes(const cas_study_run *r, int64_t chunks);
/** Bytes of the statistics. Rank 0 holds them three times: in memory, for the file, and read
    back. */
size_t cas_ensemble_result_bytes(const cas_study_run *r);
/** Bytes of the sums that a longer run goes on from, as the file has them. */
size_t cas_ensemble_restart_bytes(const cas_study_run *r);
/** Creates a collector; the caller frees *g even on failure. */
cas_status cas_collector_create(cas_run_state *r, cas_collector *g, cas_error *err) CAS_MUST_CHECK;
void cas_collector_free(cas_collector *g);
/** The `block` of a cas_block_work. */
cas_status cas_collector_block(void *collector, cas_pass *s, int64_t block, int active,
                               cas_summary *chunk, cas_error *err);

/** Numbers of a part of the moments, or those of one record where these are more. */
enum { CAS_ENSEMBLE_PART_NUMBERS = 1 << 16 };
/** Bytes of power sums from which on they are streamed into checkpoints, and kept in no results. */
enum { CAS_ENSEMBLE_MUCH = 1 << 22 };
/** Whether the study has power sums of more bytes. */
bool cas_ensemble_is_large(const cas_study_run *r);

/* ---- what stays of a run besides its summary ---- */

/** The `begin` of a cas_block_work: takes over what an earlier run has stored. */
cas_status cas_collector_begin(void *collector, cas_error *err);
/** The `end` of a cas_block_work: this rank gets no more blocks. */
void cas_collector_end(void *collector);
/** The `store` of a cas_block_work, but for members. */
cas_status cas_collector_store(cas_collector *g, cas_sections *s, cas_error *err) CAS_MUST_CHECK;
/** The `stream` of a cas_block_work, for large studies. */
cas_status cas_collector_stream(void *collector, cas_checkpoint_writer *w, cas_error *err);
/** The `merge` of a cas_study. */
cas_status cas_collector_merge(cas_sections *all, const cas_sections *part, const char *file,
                               cas_error *err);

/* ---- bins (ensemble_bins.c) ---- */

/** Takes over what an earlier run has stored. */
cas_status cas_ensemble_bins_begin(cas_collector *g, cas_error *err) CAS_MUST_CHECK;
/** Before this block: waits for the bins as long as there is no space to hold its values. */
cas_status cas_ensemble_bins_wait(cas_collector *g, cas_pass *s, int64_t block, int active,
                                  cas_error *err) CAS_MUST_CHECK;
/** Counts the paths g->path[0 .. paths) of a block, or holds them until bins are known. */
void cas_ensemble_bins_count(cas_collector *g, int64_t block, int paths);
/** Waits until bins are known. Collective the first time; further calls return at once. */
void cas_ensemble_bins_choose(cas_collector *g);
cas_status cas_ensemble_bins_store(cas_collector *g, cas_sections *s,
                                   cas_error *err) CAS_MUST_CHECK;
/** Adds counts of the same bins. */
cas_status cas_ensemble_bins_merge(cas_sections *all, const cas_sections *part, const char *file,
                                   cas_error *err);

typedef struct {
  int64_t paths;
  double *value; /* [paths][quantities], and workspace for [paths] of one quantity */
} cas_sample;

/** Gathers all values that ranks hold on rank 0, in an order that follows from the values alone;
    the caller frees all->value. Collective. */
cas_status cas_sample_collect(const cas_collector *g, cas_sample *all,
                              cas_error *err) CAS_MUST_CHECK;
/** The datasets of an observable that ranks write themselves, in this order. */
enum { CAS_MOMENT_COLUMNS = 6 };
extern const char *const cas_moment_columns[CAS_MOMENT_COLUMNS];

/** Fills *out with the statistics of all ranks on rank 0, where `total` is. Without bins, ranks
    write them to g->file instead, if there is one. Collective. */
cas_status cas_ensemble_results(cas_collector *g, cas_summary *total, cas_results *out,
                                cas_error *err) CAS_MUST_CHECK;

#endif
