/* Double-bracket dissipation, and the coefficients of steps with it. */
#ifndef CAS_PATHS_DISSIPATION_H
#define CAS_PATHS_DISSIPATION_H

#include "paths/problem/problem.h"

bool cas_dissipation_acts(const cas_system *s, const void *parameters);
/** Fills p->dissipation, once the geometry is known. Refuses dissipation beside other noises, and
    beside damping and forcing. */
cas_status cas_dissipation_read(const cas_config *c, cas_problem *p, cas_error *err) CAS_MUST_CHECK;
/** Why a system with dissipation does not have the features `missing`; NULL: `otherwise`. */
const char *cas_dissipation_misfit(unsigned missing, const char *otherwise);
int cas_dissipation_noises(const cas_problem *p);
/** Doubles of the coefficients of one gradient, whole cache lines, and of the first of them the
    lanes that the system fills. */
size_t cas_dissipation_coefficients(const cas_problem *p);
int cas_dissipation_behind(const cas_problem *p);
/** Doubles of stepper->dissipation.workspace. */
size_t cas_dissipation_workspace(const cas_problem *p);
/** Fills the coefficients of a gradient as the system's prepare does, and those of dissipation. */
void cas_dissipation_prepare(const cas_problem *p, double h, const double *dw, double *coef);

#endif
