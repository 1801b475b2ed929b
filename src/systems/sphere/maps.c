/* States and fields of Euler-Zeitlin from arrays in files: maps on the grid of the vorticity's, and
   coefficients. */
#include "systems/sphere/euler_zeitlin.h"

#include "harmonics/sphere.h"

#include <stdlib.h>

typedef cas_euler_zeitlin parameters;

cas_status CAS_ISA(cas_euler_zeitlin_map_read)(const cas_euler_zeitlin *p, const double *map,
                                               bool has_mean, double *omega, double *lost,
                                               cas_error *err) {
  const int rows = (int)p->latitudes, columns = 2 * rows, n = rows * columns;
  double mean, *rest = malloc(2 * (size_t)n * sizeof *rest);
  cas_status st = rest ? cas_sphere_analyse((int)p->N, map, rows, columns, omega, &mean, err)
                       : cas_no_memory(err);
  if (!st) {
    double *relative = rest + n;
    cas_sphere_synthesise((int)p->N, omega, rows, columns, 1, rest);
    for (int i = 0; i < n; i++) {
      relative[i] = map[i] - (has_mean ? 0 : mean);
      rest[i] = relative[i] - rest[i];
    }
    const double square = cas_sphere_square(relative, rows, columns);
    *lost = square > 0 ? sqrt(cas_sphere_square(rest, rows, columns) / square) : 0;
  }
  free(rest);
  return st;
}

static int map_shape(const void *parameters_, int64_t dims[3]) {
  dims[0] = ((const parameters *)parameters_)->latitudes;
  dims[1] = 2 * dims[0];
  return 2;
}

static const char *pack_map(const void *parameters_, const double *map, double *x, double *lost) {
  const parameters *p = parameters_;
  double *omega = malloc((size_t)(p->N * p->N) * sizeof *omega);
  cas_error err;
  const bool done = omega && !CAS_ISA(cas_euler_zeitlin_map_read)(p, map, true, omega, lost, &err);
  if (done)
    cas_hoppe_yau_state(&p->harmonics, omega, x);
  free(omega);
  return done ? NULL : "out of memory";
}

static int coefficients_shape(const void *parameters_, int64_t dims[3]) {
  const parameters *p = parameters_;
  dims[0] = p->N * p->N - 1;
  return 1;
}

static const char *pack_coefficients(const void *parameters_, const double *omega, double *x,
                                     double *lost) {
  cas_hoppe_yau_state(&((const parameters *)parameters_)->harmonics, omega, x);
  *lost = 0;
  return NULL;
}

static const char place[] = "degrees l = 1 .. N - 1";

const cas_state_form CAS_ISA(cas_euler_zeitlin_forms)[] = {
    {.name = "map",
     .noun = "map (system.latitudes x twice as many longitudes)",
     .shape = map_shape,
     .pack = pack_map,
     .place = place},
    {.name = "coefficients",
     .noun = "list of coefficients (l ascending from 1, in each of them m from -l to l)",
     .shape = coefficients_shape,
     .pack = pack_coefficients,
     .place = place},
    {0}};
