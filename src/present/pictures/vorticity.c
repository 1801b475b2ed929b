/* Maps over time ([EJLL] figure 2): a row of snapshots on longitude and latitude, or on the torus, one
   colour scale. */
#include "present/pictures/picture.h"
#include <math.h>
#include <stdlib.h>

#define NAME "vorticity"

enum {
  SNAPSHOTS = 4,
  /* pixels of a map; finer data would be finer than the paper */
  MOST_ROWS = 256,
  MOST_COLUMNS = 512
};

typedef struct {
  cas_series series; /* times and shape */
  bool torus;
  double *row, *column; /* coordinates: latitude and longitude, on the torus x2 and x1 */
  cas_snapshots shown;  /* [row][column] of the first path */
  double greatest;      /* of |value|, over all snapshots; < 0: none is a number */
} maps;

static bool matches(const cas_source *s) { return cas_series_find(s, NAME, 2) != NULL; }

/* ---- reading ---- */

static void free_maps(maps *m) {
  cas_snapshots_free(&m->shown);
  free(m->row);
  free(m->column);
  cas_series_free(&m->series);
}

static cas_status read_maps(cas_figure *g, const cas_source *s, maps *m, cas_error *err) {
  cas_status st = cas_series_open(s, NAME, 2, &m->series, err);
  m->torus = cas_contents_find(&s->contents, "/trajectory/x1") != NULL;
  if (!st)
    st = cas_column_read(s, m->torus ? "/trajectory/x2" : "/trajectory/latitude", m->series.dims[0],
                         &m->row, err);
  if (!st)
    st = cas_column_read(s, m->torus ? "/trajectory/x1" : "/trajectory/longitude",
                         m->series.dims[1], &m->column, err);
  if (st)
    return st;
  m->greatest = -1;
  st = cas_snapshots_read(g, s, "/trajectory/" NAME, m->series.time, m->series.records, SNAPSHOTS,
                          &m->shown, err);
  for (int i = 0; i < m->shown.n && !st; i++)
    for (int64_t k = 0; k < m->series.numbers; k++)
      if (isfinite(m->shown.value[i][k]))
        m->greatest = fmax(m->greatest, fabs(m->shown.value[i][k]));
  return st || m->greatest >= 0 ? st : cas_figure_nothing(s->file, "vorticity at these times", err);
}

/* ---- pixels ---- */

/* From the first to the last of n coordinates, in whichever order, with half a cell more. */
typedef struct {
  int pixels;
  double low, high;
  double around; /* length of the circle; 0: there is none */
} extent;

static extent extent_of(const double *at, int64_t n, int most) {
  extent e = {.pixels = n < most ? (int)n : most};
  double low = fmin(at[0], at[n - 1]), high = fmax(at[0], at[n - 1]);
  double half = n > 1 ? (high - low) / (double)(n - 1) / 2 : 0.5;
  e.low = low - half;
  e.high = high + half;
  return e;
}

/* Once around: from the least of n equally distant coordinates on. A pixel is half of a cell, so that
   the first cell can be at both ends. */
static extent extent_around(const double *at, int64_t n, double around, int most) {
  extent e = {.pixels = 2 * n < most ? (int)(2 * n) : most, .around = around};
  e.low = fmin(at[0], at[n - 1]);
  e.high = e.low + around;
  return e;
}

/* Whether n coordinates are those of a circle, each once. */
static bool goes_around(const double *at, int64_t n, double around) {
  double cell = n > 1 ? fabs(at[n - 1] - at[0]) / (double)(n - 1) : 0;
  return n > 1 && fabs((double)n * cell - around) < 0.01 * cell;
}

static extent extent_on(const double *at, int64_t n, double around, int most) {
  return goes_around(at, n, around) ? extent_around(at, n, around, most) : extent_of(at, n, most);
}

static double centre(const extent *e, int i) {
  return e->low + (e->high - e->low) * (i + 0.5) / e->pixels;
}

/* Of pixel i, on a circle also from the other side. */
static int64_t nearest(const double *at, int64_t n, const extent *e, int i) {
  double c = centre(e, i);
  int64_t k = cas_nearest_of(at, n, c), other = cas_nearest_of(at, n, c - e->around);
  return fabs(c - e->around - at[other]) < fabs(c - at[k]) ? other : k;
}

/* Each pixel takes the value nearest to it, whatever the grid: an image needs equal ones. */
static int64_t *nearest_of_all(const double *at, int64_t n, const extent *e) {
  int64_t *found = calloc((size_t)e->pixels, sizeof *found);
  for (int i = 0; found && i < e->pixels; i++)
    found[i] = nearest(at, n, e, i);
  return found;
}

static void write_map(cas_figure *g, const maps *m, const extent *across, const extent *up, int i,
                      const int64_t *column, double *pixel) {
  cas_matrix_begin(
      g, cas_name(g, "map_%d", i + 1), across->pixels,
      (cas_column){"a row from west to east for each pixel from south to north", m->series.units});
  for (int y = 0; y < up->pixels; y++) {
    int64_t row = nearest(m->row, m->series.dims[0], up, y);
    for (int x = 0; x < across->pixels; x++)
      pixel[x] = m->shown.value[i][row * m->series.dims[1] + column[x]];
    cas_block_row(g, pixel);
  }
  cas_block_end(g);
}

static void write_values(cas_figure *g, const maps *m, const extent *across, const extent *up) {
  cas_snapshots_write(g, "panels", &m->shown);
  cas_text(g, "units", CAS_UNITS, m->series.units);
  cas_real(g, "greatest", m->greatest > 0 ? m->greatest : 1);
  cas_count(g, "torus", m->torus);
  cas_real(g, "west", across->low);
  cas_real(g, "east", across->high);
  cas_real(g, "south", up->low);
  cas_real(g, "north", up->high);
  cas_count(g, "columns", across->pixels);
  cas_count(g, "rows", up->pixels);
}

static cas_status write_maps(cas_figure *g, const maps *m, cas_error *err) {
  extent across = extent_on(m->column, m->series.dims[1], m->torus ? 2 * M_PI : 360, MOST_COLUMNS);
  extent up = extent_on(m->row, m->series.dims[0], m->torus ? 2 * M_PI : 0, MOST_ROWS);
  int64_t *column = nearest_of_all(m->column, m->series.dims[1], &across);
  double *pixel = calloc((size_t)across.pixels, sizeof *pixel);
  cas_status st = column && pixel ? CAS_OK : cas_no_memory(err);
  if (!st)
    write_values(g, m, &across, &up);
  for (int i = 0; !st && i < m->shown.n; i++)
    write_map(g, m, &across, &up, i, column, pixel);
  free(column);
  free(pixel);
  return st;
}

static cas_status draw(cas_figure *g, const cas_source *s, int n, cas_error *err) {
  maps m = {0};
  cas_status st = read_maps(g, s, &m, err);
  (void)n;
  if (!st)
    st = write_maps(g, &m, err);
  if (!st && m.series.paths > 1)
    cas_figure_remark(g, "path 0 of %lld is drawn", (long long)m.series.paths);
  free_maps(&m);
  return st;
}

const cas_picture cas_picture_vorticity = {
    .name = "vorticity",
    .summary = "maps of the vorticity on the sphere or the torus at a few times",
    .needs = "/trajectory/vorticity over latitude and longitude, or over x2 and x1",
    .files = 1,
    .at = true,
    .until = true,
    .plain = true,
    .matches = matches,
    .draw = draw,
};
