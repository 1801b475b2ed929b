/* The vorticity on one circle of latitude over time (Hovmoeller's diagram): waves are lines, whose
   slope is their speed. On the torus a row of x1. */
#include "present/pictures/fields/maps.h"
#include <math.h>
#include <stdlib.h>

#define GROUP "/trajectory"

typedef struct {
  char name[CAS_MAP_NAME];
  cas_series series; /* times and shape */
  cas_grid grid;     /* of the maps */
  int64_t row;       /* that is drawn */
  double *value;     /* [records][columns], of the first path */
} strip;

static bool matches(const cas_source *s) {
  char name[CAS_MAP_NAME];
  const cas_dataset *d = cas_map_find(s, GROUP, "", name) ? cas_series_find(s, name, 2) : NULL;
  return d && d->dims[0] > 1;
}

/* That of --view, else in the middle of the northern half, or of the torus. */
static double wanted_row(const cas_figure *g, const strip *h) {
  return g->request->has_view ? g->request->view[1] : h->grid.torus ? M_PI : 45;
}

static cas_status read_record(const cas_source *s, strip *h, int64_t i, cas_error *err) {
  int rank;
  int64_t dims[4];
  bool is_complex;
  double *map = NULL;
  char dataset[200];
  snprintf(dataset, sizeof dataset, GROUP "/%s", h->name);
  cas_status st =
      cas_dataset_read_records(s->file, dataset, i, 1, &rank, dims, &is_complex, &map, err);
  for (int64_t k = 0; !st && k < h->grid.columns; k++)
    h->value[i * h->grid.columns + k] = map[h->row * h->grid.columns + k];
  free(map);
  return st;
}

static cas_status read_strip(const cas_figure *g, const cas_source *s, strip *h, cas_error *err) {
  cas_map_find(s, GROUP, "", h->name);
  CAS_CALL(cas_series_open(s, h->name, 2, &h->series, err));
  CAS_CALL(cas_grid_read(s, GROUP, h->series.dims[0], h->series.dims[1], &h->grid, err));
  if (h->grid.torus && g->request->has_view)
    return cas_fail(err, CAS_BAD_INPUT, "--view: a torus has no circles of latitude");
  h->row = cas_series_nearest(h->grid.row, h->grid.rows, wanted_row(g, h));
  h->value = calloc((size_t)(h->series.records * h->grid.columns), sizeof *h->value);
  cas_status st = h->value ? CAS_OK : cas_no_memory(err);
  for (int64_t i = 0; !st && i < h->series.records; i++)
    st = read_record(s, h, i, err);
  return st;
}

static cas_status write_strip(cas_figure *g, const cas_source *s, const strip *h, cas_error *err) {
  const cas_grid time = {.rows = h->series.records,
                         .columns = h->grid.columns,
                         .row = h->series.time,
                         .column = h->grid.column};
  const cas_figure_column of = {"a row from west to east for each pixel of time", h->series.units};
  const double greatest = cas_maps_greatest(&time, 1, &h->value);
  if (greatest < 0)
    return cas_figure_nothing(s->file, h->name, err);
  cas_figure_count(g, "torus", h->grid.torus);
  cas_figure_real(g, "at", h->grid.row[h->row]);
  cas_figure_real(g, "greatest", greatest > 0 ? greatest : 1);
  cas_figure_text(g, "quantity", CAS_FIGURE_WORDS, h->name);
  cas_figure_text(g, "units", CAS_FIGURE_UNITS, h->series.units);
  cas_maps_flat_write(g, &time);
  return cas_maps_flat_data(g, &time, "strip", 1, &h->value, &of, err);
}

static cas_status draw(cas_figure *g, const cas_source *s, int n CAS_UNUSED, cas_error *err) {
  strip h = {0};
  cas_status st = read_strip(g, s, &h, err);
  if (!st)
    st = write_strip(g, s, &h, err);
  if (!st && h.series.paths > 1)
    cas_figure_remark(g, "path 0 of %lld is drawn", (long long)h.series.paths);
  cas_grid_free(&h.grid);
  cas_series_free(&h.series);
  free(h.value);
  return st;
}

const cas_picture cas_picture_hovmoeller = {
    .name = "hovmoeller",
    .summary = "vorticity, or --map, over longitude and time, at the latitude of --view",
    .needs =
        "two records of /trajectory/vorticity, or of the observable of --map, over latitude and "
        "longitude, or over x2 and x1",
    .files = 1,
    .until = true,
    .map = true,
    .plain = true,
    .view = true,
    .matches = matches,
    .draw = draw,
};
