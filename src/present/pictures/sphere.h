/* The unit sphere in orthographic projection, and curves on it: what faces the viewer and what is
   on the far side are written apart. */
#ifndef CAS_PLOT_SPHERE_H
#define CAS_PLOT_SPHERE_H

#include "present/pictures/picture.h"

/* Orthonormal; `toward` points to the viewer. */
typedef struct {
  double right[3], up[3], toward[3];
} cas_view;

typedef struct {
  double u, v, depth; /* to the right, up, toward the viewer */
} cas_seen;

/** From this direction, in radians; the third axis is up. */
cas_view cas_view_from(double azimuth, double elevation);
/** From where most of these points (`sets` arrays of n vectors) are on the near side: from a little
   above the equator, or below it if that shows much more. */
cas_view cas_view_choose(int sets, const double *const *x, int64_t n);
cas_seen cas_view_see(const cas_view *v, const double x[3]);

/** A curve on the sphere: unit vectors, joined one to the next but at gaps, which are NaN. */
typedef struct {
  double (*x)[3];
  size_t n, allocated;
} cas_polyline;

/** Appends a vertex; false without memory. */
bool cas_polyline_add(cas_polyline *p, const double x[3]);
void cas_polyline_free(cas_polyline *p);
/** The block NAME: the part on the near or the far side, cut at the rim. */
void cas_polyline_write(cas_figure *g, const cas_view *v, const cas_polyline *p, bool near_side,
                        const char *name);

/** The blocks near_graticule, far_graticule and axes. */
void cas_sphere_write(cas_figure *g, const cas_view *v);

#endif
