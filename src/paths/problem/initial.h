/* Initial states: one for all paths of a problem, or one for each. */
#ifndef CAS_INITIAL_H
#define CAS_INITIAL_H

#include "paths/problem/problem.h"

/** Fills p->x0, p->stack and p->law from the configuration. Collective on comm. */
cas_status cas_initial_read(const cas_config *c, cas_problem *p, MPI_Comm comm,
                            cas_error *err) CAS_MUST_CHECK;
/** Where every path has a state of the stack in a file: refuses a stack of fewer states than paths,
    and a study whose levels have paths of their own (`listed`), which has no place in it. Lanes
    behind these paths then begin at the first state of their block. */
cas_status cas_initial_check_paths(const cas_config *c, cas_problem *p, int64_t paths, bool listed,
                                   cas_error *err) CAS_MUST_CHECK;
/** The hash of the states of paths 0 .. paths - 1 as the numbers of p->stack's file. Not
    collective. */
cas_status cas_initial_hash(const cas_config *c, const cas_problem *p, int64_t paths,
                            uint64_t *hash, cas_error *err) CAS_MUST_CHECK;
/** Fills x[components][W] with the initial states of a block. Random states are functions of the
    seed of the initial state, the number `stream` of the block's stream, and the lane; states from
    a file belong to paths, which the number `block` of the block in the study determines. */
cas_status cas_initial_block(const cas_problem *p, int64_t block, int64_t stream, double *x,
                             cas_error *err) CAS_MUST_CHECK;

/** Fills x[components] with the initial state of one lane of such a block, where `one` is the
    problem with the parameters of that path. */
cas_status cas_initial_lane(const cas_problem *one, int64_t block, int64_t stream, int lane,
                            double *x, cas_error *err) CAS_MUST_CHECK;
/** Fills x[components] with the state of all paths, found again with the parameters of `one`. */
cas_status cas_initial_again(const cas_problem *one, double *x, cas_error *err) CAS_MUST_CHECK;

/** Fills x[components][W] with the states of the lanes of a block in p->ends, which has at least
    one lane, and carry[components][W], if that is not NULL, with their compensation. */
void cas_initial_end(const cas_problem *p, int64_t block, double *x, double *carry);
/** Sets *are to whether p->ends are the ends of the records that the paths begin at: the states
    agree to rounding as files hold them, and every compensation is finite. Not collective. */
cas_status cas_initial_ends_check(const cas_problem *p, bool *are, cas_error *err) CAS_MUST_CHECK;

/** Sets p->magnitude where every path has a state of its own: the magnitude of the first states,
    which is the same for every number of paths. Not collective. */
cas_status cas_initial_magnitude(cas_problem *p, cas_error *err) CAS_MUST_CHECK;

/* ---- what initial states are made of ---- */

/** The doubles of a state in the file that the configuration names, or as records have it. */
size_t cas_initial_doubles(const cas_problem *p);
/** Reads n states, from number `at` on, of a stack with `axes` axes in front of those of a state;
    they are neighbours on the last of these. */
cas_status cas_initial_read_states(const cas_config *c, const cas_open_dataset *d, int axes,
                                   int64_t at, int64_t n, double *state,
                                   cas_error *err) CAS_MUST_CHECK;
/** Packs a state, as that file holds it, into x[components]; *lost: the part of its norm that x has
    no place for. */
cas_status cas_initial_pack(const cas_config *c, const cas_problem *p, const double *state,
                            double *x, double *lost, cas_error *err) CAS_MUST_CHECK;
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
