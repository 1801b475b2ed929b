/* What studies with step sizes h, h/2, .. have alike in their configuration. */
#ifndef CAS_SPAN_H
#define CAS_SPAN_H

#include "engine/study.h"

/** From 0 to the horizon in steps of the coarsest level: the first member of such a study's
    options. */
typedef struct {
  double coarsest_step;
  int64_t coarsest_steps;
  double horizon; /* 0 where the number of steps is given */
} cas_span;

/** Its keys, to be included in the options of a study. */
extern const cas_option cas_span_options[];

/** One of coarsest_steps and horizon is given, and afterwards it is the first. Refuses a coarsest step
    that the scheme does not take, and more steps than can be counted when they are halved so many
    times; `finest` says in a message what has these. */
cas_status cas_span_check(const cas_run_state *r, cas_span *s, int64_t halvings, const char *finest,
                          cas_error *err) CAS_MUST_CHECK;
/** Looks up study.functionals; the caller frees *out even on failure. */
cas_status cas_functionals_find(const cas_run_state *r, const cas_strings *names,
                                const cas_functional ***out, cas_error *err) CAS_MUST_CHECK;

#endif
