/* What the parts of trajectory files share: writing on all ranks, layout and completion on one. */
#ifndef CASIMIR_TRAJECTORY_IMPL_H
#define CASIMIR_TRAJECTORY_IMPL_H

#include "files/results/results_file.h"
#include "files/trajectories/checkpoint.h"

/* One dataset: its shape, the doubles of one path's record, and the paths of its group. */
typedef struct {
  char *name;
  int rank;
  hsize_t dims[4];
  bool is_complex, once;
  int64_t doubles, paths;
} cas_recorded;

/* Where the datasets of a file are, and what their axis of paths is. */
typedef struct {
  const char *group, *path, *path_long_name;
  bool always; /* the axis of paths, even of one */
} cas_trajectory_place;

/* One group: its times, and which of the datasets are its. */
typedef struct {
  char *group;
  int64_t records, paths;
  int first, datasets;
  int often; /* number of the first datasets, which have records */
} cas_trajectory_part;

/* Records [record, record + records) of paths [path, path + paths) of one part; what comes once a
   path is one record of its own kind. */
typedef struct {
  int64_t part, once, path, paths, record, records;
} cas_stretch;

/* Few where paths and records come in order: neighbours are joined. */
typedef struct {
  int n;
  cas_stretch *stretch;
} cas_stretches;

/* The last bytes of an unfinished file; what HDF5 adds at the end takes their place. */
typedef struct {
  uint64_t magic, run;
} cas_run_mark;

static const uint64_t cas_trajectory_run_magic = UINT64_C(0x316e7572736163); /* "casrun1" */

struct cas_trajectory_file {
  char *path, *temporary;
  MPI_Comm comm; /* own duplicate */
  int rank, ranks;
  int fd; /* of the temporary file, -1 when closed */
  const cas_trajectory_place *place;
  int parts, datasets;
  cas_trajectory_part *part; /* [parts] */
  cas_recorded *recorded;    /* [datasets] */
  cas_extent *where;         /* [datasets] their bytes in the file */
  bool made;                 /* the temporary file, by rank 0 */
  bool known;                /* a checkpoint goes with the temporary file, which has to stay */
  cas_stretches written;     /* by this rank, and on rank 0 by the runs before this one */
  uint64_t sum;      /* of all that was written there, as in hash.h with its place in the file */
  cas_error failure; /* of an earlier call, the same on all ranks */
};

/** Creates the file with all its datasets and sets f->where; layout[parts]. One rank. */
cas_status cas_trajectory_lay_out(cas_trajectory_file *f, const cas_trajectory_layout *l,
                                  cas_error *err) CAS_MUST_CHECK;
/** Where the data lie, in ascending order; the caller frees. NULL without memory. */
cas_extent *cas_trajectory_extents(const cas_trajectory_file *f);
/** Brings the temporary file back to what it was when `s` was stored, once its data are known to be
    what was written by then, and sets f->where, f->written and f->sum. Collective. */
cas_status cas_trajectory_restore(cas_trajectory_file *f, const cas_sections *s,
                                  cas_error *err) CAS_MUST_CHECK;
/** Adds what `r` holds to the temporary file, seals it with the sums of all pieces of its data,
    verifies it and renames it. One rank, all others have closed it. */
cas_status cas_trajectory_complete(const cas_trajectory_file *f, const cas_results *r,
                                   const uint64_t *sum, cas_error *err) CAS_MUST_CHECK;

/* ---- what was written, and whether it is what is there (trajectory_written.c) ---- */

/** Allocates a stretch that is not there yet. */
cas_status cas_stretches_add(cas_stretches *s, cas_stretch more, cas_error *err) CAS_MUST_CHECK;
/** Gathers the stretches of all ranks in `all` of rank 0. Collective. */
cas_status cas_stretches_gather(const cas_trajectory_file *f, cas_stretches *all,
                                cas_error *err) CAS_MUST_CHECK;
bool cas_stretch_fits(const cas_trajectory_file *f, const cas_stretch *s);
/** Where a record of a dataset has its paths from `path` on. */
uint64_t cas_recorded_at(const cas_trajectory_file *f, int dataset, int64_t record, int64_t path);
/** Refuses a file whose f->written, alike on all ranks, does not add up to f->sum. Collective. */
cas_status cas_trajectory_check_written(const cas_trajectory_file *f,
                                        cas_error *err) CAS_MUST_CHECK;
/** The sums of all pieces of the data in ascending order, on rank 0; the caller frees *sum on all.
    Refuses a file whose data are not what all ranks have written. Collective. */
cas_status cas_trajectory_sums(const cas_trajectory_file *f, uint64_t **sum,
                               cas_error *err) CAS_MUST_CHECK;

#endif
