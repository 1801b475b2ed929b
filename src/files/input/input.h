/* Arrays of input files that configurations name. */
#ifndef CAS_INPUT_H
#define CAS_INPUT_H

#include "files/hdf5/dataset.h"

#include <casimir/config.h>
#include <casimir/parallel.h>

/** A description such as "17 x 12 x 12 complex". */
void cas_array_describe(const cas_array *a, char *text, size_t size);
/** How many doubles it has. */
size_t cas_array_doubles(const cas_array *a);

/** Opens a dataset of an input file on rank 0, or everywhere, and tells all ranks its shape. key:
    of the mapping that names `file`, for messages. Collective on comm. */
cas_status cas_input_open(const cas_config *c, const char *key, const char *file,
                          const char *dataset, bool everywhere, MPI_Comm comm,
                          cas_open_dataset *out, cas_error *err) CAS_MUST_CHECK;
/** Reads a part as cas_dataset_read_part does; messages name that mapping, too. Not collective. */
cas_status cas_input_read_part(const cas_config *c, const char *key, const cas_open_dataset *d,
                               const int64_t *first, const int64_t *count, double *values,
                               cas_error *err) CAS_MUST_CHECK;

/** What is done with an array that a table of options has; key: its place in the configuration. */
typedef cas_status cas_input_visit(void *context, const char *key, cas_array_source *a,
                                   cas_error *err);
/** Visits all arrays of `values`, as cas_options_read has filled them, until a visit fails. */
cas_status cas_input_visit_all(const cas_option *table, const char *path, void *values,
                               cas_input_visit *visit, void *context,
                               cas_error *err) CAS_MUST_CHECK;

/** Reads the numbers of all arrays that are in files, on rank 0 for all, and refuses any that are
    complex or not finite, and those of another hash than the configuration has; without one, it
    becomes that of the numbers. The caller frees by cas_input_free, after failures too. Collective
    on comm. */
cas_status cas_input_read(const cas_config *c, const char *path, const cas_option *table,
                          void *values, MPI_Comm comm, cas_error *err) CAS_MUST_CHECK;
/** Reads the array of one key. The caller frees a->value, and a->hash if it was NULL. */
cas_status cas_input_read_array(const cas_config *c, const char *key, cas_array_source *a,
                                MPI_Comm comm, cas_error *err) CAS_MUST_CHECK;
/** Frees the numbers, and nothing that cas_options_free frees. */
void cas_input_free(const cas_option *table, void *values);

#endif
