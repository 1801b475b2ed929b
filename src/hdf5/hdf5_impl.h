/* What the HDF5 files of this directory share. Not installed. */
#ifndef CASIMIR_HDF5_IMPL_H
#define CASIMIR_HDF5_IMPL_H

#include "files/left.h"

#include <casimir/results.h>
#include <hdf5.h>

/* ---- fields: one table each for the writer, the reader and the comparison ---- */

typedef enum {
  CAS_FIELD_REAL,  /* double */
  CAS_FIELD_INT64, /* int64_t */
  CAS_FIELD_INT,   /* int */
  CAS_FIELD_TEXT   /* char *, owned; NULL is not stored */
} cas_field_type;

typedef struct cas_field {
  const char *name; /* NULL ends a table */
  cas_field_type type;
  size_t offset;         /* of the value, or of the pointer to an array */
  int extra;             /* arrays: length minus the number of levels */
  const char *long_name; /* datasets only, as units */
  const char *units;
} cas_field;

/* Columns of observables: `extra` tells the shape, and units NULL are those of the observable. */
enum { CAS_BY_NUMBER, CAS_BY_BIN, CAS_BY_PROBABILITY };

extern const cas_field cas_provenance_fields[]; /* of cas_provenance: root attributes */
extern const cas_field cas_timing_fields[];     /* of cas_provenance: those that may be missing */
extern const cas_field cas_curve_columns[];     /* of cas_curve: arrays, NULL is not stored */
extern const cas_field cas_curve_numbers[];     /* of cas_curve: attributes */
extern const cas_field cas_health_columns[];    /* of cas_health: arrays over its levels */
extern const cas_field cas_health_numbers[];    /* of cas_health: scalar datasets */

extern const cas_field cas_ensemble_columns[]; /* of cas_ensemble_observable: arrays */
extern const cas_field cas_ensemble_numbers[]; /* of cas_ensemble: attributes */

/** The array behind a column of the struct at `base`. */
void *cas_field_array(const cas_field *f, const void *base);
size_t cas_field_size(cas_field_type type);
/** Numbers behind a column for each number of the observable. */
size_t cas_ensemble_depth(const cas_ensemble *e, const cas_field *f);
/** Copies an axis as a whole, so that what was copied can be freed even if the rest has *failed. */
void cas_file_axis_copy(cas_file_axis *to, const cas_file_axis *from, bool *failed);
/** Frees what a copied axis owns. */
void cas_file_axis_free(cas_file_axis *a);
/** Bytes of all that the file holds of it, and some more. */
int64_t cas_ensemble_bytes(const cas_ensemble *e);
bool cas_same_text(const char *a, const char *b);
/** Bit for bit; two NULLs are the same. */
bool cas_same_array(const void *a, const void *b, size_t bytes);
/** Of all fields of a table; columns have `levels` values and `extra` more. */
bool cas_same_values(const cas_field *table, const void *a, const void *b);
bool cas_same_columns(const cas_field *table, int levels, const void *a, const void *b);
/** Bit for bit; either may be NULL. */
bool cas_ensemble_equal(const cas_ensemble *a, const cas_ensemble *b);
bool cas_multilevel_equal(const cas_multilevel *a, const cas_multilevel *b);
bool cas_mlmc_equal(const cas_mlmc *a, const cas_mlmc *b);
/** Bit for bit, NaN included; `complete` is not compared. */
bool cas_results_equal(const cas_results *a, const cas_results *b);

/** The seal of an open file of which parts are read. */
typedef struct cas_seal cas_seal;

/* ---- HDF5 with one error for a whole sequence of calls ---- */

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
/** Closes any identifier but a file's; negative ones are ignored. */
void cas_h5_close(cas_h5 *h, hid_t id);
void cas_h5_close_file(cas_h5 *h, hid_t file);

/** Access to a file by plain reads and writes, readable by every HDF5 since 1.8, metadata with
    checksums, no locks (they fail on many parallel file systems, and a file under its final name
    never changes). */
hid_t cas_h5_access(cas_h5 *h);
/** Creates a file; object times are not tracked, so that equal contents give equal bytes. */
hid_t cas_h5_create(cas_h5 *h, hid_t access);
hid_t cas_h5_open(cas_h5 *h, unsigned mode);
/** For reading, once the file is known to exist, to be HDF5 and to match its seal, but for large data.
    One without a seal is opened where another program has written it, or by cas_unsealed_accept. */
hid_t cas_h5_open_checked(cas_h5 *h);
/** The same; the caller closes *seal, NULL after some failures, by which parts of large data are
    checked. */
hid_t cas_h5_open_sealed(cas_h5 *h, cas_seal **seal);

hid_t cas_h5_file_type(cas_field_type type);
hid_t cas_h5_memory_type(cas_field_type type);
hid_t cas_h5_text_type(cas_h5 *h);
/** What h5py and others read as complex numbers. */
hid_t cas_h5_complex_type(cas_h5 *h);
hid_t cas_h5_group_create(cas_h5 *h, hid_t at, const char *name);
/** Negative if there is none; a failure only if there is one that cannot be opened. */
hid_t cas_h5_group_open(cas_h5 *h, hid_t at, const char *name);
/** Negative, and a failure, if it cannot be opened. */
hid_t cas_h5_dataset_open(cas_h5 *h, hid_t at, const char *name);
bool cas_h5_is_group(cas_h5 *h, hid_t at, const char *name);
/** `creation`: H5P_DEFAULT, or properties of which a copy is used, without object times. */
hid_t cas_h5_dataset_create(cas_h5 *h, hid_t at, const char *name, hid_t type, int rank,
                            const hsize_t *dims, hid_t creation);
/** A one-dimensional dataset that is a dimension scale. */
hid_t cas_h5_put_scale(cas_h5 *h, hid_t group, const char *name, hid_t stored, hid_t memory,
                       int64_t n, const void *data);
/** As cas_h5_describe; and time is the axis T of the conventions for climate and forecast. */
void cas_h5_describe_scale(cas_h5 *h, hid_t scale, const char *name, const char *long_name,
                           const char *units);
/** The scale of an axis; one in a group serves all datasets that name it. Negative for an axis
    without a name. */
hid_t cas_h5_axis_scale(cas_h5 *h, hid_t group, const cas_file_axis *a);
/** Attaches a scale to a dimension of the dataset of that name; not if it is negative. */
void cas_h5_attach(cas_h5 *h, hid_t dataset, const char *name, int dimension, hid_t scale);
void cas_h5_describe(cas_h5 *h, hid_t dataset, const char *long_name, const char *units);

void cas_h5_put_attribute(cas_h5 *h, hid_t at, const char *name, cas_field_type type,
                          const void *value);
void cas_h5_put_text(cas_h5 *h, hid_t at, const char *name, const char *text);
/** A dataset of n values, or a scalar for n = 0; attached to `scale` unless that is negative. */
void cas_h5_put_column(cas_h5 *h, hid_t at, const cas_field *column, int n, const void *data,
                       hid_t scale);
/** Those columns of a table with this `extra`, of levels + extra values, if that is any; units NULL
    are `unit`, and "^2" are its square. */
void cas_h5_put_columns(cas_h5 *h, hid_t at, const cas_field *table, int extra, int levels,
                        const char *unit, const void *base, hid_t scale);

/** All fields of a table as attributes, their names after `prefix`. */
void cas_h5_put_fields(cas_h5 *h, hid_t at, const char *prefix, const cas_field *table,
                       const void *base);
/** The step sizes that columns of r->levels + extra values run over: extra < 0 the geometric means of
    1 - extra neighbours, 1 the reference too. Negative if the results have none. */
hid_t cas_h5_step_scale(cas_h5 *h, hid_t group, const cas_results *r, int extra);
/** A column with these as its scale. */
void cas_h5_put_by_step(cas_h5 *h, hid_t group, const cas_field *column, const cas_results *r,
                        int extra, const void *data);

/** All laws as attributes, their names after `prefix`, the headline's without the name of its law; a group
    without them is refused. */
void cas_h5_put_laws(cas_h5 *h, hid_t at, const char *prefix, const cas_laws *l);
void cas_h5_get_laws(cas_h5 *h, hid_t at, const char *prefix, cas_laws *l);
bool cas_laws_equal(const cas_laws *a, const cas_laws *b);
void cas_h5_put_extrapolation(cas_h5 *h, hid_t at, const cas_extrapolation *e);
void cas_h5_get_extrapolation(cas_h5 *h, hid_t at, cas_extrapolation *e);
bool cas_extrapolation_equal(const cas_extrapolation *a, const cas_extrapolation *b);

bool cas_h5_has_attribute(cas_h5 *h, hid_t at, const char *name);
/** A text that is absent reads as NULL; an absent number is a failure. */
void cas_h5_get_attribute(cas_h5 *h, hid_t at, const char *name, cas_field_type type, void *value);
/** A text into room of that size; empty if it is absent. */
void cas_h5_get_words(cas_h5 *h, hid_t at, const char *name, char *out, size_t size);
/** The attributes "<prefix>verdict", in words, "<prefix>verdict_code" and "<prefix>findings". */
void cas_h5_put_verdict(cas_h5 *h, hid_t at, const char *prefix, cas_findings findings,
                        const char *words);
/** The words into room of that size; all of it may be missing. */
void cas_h5_get_verdict(cas_h5 *h, hid_t at, const char *prefix, cas_findings *findings,
                        char *words, size_t size);
/** The attribute "<prefix>bias_bound"; read, it may be missing. */
void cas_h5_put_bound(cas_h5 *h, hid_t at, const char *prefix, double bound);
void cas_h5_get_bound(cas_h5 *h, hid_t at, const char *prefix, double *bound);
/** What cas_h5_put_fields wrote; and columns into arrays that are there, of `levels` + extra
    values, their names before `suffix`. */
void cas_h5_get_fields(cas_h5 *h, hid_t at, const char *prefix, const cas_field *table, void *base);
void cas_h5_get_columns(cas_h5 *h, hid_t at, const char *suffix, const cas_field *table, int levels,
                        void *base);
/** Length of a one-dimensional dataset; 0 if there is none. */
int cas_h5_length(cas_h5 *h, hid_t at, const char *name);
/** The shape of a dataset of rank 1 to 4; returns the rank, 0 after a failure. */
int cas_h5_shape(cas_h5 *h, hid_t at, const char *name, hsize_t dims[4]);
/** Reads a dataset of exactly this shape. */
void cas_h5_get_array(cas_h5 *h, hid_t at, const char *name, cas_field_type type, int rank,
                      const hsize_t *dims, void *data);
/** The labels of a dimension scale of n texts, space separated. Caller frees. */
char *cas_h5_get_labels(cas_h5 *h, hid_t group, const char *name, int n);
/** Reads exactly n values (n = 0: a scalar). */
void cas_h5_get_column(cas_h5 *h, hid_t at, const char *name, cas_field_type type, int n,
                       void *data);
/** The names in a group in the order of their creation. Caller frees with cas_names_free. */
char **cas_h5_names(cas_h5 *h, hid_t group, int *n);
/** Those of groups alone. */
char **cas_h5_group_names(cas_h5 *h, hid_t group, int *n);
void cas_names_free(char **names, int n);

/** Provenance, levels, curves, ensemble and health, without the mark `complete`. */
void cas_h5_put_results(cas_h5 *h, hid_t file, const cas_results *r);
/** The group "ensemble", made here unless it holds members already. */
void cas_h5_put_ensemble(cas_h5 *h, hid_t file, const cas_ensemble *e);
/** NULL if the file has none. */
cas_ensemble *cas_h5_get_ensemble(cas_h5 *h, hid_t file);
/** The group "weak_multilevel"; NULL if the file has none. */
void cas_h5_put_multilevel(cas_h5 *h, hid_t file, const cas_results *r);
cas_multilevel *cas_h5_get_multilevel(cas_h5 *h, hid_t file, int levels);
/** The group "mlmc", of so many levels; NULL if the file has none. */
void cas_h5_put_mlmc(cas_h5 *h, hid_t file, const cas_results *r);
cas_mlmc *cas_h5_get_mlmc(cas_h5 *h, hid_t file, int levels);
/** The group "initial", and no more than these bytes; nothing if the results have no such state. */
void cas_h5_put_initial(cas_h5 *h, hid_t file, const cas_results *r);
int64_t cas_initial_bytes(const cas_results *r);
cas_status cas_initial_verify(const cas_results *r, const char *path,
                              cas_error *err) CAS_MUST_CHECK;
/** Frees what cas_results_start copied. */
void cas_initial_free(cas_results *r);
void cas_h5_put_complete(cas_h5 *h, hid_t file);
/** Reads the file and compares it with what was meant to be in it. */
cas_status cas_results_verify(const cas_results *r, const char *path,
                              cas_error *err) CAS_MUST_CHECK;

/* ---- files that are whole or not there ---- */

/** "<path>.tmp", beside the target to be renamed over it; NULL without memory. Caller frees. */
char *cas_temporary_name(const char *path);
/** Refuses a name under which no file can be put, by writing one beside it. */
cas_status cas_file_probe(const char *path, cas_error *err) CAS_MUST_CHECK;
/** Whatever it takes, from where the descriptor is; false with errno. After a short write the next
    one tells the reason. */
bool cas_write_all(int fd, const void *data, size_t size);
/** Creates a file with these bytes, in the place of what a run has left there and of nothing else. It
    is as private as `like`, which it is to replace, if that is there. After a failure no file of the
    caller's is there. */
cas_status cas_file_write(const char *path, cas_left kind, const char *like, const void *bytes,
                          size_t size, cas_error *err) CAS_MUST_CHECK;
/** Appends to a file that exists. */
cas_status cas_file_append(const char *path, const void *bytes, size_t size,
                           cas_error *err) CAS_MUST_CHECK;
/** The first `size` bytes; the caller frees. */
cas_status cas_file_read(const char *path, size_t size, char **bytes,
                         cas_error *err) CAS_MUST_CHECK;
cas_status cas_file_sync(const char *path, cas_error *err) CAS_MUST_CHECK;
/** Puts all of a sparse file, and `extra` bytes of zeros behind its end, on real blocks; where the
    file system cannot reserve, the extra bytes alone. */
cas_status cas_file_reserve(const char *path, int64_t extra, cas_error *err) CAS_MUST_CHECK;
/** Permissions of what is at `path`, if anything is; fsync, rename over it, fsync of the directory. */
cas_status cas_file_commit(const char *temporary, const char *path, cas_error *err) CAS_MUST_CHECK;

/* ---- seals ---- */

/* Bytes of large data, which are sealed by themselves, in whole words. */
typedef struct {
  uint64_t offset, length;
} cas_extent;

enum { CAS_PIECE = 1 << 20 }; /* bytes that are checked together, from the start of an extent on */

/** How many pieces n extents have, the last of each being shorter. */
int64_t cas_pieces(int n, const cas_extent *data);
/** The sums (hash.h) of pieces [first, last) of n extents, with their places in the file; false with
    errno. */
bool cas_pieces_sum(int fd, int n, const cas_extent *data, int64_t first, int64_t last,
                    uint64_t *sum);
/** Adds the sum of the bytes [from, to) of a file; false with errno. */
bool cas_file_sum(int fd, uint64_t from, uint64_t to, uint64_t *sum);

/** Appends a seal: the sums of the pieces of n ascending extents, and a hash of them and of the rest
   of the file. HDF5 ignores what follows its data, and drops it when it changes the file. */
cas_status cas_seal_append(const char *path, int n, const cas_extent *data, const uint64_t *sum,
                           cas_error *err) CAS_MUST_CHECK;
/** Refuses a file whose bytes are not those that were sealed; those of large data are looked at only
    where `data` says so. A file without a seal passes. HDF5 may crash on damaged metadata, so this
    comes before opening. */
cas_status cas_seal_check(const char *path, bool data, cas_error *err) CAS_MUST_CHECK;
/** The same without a look at large data, but a file without a seal is refused; *size: the bytes that
    were sealed. *damaged: it was read and is not what was sealed; false where it could not be
    read. */
cas_status cas_seal_require(const char *path, size_t *size, bool *damaged,
                            cas_error *err) CAS_MUST_CHECK;

/** Checks as cas_seal_check does, but for large data. Caller closes. */
cas_status cas_seal_open(const char *path, cas_seal **out, cas_error *err) CAS_MUST_CHECK;
/** Refuses bytes [from, to) unless they are those that were sealed, with the pieces that they are in,
    each of which is read once. Bytes outside of large data were checked before. */
cas_status cas_seal_check_part(cas_seal *s, uint64_t from, uint64_t to,
                               cas_error *err) CAS_MUST_CHECK;
/** Whether the file has a seal. */
bool cas_seal_is(const cas_seal *s);
/** Refuses a file that was written to since it was opened. */
cas_status cas_seal_unchanged(const cas_seal *s, cas_error *err) CAS_MUST_CHECK;
void cas_seal_close(cas_seal *s);

#endif
