/* `casimir export`: what a results file holds, for ParaView. */
#ifndef CAS_EXPORT_H
#define CAS_EXPORT_H

#include <casimir/status.h>

#include <stdbool.h>
#include <stdint.h>

typedef struct {
  const char *file;                 /* of results */
  const char *output;               /* .vtkhdf; NULL: `file` with that extension */
  bool (*cancelled)(void *context); /* optional */
  void (*progress)(void *context, int64_t records, int64_t of_records); /* optional */
  void *context;
} cas_export_request;

/** Writes what the file has first of: maps of the vorticity, mean and variance of such maps over an
    ensemble, members of an ensemble, states of a trajectory, at all records. Maps are cells on the
    unit sphere, or of the torus as a square; states of n x 3 numbers are vertices. The file is
    complete or not there. Fails with CAS_INTERRUPTED where `cancelled` says so. */
cas_status cas_export(const cas_export_request *q, cas_error *err) CAS_MUST_CHECK;

#endif
