/* The arrays of structs of statistics.h by name: their memory, and what they are called in files.
   */
#ifndef CAS_COLUMNS_H
#define CAS_COLUMNS_H

#include "base/field.h"

/* Levels that multilevel studies have at most. */
enum { CAS_COLUMNS_MOST_LEVELS = 64 };

/* How many of a list come first that not all tables have */
enum {
  CAS_COLUMNS_OF_MEANS = 5 /* weak curves alone */,
  CAS_COLUMNS_OF_ROUNDS = 1 /* not by levels */
};

extern const cas_field cas_curve_columns[];           /* of cas_curve */
extern const cas_field cas_difference_columns[];      /* of cas_differences */
extern const cas_field cas_multilevel_columns[];      /* of cas_multilevel */
extern const cas_field cas_mlmc_functional_columns[]; /* of cas_mlmc_functional */
extern const cas_field cas_mlmc_columns[];            /* of cas_mlmc */

#endif
