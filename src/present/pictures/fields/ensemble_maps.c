/* Mean and variance of the vorticity over an ensemble at a few times, a colour scale each. */
#include "present/pictures/fields/maps.h"
#include <stdlib.h>

#define GROUP "/ensemble"
#define TIME GROUP "/time"

enum { SNAPSHOTS = 3 };

/* The datasets of the map that is drawn. */
typedef struct {
  char map[CAS_MAP_NAME], mean[200], variance[200];
} names;

typedef struct {
  names names;
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

static bool find_names(const cas_source *s, names *n) {
  if (!cas_map_find(s, GROUP, "/mean", n->map))
    return false;
  snprintf(n->mean, sizeof n->mean, GROUP "/%s/mean", n->map);
  snprintf(n->variance, sizeof n->variance, GROUP "/%s/variance", n->map);
  return find(s, n->mean) && find(s, n->variance);
}

static bool matches_ensemble_maps(const cas_source *s) {
  names n;
  return find_names(s, &n);
}

static cas_status read_moments(const cas_figure *g, const cas_source *s, moments *m,
                               cas_error *err) {
  find_names(s, &m->names);
  const cas_dataset *d = find(s, m->names.mean);
  cas_status st = cas_series_column_read(s, TIME, d->dims[0], &m->time, err);
  m->mean_units = d->units;
  m->variance_units = find(s, m->names.variance)->units;
  if (!st)
    st = cas_grid_read(s, GROUP, d->dims[1], d->dims[2], &m->grid, err);
  if (!st)
    st = cas_snapshots_read(g, s, m->names.mean, m->time, d->dims[0], SNAPSHOTS, &m->mean, err);
  return st ? st : cas_snapshots_also(s, m->names.variance, &m->mean, &m->variance, err);
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
    return cas_figure_nothing(s->file, cas_figure_name(g, "mean %s at these times", m->names.map),
                              err);
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

static cas_status draw_ensemble_maps(cas_figure *g, const cas_source *s, int n CAS_UNUSED,
                                     cas_error *err) {
  moments m = {0};
  cas_status st = read_moments(g, s, &m, err);
  if (!st)
    st = write_moments(g, s, &m, err);
  cas_snapshots_free(&m.mean);
  cas_snapshots_free(&m.variance);
  cas_grid_free(&m.grid);
  free(m.time);
  return st;
}

static cas_status film(const cas_source *s, cas_film_plan *plan, cas_error *err) {
  names n;
  find_names(s, &n);
  const cas_dataset *d = find(s, n.mean);
  const cas_grid grid = {.rows = d->dims[1], .columns = d->dims[2]};
  plan->records = d->dims[0];
  CAS_CALL(cas_series_column_read(s, TIME, d->dims[0], &plan->time, err));
  CAS_CALL(cas_maps_greatest_of_all(s, n.mean, d->dims[0], &grid, &plan->greatest, err));
  CAS_CALL(
      cas_maps_greatest_of_all(s, n.variance, d->dims[0], &grid, &plan->greatest_variance, err));
  return plan->greatest > 0 ? CAS_OK : cas_figure_nothing(s->file, "mean but 0", err);
}

const cas_picture cas_picture_ensemble_maps = {
    .name = "ensemble_maps",
    .summary = "mean and variance of the vorticity, or of --map, over an ensemble at a few times",
    .needs = "mean and variance of /ensemble/vorticity, or of the observable of --map",
    .files = 1,
    .at = true,
    .map = true,
    .plain = true,
    .view = true,
    .matches = matches_ensemble_maps,
    .draw = draw_ensemble_maps,
    .film = film,
};
