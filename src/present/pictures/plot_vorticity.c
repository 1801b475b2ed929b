/* Maps over time ([EJLL] figure 2): a row of snapshots on longitude and latitude, one colour scale. */
#include "present/figure/plot_impl.h"
#include <math.h>
#include <stdlib.h>

#define NAME "vorticity"

/* inches */
#define PANEL_WIDTH 2.6
#define PANEL_HEIGHT 1.3
#define LEFT 0.72
#define BOTTOM 0.72
#define GAP 0.16
#define TOP 0.38
#define BOX_GAP 0.14
#define BOX_WIDTH 0.13
#define RIGHT 0.75

enum {
  SNAPSHOTS = 4,
  IN_A_ROW = 4,
  /* pixels of a map; finer data would be finer than the paper */
  MOST_ROWS = 256,
  MOST_COLUMNS = 512
};

typedef struct {
  cas_series series; /* times and shape */
  double *latitude, *longitude;
  int snapshots;
  int64_t record[CAS_PLOT_MOST_TIMES];
  double *value[CAS_PLOT_MOST_TIMES]; /* [latitude][longitude] of the first path */
  double greatest;                    /* of |value|, over all snapshots; < 0: none is a number */
} maps;

static bool matches(const cas_source *s) { return cas_series_find(s, NAME, 2) != NULL; }

/* ---- reading ---- */

static void free_maps(maps *m) {
  for (int i = 0; i < m->snapshots; i++)
    free(m->value[i]);
  free(m->latitude);
  free(m->longitude);
  cas_series_free(&m->series);
}

static cas_status read_maps(cas_figure *g, const cas_source *s, maps *m, cas_error *err) {
  cas_status st = cas_series_open(s, NAME, 2, &m->series, err);

  if (!st)
    st = cas_column_read(s, "/trajectory/latitude", m->series.dims[0], &m->latitude, err);
  if (!st)
    st = cas_column_read(s, "/trajectory/longitude", m->series.dims[1], &m->longitude, err);
  if (st)
    return st;
  m->greatest = -1;
  m->snapshots = cas_snapshots(g, m->series.time, m->series.records, SNAPSHOTS, m->record);
  for (int i = 0; i < m->snapshots && !st; i++) {
    st = cas_series_record(s, NAME, m->record[i], &m->value[i], err);
    for (int64_t k = 0; k < m->series.numbers && !st; k++)
      if (isfinite(m->value[i][k]))
        m->greatest = fmax(m->greatest, fabs(m->value[i][k]));
  }
  return st || m->greatest >= 0 ? st : cas_figure_nothing(s->file, "vorticity at these times", err);
}

/* ---- pixels ---- */

static int64_t nearest(const double *at, int64_t n, double x) {
  int64_t best = 0;

  for (int64_t i = 1; i < n; i++)
    if (fabs(at[i] - x) < fabs(at[best] - x))
      best = i;
  return best;
}

/* From the first to the last of n coordinates, in whichever order, with half a cell more. */
typedef struct {
  int pixels;
  double low, high;
} extent;

static extent extent_of(const double *at, int64_t n, int most) {
  extent e = {.pixels = n < most ? (int)n : most};
  double low = fmin(at[0], at[n - 1]), high = fmax(at[0], at[n - 1]);
  double half = n > 1 ? (high - low) / (double)(n - 1) / 2 : 0.5;

  e.low = low - half;
  e.high = high + half;
  return e;
}

static double centre(const extent *e, int i) {
  return e->low + (e->high - e->low) * (i + 0.5) / e->pixels;
}

/* An image needs equal pixels: each takes the value nearest to it, whatever the grid. */
static void write_map(cas_figure *g, const maps *m, const extent *across, const extent *up, int i) {
  int64_t columns = m->series.dims[1], *column = calloc((size_t)across->pixels, sizeof *column);

  for (int x = 0; x < across->pixels && column; x++)
    column[x] = nearest(m->longitude, columns, centre(across, x));
  fprintf(g->script, "$map%d << EOD\n", i);
  for (int y = 0; y < up->pixels && column; y++) {
    const double *row =
        m->value[i] + columns * nearest(m->latitude, m->series.dims[0], centre(up, y));

    for (int x = 0; x < across->pixels; x++)
      fprintf(g->script, "%.5g ", row[column[x]]);
    fputc('\n', g->script);
  }
  fputs("EOD\n", g->script);
  free(column);
}

/* ---- panels ---- */

/* Symmetric about zero in lightness too, blue and red as ColorBrewer has them. */
static void set_colours(cas_figure *g, double greatest) {
  double top = greatest > 0 ? greatest : 1;

  fprintf(g->script,
          "set palette maxcolors 0 defined (-5 '#053061', -4 '#2166ac', -3 '#4393c3', -2 "
          "'#92c5de', -1 '#d1e5f0', 0 '#f7f7f7', 1 '#fddbc7', 2 '#f4a582', 3 '#d6604d', 4 "
          "'#b2182b', 5 '#67001f')\n"
          "set cbrange [%.17g:%.17g]\nset cbtics scale 0.5\n"
          "set format cb '%%h'\n",
          -top, top);
}

static void set_degrees(cas_figure *g, const extent *across, const extent *up) {
  fprintf(g->script,
          "set xrange [%.17g:%.17g]\nset yrange [%.17g:%.17g]\n"
          "set xtics 90\nset ytics 45\nset tics out nomirror\n"
          "set object 1 rectangle from graph 0,0 to graph 1,1 behind fillstyle solid noborder "
          "fillcolor '#c0c0c0'\n", /* shows where there is no number */
          across->low, across->high, up->low, up->high);
}

/* Labels at the left of a row and below the lowest map of a column alone. */
static void set_labels(cas_figure *g, const maps *m, int i) {
  fputs(i % IN_A_ROW ? "unset ylabel\nset format y ''\n"
                     : "set ylabel 'latitude' offset character 0.8,0\nset format y '%g\u00b0'\n",
        g->script);
  fputs(i + IN_A_ROW < m->snapshots ? "unset xlabel\nset format x ''\n"
                                    : "set xlabel 'longitude'\nset format x '%g\u00b0'\n",
        g->script);
  fprintf(g->script, "set title 't = %g' offset 0,-0.4\n", m->series.time[m->record[i]]);
}

static void draw_map(cas_figure *g, const maps *m, const extent *across, const extent *up, int i) {
  write_map(g, m, across, up, i);
  set_labels(g, m, i);
  fprintf(g->script, "plot $map%d matrix using (%.10g+$1*%.10g):(%.10g+$2*%.10g):3 with image\n", i,
          centre(across, 0), (across->high - across->low) / across->pixels, centre(up, 0),
          (up->high - up->low) / up->pixels);
}

static void draw_maps(cas_figure *g, const maps *m) {
  extent across = extent_of(m->longitude, m->series.dims[1], MOST_COLUMNS);
  extent up = extent_of(m->latitude, m->series.dims[0], MOST_ROWS);
  int columns = m->snapshots < IN_A_ROW ? m->snapshots : IN_A_ROW;
  int rows = (m->snapshots + IN_A_ROW - 1) / IN_A_ROW;
  double step = PANEL_HEIGHT + TOP, box;
  char where[60];
  cas_frame f = {.width = PANEL_WIDTH, .height = PANEL_HEIGHT};

  box = LEFT + columns * (PANEL_WIDTH + GAP) - GAP + BOX_GAP;
  f.figure_width = box + BOX_WIDTH + RIGHT;
  f.figure_height = BOTTOM + rows * step;
  cas_figure_size(g, f.figure_width, f.figure_height);
  set_degrees(g, &across, &up);
  set_colours(g, m->greatest);
  snprintf(where, sizeof where, "at screen 0.995,%.5f right", 1 - 0.55 * TOP / f.figure_height);
  cas_figure_label(g, 1, "vorticity", m->series.units, where);
  fprintf(g->script, "set colorbox user origin screen %.5f,%.5f size screen %.5f,%.5f\n",
          box / f.figure_width, BOTTOM / f.figure_height, BOX_WIDTH / f.figure_width,
          (rows * step - TOP) / f.figure_height);
  fputs("set multiplot\n", g->script);
  for (int i = 0; i < m->snapshots; i++) {
    f.left = LEFT + i % IN_A_ROW * (PANEL_WIDTH + GAP);
    f.bottom = BOTTOM + (rows - 1 - i / IN_A_ROW) * step;
    cas_figure_frame(g, &f);
    draw_map(g, m, &across, &up, i);
    fputs("unset colorbox\nunset label 1\n", g->script);
  }
  fputs("unset multiplot\n", g->script);
}

static cas_status draw(cas_figure *g, const cas_source *s, int n, cas_error *err) {
  maps m = {0};
  cas_status st = read_maps(g, s, &m, err);

  (void)n;
  if (!st)
    draw_maps(g, &m);
  if (!st && m.series.paths > 1)
    cas_figure_remark(g, "path 0 of %lld is drawn", (long long)m.series.paths);
  free_maps(&m);
  return st;
}

const cas_picture cas_picture_vorticity = {
    .name = "vorticity",
    .summary = "maps of the vorticity on longitude and latitude at a few times",
    .needs = "/trajectory/vorticity over latitude and longitude",
    .files = 1,
    .at = true,
    .until = true,
    .matches = matches,
    .draw = draw,
};
