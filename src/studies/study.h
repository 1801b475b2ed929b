/* Studies: what is computed from an ensemble, and the run that all of them share. */
#ifndef CAS_STUDY_H
#define CAS_STUDY_H

#include "statistics/forest.h"
#include "studies/sweep.h"

#include <casimir/casimir.h>

typedef struct cas_run_state cas_run_state;

typedef struct {
  double integrate_most, integrate_mean, reduce_most; /* seconds */
} cas_timing;

typedef struct cas_study {
  const char *name, *summary;
  const cas_option *options; /* keys below `study:` besides kind */
  size_t options_size;
  bool compensated; /* default of integrator.compensated */
  /** Checks the options and fills r->plan, r->paths. required */
  cas_status (*prepare)(cas_run_state *r, cas_error *err);
  /** Computes, writes the file, fills *out on rank 0. Collective. required */
  cas_status (*run)(cas_run_state *r, cas_results *out, cas_error *err);
  /** What prepare() allocated. optional */
  void (*release)(cas_run_state *r);
} cas_study;

/* One run: the same on every rank but for `rank`. */
struct cas_run_state {
  const cas_config *config;
  const cas_run_request *request;
  MPI_Comm comm;
  int rank, ranks;
  const cas_study *study;
  void *options; /* the study's */
  cas_problem problem;
  cas_sweep_plan plan;
  int64_t paths;
  int64_t blocks_per_chunk;
  void *prepared;  /* the study's own, from prepare() */
  char *file;      /* of the results */
  char *effective; /* the effective configuration */
  char started[32];
  double clock;
  double integrate, reduce; /* seconds of this rank, from cas_deal_chunks */
  cas_timing timing;        /* of all ranks, on rank 0 */
};

extern const cas_study *const cas_studies[]; /* NULL-terminated */

/* ---- dealing out chunks (chunks.c) ---- */

/** Adds one block to the summary of its chunk; `active` lanes from path `first_path` on count. */
typedef cas_status cas_block_function(void *context, cas_sweep *s, int64_t block, int active,
                                      cas_summary *chunk, cas_error *err);

/** Chunks of a study, and the contiguous range [first, next) of them that a rank owns. */
int64_t cas_chunks(const cas_run_state *r);
void cas_chunk_range(const cas_run_state *r, int rank, int64_t *first, int64_t *next);
/** Runs this rank's chunks and joins all ranks' summaries; *total (of that shape, freed by the
   caller) is the whole study on rank 0 and NULL elsewhere. Collective. */
cas_status cas_deal_chunks(cas_run_state *r, cas_summary_shape shape, cas_block_function *block,
                           void *context, cas_summary **total, cas_error *err) CAS_MUST_CHECK;

/** r->timing on rank 0 from what every rank took. Collective. */
void cas_timing_gather(cas_run_state *r);

/** Tells the caller of cas_run that rank 0 has done so much of its share. */
void cas_show_progress(const cas_run_state *r, int64_t done, int64_t mine);

/* ---- results that all studies have (outcome.c) ---- */

/** Provenance, steps and health of *out from the run and its summary. */
cas_status cas_outcome_fill(const cas_run_state *r, cas_summary *total, cas_results *out,
                            cas_error *err) CAS_MUST_CHECK;
/** CAS_CHECK_FAILED with a message if paths failed or Casimirs drifted too far. */
cas_status cas_outcome_verdict(const cas_run_state *r, const cas_results *out, cas_error *err);

/* ---- describing without computing (preview.c) ---- */

cas_status cas_dry_run(cas_run_state *r, cas_error *err) CAS_MUST_CHECK;
cas_status cas_single_path(cas_run_state *r, cas_error *err) CAS_MUST_CHECK;

#endif
