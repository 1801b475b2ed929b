/* The arrays of structs of statistics.h by name: their memory, and what they are called in files.
   */
#ifndef CAS_COLUMNS_H
#define CAS_COLUMNS_H

#include "base/field.h"

/* Levels that multilevel studies have at most. */
enum { CAS_MOST_LEVELS = 64 };

/* How many of a list come first that not all tables have */
enum { CAS_MEAN_COLUMNS = 2 /* weak curves alone */, CAS_ROUND_COLUMNS = 1 /* not by levels */ };

extern const cas_field cas_curve_columns[];      /* of cas_curve */
extern const cas_field cas_difference_columns[]; /* of cas_differences */
extern const cas_field cas_multilevel_columns[]; /* of cas_multilevel */
extern const cas_field cas_estimate_columns[];   /* of cas_mlmc_functional */
extern const cas_field cas_mlmc_columns[];       /* of cas_mlmc */

#endif
