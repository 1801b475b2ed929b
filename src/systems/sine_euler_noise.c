/* The noise of the sine-bracket Euler equations as it is asked for: a Brownian motion for each
   mode, or for each sum of waves. */
#include "systems/sine_euler.h"

#include <float.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

typedef cas_sine_euler parameters;

const cas_option CAS_ISA(cas_sine_euler_noise_options)[] = {
    CAS_OPTION(
        parameters, REAL, amplitude, .fallback = "0", .high = DBL_MAX,
        .help = "of every mode of the noise, 0: no noise; of fields, default 1, a factor of all"),
    CAS_OPTION(
        parameters, VECTORS, modes, .fallback = "",
        .help =
            "rows [m1, m2], a Brownian motion each, in this order: the stream function is 2 "
            "amplitude cos(m.x) where m1 > 0, or m1 = 0 and m2 > 0, else 2 amplitude sin(-m.x)"),
    {.key = "fields",
     .type = CAS_SECTION,
     .offset = offsetof(parameters, fields),
     .fallback = "",
     .section = cas_array_options,
     .alone = "rows",
     .help =
         "instead of modes, rows [k, m1, m2, a]: the stream function of noise k, counted from 1, "
         "is the sum of a times those of its modes; or a file of such rows, or of maps of stream "
         "functions, K x system.grid x system.grid, a row of x1 for each x2"},
    {0}};

bool CAS_ISA(cas_sine_euler_is_mode)(const cas_sine_euler *p, const double *m, char *right,
                                     size_t size) {
  const int r = (int)(p->N / 2);
  for (int i = 0; i < 2; i++)
    if (!cas_fluid_is_whole(m[i], -r, r)) {
      snprintf(right, size, "integers from %d to %d for N = %d", -r, r, (int)p->N);
      return false;
    }
  snprintf(right, size, "a mode other than [0, 0], which the vorticity does not have");
  return m[0] != 0 || m[1] != 0;
}

/* ---- modes ---- */

static const double *row_of(const parameters *p, int k) { return p->modes.value + 2 * k; }

static cas_status bad_mode(const cas_config *c, const char *key, int k, const double *m,
                           const char *right, cas_error *err) {
  char path[64];
  snprintf(path, sizeof path, "system.noise.%s[%d]", key, k);
  return cas_config_fail(c, err, path, "found [%g, %g], must be %s", m[0], m[1], right);
}

static cas_status check_mode(const cas_config *c, const parameters *p, int k, cas_error *err) {
  const double *m = row_of(p, k);
  char right[100];
  if (!CAS_ISA(cas_sine_euler_is_mode)(p, m, right, sizeof right))
    return bad_mode(c, "modes", k, m, right, err);
  for (int i = 0; i < k; i++)
    if (row_of(p, i)[0] == m[0] && row_of(p, i)[1] == m[1]) {
      snprintf(right, sizeof right, "given once; row [%d] has it already", i);
      return bad_mode(c, "modes", k, m, right, err);
    }
  return CAS_OK;
}

static cas_status allocate(parameters *p, int waves, cas_error *err) {
  p->waves = waves;
  p->wave = calloc((size_t)waves + 1, sizeof *p->wave);
  return p->wave ? CAS_OK : cas_no_memory(err);
}

static cas_status from_modes(const cas_config *c, parameters *p, cas_error *err) {
  cas_status st = CAS_OK;
  if (p->amplitude > 0 && p->modes.rows == 0)
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
    st = allocate(p, p->modes.rows, err);
  p->noises = p->modes.rows;
  for (int k = 0; k < p->modes.rows && !st; k++)
    p->wave[k] = (cas_sine_euler_wave){k, (int)row_of(p, k)[0], (int)row_of(p, k)[1], .value = 1};
  return st;
}

/* ---- fields ---- */

/* Waves of one noise have an order of their own, whatever that of the rows. */
static int by_noise(const void *a, const void *b) {
  const cas_sine_euler_wave *v = a, *w = b;
  const int order[] = {v->noise - w->noise, v->m1 - w->m1, v->m2 - w->m2};
  for (int i = 0; i < 3; i++)
    if (order[i])
      return order[i];
  return (v->value > w->value) - (v->value < w->value);
}

static cas_status take_row(const cas_config *c, parameters *p, int rows, int i, const double *row,
                           cas_error *err) {
  char path[64], right[100];
  snprintf(path, sizeof path, "system.noise.fields[%d]", i);
  if (!cas_fluid_is_whole(row[0], 1, rows))
    return cas_config_fail(
        c, err, path, "k is %g, must be the number of a field, counted from 1, at most %d here",
        row[0], rows);
  if (!CAS_ISA(cas_sine_euler_is_mode)(p, row + 1, right, sizeof right))
    return bad_mode(c, "fields", i, row + 1, right, err);
  p->wave[i] = (cas_sine_euler_wave){(int)row[0] - 1, (int)row[1], (int)row[2], row[3]};
  p->noises = row[0] > p->noises ? (int)row[0] : p->noises;
  return CAS_OK;
}

static cas_status from_fields(const cas_config *c, parameters *p, int rows, int columns,
                              const double *value, cas_error *err) {
  if (columns != 4)
    return cas_config_fail(c, err, "system.noise.fields",
                           "found rows of %d numbers, must be rows [k, m1, m2, a]", columns);
  CAS_CALL(allocate(p, rows, err));
  for (int i = 0; i < rows; i++)
    CAS_CALL(take_row(c, p, rows, i, value + 4 * i, err));
  qsort(p->wave, (size_t)rows, sizeof *p->wave, by_noise);
  for (int i = 0, before = -1; i < rows; before = p->wave[i++].noise)
    if (p->wave[i].noise > before + 1)
      return cas_config_fail(c, err, "system.noise.fields",
                             "field %d has no row, but field %d has; fields are counted from 1",
                             before + 2, p->noises);
  return CAS_OK;
}

/* ---- maps ---- */

/* The waves of a stream function with these modes psi_n: psi_n exp(i n.x) and its conjugate are Re
   psi_n 2 cos(n.x) - Im psi_n 2 sin(n.x). Those of rounding are left out. */
static void take_modes(parameters *p, int noise, const double *psi) {
  const int r = (int)(p->N / 2), numbers = 2 * cas_sine_euler_modes(p);
  double largest = 0;
  for (int i = 0; i < numbers; i++)
    largest = fmax(largest, fabs(psi[i]));
  for (int n1 = 0; n1 <= r; n1++)
    for (int n2 = n1 ? -r : 1; n2 <= r; n2++, psi += 2)
      for (int part = 0; part < 2; part++)
        if (fabs(psi[part]) > 1e-14 * largest)
          p->wave[p->waves++] = (cas_sine_euler_wave){noise, part ? -n1 : n1, part ? -n2 : n2,
                                                      part ? -psi[1] : psi[0]};
}

static cas_status from_maps(const cas_config *c, parameters *p, int fields, const double *map,
                            cas_error *err) {
  const int numbers = 2 * cas_sine_euler_modes(p);
  double *psi = malloc((size_t)numbers * sizeof *psi), lost;
  cas_status st = CAS_OK;
  if (fields > INT_MAX / numbers)
    st = cas_config_fail(c, err, "system.noise.fields", "found %d maps, must be at most %d here",
                         fields, INT_MAX / numbers);
  if (!st)
    st = psi ? allocate(p, fields * numbers, err) : cas_no_memory(err);
  p->waves = 0;
  p->noises = fields;
  for (int k = 0; k < fields && !st; k++, map += p->grid * p->grid) {
    if (!CAS_ISA(cas_sine_euler_map_read)(p, map, false, psi, &lost)) {
      st = cas_no_memory(err);
      break;
    }
    take_modes(p, k, psi);
    if (lost > p->lost) {
      p->lost = lost;
      p->worst = k + 1;
    }
  }
  free(psi);
  return st;
}

/* ---- a dataset: rows, or maps ---- */

static cas_status from_dataset(const cas_config *c, parameters *p, cas_error *err) {
  const cas_array_source *a = &p->fields;
  const int64_t *dims = a->dims;
  const int leading = a->rank - 2; /* axes before those of a map */
  char found[100] = "";
  for (int i = 0; i < a->rank; i++)
    cas_append(found, sizeof found, "%s%lld", i ? " x " : "", (long long)dims[i]);
  if (a->rank == 2 && dims[1] == 4 && dims[0] <= INT_MAX / 4)
    return from_fields(c, p, (int)dims[0], 4, a->value, err);
  if ((leading == 0 || leading == 1) && dims[leading] == p->grid && dims[leading + 1] == p->grid)
    return from_maps(c, p, leading ? (int)dims[0] : 1, a->value, err);
  return cas_config_fail(c, err, "system.noise.fields",
                         "dataset %s of %s is %s, must be rows x 4, with the numbers k, m1, m2, a, "
                         "or fields x %lld x %lld, maps on the grid of system.grid",
                         a->dataset, a->file, found, (long long)p->grid, (long long)p->grid);
}

cas_status CAS_ISA(cas_sine_euler_noise_read)(const cas_config *c, cas_sine_euler *p,
                                              cas_error *err) {
  const cas_array_source *a = &p->fields;
  if (!a->rows.rows && !a->file)
    return from_modes(c, p, err);
  if (p->modes.rows)
    return cas_config_fail(c, err, "system.noise",
                           "found both 'modes' and 'fields'; must be one of them");
  if (!cas_config_has(c, "system.noise.amplitude"))
    p->amplitude = 1;
  if (!a->file)
    return from_fields(c, p, a->rows.rows, a->rows.columns, a->rows.value, err);
  return from_dataset(c, p, err);
}

void CAS_ISA(cas_sine_euler_noise_remark)(const void *parameters_, char *out, size_t size) {
  const parameters *p = parameters_;
  const double least = 1e-7; /* below it there is rounding, of files in single precision too */
  *out = '\0';
  if (p->lost > least)
    snprintf(out, size,
             "system.noise.fields: up to %.2g%% of the norm of a map of %s of %s is left out, of "
             "field %d: fields have modes with |n1|, |n2| <= (N-1)/2.",
             100 * p->lost, p->fields.dataset, p->fields.file, p->worst);
}
