/* What reads the sections of a configuration into a problem, in this order. */
#ifndef CAS_SECTIONS_H
#define CAS_SECTIONS_H

#include "paths/problem/problem.h"

/** Reads the section `system` into p->parameters, whose system is set where a file has it, and
    finds the uncertain numbers among them: *c is then the configuration of path 0. Collective. */
cas_status cas_section_system(const cas_config **c, cas_problem *p, MPI_Comm comm,
                              cas_error *err) CAS_MUST_CHECK;
/** Lets the system check parameters that were read, with their arrays; it keeps what it needs of
    these. configured: NULL, or what they were before. Collective. */
cas_status cas_section_check(const cas_config *c, const cas_system *s, MPI_Comm comm,
                             void *parameters, void *configured, cas_error *err) CAS_MUST_CHECK;
/** Frees parameters; NULL is allowed. */
void cas_section_release(const cas_system *s, void *parameters);
/** Finds the body and the size of states, which Levy's areas may change. */
void cas_section_geometry(cas_problem *p);
/** The names of the system's components, and of its part behind them. */
cas_status cas_section_names(cas_problem *p, cas_error *err) CAS_MUST_CHECK;
/** Reads the section `integrator`. compensated: its default. Collective. */
cas_status cas_section_integrator(const cas_config *c, MPI_Comm comm, cas_problem *p,
                                  bool compensated, cas_error *err) CAS_MUST_CHECK;
/** Reads the generator of the section `random`, and the seed. */
cas_status cas_section_generator(const cas_config *c, cas_problem *p,
                                 cas_error *err) CAS_MUST_CHECK;
/** Makes the noise by it, and opens the file that it replays. Collective. */
cas_status cas_section_random(const cas_config *c, cas_problem *p, MPI_Comm comm,
                              cas_error *err) CAS_MUST_CHECK;

#endif
