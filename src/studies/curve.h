/* Error curves of studies: their tables, and what failed paths can have changed. */
#ifndef CAS_STUDY_CURVE_H
#define CAS_STUDY_CURVE_H

#include <casimir/results.h>

#include <stdint.h>

typedef struct cas_study_run cas_study_run;

/** What is measured of the difference d = X_h - X_ref of a path, and of X_h - X_h/r in its
    place. */
typedef struct {
  const char *name;           /* of the curve: "error_sup" */
  const char *long_name;      /* of its errors in files */
  const char *title;          /* of its section in reports */
  const char *label;          /* in figures */
  const char *before, *after; /* what is around X_h - X_ref in the formula of the error */
  bool of_part; /* of the additional components of a state, instead of those of its algebra */
  bool summed;  /* a sum over the coarsest steps */
} cas_strong_measure;

enum {
  CAS_STRONG_MEASURES = 5,
  CAS_STRONG_MEASURES_OF_ALL = 3 /* which come first, those of parts behind */
};

/** In the order of curves. */
extern const cas_strong_measure cas_strong_measures[CAS_STRONG_MEASURES];
/** That of a strong curve, by its name; the first if none has it. */
const cas_strong_measure *cas_strong_measure_of(const cas_curve *c);

/** Adds a curve to the results, which take over what it points to; after a failure too. */
cas_status cas_results_add_curve(cas_results *r, cas_curve *c, cas_error *err) CAS_MUST_CHECK;
/** Adds n curves of one array, after saying of each what that share of failed paths can have
    changed. Frees the array. */
cas_status cas_results_add_curves(const cas_study_run *run, double share, int n, cas_curve *curve,
                                  cas_results *out, cas_error *err) CAS_MUST_CHECK;

#endif
