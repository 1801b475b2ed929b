#include "present/vtk/vtkhdf.h"
#include "version.h"
#include <stdlib.h>
#include <string.h>

#define ROOT "VTKHDF"
#define STEPS ROOT "/Steps"

enum { VERTEX = 1, QUADRILATERAL = 9 }; /* numbers of VTK's cells */

/* ---- objects ---- */

static hid_t make_group(cas_vtk *v, const char *name) {
  return cas_h5_group_create(&v->h, v->file, name);
}

static void put_integers(cas_vtk *v, hid_t at, const char *name, int rank, const hsize_t *dims,
                         const int64_t *value) {
  cas_h5_close(&v->h, cas_h5_put_array(&v->h, at, name, CAS_FIELD_INT64, rank, dims, value));
}

static void put_integer(cas_vtk *v, const char *name, int64_t value) {
  put_integers(v, v->root, name, 1, (const hsize_t[]){1}, &value);
}

/* VTK reads texts of a fixed length alone. */
static void put_type(cas_vtk *v) {
  static const char type[] = "UnstructuredGrid";
  hid_t text = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR), attribute = H5I_INVALID_HID;
  if (!v->h.status &&
      (text < 0 || space < 0 || H5Tset_size(text, strlen(type)) < 0 ||
       H5Tset_strpad(text, H5T_STR_NULLPAD) < 0 ||
       (attribute = H5Acreate2(v->root, "Type", text, space, H5P_DEFAULT, H5P_DEFAULT)) < 0 ||
       H5Awrite(attribute, text, type) < 0))
    cas_h5_fail(&v->h, "cannot write the type of the grid");
  cas_h5_close(&v->h, attribute);
  cas_h5_close(&v->h, space);
  cas_h5_close(&v->h, text);
}

/* Creates an array of `rows` rows, for values that come step by step. */
static void make_array(cas_vtk *v, hid_t at, const char *name, int64_t rows, int numbers,
                       const char *units) {
  const hsize_t dims[2] = {(hsize_t)rows, (hsize_t)numbers};
  hid_t array = cas_h5_dataset_create(&v->h, at, name, H5T_IEEE_F64LE, numbers > 1 ? 2 : 1, dims,
                                      H5P_DEFAULT);
  cas_h5_put_text(&v->h, array, "units", units);
  cas_h5_close(&v->h, array);
}

static void write_rows(cas_vtk *v, hid_t at, const char *name, int64_t first, int64_t rows,
                       int numbers, const double *value) {
  const hsize_t start[2] = {(hsize_t)first, 0}, count[2] = {(hsize_t)rows, (hsize_t)numbers};
  const int rank = numbers > 1 ? 2 : 1;
  hid_t array = cas_h5_dataset_open(&v->h, at, name), in_file = H5I_INVALID_HID,
        in_memory = H5Screate_simple(rank, count, NULL);
  if (!v->h.status)
    in_file = H5Dget_space(array);
  if (!v->h.status &&
      (in_file < 0 || in_memory < 0 ||
       H5Sselect_hyperslab(in_file, H5S_SELECT_SET, start, NULL, count, NULL) < 0 ||
       H5Dwrite(array, H5T_NATIVE_DOUBLE, in_memory, in_file, H5P_DEFAULT, value) < 0))
    cas_h5_fail(&v->h, "cannot write '%s'", name);
  cas_h5_close(&v->h, in_memory);
  cas_h5_close(&v->h, in_file);
  cas_h5_close(&v->h, array);
}

/* ---- the grid ---- */

static void put_types(cas_vtk *v) {
  const hsize_t cells = (hsize_t)v->grid.cells;
  unsigned char *type = malloc(cells + 1);
  hid_t array =
      cas_h5_dataset_create(&v->h, v->root, "Types", H5T_STD_U8LE, 1, &cells, H5P_DEFAULT);
  if (!v->h.status && !type)
    cas_h5_no_memory(&v->h);
  if (type)
    memset(type, v->grid.corners == 1 ? VERTEX : QUADRILATERAL, cells);
  if (!v->h.status && H5Dwrite(array, H5T_NATIVE_UCHAR, H5S_ALL, H5S_ALL, H5P_DEFAULT, type) < 0)
    cas_h5_fail(&v->h, "cannot write the types of cells");
  cas_h5_close(&v->h, array);
  free(type);
}

static void put_cells(cas_vtk *v) {
  const int64_t cells = v->grid.cells, corners = cells * v->grid.corners;
  int64_t *end = calloc((size_t)cells + 1, sizeof *end);
  if (!v->h.status && !end)
    cas_h5_no_memory(&v->h);
  for (int64_t i = 0; end && i <= cells; i++)
    end[i] = i * v->grid.corners;
  put_integer(v, "NumberOfPoints", v->grid.points);
  put_integer(v, "NumberOfCells", cells);
  put_integer(v, "NumberOfConnectivityIds", corners);
  put_integers(v, v->root, "Connectivity", 1, (const hsize_t[]){(hsize_t)corners}, v->grid.joint);
  put_integers(v, v->root, "Offsets", 1, (const hsize_t[]){(hsize_t)cells + 1}, end);
  put_types(v);
  make_array(v, v->root, "Points", v->grid.points * (v->grid.place ? 1 : v->steps), 3, NULL);
  if (v->grid.place)
    write_rows(v, v->root, "Points", 0, v->grid.points, 3, v->grid.place);
  free(end);
}

/* ---- steps ---- */

/* 0, size, 2 size, ..: where each step begins. */
static void put_beginnings(cas_vtk *v, hid_t at, const char *name, int rank, int64_t size,
                           int64_t add) {
  int64_t *begin = calloc((size_t)v->steps, sizeof *begin);
  if (!v->h.status && !begin)
    cas_h5_no_memory(&v->h);
  for (int64_t i = 0; begin && i < v->steps; i++)
    begin[i] = add + i * size;
  put_integers(v, at, name, rank, (const hsize_t[]){(hsize_t)v->steps, 1}, begin);
  free(begin);
}

static void put_steps(cas_vtk *v, const double *time) {
  const hsize_t steps = (hsize_t)v->steps;
  const int64_t points = v->grid.place ? 0 : v->grid.points;
  hid_t group = make_group(v, STEPS);
  cas_h5_put_attribute(&v->h, group, "NSteps", CAS_FIELD_INT64, &v->steps);
  cas_h5_close(&v->h, cas_h5_put_array(&v->h, group, "Values", CAS_FIELD_REAL, 1, &steps, time));
  put_beginnings(v, group, "PartOffsets", 1, 0, 0);
  put_beginnings(v, group, "NumberOfParts", 1, 0, 1);
  put_beginnings(v, group, "PointOffsets", 1, points, 0);
  put_beginnings(v, group, "CellOffsets", 2, 0, 0);
  put_beginnings(v, group, "ConnectivityIdOffsets", 2, 0, 0);
  cas_h5_close(&v->h, group);
}

/* ---- files ---- */

void cas_vtk_begin(cas_vtk *v, const char *path, const cas_vtk_grid *grid, const double *time,
                   int64_t steps, cas_error *err) {
  *v = (cas_vtk){.h = cas_h5_begin(path, err), .grid = *grid, .steps = steps};
  hid_t access = cas_h5_access(&v->h);
  v->file = cas_h5_create(&v->h, access);
  cas_h5_close(&v->h, access);
  cas_h5_put_text(&v->h, v->file, "casimir_version", CAS_VERSION);
  v->root = make_group(v, ROOT);
  if (!v->h.status) /* what an end that nobody can catch leaves behind is known as such */
    H5Fflush(v->file, H5F_SCOPE_LOCAL);
  put_type(v);
  static const int version[2] = {2, 0};
  const hsize_t two = 2;
  hid_t space = H5Screate_simple(1, &two, NULL), attribute = H5I_INVALID_HID;
  if (!v->h.status && (space < 0 ||
                       (attribute = H5Acreate2(v->root, "Version", H5T_STD_I32LE, space,
                                               H5P_DEFAULT, H5P_DEFAULT)) < 0 ||
                       H5Awrite(attribute, H5T_NATIVE_INT, version) < 0))
    cas_h5_fail(&v->h, "cannot write the version of the format");
  cas_h5_close(&v->h, attribute);
  cas_h5_close(&v->h, space);
  put_cells(v);
  put_steps(v, time);
  v->data = make_group(v, ROOT "/CellData");
  v->offsets = make_group(v, STEPS "/CellDataOffsets");
}

void cas_vtk_constant(cas_vtk *v, const char *name, const double *value) {
  const hsize_t cells = (hsize_t)v->grid.cells;
  cas_h5_close(&v->h, cas_h5_put_array(&v->h, v->data, name, CAS_FIELD_REAL, 1, &cells, value));
  put_beginnings(v, v->offsets, name, 1, 0, 0);
}

void cas_vtk_array(cas_vtk *v, const char *name, const char *units) {
  make_array(v, v->data, name, v->grid.cells * v->steps, 1, units);
  put_beginnings(v, v->offsets, name, 1, v->grid.cells, 0);
}

void cas_vtk_values(cas_vtk *v, const char *name, int64_t step, const double *value) {
  write_rows(v, v->data, name, step * v->grid.cells, v->grid.cells, 1, value);
}

void cas_vtk_points(cas_vtk *v, int64_t step, const double *place) {
  write_rows(v, v->root, "Points", step * v->grid.points, v->grid.points, 3, place);
}

cas_status cas_vtk_end(cas_vtk *v) {
  cas_h5_close(&v->h, v->offsets);
  cas_h5_close(&v->h, v->data);
  cas_h5_close(&v->h, v->root);
  cas_h5_close_file(&v->h, v->file);
  return cas_h5_end(&v->h);
}
