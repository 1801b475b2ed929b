/* Configuration that several studies have in common: step sizes h, h/r, .., and probabilities. */
#ifndef CAS_SPAN_H
#define CAS_SPAN_H

#include "engine/study/study.h"
#include "paths/observables.h"

#define CAS_SPAN_FIRST_PATH_HELP                                                                 \
  "number of the first path, a multiple of the chunk size that --dry-run prints; casimir merge " \
  "joins such ranges"

/** The time from 0 to the horizon in coarsest steps: the first member of a study's options. */
typedef struct {
  double coarsest_step;
  int64_t coarsest_steps;
  double horizon;     /* 0 where the number of steps is given */
  int64_t refinement; /* steps of a level in one of the next coarser level */
  cas_ints sizes;     /* of the levels, of cas_span_size_options */
} cas_span;

/** Its keys, to be included in the options of a study, and the key `refine` of studies whose levels
    may have several sizes of the system. */
extern const cas_option cas_span_options[], cas_span_size_options[];

/** The time from 0 to the horizon in steps of one size, for studies without levels. */
typedef struct {
  double step;
  int64_t steps;
  double horizon; /* 0 where the number of steps is given */
} cas_time_span;

/** Its keys, to be included in the options of a study. */
extern const cas_option cas_time_span_options[];

#define CAS_SPAN_ENDS_HELP                                                                    \
  "keep in the file where every path ends, so that --resume with more steps, or times after " \
  "the last, goes on from there"

#define CAS_SPAN_PATH_GROUPS_HELP                                                                \
  "number of groups of paths, path p in group p modulo it, whose means are stored beside those " \
  "of all paths; sweeps print differences on the same paths by them; 32 to 128 are enough, "     \
  "0: none"
enum { CAS_SPAN_PATH_GROUPS_MOST = 4096 };
/** Refuses a single group, which has no error, and groups without an observable that is a single
    number, by which runs could be compared; sets r->path_groups. */
cas_status cas_span_path_groups(cas_study_run *r, int64_t groups, cas_error *err) CAS_MUST_CHECK;
cas_file_axis cas_span_path_group_axis(int groups);

/** Where a finished run of fewer steps goes on: refuses times that it has passed, and one whose
    last record, of `records` at steps `at`, was not its last step. */
cas_status cas_time_span_goes_on(const cas_run_state *r, int64_t records, const int64_t *at,
                                 cas_error *err) CAS_MUST_CHECK;
/** Checks the step, and that one of steps and horizon is given; makes steps of the horizon. */
cas_status cas_time_span_check(const cas_study_run *r, cas_time_span *s,
                               cas_error *err) CAS_MUST_CHECK;
/** The plan of these steps, with an observation every `grid` of them. */
cas_pass_plan cas_time_span_plan(const cas_time_span *s, int64_t grid);
/** The number of steps to a time, which the configuration has at `key`, and which must be a whole
    number of them and not after the last. */
cas_status cas_time_span_step(const cas_study_run *r, const char *key, const cas_time_span *s,
                              double time, int64_t *at, cas_error *err) CAS_MUST_CHECK;
/** The steps to the times of study.times, which must ascend: at[times->n]. */
cas_status cas_time_span_times(const cas_study_run *r, const cas_time_span *s,
                               const cas_reals *times, int64_t *at, cas_error *err) CAS_MUST_CHECK;

/** Gives the run's problem the sizes of the configuration, if it has any, and *levels the levels
    that these make, which the configuration may have at `key`: `more` are fewer than sizes. Without
    sizes levels must be given. Collective. */
cas_status cas_span_sizes(cas_study_run *r, cas_span *s, const char *key, int more, int64_t *levels,
                          cas_error *err) CAS_MUST_CHECK;
/** What errors are expanded in powers of: step sizes, or N^-2 of several sizes at one step. */
const double *cas_span_resolution(const cas_study_run *r);
/** The order in powers of that of errors whose order in the step size is `order` by theory. */
double cas_span_order_of(const cas_study_run *r, double order);
/** Checks that one of coarsest_steps and horizon is given; makes steps of the horizon. Refuses a
    coarsest step too long to truncate normals, and steps too small or too many after these
    refinements; `finest` names the smallest in messages. */
cas_status cas_span_check(const cas_study_run *r, cas_span *s, int64_t refinements,
                          const char *finest, cas_error *err) CAS_MUST_CHECK;
/** The plan of all step sizes: the coarsest step h, h/r with r = refinement, h/r^2, .., `levels` of
    them, and the step that is left of it after these refinements. */
cas_pass_plan cas_span_plan(const cas_span *s, int levels, int refinements);

/** Puts the order between errors of `level` and the next, and its interval of at least 95%, there.
    coarse, fine: a value above 0 or 0, and the ends of its 97.5% interval. Errors are against the
    reference of the plan and follow h^q - h_ref^q; one by another scheme counts as exact. */
void cas_span_put_order(const cas_study_run *r, int level, const double coarse[3],
                        const double fine[3], const cas_intervals *order);

/** The 95% interval of Clopper and Pearson for the mean of an observable over independent
    paths, where that is a probability by what the observable is; NaN where it is none. */
void cas_span_probability_interval(const cas_study_run *r, const cas_observable *o, double mean,
                                   double paths, double *low, double *high);

/** The key `quantiles`, to be included in the options of a study at the offset of a cas_reals. */
extern const cas_option cas_span_probability_options[];
/** Refuses probabilities that do not ascend. */
cas_status cas_span_probabilities_check(const cas_study_run *r, const cas_reals *p,
                                        cas_error *err) CAS_MUST_CHECK;
/** What this axis is, in files. */
#define CAS_SPAN_PROBABILITY_AXIS "probability of the quantiles"

#endif
