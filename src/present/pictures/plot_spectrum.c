/* Energy by degree l at a few times, from light to dark, with the slopes of two-dimensional
   turbulence. */
#include "present/figure/plot_impl.h"
#include <math.h>
#include <stdlib.h>

#define NAME "energy_spectrum"

/* inches */
#define PANEL_WIDTH 3.9
#define PANEL_HEIGHT 3.1
#define LEFT 1.05
#define BOTTOM 0.62
#define RIGHT 1.25
#define TOP 0.2

#define MOST_DECADES 12 /* below the greatest energy */
enum { SNAPSHOTS = 5 };

typedef struct {
  cas_series series;
  double *degree;
  int snapshots;
  int64_t record[CAS_PLOT_MOST_TIMES];
  double *energy[CAS_PLOT_MOST_TIMES]; /* [degree], mean over the paths */
  double low, high;
} spectra;

static bool matches(const cas_source *s) { return cas_series_find(s, NAME, 1) != NULL; }

/* ---- reading ---- */

/* [paths][n] to its mean over the paths that are finite there, in place; NaN where none is. */
static void average(double *value, int64_t paths, int64_t n) {
  for (int64_t k = 0; k < n; k++) {
    double sum = 0;
    int64_t found = 0;

    for (int64_t p = 0; p < paths; p++)
      if (isfinite(value[p * n + k])) {
        sum += value[p * n + k];
        found++;
      }
    value[k] = found ? sum / (double)found : NAN;
  }
}

/* Of what is drawn: in degrees without energy rounding leaves some. */
static void choose_range(spectra *p) {
  p->low = INFINITY;
  for (int low = 0; low < 2; low++)
    for (int i = 0; i < p->snapshots; i++)
      for (int64_t k = 0; k < p->series.numbers; k++) {
        double e = p->energy[i][k];

        if (!isfinite(e))
          continue;
        if (!low)
          p->high = fmax(p->high, e);
        else if (e >= p->high * pow(10, -MOST_DECADES))
          p->low = fmin(p->low, e);
      }
}

static cas_status read_spectra(cas_figure *g, const cas_source *s, spectra *p, cas_error *err) {
  cas_status st = cas_series_open(s, NAME, 1, &p->series, err);

  if (!st)
    st = cas_column_read(s, "/trajectory/degree", p->series.numbers, &p->degree, err);
  if (st)
    return st;
  p->snapshots = cas_snapshots(g, p->series.time, p->series.records, SNAPSHOTS, p->record);
  for (int i = 0; i < p->snapshots && !st; i++) {
    st = cas_series_record(s, NAME, p->record[i], &p->energy[i], err);
    if (st)
      break;
    average(p->energy[i], p->series.paths, p->series.numbers);
  }
  if (!st)
    choose_range(p);
  if (!st && p->high <= 0)
    st = cas_fail(err, CAS_BAD_INPUT, "%s: no energy of '/trajectory/" NAME "' is positive",
                  s->file);
  return st;
}

static void free_spectra(spectra *p) {
  for (int i = 0; i < p->snapshots; i++)
    free(p->energy[i]);
  free(p->degree);
  cas_series_free(&p->series);
}

/* ---- drawing ---- */

/* Nothing, a gap, where there is no energy or less than the axis holds. */
static void write_spectrum(cas_figure *g, const spectra *p, int i) {
  fprintf(g->script, "$spectrum%d << EOD\n", i);
  for (int64_t k = 0; k < p->series.numbers; k++)
    if (p->energy[i][k] >= p->low && isfinite(p->energy[i][k]))
      fprintf(g->script, "%.10g %.17g\n", p->degree[k], p->energy[i][k]);
    else
      fputc('\n', g->script);
  fputs("EOD\n", g->script);
}

/* One hue, light to dark. */
static const char *shade(int i, int n) {
  static const char *const shades[] = {"#a6cee8", "#7fb3dc", "#5a98cd", "#3a7dba",
                                       "#2263a2", "#124a86", "#083268", "#041c40"};

  return shades[n > 1 ? i * 7 / (n - 1) : 5];
}

static const struct {
  double slope;
  const char *label;
} guides[] = {{-5.0 / 3, "l^{-5/3}"}, {-3, "l^{-3}"}};
#define GUIDES ((int)(sizeof guides / sizeof *guides))

/* From the upper right part of the panel, above the spectra. */
static void write_guide(cas_figure *g, const spectra *p, int i) {
  double last = p->degree[p->series.numbers - 1], from = fmax(2, sqrt(last) / 1.5), to = last / 1.5;
  double start = p->high * (i ? 1.2 : 2.2);
  double end = start * pow(to / from, guides[i].slope);

  fprintf(g->script, "$guide%d << EOD\n", i);
  if (to > 2 * from)
    fprintf(g->script, "%.10g %.10g\n%.10g %.10g\n", from, start, to, end);
  fputs("NaN NaN\nEOD\n", g->script);
  if (to > 2 * from)
    fprintf(g->script,
            "set label '%s' at first %.10g,%.10g left offset character 0.4,0 textcolor '#606060'\n",
            guides[i].label, to, end);
}

static void set_axes(cas_figure *g, const spectra *p) {
  double first = p->degree[0], last = p->degree[p->series.numbers - 1];

  cas_axis_log(g, 'y', p->low / 1.5, p->high * 4);
  cas_axis_log(g, 'x', fmax(first, 0.5) / 1.15, fmax(last, 1) * 1.15);
  fputs("set xtics (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000)\nset format x '%g'\n"
        "set xlabel 'degree l'\n"
        "set key at graph 1.02,1 left top Left reverse samplen 1.4\n",
        g->script);
  cas_axis_label_y(g, "energy", p->series.units);
}

static void draw_spectra(cas_figure *g, const spectra *p) {
  for (int i = 0; i < GUIDES; i++)
    write_guide(g, p, i);
  for (int i = 0; i < p->snapshots; i++)
    write_spectrum(g, p, i);
  for (int i = 0; i < GUIDES; i++)
    fprintf(g->script,
            "%s$guide%d using 1:2 with lines dashtype (10,7) linewidth 1 linecolor '#909090'",
            i ? ", \\\n     " : "plot ", i);
  for (int i = 0; i < p->snapshots; i++)
    fprintf(g->script,
            ", \\\n     $spectrum%d using 1:2 with linespoints pointtype 7 pointsize %g linewidth "
            "1.3 linecolor '%s' title 't = %g'",
            i, p->series.numbers > 40 ? 0.25 : 0.5, shade(i, p->snapshots),
            p->series.time[p->record[i]]);
  fputc('\n', g->script);
}

static cas_status draw(cas_figure *g, const cas_source *s, int n, cas_error *err) {
  cas_frame f = {.left = LEFT, .bottom = BOTTOM, .width = PANEL_WIDTH, .height = PANEL_HEIGHT};
  spectra p = {0};
  cas_status st = read_spectra(g, s, &p, err);

  (void)n;
  if (!st) {
    f.figure_width = LEFT + PANEL_WIDTH + RIGHT;
    f.figure_height = BOTTOM + PANEL_HEIGHT + TOP;
    cas_figure_size(g, f.figure_width, f.figure_height);
    cas_figure_frame(g, &f);
    set_axes(g, &p);
    draw_spectra(g, &p);
    if (p.series.paths > 1)
      cas_figure_remark(g, "the mean over %lld paths is drawn", (long long)p.series.paths);
  }
  free_spectra(&p);
  return st;
}

const cas_picture cas_picture_spectrum = {
    .name = "spectrum",
    .summary = "energy by degree l at a few times",
    .needs = "/trajectory/energy_spectrum over degree",
    .files = 1,
    .at = true,
    .until = true,
    .matches = matches,
    .draw = draw,
};
