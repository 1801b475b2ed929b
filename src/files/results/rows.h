/* Estimates of results, one a row, for other programs and to compare files. */
#ifndef CAS_ROWS_H
#define CAS_ROWS_H

#include "files/results/table.h"

/** The axes whose coordinates rows have as numbers. */
enum { CAS_ROW_STEP, CAS_ROW_TIME, CAS_ROW_PROBABILITY, CAS_ROW_AXES };
extern const char *const cas_row_axes[CAS_ROW_AXES];

typedef struct {
  const char *table, *quantity; /* "weak/sin2pi", "order" */
  const char *functional;       /* or observable: "sin2pi"; empty: none */
  double place[CAS_ROW_AXES];   /* NaN: the number does not run over that axis */
  char at[200]; /* where along its axes: "time=20 probability=0.5"; empty: one number */
  /* NaN: it has none */
  double value, standard_error, low, high;
  /* The order of a law, and the estimate of a whole table. Where a table has neither, its first
     estimates at the last step or time, if they run over axes of `place` alone. */
  bool headline;
} cas_row;

/** Calls for every number of all tables that has a standard error or an interval; of strong errors
    those of increments come first, which need the fewest paths. */
cas_status cas_rows_visit(const cas_results *r, void (*visit)(void *context, const cas_row *row),
                          void *context, cas_error *err) CAS_MUST_CHECK;

typedef struct {
  char *name;   /* owned, as are its values */
  char **value; /* [files], as the configurations have them; NULL: that file does not have it */
} cas_compared_key;

/* Keys of the configurations of several files that are not the same in all: first keys that all
   have, of which keys that change least from file to file come first. */
typedef struct {
  int files, keys;
  int common;                  /* how many keys all files have */
  cas_results *owned;          /* [files] */
  const cas_results **results; /* [files] */
  cas_compared_key *key;       /* [keys] */
} cas_comparison;

/** Reads n files and compares their configurations. A file that cannot be read ends it. The caller
    frees *c even on failure. */
cas_status cas_comparison_read(const char *const *file, int n, cas_comparison *c,
                               cas_error *err) CAS_MUST_CHECK;
void cas_comparison_free(cas_comparison *c);
/** The value of a key as a number, such as 0.0078125 for 2^-7 and 1/128; NaN: it is none. */
double cas_comparison_number(const cas_comparison *c, int file, int key);

typedef enum {
  CAS_ROWS_TEXT, /* headlines alone, for people */
  CAS_ROWS_CSV,
  CAS_ROWS_JSON,
  CAS_ROWS_LATEX /* headlines alone, for a paper */
} cas_rows_format;

/** Writes what files say: the sentence of each, and their rows, beside each those keys of its
    configuration that all files have and that are not the same in all; in JSON also others that
    differ. A file that cannot be read ends it. */
cas_status cas_rows_print(FILE *f, cas_rows_format format, const char *const *file, int files,
                          cas_error *err) CAS_MUST_CHECK;

/** Writes JSON of results that no file has; partial: "192 of 1000 paths", what they are of. */
cas_status cas_rows_print_partial(FILE *f, const char *file, const char *partial,
                                  const cas_results *r, cas_error *err) CAS_MUST_CHECK;

/* ---- differences between runs of the same paths that differ in one parameter, from recorded paths
   or from means over groups of paths: common noise cancels, which differences of means keep ---- */

/** The mean over the paths of what an observable differs by between two runs, at one time. */
typedef struct {
  const char *key;        /* "system.inertia[0]", borrowed */
  double from, to;        /* its values */
  const char *observable; /* borrowed */
  double time;
  int64_t paths;  /* that are finite in both runs, or in groups with as many paths in both */
  int64_t values; /* independent differences that the error is from: paths, or groups of them */
  double difference, standard_error; /* the latter NaN where it tells too little */
  /* The 95% interval of the difference; both NaN where so few values differ that nothing is known
     of how much they do. */
  double low, high;
  int64_t differing; /* values that are not the same in both runs */
} cas_sensitivity;

/** Calls for every two neighbouring runs: of the same paths, which they record, or means over
    groups of them, and different in one number below `system` alone, with no run between. Of each
    observable that is a single number: all records, or the last one alone. */
cas_status cas_sensitivity_visit(const char *const *file, int files, bool last,
                                 void (*visit)(void *context, const cas_sensitivity *s),
                                 void *context, cas_error *err) CAS_MUST_CHECK;
/** Prints these differences, as CSV or as text for people. *any: whether there are any. */
cas_status cas_sensitivity_print(FILE *f, cas_rows_format format, const char *const *file,
                                 int files, bool last, bool *any, cas_error *err) CAS_MUST_CHECK;

#endif
