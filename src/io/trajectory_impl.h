/* What the two halves of trajectory files share: writing on all ranks, and laying out and
   completing on one. */
#ifndef CASIMIR_TRAJECTORY_IMPL_H
#define CASIMIR_TRAJECTORY_IMPL_H

#include "checkpoint.h"
#include "hdf5_impl.h"

/* one dataset: its shape, and the doubles of one path's record */
typedef struct {
  char *name;
  int rank;
  hsize_t dims[4];
  bool is_complex, once;
  int64_t doubles;
} cas_recorded;

/* where the datasets of a file are, and what their axis of paths is */
typedef struct {
  const char *group, *path, *path_long_name;
  bool always; /* the axis of paths, even of one */
} cas_place;

/* one group: its times, and which of the datasets are its */
typedef struct {
  char *group;
  int64_t records;
  int first, datasets;
  int often; /* of the datasets, the first so many, which have records */
} cas_part;

struct cas_trajectory_file {
  char *path, *temporary;
  MPI_Comm comm; /* own duplicate */
  int rank;
  int fd; /* of the temporary file, -1 when closed */
  const cas_place *place;
  int64_t paths;
  int parts, datasets;
  cas_part *part;         /* [parts] */
  cas_recorded *recorded; /* [datasets] */
  cas_extent *where;      /* [datasets] their bytes in the file */
  bool made;              /* the temporary file, by rank 0 */
  bool known;             /* a checkpoint goes with the temporary file, which has to stay */
  int64_t written;        /* records of single paths written by this rank, what comes once too */
  cas_error failure;      /* of an earlier call, the same on all ranks */
};

/** Creates the file with all its datasets and sets f->where; layout[parts]. One rank. */
cas_status cas_trajectory_lay_out(cas_trajectory_file *f, const cas_trajectory_layout *l,
                                  cas_error *err) CAS_MUST_CHECK;
/** Where the data lie, in ascending order; the caller frees. NULL without memory. */
cas_extent *cas_trajectory_extents(const cas_trajectory_file *f);
/** Brings the temporary file back to what it was when `s` was stored, but for the data, and sets
    f->where and f->written. One rank. */
cas_status cas_trajectory_restore(cas_trajectory_file *f, const cas_sections *s,
                                  cas_error *err) CAS_MUST_CHECK;
/** Adds what `r` holds to the temporary file, verifies it and renames it. One rank, all others have
    closed it. */
cas_status cas_trajectory_complete(const cas_trajectory_file *f, const cas_results *r,
                                   cas_error *err) CAS_MUST_CHECK;

#endif
