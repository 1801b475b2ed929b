/* The unit sphere, as templates see it. */
#ifndef CAS_SPHERE_PICTURE_H
#define CAS_SPHERE_PICTURE_H

#include "present/figure/figure.h"

/** Azimuth and elevation, in degrees, of a view in which most of these points (`sets` arrays of n
    vectors) are on the near side: from a little above the equator, or below it if that shows much
    more. The third axis is up. */
void cas_sphere_view_find(int sets, const double *const *x, int64_t n, double best[2]);
/** The values azimuth and elevation of the view that was asked for, or of one that was found so. */
void cas_sphere_view_choose(cas_figure *g, int sets, const double *const *x, int64_t n);
/** A block of points of the sphere: x1, x2, x3. */
void cas_sphere_begin(cas_figure *g, const char *name);

#endif
