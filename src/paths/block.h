/* The memory of a pass: what it keeps of a block from step to step, and workspace. */
#ifndef CAS_BLOCK_H
#define CAS_BLOCK_H

#include "paths/pass.h"

/** Gives the arrays of a pass their places in memory. Returns the bytes of all, and in *kept
    of those at the beginning that a block keeps from step to step. base NULL: counts alone. */
size_t cas_block_lay_out(double *base, const cas_problem *p, const cas_pass_plan *plan, cas_pass *s,
                         size_t *kept);
/** Begins a block at the initial states of its paths, which all levels share. */
cas_status cas_block_begin(cas_pass *s, int64_t block, cas_error *err) CAS_MUST_CHECK;
/** Begins a block at s->resume, but for its streams of normals. */
cas_status cas_block_resume(cas_pass *s, int64_t block, cas_error *err) CAS_MUST_CHECK;

#endif
