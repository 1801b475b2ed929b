/* The identity of a run: what must agree before another run goes on from its checkpoint or results.
   These functions are for rank 0, unless they say otherwise. */
#ifndef CAS_IDENTITY_H
#define CAS_IDENTITY_H

#include "engine/study/study.h"

/** The hash, in hexadecimal, of what a run reads from a file; empty where it reads none. */
typedef struct {
  char text[17];
} cas_input_hash;

/** Writes the effective configuration, when all options are read. */
cas_status cas_identity_write(cas_run_state *r, cas_error *err) CAS_MUST_CHECK;
/** Whether the effective configuration `theirs` is that of r but for options with the flags
    `ignored`, and with values that r goes on from of options with the flags `grown` (config.h); if
    not, `key` is the first that differs. */
bool cas_identity_agrees(const cas_run_state *r, const cas_config *theirs, unsigned ignored,
                         unsigned grown, char *key, size_t size);

extern const cas_option cas_identity_run_options[]; /* keys of the top */

cas_input_hash cas_identity_initial(const cas_run_state *r);
/** The hash of the normals of all paths. */
cas_input_hash cas_identity_noise(const cas_run_state *r);

/** The hash of all that the paths of a run depend on and of their number; never 0. Any rank. */
uint64_t cas_identity_hash(const cas_run_state *r);
/** Appends the identity of the run. extendable: a run of more paths can go on from this one. */
cas_status cas_identity_put(const cas_run_state *r, bool extendable, cas_sections *s,
                            cas_error *err) CAS_MUST_CHECK;
/** The configuration of their run, without output; borrowed, and "" where they do not say. */
const char *cas_identity_configuration(const cas_sections *s);
/** The paths of that run; 0 where they do not say. */
int64_t cas_identity_paths(const cas_sections *s);
/** Refuses sections of `file` that have the identity of another run. */
cas_status cas_identity_check(const cas_run_state *r, const char *file, const cas_sections *s,
                              cas_error *err) CAS_MUST_CHECK;
/** Refuses the run `part` if it differs from r in more than seed and paths; the names of both files
    are for the message. Any rank. */
cas_status cas_identity_check_part(const cas_run_state *r, const char *file,
                                   const cas_run_state *part, const char *part_file,
                                   cas_error *err) CAS_MUST_CHECK;
/** Refuses r->earlier if paths of that run have failed and it had another study.on_failure. Any
    rank. */
cas_status cas_identity_check_policy(const cas_run_state *r, int64_t failed,
                                     cas_error *err) CAS_MUST_CHECK;
/** Refuses results of another run, unless it differs in having fewer paths only, or fewer steps
    only, after which *steps says how many; 0: as many. *same: this very run has written them. */
cas_status cas_identity_check_results(const cas_run_state *r, const cas_results *old, bool *same,
                                      int64_t *steps, cas_error *err) CAS_MUST_CHECK;
/** Whether a run of more paths can go on from these sections of a finished one. */
bool cas_identity_is_extendable(const cas_sections *s);

#endif
