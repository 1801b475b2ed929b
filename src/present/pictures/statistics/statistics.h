/* Pictures of tables that studies write for each of their functionals. */
#ifndef CAS_STATISTICS_PICTURE_H
#define CAS_STATISTICS_PICTURE_H

#include "present/pictures/picture.h"

enum {
  CAS_STATISTICS_MOST_SUBJECTS = 6 /* functionals in one figure, so that colours tell them apart */
};

/** The table of functional i in a group of the file, such as "law"; NULL behind the last. */
const void *cas_statistics_subject(const cas_source *s, const char *group, int i);
/** How many of them are drawn; the figure remarks what is left out. */
int cas_statistics_subjects(const cas_figure *g, const cas_source *s, const char *group);
/** order[i] of n with its interval, as cas_picture_interval_of: of orders between neighbouring
    levels, coarse ones first, the last whose interval is bounded; NaN where none is. */
void cas_statistics_finest_order(cas_figure *g, int i, int n, int orders, const double *order,
                                 const double *low, const double *high);

#endif
