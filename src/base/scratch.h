/* Memory of functions that return no status, such as observables, and how much there is. */
#ifndef CAS_SCRATCH_H
#define CAS_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** As malloc: the caller frees, and where it is NULL leaves NaN. The paths that are being computed
    then fail for want of memory (cas_scratch_is_missing), not as if their states were NaN. */
void *cas_scratch(size_t bytes);
/** Memory for `doubles` numbers of a function that fills out[numbers]; NULL: these are NaN. */
double *cas_scratch_for(int64_t doubles, int64_t numbers, double *out);
/** Whether one was NULL since this was asked last. */
bool cas_scratch_is_missing(void);
/** Bytes of memory of this machine, all that is in use included. */
double cas_scratch_of_machine(void);

#endif
