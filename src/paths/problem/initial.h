/* Initial states: one for all paths of a problem, or one for each. */
#ifndef CAS_INITIAL_H
#define CAS_INITIAL_H

#include "paths/problem/parameters.h"

/** Fills x0, stack and law of p->initial from the configuration. Collective on comm. */
cas_status cas_initial_read(const cas_config *c, cas_problem *p, MPI_Comm comm,
                            cas_error *err) CAS_MUST_CHECK;
/** Tells the problem how many paths a study has. Refuses a stack of fewer states and files with
    fewer rows of parameters, and either for a study whose levels have paths of their own
    (`listed`), which have no place in it; and looks at the parameters of the first paths. Not
    collective. */
cas_status cas_initial_check_paths(const cas_config *c, cas_problem *p, int64_t paths, bool listed,
                                   cas_error *err) CAS_MUST_CHECK;
/** The hash of the states of paths 0 .. paths - 1 as the numbers of the file of p->initial.stack.
    Not collective. */
cas_status cas_initial_hash(const cas_config *c, const cas_problem *p, int64_t paths,
                            uint64_t *hash, cas_error *err) CAS_MUST_CHECK;
/** Fills x[components][W] with the initial states of a block, and *l, where paths have parameters
    of their own, with those of its lanes; l NULL: all have those of path 0. Random states are
    functions of the seed of the initial state, the number `stream` of the block's stream, and the
    lane; states from a file belong to paths, which the number `block` of the block in the study
    determines. x NULL: parameters alone. An invalid path is named in the message. The caller closes
    *l after failures too. */
cas_status cas_initial_block(const cas_problem *p, int64_t block, int64_t stream, double *x,
                             cas_lane_parameters *l, cas_error *err) CAS_MUST_CHECK;
void cas_initial_close(const cas_problem *p, cas_lane_parameters *l);

/** Fills x[components][W] with the states of the lanes of a block in p->initial.ends, which has at
    least one lane, and carry[components][W], if that is not NULL, with their compensation. */
void cas_initial_end(const cas_problem *p, int64_t block, double *x, double *carry);
/** Sets *are to whether p->initial.ends are the ends of the records that the paths begin at: states
    agree to rounding as files hold them, and every compensation is finite. Not collective. */
cas_status cas_initial_ends_check(const cas_problem *p, bool *are, cas_error *err) CAS_MUST_CHECK;

/** Sets p->initial.magnitude by the first states, whatever the number of paths. Not collective. */
cas_status cas_initial_magnitude(cas_problem *p, cas_error *err) CAS_MUST_CHECK;

/* ---- what initial states are made of ---- */

/** Reads n states of the dataset in p->initial.stack, from the state of path `number` on; they are
    neighbours on the last axis in front of those of a state. */
cas_status cas_initial_read_states(const cas_config *c, const cas_problem *p, int64_t number,
                                   int64_t n, double *state, cas_error *err) CAS_MUST_CHECK;
/** Fills x[components] with a state by the parameters of p: with `state`, which a file holds, or
    with number `number` of those at random, or with the one that the configuration has. */
cas_status cas_initial_state(const cas_config *c, const cas_problem *p, const double *state,
                             int64_t number, double *x, cas_error *err) CAS_MUST_CHECK;
/** Fills x[components] with a state of that many numbers, as files hold it; where it lacks its
    part, that is what it is by default. *lost: the part of its norm that x has no place for.
    Refuses numbers that are no state of the system. */
cas_status cas_initial_pack(const cas_config *c, const cas_problem *p, const double *state,
                            size_t numbers, double *x, double *lost, cas_error *err) CAS_MUST_CHECK;
/** Refuses a state that no path can begin from. */
cas_status cas_initial_check(const cas_config *c, const cas_problem *p, const double *x,
                             cas_error *err) CAS_MUST_CHECK;
/** Scales x to a norm, in which distances are stated. */
cas_status cas_initial_scale(const cas_config *c, const cas_problem *p, double norm, double *x,
                             cas_error *err) CAS_MUST_CHECK;
/** Finds the law that the configuration names, and refuses what does not go together. */
cas_status cas_initial_distribution_find(const cas_config *c, cas_problem *p,
                                         cas_error *err) CAS_MUST_CHECK;
/** A random state: number `number` of a purpose of purposes.def. */
cas_status cas_initial_random(const cas_config *c, const cas_problem *p, int purpose,
                              int64_t number, double *x, cas_error *err) CAS_MUST_CHECK;
#endif
