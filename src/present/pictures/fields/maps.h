/* Maps on longitude and latitude, on the torus, or on the sphere seen from afar. */
#ifndef CAS_MAPS_PICTURE_H
#define CAS_MAPS_PICTURE_H

#include "present/pictures/picture.h"

/** Where the values of a map are. */
typedef struct {
  bool torus;
  int64_t rows, columns;
  double *row, *column; /* coordinates: latitude and longitude in degrees, on the torus x2 and x1 */
} cas_grid;

/** Reads the coordinates that a group has for maps of so many rows and columns. Caller frees by
    cas_grid_free, also after a failure. */
cas_status cas_grid_read(const cas_source *s, const char *group, int64_t rows, int64_t columns,
                         cas_grid *out, cas_error *err) CAS_MUST_CHECK;
void cas_grid_free(cas_grid *grid);

enum { CAS_MAP_NAME = 100 };
/** The map of a group ("/trajectory", "/ensemble") that is drawn, and its name: that of --map, else
    the vorticity, else the first there is; NULL: there is none. `behind` is what follows the name
    of the observable in that of the dataset, "" or "/mean". */
const cas_dataset *cas_map_find(const cas_source *s, const char *group, const char *behind,
                                char name[CAS_MAP_NAME]);

/** The largest |value| of n maps; -1 where none is a number. */
double cas_maps_greatest(const cas_grid *grid, int n, double *const *value);
/** The same of all records of a dataset whose first axis is time, record by record, 0 where none is
    a number; of several paths of the first. */
cas_status cas_maps_greatest_of_all(const cas_source *s, const char *dataset, int64_t records,
                                    const cas_grid *grid, double *greatest,
                                    cas_error *err) CAS_MUST_CHECK;
/** The values torus, orthographic, azimuth and elevation (of the view that was asked for), west,
    east, south, north, columns and rows of pixels; and the blocks NAME_1 .. NAME_n of pixels. */
cas_status cas_maps_write(cas_figure *g, const cas_grid *grid, cas_error *err) CAS_MUST_CHECK;
cas_status cas_maps_data(cas_figure *g, const cas_grid *grid, const char *name, int n,
                         double *const *value, const char *units, cas_error *err) CAS_MUST_CHECK;

/** The same of a picture that is no map: only the values west .. rows, whatever the view. */
void cas_maps_flat_write(cas_figure *g, const cas_grid *grid);
cas_status cas_maps_flat_data(cas_figure *g, const cas_grid *grid, const char *name, int n,
                              double *const *value, const cas_figure_column *of,
                              cas_error *err) CAS_MUST_CHECK;

#endif
