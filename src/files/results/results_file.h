/* Results as a file: what all of them have, and their tables. */
#ifndef CAS_RESULTS_FILE_H
#define CAS_RESULTS_FILE_H

#include "files/checkpoint.h"
#include "files/results/table.h"

extern const cas_field cas_provenance_fields[]; /* of cas_provenance: root attributes */
extern const cas_field cas_health_columns[];    /* of cas_health: arrays over its levels */
extern const cas_field cas_health_numbers[];    /* of cas_health: scalar datasets */

/** Bit for bit, NaN included; `complete` is not compared. */
bool cas_results_equal(const cas_results *a, const cas_results *b);

/** All but the mark `complete`. */
void cas_results_put(cas_h5 *h, hid_t file, const cas_results *r);
/** The groups "initial" and "parameters", and no more than these bytes; nothing of what the results
    do not have. */
void cas_results_put_given(cas_h5 *h, hid_t file, const cas_results *r);
int64_t cas_results_given_bytes(const cas_results *r);
cas_status cas_results_given_verify(const cas_results *r, const char *path,
                                    cas_error *err) CAS_MUST_CHECK;
/** Copies what the first `paths` paths were given, one after another, or, where this is 0, what all
    were, with its description as a dataset. */
cas_status cas_results_give(cas_given *g, const cas_file_dataset *d, int64_t paths,
                            const double *value, cas_error *err) CAS_MUST_CHECK;
/** Frees what was copied so. */
void cas_results_given_free(cas_results *r);
void cas_results_put_complete(cas_h5 *h, hid_t file);
/** A file in memory with all of it, which the caller closes; it is no file of the system. */
hid_t cas_results_in_memory(cas_h5 *h, const cas_results *r);
/** Reads the file and compares it with what was meant to be in it. */
cas_status cas_results_verify(const cas_results *r, const char *path,
                              cas_error *err) CAS_MUST_CHECK;

/** Refuses an output path at which there is something else than results of casimir, finished ones
    or not, or an empty file. again: damaged ones may be replaced too, because a checkpoint of them
    is there. Not collective: rank 0. */
cas_status cas_results_replaceable(const char *path, bool again, cas_error *err) CAS_MUST_CHECK;

/** The rest that a finished run left in its results file; empty if it left none. */
cas_status cas_results_restart_read(const char *path, cas_sections *s,
                                    cas_error *err) CAS_MUST_CHECK;

#endif
