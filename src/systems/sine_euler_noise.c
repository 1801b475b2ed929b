/* The noise of the sine-bracket Euler equations as it is asked for: a Brownian motion for each
   mode, or for each sum of waves. */
#include "systems/sine_euler.h"

#include <float.h>
#include <stdio.h>

typedef cas_sine_euler parameters;

const cas_option CAS_ISA(cas_sine_euler_noise_options)[] = {
    CAS_OPTION(
        cas_fluid, REAL, amplitude, .fallback = "0", .high = DBL_MAX,
        .help = "of every mode of the noise, 0: no noise; of fields, default 1, a factor of all"),
    CAS_OPTION(
        parameters, VECTORS, modes, .fallback = "",
        .help =
            "rows [m1, m2], a Brownian motion each, in this order: the stream function is 2 "
            "amplitude cos(m.x) where m1 > 0, or m1 = 0 and m2 > 0, else 2 amplitude sin(-m.x)"),
    {.key = "fields",
     .type = CAS_SECTION,
     .offset = offsetof(cas_fluid, source),
     .fallback = "",
     .section = cas_array_options,
     .alone = "rows",
     .help =
         "instead of modes, rows [k, m1, m2, a]: the stream function of noise k, counted from 1, "
         "is the sum of a times those of its modes; or a file of such rows, or of maps of stream "
         "functions, K x system.grid x system.grid, a row of x1 for each x2"},
    {0}};

static const double *row_of(const parameters *p, int k) { return p->modes.value + 2 * k; }

static cas_status check_mode(const cas_config *c, const parameters *p, int k, cas_error *err) {
  const double *m = row_of(p, k);
  char path[64], wrong[120];
  snprintf(path, sizeof path, "system.noise.modes[%d]", k);
  if (!p->fluid.surface->is_mode(&p->fluid, "", m, wrong, sizeof wrong))
    return cas_config_fail(c, err, path, "%s", wrong);
  for (int i = 0; i < k; i++)
    if (row_of(p, i)[0] == m[0] && row_of(p, i)[1] == m[1])
      return cas_config_fail(c, err, path,
                             "found [%g, %g], must be given once; row [%d] has it already", m[0],
                             m[1], i);
  return CAS_OK;
}

static cas_status from_modes(const cas_config *c, parameters *p, cas_error *err) {
  cas_status st = CAS_OK;
  if (p->fluid.amplitude > 0 && p->modes.rows == 0)
    return cas_config_fail(c, err, "system.noise",
                           "'modes' is missing (a list such as [[1, -1], [1, 1]])");
  if (p->modes.rows && !cas_config_has(c, "system.noise.amplitude"))
    return cas_config_fail(c, err, "system.noise",
                           "'amplitude' is missing (amplitude of the noise, such as 0.2; 0: no "
                           "noise)");
  if (p->modes.rows && p->modes.columns != 2)
    return cas_config_fail(c, err, "system.noise.modes",
                           "found rows of %d numbers, must be rows [m1, m2]", p->modes.columns);
  for (int k = 0; k < p->modes.rows && !st; k++)
    st = check_mode(c, p, k, err);
  if (!st)
    st = CAS_ISA(cas_fluid_add_waves)(&p->fluid, p->modes.rows, err);
  p->fluid.noises = p->modes.rows;
  for (int k = 0; k < p->modes.rows && !st; k++)
    p->fluid.wave[k] = (cas_fluid_wave){k, (int)row_of(p, k)[0], (int)row_of(p, k)[1], .value = 1};
  return st;
}

cas_status CAS_ISA(cas_sine_euler_noise_read)(const cas_config *c, cas_sine_euler *p,
                                              cas_error *err) {
  if (!cas_fluid_has_fields(&p->fluid))
    return from_modes(c, p, err);
  if (p->modes.rows)
    return cas_config_fail(c, err, "system.noise",
                           "found both 'modes' and 'fields'; must be one of them");
  if (!cas_config_has(c, "system.noise.amplitude"))
    p->fluid.amplitude = 1;
  return CAS_ISA(cas_fluid_read_fields)(c, &p->fluid, err);
}
