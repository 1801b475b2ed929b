/* What X has at rest, beside the vorticity that is seen: the Coriolis parameter and topography. */
#include "systems/sphere/euler_zeitlin.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- rows of harmonics ---- */

/* Takes a row; row_of[mode] is the one that was taken, counted from 1. */
static cas_status take_row(const cas_config *c, const cas_fluid *f, const char *key, int i,
                           const double *row, int *row_of, double *omega, cas_error *err) {
  char path[64], wrong[120];
  snprintf(path, sizeof path, "%s[%d]", key, i);
  if (!f->surface->is_mode(f, "", row, wrong, sizeof wrong))
    return cas_config_fail(c, err, path, "%s", wrong);
  const int mode = cas_hoppe_yau_mode((int)row[0], (int)row[1]);
  if (row_of[mode])
    return cas_config_fail(
        c, err, path, "l = %g, m = %g are given twice, in rows [%d] and [%d]; must be given once",
        row[0], row[1], row_of[mode] - 1, i);
  row_of[mode] = i + 1;
  omega[mode] = row[2];
  return CAS_OK;
}

cas_status CAS_ISA(cas_sphere_take_rows)(const cas_config *c, const cas_fluid *f, const char *key,
                                         const cas_vectors *rows, double *omega, cas_error *err) {
  int *row_of = calloc((size_t)(f->N * f->N), sizeof *row_of);
  cas_status st = row_of ? CAS_OK : cas_no_memory(err);
  for (int i = 0; !st && i < rows->rows; i++)
    st = take_row(c, f, key, i, rows->value + 3 * i, row_of, omega, err);
  free(row_of);
  return st;
}

/* ---- what X has at rest ---- */

cas_status CAS_ISA(cas_sphere_find_rest)(const cas_config *c, cas_euler_zeitlin *p,
                                         cas_error *err) {
  const size_t n = (size_t)(p->fluid.N * p->fluid.N);
  if (p->topography.rows && p->topography.columns != 3)
    return cas_config_fail(c, err, "system.topography",
                           "found rows of %d numbers, must be [l, m, value]",
                           p->topography.columns);
  if (p->rotation == 0 && p->topography.rows == 0)
    return CAS_OK;
  if (!(p->fluid.rest = calloc(n, sizeof *p->fluid.rest)))
    return cas_no_memory(err);
  CAS_CALL(CAS_ISA(cas_sphere_take_rows)(c, &p->fluid, "system.topography", &p->topography,
                                         p->fluid.rest, err));
  p->fluid.rest[CAS_FLUID_ZONAL] += 2 * p->rotation * sqrt(4 * acos(-1) / 3);
  p->rest_lmax = 1;
  for (int i = 0; i < p->topography.rows; i++)
    p->rest_lmax = (int)fmax(p->rest_lmax, p->topography.value[3 * i]);
  return CAS_OK;
}

/* Its stream function, where that is not by coefficients. */
cas_status CAS_ISA(cas_sphere_invert_rest)(cas_euler_zeitlin *p, cas_error *err) {
  const size_t n = (size_t)(p->fluid.N * p->fluid.N);
  if (!p->fluid.rest)
    return CAS_OK;
  double *x = calloc(n, sizeof *x);
  p->rest_stream = calloc(n, sizeof *p->rest_stream);
  if (x && p->rest_stream) {
    cas_hoppe_yau_state(&p->harmonics, p->fluid.rest, x);
    CAS_ISA(cas_euler_zeitlin_path_invert)(p, 1, x, p->rest_stream);
  }
  cas_status st = x && p->rest_stream ? CAS_OK : cas_no_memory(err);
  free(x);
  return st;
}
