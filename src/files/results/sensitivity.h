/* Differences between runs of the same paths that differ in one parameter, from recorded paths or
   from means over groups of paths: common noise cancels, which differences of means keep. */
#ifndef CAS_SENSITIVITY_H
#define CAS_SENSITIVITY_H

#include "files/results/rows.h"

#include <casimir/dataset.h>

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
