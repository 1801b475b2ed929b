/* Whose checkpoint or results file it is: what must agree before a run goes on from it. Rank 0 alone,
   unless they say otherwise. */
#ifndef CAS_IDENTITY_H
#define CAS_IDENTITY_H

#include "engine/study.h"

/** Of what a run reads from files, by their contents; empty where it reads none. */
typedef struct {
  char text[17];
} cas_input_hash;

cas_input_hash cas_identity_initial(const cas_run_state *r);
/** Of the normals of all paths. */
cas_input_hash cas_identity_noise(const cas_run_state *r);

/** Of all that its paths depend on and how many they are; never 0. Any rank. */
uint64_t cas_identity_hash(const cas_run_state *r);
/** Appends what the run is known by. extendable: a run of more paths can go on from it. */
cas_status cas_identity_put(const cas_run_state *r, bool extendable, cas_sections *s,
                            cas_error *err) CAS_MUST_CHECK;
/** Refuses sections of `file` that another run has put. */
cas_status cas_identity_check(const cas_run_state *r, const char *file, const cas_sections *s,
                              cas_error *err) CAS_MUST_CHECK;
/** Refuses r->earlier, in which so many paths have failed, if study.on_failure was another. Any
    rank. */
cas_status cas_identity_check_policy(const cas_run_state *r, int64_t failed,
                                     cas_error *err) CAS_MUST_CHECK;
/** The results are what this very run would give. */
bool cas_identity_same_run(const cas_run_state *r, const cas_results *old);
/** Refuses results, which are not the same run's, unless they are of one with fewer paths. */
cas_status cas_identity_check_results(const cas_run_state *r, const cas_results *old,
                                      cas_error *err) CAS_MUST_CHECK;

#endif
