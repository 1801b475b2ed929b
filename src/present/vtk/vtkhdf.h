/* VTKHDF files, version 2.0 of the format of Kitware (docs.vtk.org): one unstructured grid whose
   values, or whose points, change with time. */
#ifndef CAS_VTKHDF_H
#define CAS_VTKHDF_H

#include "hdf5/hdf5.h"

/** A grid of one kind of cells, which stay the same. */
typedef struct {
  int64_t points, cells;
  int corners;          /* of a cell: 1, a vertex, or 4, a quadrilateral */
  const double *place;  /* [points][3]; NULL: points move, and come step by step */
  const int64_t *joint; /* [cells][corners] numbers of points */
} cas_vtk_grid;

/** A file in the making, whose operations do nothing once one has failed; see cas_h5. */
typedef struct {
  cas_h5 h;
  hid_t file, root, data, offsets; /* the groups of values, and of where those of each step begin */
  cas_vtk_grid grid;
  int64_t steps;
} cas_vtk;

/** Creates a file for so many steps at these times, in the place of what is there. Caller ends
    it. */
void cas_vtk_begin(cas_vtk *v, const char *path, const cas_vtk_grid *grid, const double *time,
                   int64_t steps, cas_error *err);
/** Adds an array of values that are there once, one for each cell. */
void cas_vtk_constant(cas_vtk *v, const char *name, const double *value);
/** Adds an array of values for each step, to be written by cas_vtk_values. */
void cas_vtk_array(cas_vtk *v, const char *name, const char *units);
/** The values of all cells at a step. */
void cas_vtk_values(cas_vtk *v, const char *name, int64_t step, const double *value);
/** Where all points are at a step. */
void cas_vtk_points(cas_vtk *v, int64_t step, const double *place);
cas_status cas_vtk_end(cas_vtk *v) CAS_MUST_CHECK;

#endif
