/* States of the sine-bracket Euler equations from maps on the grid of the vorticity's. */
#include "systems/sine_euler.h"

#include <stdlib.h>

typedef cas_sine_euler parameters;

static int map_shape(const void *parameters_, int64_t dims[3]) {
  dims[0] = dims[1] = ((const parameters *)parameters_)->grid;
  return 2;
}

static const char *pack_map(const void *parameters_, const double *map, double *x, double *lost) {
  const parameters *p = parameters_;
  double *omega = malloc(2 * (size_t)cas_sine_euler_modes(p) * sizeof *omega);
  const bool done = omega && CAS_ISA(cas_sine_euler_map_read)(p, map, true, omega, lost);
  if (done)
    CAS_ISA(cas_sine_euler_state_of)(p, 1, omega, x);
  free(omega);
  return done ? NULL : "out of memory";
}

const cas_state_form CAS_ISA(cas_sine_euler_forms)[] = {
    {.name = "map",
     .noun = "map (system.grid x system.grid, a row of x1 for each x2)",
     .shape = map_shape,
     .pack = pack_map,
     .place = "modes with |n1|, |n2| <= (N-1)/2 and no mean"},
    {0}};
