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

/** Its keys; the words are of the first two. */
#define CAS_SPAN_OPTIONS(step, steps)                                                          \
  {.key = "coarsest_step",                                                                     \
   .type = CAS_STEP,                                                                           \
   .offset = offsetof(cas_span, coarsest_step),                                                \
   .high = 1e300,                                                                              \
   .open_low = true,                                                                           \
   .help = step},                                                                              \
      {.key = "coarsest_steps",                                                                \
       .type = CAS_INT,                                                                        \
       .offset = offsetof(cas_span, coarsest_steps),                                           \
       .fallback = "",                                                                         \
       .low = 1,                                                                               \
       .high = 1e15,                                                                           \
       .help = steps "; horizon = coarsest_step times this"},                                  \
  {                                                                                            \
    .key = "horizon", .type = CAS_REAL, .offset = offsetof(cas_span, horizon), .fallback = "", \
    .open_low = true, .high = 1e300,                                                           \
    .help = "instead of coarsest_steps: final time, a whole number of coarsest steps"          \
  }

/** One of coarsest_steps and horizon is given, and afterwards it is the first. Refuses a coarsest step
    that the scheme does not take, and more steps than can be counted when they are halved so many
    times; `finest` says in a message what has these. */
cas_status cas_span_check(const cas_run_state *r, cas_span *s, int64_t halvings, const char *finest,
                          cas_error *err) CAS_MUST_CHECK;
/** Looks up study.functionals; the caller frees *out even on failure. */
cas_status cas_functionals_find(const cas_run_state *r, const cas_strings *names,
                                const cas_functional ***out, cas_error *err) CAS_MUST_CHECK;

#endif
