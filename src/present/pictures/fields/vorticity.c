/* Maps over time ([EJLL] figure 2): a row of snapshots on longitude and latitude, on the torus, or
   on the sphere seen from afar, one colour scale. */
#include "present/pictures/fields/maps.h"
#include <stdlib.h>

#define GROUP "/trajectory"

enum { SNAPSHOTS = 4 };

typedef struct {
  char name[CAS_MAP_NAME];
  cas_series series; /* times and shape */
  cas_grid grid;
  cas_snapshots shown; /* [row][column] of the first path */
} maps;

static bool matches_vorticity(const cas_source *s) {
  char name[CAS_MAP_NAME];
  return cas_map_find(s, GROUP, "", name) && cas_series_find(s, name, 2);
}

static cas_status read_maps(cas_figure *g, const cas_source *s, maps *m, cas_error *err) {
  char dataset[200];
  cas_map_find(s, GROUP, "", m->name);
  snprintf(dataset, sizeof dataset, GROUP "/%s", m->name);
  cas_status st = cas_series_open(s, m->name, 2, &m->series, err);
  if (!st)
    st = cas_grid_read(s, GROUP, m->series.dims[0], m->series.dims[1], &m->grid, err);
  return st ? st
            : cas_snapshots_read(g, s, dataset, m->series.time, m->series.records, SNAPSHOTS,
                                 &m->shown, err);
}

static cas_status write_maps(cas_figure *g, const cas_source *s, const maps *m, cas_error *err) {
  double greatest = cas_maps_greatest(&m->grid, m->shown.n, m->shown.value);
  if (greatest >= 0 && g->request->frame)
    greatest = g->request->frame->greatest;
  if (greatest < 0)
    return cas_figure_nothing(s->file, cas_figure_name(g, "%s at these times", m->name), err);
  cas_snapshots_write(g, "panels", &m->shown);
  cas_figure_text(g, "quantity", CAS_FIGURE_WORDS, m->name);
  for (int i = 0; i < m->shown.n; i++)
    cas_figure_text_of(g, "label", i, m->shown.n, CAS_FIGURE_AS_IT_IS,
                       cas_figure_name(g, "t = %g", m->shown.time[i]));
  cas_figure_text(g, "units", CAS_FIGURE_UNITS, m->series.units);
  cas_figure_real(g, "greatest", greatest > 0 ? greatest : 1);
  CAS_CALL(cas_maps_write(g, &m->grid, err));
  return cas_maps_data(g, &m->grid, "map", m->shown.n, m->shown.value, m->series.units, err);
}

static cas_status draw_vorticity(cas_figure *g, const cas_source *s, int n CAS_UNUSED,
                                 cas_error *err) {
  maps m = {0};
  cas_status st = read_maps(g, s, &m, err);
  if (!st)
    st = write_maps(g, s, &m, err);
  if (!st && m.series.paths > 1)
    cas_figure_remark(g, "path 0 of %lld is drawn", (long long)m.series.paths);
  cas_snapshots_free(&m.shown);
  cas_grid_free(&m.grid);
  cas_series_free(&m.series);
  return st;
}

static cas_status film(const cas_source *s, cas_film_plan *plan, cas_error *err) {
  cas_series series = {0};
  char name[CAS_MAP_NAME], dataset[200];
  cas_map_find(s, GROUP, "", name);
  snprintf(dataset, sizeof dataset, GROUP "/%s", name);
  cas_status st = cas_series_open(s, name, 2, &series, err);
  const cas_grid grid = {.rows = series.dims[0], .columns = series.dims[1]};
  if (!st)
    st = cas_maps_greatest_of_all(s, dataset, series.records, &grid, &plan->greatest, err);
  plan->records = series.records;
  plan->time = series.time;
  series.time = NULL;
  cas_series_free(&series);
  return st || plan->greatest > 0 ? st : cas_figure_nothing(s->file, "value but 0", err);
}

const cas_picture cas_picture_vorticity = {
    .name = "vorticity",
    .summary = "maps of the vorticity, or of --map, on the sphere or the torus at a few times",
    .needs = "/trajectory/vorticity, or the observable of --map, over latitude and longitude, or "
             "over x2 and x1",
    .files = 1,
    .at = true,
    .map = true,
    .until = true,
    .plain = true,
    .view = true,
    .matches = matches_vorticity,
    .draw = draw_vorticity,
    .film = film,
};
