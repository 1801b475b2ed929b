/* Mean and variance of the vorticity over an ensemble at a few times, a colour scale each. */
#include "present/pictures/fields/maps.h"
#include <stdlib.h>

#define GROUP "/ensemble"
#define MEAN GROUP "/vorticity/mean"
#define VARIANCE GROUP "/vorticity/variance"
#define TIME GROUP "/time"

enum { SNAPSHOTS = 3 };

typedef struct {
  cas_grid grid;
  double *time;
  cas_snapshots mean, variance;
  const char *mean_units, *variance_units; /* borrowed from the source */
} moments;

/* Both as times x rows x columns; NULL: the file has none. */
static const cas_dataset *find(const cas_source *s, const char *name) {
  const cas_dataset *d = cas_contents_find(&s->contents, name),
                    *time = cas_contents_find(&s->contents, TIME);
  bool fits =
      d && time && !d->is_complex && d->rank == 3 && time->rank == 1 && d->dims[0] == time->dims[0];
  for (int i = 0; fits && i < d->rank; i++)
    fits = d->dims[i] > 0;
  return fits ? d : NULL;
}

static bool matches_ensemble_maps(const cas_source *s) {
  return find(s, MEAN) && find(s, VARIANCE);
}

static void free_moments(moments *m) {
  cas_snapshots_free(&m->mean);
  cas_snapshots_free(&m->variance);
  cas_grid_free(&m->grid);
  free(m->time);
}

static cas_status read_moments(const cas_figure *g, const cas_source *s, moments *m,
                               cas_error *err) {
  const cas_dataset *d = find(s, MEAN);
  cas_status st = cas_series_column_read(s, TIME, d->dims[0], &m->time, err);
  m->mean_units = d->units;
  m->variance_units = find(s, VARIANCE)->units;
  if (!st)
    st = cas_grid_read(s, GROUP, d->dims[1], d->dims[2], &m->grid, err);
  if (!st)
    st = cas_snapshots_read(g, s, MEAN, m->time, d->dims[0], SNAPSHOTS, &m->mean, err);
  return st ? st : cas_snapshots_also(s, VARIANCE, &m->mean, &m->variance, err);
}

static cas_status write_moments(cas_figure *g, const cas_source *s, const moments *m,
                                cas_error *err) {
  double mean = cas_maps_greatest(&m->grid, m->mean.n, m->mean.value),
         variance = cas_maps_greatest(&m->grid, m->variance.n, m->variance.value);
  if (g->request->frame && mean >= 0) { /* one scale for all frames */
    mean = g->request->frame->greatest;
    variance = g->request->frame->greatest_variance;
  }
  if (mean < 0)
    return cas_figure_nothing(s->file, "mean vorticity at these times", err);
  cas_snapshots_write(g, "snapshots", &m->mean);
  cas_figure_text(g, "mean_units", CAS_FIGURE_UNITS, m->mean_units);
  cas_figure_text(g, "variance_units", CAS_FIGURE_UNITS, m->variance_units);
  cas_figure_real(g, "greatest_mean", mean > 0 ? mean : 1);
  cas_figure_real(g, "greatest_variance", variance > 0 ? variance : 1);
  CAS_CALL(cas_maps_write(g, &m->grid, err));
  CAS_CALL(cas_maps_data(g, &m->grid, "mean", m->mean.n, m->mean.value, m->mean_units, err));
  return cas_maps_data(g, &m->grid, "variance", m->variance.n, m->variance.value, m->variance_units,
                       err);
}

static cas_status draw_ensemble_maps(cas_figure *g, const cas_source *s, int n, cas_error *err) {
  moments m = {0};
  cas_status st = read_moments(g, s, &m, err);
  (void)n;
  if (!st)
    st = write_moments(g, s, &m, err);
  free_moments(&m);
  return st;
}

static cas_status film(const cas_source *s, cas_film_plan *plan, cas_error *err) {
  const cas_dataset *d = find(s, MEAN);
  const cas_grid grid = {.rows = d->dims[1], .columns = d->dims[2]};
  plan->records = d->dims[0];
  CAS_CALL(cas_series_column_read(s, TIME, d->dims[0], &plan->time, err));
  CAS_CALL(cas_maps_greatest_of_all(s, MEAN, d->dims[0], &grid, &plan->greatest, err));
  CAS_CALL(cas_maps_greatest_of_all(s, VARIANCE, d->dims[0], &grid, &plan->greatest_variance, err));
  return plan->greatest > 0 ? CAS_OK : cas_figure_nothing(s->file, "mean vorticity but 0", err);
}

const cas_picture cas_picture_ensemble_maps = {
    .name = "ensemble_maps",
    .summary = "mean and variance of the vorticity over an ensemble at a few times",
    .needs = "mean and variance of /ensemble/vorticity",
    .files = 1,
    .at = true,
    .plain = true,
    .view = true,
    .matches = matches_ensemble_maps,
    .draw = draw_ensemble_maps,
    .film = film,
};
