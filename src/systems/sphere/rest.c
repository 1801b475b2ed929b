/* What X has at rest, beside the vorticity that is seen: the Coriolis parameter and topography. */
#include "systems/sphere/euler_zeitlin.h"

#include <limits.h>

/* ---- rows of harmonics ---- */

/* Takes a row; row_of[mode] is the one that was taken, counted from 1. */
static cas_status take_row(const cas_config *c, const cas_fluid *f, const char *key, int i,
                           const double *row, int *row_of, double *omega, cas_error *err) {
  char path[64], wrong[120];
  snprintf(path, sizeof path, "%s[%d]", key, i);
  CAS_REFUSE(c, !f->surface->is_mode(f, "", row, wrong, sizeof wrong), path, "%s", wrong);
  const int mode = cas_hoppe_yau_mode((int)row[0], (int)row[1]);
  CAS_REFUSE(c, row_of[mode], path,
             "l = %g, m = %g are given twice, in rows [%d] and [%d]; must be given once", row[0],
             row[1], row_of[mode] - 1, i);
  row_of[mode] = i + 1;
  omega[mode] = row[2];
  return CAS_OK;
}

cas_status CAS_ISA(cas_sphere_take_rows)(const cas_config *c, const cas_fluid *f, const char *key,
                                         const cas_vectors *rows, double *omega, cas_error *err) {
  CAS_OWNED int *row_of = calloc((size_t)(f->N * f->N), sizeof *row_of);
  CAS_NEED(row_of);
  for (int i = 0; i < rows->rows; i++)
    CAS_CALL(take_row(c, f, key, i, rows->value + 3 * i, row_of, omega, err));
  return CAS_OK;
}

/* ---- what X has at rest ---- */

/* A mean, which no bracket knows, and what is below rounding are left out. */
static cas_status take_map(cas_fluid *f, const double *map, double *omega, cas_error *err) {
  double largest = 0;
  CAS_CALL(f->surface->read_map(f, map, false, omega, &f->rest_lost, err));
  for (int i = 0; i < cas_fluid_coefficients(f); i++)
    largest = fmax(largest, fabs(omega[i]));
  for (int i = 0; i < cas_fluid_coefficients(f); i++)
    omega[i] = fabs(omega[i]) > 1e-13 * largest ? omega[i] : 0;
  return CAS_OK;
}

static cas_status take_topography(const cas_config *c, cas_euler_zeitlin *p, cas_error *err) {
  const char *key = "system.topography";
  cas_fluid *f = &p->fluid;
  const cas_array_source *a = &p->topography;
  const int64_t *dims = a->dims;
  cas_vectors rows = a->rows;
  if (a->file && a->rank == 2 && dims[0] == f->map[0] && dims[1] == f->map[1])
    return take_map(f, a->value, p->fluid.rest, err);
  CAS_REFUSE(c, a->file && (a->rank != 2 || dims[1] != 3 || dims[0] > INT_MAX / 3), key,
             "dataset %s of %s must be rows x 3, with the numbers l, m, value, or %d "
             "x %d, a map on the grid of system.latitudes",
             a->dataset, a->file, f->map[0], f->map[1]);
  if (a->file)
    rows = (cas_vectors){.value = a->value, .rows = (int)dims[0], .columns = 3};
  CAS_REFUSE(c, rows.rows && rows.columns != 3, key,
             "found rows of %d numbers, must be [l, m, value]", rows.columns);
  return CAS_ISA(cas_sphere_take_rows)(c, f, key, &rows, p->fluid.rest, err);
}

cas_status CAS_ISA(cas_sphere_find_rest)(const cas_config *c, cas_euler_zeitlin *p,
                                         cas_error *err) {
  const int N = (int)p->fluid.N;
  if (p->rotation == 0 && p->topography.rows.rows == 0 && !p->topography.file)
    return CAS_OK;
  CAS_NEED(p->fluid.rest = calloc((size_t)(N * N), sizeof *p->fluid.rest));
  CAS_CALL(take_topography(c, p, err));
  p->fluid.rest[CAS_FLUID_ZONAL] += 2 * p->rotation * sqrt(4 * acos(-1) / 3);
  p->rest_lmax = 1;
  for (int l = 1; l < N && p->lamb == 0; l++) /* beside lamb no step needs its degrees */
    for (int m = -l; m <= l; m++)
      if (p->fluid.rest[cas_hoppe_yau_mode(l, m)] != 0)
        p->rest_lmax = l;
  return CAS_OK;
}

/* Its stream function, where that is not by coefficients. */
cas_status CAS_ISA(cas_sphere_invert_rest)(cas_euler_zeitlin *p, cas_error *err) {
  const size_t n = (size_t)(p->fluid.N * p->fluid.N);
  if (!p->fluid.rest)
    return CAS_OK;
  CAS_OWNED double *x = calloc(n, sizeof *x);
  p->rest_stream = calloc(n, sizeof *p->rest_stream);
  CAS_NEED(x && p->rest_stream);
  cas_hoppe_yau_state(&p->harmonics, p->fluid.rest, x);
  CAS_ISA(cas_euler_zeitlin_path_invert)(p, 1, x, p->rest_stream);
  return CAS_OK;
}
