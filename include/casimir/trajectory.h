/** Trajectories of many paths, written by all ranks into one HDF5 file. */
#ifndef CASIMIR_TRAJECTORY_H
#define CASIMIR_TRAJECTORY_H

#include <casimir/results.h>
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A trajectory file that is being written. */
typedef struct cas_trajectory_file cas_trajectory_file;

/** The layout of a group of a trajectory file. Borrowed; not needed after the call. */
typedef struct {
  bool members;       /* states of an ensemble, /ensemble/DATASET, instead of /trajectory/DATASET */
  int64_t records;    /* T, recorded times */
  const double *time; /* [T] */
  int64_t paths;      /* P; the path axis of trajectories is dropped when P = 1 */
  int datasets;       /* number of datasets */
  const cas_file_dataset *dataset; /* state, hamiltonian, casimir_departure, .. */
  const char *group;               /* instead of "trajectory"; NULL: that */
  const char *role;                /* attribute of the group: what it holds; NULL: none */
  double step;                     /* attribute of the group: the step size; 0: none */
  const int64_t *only_path;        /* attribute `path` of the group; NULL: none */
  bool bare; /* datasets [records][numbers] of one path, without times, scales and names: those
                        of a table that is written at the end */
  uint64_t identity; /* of the run, by which its unfinished file is known again; 0: none */
} cas_trajectory_layout;

/** Creates "<path>.tmp" with fixed-size datasets GROUP/{time,DATASET}, dimension scales attached.
    Each group has times of its own. Collective on comm. */
cas_status cas_trajectory_create_groups(const char *path, int groups,
                                        const cas_trajectory_layout *layout, MPI_Comm comm,
                                        cas_trajectory_file **out, cas_error *err) CAS_MUST_CHECK;
/** Writes records [t0, t0+nt) of paths [p0, p0+np), each rank its own; ranks with nothing to write
   call with nt = 0 or np = 0. values[dataset]: [nt][np][numbers of it], for all but data that come
   once a path. Not collective: after a failure every later call of this rank fails too, and so does
   closing the file, on all ranks. */
cas_status cas_trajectory_write(cas_trajectory_file *f, int64_t t0, int64_t nt, int64_t p0,
                                int64_t np, const double *const *values,
                                cas_error *err) CAS_MUST_CHECK;
/** Writes records of the datasets of one of several groups. */
cas_status cas_trajectory_write_group(cas_trajectory_file *f, int group, int64_t t0, int64_t nt,
                                      int64_t p0, int64_t np, const double *const *values,
                                      cas_error *err) CAS_MUST_CHECK;
/** What comes once a path, of paths [p0, p0+np): values[i] of the i-th such dataset, [np][numbers
   of it]. Each path has to be written, once. As above, in a file of one group. */
cas_status cas_trajectory_write_once(cas_trajectory_file *f, int64_t p0, int64_t np,
                                     const double *const *values, cas_error *err) CAS_MUST_CHECK;
/** Closes the file, adds the results `r` of rank 0, verifies, syncs and renames it. Refuses a
    trajectory with records that were not written. Frees f in any case. After a failure, or with r
    == NULL on rank 0, which abandons the file, the temporary file is removed, unless a checkpoint
    needs it. f may be NULL. Collective. */
cas_status cas_trajectory_close(cas_trajectory_file *f, const cas_results *r,
                                cas_error *err) CAS_MUST_CHECK;

#ifdef __cplusplus
}
#endif
#endif
