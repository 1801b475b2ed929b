/* Transport noise of fluids: stream functions of space alone, from rows of waves or from maps. */
#include "systems/fluid.h"

#include "systems/components.h"

#include <limits.h>

/* Waves of one noise are sorted, whatever the order of the rows. */
static int by_noise(const void *a, const void *b) {
  const cas_fluid_wave *v = a, *w = b;
  const int order[] = {v->noise - w->noise, v->i - w->i, v->j - w->j};
  for (int k = 0; k < 3; k++)
    if (order[k])
      return order[k];
  return (v->value > w->value) - (v->value < w->value);
}

cas_status CAS_ISA(cas_fluid_add_waves)(cas_fluid *f, int waves, cas_error *err) {
  f->waves = waves;
  f->wave = calloc((size_t)waves + 1, sizeof *f->wave);
  return f->wave ? CAS_OK : cas_no_memory(err);
}

static cas_status take_row(const cas_config *c, cas_fluid *f, int k, const double *row,
                           cas_error *err) {
  char path[64];
  snprintf(path, sizeof path, "system.noise.fields[%d]", k);
  CAS_REFUSE(c, !cas_fluid_is_whole(row[0], 1, f->waves), path,
             "k is %g, must be the number of a field, counted from 1, at most %d here", row[0],
             f->waves);
  CAS_CALL(CAS_ISA(cas_fluid_check_mode)(c, f, path, "", row + 1, err));
  CAS_REFUSE(c, !isfinite(row[3]), path, "a is %g, must be finite", row[3]);
  f->wave[k] = (cas_fluid_wave){(int)row[0] - 1, (int)row[1], (int)row[2], row[3]};
  f->noises = row[0] > f->noises ? (int)row[0] : f->noises;
  return CAS_OK;
}

static cas_status from_rows(const cas_config *c, cas_fluid *f, int rows, int columns,
                            const double *value, cas_error *err) {
  CAS_REFUSE(c, columns != 4, "system.noise.fields", "found rows of %d numbers, must be rows [%s]",
             columns, f->surface->row);
  CAS_CALL(CAS_ISA(cas_fluid_add_waves)(f, rows, err));
  for (int k = 0; k < rows; k++)
    CAS_CALL(take_row(c, f, k, value + 4 * k, err));
  qsort(f->wave, (size_t)rows, sizeof *f->wave, by_noise);
  for (int k = 0, before = -1; k < rows; before = f->wave[k++].noise)
    CAS_REFUSE(c, f->wave[k].noise > before + 1, "system.noise.fields",
               "field %d has no row, but field %d has; fields are counted from 1", before + 2,
               f->noises);
  return CAS_OK;
}

/* Coefficients that are rounding are left out. */
static void take_coefficients(cas_fluid *f, int noise, const double *psi) {
  const int n = cas_fluid_coefficients(f);
  double largest = 0;
  for (int i = 0; i < n; i++)
    largest = fmax(largest, fabs(psi[i]));
  for (int i = 0; i < n; i++)
    if (fabs(psi[i]) > f->surface->least * largest)
      f->wave[f->waves++] = f->surface->wave((int)f->N, noise, i, psi[i]);
}

/* lost^2 = rest/(rest + square) of each map; all: sums of rests and of squares */
static void add_loss(cas_fluid *f, int noise, double lost, const double *psi, double all[2]) {
  double square = 0;
  for (int i = 0; i < cas_fluid_coefficients(f); i++)
    square += psi[i] * psi[i];
  all[0] += lost < 1 ? square * lost * lost / (1 - lost * lost) : 0;
  all[1] += square;
  if (lost > f->lost_most) {
    f->lost_most = lost;
    f->worst = noise + 1;
  }
}

/* A constant is no part of a stream function, and is not lost. */
static cas_status from_maps(const cas_config *c, cas_fluid *f, int fields, const double *map,
                            cas_error *err) {
  const int n = cas_fluid_coefficients(f);
  CAS_OWNED double *psi = malloc((size_t)n * sizeof *psi);
  double lost, all[2] = {0};
  CAS_REFUSE(c, fields > INT_MAX / n, "system.noise.fields",
             "found %d maps, must be at most %d for this N", fields, INT_MAX / n);
  CAS_NEED(psi);
  CAS_CALL(CAS_ISA(cas_fluid_add_waves)(f, fields * n, err));
  f->waves = 0;
  f->noises = fields;
  for (int k = 0; k < fields; k++, map += (int64_t)f->map[0] * f->map[1]) {
    CAS_CALL(f->surface->read_map(f, map, false, psi, &lost, err));
    take_coefficients(f, k, psi);
    add_loss(f, k, lost, psi, all);
  }
  f->lost = all[0] > 0 ? sqrt(all[0] / (all[0] + all[1])) : f->lost_most;
  return CAS_OK;
}

void CAS_ISA(cas_fluid_remark)(const void *fluid, char *out, size_t size) {
  const cas_fluid *f = fluid;
  const double least = 1e-7; /* below it there is rounding, of files in single precision too */
  *out = '\0';
  if (f->lost_most > least)
    snprintf(out, size,
             "system.noise.fields: %.2g%% of the norm of %s of %s is left out: fields have %s. It "
             "is %.2g%% of field %d.",
             100 * f->lost, f->source.dataset, f->source.file, f->surface->place,
             100 * f->lost_most, f->worst);
  if (f->rest_lost > least)
    cas_append(out, size,
               "%ssystem.topography: %.2g%% of the norm of its map is left out: fields have %s.",
               *out ? " " : "", 100 * f->rest_lost, f->surface->place);
}

static cas_status from_dataset(const cas_config *c, cas_fluid *f, cas_error *err) {
  const cas_array_source *a = &f->source;
  const int64_t *dims = a->dims;
  const int leading = a->rank - 2; /* axes before those of a map */
  char found[100] = "";
  for (int i = 0; i < a->rank; i++)
    cas_append(found, sizeof found, "%s%lld", i ? " x " : "", (long long)dims[i]);
  if (a->rank == 2 && dims[1] == 4 && dims[0] <= INT_MAX / 4)
    return from_rows(c, f, (int)dims[0], 4, a->value, err);
  if ((leading == 0 || leading == 1) && dims[leading] == f->map[0] &&
      dims[leading + 1] == f->map[1])
    return from_maps(c, f, leading ? (int)dims[0] : 1, a->value, err);
  return cas_config_fail(c, err, "system.noise.fields",
                         "dataset %s of %s is %s, must be rows x 4, with the numbers %s, or fields "
                         "x %d x %d, maps on the grid of %s",
                         a->dataset, a->file, found, f->surface->row, f->map[0], f->map[1],
                         f->surface->grid);
}

cas_status CAS_ISA(cas_fluid_read_fields)(const cas_config *c, cas_fluid *f, cas_error *err) {
  const cas_array_source *a = &f->source;
  return a->file ? from_dataset(c, f, err)
                 : from_rows(c, f, a->rows.rows, a->rows.columns, a->rows.value, err);
}

/* ---- areas ---- */

int CAS_ISA(cas_fluid_areas)(const void *fluid) {
  const int n = ((const cas_fluid *)fluid)->noises;
  return n * (n - 1) / 2;
}

void CAS_ISA(cas_fluid_add_areas)(const void *fluid, int W, const double *v, const double *w,
                                  double *area) {
  cas_components_add_areas_of_pairs(((const cas_fluid *)fluid)->noises, W, v, w, area);
}
