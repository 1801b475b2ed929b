/* Trajectory files in checkpoints: they stay beside them as "<path>.tmp". */
#ifndef CAS_TRAJECTORY_CHECKPOINT_H
#define CAS_TRAJECTORY_CHECKPOINT_H

#include "files/checkpoint.h"

#include <casimir/trajectory.h>

/** Brings what was written to disk and appends to rank 0's sections what it takes to go on.
    From then on a failure leaves the temporary file. Collective on the file's communicator. */
cas_status cas_trajectory_store(cas_trajectory_file *f, cas_sections *s,
                                cas_error *err) CAS_MUST_CHECK;
/** Frees f and leaves the temporary file. Collective. */
void cas_trajectory_suspend(cas_trajectory_file *f);
/** Instead of cas_trajectory_create_groups: opens the temporary file as it was when `from` was
    stored (with any data written since). Nothing stored: creates it. Collective. */
cas_status cas_trajectory_resume(const char *path, int groups, const cas_trajectory_layout *layout,
                                 const cas_sections *from, MPI_Comm comm, cas_trajectory_file **out,
                                 cas_error *err) CAS_MUST_CHECK;
/** Copies the records that the finished file of this name has into the new one of a longer run, and
    with `once` what comes once a path. Collective. */
cas_status cas_trajectory_copy(cas_trajectory_file *f, bool once, cas_error *err) CAS_MUST_CHECK;

#endif
