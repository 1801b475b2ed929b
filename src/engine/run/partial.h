/* The tables of a run that is not finished, from its checkpoint. */
#ifndef CAS_PARTIAL_H
#define CAS_PARTIAL_H

#include <casimir/casimir.h>

/** How many paths of a run are behind its partial results, and how many it is of. */
typedef struct {
  int64_t done, all;
} cas_partial;

/** Fills *out from the sums of paths that a checkpoint holds, in memory alone; CAS_CHECK_FAILED,
    with results, as a finished run has it. Refuses studies whose sums on the way are no results, by
    name. Initialises MPI if nobody has. The caller frees *out. */
cas_status cas_partial_read(const char *checkpoint, cas_partial *of, cas_results *out,
                            cas_error *err) CAS_MUST_CHECK;

#endif
