/* What reads the sections of a configuration into a problem, in this order. */
#ifndef CAS_SECTIONS_H
#define CAS_SECTIONS_H

#include "paths/problem/problem.h"

/** Reads the section `system` into p->parameters, whose system is set where a file has it, and
    finds the uncertain numbers among them: *c is then the configuration of path 0. It also reads
    the generator of the section `random`, and the seed. Collective. */
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
/** Makes the noise of the section `random`, and opens the file that it replays. Collective. */
cas_status cas_section_random(const cas_config *c, cas_problem *p, MPI_Comm comm,
                              cas_error *err) CAS_MUST_CHECK;
/** Reads the keys `file` and `file_hash` of the section `system`, and loads the system named at
    "system.name" from that file, compiled for the instruction set of k. Without a file *own and
    *out stay as they are. All ranks must have the same file; its hash must be the configuration's
    if that gives one, and becomes own->hash. Collective; the caller frees own by cas_options_free
    after failures too. */
cas_status cas_own_file_system(const cas_config *c, const cas_kernels *k, MPI_Comm comm,
                               cas_own_file *own, const cas_system **out,
                               cas_error *err) CAS_MUST_CHECK;
/** Does for the section `integrator` what cas_own_file_system does for `system`: *out is the scheme
    of its name, *schemes all schemes of its file. */
cas_status cas_own_file_scheme(const cas_config *c, const cas_kernels *k, MPI_Comm comm,
                               cas_own_file *own, const cas_integrator **out,
                               const cas_plugin_schemes **schemes, cas_error *err) CAS_MUST_CHECK;

#endif
