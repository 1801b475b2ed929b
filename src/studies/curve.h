/* Error curves of studies: their tables, cas_table_strong and cas_table_weak, of which a new one
   begins as a cas_curve with a kind, levels and rounding; and what failed paths can have changed.
   */
#ifndef CAS_STUDY_CURVE_H
#define CAS_STUDY_CURVE_H

#include "files/results/table.h"

typedef struct cas_study_run cas_study_run;

/** What is measured of a path's difference d = X_h - X_ref, and likewise of X_h - X_h/r. */
typedef struct {
  const char *name;      /* of the curve: "error_sup" */
  const char *long_name; /* of its errors in files */
  bool of_part; /* of the additional components of a state, instead of those of its algebra */
  bool summed;  /* a sum over the coarsest steps */
} cas_strong_measure;

enum {
  CAS_STRONG_MEASURES = 5,
  CAS_STRONG_MEASURES_OF_ALL = 3 /* which come first, those of parts behind */
};

/** In the order of curves. */
extern const cas_strong_measure cas_strong_measures[CAS_STRONG_MEASURES];
/** The measure of a strong curve, by its name; the first if none has it. */
const cas_strong_measure *cas_strong_measure_of(const cas_curve *c);

/** Says of n curves of results with health what that share of failed paths can have changed. */
void cas_curves_bound(const cas_study_run *run, const cas_health *h, double share, int n,
                      cas_curve *const *curve);

#endif
