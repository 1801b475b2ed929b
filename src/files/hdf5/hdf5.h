/* HDF5 calls with one error for a whole sequence: files, groups, attributes, datasets, scales. */
#ifndef CAS_HDF5_H
#define CAS_HDF5_H

#include "base/field.h"
#include "files/seal.h"

#include <casimir/dataset.h>
#include <hdf5.h>

/** Copies an axis as a whole, so that what was copied can be freed even if the rest has *failed. */
void cas_file_axis_copy(cas_file_axis *to, const cas_file_axis *from, bool *failed);
/** Frees what a copied axis owns. */
void cas_file_axis_free(cas_file_axis *a);

/** Operations on one file. The first failure is recorded with HDF5's reason; after it every
    operation does nothing, so that a sequence is checked once, at its end. */
typedef struct cas_h5 {
  const char *path;
  cas_error *err;
  cas_status status;
  H5E_auto2_t printer; /* the caller's error printing, silenced until cas_h5_end */
  void *printer_data;
} cas_h5;

cas_h5 cas_h5_begin(const char *path, cas_error *err);
/** Gives the caller's error printing back and returns the status. */
cas_status cas_h5_end(cas_h5 *h) CAS_MUST_CHECK;
/** "<path>: <message>: <HDF5's innermost reason>." */
void cas_h5_fail(cas_h5 *h, const char *format, ...) CAS_PRINTF(2, 3);
/** "<path>: <message>." for what HDF5 has no reason for. */
void cas_h5_refuse(cas_h5 *h, const char *format, ...) CAS_PRINTF(2, 3);
void cas_h5_no_memory(cas_h5 *h);
/** Closes any identifier but a file's; negative ones are ignored. */
void cas_h5_close(cas_h5 *h, hid_t id);
void cas_h5_close_file(cas_h5 *h, hid_t file);
/** Closes what was made in memory, or only read, at the end of a block (base/owned.h). */
static inline void cas_h5_release(const hid_t *id) {
  if (*id >= 0)
    H5Idec_ref(*id);
}
bool cas_h5_is_complex(hid_t type);

/** Access to a file by plain reads and writes, readable by every HDF5 since 1.8, metadata with
    checksums, no locks (they fail on many parallel file systems, and final files never change). */
hid_t cas_h5_access(cas_h5 *h);
/** Creates a file; object times are not tracked, so that equal contents give equal bytes. */
hid_t cas_h5_create(cas_h5 *h, hid_t access);
hid_t cas_h5_open(cas_h5 *h, unsigned mode);
/** For reading, once the file is known to exist, to be HDF5 and to match its seal, but for large
    data. One without a seal is opened if another program wrote it, or by cas_unsealed_accept. */
hid_t cas_h5_open_checked(cas_h5 *h);
/** Opens it. The caller closes *seal, which checks parts of large data and is NULL after some
    failures. */
hid_t cas_h5_open_sealed(cas_h5 *h, cas_seal **seal);

/** Opens a group or a dataset that lies in this file with all of its numbers. Negative, without a
    failure, where there is none of the name. A failure if the name is, or leads through, a link to
    another file, or if its numbers are in other files, whose changes nobody would notice. */
hid_t cas_h5_object_open(cas_h5 *h, hid_t at, const char *name);
hid_t cas_h5_memory_type(cas_field_type type);
hid_t cas_h5_text_type(cas_h5 *h);
/** How small datasets are transferred: for each text HDF5 would else clear buffers of 1 MiB. */
hid_t cas_h5_transfer(void);
/** What h5py and others read as complex numbers. */
hid_t cas_h5_complex_type(cas_h5 *h);
/** This type with the name /complex in the file of `at`: netCDF knows no types without a name. */
hid_t cas_h5_complex_file_type(cas_h5 *h, hid_t at);
hid_t cas_h5_group_create(cas_h5 *h, hid_t at, const char *name);
/** Opens a group, or creates it where there is none. */
hid_t cas_h5_group_at(cas_h5 *h, hid_t at, const char *name);
/** Negative if there is none; a failure only if there is one that cannot be opened. */
hid_t cas_h5_group_open(cas_h5 *h, hid_t at, const char *name);
/** Negative, and a failure, if it cannot be opened. */
hid_t cas_h5_dataset_open(cas_h5 *h, hid_t at, const char *name);
bool cas_h5_is_group(cas_h5 *h, hid_t at, const char *name);
/** Whether there is a dataset of this name, or anything else; false after a failure. */
bool cas_h5_has_dataset(cas_h5 *h, hid_t at, const char *name);
/** creation: H5P_DEFAULT, or properties, which are copied; object times are switched off. */
hid_t cas_h5_dataset_create(cas_h5 *h, hid_t at, const char *name, hid_t type, int rank,
                            const hsize_t *dims, hid_t creation);
/** A one-dimensional dataset that is a dimension scale, described as by cas_h5_describe; and time
    is the axis T of the conventions for climate and forecast. */
hid_t cas_h5_put_scale(cas_h5 *h, hid_t group, const char *name, const char *long_name,
                       const char *units, hid_t stored, hid_t memory, int64_t n, const void *data);
/** The scale of an axis, one in a group for all datasets that name it; negative without a name. */
hid_t cas_h5_axis_scale(cas_h5 *h, hid_t group, const cas_file_axis *a);
/** Bytes of a file that the scales and the names of the components of a dataset take, roughly. */
int64_t cas_h5_scale_bytes(const cas_file_dataset *d);
/** Gives an object of one group its name in another, unless that has the name; nothing for NULL. */
void cas_h5_link(cas_h5 *h, hid_t from, hid_t to, const char *name);
/** Attaches a scale to a dimension of the dataset `name`; nothing if the scale is negative. */
void cas_h5_attach(cas_h5 *h, hid_t dataset, const char *name, int dimension, hid_t scale);
/** Attaches the scales of axes, which are in `group`, to the dimensions from `first` on. */
void cas_h5_attach_axes(cas_h5 *h, hid_t dataset, const char *name, int first, hid_t group,
                        int axes, const cas_file_axis *axis);
void cas_h5_describe(cas_h5 *h, hid_t dataset, const char *long_name, const char *units);

/** A single value, by its types in the file and in memory. */
void cas_h5_put_value(cas_h5 *h, hid_t at, const char *name, hid_t stored, hid_t memory,
                      const void *value);
void cas_h5_put_attribute(cas_h5 *h, hid_t at, const char *name, cas_field_type type,
                          const void *value);
void cas_h5_put_text(cas_h5 *h, hid_t at, const char *name, const char *text);
/** Makes and writes a dataset; the caller describes and closes it. */
hid_t cas_h5_put_array(cas_h5 *h, hid_t at, const char *name, cas_field_type type, int rank,
                       const hsize_t *dims, const void *data);
/** A dataset of n values, or a scalar for n = 0; attached to `scale` unless that is negative. */
void cas_h5_put_column(cas_h5 *h, hid_t at, const cas_field *column, int n, const void *data,
                       hid_t scale);
/** All values of a list as attributes. */
void cas_h5_put_fields(cas_h5 *h, hid_t at, const cas_field *values, const void *base);
bool cas_h5_has_attribute(cas_h5 *h, hid_t at, const char *name);
/** A text that is absent reads as NULL; an absent number is a failure. */
void cas_h5_get_attribute(cas_h5 *h, hid_t at, const char *name, cas_field_type type, void *value);
/** Reads a text into memory of `size` bytes; an absent one is empty. */
void cas_h5_get_words(cas_h5 *h, hid_t at, const char *name, char *out, size_t size);
/** What cas_h5_put_fields wrote. */
void cas_h5_get_fields(cas_h5 *h, hid_t at, const cas_field *values, void *base);
/** Length of a one-dimensional dataset; 0 if there is none. */
int cas_h5_length(cas_h5 *h, hid_t at, const char *name);
/** The shape of a dataset of rank 4 at most; returns the rank, 0 for a scalar or a failure. */
int cas_h5_shape(cas_h5 *h, hid_t at, const char *name, hsize_t dims[4]);
/** Reads a dataset of exactly this shape. */
void cas_h5_get_array(cas_h5 *h, hid_t at, const char *name, cas_field_type type, int rank,
                      const hsize_t *dims, void *data);
/** An axis of this length from the scale `name`, which the axis then owns, as all else that it has;
    NULL: it has no scale. The caller frees it by cas_file_axis_free. */
void cas_h5_get_axis(cas_h5 *h, hid_t group, char *name, int length, cas_file_axis *a);
/** Reads exactly n values (n = 0: a scalar). */
void cas_h5_get_column(cas_h5 *h, hid_t at, const char *name, cas_field_type type, int n,
                       void *data);
/** The numbers under a name: of the dataset, else of the attribute behind the last slash of the
    object before it. out[0..n): at most `capacity` of them, complex ones as pairs. Returns how many
    there are, -1 without a failure where no numbers have the name; *rank and dims: their shape. */
int cas_h5_get_numbers(cas_h5 *h, hid_t at, const char *name, int capacity, double *out, int *rank,
                       hsize_t dims[4]);
/** The text of such an attribute, NULL without a failure where there is none. Caller frees. */
char *cas_h5_get_named_text(cas_h5 *h, hid_t at, const char *name);
/** The names in a group in the order of their creation. Caller frees with cas_h5_names_free. */
char **cas_h5_names(cas_h5 *h, hid_t group, int *n);
void cas_h5_names_free(char **names, int n);

/** For a program, before MPI_Init: HDF5 does not clean up by itself when MPI or the process ends.
    After a write that failed it would crash there, and the exit status and the message be lost. */
void cas_hdf5_begin(void);

#endif
