/* A dataset of any HDF5 file that is read in parts, and stays open between them. */
#ifndef CAS_DATASET_H
#define CAS_DATASET_H

#include <casimir/dataset.h>

/** The shape of an array from a file; complex numbers are pairs (re, im). */
typedef struct {
  int rank;
  int64_t dims[4];
  bool is_complex;
} cas_array;

/** Zeroed: closed. */
typedef struct {
  cas_array shape;
  struct cas_dataset_source *source;
} cas_open_dataset;

/** Refuses what cas_dataset_read refuses, but reads no numbers. Not collective. Caller closes. */
cas_status cas_dataset_open(const char *file, const char *name, cas_open_dataset *out,
                            cas_error *err) CAS_MUST_CHECK;
/** Reads count[i] numbers from first[i] on along each axis i, row by row, pairs (r, i) if they are
    complex. What is sealed of them is checked, once, and a file that has changed since it was
    opened is refused. */
cas_status cas_dataset_read_part(const cas_open_dataset *d, const int64_t *first,
                                 const int64_t *count, double *values,
                                 cas_error *err) CAS_MUST_CHECK;
void cas_dataset_close(cas_open_dataset *d);

#endif
