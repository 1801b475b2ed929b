/* Estimates of results, one a row, for other programs and to compare files. */
#ifndef CAS_ROWS_H
#define CAS_ROWS_H

#include <casimir/results.h>

#include <stdio.h>

typedef struct {
  const char *table, *quantity; /* "weak/sin2pi", "order" */
  char at[200]; /* where along its axes: "time=20 probability=0.5"; empty: one number */
  /* NaN: it has none */
  double value, standard_error, low, high;
  bool headline; /* the order of a law, and the estimate of a whole table; where a table has
                    neither, the last of its first estimates */
} cas_row;

/** Calls for every number of all tables that has a standard error or an interval. */
cas_status cas_rows_visit(const cas_results *r, void (*visit)(void *context, const cas_row *row),
                          void *context, cas_error *err) CAS_MUST_CHECK;

/* ---- what differs between files ---- */

typedef struct {
  const char *name; /* of `length` characters, borrowed */
  size_t length;
} cas_compared_key;

/* Keys of the configurations of several results that are not the same in all. */
typedef struct {
  int files, keys;
  char **list; /* [files], owned: the configurations as lines "key: value" */
  cas_compared_key *key;
} cas_comparison;

/** Compares the configurations of n results. The caller frees *c even on failure. */
cas_status cas_comparison_create(const cas_results *const *r, int n, cas_comparison *c,
                                 cas_error *err) CAS_MUST_CHECK;
void cas_comparison_free(cas_comparison *c);
/** The value of a key in a file, borrowed, and its length; NULL: it has none there. */
const char *cas_comparison_value(const cas_comparison *c, int file, int key, size_t *size);

/* ---- for other programs ---- */

typedef enum {
  CAS_ROWS_TEXT, /* headlines alone, for people */
  CAS_ROWS_CSV,
  CAS_ROWS_JSON
} cas_rows_format;

/** Writes the rows of files, and beside each those keys of its configuration that are not the same
    in all. A file that cannot be read ends it. */
cas_status cas_rows_print(FILE *f, cas_rows_format format, const char *const *file, int files,
                          cas_error *err) CAS_MUST_CHECK;

#endif
